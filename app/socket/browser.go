//go:build js && wasm

package socket

import (
	"strings"
	"syscall/js"
	"time"

	"screentest/shared/wire"
)

// gather is how long messages wait for others once some have come: under load
// there are hundreds a second, and each way into Go costs as much as reading ten of
// them. The first after a pause is taken at once.
const gather = 16 * time.Millisecond

// Browser returns a Dial that uses the page's own WebSocket, to this page's
// origin. The first is the one that the page began before the program had come, if
// it did (server/page/early.js). post is Options.Post.
func Browser(post func(func())) func(Events) Conn {
	return func(e Events) Conn {
		loc := js.Global().Get("location")
		url := strings.Replace(loc.Get("origin").String(), "http", "ws", 1) + wire.Path
		c := &browserConn{events: e, post: post, inbox: js.Global().Get("Array").New()}
		missed := js.Value{} // events of it
		if early := js.Global().Get("screentestEarly"); early.Truthy() && early.Get("connection").Truthy() {
			begun := early.Call("connection")
			c.ws, missed = begun.Index(0), begun.Index(1)
		} else {
			c.ws = js.Global().Get("WebSocket").New(url)
			c.ws.Set("binaryType", "arraybuffer")
		}
		// The browser itself collects the messages; only the first one calls Go.
		c.ws.Call("addEventListener", "message", c.inbox.Get("push").Call("bind", c.inbox))
		c.first = js.FuncOf(func(js.Value, []js.Value) any {
			post(c.take)
			return nil
		})
		c.await()
		c.listen("open", func(js.Value) { post(e.Open) })
		// An error is always followed by close.
		c.listen("close", func(ev js.Value) {
			code := ev.Get("code").Int()
			c.release()
			post(func() {
				c.deliver()
				e.Closed(code)
			})
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
	ws       js.Value
	events   Events
	post     func(func())
	inbox    js.Value // message events that were not taken yet
	first    js.Func  // is called with the next message
	funcs    []listener
	released bool
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
	if ev.Get("type").String() == "message" {
		c.inbox.Call("push", ev)
		c.post(c.take)
		return
	}
	for _, l := range c.funcs {
		if l.event == ev.Get("type").String() {
			l.hear(ev)
			return
		}
	}
}

// await has the next message call Go.
func (c *browserConn) await() {
	c.ws.Call("addEventListener", "message", c.first, map[string]any{"once": true})
}

// take takes what has come, and what follows it together: but in the background,
// where timers are slow, as it comes.
func (c *browserConn) take() {
	if c.released {
		return
	}
	if n := c.deliver(); c.released {
		return
	} else if n == 0 || js.Global().Get("document").Get("hidden").Bool() {
		c.await()
		return
	}
	time.AfterFunc(gather, func() { c.post(c.take) })
}

// deliver hands on the messages that have come, and counts them.
func (c *browserConn) deliver() int {
	messages := c.inbox.Call("splice", 0)
	n := messages.Length()
	for i := range n {
		data := messages.Index(i).Get("data")
		if data.Type() == js.TypeString {
			c.events.Text([]byte(data.String()))
			continue
		}
		view := js.Global().Get("Uint8Array").New(data)
		msg := make([]byte, view.Length())
		js.CopyBytesToGo(msg, view)
		c.events.Binary(msg)
	}
	return n
}

func (c *browserConn) release() {
	if c.released {
		return
	}
	c.released = true
	for _, l := range c.funcs {
		c.ws.Call("removeEventListener", l.event, l.f)
		l.f.Release()
	}
	c.ws.Call("removeEventListener", "message", c.first)
	c.first.Release()
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
