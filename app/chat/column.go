package chat

import "math"

// A Column is a lane's messages one below the other, as the page lays them
// out: their heights, measured where they were drawn, guessed elsewhere. With
// it only what is near the window has to be in the document; gaps of the right
// height stand for the rest.
type Column struct {
	path     []*Message
	heights  []float64          // px, with the space to the next
	measured map[string]float64 // by the message's id, at width
	width    float64
}

const (
	// Block is how many messages come and go together. Blocks begin at
	// multiples of it, so that scrolling by a little changes no other.
	Block = 2
	// fan is how many stretches make one of the next size.
	fan = 16
)

// Set takes the messages and the width that they have, in px. Heights that
// were measured at another width are forgotten.
func (c *Column) Set(path []*Message, width float64) {
	if width != c.width || c.measured == nil {
		c.measured, c.width = map[string]float64{}, width
	} else if same(c.path, path) {
		return
	}
	c.path = path
	c.heights = make([]float64, len(path))
	for i, m := range path {
		h, known := c.measured[m.ID]
		if !known {
			h = guess(m, width)
		}
		c.heights[i] = h
	}
}

// same tells by its ends whether a path is the one that is known: Path gives
// the same slice until something changes.
func same(a, b []*Message) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// guess is about how high a message will be.
func guess(m *Message, width float64) float64 {
	const line, letter, space = 25, 7.4, 24
	if m.Role == "user" {
		w := math.Min(width*0.85, 576) - 34
		if len(m.Images) > 0 {
			return math.Ceil(float64(m.Size())*letter/math.Max(w, 80))*line + 18 + space + 128
		}
		return math.Ceil(float64(m.Size())*letter/math.Max(w, 80)+0.01)*line + 18 + space
	}
	// The line with the figures, and blocks that are not filled.
	return math.Ceil(float64(m.Size())*letter/math.Max(width, 80)*1.2+0.01)*line + 52 + space
}

// Len is how many messages there are.
func (c *Column) Len() int { return len(c.path) }

// ID is that of the message at a place.
func (c *Column) ID(at int) string { return c.path[at].ID }

// Measure takes the height that a message turned out to have.
func (c *Column) Measure(at int, height float64) {
	if at < 0 || at >= len(c.path) || height <= 0 {
		return
	}
	c.measured[c.path[at].ID] = height
	c.heights[at] = height
}

// Height is that of the messages from from on and before to, in px.
func (c *Column) Height(from, to int) float64 {
	var h float64
	for _, x := range c.heights[max(from, 0):min(to, len(c.heights))] {
		h += x
	}
	return h
}

// At returns the place of the message y px below the top: the first above it,
// the last below the end, -1 where there are none.
func (c *Column) At(y float64) int {
	for i, h := range c.heights {
		if y < h {
			return i
		}
		y -= h
	}
	return len(c.heights) - 1
}

// Window is the part of a column that is in the document: the messages from
// From on and before To.
type Window struct{ From, To int }

// Around returns the window that holds what is between top and bottom, in px,
// in whole blocks.
func (c *Column) Around(top, bottom float64) Window {
	if len(c.path) == 0 {
		return Window{}
	}
	from, to := c.At(top), c.At(bottom)
	return Window{From: from / Block * Block, To: min((to/Block+1)*Block, len(c.path))}
}

// Holds says that all of o is in w.
func (w Window) Holds(o Window) bool { return w.From <= o.From && o.To <= w.To }

// Toward is the next window on the way from w to near, of which seen is in view:
// what is in view at once where none of it was, and from there a block at a time,
// the side in view first, so that no frame has to draw many messages. What is
// beyond keep is let go.
func (w Window) Toward(seen, near, keep Window) Window {
	if w.To <= seen.From || w.From >= seen.To {
		return seen
	}
	w = Window{From: max(w.From, keep.From), To: min(w.To, keep.To)}
	above, below := w.From > near.From, w.To < near.To
	if w.From > seen.From || above && w.To >= seen.To && !below {
		w.From = max(near.From, w.From-Block)
	} else if below {
		w.To = min(near.To, w.To/Block*Block+Block)
	}
	return w
}

// A Stretch is a run of messages as it stands in the document: a gap, a block
// of messages, or stretches of the next smaller size. Which stretch a message
// is in depends on its place alone, so that nothing that is drawn moves when
// another part of the column comes or goes.
type Stretch struct {
	From, To int       // of the messages
	Gap      float64   // its height, where nothing of it is drawn
	Kids     []Stretch // none in a gap and in a block
}

// Stretches lays the column out so that what shown tells of is drawn: shown is
// asked for ranges of messages.
func (c *Column) Stretches(shown func(from, to int) bool) []Stretch {
	return c.stretches(0, len(c.path), Block*fan*fan*fan, shown)
}

func (c *Column) stretches(from, to, size int, shown func(from, to int) bool) []Stretch {
	var all []Stretch
	for at := from; at < to; at += size {
		s := Stretch{From: at, To: min(at+size, to)}
		switch {
		case !shown(s.From, s.To):
			s.Gap = math.Max(1, math.Round(c.Height(s.From, s.To)))
		case size > Block:
			s.Kids = c.stretches(s.From, s.To, size/fan, shown)
		}
		all = append(all, s)
	}
	return all
}
