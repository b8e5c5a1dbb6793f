//go:build js && wasm

package socket

import (
	"strings"
	"syscall/js"

	"screentest/shared/wire"
)

// Browser returns a Dial that uses the page's own WebSocket, to this page's
// origin. The first is the one that the page began before the program had come, if
// it did (server/page/early.js). post is Options.Post.
func Browser(post func(func())) func(Events) Conn {
	return func(e Events) Conn {
		loc := js.Global().Get("location")
		url := strings.Replace(loc.Get("origin").String(), "http", "ws", 1) + wire.Path
		c := &browserConn{}
		missed := js.Value{} // events of it
		if early := js.Global().Get("screentestEarly"); early.Truthy() && early.Get("connection").Truthy() {
			begun := early.Call("connection")
			c.ws, missed = begun.Index(0), begun.Index(1)
		} else {
			c.ws = js.Global().Get("WebSocket").New(url)
			c.ws.Set("binaryType", "arraybuffer")
		}
		c.listen("open", func(js.Value) { post(e.Open) })
		c.listen("message", func(ev js.Value) {
			data := ev.Get("data")
			if data.Type() == js.TypeString {
				msg := []byte(data.String())
				post(func() { e.Text(msg) })
				return
			}
			view := js.Global().Get("Uint8Array").New(data)
			msg := make([]byte, view.Length())
			js.CopyBytesToGo(msg, view)
			post(func() { e.Binary(msg) })
		})
		// An error is always followed by close.
		c.listen("close", func(ev js.Value) {
			code := ev.Get("code").Int()
			c.release()
			post(func() { e.Closed(code) })
		})
		if missed.Truthy() {
			for i := range missed.Length() {
				c.hear(missed.Index(i))
			}
		}
		return c
	}
}

type browserConn struct {
	ws    js.Value
	funcs []listener
}

type listener struct {
	event string
	f     js.Func
	hear  func(js.Value)
}

func (c *browserConn) listen(event string, f func(js.Value)) {
	fn := js.FuncOf(func(_ js.Value, args []js.Value) any {
		f(args[0])
		return nil
	})
	c.funcs = append(c.funcs, listener{event, fn, f})
	c.ws.Call("addEventListener", event, fn)
}

// hear takes an event from before the program had come.
func (c *browserConn) hear(ev js.Value) {
	for _, l := range c.funcs {
		if l.event == ev.Get("type").String() {
			l.hear(ev)
			return
		}
	}
}

func (c *browserConn) release() {
	for _, l := range c.funcs {
		c.ws.Call("removeEventListener", l.event, l.f)
		l.f.Release()
	}
	c.funcs = nil
}

// Send implements Conn. Before the connection is open, and after, the message
// is dropped: the socket's time-outs see to that.
func (c *browserConn) Send(text []byte) {
	if c.ws.Get("readyState").Int() == 1 {
		c.ws.Call("send", string(text))
	}
}

// Close implements Conn.
func (c *browserConn) Close() {
	c.release()
	c.ws.Call("close")
}
