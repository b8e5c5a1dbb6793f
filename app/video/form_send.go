package video

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// attempt is a creation that was sent: as long as the server has not answered
// it, the same request has the same id, so that it can't become two tasks.
type attempt struct {
	id, body string
	mode     gateway.Mode
	answered bool // the server has it; what the gateway says of it follows
}

// restFor is how long the button rests after a task was made: a double click
// is one click.
const restFor = 1500 * time.Millisecond

// Send makes a clip of the draft. Where something is missing, or wrong, it
// returns the place of the first, for the focus, and sends nothing.
func (f *Form) Send() (first string, sent bool) {
	if f.Busy || f.Made != "" {
		return "", false
	}
	f.check()
	if !f.Check.Ready() {
		f.Tried = true
		f.d.o.Changed(PartForm)
		return f.First(), false
	}
	body := string(f.Check.Body)
	if f.try.body != body || f.try.answered {
		f.try = attempt{id: f.d.o.NewID(), body: body, mode: f.Mode}
	}
	create := wire.VideoCreate{ID: f.try.id, Body: json.RawMessage(body), Mode: string(f.Mode)}
	switch o := f.options(); f.Mode {
	case gateway.Reference:
		create.ReferenceSeconds = o.ReferenceSeconds
	case gateway.Motion:
		create.MotionSeconds = o.MotionSeconds
	case gateway.Extend, gateway.Upscale:
		create.Source, create.SourceIndex = f.draft.Source.Task, f.draft.Source.Index
	}
	f.Busy, f.Problem, f.Fitted = true, nil, nil
	f.tidy()
	f.d.o.Changed(PartForm)
	f.d.o.Line.Call(wire.OpVideoCreate, create, func(data json.RawMessage, p *wire.Problem) {
		var task wire.VideoTask
		p = answered(data, p, &task)
		f.sent(task, p)
	})
	return "", true
}

// sent takes the server's answer to a creation.
func (f *Form) sent(t wire.VideoTask, p *wire.Problem) {
	f.Busy = false
	if p != nil {
		f.refused(p)
		return
	}
	f.try.answered, f.Tried = true, false
	f.draft.Used = true
	f.draft.save(f.d.o.Storage, f.Mode)
	f.Made = t.ID
	f.d.o.After(restFor, func() {
		f.Made = ""
		f.d.o.Changed(PartForm)
	})
	f.d.Tasks.Put(t)
	f.told(t)
	f.d.o.Changed(PartForm)
}

// told takes what became of a task: where the gateway refuses the one that was
// just made of this draft, the form says why.
func (f *Form) told(t wire.VideoTask) {
	if t.ID == f.try.id && f.try.answered && t.State == wire.VideoRefused && t.Problem != nil && f.try.mode == f.Mode {
		f.refused(t.Problem)
	}
}

// refused shows why no clip was made. The draft stays; where the gateway says
// what the references take together, it is believed (F149).
func (f *Form) refused(p *wire.Problem) {
	if p.Code != "disconnected" && p.Code != "no_answer" {
		f.try = attempt{} // answered: the next is another
	}
	f.Made = ""
	if least, err := allowedFrom(p); err == nil && f.Mode == gateway.Reference && p.Code == gateway.CodeReferenceSeconds {
		f.draft.References = max(least-clip.Min, 0)
		f.draft.save(f.d.o.Storage, f.Mode)
		f.check()
	}
	f.Problem = p
	f.d.o.Changed(PartForm)
}

func allowedFrom(p *wire.Problem) (int, error) {
	if len(p.Allowed) == 0 {
		return 0, strconv.ErrSyntax
	}
	return strconv.Atoi(p.Allowed[0])
}

// Offer is the model that a refusal of the chosen one names for the source
// (F128, F136); "" where there is none.
func (f *Form) Offer() (id string) {
	p := f.Problem
	if p == nil || p.Code != gateway.CodeSourceMismatch && p.Code != gateway.CodeSourceModeMismatch {
		return ""
	}
	for _, m := range f.Models() {
		// The longest: an id can be the beginning of another.
		if m.ID != f.draft.Model && strings.Contains(p.Message, m.ID) && len(m.ID) > len(id) {
			id = m.ID
		}
	}
	return id
}

// First is the place where the person should go next: what is missing, else
// what is wrong; "" when all is well.
func (f *Form) First() string {
	switch c := f.Check; {
	case len(c.Missing) > 0:
		return c.Missing[0].Field
	case len(c.Errors) > 0:
		return c.Errors[0].Field
	}
	return ""
}

// Verb is what the button says: what it does, or the first thing missing.
func (f *Form) Verb() string {
	switch c := f.Check; {
	case f.Busy:
		return "Creating…"
	case f.Made != "":
		return "Created"
	case len(c.Missing) > 0:
		return c.Missing[0].Text
	case len(c.Errors) > 0:
		return "Change " + f.placeName(c.Errors[0].Field)
	case f.Mode == gateway.Extend:
		return "Extend clip"
	case f.Mode == gateway.Upscale:
		return "Upscale clip"
	}
	return "Create video"
}

// placeName names a place of the request within a sentence: a slot by what it
// is for in the mode.
func (f *Form) placeName(place string) string {
	root, _, _ := strings.Cut(place, "[")
	if s := f.slotAt(place); s != nil && root != place {
		field, _ := f.Field(root)
		for i, have := range *f.draft.slots(root) {
			if have.ID == s.ID {
				return strings.Replace(f.SlotName(field, i), "an image", "the image", 1)
			}
		}
	}
	return gateway.PlaceName(place)
}
