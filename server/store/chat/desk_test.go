package chat_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"strings"
	"testing"

	"screentest/server/store/chat"
	"screentest/server/store/engine"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

func TestPinnedStandAboveTheOthers(t *testing.T) {
	ctx := context.Background()
	db, owner := storetest.OpenLocal(t)
	var starts []wire.Start
	for i := range wire.MaxPinned + 1 {
		starts = append(starts, storetest.NewStart("", fmt.Sprint(i)))
		storetest.Must(t, storetest.StartTurn(db, owner, starts[i]))
	}
	sum, err := db.PinConversation(ctx, owner, wire.Pin{ID: starts[0].Conversation, Pinned: true})
	storetest.Must(t, err)
	page, err := db.Conversations(ctx, owner, wire.Page{Limit: 10})
	if err != nil || !sum.Pinned || len(page.Pinned) != 1 || page.Pinned[0].ID != starts[0].Conversation || len(page.Conversations) != 10 {
		t.Fatalf("%+v, %+v, %v", sum, page.Pinned, err)
	}
	next, err := db.Conversations(ctx, owner, wire.Page{Limit: 10, Before: page.Before})
	if err != nil || next.Pinned != nil {
		t.Errorf("on the second page: %+v, %v", next.Pinned, err)
	}
	for _, s := range starts[1:wire.MaxPinned] {
		storetest.Must(t, storetest.Second(db.PinConversation(ctx, owner, wire.Pin{ID: s.Conversation, Pinned: true})))
	}
	last := wire.Pin{ID: starts[wire.MaxPinned].Conversation, Pinned: true}
	if _, err := db.PinConversation(ctx, owner, last); storetest.Problem(err).Code != "too_many_pinned" {
		t.Errorf("one more than the limit: %v", err)
	}
	storetest.Must(t, storetest.Second(db.PinConversation(ctx, owner, wire.Pin{ID: starts[0].Conversation, Pinned: true}))) // again is no more
	storetest.Must(t, storetest.Second(db.PinConversation(ctx, owner, wire.Pin{ID: starts[0].Conversation})))
	storetest.Must(t, storetest.Second(db.PinConversation(ctx, owner, last)))
}

func TestLanesAreKeptAndCounted(t *testing.T) {
	ctx := context.Background()
	db, owner := storetest.OpenLocal(t)
	s := storetest.NewStart("", "x")
	storetest.Must(t, storetest.StartTurn(db, owner, s))
	if opened, err := db.OpenConversation(ctx, owner, storetest.PageOf(s)); err != nil || opened.Lanes != nil {
		t.Errorf("none yet: %+v, %v", opened.Lanes, err)
	}
	l := storetest.SomeLanes(s)
	l.Blind, l.Rev = true, 99 // the server counts
	for rev := int64(1); rev < 4; rev++ {
		got, err := db.SetLanes(ctx, owner, l)
		want := l
		want.Rev = rev
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%+v, %v; want %+v", got, err, want)
		}
		if opened, err := db.OpenConversation(ctx, owner, storetest.PageOf(s)); err != nil || !reflect.DeepEqual(opened.Lanes, &want) {
			t.Fatalf("%+v, %v; want %+v", opened.Lanes, err, want)
		}
	}
	lane := func(change func(*wire.Lane)) []wire.Lane {
		l := wire.Lane{Model: "m"}
		change(&l)
		return []wire.Lane{l}
	}
	for name, lanes := range map[string][]wire.Lane{
		"none":             {},
		"too many":         make([]wire.Lane, wire.MaxLanes+1),
		"no object":        lane(func(l *wire.Lane) { l.Params = json.RawMessage("[1]") }),
		"no JSON":          lane(func(l *wire.Lane) { l.Params = json.RawMessage("{") }),
		"large parameters": lane(func(l *wire.Lane) { l.Params = json.RawMessage(`{"a":"` + strings.Repeat("x", wire.MaxParams) + `"}`) }),
		"no id":            lane(func(l *wire.Lane) { l.Leaf = "x" }),
		"a long model":     lane(func(l *wire.Lane) { l.Model = strings.Repeat("x", chat.MaxModel+1) }),
	} {
		if _, err := db.SetLanes(ctx, owner, wire.Lanes{Conversation: s.Conversation, Lanes: lanes}); storetest.Problem(err).Field == "" {
			t.Errorf("%s: %v, want a problem with a field", name, err)
		}
	}
}

// Which model said what is told neither by the list nor by a search before the
// vote.
func TestBlindConversationsTellNoNames(t *testing.T) {
	db, owner := storetest.OpenLocal(t)
	s, _ := storetest.Talk(t, db, owner, "", "who are you", storetest.Says("a secret otter"))
	lanes := storetest.SomeLanes(s)
	for _, blind := range []bool{true, false} {
		lanes.Blind = blind
		storetest.Must(t, storetest.Second(db.SetLanes(context.Background(), owner, lanes)))
		one, err := db.Conversation(context.Background(), owner, s.Conversation)
		storetest.Must(t, err)
		list, err := db.Conversations(context.Background(), owner, wire.Page{})
		storetest.Must(t, err)
		if one.Blind != blind || list.Conversations[0].Blind != blind {
			t.Errorf("blind is %v, the list says %v and %v", blind, one.Blind, list.Conversations[0].Blind)
		}
		found, err := db.Search(context.Background(), owner, wire.Search{Query: "otter"})
		storetest.Must(t, err)
		if len(found.Hits) != 1 || (found.Hits[0].Model == "") != blind {
			t.Errorf("blind is %v, found %+v", blind, found.Hits)
		}
	}
}

// After the first turn each lane has a question of its own: the list has the
// models of all of them, and of one that is left its own.
func TestListHasTheModelsOfAllLanes(t *testing.T) {
	ctx := context.Background()
	db, owner := storetest.OpenLocal(t)
	models := []string{"m-1", "m-2", "m-3"}
	first := storetest.NewStart("", "q")
	lanes := wire.Lanes{Conversation: first.Conversation}
	listed := func(when, want string) {
		t.Helper()
		if s, err := db.Conversation(ctx, owner, first.Conversation); err != nil || s.Models != want {
			t.Errorf("%s: %q, want %q (%v)", when, s.Models, want, err)
		}
	}
	asks := func(s wire.Start, model string) {
		t.Helper()
		r := storetest.RunOf(s)
		r.Model = model
		storetest.Must(t, storetest.Wait(func(done func(error)) { db.StartTurn(owner, s, r, s.User.Text, "", done) }))
	}
	for i, model := range models {
		s := storetest.NewStart(first.Conversation, "q")
		s.User, s.Lane = first.User, i
		asks(s, model)
		lanes.Lanes = append(lanes.Lanes, wire.Lane{Model: model, Leaf: s.Answer})
	}
	listed("asked once", "m-1, m-2, m-3")
	storetest.Must(t, storetest.Second(db.SetLanes(ctx, owner, lanes)))
	for i, model := range models {
		s := storetest.NewStart(first.Conversation, "and on")
		s.User.Parent, s.User.Lane, s.Lane = lanes.Lanes[i].Leaf, i, i
		asks(s, model)
		listed("asked again in "+model, "m-1, m-2, m-3")
	}
	lanes.Lanes = lanes.Lanes[1:2]
	storetest.Must(t, storetest.Second(db.SetLanes(ctx, owner, lanes)))
	listed("one is left", "m-2")
}

func TestVotesAreOnMessagesOfThePersons(t *testing.T) {
	ctx := context.Background()
	db, owner := storetest.OpenLocal(t)
	s, other := storetest.NewStart("", "x"), storetest.NewStart("", "y")
	storetest.Must(t, storetest.StartTurn(db, owner, s), storetest.StartTurn(db, owner, other))
	v := storetest.SomeVote(s)
	storetest.Must(t, storetest.Second(db.SetVote(ctx, owner, v)))
	v.Winner = "" // a tie, in its place
	kept, err := db.SetVote(ctx, owner, v)
	storetest.Must(t, err)
	if opened, err := db.OpenConversation(ctx, owner, storetest.PageOf(s)); err != nil || !reflect.DeepEqual(opened.Votes, []wire.Vote{kept}) || kept.VoteMS == 0 {
		t.Errorf("%+v, %v; want %+v", opened.Votes, err, kept)
	}
	for name, change := range map[string]func(*wire.Vote){
		"on an answer":          func(v *wire.Vote) { v.Message = s.Answer },
		"elsewhere":             func(v *wire.Vote) { v.Message = other.User.ID },
		"for a question":        func(v *wire.Vote) { v.Winner = s.User.ID },
		"for another's answer":  func(v *wire.Vote) { v.Winner = other.Answer },
		"for what is no id":     func(v *wire.Vote) { v.Winner = "x" },
		"of one model":          func(v *wire.Vote) { v.Models = v.Models[:1] },
		"of too many":           func(v *wire.Vote) { v.Models = strings.Split("a b c d e f g", " ") },
		"of a model of no name": func(v *wire.Vote) { v.Models = []string{"", "a"} },
	} {
		bad := storetest.SomeVote(s)
		change(&bad)
		if _, err := db.SetVote(ctx, owner, bad); storetest.Problem(err).Message == "" {
			t.Errorf("a vote %s: %v, want a problem", name, err)
		}
	}
}

func TestLibraryHoldsPromptsAndSettings(t *testing.T) {
	ctx := context.Background()
	db, owner := storetest.OpenLocal(t)
	prompt := wire.LibraryEntry{ID: storetest.NewID(), Kind: wire.LibraryPrompt, Name: "  Sum\nup ", Text: "Summarise {{text}}"}
	settings := wire.LibraryEntry{ID: storetest.NewID(), Kind: wire.LibrarySettings, Name: "careful", Family: "zeta", Params: json.RawMessage(`{"temperature":0}`)}
	put := func(e wire.LibraryEntry) wire.LibraryEntry {
		t.Helper()
		kept, err := db.PutLibrary(ctx, owner, e)
		storetest.Must(t, err)
		return kept
	}
	prompt, settings = put(prompt), put(settings)
	if prompt.Name != "Sum up" || prompt.UpdatedMS == 0 {
		t.Errorf("%+v", prompt)
	}
	if lib, err := db.Library(ctx, owner); err != nil || !reflect.DeepEqual(lib.Entries, []wire.LibraryEntry{settings, prompt}) {
		t.Errorf("%+v, %v; want both by name", lib, err)
	}
	prompt.Text = "another"
	prompt = put(prompt)
	storetest.Must(t, db.DeleteLibrary(ctx, owner, settings.ID))
	if lib, err := db.Library(ctx, owner); err != nil || !reflect.DeepEqual(lib.Entries, []wire.LibraryEntry{prompt}) {
		t.Errorf("%+v, %v; want the changed one", lib, err)
	}
	if err := db.DeleteLibrary(ctx, owner, settings.ID); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("deleted twice: %v", err)
	}
	for name, e := range map[string]wire.LibraryEntry{
		"no id":                  {Kind: "prompt", Name: "n", Text: "t"},
		"no name":                {ID: storetest.NewID(), Kind: "prompt", Name: " \n", Text: "t"},
		"a long name":            {ID: storetest.NewID(), Kind: "prompt", Name: strings.Repeat("é", wire.MaxName+1), Text: "t"},
		"no kind":                {ID: storetest.NewID(), Name: "n", Text: "t"},
		"no text":                {ID: storetest.NewID(), Kind: "prompt", Name: "n"},
		"a long text":            {ID: storetest.NewID(), Kind: "prompt", Name: "n", Text: strings.Repeat("x", wire.MaxPrompt+1)},
		"a prompt of parameters": {ID: storetest.NewID(), Kind: "prompt", Name: "n", Text: "t", Params: json.RawMessage("{}")},
		"no parameters":          {ID: storetest.NewID(), Kind: "settings", Name: "n"},
		"parameters of no kind":  {ID: storetest.NewID(), Kind: "settings", Name: "n", Params: json.RawMessage("7")},
		"large parameters":       {ID: storetest.NewID(), Kind: "settings", Name: "n", Params: json.RawMessage(`{"a":"` + strings.Repeat("x", wire.MaxParams) + `"}`)},
		"a long family":          {ID: storetest.NewID(), Kind: "settings", Name: "n", Family: strings.Repeat("x", chat.MaxModel+1), Params: json.RawMessage("{}")},
	} {
		if _, err := db.PutLibrary(ctx, owner, e); storetest.Problem(err).Field == "" {
			t.Errorf("%s: %v, want a problem with a field", name, err)
		}
	}
	full := wire.LibraryEntry{Kind: wire.LibraryPrompt, Name: "n", Text: strings.Repeat("x", wire.MaxPrompt)}
	for range wire.MaxLibrary / wire.MaxPrompt {
		full.ID = storetest.NewID()
		if _, err := db.PutLibrary(ctx, owner, full); err != nil && storetest.Problem(err).Code != "library_full" {
			t.Fatal(err)
		}
	}
	full.ID = storetest.NewID()
	if _, err := db.PutLibrary(ctx, owner, full); storetest.Problem(err).Code != "library_full" {
		t.Errorf("more text than there is room for: %v", err)
	}
}

func TestLibraryHasAtMostSoManyEntries(t *testing.T) {
	t.Parallel()
	db, owner := storetest.OpenLocal(t)
	storetest.Must(t, db.Engine().Write(t.Context(), 0, func(w *engine.Tx) error {
		_, err := w.Exec(`WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < ?)
			INSERT INTO library (owner, id, kind, name, text, updated_ms) SELECT ?, randomblob(16), 'prompt', 'n', 't', 0 FROM numbers`,
			wire.MaxEntries-1, engine.ParseOwner(owner))
		return err
	}))
	for i, want := range []string{"", "library_full"} {
		e := wire.LibraryEntry{ID: storetest.NewID(), Kind: wire.LibraryPrompt, Name: "n", Text: "t"}
		if _, err := db.PutLibrary(t.Context(), owner, e); storetest.Problem(err).Code != want || (err == nil) != (want == "") {
			t.Fatalf("entry %d: %v", wire.MaxEntries+i, err)
		}
	}
}

func idsOf(ms []wire.Message) (ids []string) {
	for _, m := range ms {
		ids = append(ids, m.ID)
	}
	return ids
}

func TestPagesAroundAMessageAndOn(t *testing.T) {
	ctx := context.Background()
	db, owner := storetest.OpenLocal(t)
	c, ids := storetest.LongTalk(t, db, owner, 20)
	at := func(p wire.Page) wire.Opened {
		t.Helper()
		p.Conversation, p.Limit = c, 6
		o, err := db.OpenConversation(ctx, owner, p)
		storetest.Must(t, err)
		return o
	}
	o := at(wire.Page{Around: ids[20]})
	if got := idsOf(o.Messages); !reflect.DeepEqual(got, ids[18:24]) || o.Before == "" || o.After == "" {
		t.Fatalf("around: %v, %q, %q", got, o.Before, o.After)
	}
	if got := at(wire.Page{After: o.After}); !reflect.DeepEqual(idsOf(got.Messages), ids[24:30]) || got.Before == "" || got.After == "" {
		t.Errorf("after: %+v", got)
	}
	if got := at(wire.Page{Before: o.Before}); !reflect.DeepEqual(idsOf(got.Messages), ids[12:18]) || got.Before == "" || got.After == "" {
		t.Errorf("before: %+v", got)
	}
	if got := at(wire.Page{Around: ids[0]}); !reflect.DeepEqual(idsOf(got.Messages), ids[:4]) || got.Before != "" || got.After == "" {
		t.Errorf("around the first: %+v", got)
	}
	if got := at(wire.Page{Around: ids[39]}); !reflect.DeepEqual(idsOf(got.Messages), ids[37:]) || got.Before == "" || got.After != "" {
		t.Errorf("around the last: %+v", got)
	}
	if got := at(wire.Page{}); !reflect.DeepEqual(idsOf(got.Messages), ids[34:]) || got.Before == "" || got.After != "" {
		t.Errorf("the newest: %+v", got)
	}
	if _, err := db.OpenConversation(ctx, owner, wire.Page{Conversation: c, Around: storetest.NewID()}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("around what is not there: %v", err)
	}
	if _, err := db.OpenConversation(ctx, owner, wire.Page{Conversation: c, Around: ids[0], Before: o.Before}); storetest.Problem(err).Code != "bad_cursor" {
		t.Errorf("at two places: %v", err)
	}
}

func TestMessagesByTheirIDs(t *testing.T) {
	ctx := context.Background()
	db, owner := storetest.OpenLocal(t)
	c, ids := storetest.LongTalk(t, db, owner, 5)
	elsewhere, others := storetest.LongTalk(t, db, owner, 1)
	got, err := db.Messages(ctx, owner, wire.MessageQuery{Conversation: c, IDs: []string{ids[7], ids[2], storetest.NewID(), "x", others[0], ids[2]}})
	if err != nil || !reflect.DeepEqual(idsOf(got.Messages), []string{ids[2], ids[7]}) {
		t.Errorf("%v, %v", idsOf(got.Messages), err)
	}
	if got, err := db.Messages(ctx, owner, wire.MessageQuery{Conversation: elsewhere}); err != nil || len(got.Messages) != 0 {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := db.Messages(ctx, owner, wire.MessageQuery{Conversation: c, IDs: make([]string, wire.MaxOfIDs+1)}); storetest.Problem(err).Field != "ids" {
		t.Errorf("too many: %v", err)
	}
}

func TestOutlineIsTheWholeShape(t *testing.T) {
	ctx := context.Background()
	db, owner := storetest.OpenLocal(t)
	s := storetest.NewStart("", "four")
	storetest.Must(t, storetest.StartTurn(db, owner, s))
	storetest.Must(t, db.FinishRun(ctx, owner, storetest.Ended(storetest.RunOf(s), 1), "answer é", nil, nil, nil))
	lane := storetest.NewStart(s.Conversation, "")
	lane.User, lane.Lane = s.User, 1
	storetest.Must(t, storetest.StartTurn(db, owner, lane))
	o, err := db.Outline(ctx, owner, s.Conversation)
	want := wire.Outline{Conversation: s.Conversation, IDs: s.User.ID + s.Answer + lane.Answer,
		Parents: []int{-1, 0, 0}, Roles: "uaa", Lanes: []int{0, 0, 1}, Lengths: []int{4, 9, 0}}
	if err != nil || !reflect.DeepEqual(o, want) {
		t.Errorf("%+v, %v; want %+v", o, err, want)
	}
}
