package review_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"screentest/server/store"
	"screentest/server/store/engine"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// titles are those of a team's gallery, in pages of two.
func (w *world) titles(owner, team, state string) (titles []string) {
	w.t.Helper()
	for before, first := "", true; first || before != ""; first = false {
		page, err := w.Reviews().Clips(w.t.Context(), owner, wire.TeamClipQuery{Team: team, State: state, Before: before, Limit: 2})
		w.must(err)
		for _, c := range page.Clips {
			titles = append(titles, fmt.Sprintf("%s v%d %s %d/%d", c.Title, c.Version, c.State, c.Open, c.Comments))
		}
		before = page.Before
	}
	return titles
}

func TestATeamsGallery(t *testing.T) {
	w := newWorld(t)
	fox, crow, gone, over := w.clip(w.ann, "fox"), w.clip(w.bob, "crow"), w.clip(w.ann, "gone"), w.clip(w.ann, "over")
	w.clip(w.ann, "her own")
	other := w.clip(w.otto, "of another team")
	w.share(w.otto, other, wire.NewShare{Audience: wire.ShareWithAll, Live: true})
	w.share(w.ann, fox, wire.NewShare{Live: true})
	w.share(w.ann, fox, wire.NewShare{Audience: wire.ShareWithPeople, To: []string{w.ids[w.bob]}})
	w.share(w.ann, gone, wire.NewShare{Live: true})
	w.share(w.ann, over, wire.NewShare{Live: true, Hours: 1})
	crows := w.share(w.bob, crow, wire.NewShare{})
	longer := w.clip(w.ann, "fox, longer", func(v *wire.VideoTask) { v.Source = fox })
	of := w.look(w.ann, wire.Look{Clip: fox}).Review.ID
	w.must(storetest.Second(w.Videos().SetDeleted(t.Context(), w.ann, gone, 1)))
	w.now = w.now.Add(2 * time.Hour)
	one := w.says(w.lea, of, 1, "one")
	w.says(w.ann, of, 2, "on a draft")
	w.must(w.edit(w.ann, wire.CommentEdit{ID: w.says(w.ann, of, 1, "two").ID, Deleted: true}))

	want := func(owner string, state string, want ...string) {
		t.Helper()
		if got := w.titles(owner, w.team, state); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", state, got, want)
		}
	}
	for _, who := range []string{w.ann, w.bob, w.gil} {
		want(who, "", "crow v1 draft 0/0", "fox v1 draft 1/1")
		want(who, wire.ReviewOpen)
	}
	w.must(w.step(w.ann, of, 2, wire.ReviewOpen), w.edit(w.bob, wire.CommentEdit{ID: one.ID, Resolved: ptr(true)}))
	want(w.bob, "", "crow v1 draft 0/0", "fox, longer v2 in_review 1/2")
	want(w.bob, wire.ReviewDraft, "crow v1 draft 0/0")
	want(w.bob, wire.ReviewOpen, "fox, longer v2 in_review 1/2")
	// Of two shares of a review the newest has its card.
	newest := w.share(w.ann, longer, wire.NewShare{Live: true})
	want(w.bob, "", "fox, longer v2 in_review 1/1", "crow v1 draft 0/0")
	page, err := w.Reviews().Clips(t.Context(), w.bob, wire.TeamClipQuery{Team: w.team})
	w.must(err)
	if a, b := page.Clips[0], page.Clips[1]; a.Share != newest || a.Clip != "" || a.Owner != "Ann" || a.Media[0] != "/s/"+newest+"/media/2/0" || b.Share != crows || b.Clip != crow || b.Media[0] != wire.MediaPathOf(crow, 0) {
		t.Errorf("%+v, %+v", a, b)
	}

	var everyone string
	teams, err := w.TeamsOf(t.Context(), w.bob)
	w.must(err)
	all, err := w.Teams(t.Context())
	w.must(err)
	everyone = all[0].ID
	w.must(w.PutInTeam(t.Context(), everyone, w.ids[w.bob], false))
	if got := w.titles(w.bob, everyone, ""); len(teams) != 1 || !slices.Equal(got, []string{"of another team v1 draft 0/0"}) {
		t.Errorf("everybody is shown %q", got)
	}
	for what, ask := range map[string]wire.TeamClipQuery{wire.CodeNotFound: {Team: w.team}, "bad_cursor": {Team: w.team, Before: "x.y"}, "bad_field": {Team: w.team, State: "best"}} {
		if _, err := w.Reviews().Clips(t.Context(), w.otto, ask); codeOf(err) != what {
			t.Errorf("%+v: %v, want %s", ask, err, what)
		}
	}
	w.must(w.ChangePerson(t.Context(), w.ann, wire.PersonChange{Active: new(bool)}))
	want(w.bob, "", "crow v1 draft 0/0")
}

// BenchmarkTeamGallery reads a page of a team's 10 000 clips: the first, one far
// down, and one of a state that none of them has.
func BenchmarkTeamGallery(b *testing.B) {
	db := storetest.Open(b, storetest.Folder(b), store.Options{})
	ann, id := storetest.Join(b, db, "ann", wire.RoleMember)
	team := storetest.Team(b, db, "Red", wire.Limits{}, id)
	who := engine.ParseOwner(ann)
	storetest.Must(b, db.Engine().Write(context.Background(), 0, func(w *engine.Tx) error {
		for _, query := range []string{
			`INSERT INTO video_tasks (owner, id, model, mode, prompt, words, state, created_ms, usual_least, usual_most, seconds, price, basis, sample, prices)
				WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 10000) SELECT ?, randomblob(16), 'm', 'text-to-video', 'p', 'p', 'done', n, 1, 1, 6, 0, '', 0, '{}' FROM i`,
			`INSERT INTO video_outputs (owner, task, idx, url, archive) SELECT owner, n, 0, 'http://x', 'saved' FROM video_tasks WHERE owner = ?`,
			`INSERT INTO shares (id, owner, task, audience, to_team, live, wire, created_ms) SELECT randomblob(16), owner, n, 'team', (SELECT max(n) FROM teams), 1, 0, n FROM video_tasks WHERE owner = ?`,
			`INSERT INTO comments (id, review, version, author, text, at_ms, created_ms) SELECT randomblob(16), n, 1, ?, 'x', 0, 0 FROM reviews`,
		} {
			if _, err := w.Exec(query, who); err != nil {
				return err
			}
		}
		return nil
	}))
	var far int64
	storetest.Must(b, db.Engine().At(b.Context()).Scan("SELECT min(n) + 100 FROM shares", nil, &far))
	for name, q := range map[string]wire.TeamClipQuery{"first": {}, "far down": {Before: engine.FormatCursor(far)}, "of no state": {State: wire.ReviewApproved}} {
		b.Run(name, func(b *testing.B) {
			q.Team = team
			for range b.N {
				page, err := db.Reviews().Clips(b.Context(), ann, q)
				storetest.Must(b, err)
				if (len(page.Clips) == 0) != (q.State != "") {
					b.Fatalf("%d clips", len(page.Clips))
				}
			}
		})
	}
}
