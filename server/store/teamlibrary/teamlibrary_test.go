package teamlibrary_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"screentest/server/account"
	"screentest/server/store"
	"screentest/server/store/storetest"
	"screentest/server/store/teamlibrary"
	"screentest/shared/wire"
)

// world is a team of three, with a lead and a guest, and somebody of another.
type world struct {
	*store.DB
	lib                           *teamlibrary.Library
	t                             *testing.T
	ann, bob, lead, guest, other  teamlibrary.Asker
	annID, bobID, leadID, guestID string
	red, blue                     string
}

func newWorld(t *testing.T) *world {
	var now atomic.Int64 // no two things happen in the same millisecond
	db := storetest.Open(t, storetest.Folder(t), store.Options{Now: func() time.Time { return time.UnixMilli(now.Add(1)) }})
	w := &world{DB: db, lib: db.TeamLibrary(), t: t}
	join := func(to *teamlibrary.Asker, name, role string) (id string) {
		to.Owner, id = storetest.Join(t, db, name, role)
		return id
	}
	w.annID, w.bobID, w.leadID, w.guestID = join(&w.ann, "Ann", "member"), join(&w.bob, "Bob", "member"), join(&w.lead, "Lea", "member"), join(&w.guest, "Gus", "guest")
	w.red = storetest.Team(t, db, "red", wire.Limits{}, w.annID, w.bobID, w.guestID)
	w.blue = storetest.Team(t, db, "blue", wire.Limits{}, join(&w.other, "Olga", "member"))
	storetest.Must(t, db.PutInTeam(t.Context(), w.red, w.leadID, true))
	return w
}

func (w *world) prompt(id, text string, rev int64) wire.TeamEntry {
	return wire.TeamEntry{Team: w.red, Rev: rev, LibraryEntry: wire.LibraryEntry{ID: id, Kind: wire.LibraryPrompt, Name: "Summary", Text: text}}
}

func (w *world) put(who teamlibrary.Asker, e wire.TeamEntry) wire.TeamEntry {
	w.t.Helper()
	kept, changed, err := w.lib.Put(w.t.Context(), who, e)
	storetest.Must(w.t, err)
	if !changed {
		w.t.Fatalf("%+v was there already", e)
	}
	return kept
}

func (w *world) versions(who teamlibrary.Asker, id string) []wire.TeamEntry {
	w.t.Helper()
	lib, err := w.lib.Versions(w.t.Context(), who, wire.TeamTarget{Team: w.red, ID: id})
	storetest.Must(w.t, err)
	return lib.Entries
}

func TestATeamsEntryHasVersions(t *testing.T) {
	w := newWorld(t)
	id := storetest.NewID()
	one := w.put(w.ann, w.prompt(id, "Sum up {{text}}", 0))
	if one.Rev != 1 || one.By != "Ann" || one.UpdatedMS == 0 || one.Team != w.red || !one.May {
		t.Errorf("a new one is %+v", one)
	}
	two := w.put(w.bob, w.prompt(id, "Sum up {{text}} in three lines", 1))
	if two.Rev != 2 || two.By != "Bob" || two.May {
		t.Errorf("the next one is %+v", two)
	}
	settings := w.put(w.bob, wire.TeamEntry{Team: w.red, LibraryEntry: wire.LibraryEntry{ID: storetest.NewID(), Kind: wire.LibrarySettings, Name: "cold", Family: "gpt", Params: json.RawMessage(`{"temperature":0}`)}})

	for _, who := range []teamlibrary.Asker{w.ann, w.bob, w.lead, w.guest} {
		lib, err := w.lib.Entries(t.Context(), who, w.red)
		storetest.Must(t, err)
		if len(lib.Entries) != 2 || lib.Entries[0].ID != settings.ID || lib.Entries[1].Text != two.Text || string(lib.Entries[0].Params) != `{"temperature":0}` {
			t.Errorf("%s sees %+v", who.Owner, lib.Entries)
		}
		if got, want := lib.Entries[1].May, who == w.ann || who == w.lead; got != want {
			t.Errorf("%s may delete it: %v", who.Owner, got)
		}
	}

	// Going back is a version of its own.
	back := w.versions(w.ann, id)[1]
	back.Rev = 2
	w.put(w.ann, back)
	var got []string
	for _, v := range w.versions(w.guest, id) {
		got = append(got, fmt.Sprintf("%d %s: %s", v.Rev, v.By, v.Text))
	}
	if want := []string{"3 Ann: Sum up {{text}}", "2 Bob: Sum up {{text}} in three lines", "1 Ann: Sum up {{text}}"}; !reflect.DeepEqual(got, want) {
		t.Errorf("the versions are %q", got)
	}
}

// Of two who change the same version one is told so, and both texts are kept or
// with who typed them.
func TestTwoChangeTheSameEntry(t *testing.T) {
	w := newWorld(t)
	id := storetest.NewID()
	w.put(w.lead, w.prompt(id, "first", 0))
	var wg sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		who := []teamlibrary.Asker{w.ann, w.bob}[i%2]
		wg.Go(func() {
			_, _, errs[i] = w.lib.Put(context.Background(), who, w.prompt(id, fmt.Sprint("text of ", i), 1))
		})
	}
	wg.Wait()
	won := -1
	for i, err := range errs {
		switch p := storetest.Problem(err); {
		case err == nil && won < 0:
			won = i
		case p.Code != wire.CodeChangedSince || p.Hint == "":
			t.Errorf("put %d: %v", i, err)
		}
	}
	all := w.versions(w.ann, id)
	if won < 0 || len(all) != 2 || all[0].Text != fmt.Sprint("text of ", won) {
		t.Fatalf("put %d was kept, of %+v", won, all)
	}

	// The same again, as its answer was lost on the way, is no conflict; nor is what
	// stands there. That of an older version is.
	who := []teamlibrary.Asker{w.ann, w.bob}[won%2]
	for _, rev := range []int64{1, 2} {
		kept, changed, err := w.lib.Put(t.Context(), who, w.prompt(id, all[0].Text, rev))
		if err != nil || changed || kept.Rev != 2 {
			t.Errorf("once more upon %d: %+v, %v, %v", rev, kept, changed, err)
		}
	}
	if _, _, err := w.lib.Put(t.Context(), who, w.prompt(id, "first", 0)); storetest.Problem(err).Code != wire.CodeChangedSince {
		t.Errorf("as if it were new: %v", err)
	}
}

func TestADeletedEntryComesBack(t *testing.T) {
	w := newWorld(t)
	id := storetest.NewID()
	w.put(w.ann, w.prompt(id, "first", 0))
	w.put(w.bob, w.prompt(id, "second", 1))
	target := wire.TeamTarget{Team: w.red, ID: id}
	if _, err := w.lib.Drop(t.Context(), w.bob, target); storetest.Problem(err).Code != wire.CodeNotAllowed {
		t.Errorf("Bob, who didn't make it, deletes it: %v", err)
	}
	for i, who := range []teamlibrary.Asker{w.ann, w.lead, {Owner: w.bob.Owner, Admin: true}} {
		gone, err := w.lib.Drop(t.Context(), who, target)
		if err != nil || !gone.Deleted {
			t.Fatalf("%s: %+v, %v", who.Owner, gone, err)
		}
		if _, err := w.lib.Drop(t.Context(), who, target); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("twice: %v", err)
		}
		lib, err := w.lib.Entries(t.Context(), w.guest, w.red)
		if err != nil || len(lib.Entries) != 1 || !lib.Entries[0].Deleted {
			t.Errorf("%+v, %v", lib, err)
		}
		back := w.put(w.bob, w.prompt(id, "second", int64(2+i)))
		if back.Deleted || back.Rev != int64(3+i) {
			t.Errorf("back it is %+v", back)
		}
	}
}

// Who isn't in a team is told what somebody is of a team that isn't there.
func TestATeamsLibraryIsItsOwn(t *testing.T) {
	w := newWorld(t)
	ctx, id := t.Context(), storetest.NewID()
	w.put(w.ann, w.prompt(id, "canary", 0))
	closed := func(what string, who teamlibrary.Asker) {
		t.Helper()
		for name, call := range map[string]func(team string) error{
			"Entries": func(team string) error { return storetest.Second(w.lib.Entries(ctx, who, team)) },
			"Versions": func(team string) error {
				return storetest.Second(w.lib.Versions(ctx, who, wire.TeamTarget{Team: team, ID: id}))
			},
			"Drop": func(team string) error {
				return storetest.Second(w.lib.Drop(ctx, who, wire.TeamTarget{Team: team, ID: id}))
			},
			"Put": func(team string) error {
				e := w.prompt(id, "stolen", 1)
				e.Team = team
				_, _, err := w.lib.Put(ctx, who, e)
				return err
			},
		} {
			theirs, nobodys := call(w.red), call(storetest.NewID())
			if !errors.Is(theirs, fs.ErrNotExist) || theirs.Error() != nobodys.Error() {
				t.Errorf("%s, %s: %v; of nobody's: %v", what, name, theirs, nobodys)
			}
		}
	}
	closed("of another team", w.other)
	closed("an admin who isn't in it", teamlibrary.Asker{Owner: w.other.Owner, Admin: true})
	closed("nobody", teamlibrary.Asker{})
	// An id is free in another team.
	e := w.prompt(id, "of blue", 0)
	e.Team = w.blue
	w.put(w.other, e)
	if all := w.versions(w.ann, id); len(all) != 1 || all[0].Text != "canary" {
		t.Errorf("now it is %+v", all)
	}
	storetest.Must(t, w.TakeFromTeam(ctx, w.red, w.bobID))
	closed("who has left", w.bob)

	// With a team goes its library, of which nothing stays in the file.
	storetest.Must(t, w.DeleteTeam(ctx, w.red))
	closed("a deleted team", w.ann)
	var entries, versions int
	storetest.Must(t, w.Engine().At(ctx).Scan("SELECT count(*) FROM team_library", nil, &entries), w.Engine().At(ctx).Scan("SELECT count(*) FROM team_library_versions", nil, &versions))
	if entries != 1 || versions != 1 {
		t.Errorf("%d entries in %d versions are left, want those of the other team", entries, versions)
	}
}

func TestATeamsLibraryIsBounded(t *testing.T) {
	w := newWorld(t)
	ctx, id := t.Context(), storetest.NewID()
	for rev := range int64(wire.MaxVersions) {
		w.put(w.ann, w.prompt(id, fmt.Sprint("version ", rev), rev))
	}
	refused := func(e wire.TeamEntry, code string) {
		t.Helper()
		if _, _, err := w.lib.Put(ctx, w.ann, e); storetest.Problem(err).Code != code || storetest.Problem(err).Message == "" {
			t.Errorf("%v, want %s", err, code)
		}
	}
	refused(w.prompt(id, "one more", wire.MaxVersions), "too_many_versions")
	refused(w.prompt("no id", "x", 0), "bad_id")
	refused(w.prompt(storetest.NewID(), strings.Repeat("x", wire.MaxPrompt+1), 0), "bad_prompt")
	refused(w.prompt(storetest.NewID(), "x", 3), "not_found")
	for range wire.MaxLibrary / wire.MaxPrompt {
		w.put(w.bob, w.prompt(storetest.NewID(), strings.Repeat("x", wire.MaxPrompt), 0))
	}
	refused(w.prompt(storetest.NewID(), strings.Repeat("x", wire.MaxPrompt), 0), "library_full")

	lib, err := w.lib.Entries(ctx, w.ann, w.red)
	storetest.Must(t, err)
	first := lib.Entries[0].ID
	for _, e := range lib.Entries {
		storetest.Must(t, storetest.Second(w.lib.Drop(ctx, w.lead, wire.TeamTarget{Team: w.red, ID: e.ID})))
	}
	for range wire.MaxDropped - len(lib.Entries) {
		e := w.put(w.ann, w.prompt(storetest.NewID(), "x", 0))
		storetest.Must(t, storetest.Second(w.lib.Drop(ctx, w.ann, wire.TeamTarget{Team: w.red, ID: e.ID})))
	}
	w.versions(w.ann, first) // is still there
	e := w.put(w.ann, w.prompt(storetest.NewID(), "x", 0))
	storetest.Must(t, storetest.Second(w.lib.Drop(ctx, w.ann, wire.TeamTarget{Team: w.red, ID: e.ID})))
	if _, err := w.lib.Versions(ctx, w.ann, wire.TeamTarget{Team: w.red, ID: first}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the one that was deleted first: %v", err)
	}
	if lib, err = w.lib.Entries(ctx, w.ann, w.red); err != nil || len(lib.Entries) != wire.MaxDropped {
		t.Errorf("%d are left, %v", len(lib.Entries), err)
	}
}

// What somebody wrote stays the team's when they are erased, under a number.
func TestWhoIsErasedHasNoNameInALibrary(t *testing.T) {
	w := newWorld(t)
	id := storetest.NewID()
	w.put(w.ann, w.prompt(id, "hers", 0))
	v := account.Leaving{Person: w.ann.Owner, Erase: true}
	e, err := w.Leavings().Begin(t.Context(), v, "")
	storetest.Must(t, err)
	for more := true; more; {
		_, _, more, err = w.Leavings().Step(t.Context(), v)
		storetest.Must(t, err)
	}
	storetest.Must(t, storetest.Second(w.Leavings().Finish(t.Context(), v, e)))
	if all := w.versions(w.bob, id); len(all) != 1 || all[0].Text != "hers" || strings.Contains(all[0].By, "Ann") || all[0].By == "" {
		t.Errorf("of who was erased: %+v", all)
	}
}

// The audit knows ids, and no text.
func TestChangesOfALibraryAreInTheAudit(t *testing.T) {
	w := newWorld(t)
	id := storetest.NewID()
	w.put(w.ann, w.prompt(id, "canary", 0))
	storetest.Must(t, storetest.Second(w.lib.Drop(t.Context(), w.ann, wire.TeamTarget{Team: w.red, ID: id})))
	var got []string
	storetest.Must(t, w.Audit().Each(t.Context(), wire.AuditQuery{Limit: 2}, func(r wire.AuditRow) error {
		got = append(got, fmt.Sprintf("%s %s %s %v", r.Action, r.Object, r.Person, string(r.Detail)))
		return nil
	}))
	for i, action := range []string{"library.drop", "library.put"} {
		if len(got) != 2 || !strings.HasPrefix(got[i], action+" "+id+" "+w.annID) || !strings.Contains(got[i], w.red) || strings.Contains(got[i], "canary") || strings.Contains(got[i], "Summary") {
			t.Errorf("the audit says %q", got)
		}
	}
}
