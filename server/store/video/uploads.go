package video

import (
	"context"
	"database/sql"
	"errors"
	"path"

	"screentest/server/store/engine"
	"screentest/server/store/people"
	"screentest/shared/wire"
)

const uploadColumns = "id, type, name, bytes, width, height, seconds"

func scanUpload(u *wire.Upload) []any {
	return []any{&u.ID, &u.Type, &u.Name, &u.Bytes, &u.Width, &u.Height, &u.Seconds}
}

// AddUpload stores what is known of an uploaded file whose bytes are on the
// disk. The owner's uploads are at most limit bytes together: for u to fit the
// oldest of those made before old, in Unix milliseconds, are forgotten, no more
// than need be, and returned: their files are the caller's to remove. It is
// false where u would not fit even so; then nothing is changed.
func (v *Videos) AddUpload(ctx context.Context, owner string, u wire.Upload, at, limit, old int64) ([]wire.Upload, bool, error) {
	who := engine.ParseOwner(owner)
	var gone []wire.Upload
	var room bool
	err := v.db.Write(ctx, len(u.Name), func(w *engine.Tx) error {
		gone, room = nil, false
		var have, oldest int64
		if err := w.Scan("SELECT coalesce(sum(bytes), 0), coalesce(sum(bytes) FILTER (WHERE created_ms < ?), 0) FROM uploads WHERE owner = ?",
			[]any{old, who}, &have, &oldest); err != nil {
			return err
		}
		missing := have + u.Bytes - limit
		if room = missing <= oldest; !room {
			return nil
		}
		if err := people.WantUser(w, who); err != nil {
			return err
		}
		for missing > 0 {
			var first wire.Upload
			err := w.Scan("SELECT "+uploadColumns+" FROM uploads WHERE owner = ? AND created_ms < ? ORDER BY created_ms, n LIMIT 1", []any{who, old}, scanUpload(&first)...)
			if err != nil {
				return err
			}
			if _, err := w.Exec("DELETE FROM uploads WHERE owner = ? AND id = ?", who, first.ID); err != nil {
				return err
			}
			missing -= first.Bytes
			gone = append(gone, first)
		}
		_, err := w.Exec("INSERT INTO uploads (owner, "+uploadColumns+", created_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
			who, u.ID, u.Type, path.Base("/"+u.Name), u.Bytes, u.Width, u.Height, u.Seconds, at)
		return err
	})
	if err != nil {
		return nil, false, err
	}
	return gone, room, nil
}

// Upload returns what is known of an upload. Whoever knows its id may have it:
// that is how a gateway fetches it. fs.ErrNotExist: there is none.
func (v *Videos) Upload(ctx context.Context, id string) (u wire.Upload, err error) {
	err = v.db.At(ctx).Scan("SELECT "+uploadColumns+" FROM uploads WHERE id = ?", []any{id}, scanUpload(&u)...)
	if errors.Is(err, sql.ErrNoRows) {
		return u, engine.NotFound("upload")
	}
	return u, err
}

// Uploads lists the owner's newest uploads, at most limit: videos, or else images.
func (v *Videos) Uploads(ctx context.Context, owner string, videos bool, limit int) ([]wire.Upload, error) {
	list := []wire.Upload{}
	err := v.db.At(ctx).Each("SELECT "+uploadColumns+" FROM uploads WHERE owner = ? AND (type = 'video/mp4') = ? ORDER BY created_ms DESC LIMIT ?",
		[]any{engine.ParseOwner(owner), videos, limit}, func(rows *sql.Rows) error {
			var u wire.Upload
			err := rows.Scan(scanUpload(&u)...)
			list = append(list, u)
			return err
		})
	return list, err
}

// UploadUse tells how many bytes the owner's uploads are.
func (v *Videos) UploadUse(ctx context.Context, owner string) (bytes int64, err error) {
	err = v.db.At(ctx).Scan("SELECT coalesce(sum(bytes), 0) FROM uploads WHERE owner = ?", []any{engine.ParseOwner(owner)}, &bytes)
	return bytes, err
}
