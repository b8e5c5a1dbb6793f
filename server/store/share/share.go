// Package share keeps what people show each other: which conversation or clip, to
// whom, and for how long. Who sees what by name, the view sights alone says; a
// link is known by its hash. One that was taken back, or is over, is not there, and
// neither is one whose clip lies in the trash: nobody can tell which of these it
// is, nor whether there ever was one.
package share

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"time"

	"screentest/server/sight"
	"screentest/server/store/engine"
	"screentest/server/store/pack"
	"screentest/shared/wire"
)

// Shares are what is shown to somebody.
type Shares struct {
	db     *engine.DB
	packer *pack.Packer
	now    func() time.Time
}

// New is the shares in db.
func New(db *engine.DB, now func() time.Time) (*Shares, error) {
	packer, err := pack.New()
	return &Shares{db, packer, now}, err
}

var errNone = engine.NotFound("share")

// Sight is what a share shows to who asks for it: by its id an owner who is in its
// audience, or whose it is; by a link's token anybody. fs.ErrNotExist: nothing.
func (s *Shares) Sight(ctx context.Context, key, asker string) (v sight.Sight, err error) {
	err = s.db.Snapshot(ctx, func(q engine.Reading) error {
		found, err := s.find(q, key)
		if err != nil {
			return err
		}
		if err := found.allow(q, key, engine.ParseOwner(asker)); err != nil {
			return err
		}
		v, err = s.read(q, found)
		return err
	})
	return v, err
}

// Still says whether who looks at something by a share, by name or by its link, may
// go on. fs.ErrNotExist: they may not.
func (s *Shares) Still(ctx context.Context, id, asker string) error {
	return s.db.Snapshot(ctx, func(q engine.Reading) error {
		_, err := s.still(q, id, asker)
		return err
	})
}

// Known is what a share shows to who has seen it, and knows its id, also if that was
// by its link. fs.ErrNotExist: they may see it no more.
func (s *Shares) Known(ctx context.Context, id, asker string) (v sight.Sight, err error) {
	err = s.db.Snapshot(ctx, func(q engine.Reading) error {
		found, err := s.still(q, id, asker)
		if err != nil {
			return err
		}
		v, err = s.read(q, found)
		return err
	})
	return v, err
}

func (s *Shares) still(q engine.Scanner, id, asker string) (row, error) {
	found, err := s.find(q, id)
	if err != nil || found.audience == wire.ShareByLink && found.ownerActive {
		return found, err
	}
	return found, found.allow(q, id, engine.ParseOwner(asker))
}

// row is a share that is not over, and shows something that is there.
type row struct {
	n, owner    int64
	audience    string
	ownerActive bool
}

const (
	find    = "SELECT s.n, s.owner, s.audience, o.active FROM shares s JOIN users o ON o.n = s.owner WHERE "
	notOver = " AND (s.expires_ms = 0 OR s.expires_ms > ?)"
	// there is notOver, and of what isn't in the trash.
	there = notOver + " AND NOT EXISTS (SELECT 1 FROM video_tasks x WHERE x.n = s.task AND x.deleted_ms > 0)"
)

// find finds a share by its id or its token; a row of nothing if there is none, so
// that asking whom it is for takes as long.
func (s *Shares) find(q engine.Scanner, key string) (r row, err error) {
	by, value := "s.id = ?", []byte(nil)
	if id, is := engine.ParseID(key); is {
		value = id
	} else {
		hash := sha256.Sum256([]byte(key))
		by, value = "s.hash = ?", hash[:]
	}
	err = q.Scan(find+by+there, []any{value, s.now().UnixMilli()}, &r.n, &r.owner, &r.audience, &r.ownerActive)
	if errors.Is(err, sql.ErrNoRows) {
		return row{}, nil
	}
	return r, err
}

// allow says whether somebody sees the share that was found by a key.
func (r row) allow(q engine.Scanner, key string, asker int64) error {
	var named bool
	if err := q.Scan("SELECT EXISTS (SELECT 1 FROM sights WHERE person = ? AND share = ?)", []any{asker, r.n}, &named); err != nil {
		return err
	}
	_, byID := engine.ParseID(key)
	switch {
	case r.n == 0, !r.ownerActive:
	case named, r.owner == asker, !byID:
		return nil
	}
	return errNone
}

// titleOf is what a share s is called, of the conversation c or the clip t that it
// shows: as it was, or as it is now.
const titleOf = "CASE s.live WHEN 0 THEN s.title ELSE coalesce(c.title, nullif(t.title, ''), substr(t.prompt, 1, 100)) END"

// read reads what a share shows.
func (s *Shares) read(q engine.Scanner, r row) (v sight.Sight, err error) {
	var id, conversation, task, snapshot []byte
	var coding int
	err = q.Scan(`SELECT s.id, o.name, c.id, t.id, `+titleOf+`, s.live, s.coding, s.snapshot, s.wire, s.created_ms, s.expires_ms
		FROM shares s JOIN users o ON o.n = s.owner LEFT JOIN conversations c ON c.n = s.conversation LEFT JOIN video_tasks t ON t.n = s.task WHERE s.n = ?`,
		[]any{r.n}, &id, &v.OwnerName, &conversation, &task, &v.Title, &v.Live, &coding, &snapshot, &v.Wire, &v.CreatedMS, &v.ExpiresMS)
	if err != nil {
		return v, err
	}
	v.Share, v.Owner, v.ByLink = engine.FormatID(id), engine.FormatOwner(r.owner), r.audience == wire.ShareByLink
	v.Kind, v.Subject = wire.ShareConversation, engine.FormatID(conversation)
	if task != nil {
		v.Kind, v.Subject = wire.ShareClip, engine.FormatID(task)
	}
	if snapshot != nil {
		v.Snapshot, err = s.packer.Unpack(nil, coding, snapshot)
	}
	return v, err
}
