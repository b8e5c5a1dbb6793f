package chat

import (
	"testing"
	"time"

	"screentest/shared/wire"
)

func TestFinderShowsWhatWasTypedLast(t *testing.T) {
	b := newBench(t)
	drawn := 0
	f := NewFinder(b.far, b.after, func() { drawn++ })
	f.Ask(wire.Search{Query: "j"})
	b.pass(searchPause / 2)
	f.Ask(wire.Search{Query: "ji"})
	b.pass(searchPause)
	first := b.far.take(t, wire.OpSearch)
	if q := read[wire.Search](t, first); q.Query != "ji" || len(b.far.calls) != 0 {
		t.Fatalf("asked for %q, then %v", q.Query, b.far.ops())
	}
	f.Ask(wire.Search{Query: "jit"})
	b.pass(searchPause)
	second := b.far.take(t, wire.OpSearch)
	second.answer(wire.SearchPage{Hits: []wire.Hit{{Conversation: "c", Message: "m2"}}, Before: "next", Behind: true})
	first.answer(wire.SearchPage{Hits: []wire.Hit{{Conversation: "c", Message: "m1"}}})
	if len(f.Hits) != 1 || f.Hits[0].Message != "m2" || f.Busy || !f.Ready || !f.Behind || drawn == 0 {
		t.Errorf("%+v", f)
	}
	f.Hits = append(f.Hits, wire.Hit{Conversation: "c", Kind: wire.HitTitle}, wire.Hit{Conversation: "d", Kind: wire.HitTitle})
	if shown := f.Shown(); len(shown) != 2 || shown[1].Conversation != "d" {
		t.Errorf("shown %+v", shown)
	}
	f.Hits = append(f.Hits[:1], wire.Hit{Share: "s1", Kind: wire.HitAnswer}, wire.Hit{Share: "s1", Kind: wire.HitTitle}, wire.Hit{Share: "s2", Kind: wire.HitTitle})
	if shown := f.Shown(); len(shown) != 3 || shown[2].Share != "s2" { // of what others show, too
		t.Errorf("shown of others %+v", shown)
	}
	f.Hits = f.Hits[:1]
	f.FetchMore()
	f.FetchMore()
	more := b.far.take(t, wire.OpSearch)
	if q := read[wire.Search](t, more); q.Before != "next" || len(b.far.calls) != 0 {
		t.Errorf("asked for %+v, then %v", q, b.far.ops())
	}
	more.answer(wire.SearchPage{Hits: []wire.Hit{{Message: "m0"}}})
	if len(f.Hits) != 2 || f.More() || f.Behind { // it has caught up
		t.Errorf("%+v", f)
	}
}

func TestFinderTellsWhatWentWrongAndTriesAgain(t *testing.T) {
	b := newBench(t)
	f := NewFinder(b.far, b.after, func() {})
	f.Ask(wire.Search{Query: "x"})
	b.pass(searchPause)
	b.far.take(t, wire.OpSearch).refuse("disconnected")
	if f.Problem == nil || f.Busy || f.Ready {
		t.Errorf("%+v", f)
	}
	f.Again()
	b.far.take(t, wire.OpSearch).answer(wire.SearchPage{})
	if f.Problem != nil || !f.Ready {
		t.Errorf("%+v", f)
	}
}

func TestFinderWithNothingToSearchForAsksNothing(t *testing.T) {
	b := newBench(t)
	f := NewFinder(b.far, b.after, func() {})
	f.Ask(wire.Search{Query: "x"})
	f.Ask(wire.Search{Query: "  "})
	b.pass(time.Minute)
	if f.On() || f.Busy || len(b.far.calls) != 0 {
		t.Errorf("%+v, %v", f, b.far.ops())
	}
	f.Ask(wire.Search{Kinds: []string{wire.HitError}})
	b.pass(time.Minute)
	b.far.take(t, wire.OpSearch).answer(wire.SearchPage{Before: "a"}) // a filter that lets little through
	b.far.take(t, wire.OpSearch).answer(wire.SearchPage{Hits: []wire.Hit{{Message: "m"}}})
	if len(f.Hits) != 1 {
		t.Errorf("%+v", f)
	}
}
