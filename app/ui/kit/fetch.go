//go:build js && wasm

package kit

import (
	"encoding/json"
	"syscall/js"

	"screentest/app/session"
	"screentest/shared/wire"
)

// Ask implements [session.API] with the browser's session.
func (h *Host) Ask(method, path string, in any, done session.Done) {
	h.ask(method, path, in, func(data json.RawMessage, p *wire.Problem) {
		if p != nil && p.Code == wire.CodeSignedOut && h.SignedOut != nil {
			h.SignedOut(func() { h.Ask(method, path, in, done) }) // nothing was done yet
			return
		}
		if done != nil {
			done(data, p)
		}
	})
}

// Knock is Ask for who may be signed out: that nobody is signed in is an answer
// like others.
func (h *Host) Knock(method, path string, in any, done session.Done) { h.ask(method, path, in, done) }

func (h *Host) ask(method, path string, in any, done session.Done) {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			done(nil, &wire.Problem{Code: "bad_call", Message: "The request could not be written: " + err.Error() + "."})
			return
		}
	}
	h.Fetch(method, path, body, func(status int, answer string) { done(session.Answered(status, answer)) })
}

// Fetch makes an HTTP request to this page's own server with the browser's
// fetch. done gets status 0 when there was no reply.
func (h *Host) Fetch(method, path string, body []byte, done func(status int, answer string)) {
	if body == nil {
		h.Send(method, path, nil, "", done)
		return
	}
	h.Send(method, path, string(body), "application/json", done)
}

// Send is Fetch with what the browser takes as a body, a file too, and its media type.
func (h *Host) Send(method, path string, body any, kind string, done func(status int, answer string)) {
	options := map[string]any{"method": method, "credentials": "same-origin", "cache": "no-store"}
	if body != nil {
		options["body"] = body
		options["headers"] = map[string]any{"Content-Type": kind}
	}
	status := 0
	var funcs []js.Func
	then := func(f func(v js.Value) any) js.Func {
		fn := js.FuncOf(func(_ js.Value, args []js.Value) any { return f(args[0]) })
		funcs = append(funcs, fn)
		return fn
	}
	end := func(answer string) {
		h.Post(func() {
			for _, f := range funcs {
				f.Release()
			}
			done(status, answer)
		})
	}
	js.Global().Call("fetch", path, options).
		Call("then", then(func(r js.Value) any {
			status = r.Get("status").Int()
			return r.Call("text")
		})).
		Call("then",
			then(func(text js.Value) any { end(text.String()); return nil }),
			then(func(js.Value) any { status = 0; end(""); return nil }))
}

// Await waits for a promise. A refusal gives null.
func (h *Host) Await(promise js.Value, done func(v js.Value)) {
	var ok, no js.Func
	end := func(v js.Value) {
		h.Post(func() {
			ok.Release()
			no.Release()
			done(v)
		})
	}
	ok = js.FuncOf(func(_ js.Value, args []js.Value) any { end(args[0]); return nil })
	no = js.FuncOf(func(js.Value, []js.Value) any { end(js.Null()); return nil })
	promise.Call("then", ok, no)
}
