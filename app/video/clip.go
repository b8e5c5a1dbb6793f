package video

import (
	"encoding/json"
	"slices"
	"strings"

	"screentest/app/session"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// Clip is the page of one task: what the gallery knows of it, with where it
// comes from and what became of it.
type Clip struct {
	g       *Tasks
	ID      string
	Output  int // that is played
	Opened  *wire.VideoOpened
	Problem *wire.Problem // why it could not be opened
	asked   int
	again   bool // is asked for soon
}

// Open shows the page of a task. It is asked for at once.
func (g *Tasks) Open(id string) *Clip {
	c := &Clip{g: g, ID: id}
	c.fetch()
	return c
}

func (c *Clip) fetch() {
	c.asked++
	asked := c.asked
	c.g.o.Call(wire.OpVideoTask, wire.Target{ID: c.ID}, func(data json.RawMessage, problem *wire.Problem) {
		if asked != c.asked {
			return
		}
		var o wire.VideoOpened
		if c.Problem = session.Read(data, problem, &o); c.Problem == nil {
			c.g.put(&o.Task)
			c.Opened = &o
			c.keepOutput()
		}
		if c.Problem != nil && c.Problem.Code == "not_found" {
			c.Opened = nil // it went for good
		}
		c.g.o.Changed()
	})
}

// Task is the newest that is known of it, or nil.
func (c *Clip) Task() *wire.VideoTask {
	t := c.g.tasks[c.ID]
	if o := c.Opened; o != nil && (t == nil || o.Task.Version > t.Version) {
		return &o.Task
	}
	return t
}

// keepOutput keeps Output on one that there is.
func (c *Clip) keepOutput() {
	t := c.Task()
	if t == nil {
		return
	}
	if _, ok := OutputOf(t, c.Output); !ok {
		c.Output = max(PlayableOutput(t), 0)
	}
}

// News follows what concerns the clip or its family.
func (c *Clip) News(news session.News) {
	switch n := news.(type) {
	case session.Greeting:
		c.fetch()
	case wire.VideoTask:
		if c.concerns(&n) {
			c.keepOutput()
			c.fetchSoon()
		}
	case session.TaskDeleted:
		c.left(n.ID)
	case session.TaskPurged:
		c.left(n.ID)
	}
}

// left follows a task that was deleted, for a while or for good.
func (c *Clip) left(id string) {
	if c.has(id) {
		c.fetchSoon()
	}
}

// fetchSoon gathers the news of a moment.
func (c *Clip) fetchSoon() {
	if c.again {
		return
	}
	c.again = true
	c.g.o.After(countAfter/4, func() {
		c.again = false
		c.fetch()
	})
}

func (c *Clip) concerns(t *wire.VideoTask) bool {
	return c.has(t.ID) || t.Source != "" && c.has(t.Source)
}

func (c *Clip) has(id string) bool {
	if id == c.ID {
		return true
	}
	of := func(t wire.VideoTask) bool { return t.ID == id }
	return c.Opened != nil && (slices.ContainsFunc(c.Opened.Ancestors, of) || slices.ContainsFunc(c.Opened.Descendants, of))
}

// Step is one clip of a lineage.
type Step struct {
	Task    *wire.VideoTask
	Verb    string // "Original", "Extend", "Upscale to 4K"
	Depth   int    // below the original
	Current bool
}

// Lineage is the family of the clip from the original on: each directly below
// what it was made from. It is nil where the clip stands alone.
func (c *Clip) Lineage() []Step {
	o := c.Opened
	if o == nil || len(o.Ancestors)+len(o.Descendants) == 0 {
		return nil
	}
	var steps []Step
	for i := len(o.Ancestors) - 1; i >= 0; i-- {
		steps = append(steps, c.step(o.Ancestors[i], len(steps)))
	}
	at := len(steps)
	steps = append(steps, c.step(o.Task, at))
	steps[at].Current = true
	var below func(id string, depth int)
	below = func(id string, depth int) {
		for _, t := range o.Descendants {
			if t.Source == id && len(steps) < 1000 {
				steps = append(steps, c.step(t, depth))
				below(t.ID, depth+1)
			}
		}
	}
	below(c.ID, at+1)
	return steps
}

func (c *Clip) step(t wire.VideoTask, depth int) Step {
	if known := c.g.tasks[t.ID]; known != nil && known.Version > t.Version {
		t = *known
	}
	s := Step{Task: &t, Depth: depth, Verb: "Original"}
	switch gateway.Mode(t.Mode) {
	case gateway.Extend:
		s.Verb = "Extend"
	case gateway.Upscale:
		s.Verb = "Upscale"
		if t.Resolution != "" {
			s.Verb += " to " + strings.ToUpper(t.Resolution[:len(t.Resolution)-1]) + resolutionEnd(t.Resolution)
		}
	}
	return s
}

// resolutionEnd writes the unit of 4k large and that of 1080p small.
func resolutionEnd(r string) string {
	if end := r[len(r)-1:]; end != "k" {
		return end
	}
	return "K"
}

// LineageNanoUSD is what the clips of the Lineage have cost together, charges
// less returns, and what the other ones that were made of the original have.
func (c *Clip) LineageNanoUSD() (shown, others int64) {
	if c.Opened == nil {
		return 0, 0
	}
	return c.Opened.ShownNanoUSD, c.Opened.LineageNanoUSD - c.Opened.ShownNanoUSD
}

// RawTask is the task as the server tells it, as JSON with indents.
func (c *Clip) RawTask() string {
	t := c.Task()
	if t == nil {
		return ""
	}
	b, err := json.MarshalIndent(t, "", "  ")
	if err != nil {
		return err.Error()
	}
	return string(b)
}
