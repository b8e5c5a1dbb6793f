package run

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"

	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// Images stand in a request by their ids, also as it is kept; what is sent has
// their bytes instead, as data: URLs, and lasts only until the gateway has
// answered.

// maxFilled bounds the bytes of the bodies with images that are being sent at a
// time, of everybody.
const maxFilled = 256 << 20

// admitImages looks whether the images of a request are there and may be sent.
func (m *Manager) admitImages(ctx context.Context, owner string, body []byte) *wire.Problem {
	refs := gateway.ImageRefs(body)
	if len(refs) == 0 {
		return nil
	}
	ids := make([]string, 0, len(refs))
	for _, r := range refs {
		ids = append(ids, r.ID)
	}
	n, err := m.Store.ImageBytes(ctx, owner, ids)
	var p *wire.Problem
	switch {
	case errors.As(err, &p):
		return p
	case err != nil:
		m.Logger.Error("images not read", "err", err)
		return &wire.Problem{Code: "storage_failed", Message: "The server could not read its database.", Hint: "Try again; the server's log has the details."}
	case n > wire.MaxImagesSent:
		return &wire.Problem{Code: "images_too_large", Field: "user.images",
			Message: fmt.Sprintf("The images of this conversation have %.1f MiB together; at most %d MiB can be sent at a time.", float64(n)/(1<<20), wire.MaxImagesSent>>20),
			Hint:    "Start a new conversation, or send fewer or smaller images."}
	}
	return nil
}

// filled is a request with its images in it. done is called when it was sent.
func (m *Manager) filled(ctx context.Context, owner string, body []byte) (_ []byte, done func(), err error) {
	refs := gateway.ImageRefs(body)
	if len(refs) == 0 {
		return body, func() {}, nil
	}
	size := int64(len(body))
	done = func() { m.filling.Add(-size) }
	room := func(n int64) error {
		size += n
		if m.filling.Add(n) > maxFilled {
			done()
			return &wire.Problem{Code: "too_many_images", Message: "Too many images are being sent at the moment.", Hint: "Try again in a while."}
		}
		return nil
	}
	m.filling.Add(size)
	var out bytes.Buffer
	at := 0
	for _, r := range refs {
		i, data, err := m.Store.Image(ctx, owner, r.ID)
		if err != nil {
			done()
			return nil, nil, err
		}
		head := "data:" + i.Type + ";base64,"
		if err := room(int64(len(head) + base64.StdEncoding.EncodedLen(len(data)))); err != nil {
			return nil, nil, err
		}
		out.Write(body[at:r.From])
		out.WriteString(head)
		e := base64.NewEncoder(base64.StdEncoding, &out)
		e.Write(data)
		e.Close()
		at = r.To
	}
	out.Write(body[at:])
	return out.Bytes(), done, nil
}
