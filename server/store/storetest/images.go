package storetest

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"testing"

	"screentest/server/picture"
	"screentest/server/store"
	"screentest/shared/wire"
)

// PNG is a picture whose pixels have one grey: each its own bytes.
func PNG(t testing.TB, width, height int, grey uint8) (wire.Image, []byte) {
	t.Helper()
	m := image.NewGray(image.Rect(0, 0, width, height))
	for i := range m.Pix {
		m.Pix[i] = grey
	}
	m.SetGray(0, 0, color.Gray{255 - grey})
	var b bytes.Buffer
	Must(t, png.Encode(&b, m))
	i, err := picture.Look(b.Bytes())
	Must(t, err)
	return i, b.Bytes()
}

// PutImage has a picture in an owner's composer.
func PutImage(t testing.TB, db *store.DB, owner string, grey uint8) wire.Image {
	t.Helper()
	i, data := PNG(t, 3, 2, grey)
	Must(t, db.PutImage(context.Background(), owner, i, data))
	return i
}
