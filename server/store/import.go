package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"io"

	"github.com/google/uuid"

	"screentest/shared/wire"
)

// Import stores what Export wrote, all of it or nothing. A conversation of
// which an id is in use gets new ones; so does a library entry, unless the same
// is there. Too many pinned conversations are not pinned. A *wire.Problem says
// what is wrong with the file, and where.
func (db *DB) Import(ctx context.Context, owner string, from io.Reader) (wire.Imported, error) {
	t, err := readTransfer(from)
	if err != nil {
		return wire.Imported{}, err
	}
	var done wire.Imported
	err = db.writer.write(ctx, wire.MaxImport, func(w *tx) error {
		who := parseOwner(owner)
		if err := w.wantUser(who); err != nil {
			return err
		}
		done = wire.Imported{} // the unit may be run once more
		for i := range t.Conversations {
			id, err := w.importConversation(who, t.Conversations[i], &done)
			if err != nil {
				return err
			}
			if i == 0 {
				done.Open = id
			}
		}
		for _, e := range t.Library {
			if err := w.importEntry(who, e, &done); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return wire.Imported{}, err
	}
	return done, nil
}

// importConversation stores one conversation and returns its id here.
func (w *tx) importConversation(owner int64, c transferConversation, done *wire.Imported) (string, error) {
	taken, err := w.anyTaken(owner, c)
	if err != nil {
		return "", err
	}
	name := func(id string) string { return id }
	if taken {
		name = renaming()
		done.Renewed++
	}
	if c.Pinned {
		var pinned int
		if err := w.scan("SELECT count(*) FROM conversations WHERE owner = ? AND pinned = 1", []any{owner}, &pinned); err != nil {
			return "", err
		}
		c.Pinned = pinned < wire.MaxPinned
	}
	id, _ := parseID(name(c.ID))
	n, err := w.insert("INSERT INTO conversations (owner, id, title, pinned, models, created_ms, updated_ms) VALUES (?, ?, ?, ?, ?, ?, ?)",
		owner, id, c.Title, c.Pinned, c.Models, c.CreatedMS, c.UpdatedMS)
	if err != nil {
		return "", err
	}
	if err := w.toIndex(owner, n, 0); err != nil {
		return "", err
	}
	done.Conversations++
	for _, m := range c.Messages {
		if err := w.importMessage(owner, n, m, name, done); err != nil {
			return "", err
		}
	}
	for _, v := range c.Votes {
		vote := wire.Vote{Message: name(v.Message), Models: v.Models, VoteMS: v.VoteMS}
		if v.Winner != "" {
			vote.Winner = name(v.Winner)
		}
		models, err := checkVote(vote)
		if err == nil {
			err = w.insertVote(owner, n, vote, models)
		}
		if err != nil {
			return "", err
		}
		done.Votes++
	}
	if c.Lanes != nil {
		lanes := wire.Lanes{Lanes: append([]wire.Lane(nil), c.Lanes.Lanes...)}
		for i, l := range lanes.Lanes {
			if l.Leaf != "" {
				lanes.Lanes[i].Leaf = name(l.Leaf)
			}
		}
		list, err := checkLanes(lanes)
		if err != nil {
			return "", err
		}
		if _, err := w.exec("INSERT INTO lanes (conversation, owner, rev, blind, lanes) VALUES (?, ?, 1, ?, ?)", n, owner, c.Lanes.Blind, list); err != nil {
			return "", err
		}
	}
	return name(c.ID), nil
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

// anyTaken says whether an id of c is in use.
func (w *tx) anyTaken(owner int64, c transferConversation) (bool, error) {
	look := func(query, id string) (bool, error) {
		b, _ := parseID(id)
		var found bool
		err := w.scan(query, []any{owner, b}, &found)
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

func (w *tx) importMessage(owner, conversation int64, m transferMessage, name func(string) string, done *wire.Imported) error {
	id, _ := parseID(name(m.ID))
	var parent []byte
	if m.Parent != "" {
		parent, _ = parseID(name(m.Parent))
	}
	n, err := w.insert("INSERT INTO messages (owner, conversation, id, parent, lane, role, text, created_ms, tool_call, tool) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		owner, conversation, id, parent, m.Lane, m.Role, m.Text, m.CreatedMS, m.ToolCall, m.Tool)
	if err != nil {
		return err
	}
	done.Messages++
	if m.Run != nil {
		if err := w.importRun(owner, conversation, n, *m.Run, name); err != nil {
			return err
		}
		done.Runs++
	}
	return w.toIndex(owner, conversation, n)
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

// importEntry stores an entry of the library.
func (w *tx) importEntry(owner int64, e wire.LibraryEntry, done *wire.Imported) error {
	id, _ := parseID(e.ID)
	var kind, name, text, family string
	var params []byte
	err := w.scan("SELECT kind, name, text, family, params FROM library WHERE owner = ? AND id = ?", []any{owner, id}, &kind, &name, &text, &family, &params)
	switch {
	case errors.Is(err, sql.ErrNoRows):
	case err != nil:
		return err
	case kind == e.Kind && name == e.Name && text == e.Text && family == e.Family && string(params) == string(e.Params):
		return nil
	default:
		e.ID = uuid.NewString()
	}
	done.Entries++
	return w.putEntry(owner, e)
}
