package chat

import (
	"encoding/json"
	"strings"
	"time"

	"screentest/app/session"
	"screentest/shared/wire"
)

// searchPause is how long typing rests before it is searched for.
const searchPause = 160 * time.Millisecond

// A Finder searches everything that was sent and received, as it is typed: the
// answer to what was typed last counts.
type Finder struct {
	server  session.Server
	after   func(time.Duration, func()) (cancel func())
	changed func()

	Asked   wire.Search // what is searched for; see On
	Hits    []wire.Hit  // newest first
	Busy    bool        // an answer is awaited
	Problem *wire.Problem
	Ready   bool // Hits are those of Asked
	Behind  bool // what was written last can't be found yet

	before string
	turn   int    // counts what was asked
	cancel func() // of the pause
}

// NewFinder returns a Finder; after is as in Options, and changed is called when
// what it shows is another.
func NewFinder(server session.Server, after func(time.Duration, func()) (cancel func()), changed func()) *Finder {
	return &Finder{server: server, after: after, changed: changed}
}

// On says that there is something to search for: a word or a filter.
func (f *Finder) On() bool {
	a := f.Asked
	a.Limit = 0
	a.Query = strings.TrimSpace(a.Query)
	return a.Query != "" || len(a.Kinds) > 0 || a.Model != "" || a.State != "" || a.FromMS != 0 || a.MinNanoUSD != nil || a.MaxNanoUSD != nil || a.Conversation != ""
}

// Ask searches for q when typing rests.
func (f *Finder) Ask(q wire.Search) {
	f.stop()
	f.Asked = q
	f.Ready = false
	if !f.On() {
		f.Hits, f.Problem, f.Busy, f.before = nil, nil, false, ""
		f.changed()
		return
	}
	f.Busy = true
	f.cancel = f.after(searchPause, func() { f.ask("") })
	f.changed()
}

// Shown are the hits without titles of conversations of which something else
// was found: a title is mostly made of the first message.
func (f *Finder) Shown() []wire.Hit {
	if len(f.Asked.Kinds) > 0 {
		return f.Hits
	}
	found := map[string]bool{} // by conversation, or the share that shows another's
	for _, h := range f.Hits {
		of := h.Conversation + h.Share
		found[of] = found[of] || h.Kind != wire.HitTitle
	}
	var shown []wire.Hit
	for _, h := range f.Hits {
		if h.Kind != wire.HitTitle || !found[h.Conversation+h.Share] {
			shown = append(shown, h)
		}
	}
	return shown
}

// Again repeats the search at once.
func (f *Finder) Again() {
	if f.On() {
		f.stop()
		f.ask("")
	}
}

// More says that there are older hits, FetchMore asks for them.
func (f *Finder) More() bool { return f.Ready && f.before != "" }

// FetchMore asks for the next page of hits.
func (f *Finder) FetchMore() {
	if f.More() && !f.Busy {
		f.ask(f.before)
	}
}

func (f *Finder) stop() {
	f.turn++
	if f.cancel != nil {
		f.cancel()
		f.cancel = nil
	}
}

func (f *Finder) ask(before string) {
	f.Busy, f.Problem = true, nil
	turn, q := f.turn, f.Asked
	q.Before = before
	f.server.Once(wire.OpSearch, q, func(data json.RawMessage, p *wire.Problem) {
		if turn != f.turn {
			return // something else has been typed
		}
		f.Busy = false
		var page wire.SearchPage
		if f.Problem = session.Read(data, p, &page); f.Problem == nil {
			if before == "" {
				f.Hits = nil
			}
			f.Hits = append(f.Hits, page.Hits...)
			f.before, f.Ready, f.Behind = page.Before, true, page.Behind
			if len(f.Hits) == 0 && f.before != "" {
				f.ask(f.before) // a filter lets little through
				return
			}
		}
		f.changed()
	})
	f.changed()
}
