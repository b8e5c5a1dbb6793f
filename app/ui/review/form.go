//go:build js && wasm

package review

import (
	"slices"
	"strconv"
	"strings"
	"syscall/js"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/review"
	"screentest/app/ui/kit"
	"screentest/shared/wire"
)

// textID is the field in which comments, answers and changes are typed: one, so
// that what others say meanwhile moves nothing under who types.
const textID = "review-text"

// mention is the list of people that opens when an @ is typed.
type mention struct {
	people []wire.Mate // none: it is closed
	active int
}

// form is where one writes.
func (s *Section) form(t *review.Thread) app.UI {
	if s.guest() {
		return kit.Box("p", "faint", "You’re a guest here: you can read comments, not write them.")
	}
	if about := t.About(s.slot); s.slot != review.New && (about == nil || about.Deleted) {
		s.slot = review.New
		s.After(0, s.refill)
	}
	d := t.Draft(s.slot)
	send := s.Do("send", func() { s.send() })
	return kit.El("div", "review-form", kit.At{"id", "review-form", "role", "group", "aria-label", "Write a comment"},
		s.about(t, d),
		kit.Box("div", "mention-box",
			kit.El("label", "sr-only", kit.At{"for", textID}, s.label()),
			s.Area(textID, "field", kit.At{"rows", "2", "placeholder", s.label() + "…", "aria-autocomplete", "list", "aria-haspopup", "listbox", "aria-controls", "review-people",
				"aria-activedescendant", kit.When(len(s.mention.people) > 0, "review-person-"+strconv.Itoa(s.mention.active)),
				"aria-invalid", kit.When(d.Problem != nil, "true"),
				"onfocus", s.On("write", func(ctx app.Context, _ app.Event) {
					ctx.PreventUpdate()
					s.begins(t)
				}),
				"onblur", s.On("leave", func(ctx app.Context, _ app.Event) {
					ctx.PreventUpdate()
					s.closeMentions()
				}),
				"onkeydown", s.On("text-key", func(ctx app.Context, e app.Event) {
					ctx.PreventUpdate()
					s.textKey(e)
				})}, d.Text, func(text string) {
				if d := t.Draft(s.slot); s.slot == review.New && d.Empty() && text != "" {
					s.stage.pause()
					d.AtMS = s.stage.nowMS()
				}
				t.Type(s.slot, text)
				s.offer(t)
			}),
			s.people(),
		),
		s.problem(d.Problem),
		kit.Box("div", "line review-send",
			kit.If(s.slot == review.New && t.Played() != nil && len(review.Files(*t.Played())) > 0, func() app.UI {
				return kit.Button("small", kit.At{"id", "review-point", "aria-pressed", s.pointing || d.X != nil,
					"title", "Click the frame to mark a spot"}, s.Do("point", func() { s.point(t) }), kit.Icon(iconPoint, "icon small"), pointWords(s.pointing, d))
			}),
			kit.Box("div", "push"),
			kit.Button("primary", kit.At{"id", "review-send"}, send, s.verb()),
		),
	)
}

func pointWords(pointing bool, d *review.Draft) string {
	switch {
	case pointing:
		return "Click the frame"
	case d.X != nil:
		return "No point"
	}
	return "Mark a spot"
}

// about says what is being written: at which time, or to whom.
func (s *Section) about(t *review.Thread, d *review.Draft) app.UI {
	if s.slot == review.New {
		at := d.AtMS
		if d.Empty() {
			at = s.stage.nowMS()
		}
		return kit.Box("div", "line review-about",
			kit.Box("span", "", "At ", kit.El("b", "figure", kit.At{"id", "review-at"}, review.Time(at)),
				kit.When(!d.Empty() && d.Version != t.Version && t.Has(d.Version), " of version "+strconv.Itoa(d.Version))),
			kit.El("button", "link", kit.At{"id", "review-now", "type", "button", "hidden", d.Empty(),
				"onclick", s.Do("now", func() { t.SetTime(s.stage.nowMS()) })}, "Where the player is"),
		)
	}
	words := "Editing your comment"
	if c := t.About(s.slot); c != nil && strings.HasPrefix(s.slot, "answer.") {
		words = "Answering " + c.Name + ", at " + review.Time(c.AtMS)
	}
	return kit.Box("div", "line review-about",
		kit.Box("span", "cut written", words),
		kit.El("button", "link", kit.At{"id", "review-cancel", "type", "button", "onclick", s.Do("cancel", func() { s.cancel(t) })}, "Cancel"),
	)
}

func (s *Section) label() string {
	switch {
	case strings.HasPrefix(s.slot, "answer."):
		return "Write a reply"
	case strings.HasPrefix(s.slot, "edit."):
		return "Edit the comment"
	}
	return "Comment here"
}

func (s *Section) verb() string {
	switch {
	case strings.HasPrefix(s.slot, "answer."):
		return "Answer"
	case strings.HasPrefix(s.slot, "edit."):
		return "Change"
	}
	return "Comment"
}

// write goes to the field, for a comment, an answer or a change.
func (s *Section) write(slot string) {
	t := s.thread()
	s.slot, s.mention = slot, mention{}
	t.Open(slot)
	s.refill()
	s.soon(textID, func(el js.Value) {
		el.Call("focus")
		n := js.Global().Get("String").New(el.Get("value")).Get("length").Int()
		el.Call("setSelectionRange", n, n)
	})
}

// refill has the field show what is typed in its slot, though it has the focus: it
// is another slot than before, or another draft.
func (s *Section) refill() {
	if t := s.thread(); t != nil && t.Phase == review.Ready {
		s.Put(textID, t.Draft(s.slot).Text)
	}
}

// begins pauses, and takes the time at which one begins to write.
func (s *Section) begins(t *review.Thread) {
	if s.slot != review.New || t.Phase != review.Ready {
		return
	}
	s.stage.pause()
	if d := t.Draft(review.New); d.Empty() {
		t.SetTime(s.stage.nowMS())
	}
}

// cancel leaves an answer or a change: what is typed of it is forgotten.
func (s *Section) cancel(t *review.Thread) {
	about := t.About(s.slot)
	t.Discard(s.slot)
	s.slot = review.New
	s.refill()
	s.changed()
	if about != nil {
		s.focusSoon(timeID(about.ID))
	}
}

func (s *Section) send() {
	t := s.thread()
	slot := s.slot
	if !t.Send(slot) {
		s.DOM.Focus("#" + textID)
		return
	}
	s.slot, s.mention, s.pointing = review.New, mention{}, false
	s.refill()
	s.changed()
	s.DOM.Focus("#" + textID)
}

// point has the next click on the frame set a point, or takes the point away.
func (s *Section) point(t *review.Thread) {
	switch d := t.Draft(review.New); {
	case s.pointing:
		s.pointing = false
	case d.X != nil:
		t.NoPoint()
	default:
		s.begins(t)
		s.pointing = true
		s.focusSoon("review-aim")
	}
	s.changed()
}

// textKey takes the keys of the field: of the list of people, and those that send
// and leave.
func (s *Section) textKey(e app.Event) {
	m := &s.mention
	if len(m.people) > 0 && !kit.Composing(e.Value) && !e.Get("ctrlKey").Bool() && !e.Get("metaKey").Bool() {
		taken := true
		switch e.Get("key").String() {
		case "ArrowDown":
			m.active = (m.active + 1) % len(m.people)
		case "ArrowUp":
			m.active = (m.active + len(m.people) - 1) % len(m.people)
		case "Enter", "Tab":
			s.pick(m.people[m.active])
		case "Escape":
			*m = mention{}
		default:
			taken = false
		}
		if taken {
			e.PreventDefault()
			e.Call("stopPropagation")
			s.changed()
			return
		}
	}
	switch {
	case s.DOM.Sends(e.Value):
		e.PreventDefault()
		s.send()
	case e.Get("key").String() == "Escape" && !kit.Composing(e.Value):
		e.Call("stopPropagation")
		if s.slot != review.New && s.thread().Draft(s.slot).Text == "" {
			s.cancel(s.thread())
			return
		}
		e.Get("target").Call("blur")
	}
}

// people is the list of those whom an @ may mean.
func (s *Section) people() app.UI {
	m := s.mention
	return kit.El("div", "menu mentions review-people", kit.At{"id", "review-people", "role", "listbox", "aria-label", "People", "hidden", len(m.people) == 0},
		kit.Times(len(m.people), func(i int) app.UI {
			one := m.people[i]
			return kit.El("div", "menu-item", kit.At{"id", "review-person-" + strconv.Itoa(i), "role", "option", "aria-selected", i == m.active,
				"onmousedown", s.On("mention", func(ctx app.Context, e app.Event) {
					ctx.PreventUpdate()
					e.PreventDefault() // the field keeps the focus
					s.pick(one)
				})}, kit.Box("span", "cut written", one.Name))
		}),
	)
}

// offer opens the list while a name is being typed.
func (s *Section) offer(t *review.Thread) {
	before, _ := s.aroundCaret()
	was := len(s.mention.people)
	s.mention = mention{}
	if query, typing := review.Mention(before); typing {
		others := slices.Clone(t.Review.People) // nobody calls for themself
		if me := s.o.Session.Me(); me != nil {
			others = slices.DeleteFunc(others, func(p wire.Mate) bool { return p.ID == me.ID })
		}
		s.mention.people = review.Matches(others, query)
	}
	if was+len(s.mention.people) > 0 {
		s.changed()
	}
}

func (s *Section) closeMentions() {
	if len(s.mention.people) > 0 {
		s.mention = mention{}
		s.changed()
	}
}

// pick puts somebody's name where the caret is.
func (s *Section) pick(one wire.Mate) {
	area := s.DOM.ByID(textID)
	before, after := s.aroundCaret()
	before, after = review.Complete(before, after, one.Name)
	s.mention = mention{}
	area.Set("value", before+after)
	s.thread().Type(s.slot, before+after)
	s.thread().Pick(s.slot, one.ID)
	caret := js.Global().Get("String").New(before).Get("length").Int()
	area.Call("focus")
	area.Call("setSelectionRange", caret, caret)
	s.changed()
}

// aroundCaret is the text before and after the caret.
func (s *Section) aroundCaret() (before, after string) {
	area := s.DOM.ByID(textID)
	if !area.Truthy() {
		return "", ""
	}
	value := js.Global().Get("String").New(area.Get("value"))
	return value.Call("slice", 0, area.Get("selectionStart").Int()).String(), value.Call("slice", area.Get("selectionEnd").Int()).String()
}

// focusSoon moves the focus to an element that the next draw makes.
func (s *Section) focusSoon(id string) {
	s.soon(id, func(el js.Value) { el.Call("focus", map[string]any{"preventScroll": true}) })
}

// soon hands f an element that the next draw makes or shows, once it is there.
// What does not come within two seconds is not waited for.
func (s *Section) soon(id string, f func(el js.Value)) {
	const look, most = 40 * time.Millisecond, 50
	var try func(n int)
	try = func(n int) {
		if el := s.DOM.ByID(id); el.Truthy() && !el.Get("hidden").Bool() {
			f(el)
		} else if n < most {
			s.After(look, func() { try(n + 1) })
		}
	}
	s.After(look, func() { try(0) })
}
