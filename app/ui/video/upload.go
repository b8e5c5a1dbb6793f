//go:build js && wasm

package video

import (
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
	"syscall/js"
	"time"

	"screentest/app/video"
	"screentest/shared/wire"
)

// files sends files to the server with XMLHttpRequest, which tells how far it
// is, and measures them in elements that are never shown.
type files struct{ s *Section }

// Upload implements video.Files.
func (f files) Upload(file video.File, progress func(int64), done func(wire.Upload, *wire.Problem)) (cancel func()) {
	if blob, ok := file.Handle.(js.Value); ok {
		return f.post(file, blob, progress, done)
	}
	// A file of this server: it is loaded, and sent on from here.
	gone, stop := false, func() {}
	f.load(file.Shown, func(blob js.Value, p *wire.Problem) {
		switch {
		case gone:
		case p != nil:
			done(wire.Upload{}, p)
		default:
			stop = f.post(file, blob, progress, done)
		}
	})
	return func() { gone = true; stop() }
}

// post sends a blob as the body of a request.
func (f files) post(file video.File, blob js.Value, progress func(int64), done func(wire.Upload, *wire.Problem)) (cancel func()) {
	xhr := js.Global().Get("XMLHttpRequest").New()
	xhr.Call("open", "POST", wire.UploadsPath+"?name="+url.QueryEscape(file.Name))
	xhr.Call("setRequestHeader", "Content-Type", file.Type)
	over := false
	still := f.s.DOM.On(xhr.Get("upload"), "progress", func(ev js.Value) {
		if !over {
			progress(int64(ev.Get("loaded").Float()))
		}
	}, f.s.Post)
	var ended func()
	ended = f.s.DOM.On(xhr, "loadend", func(js.Value) { // after an abort too
		still()
		ended()
		if over {
			return
		}
		over = true
		done(answerOf(xhr))
	}, f.s.Post)
	xhr.Call("send", blob)
	return func() {
		if !over {
			over = true
			xhr.Call("abort")
		}
	}
}

// answerOf reads the server's answer to an upload.
func answerOf(xhr js.Value) (u wire.Upload, p *wire.Problem) {
	status, text := xhr.Get("status").Int(), xhr.Get("responseText").String()
	if status == 200 || status == 201 {
		if json.Unmarshal([]byte(text), &u) == nil && u.URL != "" {
			return u, nil
		}
	} else if json.Unmarshal([]byte(text), &p) == nil && p != nil && p.Message != "" {
		return u, p
	}
	if status == 0 {
		return u, &wire.Problem{Code: "disconnected", Message: "The upload stopped: the server couldn’t be reached.", Hint: "Check your connection, then choose the file again."}
	}
	return u, &wire.Problem{Code: "upload", Message: "The server refused the file (status " + strconv.Itoa(status) + ").", Hint: "Choose the file again, or paste a link."}
}

// load fetches a file of this server.
func (f files) load(path string, done func(js.Value, *wire.Problem)) {
	xhr := js.Global().Get("XMLHttpRequest").New()
	xhr.Call("open", "GET", path)
	xhr.Set("responseType", "blob")
	var ended func()
	ended = f.s.DOM.On(xhr, "loadend", func(js.Value) {
		ended()
		if blob := xhr.Get("response"); xhr.Get("status").Int() == 200 && blob.Truthy() {
			done(blob, nil)
			return
		}
		done(js.Null(), &wire.Problem{Code: "gone", Message: "The clip couldn’t be read from this server.", Hint: "Its files may have been removed; choose another clip."})
	}, f.s.Post)
	xhr.Call("send")
}

// Release implements video.Files: a blob lives as long as its address. What
// shows it is drawn with another one first.
func (f files) Release(shown string) {
	if strings.HasPrefix(shown, "blob:") {
		f.s.After(time.Second, func() { js.Global().Get("URL").Call("revokeObjectURL", shown) })
	}
}

// Measure implements video.Files.
func (f files) Measure(file video.File, done func(wire.Measured)) {
	kind, loaded := "img", "load"
	if video.Video.Accept() == file.Type {
		kind, loaded = "video", "loadedmetadata"
	}
	el := f.s.DOM.El(kind, "")
	told, off := false, []func(){}
	tell := func(m wire.Measured) {
		if told {
			return
		}
		told = true
		for _, f := range off {
			f()
		}
		if kind == "video" {
			unload(el)
		}
		done(m)
	}
	off = append(off, f.s.DOM.On(el, loaded, func(js.Value) {
		m := wire.Measured{Type: file.Type, Bytes: file.Size}
		if kind == "video" {
			m.Width, m.Height = el.Get("videoWidth").Int(), el.Get("videoHeight").Int()
			m.Seconds = el.Get("duration").Float()
		} else {
			m.Width, m.Height = el.Get("naturalWidth").Int(), el.Get("naturalHeight").Int()
		}
		tell(m)
	}, f.s.Post), f.s.DOM.On(el, "error", func(js.Value) { tell(wire.Measured{}) }, f.s.Post))
	el.Set("preload", "metadata")
	el.Set("src", file.Shown)
}
