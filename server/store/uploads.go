package store

import (
	"context"
	"database/sql"
	"errors"
	"path"

	"screentest/shared/wire"
)

const uploadColumns = "id, type, name, bytes, width, height, seconds"

func scanUpload(u *wire.Upload) []any {
	return []any{&u.ID, &u.Type, &u.Name, &u.Bytes, &u.Width, &u.Height, &u.Seconds}
}

// AddUpload stores what is known of an uploaded file whose bytes are on the
// disk, unless the owner's uploads would be more than limit bytes together:
// then room is false.
func (v *Videos) AddUpload(ctx context.Context, owner string, u wire.Upload, at, limit int64) (bool, error) {
	who := parseOwner(owner)
	var room bool
	err := v.db.writer.write(ctx, len(u.Name), func(w *tx) error {
		var have int64
		if err := w.scan("SELECT coalesce(sum(bytes), 0) FROM uploads WHERE owner = ?", []any{who}, &have); err != nil {
			return err
		}
		if room = have+u.Bytes <= limit; !room {
			return nil
		}
		if err := w.wantUser(who); err != nil {
			return err
		}
		_, err := w.exec("INSERT INTO uploads (owner, "+uploadColumns+", created_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
			who, u.ID, u.Type, path.Base("/"+u.Name), u.Bytes, u.Width, u.Height, u.Seconds, at)
		return err
	})
	if err != nil {
		return false, err
	}
	return room, nil
}

// Upload returns what is known of an upload. Whoever knows its id may have it:
// that is how a gateway fetches it. fs.ErrNotExist: there is none.
func (v *Videos) Upload(ctx context.Context, id string) (u wire.Upload, err error) {
	err = v.db.readers.at(ctx).scan("SELECT "+uploadColumns+" FROM uploads WHERE id = ?", []any{id}, scanUpload(&u)...)
	if errors.Is(err, sql.ErrNoRows) {
		return u, notFound("upload")
	}
	return u, err
}

// UploadUse tells how many bytes the owner's uploads are.
func (v *Videos) UploadUse(ctx context.Context, owner string) (bytes int64, err error) {
	err = v.db.readers.at(ctx).scan("SELECT coalesce(sum(bytes), 0) FROM uploads WHERE owner = ?", []any{parseOwner(owner)}, &bytes)
	return bytes, err
}

// DropUploads forgets the owner's oldest uploads that were made before that
// time in Unix milliseconds, until at least want bytes are free, and returns
// what they were: their files are the caller's to remove.
func (v *Videos) DropUploads(ctx context.Context, owner string, before, want int64) ([]wire.Upload, error) {
	who := parseOwner(owner)
	var gone []wire.Upload
	err := v.db.writer.write(ctx, 0, func(w *tx) error {
		gone = nil
		for free := int64(0); free < want; {
			var u wire.Upload
			err := w.scan("SELECT "+uploadColumns+" FROM uploads WHERE owner = ? AND created_ms < ? ORDER BY created_ms, n LIMIT 1", []any{who, before}, scanUpload(&u)...)
			if errors.Is(err, sql.ErrNoRows) {
				return nil
			}
			if err != nil {
				return err
			}
			if _, err := w.exec("DELETE FROM uploads WHERE owner = ? AND id = ?", who, u.ID); err != nil {
				return err
			}
			free += u.Bytes
			gone = append(gone, u)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return gone, nil
}
