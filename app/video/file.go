package video

import (
	"slices"
	"strings"

	"screentest/app/figure"
	"screentest/shared/wire"
)

// Files sends files to the server, and looks at them in the browser first.
type Files interface {
	// Upload posts a file; progress is told the bytes that are through, and
	// done what became of it. cancel gives it up: nothing more is told.
	Upload(f File, progress func(sent int64), done func(wire.Upload, *wire.Problem)) (cancel func())
	// Measure reads the length and size of a file that the browser can show.
	// The zero Measured is told of one that it can't.
	Measure(f File, done func(wire.Measured))
	// Release lets go of a File.Shown that is not used any more.
	Release(shown string)
}

// File is a file to be uploaded.
type File struct {
	Name string
	Type string // media type as the browser tells it
	Size int64  // bytes; 0 where it is not known yet
	// Shown is an address from which the page may load it: blob: for a file of
	// the person's, a path of this server for a finished clip.
	Shown string
	// Handle is the browser's own object; nil where Shown is to be loaded and
	// sent on.
	Handle any
}

// Kind is what a slot takes.
type Kind string

// The kinds.
const (
	Image Kind = "image"
	Video Kind = "video"
)

var types = map[Kind][]string{
	Image: {"image/png", "image/jpeg", "image/webp"},
	Video: {"video/mp4"},
}

// Accept is the media types of a kind, as a file dialog wants them.
func (k Kind) Accept() string { return strings.Join(types[k], ",") }

// Limit is the largest upload of a kind, in bytes.
func (k Kind) Limit() int64 {
	if k == Video {
		return wire.MaxUploadVideo
	}
	return wire.MaxUploadImage
}

// refuse says what is wrong with a file for a field before it is sent; nil for
// nothing.
func refuse(field string, f File) *wire.Problem {
	switch k := KindOf(field); {
	case f.Type != "" && !slices.Contains(types[k], f.Type):
		want, hint := "a PNG, JPEG or WebP image", "Convert it, or choose another file."
		if k == Video {
			want, hint = "an MP4 video", "Convert it to MP4, or choose another file."
		}
		return &wire.Problem{Code: "wrong_type", Message: f.Name + " is " + f.Type + "; this needs " + want + ".", Hint: hint}
	case f.Size > k.Limit():
		hint := "Make it smaller, or paste a link to it."
		if field == "video_url" {
			hint = "Make it smaller: the model takes no larger one, not by a link either." // F156
		}
		return &wire.Problem{Code: "too_large", Message: f.Name + " has " + figure.Bytes(f.Size) + "; the limit is " + figure.Bytes(k.Limit()) + ".", Hint: hint}
	}
	return nil
}
