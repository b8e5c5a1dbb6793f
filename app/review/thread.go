package review

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"screentest/app/session"
	"screentest/shared/wire"
)

// Phase is how far a thread is.
type Phase int

// The phases.
const (
	Loading Phase = iota
	Ready
	Gone   // there is none to be seen, or none any more
	Failed // Problem says why
)

// lookAfter gathers the news of a moment that ask for a look.
const lookAfter = 100 * time.Millisecond

// Thread is the review that is looked at.
type Thread struct {
	d       *Desk
	At      wire.Look
	Phase   Phase
	Problem *wire.Problem
	Review  wire.Review // zero unless Ready
	Version int         // that is played

	// What of the comments is shown: only those that aren't resolved; only those
	// on a version, 0 is all.
	OpenOnly bool
	Only     int
	Selected string // the comment that is open
	seen     string // of them, that Drawn has had among the drawn

	Step Step

	entries  []Entry // as long as nothing changes
	first    string  // of the comments that are drawn: "" is the first there is
	asked    int
	soon     func() // calls a look off that is about to be
	fresh    map[string]bool
	drafts   map[string]*Draft
	waiting  []*Waiting
	troubles map[string]*wire.Problem // of changing a comment
	busy     map[string]bool          // comments that are being changed
	sent     bool                     // a comment was, and nothing typed since
}

// changed has the thread drawn, and what is shown of it made anew.
func (t *Thread) changed() {
	t.entries = nil
	t.d.o.Changed()
}

// look asks for all there is, and for the news of it.
func (t *Thread) look() {
	t.asked++
	asked := t.asked
	t.d.o.Server.Call(wire.OpLook, t.At, func(data json.RawMessage, p *wire.Problem) {
		var r wire.Review
		p = session.Read(data, p, &r)
		if t.d.Thread != t {
			if p == nil {
				t.d.found(r.ID)
			}
			return
		}
		if asked != t.asked {
			return
		}
		switch {
		case p == nil:
			t.take(r)
		case p.Code == "not_found":
			t.forget()
		case t.Phase != Ready: // what is there stays, else
			t.Phase, t.Problem = Failed, p
		}
		t.d.lookAway()
		t.changed()
	})
}

// Again tries once more what has failed.
func (t *Thread) Again() {
	t.Phase, t.Problem = Loading, nil
	t.look()
	t.changed()
}

func (t *Thread) lookSoon() {
	if t.soon != nil {
		return
	}
	t.soon = t.d.o.After(lookAfter, func() {
		t.soon = nil
		t.look()
	})
}

func (t *Thread) leave() {
	if t.soon != nil {
		t.soon()
		t.soon = nil
	}
	if t.Phase == Ready {
		t.d.o.Server.Call(wire.OpLookAway, wire.Target{ID: t.Review.ID}, nil)
	}
}

// forget is for what one may not see any more: nothing of it stays.
func (t *Thread) forget() {
	t.Phase, t.Problem, t.Review, t.Version, t.Selected = Gone, nil, wire.Review{}, 0, ""
	t.entries, t.first = nil, ""
	t.waiting = nil // it lies in the store
	clear(t.fresh)
	clear(t.drafts)
	clear(t.troubles)
	clear(t.busy)
	t.Step = Step{}
}

// take takes what a look has found.
func (t *Thread) take(r wire.Review) {
	before, first := t.Review, t.Phase != Ready
	t.Phase, t.Problem, t.Review = Ready, nil, r
	if !first {
		for _, c := range r.Comments {
			t.mark(before, c)
		}
	}
	t.sort()
	for _, c := range slices.Concat(before.Comments, r.Comments) {
		if now := t.comment(c.ID); now == nil || now.Deleted {
			t.rescue(c)
		}
	}
	if t.find(t.Version) == nil {
		t.Version = t.home()
	}
	if first {
		t.recall()
	}
	t.sendWaiting()
}

// home is the version that is played unasked: that of the clip, or the newest.
func (t *Thread) home() int {
	newest := 0
	for _, v := range t.Review.Versions {
		if t.At.Clip != "" && v.Clip == t.At.Clip {
			return v.Version
		}
		newest = max(newest, v.Version)
	}
	return newest
}

// mark notes a comment of somebody else's that wasn't there.
func (t *Thread) mark(before wire.Review, c wire.Comment) {
	known := slices.ContainsFunc(before.Comments, func(o wire.Comment) bool { return o.ID == c.ID })
	if !known && !c.Deleted && c.Author != t.d.me() {
		t.fresh[c.ID] = true
	}
}

// sort puts the comments into the order of the clip's time, those of one moment
// into that in which they were made. It is the same for all who look.
func (t *Thread) sort() {
	slices.SortStableFunc(t.Review.Comments, inOrder)
}

func inOrder(a, b wire.Comment) int {
	return cmp.Or(cmp.Compare(a.AtMS, b.AtMS), cmp.Compare(a.CreatedMS, b.CreatedMS), cmp.Compare(a.ID, b.ID))
}

// news takes what concerns the thread.
func (t *Thread) news(news session.News) {
	switch n := news.(type) {
	case session.Greeting:
		t.look() // the news of a review come with a connection
	case session.SharesChanged:
		t.lookSoon()
	case session.Versions:
		if t.Phase == Ready && n.ID == t.Review.ID {
			t.lookSoon()
		}
	case wire.Comment:
		if t.Phase == Ready && n.Review == t.Review.ID {
			t.mark(t.Review, n)
			t.put(n)
			t.changed()
		}
	case wire.ReviewStep:
		if t.Phase == Ready && n.Review == t.Review.ID {
			t.stepped(n)
			t.changed()
		}
	}
}

// put takes a comment as it is now.
func (t *Thread) put(c wire.Comment) {
	t.arrived(c.ID)
	at := slices.IndexFunc(t.Review.Comments, func(o wire.Comment) bool { return o.ID == c.ID })
	if at < 0 {
		if c.Deleted {
			return
		}
		t.Review.Comments = append(t.Review.Comments, c)
		t.sort()
		return
	}
	if c.Deleted { // its place may be that of answers
		old := t.Review.Comments[at]
		c.Text, c.Mentions, c.X, c.Y = "", nil, nil, nil
		c.Version, c.AtMS, c.Answers, c.CreatedMS = old.Version, old.AtMS, old.Answers, old.CreatedMS
		delete(t.fresh, c.ID)
		t.dropDraft(editSlot(c.ID))
		t.rescue(c)
	}
	t.Review.Comments[at] = c
	t.sort()
}

// find is a version, nil if it can't be seen.
func (t *Thread) find(version int) *wire.ReviewVersion {
	for i := range t.Review.Versions {
		if v := &t.Review.Versions[i]; v.Version == version {
			return v
		}
	}
	return nil
}

// Has says whether a version can be seen.
func (t *Thread) Has(version int) bool { return t.find(version) != nil }

// Played is the version that is played, nil before the thread is Ready.
func (t *Thread) Played() *wire.ReviewVersion { return t.find(t.Version) }

// Play chooses the version that is played; 0, and one that can't be seen, is that
// which is played unasked.
func (t *Thread) Play(version int) {
	t.Version = version
	if t.Phase != Ready {
		return // once it is
	}
	if t.find(version) == nil {
		t.Version = t.home()
	}
	if t.Only != 0 {
		t.Only = t.Version
	}
	t.changed()
}

// Show chooses which comments are shown.
func (t *Thread) Show(openOnly bool, only int) {
	t.OpenOnly, t.Only = openOnly, only
	t.changed()
}
