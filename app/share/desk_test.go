package share

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"screentest/app/session"
	"screentest/shared/wire"
)

func mine(id, subject, audience string, to ...string) wire.Share {
	return wire.Share{ID: id, Kind: wire.ShareConversation, Subject: subject, Title: "Harbour", Mine: true, Audience: audience, To: to, Live: true}
}

func ids(list []wire.Share) string {
	var out []string
	for _, s := range list {
		out = append(out, s.ID)
	}
	return strings.Join(out, " ")
}

func TestTheListComesWithTheGreetingAndWithEveryChange(t *testing.T) {
	w := newWorld(t, wire.Hello{Me: ann}, wire.Shares{Mine: []wire.Share{mine("s1", "c1", wire.ShareWithAll)}})
	if !w.Came || ids(w.Mine()) != "s1" || len(w.WithMe()) != 0 {
		t.Fatalf("after the greeting: %v %q", w.Came, ids(w.Mine()))
	}
	w.a.answers["GET /api/shares"] = wire.Shares{WithMe: []wire.Share{{ID: "s2", Owner: "Bob"}}}
	w.News(session.SharesChanged{})
	if len(w.Mine()) != 0 || ids(w.WithMe()) != "s2" {
		t.Errorf("after a change: mine %q, with me %q", ids(w.Mine()), ids(w.WithMe()))
	}

	// Of changes that come while it is fetched, one more question is enough.
	before := w.a.times("GET /api/shares")
	w.a.hold = true
	for range 4 {
		w.News(session.SharesChanged{})
	}
	w.a.hold = false
	w.a.held[0]()
	if n := w.a.times("GET /api/shares") - before; n != 2 {
		t.Errorf("four changes at once asked %d times", n)
	}

	// A list that can't be had leaves what is there.
	w.a.answers["GET /api/shares"] = &wire.Problem{Code: "unreachable", Message: "No."}
	w.News(session.SharesChanged{})
	if w.Problem == nil || ids(w.WithMe()) != "s2" {
		t.Errorf("a list that could not be had: %v, %q", w.Problem, ids(w.WithMe()))
	}
}

func TestAloneNothingIsAskedFor(t *testing.T) {
	w := newWorld(t, wire.Hello{}, wire.Shares{})
	w.Open(wire.ShareConversation, "c1", "Harbour")
	if len(w.a.asked) != 0 || w.Dialog.Open || w.May() {
		t.Errorf("alone: asked %q, open %v", w.a.asked, w.Dialog.Open)
	}
}

func TestAGuestSeesAndSharesNothing(t *testing.T) {
	w := newWorld(t, wire.Hello{Me: gus}, wire.Shares{WithMe: []wire.Share{{ID: "s2"}}})
	w.Go(url.Values{"by": {"me"}})
	w.Open(wire.ShareConversation, "c1", "Harbour")
	if w.Dialog.Open || w.ByMe() || ids(w.Listed()) != "s2" {
		t.Errorf("a guest: open %v, by me %v, %q", w.Dialog.Open, w.ByMe(), ids(w.Listed()))
	}
}

func TestAShareThatEndsByItselfIsGoneThen(t *testing.T) {
	in := func(d time.Duration) int64 { return time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC).Add(d).UnixMilli() }
	soon, late := mine("s1", "c1", wire.ShareWithAll), mine("s2", "c1", wire.ShareWithAll)
	soon.ExpiresMS, late.ExpiresMS = in(time.Minute), in(48*time.Hour)
	w := newWorld(t, wire.Hello{Me: ann}, wire.Shares{Mine: []wire.Share{late, soon}})
	if w.waits != time.Minute || ids(w.Mine()) != "s2 s1" {
		t.Fatalf("waits %v, has %q", w.waits, ids(w.Mine()))
	}
	w.now = w.now.Add(time.Minute)
	drawn := w.drawn
	w.timer()
	if ids(w.Mine()) != "s2" || w.drawn == drawn {
		t.Errorf("after its end: %q, drawn %d times", ids(w.Mine()), w.drawn-drawn)
	}
	if w.waits != 24*time.Hour { // a browser's timer holds no longer than some weeks
		t.Errorf("the next look is after %v", w.waits)
	}
}

func TestWhoSeesSomethingInWords(t *testing.T) {
	for _, c := range []struct {
		name   string
		shares []wire.Share
		want   string
	}{
		{"nobody", nil, ""},
		{"another's", []wire.Share{mine("s1", "c2", wire.ShareWithAll)}, ""},
		{"one", []wire.Share{mine("s1", "c1", wire.ShareWithPeople, "Bob")}, "Shared with Bob"},
		{"twice the same", []wire.Share{mine("s1", "c1", wire.ShareWithPeople, "Bob"), mine("s2", "c1", wire.ShareWithPeople, "Bob")}, "Shared with Bob"},
		{"three", []wire.Share{mine("s1", "c1", wire.ShareWithPeople, "Bob", "Cleo"), mine("s2", "c1", wire.ShareWithPeople, "Dee")}, "Shared with 3 people"},
		{"a team and one", []wire.Share{mine("s1", "c1", wire.ShareWithTeam, "Lab"), mine("s2", "c1", wire.ShareWithPeople, "Dee")}, "Shared with Dee and Lab"},
		{"everybody", []wire.Share{mine("s1", "c1", wire.ShareWithAll), mine("s2", "c1", wire.ShareWithPeople, "Dee")}, "Shared with everybody here"},
		{"a link", []wire.Share{mine("s1", "c1", wire.ShareByLink)}, "Shared by link"},
		{"a team and a link", []wire.Share{mine("s1", "c1", wire.ShareByLink), mine("s2", "c1", wire.ShareWithTeam, "Lab")}, "Shared with Lab and by link"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, wire.Hello{Me: ann}, wire.Shares{Mine: c.shares})
			if got := w.Mark(wire.ShareConversation, "c1"); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
			if got := w.Mark(wire.ShareClip, "c1"); got != "" {
				t.Errorf("a clip of the same id is marked %q", got)
			}
		})
	}
}

func TestTheListIsNarrowedByEveryWord(t *testing.T) {
	w := newWorld(t, wire.Hello{Me: ann}, wire.Shares{
		Mine:   []wire.Share{mine("s1", "c1", wire.ShareWithPeople, "Zoë")},
		WithMe: []wire.Share{{ID: "s2", Title: "Tide tables", Owner: "Bob", Kind: wire.ShareClip}, {ID: "s3", Title: "Nets", Owner: "Bob", Kind: wire.ShareConversation, Wire: true}},
	})
	for _, c := range []struct{ by, query, want string }{
		{"", "", "s2 s3"}, {"", "bob", "s2 s3"}, {"", "BOB tide", "s2"}, {"", "clip", "s2"}, {"", "wire", "s3"}, {"", "zoë", ""},
		{"me", "", "s1"}, {"me", "zoë", "s1"}, {"me", "live harbour", "s1"}, {"me", "clip", ""},
	} {
		w.Go(url.Values{"by": {c.by}})
		w.Search(c.query)
		if got := ids(w.Listed()); got != c.want {
			t.Errorf("by %q, %q finds %q, want %q", c.by, c.query, got, c.want)
		}
	}
}

func TestEndingAShare(t *testing.T) {
	w := newWorld(t, wire.Hello{Me: ann}, wire.Shares{Mine: []wire.Share{mine("s1", "c1", wire.ShareWithAll)}})
	done := 0
	w.a.answers["DELETE /api/shares/s1"] = &wire.Problem{Code: "unreachable", Message: "No."}
	w.Ask("s1")
	w.End("s1", func() { done++ })
	if w.Trouble == nil || w.Asked != "s1" || ids(w.Mine()) != "s1" || done != 0 {
		t.Errorf("when it failed: %v, asked %q, %q", w.Trouble, w.Asked, ids(w.Mine()))
	}
	w.a.answers["DELETE /api/shares/s1"] = nil
	w.a.answers["GET /api/shares"] = wire.Shares{}
	w.End("s1", func() { done++ })
	if w.Trouble != nil || w.Asked != "" || ids(w.Mine()) != "" || done != 1 || w.said == "" {
		t.Errorf("when it ended: %v, asked %q, %q, said %q", w.Trouble, w.Asked, ids(w.Mine()), w.said)
	}

	// One that somebody else has ended is ended.
	w = newWorld(t, wire.Hello{Me: ann}, wire.Shares{Mine: []wire.Share{mine("s1", "c1", wire.ShareWithAll)}})
	w.a.answers["DELETE /api/shares/s1"] = &wire.Problem{Code: wire.CodeNotFound, Message: "No."}
	w.a.answers["GET /api/shares"] = wire.Shares{}
	w.End("s1", func() { done++ })
	if w.Trouble != nil || done != 2 {
		t.Errorf("when it was gone: %v, done %d", w.Trouble, done)
	}
}
