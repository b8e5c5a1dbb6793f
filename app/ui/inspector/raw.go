//go:build js && wasm

package inspector

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/figure"
	"screentest/app/inspect"
	"screentest/app/ui/kit"
	"screentest/shared/gateway"
)

// load takes up the JSON that was being edited for a conversation.
func (v *requestView) load(of string) {
	v.of, v.loaded, v.drawn = of, true, ""
	v.raw, v.editing = inspect.Draft{}, false
	if d, ok := inspect.DecodeDraft(v.d.chat.Shown().RawDraft()); ok {
		v.raw, v.editing = d, !d.Closed
	}
	v.fillArea()
}

func (v *requestView) fillArea() {
	v.area.Set("value", v.raw.Text)
	v.endpoints.Set("value", string(v.raw.Endpoint))
}

// begin offers the request of the form as JSON to be edited.
func (v *requestView) begin() {
	v.raw = inspect.Draft{Endpoint: v.endpoint, Text: inspect.Pretty(v.body)}
	v.fillArea()
	v.setEditing(true)
}

// setEditing opens and closes the JSON. What was written stays.
func (v *requestView) setEditing(editing bool) {
	v.editing, v.sent, v.drawn = editing, false, ""
	v.raw.Closed = !editing
	v.store()
	v.refusal.Call("replaceChildren")
	v.d.Touch()
	focus := "#request-edit"
	if editing {
		focus = "#request-json"
	}
	v.d.After(0, func() {
		v.d.draw()
		v.d.DOM.Focus(focus)
	})
}

func (v *requestView) store() { v.d.chat.Shown().SetRawDraft(v.raw.Encode()) }

func (v *requestView) typed() {
	v.raw.Text = v.area.Get("value").String()
	v.raw.Endpoint = gateway.Endpoint(v.endpoints.Get("value").String())
	v.store()
	v.refusal.Call("replaceChildren")
	v.d.Touch()
}

// switchEndpoint takes the endpoint that serves the model (F116).
func (v *requestView) switchEndpoint() {
	v.endpoints.Set("value", string(v.instead))
	v.typed()
	v.area.Call("focus")
}

// drawRaw shows what the validator says of the JSON.
func (v *requestView) drawRaw() {
	d := v.d
	v.nothing("")
	v.endpoint, v.body, v.base = v.raw.Endpoint, v.raw.Body(), d.session.Hello.Gateway.BaseURL
	now := "raw " + string(v.endpoint) + "\n" + v.raw.Text
	if now == v.drawn {
		return
	}
	v.drawn = now
	verdict := d.chat.Judge(v.endpoint, v.body)
	d.drawIssues(v.verdict, verdict, "Valid request.")
	v.send.Set("disabled", !verdict.OK())
	v.instead = ""
	for _, i := range verdict.Errors {
		if i.Code == gateway.CodeWrongEndpoint && len(i.Allowed) > 0 {
			v.instead = gateway.Endpoint(i.Allowed[0])
		}
	}
	offered := v.instead == gateway.Chat || v.instead == gateway.Responses
	show(v.other, offered)
	if offered {
		kit.SetText(v.other, "Switch to POST "+v.instead.Path())
	}
	kit.SetText(v.size, figure.Count(int64(len(v.body)))+" bytes, sent as they are to the selected model")
}

// sendRaw sends the JSON as it stands.
func (v *requestView) sendRaw() {
	d := v.d
	if r := d.chat.Focused().SendRaw(v.raw.Endpoint, v.raw.Body()); r != nil {
		d.drawIssues(v.refusal, gateway.Verdict{Errors: r.Issues}, "")
		return
	}
	v.raw, v.editing, v.sent, v.drawn = inspect.Draft{}, false, true, ""
	v.d.message = ""
	d.o.FollowEnd(d.chat.Shown().Focused)
	v.d.Touch()
	d.Context().Defer(func(ctx app.Context) { ctx.Navigate("/c/" + d.chat.Current.ID) })
	d.After(0, func() {
		v.d.draw()
		d.DOM.Focus("#request-sent")
	})
}
