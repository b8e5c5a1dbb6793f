// Package picture looks at images that come from outside: [Look] tells what one
// is by its content, whatever it is called, and refuses what is no image that is
// taken. It reads no more than the head of it, so that a small file that unfolds
// to a huge image costs nothing.
package picture

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
	_ "image/gif"  // a format
	_ "image/jpeg" // a format
	_ "image/png"  // a format
	"net/http"
	"slices"

	_ "golang.org/x/image/webp" // a format

	"screentest/shared/wire"
)

// Look tells what an image is. An error is a *wire.Problem.
func Look(data []byte) (wire.Image, error) {
	if len(data) > wire.MaxImage {
		return wire.Image{}, TooLarge()
	}
	c, format, err := image.DecodeConfig(bytes.NewReader(data))
	kind := "image/" + format
	if err != nil || !slices.Contains(wire.ImageTypes, kind) {
		return wire.Image{}, &wire.Problem{Code: "not_an_image", Message: "This is not an image that can be sent: those are PNG, JPEG, WebP and GIF.",
			Hint: "It is told by its content, not by its name.", Status: http.StatusUnsupportedMediaType}
	}
	if c.Width < 1 || c.Height < 1 || int64(c.Width)*int64(c.Height) > wire.MaxImagePixels {
		return wire.Image{}, &wire.Problem{Code: "image_too_large", Message: fmt.Sprintf("The image has %d × %d pixels; at most %d megapixels are taken.", c.Width, c.Height, wire.MaxImagePixels>>20),
			Hint: "Make it smaller.", Status: http.StatusRequestEntityTooLarge}
	}
	sum := sha256.Sum256(data)
	return wire.Image{ID: hex.EncodeToString(sum[:]), Type: kind, Width: c.Width, Height: c.Height, Bytes: int64(len(data))}, nil
}

// TooLarge is the problem of an image with too many bytes.
func TooLarge() *wire.Problem {
	return &wire.Problem{Code: "image_too_large", Message: fmt.Sprintf("An image has at most %d MiB.", wire.MaxImage>>20), Hint: "Make it smaller.", Status: http.StatusRequestEntityTooLarge}
}
