package video

import (
	"cmp"
	"slices"
	"strings"

	"screentest/shared/wire"
)

// Standing is a group of states that a person looks for.
type Standing string

// The standings, in the order of their buttons.
const (
	AnyStanding Standing = ""
	Underway    Standing = "running"
	Finished    Standing = "finished"
	Failed      Standing = "failed"
	Expired     Standing = "expired"   // plays no more: the gateway has deleted it, and there is no copy
	Unsettled   Standing = "unsettled" // waits for a person to say whether it went through
	Trashed     Standing = "deleted"   // whatever its state
)

// standings are the states of each; of the expired ones, those that play count
// as finished.
var standings = map[Standing][]wire.VideoState{
	Underway:  {wire.VideoCreating, wire.VideoQueued, wire.VideoRunning},
	Finished:  {wire.VideoDone, wire.VideoExpired},
	Failed:    {wire.VideoFailed, wire.VideoRefused, wire.VideoLost},
	Expired:   {wire.VideoExpired},
	Unsettled: {wire.VideoUnknown},
}

// Filter is what the gallery shows. The zero Filter shows all.
type Filter struct {
	Standing  Standing
	Mode      string // gateway.Mode
	Model     string
	Tag       string
	Favourite bool
	Text      string // words that all occur
	Sort      wire.VideoSort
}

// Any says that the filter leaves something out.
func (f Filter) Any() bool { return f != Filter{Sort: f.Sort} }

// Narrowed is how many filters beside the Standing leave something out.
func (f Filter) Narrowed() (n int) {
	for _, on := range []bool{f.Mode != "", f.Model != "", f.Tag != "", f.Favourite, f.Text != ""} {
		if on {
			n++
		}
	}
	return n
}

// compare is the order of two tasks.
func (f Filter) compare(a, b *wire.VideoTask) int {
	newest := newestFirst(a, b)
	switch f.Sort {
	case wire.ClipsOldest:
		return -newest
	case wire.ClipsCost:
		return cmp.Or(cmp.Compare(b.PriceNanoUSD, a.PriceNanoUSD), newest)
	case wire.ClipsLength:
		return cmp.Or(cmp.Compare(b.Seconds, a.Seconds), newest)
	case wire.ClipsName:
		return cmp.Or(cmp.Compare(a.SortName(), b.SortName()), -newest)
	}
	return newest
}

// clean leaves out what says nothing.
func (f Filter) clean() Filter {
	if f.Standing == Trashed && f.Sort != wire.ClipsOldest {
		f.Sort = wire.ClipsNewest // the deleted ones know no other order
	}
	f.Text = strings.Join(strings.Fields(f.Text), " ")
	return f
}

func (f Filter) query() wire.VideoQuery {
	q := wire.VideoQuery{States: standings[f.Standing], Tag: f.Tag, Favourite: f.Favourite, Text: f.Text, Sort: f.Sort}
	switch f.Standing {
	case Finished:
		q.Gone = wire.GoneOut
	case Expired:
		q.Gone = wire.GoneOnly
	case Trashed:
		q.Deleted = true
	}
	if f.Mode != "" {
		q.Modes = []string{f.Mode}
	}
	if f.Model != "" {
		q.Models = []string{f.Model}
	}
	return q
}

// matches says what the server would: whether the query finds the task.
func (f Filter) matches(t *wire.VideoTask) bool {
	if t.Deleted != (f.Standing == Trashed) || f.Standing != AnyStanding && StandingOf(t) != f.Standing ||
		f.Mode != "" && t.Mode != f.Mode || f.Model != "" && t.Model != f.Model || f.Favourite && !t.Favourite {
		return false
	}
	if f.Tag != "" && !tagged(t, f.Tag) {
		return false
	}
	if f.Text == "" {
		return true
	}
	in := t.Prompt + "\n" + t.Title + "\n" + strings.Join(t.Tags, "\n") + "\n" + t.Model
	for _, shot := range Shots(t) {
		in += "\n" + shot.Prompt
	}
	in = strings.ToLower(in)
	for _, word := range strings.Fields(strings.ToLower(f.Text)) {
		if !strings.Contains(in, word) {
			return false
		}
	}
	return true
}

func tagged(t *wire.VideoTask, tag string) bool {
	for _, have := range t.Tags {
		if strings.EqualFold(have, tag) {
			return true
		}
	}
	return false
}

// StandingOf is the group that a task is in.
func StandingOf(t *wire.VideoTask) Standing {
	switch {
	case t.Deleted:
		return Trashed
	case t.State == wire.VideoExpired && !Playable(t):
		return Expired
	}
	for _, standing := range []Standing{Underway, Finished, Failed, Unsettled} {
		if slices.Contains(standings[standing], t.State) {
			return standing
		}
	}
	return AnyStanding
}

// StandingCount is how many tasks have a standing, of those that all else of
// the filter finds.
func (g *Tasks) StandingCount(s Standing) int {
	switch s {
	case Expired:
		return g.Found.Gone
	case Trashed:
		return g.Found.Deleted
	}
	n := 0
	for state, count := range g.Found.States {
		if s == AnyStanding || slices.Contains(standings[s], wire.VideoState(state)) {
			n += count
		}
	}
	if s == Finished {
		n -= g.Found.Gone
	}
	return n
}
