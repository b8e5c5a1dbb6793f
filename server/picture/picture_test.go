package picture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"screentest/shared/wire"
)

func encoded(t *testing.T, encode func(b *bytes.Buffer, m image.Image) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := encode(&b, image.NewGray(image.Rect(0, 0, 5, 3))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func pngOf(t *testing.T) []byte {
	return encoded(t, func(b *bytes.Buffer, m image.Image) error { return png.Encode(b, m) })
}

// sized is a PNG that says it has so many pixels, and has none.
func sized(t *testing.T, width, height uint32) []byte {
	p := bytes.Clone(pngOf(t))
	binary.BigEndian.PutUint32(p[16:], width)
	binary.BigEndian.PutUint32(p[20:], height)
	binary.BigEndian.PutUint32(p[29:], crc32.ChecksumIEEE(p[12:29]))
	return p
}

// oneWebP is a WebP of one pixel.
const oneWebP = "RIFF\x1a\x00\x00\x00WEBPVP8L\r\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00"

func TestAnImageIsToldByItsContent(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		data []byte
		kind string // "" is refused
		code string
	}{
		"PNG":  {data: pngOf(t), kind: "image/png"},
		"JPEG": {data: encoded(t, func(b *bytes.Buffer, m image.Image) error { return jpeg.Encode(b, m, nil) }), kind: "image/jpeg"},
		"GIF":  {data: encoded(t, func(b *bytes.Buffer, m image.Image) error { return gif.Encode(b, m, nil) }), kind: "image/gif"},
		"WebP": {data: []byte(oneWebP), kind: "image/webp"},
		// What hangs behind an image stays bytes of an image: see Serve.
		"a PNG with a page behind it": {data: append(pngOf(t), "<script>alert(1)</script>"...), kind: "image/png"},

		"nothing":              {code: "not_an_image"},
		"an SVG":               {data: []byte(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`), code: "not_an_image"},
		"a page":               {data: []byte("<!doctype html><script>alert(1)</script>"), code: "not_an_image"},
		"a page behind GIF89a": {data: []byte("GIF89a<script>alert(1)</script>"), code: "image_too_large"}, // of 29 500 × 25 459 pixels, as it says
		"a cut off PNG":        {data: pngOf(t)[:20], code: "not_an_image"},
		"a PDF":                {data: []byte("%PDF-1.7 "), code: "not_an_image"},
		"100 megapixels":       {data: sized(t, 10_000, 10_000), code: "image_too_large"},
		"as many as can be":    {data: sized(t, 1<<31-1, 1<<31-1), code: "not_an_image"},
		"no pixels":            {data: sized(t, 0, 5), code: "not_an_image"},
		"too many bytes":       {data: append(pngOf(t), make([]byte, wire.MaxImage)...), code: "image_too_large"},
	} {
		i, err := Look(tt.data)
		var p *wire.Problem
		switch {
		case tt.kind != "" && (err != nil || i.Type != tt.kind || i.Width < 1 || i.Bytes != int64(len(tt.data)) || len(i.ID) != 64):
			t.Errorf("%s: %+v, %v", name, i, err)
		case tt.kind == "" && (!errors.As(err, &p) || p.Code != tt.code || i != (wire.Image{})):
			t.Errorf("%s: %+v, %v; want %s", name, i, err, tt.code)
		}
	}
}

// What is served is an image to the browser and nothing else, and is sent once.
func TestServe(t *testing.T) {
	t.Parallel()
	data := append(pngOf(t), "<script>alert(1)</script>"...)
	i, err := Look(data)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(match string) *http.Response {
		r := httptest.NewRequest("GET", "/api/images/"+i.ID, nil)
		r.Header.Set("If-None-Match", match)
		w := httptest.NewRecorder()
		Serve(w, r, i, data)
		return w.Result()
	}
	res := ask("")
	for name, want := range map[string]string{
		"Content-Type": "image/png", "X-Content-Type-Options": "nosniff", "Content-Security-Policy": "default-src 'none'; sandbox", "Cache-Control": "private, no-cache",
	} {
		if got := res.Header.Get(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if again := ask(res.Header.Get("ETag")); again.StatusCode != http.StatusNotModified || !strings.Contains(res.Header.Get("ETag"), i.ID) {
		t.Errorf("asked again: %s", again.Status)
	}
}
