package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"io"
	"runtime/debug"

	"github.com/google/uuid"

	"screentest/shared/wire"
)

// Import stores what Export wrote, all of it or nothing. A conversation of
// which an id is in use gets new ones; so does a library entry, unless the same
// is there. Of too many pinned conversations the last changed are pinned. A
// *wire.Problem says what is wrong with the file, and where.
//
// It is stored in small steps, so that what others write gets in between, see
// staging.
func (db *DB) Import(ctx context.Context, owner string, from io.Reader) (wire.Imported, error) {
	count := &counting{r: from}
	done, err := db.importAll(ctx, owner, count)
	if count.n >= largeImport {
		debug.FreeOSMemory() // a server with nothing to do would keep it for long
	}
	return done, err
}

// largeImport is a file that takes so much memory to read that it is given back
// at once, in bytes.
const largeImport = 4 << 20

// counting counts what is read.
type counting struct {
	r io.Reader
	n int64
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

func (db *DB) importAll(ctx context.Context, owner string, from io.Reader) (wire.Imported, error) {
	t, err := readTransfer(from)
	if err != nil {
		return wire.Imported{}, err
	}
	select {
	case db.importing <- struct{}{}:
		defer func() { <-db.importing }()
	case <-ctx.Done():
		return wire.Imported{}, ctx.Err()
	}
	s := &staging{db: db, ctx: ctx, owner: parseOwner(owner)}
	err = s.begin()
	for i := range t.Conversations {
		if err != nil {
			break
		}
		var id string
		if id, err = s.conversation(t.Conversations[i]); i == 0 {
			s.done.Open = id
		}
		t.Conversations[i] = transferConversation{} // lets go of its texts
	}
	if err == nil {
		err = s.publish(t.Library)
	}
	if err != nil {
		s.undo()
		return wire.Imported{}, err
	}
	return s.done, nil
}

// conversation stages one conversation and returns its id here.
func (s *staging) conversation(c transferConversation) (string, error) {
	taken, err := s.anyTaken(c)
	if err != nil {
		return "", err
	}
	name := func(id string) string { return id }
	if taken {
		name = renaming()
		s.done.Renewed++
	}
	s.done.Conversations++
	var n int64 // set by the first step
	err = s.add(len(c.Title), func(w *tx) (err error) {
		id, _ := parseID(name(c.ID))
		n, err = w.insert("INSERT INTO conversations (owner, id, title, pinned, models, created_ms, updated_ms) VALUES (?, ?, ?, ?, ?, ?, ?)",
			-s.owner, id, c.Title, c.Pinned, c.Models, c.CreatedMS, c.UpdatedMS)
		return err
	})
	for i := range c.Messages {
		if err != nil {
			return "", err
		}
		m := &c.Messages[i]
		s.done.Messages++
		if m.Run != nil {
			s.done.Runs++
		}
		err = s.add(m.size(), func(w *tx) error { return w.importMessage(s.owner, n, *m, name) })
	}
	for _, v := range c.Votes {
		if err != nil {
			return "", err
		}
		s.done.Votes++
		err = s.add(0, func(w *tx) error { return w.importVote(s.owner, n, v, name) })
	}
	if c.Lanes != nil && err == nil {
		err = s.add(0, func(w *tx) error { return w.importLanes(s.owner, n, *c.Lanes, name) })
	}
	return name(c.ID), err
}

func (w *tx) importVote(owner, conversation int64, v transferVote, name func(string) string) error {
	vote := wire.Vote{Message: name(v.Message), Models: v.Models, VoteMS: v.VoteMS}
	if v.Winner != "" {
		vote.Winner = name(v.Winner)
	}
	models, err := checkVote(vote)
	if err != nil {
		return err
	}
	return w.insertVote(owner, conversation, vote, models)
}

func (w *tx) importLanes(owner, conversation int64, l transferLanes, name func(string) string) error {
	lanes := wire.Lanes{Lanes: append([]wire.Lane(nil), l.Lanes...)}
	for i, l := range lanes.Lanes {
		if l.Leaf != "" {
			lanes.Lanes[i].Leaf = name(l.Leaf)
		}
	}
	list, err := checkLanes(lanes)
	if err != nil {
		return err
	}
	_, err = w.exec("INSERT INTO lanes (conversation, owner, rev, blind, lanes) VALUES (?, ?, 1, ?, ?)", conversation, owner, l.Blind, list)
	return err
}

// renaming gives each id a new one, the same each time.
func renaming() func(string) string {
	names := map[string]string{}
	return func(id string) string {
		if names[id] == "" {
			names[id] = uuid.NewString()
		}
		return names[id]
	}
}

// anyTaken says whether an id of c is in use. It is read beside the writer: a
// send that takes one meanwhile has the import fail, and undone.
func (s *staging) anyTaken(c transferConversation) (bool, error) {
	q := s.db.readers.at(context.WithoutCancel(s.ctx))
	look := func(query, id string) (bool, error) {
		b, _ := parseID(id)
		var found bool
		err := q.scan(query, []any{s.owner, b}, &found)
		return found, err
	}
	taken, err := look("SELECT EXISTS (SELECT 1 FROM conversations WHERE owner = ? AND id = ?)", c.ID)
	for _, m := range c.Messages {
		if taken || err != nil {
			break
		}
		taken, err = look("SELECT EXISTS (SELECT 1 FROM messages WHERE owner = ? AND id = ?)", m.ID)
		if m.Run != nil && !taken && err == nil {
			taken, err = look("SELECT EXISTS (SELECT 1 FROM runs WHERE owner = ? AND id = ?)", m.Run.ID)
		}
	}
	return taken, err
}

func (w *tx) importMessage(owner, conversation int64, m transferMessage, name func(string) string) error {
	id, _ := parseID(name(m.ID))
	var parent []byte
	if m.Parent != "" {
		parent, _ = parseID(name(m.Parent))
	}
	n, err := w.insert("INSERT INTO messages (owner, conversation, id, parent, lane, role, text, created_ms, tool_call, tool) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		owner, conversation, id, parent, m.Lane, m.Role, m.Text, m.CreatedMS, m.ToolCall, m.Tool)
	if err != nil || m.Run == nil {
		return err
	}
	return w.importRun(owner, conversation, n, *m.Run, name)
}

func (w *tx) importRun(owner, conversation, message int64, r transferRun, name func(string) string) error {
	id, _ := parseID(name(r.ID))
	var problem, calls []byte
	var err error
	if r.Problem != nil {
		problem, err = json.Marshal(r.Problem)
	}
	if len(r.Calls) > 0 && err == nil {
		calls, err = json.Marshal(r.Calls)
	}
	if err != nil {
		return err
	}
	var cost, basis, source any
	if r.CostSource != "" {
		cost, source = r.CostNanoUSD, r.CostSource
	}
	if r.Basis != "" {
		basis = r.Basis
	}
	_, err = w.exec(`INSERT INTO runs (owner, conversation, message, id, lane, endpoint, model, answered, state, finish, problem,
		started_ms, first_token_ms, duration_ms, input_tokens, output_tokens, calls, told_nano_usd, told_basis, told_source)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		owner, conversation, message, id, r.Lane, r.Endpoint, r.Model, r.Answered, string(r.State), r.Finish, asText(problem),
		r.StartedMS, r.FirstTokenMS, r.DurationMS, r.InputTokens, r.OutputTokens, asText(calls), cost, basis, source)
	return err
}

// importEntry stores an entry of the library, unless the same is there.
func (w *tx) importEntry(owner int64, e wire.LibraryEntry) (stored bool, err error) {
	id, _ := parseID(e.ID)
	var kind, name, text, family string
	var params []byte
	err = w.scan("SELECT kind, name, text, family, params FROM library WHERE owner = ? AND id = ?", []any{owner, id}, &kind, &name, &text, &family, &params)
	switch {
	case errors.Is(err, sql.ErrNoRows):
	case err != nil:
		return false, err
	case kind == e.Kind && name == e.Name && text == e.Text && family == e.Family && string(params) == string(e.Params):
		return false, nil
	default:
		e.ID = uuid.NewString()
	}
	return true, w.putEntry(owner, e)
}
