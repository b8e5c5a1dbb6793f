package share_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	"screentest/server/store"
	"screentest/server/store/engine"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// world is a store with some people: ann shares, bob is a member, gil a guest, both in
// a team with ann; cleo is a member and in no team of theirs.
type world struct {
	*store.DB
	dir                 string
	now                 time.Time
	ann, bob, gil, cleo string            // owners
	ids                 map[string]string // of people, by their owner
	team                string
	chat, clip          string
}

func newWorld(t *testing.T) *world {
	w := &world{dir: storetest.Folder(t), now: time.Now(), ids: map[string]string{}}
	w.DB = storetest.Open(t, w.dir, store.Options{Now: func() time.Time { return w.now }})
	for _, p := range []struct {
		to         *string
		name, role string
	}{{&w.ann, "Ann", "member"}, {&w.bob, "Bob", "member"}, {&w.gil, "Gil", "guest"}, {&w.cleo, "Cleo", "member"}} {
		var id string
		*p.to, id = storetest.Join(t, w.DB, p.name, p.role)
		w.ids[*p.to] = id
	}
	w.team = storetest.Team(t, w.DB, "Red", wire.Limits{}, w.ids[w.ann], w.ids[w.bob], w.ids[w.gil])
	s := storetest.NewStart("", "of Ann's")
	storetest.Must(t, storetest.StartTurn(w.DB, w.ann, s))
	storetest.Must(t, w.FinishRun(t.Context(), w.ann, storetest.Ended(storetest.RunOf(s), 9), "answer", nil, nil, nil))
	w.chat = s.Conversation
	w.clip = storetest.Taken(t, w.Videos(), w.ann, storetest.NewVideo("a fox")).ID
	return w
}

// shared makes a share of Ann's.
func (w *world) shared(t *testing.T, n wire.NewShare) string {
	t.Helper()
	if n.Kind == "" {
		n.Kind, n.ID = wire.ShareConversation, w.chat
	}
	if n.Kind == wire.ShareClip && n.ID == "" {
		n.ID = w.clip
	}
	var snapshot []byte
	if !n.Live && n.Kind == wire.ShareConversation {
		snapshot = bytes.Repeat([]byte("as it was "), 100)
	}
	id, err := w.Shares().Make(t.Context(), w.ann, n, token, snapshot)
	storetest.Must(t, err)
	return id
}

const token = "CANARYTOKENCANARYTOKEN"

func (w *world) exec(t *testing.T, query string, args ...any) {
	t.Helper()
	storetest.Must(t, w.Engine().Write(t.Context(), 0, func(tx *engine.Tx) error {
		_, err := tx.Exec(query, args...)
		return err
	}))
}

// seers are the names of those who see what a key leads to.
func (w *world) seers(t *testing.T, key string) (names []string) {
	t.Helper()
	for _, p := range []struct{ name, owner string }{{"ann", w.ann}, {"bob", w.bob}, {"gil", w.gil}, {"cleo", w.cleo}, {"nobody", ""}} {
		switch _, err := w.Shares().Sight(t.Context(), key, p.owner); {
		case err == nil:
			names = append(names, p.name)
		case !errors.Is(err, fs.ErrNotExist) || err.Error() != unknown(t, w).Error():
			t.Errorf("%s is told %v, where for what isn't there at all it is said: %v", p.name, err, unknown(t, w))
		}
	}
	return names
}

func unknown(t *testing.T, w *world) error {
	t.Helper()
	return storetest.Second(w.Shares().Sight(t.Context(), storetest.NewID(), w.bob))
}

// audiences are all there are, with who sees such a share of Ann's.
func (w *world) audiences() map[string]struct {
	wire.NewShare
	sees []string
} {
	type row = struct {
		wire.NewShare
		sees []string
	}
	return map[string]row{
		"people":   {wire.NewShare{Audience: wire.ShareWithPeople, To: []string{w.ids[w.bob]}}, []string{"ann", "bob"}},
		"a guest":  {wire.NewShare{Audience: wire.ShareWithPeople, To: []string{w.ids[w.gil], w.ids[w.gil]}}, []string{"ann", "gil"}},
		"team":     {wire.NewShare{Audience: wire.ShareWithTeam, To: []string{w.team}}, []string{"ann", "bob", "gil"}},
		"everyone": {wire.NewShare{Audience: wire.ShareWithAll}, []string{"ann", "bob", "gil", "cleo"}},
		"link":     {wire.NewShare{Audience: wire.ShareByLink}, []string{"ann"}},
	}
}

func TestAudiences(t *testing.T) {
	w := newWorld(t)
	for name, of := range w.audiences() {
		for _, kind := range []string{wire.ShareConversation, wire.ShareClip} {
			for _, live := range []bool{true, false} {
				t.Run(fmt.Sprint(name, " ", kind, " live ", live), func(t *testing.T) {
					n := of.NewShare
					n.Live, n.Kind, n.ID = live, kind, map[string]string{wire.ShareConversation: w.chat, wire.ShareClip: w.clip}[kind]
					id := w.shared(t, n)
					if got := w.seers(t, id); !slices.Equal(got, of.sees) {
						t.Errorf("%q see it, want %q", got, of.sees)
					}
					key := id
					if name == "link" {
						if key = token; !slices.Equal(w.seers(t, key), []string{"ann", "bob", "gil", "cleo", "nobody"}) {
							t.Errorf("%q see it by its link", w.seers(t, key))
						}
					} else if got := w.seers(t, token); len(got) > 0 {
						t.Errorf("a share by name has a link: %q", got)
					}
					v, err := w.Shares().Sight(t.Context(), key, w.ann)
					storetest.Must(t, err)
					if v.Share != id || v.Owner != w.ann || v.OwnerName != "Ann" || v.Kind != kind || v.Subject != n.ID || v.Live != live || v.ByLink != (name == "link") || v.Title == "" {
						t.Errorf("%+v", v)
					}
					if want := !live && kind == wire.ShareConversation; (len(v.Snapshot) == 1000) != want {
						t.Errorf("a snapshot of %d bytes", len(v.Snapshot))
					}
					storetest.Must(t, w.Shares().Revoke(t.Context(), w.ann, id))
					if got := append(w.seers(t, id), w.seers(t, key)...); len(got) > 0 {
						t.Errorf("after it was taken back %q see it", got)
					}
				})
			}
		}
	}
}

// What isn't there any more, for whatever reason, is as what never was.
func TestWhatEndsAShare(t *testing.T) {
	for name, end := range map[string]func(t *testing.T, w *world, id string){
		"expired": func(t *testing.T, w *world, _ string) { w.now = w.now.Add(2 * time.Hour) },
		"deactivated": func(t *testing.T, w *world, _ string) {
			w.exec(t, "UPDATE users SET active = 0 WHERE n = ?", engine.ParseOwner(w.ann))
		},
		"in the trash": func(t *testing.T, w *world, _ string) {
			storetest.Must(t, storetest.Second(w.Videos().SetDeleted(t.Context(), w.ann, w.clip, 1)))
		},
		"taken back by another": func(t *testing.T, w *world, id string) {
			if err := w.Shares().Revoke(t.Context(), w.bob, id); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("Bob took back what is Ann's: %v", err)
			}
			storetest.Must(t, w.Shares().Revoke(t.Context(), w.ann, id))
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			byName := w.shared(t, wire.NewShare{Kind: wire.ShareClip, Audience: wire.ShareWithAll, Live: true, Hours: 1})
			byLink := w.shared(t, wire.NewShare{Kind: wire.ShareClip, Audience: wire.ShareByLink, Live: true, Hours: 1})
			storetest.Must(t, w.Shares().Still(t.Context(), byName, w.bob), w.Shares().Still(t.Context(), byLink, ""), w.Shares().Still(t.Context(), byLink, w.bob))
			end(t, w, byName)
			if name == "taken back by another" {
				end(t, w, byLink)
			}
			if got := append(w.seers(t, byName), w.seers(t, token)...); len(got) > 0 {
				t.Errorf("%q still see it", got)
			}
			for _, who := range []string{w.bob, ""} {
				if err := w.Shares().Still(t.Context(), byLink, who); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("who looks at it goes on: %v", err)
				}
			}
		})
	}
}

func TestWhoLeavesATeamOrTheInstanceSeesNothing(t *testing.T) {
	w := newWorld(t)
	team := w.shared(t, wire.NewShare{Audience: wire.ShareWithTeam, To: []string{w.team}, Live: true})
	all := w.shared(t, wire.NewShare{Audience: wire.ShareWithAll, Live: true})
	storetest.Must(t, w.TakeFromTeam(t.Context(), w.team, w.ids[w.bob]))
	w.exec(t, "UPDATE users SET active = 0 WHERE n = ?", engine.ParseOwner(w.gil))
	if got := w.seers(t, team); !slices.Equal(got, []string{"ann"}) {
		t.Errorf("of the team's %q see it", got)
	}
	if got := w.seers(t, all); !slices.Equal(got, []string{"ann", "bob", "cleo"}) {
		t.Errorf("of everybody %q see it", got)
	}
	storetest.Must(t, w.DeleteTeam(t.Context(), w.team))
	if got := w.seers(t, team); len(got) > 0 {
		t.Errorf("with the team gone %q see it", got)
	}
	if l := storetest.Got(w.Shares().List(t.Context(), w.ann)); len(l.Mine) != 1 {
		t.Errorf("Ann has %+v", l.Mine)
	}
}

// What is over is forgotten with its snapshot, and a token is nowhere in the files.
func TestNothingIsKeptOfATokenOrOfWhatIsOver(t *testing.T) {
	w := newWorld(t)
	w.shared(t, wire.NewShare{Audience: wire.ShareByLink, Hours: 3})
	w.shared(t, wire.NewShare{Audience: wire.ShareWithPeople, To: []string{w.ids[w.bob]}, Hours: 5})
	at, err := w.Shares().NextEnd(t.Context())
	if err != nil || at != w.now.Add(3*time.Hour).UnixMilli() {
		t.Errorf("the next end is at %d, %v", at, err)
	}
	if owners, err := w.Shares().Expire(t.Context()); err != nil || len(owners) > 0 {
		t.Errorf("too early: %q, %v", owners, err)
	}
	w.now = w.now.Add(5 * time.Hour)
	if owners, err := w.Shares().Expire(t.Context()); err != nil || !slices.Equal(owners, []string{w.ann, w.ann, w.bob}) {
		t.Errorf("told are %q, %v", owners, err)
	}
	if at, err := w.Shares().NextEnd(t.Context()); at != 0 || err != nil {
		t.Errorf("still one at %d, %v", at, err)
	}
	w.shared(t, wire.NewShare{Audience: wire.ShareByLink})
	if found := storetest.FilesWith(t, w.dir, token); len(found) > 0 {
		t.Errorf("the token is in %q", found)
	}
	owners, err := w.Shares().RevokeLinks(t.Context())
	if err != nil || !slices.Equal(owners, []string{w.ann}) || len(w.seers(t, token)) > 0 {
		t.Errorf("links of %q ended, %v; %q see it", owners, err, w.seers(t, token))
	}
}

func TestSharesThatCannotBeMade(t *testing.T) {
	w := newWorld(t)
	other := storetest.NewStart("", "Bob's")
	storetest.Must(t, storetest.StartTurn(w.DB, w.bob, other))
	failed := storetest.Taken(t, w.Videos(), w.ann, storetest.NewVideo("nothing"))
	failed.State, failed.FinishedMS = wire.VideoFailed, 1
	_, _, err := w.Videos().End(t.Context(), w.ann, failed, nil, 1)
	storetest.Must(t, err)
	blue := storetest.Team(t, w.DB, "Blue", wire.Limits{}, w.ids[w.cleo])
	for name, c := range map[string]struct {
		n           wire.NewShare
		code, field string
	}{
		"a conversation of Bob's":  {wire.NewShare{Kind: wire.ShareConversation, ID: other.Conversation, Audience: wire.ShareWithAll}, "not_found", "id"},
		"no clip":                  {wire.NewShare{Kind: wire.ShareClip, ID: w.chat, Audience: wire.ShareWithAll}, "not_found", "id"},
		"a clip that failed":       {wire.NewShare{Kind: wire.ShareClip, ID: failed.ID, Audience: wire.ShareWithAll}, "conflict", "id"},
		"somebody who isn't there": {wire.NewShare{Kind: wire.ShareClip, ID: w.clip, Audience: wire.ShareWithPeople, To: []string{w.ids[w.bob], storetest.NewID()}}, "not_found", "to[1]"},
		"oneself":                  {wire.NewShare{Kind: wire.ShareClip, ID: w.clip, Audience: wire.ShareWithPeople, To: []string{w.ids[w.ann]}}, "invalid_request", "to[0]"},
		"a team of others":         {wire.NewShare{Kind: wire.ShareClip, ID: w.clip, Audience: wire.ShareWithTeam, To: []string{blue}}, "not_found", "to"},
	} {
		t.Run(name, func(t *testing.T) {
			c.n.Live = true
			_, err := w.Shares().Make(t.Context(), w.ann, c.n, "", nil)
			if p := storetest.Problem(err); p.Code != c.code || p.Field != c.field {
				t.Errorf("%v: %+v, want %s of %s", err, p, c.code, c.field)
			}
		})
	}
	if l := storetest.Got(w.Shares().List(context.Background(), w.ann)); len(l.Mine) > 0 {
		t.Errorf("some were made: %+v", l.Mine)
	}
}

func TestSharesAreBounded(t *testing.T) {
	w := newWorld(t)
	w.exec(t, `WITH RECURSIVE i (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < ?)
		INSERT INTO shares (id, owner, task, audience, live, wire, created_ms) SELECT randomblob(16), ?, (SELECT n FROM video_tasks WHERE owner = ?2), 'everyone', 1, 0, n FROM i`,
		wire.MaxShares, engine.ParseOwner(w.ann))
	n := wire.NewShare{Kind: wire.ShareClip, ID: w.clip, Audience: wire.ShareWithAll, Live: true}
	if p := storetest.Problem(storetest.Second(w.Shares().Make(t.Context(), w.ann, n, "", nil))); p.Code != "conflict" || !strings.Contains(p.Message, fmt.Sprint(wire.MaxShares)) {
		t.Errorf("one more: %+v", p)
	}
	mine, theirs := storetest.Got(w.Shares().List(t.Context(), w.ann)), storetest.Got(w.Shares().List(t.Context(), w.bob))
	if len(mine.Mine) != wire.MaxShares || len(theirs.WithMe) != wire.MaxShares || theirs.WithMe[0].CreatedMS != wire.MaxShares {
		t.Errorf("listed are %d, to Bob %d", len(mine.Mine), len(theirs.WithMe))
	}
	storetest.Must(t, w.Shares().Revoke(t.Context(), w.ann, mine.Mine[0].ID))
	w.shared(t, n)
}
