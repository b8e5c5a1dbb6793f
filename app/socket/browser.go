//go:build js && wasm

package socket

import (
	"strings"
	"syscall/js"

	"screentest/shared/wire"
)

// Browser returns a Dial that uses the page's own WebSocket, to this page's
// origin. post is Options.Post.
func Browser(post func(func())) func(Events) Conn {
	return func(e Events) Conn {
		loc := js.Global().Get("location")
		url := strings.Replace(loc.Get("origin").String(), "http", "ws", 1) + wire.Path
		c := &browserConn{}
		ws := js.Global().Get("WebSocket").New(url)
		ws.Set("binaryType", "arraybuffer")
		c.ws = ws
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
}

func (c *browserConn) listen(event string, f func(js.Value)) {
	fn := js.FuncOf(func(_ js.Value, args []js.Value) any {
		f(args[0])
		return nil
	})
	c.funcs = append(c.funcs, listener{event, fn})
	c.ws.Call("addEventListener", event, fn)
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
