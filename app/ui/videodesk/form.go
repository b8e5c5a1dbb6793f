//go:build js && wasm

package videodesk

import (
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/ui/kit"
	"screentest/app/video"
	"screentest/shared/gateway"
)

// Form is the left side of the desk: the modes, the fields of the mode, and
// below them the price beside the button that spends it.
//
// What is typed belongs to the browser's fields; see kit.Host.Show.
type Form struct {
	app.Compo
	s      *Section
	Rev    int
	Budget string // that is nearly used up, in words

	grow    map[string]int // of the bar of shots, by element id
	mention mention
	dragged string // the shot that is being dragged
	copied  bool   // the request was copied a moment ago
	shown   string // the mode that was shown last
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
func (f *Form) on(name string, handle func(e app.Event)) (app.EventHandler, app.EventOption) {
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
		return app.Div().Class("form").Body(app.P().Class("form-wait").Text("Waiting for the server…"))
	}
	if len(f.model().Modes()) == 0 {
		return app.Div().Class("form").Body(app.P().Class("form-wait").Text(
			"The catalogue names no video model. Start the server with -catalog FILE and a file that does."))
	}
	return app.Form().ID("form").Class("form").Aria("label", "Make a clip").Attr("novalidate", true).
		OnKeyDown(f.on("form-key", f.onKey)).
		OnSubmit(f.on("create", func(e app.Event) { e.PreventDefault(); f.send() })).
		Body(
			app.Div().ID("form-body").Class("form-body").Body(
				f.modes(),
				f.fitted(),
				app.Div().Class("form-fields").DataSet("mode", string(f.model().Mode)).Body(f.fields()...),
				f.preview(),
			),
			f.foot(),
		)
}

// modes is the choice of what kind of clip it is to be.
func (f *Form) modes() app.UI {
	form := f.model()
	var list []choice
	for _, m := range form.Modes() {
		list = append(list, choice{Value: string(m), Text: video.ModeName(m)})
	}
	return f.segments("mode", "Kind of clip", "video-modes", list, string(form.Mode), func(v string) { form.SetMode(gateway.Mode(v)) })
}

// fitted says what the last change took from the draft, and offers it back.
func (f *Form) fitted() app.UI {
	fitted := f.model().Fitted
	box := app.Div().ID("fitted").Class("fitted").Role("status")
	if fitted == nil {
		return box.Hidden(true)
	}
	return box.Hidden(false).Body(
		app.P().Text(fitted.What),
		app.Ul().Body(app.Range(fitted.Dropped).Slice(func(i int) app.UI {
			d := fitted.Dropped[i]
			now := " is left out"
			if d.Now != "" {
				now = " became " + d.Now
			}
			return app.Li().Body(app.Code().Text(d.Field), app.Text(" "+d.Was+now))
		})),
		app.Div().Class("fitted-actions").Body(
			app.Button().ID("undo-fit").Class("button").Type("button").Text("Undo").
				OnClick(f.on("undo", func(app.Event) { f.model().Undo(); f.focusMode() })),
			app.Button().Class("button").Type("button").Text("Keep").
				OnClick(f.on("wave", func(app.Event) { f.model().Wave(); f.focusMode() })),
		),
	)
}

// foot is the price, the button, and what went wrong with the last one.
func (f *Form) foot() app.UI {
	form := f.model()
	c := form.Check
	price, basis := "–", "The price follows from the length."
	if c.Price.Known {
		price, basis = c.Price.Cost.String(), c.Price.Basis+" · charged when the task is created, returned if it fails"
	} else if !form.Model().Price.Known {
		basis = "The catalogue has no price for this model."
	}
	button := app.Button().ID("create").Class("button primary wide").Type("submit").DataSet("ready", c.Ready()).
		Aria("disabled", form.Busy || form.Made).Aria("keyshortcuts", "Control+Enter")
	if form.Made {
		button = button.Class("made")
	} else if !c.Ready() {
		button = button.Class("missing")
	}
	// What comes and goes stands above the button, which keeps its place under
	// the finger.
	return app.Div().Class("form-foot").Body(
		f.refusal(),
		app.Div().ID("made").Class("made-line").Role("status").Body(
			app.If(form.Made, func() app.UI {
				return app.Span().Body(app.Text("The task is stored; it goes on without this page. "),
					app.Button().Class("link narrow-only").Type("button").Text("Show the clips").
						OnClick(f.on("show clips", func(app.Event) { f.s.showPane(paneResults) })))
			}),
		),
		app.Div().Class("price-line").Body(
			app.Span().ID("price").Class("price figure").Text(price),
			app.Span().ID("basis").Class("price-basis figure").Text(basis),
			app.Span().Class("badge").Hidden(!c.Price.Sample).Title("A sample price: start the server with -catalog FILE to set your gateway's own").Text("sample"),
		),
		kit.BudgetNote(f.Budget),
		button.Body(
			app.Span().ID("verb").Text(form.Verb()),
			app.Elem("kbd").Class("wide-only").Hidden(!c.Ready() || form.Busy || form.Made).Text("Ctrl ⏎"),
		),
	)
}

// refusal is why the last creation came to nothing, where no field is to
// blame that the form draws.
func (f *Form) refusal() app.UI {
	form := f.model()
	box := app.Div().ID("form-problem").Role("alert")
	p := form.Problem
	if p != nil && !f.drawn(p.Field) {
		return box.Class("refusal").Body(
			app.P().Body(app.If(p.Field != "", func() app.UI { return app.Code().Text(p.Field + ": ") }), app.Span().Text(p.Message)),
			app.If(p.Hint != "", func() app.UI { return app.P().Class("todo").Text(p.Hint) }),
			kit.Remedy(p),
		)
	}
	var rest []app.UI
	for _, i := range form.Check.Errors {
		if !f.drawn(i.Field) {
			rest = append(rest, issue(i, "issue bad"))
		}
	}
	for _, i := range form.Check.Warnings {
		if !f.drawn(i.Field) {
			rest = append(rest, issue(i, "issue warn"))
		}
	}
	return box.Class("refusal-none").Body(rest...)
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
	return app.Details().Class("preview").Body(
		app.Summary().Text("Request"),
		app.Div().Class("preview-head").Body(
			app.Code().Text("POST "+gateway.Video.Path()),
			app.Button().ID("copy-request").Class("button").Type("button").Body(kit.Icon(kit.IconCopy, "icon small"), app.Text(copyText)).
				OnClick(f.on("copy body", func(app.Event) { f.copy() })),
		),
		app.Pre().ID("request").Class("preview-body").TabIndex(0).Aria("label", "The request's body").Text(pretty(f.model().Check.Body)),
	)
}

// copy puts the request on the clipboard, and says so on the button for a
// moment.
func (f *Form) copy() {
	f.s.Copy(pretty(f.model().Check.Body), func(ok bool) {
		if !ok {
			f.s.desk.Tasks.Say(kit.NotCopied, video.Bad)
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
