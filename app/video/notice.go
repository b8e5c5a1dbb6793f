package video

import (
	"slices"
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

// Notices are what stands over the page for a while.
type Notices struct {
	List   []Notice // newest last
	Unseen int      // clips that ended while one was elsewhere

	o    *TasksOptions
	last int // Notice.N
}

// Say tells something that a person did not look for.
func (n *Notices) Say(words string, tone Tone) { n.add(Notice{Words: words, Tone: tone}) }

// Dismiss takes a notice off the page.
func (n *Notices) Dismiss(number int) {
	if at := slices.IndexFunc(n.List, func(have Notice) bool { return have.N == number }); at >= 0 {
		n.List = slices.Concat(n.List[:at], n.List[at+1:])
		n.o.Changed()
	}
}

// Look says that the person looks at the gallery now.
func (n *Notices) Look() {
	if n.Unseen != 0 {
		n.Unseen = 0
		n.o.Changed()
	}
}

// refused tells of a call that the server refused.
func (n *Notices) refused(task string, p *wire.Problem) {
	n.add(Notice{Task: task, Words: p.Words(), Tone: Bad})
}

// ended tells of a task that has just ended, unless the person sees it.
func (n *Notices) ended(old, t *wire.VideoTask) {
	if old.State == t.State || old.State.Final() {
		return
	}
	notice := Notice{Task: t.ID, Ended: true}
	switch t.State {
	case wire.VideoDone, wire.VideoExpired:
		notice.Words, notice.Tone = "Finished: "+shorten(Title(*t)), Good
	case wire.VideoFailed:
		notice.Words, notice.Tone = "Failed: "+shorten(Title(*t)), Bad
	case wire.VideoUnknown:
		notice.Words, notice.Tone = "It isn’t known whether the gateway took it: "+shorten(Title(*t)), Warn
	default:
		return
	}
	if !n.o.Seen() {
		n.Unseen++
		n.add(notice)
	}
}

func (n *Notices) add(notice Notice) {
	n.last++
	notice.N = n.last
	n.List = append(n.List, notice)
	n.List = n.List[max(len(n.List)-maxNotices, 0):]
	if n.o.Tell != nil {
		n.o.Tell(notice)
	}
	n.o.After(noticeFor, func() { n.Dismiss(notice.N) })
	n.o.Changed()
}

func shorten(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:59]) + "…"
	}
	return s
}
