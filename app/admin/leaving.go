package admin

import (
	"strings"

	"screentest/app/figure"
	"screentest/shared/wire"
)

// The ways that a person goes by.
const (
	Deactivate = "deactivate" // can be taken back
	HandOver   = "hand_over"  // what is theirs becomes another's
	Erase      = "erase"      // for good
)

// Leaving is how the person who is shown goes: each way asks once more before it
// is gone.
type Leaving struct {
	Way  string // that is asked about; "" is none
	To   string // the id of who gets what is theirs; "" is nobody
	Name string // as typed, for what can't be taken back
	// Counts is what would go, once it was counted.
	Counts  *wire.Erasing
	Busy    bool
	Problem *wire.Problem
	Done    string // what was done, in words
}

// Leave begins one of the ways; what an erasure would take is counted at once.
func (p *People) Leave(way string) {
	p.Leaving = Leaving{Way: way}
	if way == Erase {
		p.count()
	}
	p.desk.Changed()
}

// Give says who gets what the person has; "" nobody.
func (p *People) Give(to string) {
	l := &p.Leaving
	l.To, l.Problem = to, nil
	if l.Way == Erase {
		p.count()
	}
	p.desk.Changed()
}

// TypeName takes the name that is typed before what can't be taken back.
func (p *People) TypeName(name string) {
	p.Leaving.Name = name
	p.desk.Changed()
}

// erasure is the body of an erasure.
type erasure struct {
	DryRun     bool   `json:"dry_run"`
	HandOverTo string `json:"hand_over_to,omitempty"`
}

// count asks what an erasure would take.
func (p *People) count() {
	l, id := &p.Leaving, p.At
	way, to := l.Way, l.To
	l.Counts = nil
	var counts wire.Erasing
	p.desk.do("POST", "/api/people/"+id+"/erase", erasure{DryRun: true, HandOverTo: to}, &counts, func(problem *wire.Problem) {
		if p.At != id || l.Way != way || l.To != to {
			return // something else is asked about now
		}
		if l.Problem = problem; problem == nil {
			l.Counts = &counts
		}
	})
}

// Ready says whether the way may be gone: what can't be taken back wants the
// person's name typed, and what is handed over somebody who takes it.
func (p *People) Ready() bool {
	one, l := p.Find(p.At), &p.Leaving
	if one == nil || l.Busy {
		return false
	}
	named := strings.TrimSpace(l.Name) == strings.TrimSpace(one.Name)
	switch l.Way {
	case Deactivate:
		return true
	case HandOver:
		return l.To != "" && named
	case Erase:
		return l.Counts != nil && named
	}
	return false
}

// Go goes the way that was asked about.
func (p *People) Go() {
	one, l := p.Find(p.At), &p.Leaving
	if one == nil || !p.Ready() {
		return
	}
	name := one.Name
	switch l.Way {
	case Deactivate:
		off := false
		p.settle("PATCH", "", wire.PersonChange{Active: &off}, nil, func() string { return name + " is deactivated." })
	case HandOver:
		to := p.Find(l.To)
		if to == nil {
			return
		}
		p.settle("POST", "/hand_over", map[string]string{"to": l.To}, nil, func() string { return "What " + name + " had is " + to.Name + "’s now." })
	case Erase:
		gone := &wire.Erasing{}
		p.settle("POST", "/erase", erasure{HandOverTo: l.To}, gone, func() string {
			return name + " is erased: " + strings.Join(CountWords(*gone), ", ") + "."
		})
	}
}

// Return lets a person in again who was deactivated.
func (p *People) Return() {
	if one := p.Find(p.At); one != nil && !p.Leaving.Busy {
		on, name := true, one.Name
		p.settle("PATCH", "", wire.PersonChange{Active: &on}, nil, func() string { return name + " may sign in again." })
	}
}

// settle has the server do what a way comes to; done says what was done.
func (p *People) settle(method, path string, in, out any, done func() string) {
	l, id := &p.Leaving, p.At
	l.Busy, l.Problem = true, nil
	p.desk.do(method, "/api/people/"+id+path, in, out, func(problem *wire.Problem) {
		if p.At == id {
			l.Busy = false
			if l.Problem = problem; problem == nil {
				p.Leaving = Leaving{Done: done()}
			}
		}
		p.fetch()
	})
}

// CountWords are what an erasure takes, in words, without what there is none of.
func CountWords(e wire.Erasing) []string {
	var words []string
	add := func(n int64, one, many string) {
		if n > 0 {
			words = append(words, figure.Plural(n, one, many))
		}
	}
	add(e.Conversations, "conversation", "conversations")
	add(e.Messages, "message", "messages")
	add(e.Clips, "clip", "clips")
	add(e.Uploads, "upload", "uploads")
	add(e.Library, "library entry", "library entries")
	add(e.Shares, "share", "shares")
	if e.Bytes > 0 {
		words = append(words, figure.Bytes(e.Bytes)+" of files")
	}
	if !e.HandedOver {
		words = append(words, AnywayWords(e)...)
	}
	if len(words) == 0 {
		words = append(words, "nothing but the account")
	}
	return words
}

// AnywayWords are what goes with who is erased, also where the rest is handed over.
func AnywayWords(e wire.Erasing) []string {
	var words []string
	for _, c := range []struct {
		n         int64
		one, many string
	}{{e.Comments, "comment", "comments"}, {e.Notices, "notice", "notices"}, {e.Approvals, "request for approval", "requests for approval"}} {
		if c.n > 0 {
			words = append(words, figure.Plural(c.n, c.one, c.many))
		}
	}
	return words
}
