// Package notices keeps what people are told in the page of what concerns them:
// of each person the newest [wire.MaxNotices], and of what one other did the newest
// [wire.MaxNoticesOf], so that nobody can push out what others do.
package notices

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"screentest/server/store/engine"
	"screentest/shared/wire"
)

// Notices are everybody's.
type Notices struct {
	db  *engine.DB
	now func() time.Time
}

// New is the notices in db.
func New(db *engine.DB, now func() time.Time) *Notices { return &Notices{db: db, now: now} }

// Add gives each of some owners a notice of what by, another owner, did; "" is the
// server. It waits for nothing: done is told what each was given, once that is
// durable. Who is not active is given none.
func (n *Notices) Add(owners []string, by string, notice wire.Notice, done func(given map[string]wire.Notice, err error)) {
	given := map[string]wire.Notice{}
	n.db.Post(len(owners)*len(notice.Text), func(w *engine.Tx) error {
		clear(given) // it may have been run in vain
		from := engine.ParseOwner(by)
		if from > 0 {
			if err := w.Scan("SELECT name FROM users WHERE n = ?", []any{from}, &notice.By); err != nil {
				return err
			}
		}
		notice.AtMS = n.now().UnixMilli()
		for _, owner := range owners {
			person := engine.ParseOwner(owner)
			var id []byte
			err := w.Scan(`INSERT INTO notices (id, person, kind, by, path, subject, text, at_ms)
				SELECT randomblob(16), n, ?, ?, ?, ?, ?, ? FROM users WHERE n = ? AND active = 1 AND email IS NOT NULL RETURNING id`,
				[]any{notice.Kind, engine.OrNull(from), notice.Path, notice.Subject, notice.Text, notice.AtMS, person}, &id)
			if errors.Is(err, sql.ErrNoRows) {
				continue
			}
			if err != nil {
				return err
			}
			if _, err := w.Exec("DELETE FROM notices WHERE person = ?1 AND n <= (SELECT n FROM notices WHERE person = ?1 ORDER BY n DESC LIMIT 1 OFFSET ?2)", person, wire.MaxNotices); err != nil {
				return err
			}
			if from > 0 {
				if _, err := w.Exec("DELETE FROM notices WHERE person = ?1 AND by = ?2 AND n <= (SELECT n FROM notices WHERE person = ?1 AND by = ?2 ORDER BY n DESC LIMIT 1 OFFSET ?3)", person, from, wire.MaxNoticesOf); err != nil {
					return err
				}
			}
			notice.ID = engine.FormatID(id)
			given[owner] = notice
		}
		return nil
	}, func(err error) { done(given, err) })
}

// List returns a page of an owner's, the newest first, and how many of all were
// not seen.
func (n *Notices) List(ctx context.Context, owner string, p wire.Page) (wire.Notices, error) {
	list := wire.Notices{Notices: []wire.Notice{}}
	before, err := engine.ParseCursor(p.Before, 1)
	if err != nil {
		return list, err
	}
	if before == nil {
		before = []int64{1<<63 - 1}
	}
	limit, person := engine.PageLimit(p.Limit, 30, wire.MaxNoticePage), engine.ParseOwner(owner)
	err = n.db.Snapshot(ctx, func(q engine.Reading) error {
		var last int64
		err := q.Each(`SELECT a.n, a.id, a.kind, coalesce(u.name, ''), a.path, a.subject, a.text, a.at_ms, a.seen_ms > 0 FROM notices a LEFT JOIN users u ON u.n = a.by
			WHERE a.person = ? AND a.n < ? ORDER BY a.n DESC LIMIT ?`, []any{person, before[0], limit + 1}, func(rows *sql.Rows) error {
			if len(list.Notices) == limit {
				list.Before = engine.FormatCursor(last)
				return nil
			}
			var v wire.Notice
			var id []byte
			err := rows.Scan(&last, &id, &v.Kind, &v.By, &v.Path, &v.Subject, &v.Text, &v.AtMS, &v.Seen)
			v.ID = engine.FormatID(id)
			list.Notices = append(list.Notices, v)
			return err
		})
		if err != nil {
			return err
		}
		return q.Scan("SELECT count(*) FROM notices WHERE person = ? AND seen_ms = 0", []any{person}, &list.Unseen)
	})
	return list, err
}

// Seen notes that an owner has seen one of theirs and all before it.
func (n *Notices) Seen(ctx context.Context, owner, id string) error {
	b, _ := engine.ParseID(id)
	return n.db.Write(ctx, 0, func(w *engine.Tx) error {
		var upTo int64
		person := engine.ParseOwner(owner)
		err := w.Scan("SELECT n FROM notices WHERE id = ? AND person = ?", []any{b, person}, &upTo)
		if errors.Is(err, sql.ErrNoRows) {
			return engine.NotFound("notice")
		}
		if err != nil {
			return err
		}
		_, err = w.Exec("UPDATE notices SET seen_ms = ? WHERE person = ? AND n <= ? AND seen_ms = 0", n.now().UnixMilli(), person, upTo)
		return err
	})
}
