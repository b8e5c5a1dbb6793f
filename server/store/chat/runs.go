package chat

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"screentest/server/store/engine"
	"screentest/server/store/ledger"
	"screentest/server/store/people"
	"screentest/shared/wire"
)

// runColumns are a run as runScan reads it, for a run r, its conversation c
// and its message m. Each is a value of its kind when r is missing from a LEFT
// JOIN, too; the id is NULL then. What it cost is the sum of its rows in the
// ledger; basis and source are those of the latest.
const runColumns = `r.id, c.id, m.id, coalesce(r.lane, 0), coalesce(r.endpoint, ''), coalesce(r.model, ''), coalesce(r.answered, ''),
	coalesce(r.state, ''), coalesce(r.finish, ''), r.problem, coalesce(r.content_type, ''),
	CASE r.state WHEN 'running' THEN ` + logEnd + ` ELSE coalesce(r.bytes, 0) END,
	coalesce(r.started_ms, 0), coalesce(r.first_token_ms, 0), coalesce(r.duration_ms, 0),
	coalesce(r.input_tokens, 0), coalesce(r.output_tokens, 0),
	coalesce((SELECT sum(cost_nano_usd) FROM ledger WHERE owner = r.owner AND subject = r.id), r.told_nano_usd, 0),
	coalesce(l.basis, r.told_basis, ''), coalesce(l.source, r.told_source, ''), r.calls, coalesce(r.reasoning_bytes, 0), coalesce(r.sources, 0),
	(SELECT id FROM teams WHERE n = r.team), coalesce(r.paid_by, '')`

// runLedger joins the latest row of the ledger about the run r.
const runLedger = ` LEFT JOIN ledger l ON l.n = (SELECT max(n) FROM ledger WHERE owner = r.owner AND subject = r.id) `

// A runScan takes the runColumns.
type runScan struct {
	run                       wire.Run
	id, conversation, message []byte
	team                      []byte
	problem, calls            []byte
}

func (s *runScan) dest() []any {
	r := &s.run
	return []any{&s.id, &s.conversation, &s.message, &r.Lane, &r.Endpoint, &r.Model, &r.Answered,
		&r.State, &r.Finish, &s.problem, &r.ContentType,
		&r.Bytes, &r.StartedMS, &r.FirstTokenMS, &r.DurationMS,
		&r.InputTokens, &r.OutputTokens, &r.CostNanoUSD, &r.Basis, &r.CostSource, &s.calls, &r.ReasoningBytes, &r.Sources, &s.team, &r.PaidBy}
}

// result returns the run that was scanned; nil if there is none.
func (s *runScan) result() (*wire.Run, error) {
	if s.id == nil {
		return nil, nil
	}
	r := s.run
	r.ID, r.Conversation, r.Message = engine.FormatID(s.id), engine.FormatID(s.conversation), engine.FormatID(s.message)
	r.Team = engine.FormatID(s.team)
	if s.problem != nil {
		r.Problem = new(wire.Problem)
		if err := json.Unmarshal(s.problem, r.Problem); err != nil {
			return nil, fmt.Errorf("run %s: its problem: %w", r.ID, err)
		}
	}
	if s.calls != nil {
		if err := json.Unmarshal(s.calls, &r.Calls); err != nil {
			return nil, fmt.Errorf("run %s: its calls: %w", r.ID, err)
		}
	}
	return &r, nil
}

const selectRun = "SELECT " + runColumns + " FROM runs r JOIN messages m ON m.n = r.message JOIN conversations c ON c.n = r.conversation" + runLedger

// readRun reads the run of that id. fs.ErrNotExist: there is none.
func readRun(q engine.Scanner, owner int64, id []byte) (wire.Run, error) {
	var s runScan
	err := q.Scan(selectRun+"WHERE r.owner = ? AND r.id = ?", []any{owner, id}, s.dest()...)
	if errors.Is(err, sql.ErrNoRows) {
		return wire.Run{}, engine.NotFound("run")
	}
	if err != nil {
		return wire.Run{}, err
	}
	r, err := s.result()
	if err != nil {
		return wire.Run{}, err
	}
	return *r, nil
}

// Run returns a run. Bytes is the length of its stored log.
func (c *Chat) Run(ctx context.Context, owner, id string) (wire.Run, error) {
	b, ok := engine.ParseID(id)
	if !ok {
		return wire.Run{}, engine.NotFound("run")
	}
	return readRun(c.db.At(ctx), engine.ParseOwner(owner), b)
}

// RequestSent returns what was sent to the gateway for a run, and what the head
// of the reply told.
func (c *Chat) RequestSent(ctx context.Context, owner, id string) (wire.RunRequest, error) {
	b, _ := engine.ParseID(id)
	r := wire.RunRequest{Run: id}
	var coding sql.NullInt64
	var body []byte
	err := c.db.At(ctx).Scan(`SELECT r.endpoint, r.model, r.started_ms, r.http_status, r.request_id, r.content_type, coalesce(q.base_url, ''), q.coding, q.body
		FROM runs r LEFT JOIN run_requests q ON q.run = r.n WHERE r.owner = ? AND r.id = ?`,
		[]any{engine.ParseOwner(owner), b}, &r.Endpoint, &r.Model, &r.StartedMS, &r.Status, &r.RequestID, &r.ContentType, &r.BaseURL, &coding, &body)
	if errors.Is(err, sql.ErrNoRows) {
		return wire.RunRequest{}, engine.NotFound("run")
	}
	if err != nil {
		return wire.RunRequest{}, err
	}
	if !coding.Valid {
		return wire.RunRequest{}, &engine.Error{Problem: wire.Problem{Code: wire.CodeNoRequest, Message: "What was sent for this answer is not kept here: it was imported, or is older than what is kept."}}
	}
	body, err = c.packer.Unpack(nil, int(coding.Int64), body)
	r.Body = string(body)
	return r, err
}

// RunRequest returns the exact body that was sent to the gateway.
func (c *Chat) RunRequest(ctx context.Context, owner, id string) ([]byte, error) {
	b, _ := engine.ParseID(id)
	var coding int
	var body []byte
	err := c.db.At(ctx).Scan("SELECT q.coding, q.body FROM runs r JOIN run_requests q ON q.run = r.n WHERE r.owner = ? AND r.id = ?",
		[]any{engine.ParseOwner(owner), b}, &coding, &body)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, engine.NotFound("run")
	}
	if err != nil {
		return nil, err
	}
	return c.packer.Unpack(nil, coding, body)
}

// EachRunning calls fn for every run of this process that is stored as running,
// oldest first. After a start these are the runs that the last process did not
// finish, and after another replica was found gone those of it. fn
// may write: the list is read before it is called.
func (c *Chat) EachRunning(ctx context.Context, fn func(owner string, r wire.Run) error) error {
	type owned struct {
		n, owner int64
		run      *wire.Run
	}
	var all []owned
	// Without INDEXED BY every run there ever was would be looked at.
	err := c.db.At(ctx).Each("SELECT r.n, r.owner, "+runColumns+" FROM runs r INDEXED BY runs_running JOIN messages m ON m.n = r.message JOIN conversations c ON c.n = r.conversation"+runLedger+"WHERE r.state = 'running' AND r.holder = ?", []any{c.db.Holder()}, func(rows *sql.Rows) error {
		var o owned
		var s runScan
		if err := rows.Scan(append([]any{&o.n, &o.owner}, s.dest()...)...); err != nil {
			return err
		}
		var err error
		o.run, err = s.result()
		all = append(all, o)
		return err
	})
	if err != nil {
		return err
	}
	slices.SortFunc(all, func(a, b owned) int { return cmp.Compare(a.n, b.n) })
	for _, o := range all {
		if err := fn(engine.FormatOwner(o.owner), *o.run); err != nil {
			return err
		}
	}
	return nil
}

// FinishRun stores, in one transaction, the end of a run: its final state r,
// the answer's text, the whole log with its time index (compressed, in place
// of what AppendRunLog stored), and, if r.CostSource is not "", its charge in
// the ledger with the prices it was worked out from, as JSON. Finishing twice
// with the same state is finishing once; with another, fs.ErrExist. If the run
// is not stored, because its conversation was deleted meanwhile or its start
// could not be written, only the charge is booked: money is never lost. Who pays
// is what its start said, and of a run that is not stored what r says.
func (c *Chat) FinishRun(ctx context.Context, owner string, r wire.Run, text string, log, times []byte, prices json.RawMessage) error {
	id, err := engine.WantID("run", r.ID)
	if err != nil {
		return err
	}
	if r.State == wire.Running || r.State == "" {
		return fmt.Errorf("finish run %s: its state %q is not a final one", r.ID, r.State)
	}
	var problem []byte // NULL without one
	if r.Problem != nil {
		if problem, err = json.Marshal(r.Problem); err != nil {
			return fmt.Errorf("finish run %s: its problem: %w", r.ID, err)
		}
	}
	var calls []byte // NULL without any
	if len(r.Calls) > 0 {
		if calls, err = json.Marshal(r.Calls); err != nil {
			return fmt.Errorf("finish run %s: its calls: %w", r.ID, err)
		}
	}
	who := engine.ParseOwner(owner)
	whole, err := c.prepareLog(ctx, who, id, log, times)
	if err != nil {
		return err
	}
	return c.db.Write(ctx, len(text)+whole.size(), func(w *engine.Tx) error {
		var n, message, conversation int64
		var state wire.RunState
		var team []byte
		var paidBy string
		var stored extent
		err := w.Scan("SELECT n, message, conversation, state, (SELECT id FROM teams WHERE n = r.team), paid_by, "+selectExtent+" FROM runs r WHERE owner = ? AND id = ?",
			[]any{who, id}, &n, &message, &conversation, &state, &team, &paidBy, &stored.count, &stored.end)
		if errors.Is(err, sql.ErrNoRows) {
			return c.bookRun(w, who, id, r, prices)
		}
		if err != nil {
			return err
		}
		r := r
		r.Team, r.PaidBy = engine.FormatID(team), paidBy
		if state == r.State {
			return nil
		}
		if state != wire.Running {
			return engine.Conflict("This run has ended already, as %s.", state)
		}
		if err := storeLog(w, who, n, stored, whole, c.packer); err != nil {
			return err
		}
		_, err = w.Exec(`UPDATE runs SET state = ?, answered = ?, finish = ?, problem = ?, content_type = ?, bytes = ?,
			first_token_ms = ?, duration_ms = ?, input_tokens = ?, output_tokens = ?, calls = ?, reasoning_bytes = ?, sources = ? WHERE n = ?`,
			string(r.State), r.Answered, r.Finish, engine.AsText(problem), r.ContentType, len(log),
			r.FirstTokenMS, r.DurationMS, r.InputTokens, r.OutputTokens, engine.AsText(calls), r.ReasoningBytes, r.Sources, n)
		if err != nil {
			return err
		}
		if _, err := w.Exec("UPDATE messages SET text = ? WHERE n = ?", text, message); err != nil {
			return err
		}
		if err := c.index.NoteMessage(w, who, conversation, message); err != nil {
			return err
		}
		if _, err := w.Exec("UPDATE conversations SET updated_ms = max(updated_ms, ?) WHERE n = ?", endedMS(r), conversation); err != nil {
			return err
		}
		return c.bookRun(w, who, id, r, prices)
	})
}

// endedMS is when r ended, in Unix milliseconds.
func endedMS(r wire.Run) int64 { return r.StartedMS + r.DurationMS }

// bookRun books the charge of a run that ended, if it has one. What was set aside for
// it is free then.
func (c *Chat) bookRun(w *engine.Tx, owner int64, id []byte, r wire.Run, prices json.RawMessage) error {
	if err := ledger.Free(w, owner, id); err != nil {
		return err
	}
	if r.CostSource == "" {
		return nil
	}
	conversation, _ := engine.ParseID(r.Conversation)
	team, err := people.TeamNumber(w, r.Team)
	if err != nil {
		return err
	}
	_, err = c.books.Book(w, owner, ledger.Entry{
		Kind: wire.KindCharge, What: wire.WhatText, Subject: id, Conversation: conversation, Model: r.Model,
		CostNanoUSD: r.CostNanoUSD, Basis: r.Basis, Source: r.CostSource,
		InputTokens: r.InputTokens, OutputTokens: r.OutputTokens, Prices: prices, CreatedMS: endedMS(r),
		Team: team, PaidBy: r.PaidBy,
	})
	return err
}
