package video

import (
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
	Unsettled   Standing = "unsettled" // waits for a person to say whether it went through
)

var standings = map[Standing][]wire.VideoState{
	Underway:  {wire.VideoCreating, wire.VideoQueued, wire.VideoRunning},
	Finished:  {wire.VideoDone, wire.VideoExpired},
	Failed:    {wire.VideoFailed, wire.VideoRefused, wire.VideoLost},
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
}

// Any says that the filter leaves something out.
func (f Filter) Any() bool { return f != Filter{} }

func (f Filter) clean() Filter {
	f.Text = strings.Join(strings.Fields(f.Text), " ")
	return f
}

func (f Filter) query() wire.VideoQuery {
	q := wire.VideoQuery{States: standings[f.Standing], Tag: f.Tag, Favourite: f.Favourite, Text: f.Text}
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
	if f.Standing != AnyStanding && StandingOf(t.State) != f.Standing ||
		f.Mode != "" && t.Mode != f.Mode || f.Model != "" && t.Model != f.Model || f.Favourite && !t.Favourite {
		return false
	}
	if f.Tag != "" && !tagged(t, f.Tag) {
		return false
	}
	if f.Text == "" {
		return true
	}
	in := strings.ToLower(t.Prompt + "\n" + t.Title + "\n" + strings.Join(t.Tags, "\n") + "\n" + t.Model)
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

// StandingOf is the group of a state.
func StandingOf(s wire.VideoState) Standing {
	for standing, states := range standings {
		for _, state := range states {
			if state == s {
				return standing
			}
		}
	}
	return AnyStanding
}

// StandingCount is how many tasks have a standing, of all of the owner's.
func (g *Tasks) StandingCount(s Standing) int {
	if s == AnyStanding {
		return g.Counts.All
	}
	n := 0
	for _, state := range standings[s] {
		n += g.Counts.States[string(state)]
	}
	return n
}
