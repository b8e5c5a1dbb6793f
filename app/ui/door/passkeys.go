//go:build js && wasm

package door

import (
	"encoding/json"
	"syscall/js"

	"screentest/app/ui/kit"
)

// passkeys are the browser's.
type passkeys struct{ h *kit.Host }

// There implements door.Passkeys.
func (passkeys) There() bool {
	of := js.Global().Get("PublicKeyCredential")
	return of.Truthy() && of.Get("parseRequestOptionsFromJSON").Truthy() && of.Get("parseCreationOptionsFromJSON").Truthy()
}

// Use implements door.Passkeys.
func (p passkeys) Use(options json.RawMessage, done func(json.RawMessage, string)) {
	p.ask("get", "parseRequestOptionsFromJSON", options, done)
}

// Make implements door.Passkeys.
func (p passkeys) Make(options json.RawMessage, done func(json.RawMessage, string)) {
	p.ask("create", "parseCreationOptionsFromJSON", options, done)
}

func (p passkeys) ask(what, parse string, options json.RawMessage, done func(json.RawMessage, string)) {
	defer func() {
		if r := recover(); r != nil { // the browser throws where it can't read the options
			done(nil, "This browser couldn’t read the server’s passkey request. Try another browser.")
		}
	}()
	var parsed any = js.Global().Get("JSON").Call("parse", string(options))
	if inner := parsed.(js.Value).Get("publicKey"); inner.Truthy() {
		parsed = inner
	}
	request := map[string]any{"publicKey": js.Global().Get("PublicKeyCredential").Call(parse, parsed)}
	var funcs []js.Func
	on := func(f func(v js.Value) (json.RawMessage, string)) js.Func {
		fn := js.FuncOf(func(_ js.Value, args []js.Value) any {
			credential, why := f(args[0])
			p.h.Post(func() {
				for _, f := range funcs {
					f.Release()
				}
				done(credential, why)
			})
			return nil
		})
		funcs = append(funcs, fn)
		return fn
	}
	js.Global().Get("navigator").Get("credentials").Call(what, request).Call("then",
		on(func(v js.Value) (json.RawMessage, string) {
			text := js.Global().Get("JSON").Call("stringify", v)
			return json.RawMessage(text.String()), ""
		}),
		on(func(v js.Value) (json.RawMessage, string) { return nil, failure(v.Get("name").String()) }))
}

// failure says why nothing came of it, by the name of the browser's error.
func failure(name string) string {
	switch name {
	case "NotAllowedError", "AbortError":
		return "No passkey was chosen, or it took too long. Try again."
	case "InvalidStateError":
		return "This device already has a passkey for your account."
	case "SecurityError":
		return "Passkeys work only at this server’s own address, over https or on localhost."
	}
	return "The browser couldn’t do it (" + name + ")."
}
