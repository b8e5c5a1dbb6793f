package video

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"screentest/app/session"
	"screentest/shared/gateway"
	"screentest/shared/money"
	"screentest/shared/wire"
)

// attempt is a creation that was sent. As long as the server has not answered
// it, the same request has the same id, so that it can't become two tasks.
type attempt struct {
	id    string // of the task
	stage attemptStage
	click *click
}

type attemptStage int

const (
	attemptSent attemptStage = iota // the server has yet to answer
	attemptLost                     // no answer came: the next click sends it again
	attemptMade                     // answered a moment ago
)

// attemptKey is what a creation was made of: a double click is two of the same,
// and another form's creation is another, however soon it comes.
type attemptKey struct {
	mode  gateway.Mode
	model string
	body  string
	take  int // of those of one click, from 0
}

// restFor is how long the button rests after a task was made: a double click
// is one click. Whoever changes the form ends the rest.
const restFor = 1500 * time.Millisecond

// Send makes a clip of the draft. Where something is missing, or wrong, it
// returns the place of the first, for the focus, and sends nothing.
func (f *Form) Send() (first string, sent bool) {
	f.check()
	if f.Busy || f.Made {
		return "", false
	}
	if !f.Check.Ready() {
		f.Tried = true
		f.d.o.Changed(PartForm)
		return f.First(), false
	}
	f.made, f.madeOf = map[string]maker{}, f.Mode
	c := &click{open: f.Clips(), lost: map[string]int{}, edits: f.edits}
	for _, l := range f.goes() {
		key := attemptKey{mode: f.Mode, model: l.Model.ID, body: string(l.Check.Body)}
		c.lanes = append(c.lanes, key)
		for take := range l.takes {
			key.take = take
			f.create(key, c)
		}
	}
	f.Problem, f.Fitted = nil, nil
	f.recheck()
	return "", true
}

// create makes one take: a task with an id and a charge of its own.
func (f *Form) create(key attemptKey, c *click) {
	try := f.tries[key]
	if try == nil {
		try = &attempt{id: f.d.o.NewID()}
		f.tries[key] = try
	}
	try.stage, try.click = attemptSent, c
	create := wire.VideoCreate{ID: try.id, Body: json.RawMessage(key.body), Mode: string(f.Mode), Charge: f.d.Charge.ID,
		VersionOf: f.draft.VersionOf, CopiedFrom: f.draft.copiedFrom()}
	switch o := f.options(); f.Mode {
	case gateway.Reference:
		create.ReferenceSeconds = o.ReferenceSeconds
	case gateway.Motion:
		create.MotionSeconds = o.MotionSeconds
	case gateway.Extend, gateway.Upscale:
		create.Source, create.SourceIndex = f.draft.Source.Task, f.draft.Source.Index
	}
	draft, prompt := f.draft, f.draft.Prompt
	f.d.o.Server.Call(wire.OpVideoCreate, create, func(data json.RawMessage, p *wire.Problem) {
		var task wire.VideoTask
		if p = session.Read(data, p, &task); p == nil && draft.Prompt == prompt {
			draft.Used, draft.VersionOf = true, ""
			draft.save(f.d.o.Storage, key.mode)
		}
		f.sent(key, try, c, task, p)
		f.landed(key, c, p)
	})
}

// sent takes the server's answer to a creation.
func (f *Form) sent(key attemptKey, try *attempt, c *click, t wire.VideoTask, p *wire.Problem) {
	same := f.shows(key) // else the form is another by now
	if p == nil {
		try.stage = attemptMade
		if f.madeOf != key.mode {
			f.made, f.madeOf = map[string]maker{}, key.mode
		}
		f.made[t.ID], f.Waits = maker{key, c}, t.State == wire.VideoAsks
		if same {
			f.Tried = false
			f.d.o.After(restFor, func() {
				f.endRest(key, try)
				f.recheck()
			})
		} else {
			f.endRest(key, try)
		}
		f.d.Tasks.Put(t)
		f.recheck()
		f.follow(t)
		return
	}
	try.stage = attemptLost
	if !session.Unanswered(p) {
		delete(f.tries, key) // answered: the next is another
	}
	if p = f.named(key.model, p); same {
		f.refused(p)
	} else { // beside the fields of another form its reason would mislead
		f.d.Tasks.Notices.Say("The previous clip wasn’t made. "+strings.TrimSpace(p.Message+" "+p.Hint), Bad)
	}
}

// endRest lets the same creation be made again.
func (f *Form) endRest(key attemptKey, try *attempt) {
	if f.tries[key] == try && try.stage == attemptMade {
		delete(f.tries, key)
	}
}

// follow hears what became of a task: where the gateway refuses one that was just
// made of this draft, the form says why, and the next click makes that one again,
// and none that was made.
func (f *Form) follow(t wire.VideoTask) {
	m, mine := f.made[t.ID]
	if !mine || t.State != wire.VideoRefused || t.Problem == nil || f.madeOf != f.Mode {
		return
	}
	delete(f.made, t.ID)
	for key, try := range f.tries {
		f.endRest(key, try)
	}
	c := m.click
	c.made--
	c.failed++
	c.lost[m.key.model]++
	c.problem = f.named(t.Model, t.Problem)
	if c.edits != f.edits || !f.settle(m.key, c) {
		f.refused(c.problem)
	}
}

// refused shows why no clip was made. The draft stays; where the gateway says
// what the references take together, it is believed (F149).
func (f *Form) refused(p *wire.Problem) {
	if least, err := allowedFrom(p); err == nil && f.Mode == gateway.Reference && p.Code == gateway.CodeReferenceSeconds {
		f.draft.References = max(least-clip.Min, 0)
		f.draft.save(f.d.o.Storage, f.Mode)
	}
	f.Problem = p
	f.recheck()
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
	if p == nil || len(f.Lanes) > 0 || p.Code != gateway.CodeSourceMismatch && p.Code != gateway.CodeSourceModeMismatch {
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
	case f.Made && f.Waits:
		return "Asked"
	case f.Made:
		return "Created"
	case len(c.Missing) > 0:
		return c.Missing[0].Text
	case len(c.Errors) > 0:
		return "Change " + f.placeName(c.Errors[0].Field)
	case f.Asks() && len(f.Lanes) == 0:
		return "Ask for approval"
	case f.Clips() > 1:
		return "Create " + strconv.Itoa(f.Clips()) + " videos"
	case f.Mode == gateway.Extend:
		return "Extend clip"
	case f.Mode == gateway.Upscale:
		return "Upscale clip"
	}
	return "Create video"
}

// Asks says that the clip would wait for a lead of the team that is to pay for it:
// it is dearer than the team's amount, or nobody knows its price.
func (f *Form) Asks() bool {
	above := f.d.Charge.ApproveNanoUSD
	return above > 0 && slices.ContainsFunc(f.goes(), func(l Lane) bool {
		price := l.Check.Price
		return price.Known && int64(price.Cost) > above || l.Check.Ready() && !price.Known
	})
}

// AsksWords say who is asked, and why; "" where nobody is.
func (f *Form) AsksWords() string {
	c := f.d.Charge
	switch {
	case !f.Asks():
		return ""
	case len(f.Lanes) > 0:
		return "A clip over " + money.NanoUSD(c.ApproveNanoUSD).String() + ", or without a known price, waits for a lead or an admin to approve it."
	case !f.Check.Price.Known:
		return "No price is known: a lead or an admin has to approve it first. Nothing is sent or charged until then."
	}
	return "Over " + money.NanoUSD(c.ApproveNanoUSD).String() + ": a lead or an admin has to approve it first. Nothing is sent or charged until then."
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
