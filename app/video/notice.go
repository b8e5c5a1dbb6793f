package video

import (
	"strconv"
	"time"

	"screentest/shared/wire"
)

// A notice stays so long; at most maxNotices are shown.
const (
	noticeFor  = 12 * time.Second
	maxNotices = 3
)

// Notice is something that happened to a task and that a person may not have
// seen.
type Notice struct {
	N     int    // tells notices apart
	Task  string // id
	Words string
	Tone  Tone
	Ended bool // the clip finished or failed, as a browser may tell too
}

// notice tells of a task that has just ended.
func (g *Tasks) notice(old, t *wire.VideoTask) {
	if old.State == t.State || old.State.Final() {
		return
	}
	n := Notice{Task: t.ID, Ended: true}
	switch t.State {
	case wire.VideoDone, wire.VideoExpired:
		n.Words, n.Tone = "Finished: "+shorten(Title(*t)), Good
	case wire.VideoFailed:
		n.Words, n.Tone = "Failed: "+shorten(Title(*t)), Bad
	case wire.VideoUnknown:
		n.Words, n.Tone = "It is not known whether the gateway took it: "+shorten(Title(*t)), Warn
	default:
		return
	}
	if g.o.Seen() {
		return
	}
	g.Unseen++
	g.tell(n)
}

// trouble tells of a call that the server refused.
func (g *Tasks) trouble(task string, p *wire.Problem) {
	words := p.Message
	if p.Hint != "" {
		words += " " + p.Hint
	}
	g.tell(Notice{Task: task, Words: words, Tone: Bad})
	g.o.Changed()
}

// Say tells something that a person did not look for.
func (g *Tasks) Say(words string, tone Tone) {
	g.tell(Notice{Words: words, Tone: tone})
	g.o.Changed()
}

func (g *Tasks) tell(n Notice) {
	g.told++
	n.N = g.told
	g.Notices = append(g.Notices, n)
	if len(g.Notices) > maxNotices {
		g.Notices = g.Notices[len(g.Notices)-maxNotices:]
	}
	if g.o.Tell != nil {
		g.o.Tell(n)
	}
	g.o.After(noticeFor, func() { g.Dismiss(n.N) })
}

// Dismiss takes a notice away.
func (g *Tasks) Dismiss(n int) {
	for i, have := range g.Notices {
		if have.N == n {
			g.Notices = append(append([]Notice{}, g.Notices[:i]...), g.Notices[i+1:]...)
			g.o.Changed()
			return
		}
	}
}

// Look says that the person looks at the gallery now.
func (g *Tasks) Look() {
	if g.Unseen != 0 {
		g.Unseen = 0
		g.o.Changed()
	}
}

func shorten(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:59]) + "…"
	}
	return s
}

// UnseenWords say how many clips ended while one was elsewhere.
func (g *Tasks) UnseenWords() string {
	if g.Unseen == 1 {
		return "1 clip has ended"
	}
	return strconv.Itoa(g.Unseen) + " clips have ended"
}
