package chat

import (
	"context"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"time"

	"screentest/server/store/engine"
	"screentest/server/store/people"
	"screentest/shared/wire"
)

// draftImageTime is how long an image is kept that was put into a composer and
// not sent.
const draftImageTime = 24 * time.Hour

// parseImage reads an image's id; nil is of none.
func parseImage(id string) []byte {
	b, err := hex.DecodeString(id)
	if err != nil || len(b) != 32 || hex.EncodeToString(b) != id {
		return nil
	}
	return b
}

// PutImage keeps an image, whose content i tells, for a message that the owner is
// about to send.
func (c *Chat) PutImage(ctx context.Context, owner string, i wire.Image, data []byte) error {
	who := engine.ParseOwner(owner)
	return c.db.Write(ctx, len(data), func(w *engine.Tx) error {
		if err := people.WantUser(w, who); err != nil {
			return err
		}
		now := c.now()
		if _, err := dropDrafts(w, now); err != nil {
			return err
		}
		var had int64
		if err := w.Scan("SELECT coalesce(sum(i.bytes), 0) FROM image_drafts d JOIN images i ON i.n = d.image WHERE d.owner = ?", []any{who}, &had); err != nil {
			return err
		}
		if had+i.Bytes > wire.MaxImageDrafts {
			return &engine.Error{Problem: wire.Problem{Code: "too_many_images", Message: "You have put 256 MiB of images into messages that were not sent, which is the limit.",
				Hint: "Send some of them; what was not sent is removed after a day."}}
		}
		n, err := keepImage(w, i, data)
		if err != nil {
			return err
		}
		_, err = w.Exec("INSERT INTO image_drafts (owner, image, created_ms) VALUES (?, ?, ?) ON CONFLICT (owner, image) DO UPDATE SET created_ms = excluded.created_ms",
			who, n, now.UnixMilli())
		return err
	})
}

// keepImage keeps an image if it is not there, and returns its number. Something
// must use it in the same transaction.
func keepImage(w *engine.Tx, i wire.Image, data []byte) (n int64, err error) {
	sha := parseImage(i.ID)
	err = w.Scan("SELECT n FROM images WHERE sha256 = ?", []any{sha}, &n)
	if errors.Is(err, sql.ErrNoRows) {
		return w.Insert("INSERT INTO images (sha256, type, width, height, bytes, data) VALUES (?, ?, ?, ?, ?, ?)", sha, i.Type, i.Width, i.Height, len(data), data)
	}
	return n, err
}

// DropImageDrafts removes what was put into composers so long ago that it won't be
// sent, of everybody.
func (c *Chat) DropImageDrafts(ctx context.Context) (images int, err error) {
	err = c.db.Write(ctx, 0, func(w *engine.Tx) error {
		images, err = dropDrafts(w, c.now())
		return err
	})
	return images, err
}

func dropDrafts(w *engine.Tx, now time.Time) (int, error) {
	res, err := w.Exec("DELETE FROM image_drafts WHERE created_ms < ?", now.Add(-draftImageTime).UnixMilli())
	if err != nil {
		return 0, err
	}
	n, err := res.RowsAffected()
	return int(n), err
}

// ownImage finds an image i that its owner may see: one of a message of theirs, or
// of a composer.
const ownImage = ` FROM images i WHERE i.sha256 = ?1 AND (EXISTS (SELECT 1 FROM image_drafts WHERE owner = ?2 AND image = i.n)
	OR EXISTS (SELECT 1 FROM message_images u JOIN messages m ON m.n = u.message WHERE u.image = i.n AND m.owner = ?2))`

// imageOf is the number of an image that an owner may see.
func imageOf(q engine.Scanner, owner int64, id string) (n int64, err error) {
	err = q.Scan("SELECT i.n"+ownImage, []any{parseImage(id), owner}, &n)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, errNoImage
	}
	return n, err
}

var errNoImage = &engine.Error{Err: fs.ErrNotExist, Problem: wire.Problem{Code: "image_not_found", Field: "user.images", Message: "An image of the message is not on the server any more.",
	Hint: "Remove it, and choose it again."}}

// Image returns an image of the owner's with its bytes.
func (c *Chat) Image(ctx context.Context, owner, id string) (i wire.Image, data []byte, err error) {
	return c.image(ctx, id, "SELECT i.type, i.width, i.height, i.bytes, i.data"+ownImage, engine.ParseOwner(owner))
}

// ImageOfConversation returns an image that a message of an owner's conversation
// has.
func (c *Chat) ImageOfConversation(ctx context.Context, owner, conversation, id string) (i wire.Image, data []byte, err error) {
	b, _ := engine.ParseID(conversation)
	return c.image(ctx, id, `SELECT i.type, i.width, i.height, i.bytes, i.data FROM images i WHERE i.sha256 = ? AND EXISTS (SELECT 1 FROM message_images u JOIN messages m ON m.n = u.message
		WHERE u.image = i.n AND m.conversation = (SELECT n FROM conversations WHERE owner = ? AND id = ?))`, engine.ParseOwner(owner), b)
}

func (c *Chat) image(ctx context.Context, id, query string, args ...any) (i wire.Image, data []byte, err error) {
	i.ID = id
	err = c.db.At(ctx).Scan(query, append([]any{parseImage(id)}, args...), &i.Type, &i.Width, &i.Height, &i.Bytes, &data)
	if errors.Is(err, sql.ErrNoRows) {
		return wire.Image{}, nil, engine.NotFound("image")
	}
	return i, data, err
}

// ImageBytes is how long an owner's images are together. One that is not there is a
// *wire.Problem, and fs.ErrNotExist.
func (c *Chat) ImageBytes(ctx context.Context, owner string, ids []string) (sum int64, err error) {
	err = c.db.Snapshot(ctx, func(q engine.Reading) error {
		for _, id := range ids {
			var n int64
			err := q.Scan("SELECT i.bytes"+ownImage, []any{parseImage(id), engine.ParseOwner(owner)}, &n)
			if errors.Is(err, sql.ErrNoRows) {
				return errNoImage
			}
			if err != nil {
				return err
			}
			sum += n
		}
		return nil
	})
	return sum, err
}

// CheckImages looks at what a message that is sent has of images.
func CheckImages(field string, m wire.Message) error {
	switch {
	case len(m.Images) > 0 && m.Role != "user":
		return engine.BadField("bad_images", field+".images", "Only a message of the person's has images.")
	case len(m.Images) > wire.MaxImages:
		return engine.BadField("too_many_images", field+".images", "A message has at most %d images.", wire.MaxImages)
	}
	return nil
}

// linkImages gives a message of an owner's its images, which somebody, mostly they
// themselves, may see. What was in the composer is a message's now.
func linkImages(w *engine.Tx, owner, message int64, images []wire.Image, seenBy int64) error {
	for place, i := range images {
		n, err := imageOf(w, seenBy, i.ID)
		if err != nil {
			return err
		}
		if _, err := w.Exec("INSERT INTO message_images (message, place, image) VALUES (?, ?, ?)", message, place, n); err != nil {
			return err
		}
		if _, err := w.Exec("DELETE FROM image_drafts WHERE owner = ? AND image = ?", owner, n); err != nil {
			return err
		}
	}
	return nil
}

// imagesColumn are the images of a message m as readImages reads them.
const imagesColumn = `(SELECT json_group_array(json_object('place', u.place, 'id', lower(hex(i.sha256)), 'type', i.type, 'width', i.width, 'height', i.height, 'bytes', i.bytes))
	FROM message_images u JOIN images i ON i.n = u.image WHERE u.message = m.n)`

func readImages(column []byte) (images []wire.Image, err error) {
	if len(column) <= len("[]") {
		return nil, nil
	}
	var placed []struct {
		wire.Image
		Place int `json:"place"`
	}
	err = json.Unmarshal(column, &placed)
	images = make([]wire.Image, len(placed))
	for _, p := range placed { // places are counted from 0
		images[p.Place] = p.Image
	}
	return images, err
}
