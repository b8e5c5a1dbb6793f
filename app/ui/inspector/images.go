//go:build js && wasm

package inspector

import (
	"strconv"
	"syscall/js"

	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// imagesNote says what of a request is sent as something else than it is shown.
func imagesNote(body []byte) string {
	switch n := len(gateway.ImageRefs(body)); n {
	case 0:
		return ""
	case 1:
		return "; the image in it is named " + gateway.ImageScheme + "…, and goes out, also in what is copied, as a data: URL"
	default:
		return "; the " + strconv.Itoa(n) + " images in it are named " + gateway.ImageScheme + "…, and go out, also in what is copied, as data: URLs"
	}
}

// whole calls do with the body as it goes out, whatever was typed since it was
// drawn: its images are fetched first.
func (v *requestView) whole(do func(body []byte)) {
	v.waiting, v.cost = false, 0
	v.draw()
	body, data := v.body, map[string]string{}
	var next func(refs []gateway.ImageRef)
	next = func(refs []gateway.ImageRef) {
		if len(refs) == 0 {
			do(gateway.FillImages(body, data))
			return
		}
		id := refs[0].ID
		if data[id] != "" {
			next(refs[1:])
			return
		}
		v.dataURL(wire.Image{ID: id}.Address(), func(url string) {
			if url == "" {
				v.d.Tell("An image of this request could not be fetched, so it was not copied.")
				return
			}
			data[id] = url
			next(refs[1:])
		})
	}
	next(gateway.ImageRefs(body))
}

// dataURL fetches an image of this server; "" where that can't be.
func (v *requestView) dataURL(address string, done func(url string)) {
	v.d.Await(js.Global().Call("fetch", address), func(reply js.Value) {
		if !reply.Truthy() || !reply.Get("ok").Bool() {
			done("")
			return
		}
		v.d.Await(reply.Call("blob"), func(blob js.Value) {
			if !blob.Truthy() {
				done("")
				return
			}
			reader := js.Global().Get("FileReader").New()
			var ended func()
			ended = v.d.DOM.On(reader, "loadend", func(js.Value) {
				ended()
				if url := reader.Get("result"); url.Type() == js.TypeString {
					done(url.String())
				} else {
					done("")
				}
			}, v.d.Post)
			reader.Call("readAsDataURL", blob)
		})
	})
}
