//go:build js && wasm

package video

import (
	"math"
	"syscall/js"

	"screentest/app/ui/kit"
	"screentest/app/video"
	"screentest/shared/wire"
)

// posterAt is the moment that a poster shows, in seconds: within the first
// frame.
const posterAt = 0.01

// posterSide is the longer side of a poster, in pixels: enough for a card on a
// screen of double density.
const posterSide = 640

// preview plays a clip over its poster while it is pointed at or has the focus:
// without sound, and not where the person wants nothing to move.
func (s *Section) preview(id string, on bool) {
	link := s.DOM.ByID(cardKey(id, "link"))
	if !link.Truthy() {
		return
	}
	have := link.Call("querySelector", ".tile-preview")
	if !on {
		// Focus and pointer may be there both.
		if have.Truthy() && !link.Call("matches", ":hover, :focus").Bool() {
			have.Call("pause")
			unload(have)
			have.Call("remove")
		}
		return
	}
	t := s.desk.Tasks.Get(id)
	if t == nil || have.Truthy() || reducedMotion() {
		return
	}
	n := video.PlayableOutput(t)
	if n < 0 {
		return
	}
	v := s.DOM.El("video", "tile-preview")
	for name, value := range map[string]any{"muted": true, "loop": true, "playsInline": true, "preload": "auto", "tabIndex": -1} {
		v.Set(name, value)
	}
	v.Call("setAttribute", "aria-hidden", "true")
	v.Set("src", wire.MediaPathOf(id, n))
	link.Call("querySelector", ".tile-poster").Call("append", v)
	s.await(v.Call("play"), nil) // a browser that forbids it shows the first frame
}

// unload has a video let go of its clip, and of the connection that it came by.
func unload(v js.Value) {
	v.Call("removeAttribute", "src")
	v.Call("load")
}

// await waits for a promise; done may be nil. A refusal gives null.
func (s *Section) await(promise js.Value, done func(v js.Value)) {
	if !promise.Truthy() {
		return
	}
	var ok, no js.Func
	end := func(v js.Value) {
		s.Post(func() {
			ok.Release()
			no.Release()
			if done != nil {
				done(v)
			}
		})
	}
	ok = js.FuncOf(func(_ js.Value, args []js.Value) any {
		v := js.Null()
		if len(args) > 0 {
			v = args[0]
		}
		end(v)
		return nil
	})
	no = js.FuncOf(func(js.Value, []js.Value) any { end(js.Null()); return nil })
	promise.Call("then", ok, no)
}

// copy puts text on the clipboard and says so, or why it can't.
func (s *Section) copy(text, said string) {
	s.Copy(text, func(ok bool) {
		if ok {
			s.desk.Tasks.Notices.Say(said, video.Good)
		} else {
			s.desk.Tasks.Notices.Say(kit.NotCopied, video.Bad)
		}
	})
}

// frameOf draws what a video shows and returns it as an image, null where that
// can't be. A side of 0 is the video's own size.
func (s *Section) frameOf(v js.Value, side float64, kind string, quality float64, done func(blob js.Value)) {
	w, h := v.Get("videoWidth").Float(), v.Get("videoHeight").Float()
	if w < 1 || h < 1 {
		done(js.Null())
		return
	}
	scale := 1.0
	if side > 0 {
		scale = math.Min(1, side/math.Max(w, h))
	}
	canvas := s.DOM.El("canvas", "")
	canvas.Set("width", math.Max(1, math.Round(w*scale)))
	canvas.Set("height", math.Max(1, math.Round(h*scale)))
	pen := canvas.Call("getContext", "2d")
	pen.Call("drawImage", v, 0, 0, canvas.Get("width"), canvas.Get("height"))
	// Where the browser has drawn nothing yet, nothing is there: a clip is opaque.
	if pen.Call("getImageData", 0, 0, 1, 1).Get("data").Index(3).Int() == 0 {
		done(js.Null())
		return
	}
	var got js.Func
	got = js.FuncOf(func(_ js.Value, args []js.Value) any {
		blob := args[0]
		s.Post(func() {
			got.Release()
			done(blob)
		})
		return nil
	})
	canvas.Call("toBlob", got, kind, quality)
}

// drawPoster makes a clip's poster of its first frame, once for all who will
// look at it. The card shows the same until then.
func (s *Section) drawPoster(id string, n int) {
	t, v := s.desk.Tasks.Get(id), s.DOM.Find(`#`+cardKey(id, "link")+` video.tile-picture`)
	if t == nil || !v.Truthy() || s.results.drawn[id] {
		return
	}
	if o, ok := video.OutputOf(t, n); !ok || o.Poster {
		return
	}
	s.results.drawn[id] = true
	// A browser may have the frame's data and not have drawn it: it has when
	// it got somewhere.
	s.once(v, "seeked", func() { s.savePoster(id, n, v) })
	v.Set("currentTime", posterAt)
}

// once calls f at the next event of a kind.
func (s *Section) once(el js.Value, event string, f func()) {
	var fn js.Func
	fn = js.FuncOf(func(js.Value, []js.Value) any {
		fn.Release()
		s.Post(f)
		return nil
	})
	el.Call("addEventListener", event, fn, map[string]any{"once": true})
}

func (s *Section) savePoster(id string, n int, v js.Value) {
	s.frameOf(v, posterSide, "image/webp", 0.82, func(blob js.Value) {
		if !blob.Truthy() || blob.Get("size").Int() > wire.MaxPoster {
			return // the card goes on showing the first frame
		}
		s.await(js.Global().Call("fetch", wire.PosterPathOf(id, n), map[string]any{
			"method": "POST", "credentials": "same-origin", "body": blob,
			"headers": map[string]any{"Content-Type": blob.Get("type")},
		}), nil)
	})
}

// takeFrame puts the first or last frame of a clip into the form.
func (s *Section) takeFrame(t *wire.VideoTask, n int, which string) {
	s.readFrame(t, n, which, func(file video.File) {
		s.desk.UseFrame(file, which)
		s.writeOn()
	})
}

// readFrame reads the first or last frame of a clip, as an image.
func (s *Section) readFrame(t *wire.VideoTask, n int, which string, done func(video.File)) {
	task := *t
	v := s.DOM.El("video", "")
	v.Set("muted", true)
	v.Set("preload", "auto")
	over, off := false, []func(){}
	end := func(shown bool) {
		if over {
			return
		}
		over = true
		if shown {
			s.grabFrame(&task, v, which, done)
		} else {
			s.noFrame()
		}
		for _, f := range off {
			f()
		}
		unload(v)
	}
	off = append(off,
		s.DOM.On(v, "error", func(js.Value) { end(false) }, s.Post),
		s.DOM.On(v, "seeked", func(js.Value) { end(true) }, s.Post),
		s.DOM.On(v, "loadeddata", func(js.Value) {
			if which == video.FirstFrame {
				end(true)
				return
			}
			// The very end shows nothing in some browsers: the middle of the last frame.
			v.Set("currentTime", math.Max(v.Get("duration").Float()-video.FrameSeconds/2, 0.001))
		}, s.Post),
	)
	v.Set("src", wire.MediaPathOf(t.ID, n))
}

// useFrame puts what a video shows into the form, as an image.
func (s *Section) useFrame(t *wire.VideoTask, v js.Value, which string) {
	s.grabFrame(t, v, which, func(file video.File) {
		s.desk.UseFrame(file, which)
		s.writeOn()
	})
}

// grabFrame reads what a video shows.
func (s *Section) grabFrame(t *wire.VideoTask, v js.Value, which string, done func(video.File)) {
	s.frameOf(v, 0, "image/jpeg", 0.94, func(blob js.Value) {
		if !blob.Truthy() {
			s.noFrame()
			return
		}
		done(frameFile(t, which, blob))
	})
}

func (s *Section) noFrame() {
	s.desk.Tasks.Notices.Say("This browser couldn’t read that frame. Play the clip, then use the frame shown.", video.Bad)
}

func frameName(title, which string) string {
	if r := []rune(title); len(r) > 40 {
		title = string(r[:40])
	}
	return title + ", " + which + ".jpg"
}

// useAsReference puts a clip into the form as a reference.
func (s *Section) useAsReference(t *wire.VideoTask, n int) {
	s.desk.UseAsReference(*t, n)
	s.writeOn()
}
