// Package leaving sees off who leaves the instance, in the database: what they
// made is handed to somebody else, or deleted, and then, if that is asked for,
// they are erased. Their rows in the ledger and the audit stay, under a number.
//
// [Leavings.Begin] shuts them out and notes what is to be done; [Leavings.Step]
// does a piece of it, so small that nobody else's writes wait; [Leavings.Finish]
// ends it. What a killed process has not done, [Leavings.Unfinished] tells the
// next.
package leaving

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"screentest/server/account"
	"screentest/server/store/audit"
	"screentest/server/store/engine"
	"screentest/server/store/people"
	"screentest/server/store/search"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// Leavings are those under way.
type Leavings struct {
	db    *engine.DB
	index *search.Index
	audit *audit.Log
	now   func() time.Time
}

// New is the leavings in db. What is handed over can be found by its heir, in the
// index; the audit gets a line in the transaction that ends a leaving.
func New(db *engine.DB, index *search.Index, audit *audit.Log, now func() time.Time) *Leavings {
	return &Leavings{db: db, index: index, audit: audit, now: now}
}

// Count tells what of an owner's would be deleted, or handed over; what they said of
// clips, notices and what they asked approval for is deleted in any case. Bytes are those
// of clips and uploads that are nobody else's as well.
func (l *Leavings) Count(ctx context.Context, owner string) (e wire.Erasing, err error) {
	err = l.db.Snapshot(ctx, func(q engine.Reading) error {
		e, err = count(q, engine.ParseOwner(owner))
		return err
	})
	return e, err
}

func count(q engine.Scanner, n int64) (e wire.Erasing, err error) {
	for _, c := range []struct {
		query string
		to    *int64
	}{
		{"SELECT count(*) FROM conversations WHERE owner = ?1", &e.Conversations},
		{"SELECT count(*) FROM messages WHERE owner = ?1", &e.Messages},
		{"SELECT count(*) FROM video_tasks WHERE owner = ?1", &e.Clips},
		{"SELECT count(*) FROM uploads WHERE owner = ?1", &e.Uploads},
		{"SELECT count(*) FROM library WHERE owner = ?1", &e.Library},
		{"SELECT count(*) FROM shares WHERE owner = ?1", &e.Shares},
		{"SELECT count(*) FROM comments WHERE author = ?1 AND deleted_ms = 0", &e.Comments},
		{"SELECT count(*) FROM notices WHERE person = ?1 OR by = ?1", &e.Notices},
		{"SELECT count(*) FROM approvals WHERE asker = ?1", &e.Approvals},
		{"SELECT count(*) FROM ledger WHERE owner = ?1", &e.LedgerRows},
		{`SELECT coalesce((SELECT sum(bytes) FROM uploads WHERE owner = ?1), 0) + coalesce((SELECT sum(bytes) FROM (
			SELECT max(o.bytes) AS bytes FROM video_outputs o WHERE o.owner = ?1 AND o.archive = 'saved'
				AND NOT EXISTS (SELECT 1 FROM video_outputs x WHERE x.sha256 = o.sha256 AND x.archive = 'saved' AND x.owner <> ?1) GROUP BY o.sha256) AS file), 0)`, &e.Bytes},
	} {
		if err := q.Scan(c.query, []any{n}, c.to); err != nil {
			return e, err
		}
	}
	return e, nil
}

// Begin shuts out who leaves and notes what is to be done. origin is the gateway
// that clips are made at here. It counts what there is. A leaving that was begun
// and broken off is begun again as it was; another one is a conflict.
//
// Nobody erases themself, nor the last admin; an heir is an active account. Who
// is handed over from and not erased was deactivated before. While clips of theirs
// are being made it is refused, so that what comes of them, a return too, is
// booked: clips_under_way. A gateway that is silent is waited for until such a clip
// is gateway.StaleAfter old.
func (l *Leavings) Begin(ctx context.Context, v account.Leaving, origin string) (e wire.Erasing, err error) {
	p := parsed(v)
	err = l.db.Write(ctx, 0, func(w *engine.Tx) error {
		if err := l.allowed(w, p, origin); err != nil {
			return err
		}
		if err := people.Deactivate(w, p.person, l.now().UnixMilli()); err != nil {
			return err
		}
		if e, err = count(w, p.person); err != nil {
			return err
		}
		_, err := w.Exec("INSERT INTO leavings (person, heir, erase, by, address, begun_ms, holder) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
			p.person, engine.OrNull(p.heir), p.erase, engine.OrNull(p.by), v.From, l.now().UnixMilli(), w.Holder())
		return err
	})
	e.HandedOver = v.Heir != ""
	return e, err
}

// Allowed says why a leaving may not begin; nil: it may.
func (l *Leavings) Allowed(ctx context.Context, v account.Leaving, origin string) error {
	return l.db.Snapshot(ctx, func(q engine.Reading) error { return l.allowed(q, parsed(v), origin) })
}

// numbers are a Leaving as the queries take it.
type numbers struct {
	person, heir, by int64
	erase            bool
}

func parsed(v account.Leaving) numbers {
	return numbers{engine.ParseOwner(v.Person), engine.ParseOwner(v.Heir), engine.ParseOwner(v.By), v.Erase}
}

// openTasks are those that the server asks the gateway ?2 about. One that it does
// not answer for at present counts while it was accepted after ?3: a gateway that
// is gone for good holds nobody back.
const openTasks = `SELECT count(*) FROM video_tasks t WHERE t.owner = ?1 AND t.gateway = ?2 AND t.state IN ('creating', 'queued', 'running')
	AND (t.pause = '' OR t.pause = 'silent' AND t.accepted_ms > ?3)`

func (l *Leavings) allowed(q engine.Scanner, p numbers, origin string) error {
	var active bool
	err := q.Scan("SELECT active FROM users WHERE n = ? AND erased_ms = 0", []any{p.person}, &active)
	if errors.Is(err, sql.ErrNoRows) {
		return engine.NotFound("person")
	}
	if err != nil {
		return err
	}
	var heir sql.NullInt64
	var erase bool
	switch err := q.Scan("SELECT heir, erase FROM leavings WHERE person = ?", []any{p.person}, &heir, &erase); {
	case err == nil && (heir.Int64 != p.heir || erase != p.erase):
		return engine.Conflict("This person is being seen off already, in another way. Wait until that is done.")
	case err != nil && !errors.Is(err, sql.ErrNoRows):
		return err
	}
	refuse := func(code, field, message, hint string) error {
		return &engine.Error{Problem: wire.Problem{Code: code, Field: field, Message: message, Hint: hint}}
	}
	switch {
	case p.person == p.by:
		return refuse("conflict", "", "Nobody sees themself off.", "Ask another admin.")
	case !p.erase && active:
		return refuse("conflict", "", "This person is active, and may be making more.", "Deactivate them first, then hand over.")
	}
	if err := people.WantAnotherAdmin(q, p.person); err != nil {
		return err
	}
	var inherits bool
	if err := q.Scan("SELECT EXISTS (SELECT 1 FROM leavings WHERE heir = ?)", []any{p.person}, &inherits); err != nil {
		return err
	}
	if inherits {
		return engine.Conflict("This person is being handed what somebody else made. Wait until that is done.")
	}
	if p.heir > 0 {
		var may bool
		if err := q.Scan(`SELECT EXISTS (SELECT 1 FROM users WHERE n = ?1 AND active = 1 AND email IS NOT NULL AND role <> 'guest')
			AND NOT EXISTS (SELECT 1 FROM leavings WHERE person = ?1)`, []any{p.heir}, &may); err != nil {
			return err
		}
		if !may || p.heir == p.person {
			return refuse("bad_heir", "hand_over_to", "It can't be handed over to this person.", "Choose somebody else who is active and no guest.")
		}
	}
	var open int
	if err := q.Scan(openTasks, []any{p.person, origin, l.now().Add(-gateway.StaleAfter).UnixMilli()}, &open); err != nil {
		return err
	}
	if open > 0 {
		return refuse(wire.CodeClipsUnderWay, "", fmt.Sprintf("%d clips of this person are being made, and were paid for.", open),
			"Deactivate the person now, and do this when the clips have ended: mostly within half an hour.")
	}
	return nil
}

// Unfinished are the leavings that were begun and not finished, and that this process
// holds.
func (l *Leavings) Unfinished(ctx context.Context) (all []account.Leaving, err error) {
	err = l.db.At(ctx).Each("SELECT person, coalesce(heir, 0), erase, coalesce(by, 0), address FROM leavings WHERE holder = ? ORDER BY begun_ms", []any{l.db.Holder()}, func(rows *sql.Rows) error {
		var p numbers
		var v account.Leaving
		err := rows.Scan(&p.person, &p.heir, &p.erase, &p.by, &v.From)
		v.Person, v.Erase = engine.FormatOwner(p.person), p.erase
		if p.heir > 0 {
			v.Heir = engine.FormatOwner(p.heir)
		}
		if p.by > 0 {
			v.By = engine.FormatOwner(p.by)
		}
		all = append(all, v)
		return err
	})
	return all, err
}

// Finish ends a leaving, and gives it its line in the audit. more: something came
// to be there meanwhile, and wants steps. Where another process has finished it nothing
// is left to do.
func (l *Leavings) Finish(ctx context.Context, v account.Leaving, e wire.Erasing) (more bool, err error) {
	p := parsed(v)
	err = l.db.Write(ctx, 0, func(w *engine.Tx) error {
		if err := w.Scan(`SELECT EXISTS (SELECT 1 FROM conversations WHERE owner IN (?1, -?1)) OR EXISTS (SELECT 1 FROM video_tasks WHERE owner = ?1)
			OR EXISTS (SELECT 1 FROM uploads WHERE owner = ?1) OR EXISTS (SELECT 1 FROM library WHERE owner = ?1)
			OR ?2 AND (EXISTS (SELECT 1 FROM comments WHERE author = ?1 AND deleted_ms = 0) OR EXISTS (SELECT 1 FROM review_steps WHERE person = ?1 AND note <> ''))`, []any{p.person, p.erase}, &more); err != nil || more {
			return err
		}
		res, err := w.Exec("DELETE FROM leavings WHERE person = ?", p.person)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return err
		}
		for _, query := range []string{
			"DELETE FROM search_todo WHERE owner = ?",
			"DELETE FROM video_keys WHERE owner = ? AND NOT EXISTS (SELECT 1 FROM video_tasks WHERE key = video_keys.n)",
		} {
			if _, err := w.Exec(query, p.person); err != nil {
				return err
			}
		}
		var id []byte
		if err := w.Scan("SELECT id FROM users WHERE n = ?", []any{p.person}, &id); err != nil {
			return err
		}
		line := audit.Entry{Person: v.By, Address: v.From, Object: engine.FormatID(id), Detail: map[string]any{"conversations": e.Conversations, "clips": e.Clips, "uploads": e.Uploads}}
		if p.heir > 0 {
			var to []byte
			if err := w.Scan("SELECT id FROM users WHERE n = ?", []any{p.heir}, &to); err != nil {
				return err
			}
			handed := line
			handed.Action, handed.Detail = "person.handed_over", map[string]any{"to": engine.FormatID(to), "conversations": e.Conversations, "clips": e.Clips, "uploads": e.Uploads}
			if err := l.audit.Append(w, handed); err != nil {
				return err
			}
			line.Detail = nil
		}
		if p.erase {
			for _, forget := range []func(*engine.Tx, int64) error{forgetNotices, forgetApprovals} {
				if err := forget(w, p.person); err != nil {
					return err
				}
			}
			if err := people.Forget(w, p.person, l.now().UnixMilli()); err != nil {
				return err
			}
			line.Action = "person.erased"
			if err := l.audit.Append(w, line); err != nil {
				return err
			}
		}
		return w.Scrub()
	})
	return more && err == nil, err
}
