package review_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"screentest/server/sight"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// What is made of a clip, and what is made again with its settings, is its next
// version, however far the clip is up the chain; somebody else's never is.
func TestVersionsJoin(t *testing.T) {
	w := newWorld(t)
	first := w.clip(w.ann, "a fox")
	between := w.clip(w.ann, "a fox, longer", func(v *wire.VideoTask) { v.Source = first })
	alone := w.clip(w.ann, "a crow")
	if _, err := w.Reviews().Of(t.Context(), w.ann, first); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it has a review before anybody looks: %v", err)
	}
	look := w.look(w.ann, wire.Look{Clip: first})
	extended := w.clip(w.ann, "extended", func(v *wire.VideoTask) { v.Source = first })
	upscaled := w.clip(w.ann, "upscaled", func(v *wire.VideoTask) { v.Source = extended })
	again := w.clip(w.ann, "again", func(v *wire.VideoTask) { v.VersionOf = upscaled })
	far := w.clip(w.ann, "of what came before the review", func(v *wire.VideoTask) { v.Source = between })
	w.clip(w.ann, "of another", func(v *wire.VideoTask) { v.Source = alone })
	w.clip(w.bob, "not his", func(v *wire.VideoTask) { v.VersionOf, v.Source = first, extended })

	s := w.look(w.ann, wire.Look{Clip: far})
	var got []string
	for i, v := range s.Review.Versions {
		got = append(got, v.Clip)
		if v.Version != i+1 || v.State != wire.ReviewDraft || len(v.Media) != 1 || v.Media[0] != wire.MediaPathOf(v.Clip, 0) {
			t.Errorf("%+v", v)
		}
	}
	if want := []string{first, extended, upscaled, again, far}; !slices.Equal(got, want) || s.Review.ID != look.Review.ID || !s.Own || !s.Review.Presents || s.Review.Decides {
		t.Errorf("the versions are %q, want %q; %+v", got, want, s)
	}
	// The same creation once more is no other version.
	stored, err := w.Videos().Task(t.Context(), w.ann, far)
	w.must(err)
	if stored.VersionOf != "" {
		t.Errorf("version of %q", stored.VersionOf)
	}
	if _, _, found, err := w.Videos().Create(t.Context(), w.ann, 0, "", stored, nil); !found || err != nil {
		t.Errorf("found %v, %v", found, err)
	}
	// One that is gone for good leaves its number, and what was said of it goes too;
	// with the last one goes the review.
	w.says(w.ann, s.Review.ID, 5, "of the last")
	w.purge(far)
	next := w.clip(w.ann, "the next", func(v *wire.VideoTask) { v.VersionOf = again })
	if got := w.versions(w.ann, wire.Look{Clip: next}); !slices.Equal(got, []int{1, 2, 3, 4, 6}) {
		t.Errorf("the versions are %v", got)
	}
	if c := w.look(w.ann, wire.Look{Clip: next}).Review.Comments; len(c) != 0 {
		t.Errorf("there are still %+v", c)
	}
	for _, id := range []string{first, extended, upscaled, again, next} {
		w.purge(id)
	}
	var left int
	w.must(w.Engine().At(t.Context()).Scan("SELECT (SELECT count(*) FROM reviews) + (SELECT count(*) FROM comments) + (SELECT count(*) FROM review_versions)", nil, &left))
	if left != 0 {
		t.Errorf("%d rows are left of it", left)
	}
}

func (w *world) purge(clip string) {
	w.t.Helper()
	w.must(storetest.Second(w.Videos().SetDeleted(w.t.Context(), w.ann, clip, 1)))
	_, _, err := w.Videos().Purge(w.t.Context(), w.ann, clip)
	w.must(err)
}

// Who sees which version: its owner all, who is shown it live the next ones as far
// as they are no drafts, of a snapshot nothing but the clip; others nothing.
func TestWhoSeesWhichVersion(t *testing.T) {
	w := newWorld(t)
	first := w.clip(w.ann, "one")
	live := w.share(w.ann, first, wire.NewShare{Live: true})
	still := w.share(w.ann, first, wire.NewShare{Audience: wire.ShareWithPeople, To: []string{w.ids[w.otto]}})
	second := w.clip(w.ann, "two", func(v *wire.VideoTask) { v.Source = first })
	of := w.look(w.ann, wire.Look{Clip: first}).Review.ID
	late := w.share(w.ann, second, wire.NewShare{Live: true, Hours: 1})
	w.clip(w.ann, "three", func(v *wire.VideoTask) { v.Source = second })
	link := w.share(w.ann, second, wire.NewShare{Audience: wire.ShareByLink, Live: true})

	want := func(what string, all, shown, snapshot, lately []int) {
		t.Helper()
		for name, c := range map[string]struct {
			who  string
			at   wire.Look
			want []int
		}{
			"their owner":                 {w.ann, wire.Look{Clip: second}, all},
			"their owner, by a share":     {w.ann, wire.Look{Share: live}, all},
			"who is shown it live":        {w.bob, wire.Look{Share: live}, shown},
			"a guest":                     {w.gil, wire.Look{Share: live}, shown},
			"who has a snapshot":          {w.otto, wire.Look{Share: still}, snapshot},
			"who is shown the second":     {w.bob, wire.Look{Share: late}, lately},
			"a stranger":                  {w.otto, wire.Look{Share: live}, nil},
			"somebody by another's share": {w.bob, wire.Look{Share: still}, nil},
			"by a link":                   {w.bob, wire.Look{Share: link}, nil},
			"by the clip's id":            {w.bob, wire.Look{Clip: first}, nil},
		} {
			if got := w.versions(c.who, c.at); !slices.Equal(got, c.want) {
				t.Errorf("%s: %s sees %v, want %v", what, name, got, c.want)
			}
		}
	}
	want("drafts", []int{1, 2, 3}, []int{1}, []int{1}, []int{2})
	w.must(w.step(w.ann, of, 3, wire.ReviewOpen))
	want("the third in review", []int{1, 2, 3}, []int{1, 3}, []int{1}, []int{2, 3})

	// What is played is asked for by the share that shows it.
	for share, n := range map[string]int{live: 3, late: 2} {
		v := w.look(w.bob, wire.Look{Share: share}).Review.Versions
		if got := v[slices.IndexFunc(v, func(v wire.ReviewVersion) bool { return v.Version == n })]; got.Clip != "" || len(got.Media) != 1 || got.Media[0] != fmt.Sprintf("/s/%s/media/%d/0", share, n) || got.Owner != "Ann" {
			t.Errorf("%+v", got)
		}
	}
	sightOf := func(clip string, live bool) sight.Sight {
		return sight.Sight{Owner: w.ann, Kind: wire.ShareClip, Subject: clip, Live: live}
	}
	for _, c := range []struct {
		by      sight.Sight
		version int
		is      bool
	}{{sightOf(first, true), 1, true}, {sightOf(first, true), 2, false}, {sightOf(first, true), 3, true}, {sightOf(first, false), 3, false}, {sightOf(second, true), 1, false}, {sightOf(second, true), 4, false}} {
		owner, task, err := w.Reviews().Version(t.Context(), c.by, c.version)
		if (err == nil) != c.is || err != nil && !errors.Is(err, fs.ErrNotExist) || c.is && (owner != w.ann || task == "") {
			t.Errorf("version %d of %+v: %s %s %v", c.version, c.by, owner, task, err)
		}
	}

	w.must(w.step(w.ann, of, 3, wire.ReviewDraft))
	want("a draft again", []int{1, 2, 3}, []int{1}, []int{1}, []int{2})
	w.now = w.now.Add(2 * time.Hour)
	want("one is over", []int{1, 2, 3}, []int{1}, []int{1}, nil)
	w.must(storetest.Second(w.Videos().SetDeleted(t.Context(), w.ann, first, 1)))
	for at, want := range map[wire.Look][]int{{Clip: second}: {2, 3}, {Clip: first}: nil, {Share: live}: nil} {
		if got := w.versions(w.ann, at); !slices.Equal(got, want) {
			t.Errorf("with the first in the trash its owner sees %v, want %v", got, want)
		}
	}
	if got := w.versions(w.bob, wire.Look{Share: live}); got != nil {
		t.Errorf("with the first in the trash others see %v", got)
	}
	if err := w.step(w.bob, of, 1, wire.ReviewApproved); codeOf(err) != wire.CodeNotFound {
		t.Errorf("a step on what isn't seen: %v", err)
	}
}

// Comments: twice the same is one, somebody else's id is a conflict, of what is
// deleted the words are gone from the files.
func TestComments(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	clip := w.clip(w.ann, "one")
	share := w.share(w.ann, clip, wire.NewShare{Live: true})
	of := w.look(w.bob, wire.Look{Share: share}).Review.ID
	c := wire.Comment{ID: storetest.NewID(), Review: of, Version: 1, Text: " canaryword ", AtMS: 1200, X: ptr(10), Y: ptr(10_000), Mentions: []string{w.ids[w.cleo], w.ids[w.otto], w.ids[w.bob], w.ids[w.cleo], "x"}}
	said, err := w.Reviews().Comment(ctx, w.bob, c)
	w.must(err)
	got := said.Comment
	if !said.Changed || said.Owner != w.ann || said.Clip != clip || !slices.Equal(said.Told, []string{w.cleo}) || said.Shares[w.cleo] != share ||
		got.Author != w.ids[w.bob] || got.Name != "Bob" || got.Text != "canaryword" || *got.Y != 10_000 || got.CreatedMS != w.now.UnixMilli() {
		t.Errorf("%+v", said)
	}
	if again, err := w.Reviews().Comment(ctx, w.bob, c); err != nil || again.Changed || again.Comment.Text != "canaryword" {
		t.Errorf("once more: %+v, %v", again, err)
	}
	if _, err := w.Reviews().Comment(ctx, w.ann, c); codeOf(err) != "conflict" {
		t.Errorf("another's id: %v", err)
	}
	answer, err := w.Reviews().Comment(ctx, w.ann, wire.Comment{ID: storetest.NewID(), Review: of, Version: 7, Answers: c.ID, Text: "why", AtMS: 5})
	w.must(err)
	if a := answer.Comment; a.Answers != c.ID || a.Version != 1 || a.AtMS != 1200 || a.X != nil {
		t.Errorf("the answer is %+v", a)
	}
	for name, bad := range map[string]func(*wire.Comment){
		"id":       func(c *wire.Comment) { c.ID = "7" },
		"text":     func(c *wire.Comment) { c.Text = " \n" },
		"text ":    func(c *wire.Comment) { c.Text = strings.Repeat("é", wire.MaxComment/2+1) },
		"at_ms":    func(c *wire.Comment) { c.AtMS = -1 },
		"x":        func(c *wire.Comment) { c.X = nil },
		"y":        func(c *wire.Comment) { c.Y = ptr(wire.FramePoints + 1) },
		"mentions": func(c *wire.Comment) { c.Mentions = make([]string, wire.MaxMentions+1) },
		"answers":  func(c *wire.Comment) { c.Answers = answer.Comment.ID },
	} {
		b := c
		b.ID = storetest.NewID()
		bad(&b)
		var p *wire.Problem
		if _, err := w.Reviews().Comment(ctx, w.bob, b); !errors.As(err, &p) || p.Field != strings.TrimSpace(name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for what, err := range map[string]error{
		"by a stranger":             storetest.Second(w.Reviews().Comment(ctx, w.otto, wire.Comment{ID: storetest.NewID(), Review: of, Version: 1, Text: "x"})),
		"on a version there isn't":  storetest.Second(w.Reviews().Comment(ctx, w.bob, wire.Comment{ID: storetest.NewID(), Review: of, Version: 2, Text: "x"})),
		"answer to one there isn't": storetest.Second(w.Reviews().Comment(ctx, w.bob, wire.Comment{ID: storetest.NewID(), Review: of, Answers: storetest.NewID(), Text: "x"})),
		"changed by a stranger":     w.edit(w.otto, wire.CommentEdit{ID: c.ID, Text: ptr("x")}),
	} {
		if codeOf(err) != wire.CodeNotFound {
			t.Errorf("%s: %v", what, err)
		}
	}
	// Of what isn't seen nobody is told that it is there.
	for _, answers := range []string{c.ID, storetest.NewID()} {
		there := storetest.Second(w.Reviews().Comment(ctx, w.otto, wire.Comment{ID: storetest.NewID(), Review: of, Answers: answers, Text: "x"}))
		none := storetest.Second(w.Reviews().Comment(ctx, w.otto, wire.Comment{ID: storetest.NewID(), Review: storetest.NewID(), Answers: answers, Text: "x"}))
		if there == nil || none == nil || there.Error() != none.Error() {
			t.Errorf("%v; of none: %v", there, none)
		}
	}
	for what, err := range map[string]error{
		"another's words":          w.edit(w.ann, wire.CommentEdit{ID: c.ID, Text: ptr("x")}),
		"deleted by somebody else": w.edit(w.cleo, wire.CommentEdit{ID: c.ID, Deleted: true}),
	} {
		if codeOf(err) != wire.CodeNotAllowed {
			t.Errorf("%s: %v", what, err)
		}
	}
	// Anybody who sees it resolves it.
	e, err := w.Reviews().Edit(ctx, w.cleo, wire.CommentEdit{ID: c.ID, Resolved: ptr(true)})
	if err != nil || !e.Changed || e.Comment.Resolver != "Cleo" || e.Comment.ResolvedMS == 0 {
		t.Errorf("%+v, %v", e, err)
	}
	if e, err = w.Reviews().Edit(ctx, w.ann, wire.CommentEdit{ID: c.ID, Resolved: ptr(true)}); err != nil || e.Changed || e.Comment.Resolver != "Cleo" {
		t.Errorf("resolved twice: %+v, %v", e, err)
	}
	if e, err = w.Reviews().Edit(ctx, w.ann, wire.CommentEdit{ID: c.ID, Resolved: ptr(false)}); err != nil || e.Comment.Resolver != "" || e.Comment.ResolvedMS != 0 {
		t.Errorf("opened again: %+v, %v", e, err)
	}
	if err := w.edit(w.ann, wire.CommentEdit{ID: answer.Comment.ID, Resolved: ptr(true)}); codeOf(err) != "bad_field" {
		t.Errorf("an answer resolved: %v", err)
	}
	if e, err = w.Reviews().Edit(ctx, w.bob, wire.CommentEdit{ID: c.ID, Text: ptr("canaryword, changed")}); err != nil || e.Comment.EditedMS == 0 || e.Comment.Text != "canaryword, changed" {
		t.Errorf("%+v, %v", e, err)
	}

	// Of what is deleted the place stays while it has answers.
	if e, err = w.Reviews().Edit(ctx, w.lea, wire.CommentEdit{ID: c.ID, Deleted: true}); err != nil || !e.Comment.Deleted || e.Comment.Text != "" || e.Comment.X != nil {
		t.Errorf("%+v, %v", e, err)
	}
	all := w.look(w.cleo, wire.Look{Share: share}).Review.Comments
	if len(all) != 2 || all[0].ID != c.ID || !all[0].Deleted || all[0].Text != "" || all[1].Text != "why" {
		t.Errorf("%+v", all)
	}
	if err := w.edit(w.bob, wire.CommentEdit{ID: c.ID, Text: ptr("back")}); codeOf(err) != "conflict" {
		t.Errorf("changed after it was deleted: %v", err)
	}
	if again, err := w.Reviews().Comment(ctx, w.bob, c); err != nil || !again.Comment.Deleted {
		t.Errorf("sent again: %+v, %v", again, err)
	}
	w.must(w.edit(w.ann, wire.CommentEdit{ID: answer.Comment.ID, Deleted: true}))
	if all := w.look(w.cleo, wire.Look{Share: share}).Review.Comments; len(all) != 0 {
		t.Errorf("%+v", all)
	}
	for w.inFiles("canaryword") { // until the test's own time is up
		w.must(w.SetSetting(ctx, w.bob, "turn", "of the writer"))
	}
}

func (w *world) edit(owner string, e wire.CommentEdit) error {
	_, err := w.Reviews().Edit(w.t.Context(), owner, e)
	return err
}

func (w *world) inFiles(needle string) (found bool) {
	w.must(filepath.WalkDir(w.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		p, err := os.ReadFile(path)
		found = found || bytes.Contains(p, []byte(needle))
		return err
	}))
	return found
}

func ptr[T any](v T) *T { return &v }
