// Package approvals keeps the clips that wait until a lead of their team releases
// them, and what was decided. Each state that one is given is one transaction,
// with its line in the audit; to be released is one with the clip.
package approvals

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"screentest/server/store/audit"
	"screentest/server/store/engine"
	"screentest/server/store/people"
	"screentest/server/store/video"
	"screentest/shared/wire"
)

// Approvals are everybody's. Who may see which is the caller's to know.
type Approvals struct {
	db     *engine.DB
	videos *video.Videos
	audit  *audit.Log
	now    func() time.Time
}

// New is the approvals in db. What is released is made in videos.
func New(db *engine.DB, videos *video.Videos, audit *audit.Log, now func() time.Time) *Approvals {
	return &Approvals{db, videos, audit, now}
}

// Ask keeps c, which would make t and be charged to t's team, until somebody
// decides. found: it was asked for before, by the same id, and is given as it is.
func (a *Approvals) Ask(ctx context.Context, owner, from string, c wire.VideoCreate, t wire.VideoTask) (v wire.Approval, found bool, err error) {
	clip, err := engine.WantID("id", c.ID)
	if err != nil {
		return v, false, err
	}
	body := c.Body
	c.Body, t.Body = nil, nil // kept by itself, to the byte
	request, err := json.Marshal(c)
	if err != nil {
		return v, false, err
	}
	task, err := json.Marshal(t)
	if err != nil {
		return v, false, err
	}
	asker := engine.ParseOwner(owner)
	err = a.db.Write(ctx, len(body)+len(request)+len(task), func(w *engine.Tx) error {
		v, err = read(w, "a.asker = ? AND a.clip = ?", asker, clip)
		if found = err == nil; found || !errors.Is(err, errNone) {
			return err
		}
		var waiting int
		if err := w.Scan("SELECT count(*) FROM approvals WHERE asker = ? AND waits = 1", []any{asker}, &waiting); err != nil {
			return err
		}
		if waiting >= wire.MaxWaiting {
			return &engine.Error{Problem: wire.Problem{Code: "too_many_waiting", Message: fmt.Sprintf("%d of your clips wait for approval, which is the limit. Nothing was sent.", waiting),
				Hint: "Withdraw one, or wait until they are decided."}}
		}
		team, err := people.TeamNumber(w, t.Team)
		if err != nil {
			return err
		}
		if _, err := w.Exec("INSERT INTO approvals (id, asker, clip, team, request, body, task, asked_ms) VALUES (randomblob(16), ?, ?, ?, ?, ?, ?, ?)",
			asker, clip, team, string(request), string(body), string(task), a.now().UnixMilli()); err != nil {
			return err
		}
		if v, err = read(w, "a.asker = ? AND a.clip = ?", asker, clip); err != nil {
			return err
		}
		return a.note(w, v, owner, from)
	})
	if err != nil {
		return wire.Approval{}, false, err
	}
	return v, found, nil
}

// ByClip is what an owner asked for, by the clip's id. fs.ErrNotExist: nothing.
func (a *Approvals) ByClip(ctx context.Context, owner, clip string) (wire.Approval, error) {
	b, _ := engine.ParseID(clip)
	return read(a.db.At(ctx), "a.asker = ? AND a.clip = ?", engine.ParseOwner(owner), b)
}

// Approval is one of them. fs.ErrNotExist: there is none.
func (a *Approvals) Approval(ctx context.Context, id string) (wire.Approval, error) {
	b, _ := engine.ParseID(id)
	return read(a.db.At(ctx), "a.id = ?", b)
}

// Request is the creation that was asked for, to the byte.
func (a *Approvals) Request(ctx context.Context, id string) (c wire.VideoCreate, err error) {
	b, _ := engine.ParseID(id)
	var request, body string
	err = a.db.At(ctx).Scan("SELECT request, body FROM approvals WHERE id = ?", []any{b}, &request, &body)
	if errors.Is(err, sql.ErrNoRows) {
		err = errNone
	}
	if err == nil {
		err = json.Unmarshal([]byte(request), &c)
	}
	c.Body = json.RawMessage(body)
	return c, err
}

// Decide gives one that waits another state, ApprovalRefused or
// ApprovalWithdrawn, by an owner. changed is false for one that was decided
// already, which stays as it is.
func (a *Approvals) Decide(ctx context.Context, id, state, by, from, reason string) (v wire.Approval, changed bool, err error) {
	b, _ := engine.ParseID(id)
	err = a.db.Write(ctx, len(reason), func(w *engine.Tx) error {
		changed, err = a.set(w, b, state, by, from, reason)
		if err == nil {
			v, err = read(w, "a.id = ?", b)
		}
		return err
	})
	if err != nil {
		return wire.Approval{}, false, err
	}
	return v, changed, nil
}

// Release makes the clip of one that waits, as video.Videos.Create does, and notes
// by whom it was released: both or neither. One that was decided already is a
// conflict, fs.ErrExist.
func (a *Approvals) Release(ctx context.Context, id, by, from, owner string, key int64, secret string, t wire.VideoTask, prices json.RawMessage) (stored wire.VideoTask, used int64, found bool, err error) {
	b, _ := engine.ParseID(id)
	return a.videos.CreateWith(ctx, owner, key, secret, t, prices, func(w *engine.Tx) error {
		changed, err := a.set(w, b, wire.ApprovalReleased, by, from, "")
		if err == nil && !changed {
			err = engine.Conflict("This was decided already.")
		}
		return err
	})
}

// Reprice has one that waits say what its clip would cost by now.
func (a *Approvals) Reprice(ctx context.Context, id string, t wire.VideoTask) (v wire.Approval, err error) {
	t.Body = nil
	task, err := json.Marshal(t)
	if err != nil {
		return v, err
	}
	b, _ := engine.ParseID(id)
	err = a.db.Write(ctx, len(task), func(w *engine.Tx) error {
		if _, err := w.Exec("UPDATE approvals SET task = ? WHERE id = ? AND waits = 1", string(task), b); err != nil {
			return err
		}
		v, err = read(w, "a.id = ?", b)
		return err
	})
	return v, err
}

// set gives one that waits another state. changed is false where it doesn't wait.
func (a *Approvals) set(w *engine.Tx, id []byte, state, by, from, reason string) (changed bool, err error) {
	res, err := w.Exec("UPDATE approvals SET state = ?, person = ?, reason = ?, decided_ms = ? WHERE id = ? AND waits = 1",
		state, engine.OrNull(engine.ParseOwner(by)), reason, a.now().UnixMilli(), id)
	if err != nil {
		return false, err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return false, err
	}
	v, err := read(w, "a.id = ?", id)
	if err != nil {
		return false, err
	}
	return true, a.note(w, v, by, from)
}

// note adds what has become of one to the audit.
func (a *Approvals) note(w *engine.Tx, v wire.Approval, by, from string) error {
	var asker []byte
	if err := w.Scan("SELECT id FROM users WHERE n = ?", []any{engine.ParseOwner(v.Owner)}, &asker); err != nil {
		return err
	}
	return a.audit.Append(w, audit.Entry{Person: by, Address: from, Action: "approval." + v.State, Object: v.Team,
		Detail: map[string]any{"person": engine.FormatID(asker), "clip": v.Clip.ID, "price_nano_usd": v.Clip.PriceNanoUSD}})
}
