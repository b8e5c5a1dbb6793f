package review

import (
	"context"
	"slices"
	"strconv"
	"time"

	"screentest/server/sight"
	"screentest/shared/wire"
)

// Comment stores a comment and tells it to all who look at its version, to whom it
// mentions, and to the clip's owner.
func (s *Service) Comment(ctx context.Context, owner string, c wire.Comment) (wire.Comment, error) {
	s.order.Lock()
	said, err := s.Store.Comment(ctx, owner, c)
	if err == nil && said.Changed {
		s.tellComment(said.Comment)
	}
	s.order.Unlock()
	if err != nil || !said.Changed {
		return said.Comment, err
	}
	s.notify(ctx, said.Told, said.About, wire.NoticeMention, "mentions you at “"+short(said.Title)+"”")
	if !slices.Contains(said.Told, said.Owner) {
		what := "comments on"
		if c.Answers != "" {
			what = "answers at"
		}
		s.notify(ctx, []string{said.Owner}, said.About, wire.NoticeReview, what+" “"+short(said.Title)+"”")
	}
	return said.Comment, nil
}

// Edit changes a comment and tells how it is now.
func (s *Service) Edit(ctx context.Context, owner string, e wire.CommentEdit) (wire.Comment, error) {
	s.order.Lock()
	defer s.order.Unlock()
	said, err := s.Store.Edit(ctx, owner, e)
	if err == nil && said.Changed {
		s.tellComment(said.Comment)
	}
	return said.Comment, err
}

func (s *Service) tellComment(c wire.Comment) {
	s.News.TellTopic(topicOf(c.Review, c.Version), "comment "+c.ID, wire.EventComment, c)
}

// Step gives a version a state and tells it; to who is asked for a review, and of
// what was decided to the clip's owner, also by a notice.
func (s *Service) Step(ctx context.Context, owner string, step wire.ReviewStep) (wire.ReviewStep, error) {
	s.order.Lock()
	done, err := s.Store.Step(ctx, owner, step)
	if err == nil && done.Changed {
		s.tellStep(done)
	}
	s.order.Unlock()
	if err != nil || !done.Changed {
		return done.Step, err
	}
	s.Note(ctx, "review.step", step.Review, map[string]any{"version": step.Version, "state": step.State})
	title := "“" + short(done.Title) + "”"
	switch step.State {
	case wire.ReviewOpen:
		s.notify(ctx, done.Told, done.About, wire.NoticeReview, "asks for a review of "+title)
	case wire.ReviewApproved:
		s.notify(ctx, []string{done.Owner}, done.About, wire.NoticeReview, "approves "+title)
	case wire.ReviewChanges:
		s.notify(ctx, []string{done.Owner}, done.About, wire.NoticeReview, "asks for changes of "+title)
	}
	return done.Step, nil
}

// tellStep tells a state. A version that is a draft again, or no more one, is seen
// by others than before.
func (s *Service) tellStep(done sight.Stepped) {
	review, version := done.Step.Review, done.Step.Version
	// Two steps of one key would be one to a tab that is slow.
	key := "step " + topicOf(review, version) + " " + strconv.FormatInt(done.Step.AtMS, 10) + done.Step.State
	s.News.TellTopic(topicOf(review, version), key, wire.EventReview, done.Step)
	if (done.Was == wire.ReviewDraft) == (done.Step.State == wire.ReviewDraft) {
		return
	}
	s.Heard(done.Step)
	s.News.TellTopic(versions(review))
}

// Heard is told of a state that was given at another replica, and told to who looks at
// the version here: who doesn't see it any more hears no more of it.
func (s *Service) Heard(step wire.ReviewStep) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for l := range s.reviews[step.Review] {
		if topic := topicOf(step.Review, step.Version); !l.seen.Sees(step.Version, step.State) && l.topics[topic] {
			s.News.LookAway(topic, l.tab)
			delete(l.topics, topic)
		}
	}
}

// versions is that a review's versions are others: look again.
func versions(review string) (topic, key string, event wire.Event, of any) {
	return topicOf(review, 0), "versions " + review, wire.EventVersions, wire.Target{ID: review}
}

// notify tells people, each where they see it: the clip's owner at the clip,
// others at the share.
func (s *Service) notify(ctx context.Context, owners []string, about sight.About, kind, text string) {
	at := map[string][]string{}
	for _, o := range owners {
		path := "/video/" + about.Clip
		if o != about.Owner {
			path = "/review/" + about.Shares[o]
		}
		at[path] = append(at[path], o)
	}
	for path, owners := range at {
		s.Notify(ctx, owners, wire.Notice{Kind: kind, Path: path, Subject: about.Clip, Text: text})
	}
}

// short is a title in a notice.
func short(title string) string { return wire.Cut(title, 80) }

// readWithin bounds what is read for nobody who waits.
const readWithin = 10 * time.Second

// maxKnown is of how many clips it is known what was told of them.
const maxKnown = 4096

// Clip is told of a clip of an owner's that was made, changed or deleted: where it
// is a version of what is looked at, and others see that it is another, they are
// told. It doesn't wait. Each replica is told of every clip, and tells who looks there.
func (s *Service) Clip(owner string, t wire.VideoTask) {
	as := string(t.State) + t.Title
	for _, o := range t.Outputs {
		as += " " + string(o.Archive)
		if o.Poster {
			as += "+"
		}
	}
	s.clip(owner, t.ID, as)
}

// ClipGone is Clip for one in the trash, or gone for good.
func (s *Service) ClipGone(owner, id string) { s.clip(owner, id, "") }

func (s *Service) clip(owner, id, as string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := [2]string{owner, id}
	if was, told := s.clips[of]; len(s.reviews) == 0 || s.closed || told && was == as {
		return
	}
	if len(s.clips) >= maxKnown {
		clear(s.clips)
	}
	s.clips[of] = as
	// One that was looked at is known by that, also when it is gone.
	for review, looks := range s.reviews {
		for l := range looks {
			if slices.Contains(l.seen.Tasks, of) {
				s.News.TellTopicHere(versions(review))
				return
			}
			break // the others have the same
		}
	}
	s.ended.Go(func() {
		ctx, done := context.WithTimeout(context.Background(), readWithin)
		defer done()
		if review, err := s.Store.Of(ctx, owner, id); err == nil {
			s.News.TellTopicHere(versions(review))
		}
	})
}
