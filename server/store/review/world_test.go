package review_test

import (
	"errors"
	"io/fs"
	"testing"
	"time"

	"screentest/server/sight"
	"screentest/server/store"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// world is a store with some people: ann makes clips, bob and cleo are members, gil a
// guest; lea leads the team that all of these are in, and otto is in none of theirs.
type world struct {
	*store.DB
	t                              *testing.T
	dir                            string
	now                            time.Time
	ann, bob, cleo, gil, lea, otto string            // owners
	ids                            map[string]string // of people, by their owner
	team                           string
}

func newWorld(t *testing.T) *world {
	w := &world{t: t, dir: storetest.Folder(t), now: time.UnixMilli(1_700_000_000_000), ids: map[string]string{}}
	w.DB = storetest.Open(t, w.dir, store.Options{Now: func() time.Time { return w.now }})
	for _, p := range []struct {
		to         *string
		name, role string
	}{{&w.ann, "Ann", wire.RoleMember}, {&w.bob, "Bob", wire.RoleMember}, {&w.cleo, "Cleo", wire.RoleMember}, {&w.gil, "Gil", wire.RoleGuest}, {&w.lea, "Lea", wire.RoleMember}, {&w.otto, "Otto", wire.RoleMember}} {
		var id string
		*p.to, id = storetest.Join(t, w.DB, p.name, p.role)
		w.ids[*p.to] = id
	}
	w.team = storetest.Team(t, w.DB, "Red", wire.Limits{}, w.ids[w.ann], w.ids[w.bob], w.ids[w.cleo], w.ids[w.gil])
	w.must(w.PutInTeam(t.Context(), w.team, w.ids[w.lea], true))
	return w
}

func (w *world) must(errs ...error) {
	w.t.Helper()
	storetest.Must(w.t, errs...)
}

// clip is a finished clip of an owner's with a file; change says what it is made of.
func (w *world) clip(owner, prompt string, change ...func(*wire.VideoTask)) string {
	w.t.Helper()
	task := storetest.NewVideo(prompt)
	for _, c := range change {
		c(&task)
	}
	task = storetest.Taken(w.t, w.Videos(), owner, task)
	task.State, task.FinishedMS = wire.VideoDone, 6
	_, _, err := w.Videos().End(w.t.Context(), owner, task, []string{"http://x/" + task.ID}, 6)
	w.must(err)
	return task.ID
}

// share shares a clip with the team, or as n says.
func (w *world) share(owner, clip string, n wire.NewShare) string {
	w.t.Helper()
	n.Kind, n.ID = wire.ShareClip, clip
	if n.Audience == "" {
		n.Audience, n.To = wire.ShareWithTeam, []string{w.team}
	}
	id, err := w.Shares().Make(w.t.Context(), owner, n, "token", nil)
	w.must(err)
	return id
}

func (w *world) look(owner string, at wire.Look) sight.Seen {
	w.t.Helper()
	s, err := w.Reviews().Look(w.t.Context(), owner, at)
	w.must(err)
	return s
}

// versions are the numbers of those that somebody sees.
func (w *world) versions(owner string, at wire.Look) (numbers []int) {
	w.t.Helper()
	s, err := w.Reviews().Look(w.t.Context(), owner, at)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	w.must(err)
	for _, v := range s.Review.Versions {
		numbers = append(numbers, v.Version)
	}
	return numbers
}

// says makes a comment.
func (w *world) says(owner, review string, version int, text string) wire.Comment {
	w.t.Helper()
	said, err := w.Reviews().Comment(w.t.Context(), owner, wire.Comment{ID: storetest.NewID(), Review: review, Version: version, Text: text})
	w.must(err)
	return said.Comment
}

func (w *world) step(owner, review string, version int, state string) error {
	_, err := w.Reviews().Step(w.t.Context(), owner, wire.ReviewStep{Review: review, Version: version, State: state})
	return err
}

func codeOf(err error) string {
	var p *wire.Problem
	if errors.As(err, &p) {
		return p.Code
	}
	if err != nil {
		return err.Error()
	}
	return ""
}
