package video

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"screentest/server/store/engine"
	"screentest/server/store/ledger"
	"screentest/server/store/people"
	"screentest/server/store/review"
	"screentest/server/store/search"
	"screentest/shared/wire"
)

// Create stores the intent of a task, t in the state VideoCreating, before
// anything is sent. The task holds the gateway key sealed until it ends: key
// is the number of one that is stored, as Create and EachKey tell it, or 0,
// and then secret is stored as a new one. If there is a task of that id
// already, it is returned with found, and nothing is changed.
func (v *Videos) Create(ctx context.Context, owner string, key int64, secret string, t wire.VideoTask, prices json.RawMessage) (stored wire.VideoTask, used int64, found bool, err error) {
	return v.CreateWith(ctx, owner, key, secret, t, prices, func(*engine.Tx) error { return nil })
}

// CreateWith is Create with something else in its transaction, that may refuse it.
func (v *Videos) CreateWith(ctx context.Context, owner string, key int64, secret string, t wire.VideoTask, prices json.RawMessage, also func(*engine.Tx) error) (stored wire.VideoTask, used int64, found bool, err error) {
	id, err := engine.WantID("id", t.ID)
	if err != nil {
		return stored, 0, false, err
	}
	var source, again []byte
	for _, of := range []struct {
		name, id string
		to       *[]byte
	}{{"source", t.Source, &source}, {"version_of", t.VersionOf, &again}} {
		if of.id != "" {
			if *of.to, err = engine.WantID(of.name, of.id); err != nil {
				return stored, 0, false, err
			}
		}
	}
	tags, err := json.Marshal(append([]string{}, t.Tags...))
	if err != nil {
		return stored, 0, false, err
	}
	if len(prices) == 0 {
		prices = json.RawMessage("{}")
	}
	who := engine.ParseOwner(owner)
	var made struct { // what the unit sets
		task  wire.VideoTask
		key   int64
		found bool
	}
	err = v.db.Write(ctx, len(t.Body)+2*len(t.Prompt), func(w *engine.Tx) error {
		if err := also(w); err != nil {
			return err
		}
		s, was, err := readVideo(w, who, id)
		if err == nil {
			made.task, made.key, made.found = was, s.key, true
			return nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := people.WantUser(w, who); err != nil {
			return err
		}
		team, err := people.TeamNumber(w, t.Team)
		if err != nil {
			return err
		}
		made.key, made.found = 0, false
		if key > 0 {
			err := w.Scan("SELECT n FROM video_keys WHERE owner = ? AND n = ? AND paused = 0 AND coalesce(team, 0) = ? AND gateway = ?", []any{who, key, team, t.Gateway}, &made.key)
			if err != nil && !errors.Is(err, sql.ErrNoRows) {
				return err
			}
		}
		if made.key == 0 && secret != "" {
			if made.key, err = v.addKey(w, who, team, t.Gateway, secret, false); err != nil {
				return err
			}
		}
		n, err := w.Insert(`INSERT INTO video_tasks (owner, id, key, gateway, model, mode, prompt, title, tags, words, state, created_ms, usual_least, usual_most,
			seconds, price, basis, sample, prices, source, source_index, source_uuid, family, tier, resolution, root, team, paid_by, version_of, holder)
			VALUES (?, ?, nullif(?, 0), ?, ?, ?, ?, ?, ?, ?, 'creating', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, nullif(?, 0), ?, ?, ?)`,
			who, id, made.key, t.Gateway, t.Model, t.Mode, t.Prompt, t.Title, string(tags), search.Words(t), t.CreatedMS, t.UsualLeastMS, t.UsualMostMS,
			t.Seconds, t.PriceNanoUSD, t.Basis, t.SamplePrice, string(prices), source, t.SourceIndex, t.SourceUUID,
			t.Family, t.Tier, t.Resolution, t.Root, team, t.PaidBy, again, w.Holder())
		if err != nil {
			return err
		}
		if from := t.Copied; from != nil {
			share, _ := engine.ParseID(from.Share)
			if _, err := w.Exec("UPDATE video_tasks SET copied_share = ?, copied_title = ?, copied_from = ? WHERE n = ?",
				share, from.Title, engine.OrNull(engine.ParseOwner(from.From)), n); err != nil {
				return err
			}
		}
		if _, err := w.Exec("INSERT INTO video_requests (task, owner, body) VALUES (?, ?, ?)", n, who, string(t.Body)); err != nil {
			return err
		}
		if err := review.Join(w, n); err != nil {
			return err
		}
		if err := v.index.NoteVideo(w, who, n); err != nil {
			return err
		}
		_, made.task, err = readVideo(w, who, id)
		return err
	})
	if err != nil {
		return stored, 0, false, err
	}
	return made.task, made.key, made.found, nil
}

// change runs fn on a task that is there and returns the task as it is then.
// fn tells whether it changed anything.
func (v *Videos) change(ctx context.Context, owner, id string, size int, fn func(w *engine.Tx, s videoScan, t wire.VideoTask) (changed bool, err error)) (wire.VideoTask, bool, error) {
	b, _ := engine.ParseID(id)
	who := engine.ParseOwner(owner)
	var now wire.VideoTask
	var changed bool
	err := v.db.Write(ctx, size, func(w *engine.Tx) error {
		s, t, err := readVideo(w, who, b)
		if err != nil {
			return err
		}
		now = t
		if changed, err = fn(w, s, t); err != nil || !changed {
			return err
		}
		if _, err := w.Exec("UPDATE video_tasks SET version = version + 1 WHERE n = ?", s.n); err != nil {
			return err
		}
		if _, now, err = readVideo(w, who, b); err != nil || search.SameVideo(now, t) {
			return err
		}
		return v.index.NoteVideo(w, who, s.n)
	})
	if err != nil {
		return wire.VideoTask{}, false, err
	}
	return now, changed, nil
}

// Accepted stores that the gateway took a task: its id there, at that time in
// Unix milliseconds, and the charge, as one (F109). It is for a task that is
// creating or unknown; for any other, changed is false. The replica that stores it is
// the one that asks about it.
func (v *Videos) Accepted(ctx context.Context, owner, id, remote string, at int64) (t wire.VideoTask, changed bool, err error) {
	return v.change(ctx, owner, id, 0, func(w *engine.Tx, s videoScan, t wire.VideoTask) (bool, error) {
		if t.Remote == remote || t.State != wire.VideoCreating && t.State != wire.VideoUnknown {
			return false, nil
		}
		var other int
		if err := w.Scan("SELECT count(*) FROM video_tasks WHERE owner = ? AND remote = ?", []any{s.owner, remote}, &other); err != nil {
			return false, err
		}
		if other > 0 {
			return false, engine.Conflict("This id of the gateway belongs to another of your tasks.")
		}
		if _, err := w.Exec("UPDATE video_tasks SET state = 'queued', remote = ?, accepted_ms = ?, problem = NULL, holder = ? WHERE n = ?", remote, at, w.Holder(), s.n); err != nil {
			return false, err
		}
		if err := ledger.Free(w, s.owner, s.id); err != nil {
			return false, err
		}
		source := wire.SourceComputed
		var prices string
		var team int64
		if err := w.Scan("SELECT prices, coalesce(team, 0) FROM video_tasks WHERE n = ?", []any{s.n}, &prices, &team); err != nil {
			return false, err
		}
		if t.PriceNanoUSD == 0 {
			source = wire.SourceEstimated // there is no price: the figure is no fact
		}
		_, err := v.books.Book(w, s.owner, ledger.Entry{Kind: wire.KindCharge, What: wire.WhatVideo, Subject: s.id, Model: t.Model,
			CostNanoUSD: t.PriceNanoUSD, Basis: t.Basis, Source: source, Prices: json.RawMessage(prices), CreatedMS: at, Team: team, PaidBy: t.PaidBy})
		return true, err
	})
}

// Refused stores that a creation did not go through, and why: it cost nothing.
func (v *Videos) Refused(ctx context.Context, owner, id string, why *wire.Problem) (wire.VideoTask, bool, error) {
	return v.uncreated(ctx, owner, id, wire.VideoRefused, why)
}

// Unknown stores that it is not known whether a creation went through (G35).
func (v *Videos) Unknown(ctx context.Context, owner, id string, why *wire.Problem) (wire.VideoTask, bool, error) {
	return v.uncreated(ctx, owner, id, wire.VideoUnknown, why)
}

func (v *Videos) uncreated(ctx context.Context, owner, id string, state wire.VideoState, why *wire.Problem) (wire.VideoTask, bool, error) {
	text, err := videoProblem(why)
	if err != nil {
		return wire.VideoTask{}, false, err
	}
	return v.change(ctx, owner, id, 0, func(w *engine.Tx, s videoScan, t wire.VideoTask) (bool, error) {
		if t.State != wire.VideoCreating && t.State != wire.VideoUnknown || t.State == state {
			return false, nil
		}
		if _, err := w.Exec("UPDATE video_tasks SET state = ?, problem = ? WHERE n = ?", string(state), text, s.n); err != nil {
			return false, err
		}
		if state == wire.VideoRefused {
			if err := ledger.Free(w, s.owner, s.id); err != nil {
				return false, err
			}
		}
		return true, dropKey(w, s.n)
	})
}

// Progress stores what a poll tells of a task that is not final: t's State,
// UUID, StartedMS, Pause and PollProblem.
func (v *Videos) Progress(ctx context.Context, owner string, t wire.VideoTask) (wire.VideoTask, bool, error) {
	poll, err := videoProblem(t.PollProblem)
	if err != nil {
		return wire.VideoTask{}, false, err
	}
	return v.change(ctx, owner, t.ID, 0, func(w *engine.Tx, s videoScan, was wire.VideoTask) (bool, error) {
		if !was.State.Open() || !t.State.Open() {
			return false, nil
		}
		_, err := w.Exec(`UPDATE video_tasks SET state = ?, uuid = CASE uuid WHEN '' THEN ? ELSE uuid END,
			started_ms = CASE started_ms WHEN 0 THEN ? ELSE started_ms END, pause = ?, poll_problem = ? WHERE n = ?`,
			string(t.State), t.UUID, t.StartedMS, string(t.Pause), poll, s.n)
		return true, err
	})
}

// End stores the end of a task, exactly once: t's final State, UUID,
// FinishState, StartedMS, FinishedMS and Problem. As one with it go the return
// of a failure (F112), in Unix milliseconds at, and the jobs to archive the
// files of a success. A final state stays, but that a done task can expire
// (G32): then changed is false.
func (v *Videos) End(ctx context.Context, owner string, t wire.VideoTask, urls []string, at int64) (wire.VideoTask, bool, error) {
	if !t.State.Final() {
		return wire.VideoTask{}, false, fmt.Errorf("end video task %s: its state %q is not a final one", t.ID, t.State)
	}
	problem, err := videoProblem(t.Problem)
	if err != nil {
		return wire.VideoTask{}, false, err
	}
	return v.change(ctx, owner, t.ID, 0, func(w *engine.Tx, s videoScan, was wire.VideoTask) (bool, error) {
		expires := was.State == wire.VideoDone && t.State == wire.VideoExpired
		if !was.State.Open() && !expires {
			return false, nil
		}
		if expires {
			if _, err := w.Exec("UPDATE video_tasks SET state = 'expired' WHERE n = ?", s.n); err != nil {
				return false, err
			}
			// What is not copied by now can't be.
			if _, err := w.Exec(`UPDATE video_outputs SET archive = 'failed', problem = ? WHERE task = ? AND archive IN ('waiting', 'copying', 'full')`,
				`{"code":"result_expired","message":"The gateway deleted the file before it was copied."}`, s.n); err != nil {
				return false, err
			}
			return true, dropKey(w, s.n)
		}
		_, err := w.Exec(`UPDATE video_tasks SET state = ?, pause = '', poll_problem = NULL, problem = ?, finish_state = ?,
			uuid = CASE uuid WHEN '' THEN ? ELSE uuid END, started_ms = CASE started_ms WHEN 0 THEN ? ELSE started_ms END, finished_ms = ? WHERE n = ?`,
			string(t.State), problem, t.FinishState, t.UUID, t.StartedMS, t.FinishedMS, s.n)
		if err != nil {
			return false, err
		}
		switch t.State {
		case wire.VideoDone:
			for i, url := range urls {
				if _, err := w.Exec("INSERT INTO video_outputs (owner, task, idx, url) VALUES (?, ?, ?, ?)", s.owner, s.n, i, url); err != nil {
					return false, err
				}
			}
		case wire.VideoFailed:
			if err := v.giveBack(w, s, was, at); err != nil {
				return false, err
			}
		}
		return true, dropKey(w, s.n)
	})
}

// giveBack books back, once, what the ledger says that a failed task cost: its
// charge with what it was corrected by, so that nothing is left of it. The
// return is as good as the newest figure, and has its source.
func (v *Videos) giveBack(w *engine.Tx, s videoScan, t wire.VideoTask, at int64) error {
	var sum, team int64
	var basis, source, prices, paidBy string
	err := w.Scan(`SELECT (SELECT sum(cost_nano_usd) FROM ledger WHERE owner = ?1 AND subject = ?2), basis, source, prices, coalesce(team, 0), paid_by
		FROM ledger WHERE owner = ?1 AND subject = ?2 ORDER BY n DESC LIMIT 1`, []any{s.owner, s.id}, &sum, &basis, &source, &prices, &team, &paidBy)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = v.books.Book(w, s.owner, ledger.Entry{Kind: wire.KindReturn, What: wire.WhatVideo, Subject: s.id, Model: t.Model, CostNanoUSD: min(-sum, 0),
		Basis: "the task failed: " + basis, Source: source, Prices: json.RawMessage(prices), CreatedMS: at, Team: team, PaidBy: paidBy})
	return err
}
