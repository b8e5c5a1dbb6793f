package gateway

import (
	"bytes"
	"slices"
)

// ImageScheme begins what stands in a request for an image that is kept: the
// scheme and the SHA-256 of its bytes in hex. Whoever sends the request puts a
// data: URL there, so that requests stay short wherever they are kept and shown.
const ImageScheme = "screentest-image:"

const shaLen = 64 // in hex

// An ImageRef is where a request has an image that is kept: the string from From on
// and before To, its quotes left out, and the image's SHA-256 in hex.
type ImageRef struct {
	From, To int
	ID       string
}

// ImageRefs finds the images in a request, in their order: only where an address
// of an image may stand, that is as the value of url or image_url. What a person
// wrote into a text is none.
func ImageRefs(body []byte) (refs []ImageRef) {
	for at := 0; ; {
		i := bytes.Index(body[at:], []byte(`"`+ImageScheme))
		if i < 0 {
			return refs
		}
		from := at + i + 1
		to := from + len(ImageScheme) + shaLen
		at = from
		if to >= len(body) || body[to] != '"' || !isSHA(body[to-shaLen:to]) {
			continue
		}
		// A quote within a string is escaped: what follows a colon here is a value.
		before, is := bytes.CutSuffix(bytes.TrimRight(body[:from-1], " \t\r\n"), []byte{':'})
		before = bytes.TrimRight(before, " \t\r\n")
		if !is || !bytes.HasSuffix(before, []byte(`"url"`)) && !bytes.HasSuffix(before, []byte(`"image_url"`)) {
			continue
		}
		refs = append(refs, ImageRef{from, to, string(body[to-shaLen : to])})
	}
}

func isSHA(p []byte) bool {
	return !slices.ContainsFunc(p, func(c byte) bool { return (c < '0' || c > '9') && (c < 'a' || c > 'f') })
}

// FillImages is a request with its images in it: data has the data: URL of each by
// its SHA-256.
func FillImages(body []byte, data map[string]string) []byte {
	refs := ImageRefs(body)
	if len(refs) == 0 {
		return body
	}
	var out []byte
	at := 0
	for _, r := range refs {
		out = append(append(out, body[at:r.From]...), data[r.ID]...)
		at = r.To
	}
	return append(out, body[at:]...)
}
