package main

import (
	"bytes"
	"encoding/json"
	"hash/fnv"
	"image"
	"image/png"
	"net/http"
	"testing"

	"screentest/shared/wire"
)

// pictureOf is a PNG that a name has for its own.
func pictureOf(t testing.TB, name string) []byte {
	t.Helper()
	h := fnv.New128a()
	h.Write([]byte(name))
	m := image.NewGray(image.Rect(0, 0, 8, 2))
	copy(m.Pix, h.Sum(nil))
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// putImage has somebody put a picture into their composer.
func (w *instance) putImage(p *someone, name string) (i wire.Image) {
	w.t.Helper()
	res, body := w.ask(p.http, "POST", wire.ImagesPath, "image/png", string(pictureOf(w.t, name)))
	if res.StatusCode != http.StatusOK || json.Unmarshal(body, &i) != nil {
		w.t.Fatalf("%s: %s", res.Status, body)
	}
	return i
}
