package main

import (
	"context"
	"net/http"

	"screentest/server/bff"
	"screentest/server/news"
	"screentest/server/people"
	"screentest/server/review"
	"screentest/shared/wire"
)

// openReviews prepares what people say of clips; nothing without accounts.
func (s *server) openReviews() {
	if s.reach.mode != team {
		return
	}
	s.reviews = review.New(review.Config{
		Store: s.store.Reviews(), News: tabs{s.news},
		Hold: s.shares.Hold, Notify: s.notices.Notify,
		Note: func(ctx context.Context, action, object string, detail map[string]any) {
			s.people.Note(ctx, people.Event{Action: action, Object: object, Detail: detail})
		},
		Logger: s.log,
	})
	s.onClose(func(context.Context) error { s.reviews.Close(); return nil })
}

// tabs are those of the hub, as package review sees them.
type tabs struct{ *news.Hub }

func (h tabs) WhenLeft(owner string, t review.Tab, left func()) bool {
	return h.Hub.WhenLeft(owner, t.(news.Tab), left)
}

func (h tabs) Look(topic, owner string, t review.Tab) { h.Hub.Look(topic, owner, t.(news.Tab)) }

func (h tabs) LookAway(topic string, t review.Tab) { h.Hub.LookAway(topic, t.(news.Tab)) }

// reviewCalls are those of reviews.
func (s *server) reviewCalls() map[wire.Op]bff.Call {
	me := func(ctx context.Context) string { return people.Of(ctx).Owner }
	return map[wire.Op]bff.Call{
		wire.OpTeamClips: bff.Calling(func(ctx context.Context, _ news.Tab, q wire.TeamClipQuery) (any, error) {
			return s.reviews.Clips(ctx, me(ctx), q)
		}),
		wire.OpLook: bff.Calling(func(ctx context.Context, t news.Tab, at wire.Look) (any, error) {
			return s.reviews.Look(ctx, me(ctx), t, at)
		}),
		wire.OpLookAway: bff.Calling(func(_ context.Context, t news.Tab, of wire.Target) (any, error) {
			s.reviews.LookAway(t, of.ID)
			return nil, nil
		}),
		wire.OpComment: bff.Calling(func(ctx context.Context, _ news.Tab, c wire.Comment) (any, error) {
			return s.reviews.Comment(ctx, me(ctx), c)
		}),
		wire.OpCommentEdit: bff.Calling(func(ctx context.Context, _ news.Tab, e wire.CommentEdit) (any, error) {
			return s.reviews.Edit(ctx, me(ctx), e)
		}),
		wire.OpReviewStep: bff.Calling(func(ctx context.Context, _ news.Tab, step wire.ReviewStep) (any, error) {
			return s.reviews.Step(ctx, me(ctx), step)
		}),
	}
}

// reviewRoutes are the addresses of reviews.
func (s *server) reviewRoutes() map[string]bff.Handler {
	return map[string]bff.Handler{
		"GET /api/reviews/{file}": func(w http.ResponseWriter, r *http.Request, who people.Person) error {
			return s.reviews.ServeFile(w, r, who.Owner)
		},
	}
}

// clipChanged tells of a clip that was made or changed.
func (s *server) clipChanged(owner string, t wire.VideoTask) {
	s.news.Task(owner, t)
	if s.reviews != nil {
		s.reviews.Clip(owner, t)
	}
}

// clipPurged tells of a clip that is gone for good.
func (s *server) clipPurged(owner string, t wire.TaskGone) {
	s.news.TaskPurged(owner, t)
	if s.reviews != nil {
		s.reviews.ClipGone(owner, t.ID)
	}
}
