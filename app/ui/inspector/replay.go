//go:build js && wasm

package inspector

import (
	"strconv"
	"syscall/js"

	"screentest/app/figure"
	"screentest/app/inspect"
	"screentest/app/ui/kit"
	"screentest/app/ui/prose"
	"screentest/shared/gateway"
	"screentest/shared/reply"
)

// replayView draws an answer once more from its log, in the drawer, so that it
// can't be taken for a new one. Nothing is sent for it.
type replayView struct {
	v    *wireView
	root js.Value
	on   bool

	replay *inspect.Replay
	text   *prose.View
	speed  float64 // of the recorded pace; 0: at once
	last   float64 // of the frame before, in ms; 0: none yet
	frame  js.Func
	queued bool
	ended  bool

	state, place, thought js.Value
	body                  js.Value
	speeds                []js.Value
	factors               []float64
}

func newReplayView(v *wireView) *replayView {
	d := v.d
	r := &replayView{v: v, speed: 1, factors: []float64{1, 4, 0}}
	r.frame = js.FuncOf(func(_ js.Value, args []js.Value) any {
		now := args[0].Float()
		d.Post(func() { r.step(now) })
		return nil
	})
	segments := d.div("segments")
	segments.Call("setAttribute", "role", "group")
	segments.Call("setAttribute", "aria-label", "Pace")
	for i, name := range []string{"1×", "4×", "At once"} {
		b := d.button("replay-"+[]string{"1", "4", "0"}[i], "segment", name, func() { r.setSpeed(r.factors[i]) })
		r.speeds = append(r.speeds, b)
		segments.Call("append", b)
	}
	r.state = d.span("pill replay-mark", "")
	r.state.Set("id", "replay-state")
	r.state.Call("setAttribute", "role", "status")
	r.place = d.span("request-facts faint", "")
	r.thought = d.DOM.El("p", "request-facts faint")
	r.body = d.DOM.El("div", "md replay-text")
	r.body.Set("id", "replay-text")
	r.body.Set("tabIndex", 0)
	r.body.Call("setAttribute", "role", "region")
	r.body.Call("setAttribute", "aria-label", "The answer, drawn again")
	again := d.button("replay-again", "button", "From the start", func() { r.open() })
	stop := d.button("replay-stop", "button", "Back to the events", func() { r.close(true) })
	r.root = d.div("replay",
		d.div("line", r.state, d.div("push"), r.place),
		d.div("line", segments, d.div("push"), again, stop),
		r.thought, r.body)
	return r
}

// open begins at the start of the log.
func (r *replayView) open() {
	i := r.v.d.inspect
	if !i.Log.Ended || i.Log.Len() == 0 {
		return
	}
	r.endText()
	r.on, r.ended, r.last = true, false, 0
	r.replay = inspect.NewReplay(i.Log, gateway.Endpoint(i.Run.Endpoint))
	r.text = r.v.d.o.Pen.New(r.body)
	r.plan()
	r.v.d.Touch()
	r.v.d.After(0, func() {
		r.v.d.draw()
		r.v.d.DOM.Focus("#replay-stop")
	})
}

// close goes back to the events.
func (r *replayView) close(focus bool) {
	if !r.on {
		return
	}
	r.on, r.replay = false, nil
	r.endText()
	r.v.d.Touch()
	if focus {
		r.v.d.After(0, func() {
			r.v.d.draw()
			r.v.d.DOM.Focus("#wire-replay")
		})
	}
}

func (r *replayView) endText() {
	if r.text != nil {
		r.text.EndRepair()
		r.text = nil
	}
}

func (r *replayView) setSpeed(f float64) {
	r.speed = f
	r.v.d.Touch()
}

func (r *replayView) plan() {
	if !r.queued {
		r.queued = true
		js.Global().Call("requestAnimationFrame", r.frame)
	}
}

// step goes on by one frame.
func (r *replayView) step(now float64) {
	r.queued = false
	if !r.on || r.ended {
		return
	}
	if r.v.d.open && r.v.d.tab == Wire { // it waits while nobody sees it
		switch {
		case r.replay.Over():
		case r.speed == 0:
			r.replay.Hurry()
		case r.last > 0:
			// A page that was away has no frames: it goes on where it was.
			r.replay.Advance(min(now-r.last, 250) * r.speed)
		}
		if a := r.replay.Answer(); a != nil {
			if more := r.text.Grow(a.Text(), r.replay.Over()); !more && r.replay.Over() {
				r.ended = true
			}
		}
		r.draw()
	}
	r.last = now
	if !r.ended {
		r.plan()
	}
}

// draw says how far it is.
func (r *replayView) draw() {
	show(r.root, r.on)
	if !r.on {
		return
	}
	l := r.v.d.inspect.Log
	state := "Replay (no request is sent)"
	if r.ended {
		state = "Replay finished (no request was sent)"
	}
	kit.SetText(r.state, state)
	percent := int64(100)
	if l.Len() > 0 {
		percent = r.replay.At() * 100 / l.Len()
	}
	kit.SetText(r.place, figure.Milliseconds(r.replay.MS())+" · "+strconv.FormatInt(percent, 10)+" %")
	for i, b := range r.speeds {
		press(b, r.factors[i] == r.speed)
	}
	thought := thoughts(r.replay.Answer())
	kit.SetText(r.thought, thought)
	show(r.thought, thought != "")
}

// thoughts is what came besides the text, in a line.
func thoughts(a *reply.Answer) string {
	s := ""
	add := func(n int, what string) {
		if n > 0 {
			if s != "" {
				s += " · "
			}
			s += figure.Count(int64(n)) + " " + what
		}
	}
	add(len(a.Reasoning()), "bytes of reasoning")
	add(len(a.ToolCalls), "function calls")
	add(len(a.Searches), "web searches")
	add(len(a.Citations), "citations")
	return s
}
