//go:build js && wasm

package inspector

import (
	"strconv"
	"syscall/js"
	"time"

	"screentest/app/figure"
	"screentest/app/inspect"
	"screentest/app/ui/kit"
	"screentest/shared/gateway"
	"screentest/shared/snippet"
)

const (
	// slowPreview is how long writing the request may take to be done with
	// every key; one that takes longer waits for a pause in the typing.
	slowPreview  = 12 * time.Millisecond
	previewPause = 250 * time.Millisecond
)

// requestView is the tab Request: the body that would be sent for what stands
// in the composer, with the validator's verdict; the same as JSON to be
// edited; or what was sent for an answer.
type requestView struct {
	d    *Inspector
	root js.Value

	sent  bool // what was sent is shown, not what would be
	exact bool // as it goes over the wire, without line breaks put in

	raw     inspect.Draft // that is edited, or was
	editing bool
	of      string // the conversation that raw belongs to
	loaded  bool

	// What is shown, for the buttons that copy it.
	endpoint gateway.Endpoint
	body     []byte
	base     string
	instead  gateway.Endpoint // that would serve the model, where the one chosen does not
	drawn    string           // what the body was drawn from
	cost     time.Duration
	waiting  bool

	next, was        js.Value // the two buttons
	steps            *stepper
	where, facts     js.Value
	verdict          js.Value
	pretty, asIs     js.Value
	endpoints        js.Value
	pre, area, size  js.Value
	edit, resume     js.Value
	send, back       js.Value
	refusal, empty   js.Value
	filled, rawParts js.Value
	sandbox, bar     js.Value
	noClient         js.Value // says that a client can’t be told the body
	other            js.Value // switches to the endpoint that would do
}

func newRequestView(d *Inspector) *requestView {
	v := &requestView{d: d, steps: newStepper(d)}
	v.next = d.button("request-next", "segment", "Next request", func() { v.sent = false; d.Touch() })
	v.was = d.button("request-sent", "segment", "As sent", func() { v.sent = true; d.Touch() })
	v.where = d.DOM.El("p", "request-line mono faint")
	v.where.Set("id", "request-line")
	v.facts = d.DOM.El("p", "request-facts faint")
	v.verdict = d.DOM.El("ul", "verdict")
	v.verdict.Set("id", "verdict")
	v.verdict.Call("setAttribute", "aria-label", "Validation")
	v.pretty = d.button("", "segment", "Formatted", func() { v.exact, v.drawn = false, ""; d.Touch() })
	v.asIs = d.button("request-exact", "segment", "Exact", func() { v.exact, v.drawn = true, ""; d.Touch() })
	v.asIs.Set("title", "Exactly as sent, without added line breaks")
	v.pre = d.DOM.El("pre", "json")
	v.pre.Set("id", "request-body")
	v.pre.Set("tabIndex", 0)
	v.pre.Call("setAttribute", "aria-label", "The request's body")
	v.pre.Call("setAttribute", "role", "region")
	v.size = d.DOM.El("p", "request-facts faint")
	v.size.Set("id", "request-size")
	v.edit = d.button("request-edit", "button", "Edit as JSON", v.begin)
	v.resume = d.button("", "button", "Go on editing", func() { v.setEditing(true) })
	v.empty = d.el("p", "empty", "")

	v.area = d.DOM.El("textarea", "field code json-area")
	v.area.Set("id", "request-json")
	v.area.Set("spellcheck", false)
	v.area.Call("setAttribute", "aria-label", "The request as JSON")
	v.area.Call("setAttribute", "autocomplete", "off")
	d.DOM.On(v.area, "input", func(js.Value) { v.typed() }, d.Post)
	d.Hear(v.area, "keydown", func(ev js.Value) bool {
		return ev.Get("key").String() == "Enter" && (ev.Get("ctrlKey").Bool() || ev.Get("metaKey").Bool())
	}, func(js.Value) { v.sendRaw() })
	v.endpoints = d.DOM.El("select", "field")
	v.endpoints.Set("id", "request-endpoint")
	v.endpoints.Call("setAttribute", "aria-label", "Endpoint")
	for _, ep := range []gateway.Endpoint{gateway.Chat, gateway.Responses} {
		o := d.el("option", "", "POST "+ep.Path())
		o.Set("value", string(ep))
		v.endpoints.Call("append", o)
	}
	d.DOM.On(v.endpoints, "change", func(js.Value) { v.typed() }, d.Post)
	v.send = d.button("request-send", "button primary", "Send this", v.sendRaw)
	v.back = d.button("request-back", "button", "Back to the form", func() { v.setEditing(false) })
	v.refusal = d.DOM.El("ul", "verdict")
	v.refusal.Call("setAttribute", "role", "alert")
	v.other = d.button("request-other", "button", "", v.switchEndpoint)
	v.rawParts = d.div("request-raw", v.endpoints, v.other, v.area, d.div("line", v.send, v.back), v.refusal)

	v.bar = d.div("line", d.div("segments", v.pretty, v.asIs), d.div("push"), v.edit, v.resume)
	v.filled = d.div("request-filled",
		v.where, v.facts, v.verdict,
		v.bar,
		v.rawParts, v.pre, v.size, v.copies())
	v.root = d.div("request",
		d.div("segments wide", v.next, v.was), v.steps.root, v.empty, v.filled)
	return v
}

// copies are the buttons that copy the request as code.
func (v *requestView) copies() js.Value {
	d := v.d
	row := d.div("line")
	for _, l := range append(snippet.Languages(), snippet.Clients()...) {
		var b js.Value
		b = d.button("copy-"+string(l), "button", l.Name(), func() {
			v.whole(func(body []byte) {
				text := snippet.Write(l, snippet.Request{BaseURL: v.base, Endpoint: v.endpoint, Body: body})
				kit.SetText(v.noClient, kit.When(text == "", "A client takes only a JSON object of at most 100 levels, whose whole numbers are at most 2⁵³. This body isn’t one."))
				if text != "" {
					d.CopyTo(text, b)
				}
			})
		})
		b.Set("title", "Copy the request as "+l.Name())
		row.Call("append", b)
	}
	var plain js.Value
	plain = d.button("copy-body", "button", "Body", func() { v.whole(func(body []byte) { d.CopyTo(string(body), plain) }) })
	plain.Set("title", "Copy only the body")
	row.Call("append", plain)
	v.noClient = d.DOM.El("p", "request-facts")
	v.noClient.Set("role", "status")
	return d.div("copies", d.el("p", "label", "Copy as"), row, v.noClient, v.keyNote())
}

func (v *requestView) keyNote() js.Value {
	d := v.d
	note := d.DOM.El("p", "request-facts faint")
	note.Call("append", "Sends the same bytes, or with openai’s client the same request. The key comes from the environment variable ", d.el("code", "", snippet.KeyEnv), ".")
	v.sandbox = d.DOM.El("span", "")
	v.sandbox.Call("append", " The built-in sandbox takes the key ", d.el("code", "", "sandbox"), ".")
	note.Call("append", v.sandbox)
	return note
}

// draw brings the tab up to date.
func (v *requestView) draw() {
	d := v.d
	if of := d.chat.Shown().ID; !v.loaded || of != v.of {
		v.load(of)
	}
	show(v.sandbox, d.session.Hello.Gateway.Sandbox)
	press(v.next, !v.sent)
	press(v.was, v.sent)
	show(v.steps.root, v.sent)
	editing := v.editing && !v.sent
	show(v.rawParts, editing)
	show(v.pre, !editing)
	show(v.verdict, !v.sent)
	show(v.facts, v.sent)
	show(v.edit, !v.sent && !editing)
	show(v.resume, !v.sent && !editing && v.raw.Text != "")
	show(v.bar, !editing)
	show(v.where, !editing)
	press(v.pretty, !v.exact)
	press(v.asIs, v.exact)
	switch {
	case v.sent:
		v.drawSent()
	case editing:
		v.drawRaw()
	default:
		v.drawNext()
	}
}

// nothing says why there is no body to be shown.
func (v *requestView) nothing(why string) {
	kit.SetText(v.empty, why)
	show(v.empty, why != "")
	show(v.filled, why == "")
}

// drawNext shows what would be sent.
func (v *requestView) drawNext() {
	d := v.d
	if v.waiting {
		return
	}
	if v.cost > slowPreview {
		v.waiting, v.cost = true, 0
		d.After(previewPause, func() { v.waiting = false; v.d.Touch() })
		return
	}
	began := time.Now()
	lane := d.chat.Shown().Focused
	ep, body, verdict := d.chat.Lane(lane).Preview(d.chat.Shown().Draft())
	if body == nil {
		v.nothing("Choose a model to see the request.")
		return
	}
	v.nothing("")
	v.endpoint, v.body, v.base = ep, body, d.session.Hello.Gateway.BaseURL
	switch drawn := v.drawBody("next"); {
	case !drawn:
	case d.chat.Shown().Draft() == "" && len(d.chat.Shown().Attached()) == 0:
		v.verdict.Call("replaceChildren", d.el("li", "finding todo", "Type a message to see its request checked here."))
	default:
		d.drawIssues(v.verdict, verdict, "Valid request.")
	}
	v.cost = time.Since(began)
}

// drawSent shows what was sent for the answer that is looked at.
func (v *requestView) drawSent() {
	v.steps.draw()
	i := v.d.inspect
	switch {
	case i.Run.ID == "":
		v.nothing("Send a message to see its request here, byte for byte.")
		return
	case i.Problem != nil && i.Request == nil:
		v.nothing(i.Problem.Message)
		return
	case i.Request == nil:
		v.nothing("Loading…")
		return
	}
	v.nothing("")
	r := i.Request
	v.endpoint, v.body, v.base = gateway.Endpoint(r.Endpoint), []byte(r.Body), r.BaseURL
	if v.base == "" {
		v.base = v.d.session.Hello.Gateway.BaseURL
	}
	kit.SetText(v.facts, headFacts(i))
	v.drawBody(r.Run)
}

// drawBody draws the body, if it is another than the one that stands there.
func (v *requestView) drawBody(of string) bool {
	d := v.d
	kit.SetText(v.where, "POST "+snippet.Request{BaseURL: v.base, Endpoint: v.endpoint}.URL())
	form := of
	if v.exact {
		form += " exact"
	}
	if now := form + "\n" + string(v.body); now != v.drawn {
		v.drawn = now
	} else {
		return of == "next"
	}
	text := string(v.body)
	if !v.exact {
		text = inspect.Pretty(v.body)
	}
	size := figure.Count(int64(len(v.body))) + " bytes"
	if left := d.drawJSON(v.pre, text); left > 0 {
		size += "; shown up to here, " + figure.Count(int64(left)) + " more aren’t. Copying includes all."
	}
	kit.SetText(v.size, size+imagesNote(v.body))
	return true
}

// headFacts is what the reply's head told, in a line.
func headFacts(i *inspect.Inspector) string {
	if i.Request == nil {
		return ""
	}
	r, s := i.Request, ""
	add := func(t string) {
		if t == "" {
			return
		}
		if s != "" {
			s += " · "
		}
		s += t
	}
	status := r.Status
	if status == 0 && i.Run.Problem != nil {
		status = i.Run.Problem.Status
	}
	if status != 0 {
		add("HTTP " + strconv.Itoa(status))
	}
	id := r.RequestID
	if id == "" && i.Run.Problem != nil {
		id = i.Run.Problem.Request
	}
	if id != "" {
		add("request " + id)
	}
	add(r.ContentType)
	if i.NotAsked() {
		add("not sent: over budget")
		return s
	}
	add("sent " + kit.Wall(r.StartedMS).Format("2 Jan 2006 15:04:05"))
	return s
}
