// Package move moves all that a database holds from one engine to the other, with
// its files: [Move.Run]. A move that was broken off goes on where it was.
//
// Rows go table by table, in the order of the primary key, each batch in one
// transaction of the target with the note of how far it is, so that none is written
// twice. The search index is made anew, and everything else is compared in the end,
// before the source is closed for writing and the target opened for it.
//
// Both databases say meanwhile that they are being moved: the target is refused by
// whoever opens it to serve it, and in the source whoever does so takes the note
// away. Then what was copied may be old by now, and the next call begins anew.
package move

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"screentest/server/seal"
	"screentest/server/store/engine"
	"screentest/server/store/folder"
	"screentest/server/store/search"
	"screentest/shared/wire"
)

// An End is one of the two ends of a move.
type End struct {
	DB    *engine.DB
	What  string // it is: "folder" or "database"
	Name  string // as people read it, without a password
	Files Files
	Index *search.Index // what follows DB
}

// A Move is one from an end to another. Both databases are of the newest version,
// and nobody else has them open.
type Move struct {
	From, To End
	Box      *seal.Box // of the key that all is sealed with
	Now      func() time.Time
	// Say is told, in a few words, what is being done.
	Say func(format string, args ...any)

	// Version is that of the schema of both.
	Version int

	// written is called after each batch, in tests.
	written func() error

	state state
	plan  []*table
}

// state is what the target notes of a move that is under way.
type state struct {
	ID      string `json:"id"`
	From    string `json:"from"`
	Version int    `json:"version"` // of the schema
	// Table is the one that is being copied; those before it are. After is the key
	// of the last row. With the last of them, done, all are copied.
	Table string `json:"table"`
	After key    `json:"after,omitempty"`
	// Stage is what is being done.
	Stage stage `json:"stage"`
	// File is the last file, by its name, that is there and was compared.
	File string `json:"file,omitempty"`
	// Later are the statements that make the indexes of words, which cost more to be
	// kept up to date, word by word, than to be made once all are there.
	Later []string `json:"later,omitempty"`
}

// A stage of a move.
type stage int

// The stages, in their order.
const (
	copyingRows stage = iota
	notingWords
	puttingWords
	copyingFiles
	comparing
	closing // all was compared; only the notes are left to be set
)

// Run moves everything and tells what was compared. After an error it may be called
// again.
func (m *Move) Run(ctx context.Context) (r Report, err error) {
	if m.plan, err = plan(m.From.DB.At(ctx), m.To.DB.At(ctx)); err != nil {
		return r, err
	}
	if err := m.begin(ctx); err != nil {
		return r, err
	}
	for _, s := range []struct {
		stage stage
		do    func(context.Context) error
	}{
		{copyingRows, m.copyRows},
		{notingWords, m.noteWords},
		{puttingWords, m.putWords},
		{copyingFiles, m.copyFiles},
	} {
		if m.state.Stage != s.stage {
			continue
		}
		if err := s.do(ctx); err != nil {
			return r, err
		}
		m.state.Stage++
		if err := m.note(ctx); err != nil {
			return r, err
		}
	}
	if m.state.Stage == comparing {
		if r, err = m.compare(ctx); err != nil {
			return r, err
		}
		if bad := r.differ(); bad != "" {
			m.state.ID = "" // what is there is of no use
			return r, errors.Join(&engine.Error{Problem: wire.Problem{Code: "move_differs",
				Message: "What was copied isn't what is in " + m.From.Name + ": " + bad + ".",
				Hint:    "Nothing was changed there. Call screentest move again: it begins anew."}}, m.note(ctx))
		}
		m.state.Stage = closing
		if err := m.note(ctx); err != nil {
			return r, err
		}
	}
	return r, m.finish(ctx)
}

// begin finds out how far the move is, and where it begins has both databases say
// so.
func (m *Move) begin(ctx context.Context) error {
	moved, err := engine.MovedOf(m.From.DB.At(ctx))
	if err != nil {
		return err
	}
	out, err := metaOf(m.From.DB.At(ctx), engine.MovingOutName)
	if err != nil {
		return err
	}
	var in bool
	if m.state, in, err = stateOf(m.To.DB.At(ctx)); err != nil {
		return err
	}
	switch {
	case moved != nil && (!in || m.state.ID != moved.ID):
		return &engine.Error{Problem: moved.Problem()}
	case moved != nil:
		m.Say("The move was broken off at its very end: it is finished.")
		return nil
	case in && m.state.From != m.From.Name:
		return &engine.Error{Problem: wire.Problem{Code: "move_other", Message: fmt.Sprintf("Half a move of %s is in %s.", m.state.From, m.To.Name),
			Hint: "Finish that one, or move to somewhere else."}}
	case !in:
		if err := wantFresh(m.To.DB.At(ctx), m.To.What, m.To.Name); err != nil {
			return err
		}
	case m.state.ID != "" && m.state.ID == string(out) && m.state.Version == m.Version:
		m.Say("The move was broken off: it goes on.")
		return nil
	default:
		m.Say("What was served, or brought up to date, since the last move was broken off may be other than what was copied: it begins anew.")
	}
	m.state = state{ID: uuid.NewString(), From: m.From.Name, Version: m.Version, Later: m.state.Later}
	if err := m.From.DB.Write(ctx, 0, func(w *engine.Tx) error { return setMeta(w, engine.MovingOutName, []byte(m.state.ID)) }); err != nil {
		return err
	}
	// Who joins from now on is refused, and who did so since it was looked for replicas
	// is let go.
	if err := m.letGo(ctx); err != nil {
		return err
	}
	if err := m.catchUp(ctx, m.From); err != nil {
		return err
	}
	if err := m.clear(ctx); err != nil {
		return fmt.Errorf("prepare %s: %w", m.To.Name, err)
	}
	return nil
}

// stateOf reads how far a move is. in: there is one.
func stateOf(q engine.Scanner) (s state, in bool, err error) {
	text, err := metaOf(q, engine.MovingInName)
	if err != nil || text == nil {
		return s, false, err
	}
	return s, true, json.Unmarshal(text, &s)
}

// wantFresh refuses a database that somebody has used.
func wantFresh(q engine.Reading, what, name string) error {
	var used bool
	if err := q.Scan("SELECT EXISTS (SELECT 1 FROM users) OR EXISTS (SELECT 1 FROM meta WHERE name = ?)", []any{folder.SealCheck}, &used); err != nil {
		return err
	}
	if used {
		return NotEmpty(what, name)
	}
	return nil
}

// NotEmpty is the error of a place that isn't free to be moved to.
func NotEmpty(what, name string) error {
	return &engine.Error{Problem: wire.Problem{Code: "move_target_used", Message: fmt.Sprintf("The %s %s isn't empty.", what, name),
		Hint: "Give an empty one. Nothing was changed."}}
}

// metaOf reads a row of meta; nil: it isn't there.
func metaOf(q engine.Scanner, name string) (value []byte, err error) {
	err = q.Scan("SELECT value FROM meta WHERE name = ?", []any{name}, &value)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return value, err
}

func setMeta(w *engine.Tx, name string, value []byte) error {
	_, err := w.Exec("INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value", name, value)
	return err
}

// note stores how far the move is.
func (m *Move) note(ctx context.Context) error {
	return m.To.DB.Write(ctx, 0, m.noteIn)
}

func (m *Move) noteIn(w *engine.Tx) error {
	text, err := json.Marshal(m.state)
	if err != nil {
		return err
	}
	return setMeta(w, engine.MovingInName, text)
}

// finish closes the source for writing, and then opens the target for it: never are
// both open.
func (m *Move) finish(ctx context.Context) error {
	if m.From.DB.ReadOnly() == nil {
		err := m.From.DB.Write(ctx, 0, func(w *engine.Tx) error {
			out, err := metaOf(w, engine.MovingOutName)
			if err != nil {
				return err
			}
			if string(out) != m.state.ID {
				return &engine.Error{Problem: wire.Problem{Code: "move_served", Message: m.From.Name + " was served while it was moved.",
					Hint: "Stop whatever serves it and call screentest move again: it begins anew."}}
			}
			text, err := json.Marshal(engine.Moved{ID: m.state.ID, What: m.From.What, To: m.To.Name, AtMS: m.Now().UnixMilli()})
			if err != nil {
				return err
			}
			if err := setMeta(w, engine.MovedName, text); err != nil {
				return err
			}
			_, err = w.Exec("DELETE FROM meta WHERE name = ?", engine.MovingOutName)
			return err
		})
		if err != nil {
			return err
		}
	}
	return m.To.DB.Write(ctx, 0, func(w *engine.Tx) error {
		_, err := w.Exec("DELETE FROM meta WHERE name = ?", engine.MovingInName)
		return err
	})
}
