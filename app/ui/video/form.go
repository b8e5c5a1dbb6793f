//go:build js && wasm

package video

import (
	"strconv"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/ui/kit"
	"screentest/app/video"
	"screentest/shared/gateway"
)

// Form is the left side of the Video page: the modes, the fields of the mode, and
// below them the price beside the button that spends it.
//
// What is typed belongs to the browser's fields; see kit.Host.Show.
type Form struct {
	app.Compo
	s      *Section
	Rev    int
	Budget string // that is nearly used up, in words
	Lost   bool   // kit.Host.Lost

	grow    map[string]int // of the bar of shots, by element id
	mention mention
	dragged string // the shot that is being dragged
	query   string // that is being typed, to find a clip for a slot
	finding func() // ends the wait for more of it
	copied  bool   // the request was copied a moment ago
}

// OnMount implements app.Mounter.
func (f *Form) OnMount(ctx app.Context) {
	defer f.s.Guard("the form")
	f.s.form = f
	f.s.listening.Do(f.s.listen)
	ctx.Defer(func(app.Context) { f.sync() })
}

// OnUpdate implements app.Updater.
func (f *Form) OnUpdate(ctx app.Context) {
	defer f.s.Guard("the form")
	ctx.Defer(func(app.Context) { f.sync() })
}

// OnDismount implements app.Dismounter.
func (f *Form) OnDismount() {
	if f.s.form == f {
		f.s.form = nil
	}
}

func (f *Form) model() *video.Form { return f.s.desk.Form }

// on is a handler that changes the model, which has what is to be drawn drawn.
func (f *Form) on(name string, handle func(e app.Event)) *kit.Handler {
	return f.s.On(name, func(ctx app.Context, e app.Event) {
		ctx.PreventUpdate()
		handle(e)
	})
}

// Render implements app.Composer.
func (f *Form) Render() (ui app.UI) {
	s := f.s
	defer s.Drawing("the form", &ui)
	f.grow = map[string]int{}
	if !s.desk.Greeted {
		return kit.Empty("page", kit.Box("p", "", "Loading…"))
	}
	if s.Guest {
		return kit.Box("div", "form-body", kit.GuestNote())
	}
	if len(f.model().Modes()) == 0 {
		return kit.Empty("page", kit.Box("p", "", "There are no video models in the catalogue. Start the server with -catalog FILE and one that has some."))
	}
	return kit.El("form", "form", kit.At{"id", "form", "aria-label", "Make a clip", "novalidate", true,
		"onkeydown", f.on("form-key", f.onKey),
		"onsubmit", f.on("create", func(e app.Event) { e.PreventDefault(); f.send() })},
		kit.El("div", "form-body", kit.At{"id", "form-body"},
			f.modes(),
			f.fitted(),
			f.after(),
			kit.El("div", "form-fields", kit.At{"data-mode", string(f.model().Mode)}, f.fields()),
			kit.If(f.model().Mode != gateway.Upscale, f.takes),
			f.preview(),
		),
		f.foot(),
	)
}

// modes is the choice of what kind of clip it is to be.
func (f *Form) modes() app.UI {
	form := f.model()
	var list []kit.Option
	for _, m := range form.Modes() {
		list = append(list, kit.Option{Value: string(m), Name: video.ModeName(m)})
	}
	return f.s.Select("f-mode", "Kind of clip", "field mode-choice", nil, string(form.Mode), list, func(v string) { form.SetMode(gateway.Mode(v)) })
}

// fitted says what the last change took from the draft, and offers it back.
func (f *Form) fitted() app.UI {
	fitted := f.model().Fitted
	if fitted == nil {
		return kit.Notice(kit.Warn, "", kit.At{"id", "fitted", "role", "status", "hidden", true})
	}
	return kit.Notice(kit.Warn, "", kit.At{"id", "fitted", "role", "status"},
		kit.Box("p", "", fitted.What),
		kit.Box("ul", "", kit.Times(len(fitted.Dropped), func(i int) app.UI {
			return kit.Box("li", "", fitted.Dropped[i].Words())
		})),
		kit.Box("div", "line",
			kit.Button("", kit.At{"id", "undo-fit"}, f.on("undo", func(app.Event) { f.model().Undo(); f.focusMode() }), "Undo"),
			kit.Button("", nil, f.on("keep", func(app.Event) { f.model().KeepFitted(); f.focusMode() }), "Keep"),
		),
	)
}

// takes is how many clips the button makes.
func (f *Form) takes() app.UI {
	form := f.model()
	list := make([]kit.Option, 0, video.MostTakes)
	for n := 1; n <= video.MostTakes; n++ {
		list = append(list, kit.Option{Value: strconv.Itoa(n), Name: strconv.Itoa(n)})
	}
	return f.field("takes", "Takes", form.TakesNote(), f.radios("takes", "Takes", "", list, strconv.Itoa(form.Takes()), func(v string) {
		if n, err := strconv.Atoi(v); err == nil {
			form.SetTakes(n)
		}
	}))
}

// foot is the price, the button, and what went wrong with the last one.
func (f *Form) foot() app.UI {
	form := f.model()
	c := form.Check
	price, basis := form.Total()
	look := "primary wide"
	if form.Made {
		look = "wide made"
	} else if !c.Ready() {
		look = "wide missing"
	}
	// What comes and goes stands above the button, which keeps its place under
	// the finger.
	return kit.Box("div", "form-foot",
		f.refusal(),
		kit.El("div", "faint made", kit.At{"id", "made", "role", "status"},
			kit.If(form.Made, func() app.UI {
				words := "It keeps going if you close this page. "
				switch {
				case form.MadeCount() > 1 && form.Waits:
					words = "They wait for a lead’s approval, above your clips. "
				case form.MadeCount() > 1:
					words = "They keep going if you close this page. "
				case form.Waits:
					words = "It waits for a lead’s approval, above your clips. "
				}
				return kit.Box("span", "", words,
					kit.Button("small narrow-only", nil, f.on("show clips", func(app.Event) { f.s.showPane(paneResults) }), "Show the clips"))
			}),
		),
		kit.Box("div", "price-line",
			kit.El("span", "price figure", kit.At{"id", "price"}, price),
			kit.El("span", "faint figure push", kit.At{"id", "basis"}, basis),
			kit.Pill(kit.At{"hidden", !form.Sample(), "title", "A sample price, not your gateway’s own"}, "sample"),
		),
		kit.Either(len(f.s.Charges) < 2, kit.Nothing, func() app.UI {
			return kit.Box("div", "line", kit.El("label", "soft", kit.At{"for", "clip-charge"}, "Charged to"), f.s.ChargeChoice("clip-charge"))
		}),
		kit.El("p", "soft", kit.At{"id", "unsent", "role", "status", "hidden", !form.Busy || !f.Lost}, "There is no connection to the server. The clip is sent once it’s back."),
		kit.El("p", "soft", kit.At{"id", "asks", "hidden", form.AsksWords() == ""}, form.AsksWords()),
		kit.BudgetNote(f.Budget),
		kit.Button(look, kit.At{"id", "create", "type", "submit", "data-ready", c.Ready(),
			"aria-disabled", form.Busy || form.Made, "aria-keyshortcuts", "Control+Enter"}, nil,
			kit.El("span", "", kit.At{"id", "verb"}, form.Verb()),
			kit.El("kbd", "wide-only", kit.At{"hidden", !c.Ready() || form.Busy || form.Made}, "Ctrl ⏎"),
		),
	)
}

// refusal is why the last creation came to nothing, where no field is to
// blame that the form draws.
func (f *Form) refusal() app.UI {
	form := f.model()
	at := kit.At{"id", "form-problem", "role", "alert"}
	p := form.Problem
	if p != nil && !f.drawn(p.Field) {
		return kit.Notice(kit.Bad, "", at,
			kit.Box("p", "", kit.If(p.Field != "", func() app.UI { return kit.Box("code", "", p.Field+": ") }), kit.Box("span", "", p.Message)),
			kit.If(p.Hint != "", func() app.UI { return kit.Box("p", "todo", p.Hint) }),
			kit.Remedy(p),
		)
	}
	var rest []app.UI
	for _, i := range form.Check.Errors {
		if !f.drawn(i.Field) {
			rest = append(rest, f.issue(i, "issue bad"))
		}
	}
	for _, i := range form.Check.Warnings {
		if !f.drawn(i.Field) {
			rest = append(rest, f.issue(i, "issue warn"))
		}
	}
	return kit.El("div", "issues", at, rest)
}

// drawn says that the form has a place for what concerns a field.
func (f *Form) drawn(place string) bool {
	_, ok := f.model().Field(rootOf(place))
	return ok
}

// send makes the clip, or leads to what is missing.
func (f *Form) send() {
	if first, sent := f.model().Send(); !sent && first != "" {
		f.s.Context().Defer(func(app.Context) { f.focus(first) })
	}
}

func (f *Form) onKey(e app.Event) {
	switch {
	case e.Get("key").String() == "Enter" && (e.Get("ctrlKey").Bool() || e.Get("metaKey").Bool()):
		e.PreventDefault()
		if !e.Get("repeat").Bool() {
			f.send()
		}
	case kit.Composing(e.Value):
	case e.Get("key").String() == "Enter" && e.Get("target").Get("tagName").String() == "INPUT":
		e.PreventDefault() // Enter in a small field is no order to spend money
		e.Get("target").Call("blur")
		e.Get("target").Call("focus")
	}
}

// preview is the request as it would be sent.
func (f *Form) preview() app.UI {
	copyText := "Copy JSON"
	if f.copied {
		copyText = "Copied"
	}
	return kit.El("details", "fold", kit.At{"id", "request-fold"},
		kit.Box("summary", "", kit.Icon(kit.IconChevron, "icon small turns"), "Request"),
		kit.Box("div", "line preview",
			kit.Box("code", "faint push", "POST "+gateway.Video.Path()),
			kit.Button("small", kit.At{"id", "copy-request"}, f.on("copy body", func(app.Event) { f.copy() }), kit.Icon(kit.IconCopy, "icon small"), copyText),
		),
		kit.El("pre", "json", kit.At{"id", "request", "tabindex", 0, "aria-label", "The request's body"}, f.bodies()),
	)
}

// bodies are the requests as they would be sent, one for each model.
func (f *Form) bodies() string {
	text := pretty(f.model().Check.Body)
	for _, l := range f.model().Lanes {
		if f.model().Why(l) == "" {
			text += "\n\n" + pretty(l.Check.Body)
		}
	}
	return text
}

// copy puts the request on the clipboard, and says so on the button for a
// moment.
func (f *Form) copy() {
	f.s.Copy(f.bodies(), func(ok bool) {
		if !ok {
			f.s.desk.Tasks.Notices.Say(kit.NotCopied, video.Bad)
			return
		}
		f.copied = true
		f.s.changed(video.PartForm)
		f.s.After(2*time.Second, func() {
			f.copied = false
			f.s.changed(video.PartForm)
		})
	})
}
