//go:build js && wasm

package review

import (
	"strconv"
	"strings"
	"syscall/js"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/review"
	"screentest/app/session"
	"screentest/app/ui/kit"
)

// timeID is the id of the button that leads to a comment's time.
func timeID(comment string) string { return "said-" + comment }

// list are the comments, in the order of the clip's time.
func (s *Section) list(t *review.Thread) app.UI {
	list, before, after := t.Drawn()
	if len(list) == 0 {
		words := "No comments yet."
		if all, _ := t.Count(); all > 0 {
			words = "No comments match."
		}
		return kit.Box("div", "", kit.Box("p", "soft review-none", words))
	}
	more := func(n int, words string, later bool) app.UI {
		return kit.If(n > 0, func() app.UI {
			return kit.Button("plain", kit.At{"data-later", later}, s.Do(words, func() { t.Draw(later) }), words+" ("+strconv.Itoa(n)+")")
		})
	}
	return kit.Box("div", "", more(before, "Earlier in the clip", false), kit.El("ol", "review-list", kit.At{"id", "review-list", "aria-label", "Comments",
		"onkeydown", s.On("list-key", func(ctx app.Context, e app.Event) {
			ctx.PreventUpdate()
			by := map[string]int{"ArrowDown": 1, "ArrowUp": -1}[e.Get("key").String()]
			if by != 0 && e.Get("target").Call("matches", ".review-at").Bool() {
				e.PreventDefault()
				s.move(by)
			}
		})},
		kit.Times(len(list), func(i int) app.UI { return s.item(t, list[i]) }),
	), more(after, "Later in the clip", true))
}

// item is a comment with its answers.
func (s *Section) item(t *review.Thread, e review.Entry) app.UI {
	open := t.Selected == e.ID
	return kit.El("li", "review-comment", kit.At{"data-comment", e.ID, "data-open", open, "data-resolved", e.ResolvedMS != 0, "aria-current", kit.When(open, "true")},
		kit.Box("div", "review-who",
			kit.El("button", "review-at figure", kit.At{"id", timeID(e.ID), "type", "button", "title", "Go to this time",
				"aria-label", review.Time(e.AtMS) + ", " + who(e), "onclick", s.Do("go to a comment", func() { s.open(e.ID, false) })},
				review.Time(e.AtMS)),
			s.by(e),
			kit.If(e.Version != t.Version, func() app.UI {
				return kit.Pill(kit.At{"title", "On version " + strconv.Itoa(e.Version)}, "v"+strconv.Itoa(e.Version))
			}),
			kit.If(e.X != nil && !e.Deleted, func() app.UI {
				return kit.Box("span", "review-pointed", kit.Icon(iconPoint, "icon small"), kit.Box("span", "sr-only", "with a spot on the frame"))
			}),
		),
		s.text(t, e),
		s.does(t, e),
		kit.If(len(e.Answers) > 0, func() app.UI {
			return kit.Box("ol", "review-answers", kit.Times(len(e.Answers), func(i int) app.UI {
				a := e.Answers[i]
				return kit.El("li", "review-answer", kit.At{"data-comment", a.ID},
					kit.Box("div", "review-who", s.by(a)), s.text(t, a), s.does(t, a))
			}))
		}),
	)
}

func who(e review.Entry) string {
	if e.Deleted {
		return "deleted"
	}
	return e.Name
}

// by is who said it, when, and whether that is new.
func (s *Section) by(e review.Entry) app.UI {
	when := ""
	if e.CreatedMS != 0 {
		when = dateOf(e.CreatedMS)
	}
	if e.EditedMS != 0 {
		when += ", changed"
	}
	return kit.Box("span", "review-by",
		kit.Box("b", "cut written", e.Name),
		kit.Box("span", "faint", when),
		kit.If(e.Fresh, func() app.UI { return kit.Box("span", "review-new", "New") }),
	)
}

// text is what was said. It is text and stays text.
func (s *Section) text(t *review.Thread, e review.Entry) app.UI {
	if e.Deleted {
		return kit.Box("p", "soft", "This comment was deleted.")
	}
	pieces := review.Pieces(e.Text, t.Review.People)
	return kit.Box("p", "review-text written", kit.Times(len(pieces), func(i int) app.UI {
		if pieces[i].Name {
			return kit.Box("b", "review-name", pieces[i].Text)
		}
		return kit.Box("span", "", pieces[i].Text)
	}))
}

// does is what can be done with a comment, and how that went.
func (s *Section) does(t *review.Thread, e review.Entry) app.UI {
	if w := e.Waiting; w != nil {
		return s.notSent(t, w)
	}
	if s.asking == e.ID {
		return s.asks(t, e)
	}
	button := func(name, words string, do func()) app.UI {
		return kit.El("button", "link", kit.At{"id", name + "-" + e.ID, "type", "button", "disabled", e.Busy, "onclick", s.Do(name, do)}, words)
	}
	var list []app.UI
	if e.Comment.Answers == "" && !s.guest() {
		words := "Answer"
		if t.Draft(review.AnswerSlot(e.ID)).Text != "" {
			words = "Continue your reply"
		}
		if !e.Deleted {
			list = append(list, button("answer", words, func() { s.write(review.AnswerSlot(e.ID)) }))
			if e.ResolvedMS != 0 {
				list = append(list, button("reopen", "Reopen", func() { t.Resolve(e.ID, false) }))
			} else {
				list = append(list, button("resolve", "Resolve", func() { t.Resolve(e.ID, true) }))
			}
		}
	}
	if e.Mine {
		list = append(list, button("edit", "Edit", func() { s.write(review.EditSlot(e.ID)) }))
	}
	if e.May {
		list = append(list, button("delete", "Delete", func() {
			s.asking = e.ID
			s.changed()
			s.focusSoon("really-" + e.ID)
		}))
	}
	return kit.Box("div", "review-does",
		kit.If(e.ResolvedMS != 0, func() app.UI {
			return kit.Box("span", "good review-resolved", kit.Icon(kit.IconCheck, "icon small"), "Resolved by "+e.Resolver)
		}),
		list,
		kit.If(e.Trouble != nil, func() app.UI { return s.problem(e.Trouble) }),
	)
}

// asks whether a comment is to go.
func (s *Section) asks(t *review.Thread, e review.Entry) app.UI {
	return kit.El("div", "review-does", kit.At{"role", "group", "aria-label", "Delete the comment"},
		kit.Box("span", "", "Delete it for everyone?"),
		kit.El("button", "link bad", kit.At{"id", "really-" + e.ID, "type", "button", "onclick", s.Do("really delete", func() {
			s.asking = ""
			t.Delete(e.ID)
			s.DOM.Focus("#review-list .review-at")
		})}, "Delete"),
		kit.El("button", "link", kit.At{"id", "keep-" + e.ID, "type", "button", "onclick", s.Do("keep", func() {
			s.asking = ""
			s.changed()
			s.focusSoon("delete-" + e.ID)
		})}, "Keep"),
	)
}

// notSent says what becomes of a comment that the server doesn't have.
func (s *Section) notSent(t *review.Thread, w *review.Waiting) app.UI {
	switch {
	case w.Problem != nil:
	case w.Sending() && s.o.Session.Link == session.LinkOpen:
		return kit.Box("div", "review-does", kit.Box("span", "faint", "Sending…"))
	default:
		return kit.Box("div", "review-does",
			kit.El("span", "live", kit.At{"role", "status"}, "Not sent yet. It will be sent once the server can be reached."))
	}
	return kit.Box("div", "review-does",
		s.problem(w.Problem),
		kit.El("button", "link", kit.At{"type", "button", "onclick", s.Do("send again", func() { t.SendAgain(w.ID) })}, "Send again"),
		kit.El("button", "link", kit.At{"type", "button", "onclick", s.Do("take back", func() { s.write(t.TakeBack(w.ID)) })}, "Edit again"),
	)
}

// open opens a comment, and goes to its time; grab moves the focus to it too.
func (s *Section) open(id string, grab bool) {
	at, is := s.thread().Select(id)
	if !is {
		return
	}
	s.stage.pause()
	s.stage.seek(float64(at) / 1000)
	if !s.stage.player().Truthy() && s.o.Seek != nil {
		s.o.Seek(at)
	}
	s.soon(timeID(id), func(el js.Value) {
		if grab {
			el.Call("focus", map[string]any{"preventScroll": true})
		}
		el.Call("closest", "li").Call("scrollIntoView", map[string]any{"block": "nearest"})
	})
}

// move opens the comment that is so many on.
func (s *Section) move(by int) {
	if id := s.thread().Beside(by, s.stage.nowMS()); id != "" {
		s.open(id, true)
	}
}

// focused notes what has the focus among the comments: comments that come before it
// move what is drawn.
func (s *Section) focused(el js.Value) {
	s.focus = ""
	if el.Get("closest").Truthy() && el.Call("closest", "#review-list").Truthy() {
		s.focus = el.Get("id").String()
	}
}

// keepFocus gives the focus back to what had it.
func (s *Section) keepFocus() {
	if s.focus == "" {
		return
	}
	active := s.DOM.Doc.Get("activeElement")
	lost := active.Equal(s.DOM.Doc.Get("body")) || active.Truthy() && active.Call("closest", "#review-list").Truthy()
	if el := s.DOM.ByID(s.focus); lost && el.Truthy() && !el.Equal(active) {
		el.Call("focus", map[string]any{"preventScroll": true})
	}
}

// Below is what was said of a clip that is compared with others, by what tells it
// from them: of one's own its id, else its version.
func (s *Section) Below(key string) app.UI {
	t := s.thread()
	if t == nil || t.Phase != review.Ready {
		return kit.Nothing()
	}
	for _, v := range t.Review.Versions {
		if strconv.Itoa(v.Version) != key && v.Clip != key || key == "" {
			continue
		}
		return &Below{s: s, Rev: s.Rev(), Key: key, Version: v.Version, Seconds: v.Seconds}
	}
	return kit.Nothing()
}

// Below are the comments on a version under its player, by their times.
type Below struct {
	app.Compo
	s       *Section
	Rev     int
	Key     string
	Version int
	Seconds float64
}

// OnMount implements app.Mounter.
func (b *Below) OnMount(ctx app.Context) { b.place(ctx) }

// OnUpdate implements app.Updater.
func (b *Below) OnUpdate(ctx app.Context) { b.place(ctx) }

func (b *Below) place(ctx app.Context) {
	ctx.Defer(func(app.Context) {
		defer b.s.Guard("the marks")
		b.s.stage.place()
	})
}

// Render implements app.Composer.
func (b *Below) Render() (ui app.UI) {
	s := b.s
	defer s.Drawing("the comments on a version", &ui)
	t := s.thread()
	if t == nil || t.Phase != review.Ready {
		return kit.Nothing()
	}
	var list []review.Entry
	for _, e := range t.Entries() {
		if e.Version == b.Version && !e.Deleted {
			list = append(list, e)
		}
	}
	return kit.Box("div", "review-below",
		s.marks(t, b.Key, b.Seconds, list),
		kit.If(len(list) == 0, func() app.UI { return kit.Box("p", "soft", "No comments on this version.") }),
		kit.El("ol", "review-list", kit.At{"aria-label", "Comments on version " + strconv.Itoa(b.Version), "hidden", len(list) == 0}, kit.Times(min(len(list), mostBelow), func(i int) app.UI {
			e := list[i]
			return kit.El("li", "review-comment", kit.At{"data-comment", e.ID, "data-open", t.Selected == e.ID, "data-resolved", e.ResolvedMS != 0},
				kit.Box("div", "review-who",
					kit.El("button", "review-at figure", kit.At{"id", timeID(e.ID), "type", "button", "aria-label", review.Time(e.AtMS) + ", " + e.Name,
						"onclick", s.Do("go to a comment", func() { s.open(e.ID, false) })}, review.Time(e.AtMS)),
					s.by(e),
					kit.If(e.ResolvedMS != 0, func() app.UI { return kit.Box("span", "good", "Resolved") }),
				),
				s.text(t, e),
				kit.If(len(e.Answers) > 0, func() app.UI {
					var words []string
					for _, a := range e.Answers {
						words = append(words, a.Name+": "+a.Text)
					}
					return kit.Box("p", "soft written review-text", strings.Join(words, "\n"))
				}),
			)
		})),
	)
}

// mostBelow is how many comments are listed below a clip that is compared.
const mostBelow = 100

const iconPoint kit.IconPath = "M12 4v4M12 16v4M4 12h4M16 12h4M12 11.5v1"
