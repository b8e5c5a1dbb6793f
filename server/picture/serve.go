package picture

import (
	"bytes"
	"net/http"
	"time"

	"screentest/shared/wire"
)

// Has says that whoever asks has the image, and wants to know whether they may still
// show it.
func Has(r *http.Request, id string) bool { return r.Header.Get("If-None-Match") == `"`+id+`"` }

// Serve answers with an image, under a policy by which nothing in it could run. It
// never changes, and yet the browser asks each time whether it may still show what
// it has of it: who is signed in may be somebody else meanwhile, or nobody.
func Serve(w http.ResponseWriter, r *http.Request, i wire.Image, data []byte) {
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Type", i.Type)
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "private, no-cache")
	}
	h.Set("ETag", `"`+i.ID+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
}
