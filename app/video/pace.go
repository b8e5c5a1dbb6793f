package video

import (
	"slices"
	"strconv"
	"time"

	"screentest/shared/wire"
)

// ownTimes is how many finished clips of a model tell how long it takes; with
// fewer the gateway's word counts.
const ownTimes = 3

// Pace is how long a task has been under way, against how long one like it
// usually takes.
type Pace struct {
	Elapsed string // "1 min 12 s so far"
	Usual   string // "usually 1 to 5 min", "longer than usual: 1 to 5 min"; "" where nothing is known
	// Value of Bound is how far the bar goes; a Bound of 0 is none. It is the
	// gateway's own figure where it tells one, else the time so far of the usual.
	Value, Bound int64
	Told         bool // by the gateway
	Long         bool // longer than usual
}

// Pace returns how far a task is; false of one that is not under way.
func (g *Tasks) Pace(t *wire.VideoTask) (p Pace, ok bool) {
	now := g.o.Now()
	if p.Elapsed = Elapsed(t, now); p.Elapsed == "" {
		return p, false
	}
	least, most := g.usual(t)
	span := min(elapsedMS(t, now), most)
	p.Usual, p.Value, p.Bound = usualWords(least, most), span, most
	if most > 0 && elapsedMS(t, now) > most {
		p.Long, p.Usual = true, "longer than usual: "+between(least, most)
	}
	if t.Progress > 0 && t.Progress <= 100 {
		p.Told, p.Value, p.Bound = true, int64(t.Progress), 100
	}
	return p, true
}

// Usual is how long a task's model usually takes, "" where it is not known.
func (g *Tasks) Usual(t *wire.VideoTask) string { return usualWords(g.usual(t)) }

// usual is the middle of what one's own clips of the model took, where there are
// enough of them here, else what the gateway tells of the model.
func (g *Tasks) usual(t *wire.VideoTask) (least, most int64) {
	var took []int64
	for _, other := range g.tasks {
		if other.Model == t.Model && other.ID != t.ID && other.AcceptedMS > 0 && other.FinishedMS > other.AcceptedMS &&
			(other.State == wire.VideoDone || other.State == wire.VideoExpired) {
			took = append(took, other.FinishedMS-other.AcceptedMS)
		}
	}
	if len(took) < ownTimes {
		return t.UsualLeastMS, t.UsualMostMS
	}
	slices.Sort(took)
	middle := max(took[len(took)/2], int64(time.Second/time.Millisecond))
	return middle, middle
}

func usualWords(least, most int64) string {
	if most <= 0 {
		return ""
	}
	return "usually " + between(least, most)
}

// between writes a range of times.
func between(least, most int64) string {
	switch {
	case least <= 0 || least == most:
		return Span(most)
	case least%60_000 == 0 && most%60_000 == 0:
		return strconv.FormatInt(least/60_000, 10) + " to " + strconv.FormatInt(most/60_000, 10) + " min"
	}
	return Span(least) + " to " + Span(most)
}

// BarWords are what the bar says to who can't see it.
func (p Pace) BarWords() string {
	if p.Told {
		return strconv.FormatInt(p.Value, 10) + " %, as the gateway tells it"
	}
	return p.Elapsed + ", " + p.Usual
}
