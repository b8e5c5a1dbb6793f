package chat

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"github.com/google/uuid"

	"screentest/server/store/engine"
	"screentest/server/store/people"
	"screentest/shared/wire"
)

// Bounds of one step of an import: what another write may have to wait for.
const (
	StagedStep  = 256     // rows, with what hangs on them
	stagedBytes = 1 << 20 // of text
)

// A Staging stores conversations from elsewhere in steps, each a unit of its
// own, and yet all of them or nothing: meanwhile they have the owner below 0 of
// the same number, so that nobody sees them, and the last step gives them to
// the owner. What a failure leaves is deleted, in steps too; what a kill leaves,
// when the folder is opened again, or when another replica takes over. A process does
// one at a time, and so do all of them for one owner.
type Staging struct {
	chat      *Chat
	ctx       context.Context
	owner     int64
	from      int64                    // whose images the messages may have; the owner's, but for a copy
	unit      []func(*engine.Tx) error // the next step
	size      int                      // of it, in bytes
	into      *int64                   // the conversation that is being stored, by its row, once its step is made
	claimed   bool
	published bool
}

// Stage begins to store for somebody who is there, after what is left of an
// import before is gone. Close it.
func (c *Chat) Stage(ctx context.Context, owner string) (*Staging, error) {
	select {
	case c.staging <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	s := &Staging{chat: c, ctx: ctx, owner: engine.ParseOwner(owner)}
	s.from = s.owner
	err := s.claim()
	if err == nil {
		err = c.dropStaged(ctx, s.owner)
	}
	if err == nil {
		err = s.add(0, func(w *engine.Tx) error { return people.WantUser(w, s.owner) })
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Close deletes what was staged and not published, though the context may be
// over.
func (s *Staging) Close() {
	if !s.published && s.claimed {
		ctx := context.WithoutCancel(s.ctx)
		if err := errors.Join(s.chat.dropStaged(ctx, s.owner), s.unclaim(ctx)); err != nil {
			s.chat.log.Error("what was imported in part is hidden, and deleted before the next import or at the next start", "err", err)
		}
	}
	<-s.chat.staging
}

// An IDKind is what an id is of: the name of its table.
type IDKind string

// What Taken can be asked about.
const (
	ConversationID IDKind = "conversations"
	MessageID      IDKind = "messages"
	RunID          IDKind = "runs"
)

// Taken says whether an id of the owner's is in use. It is read beside the
// writer: a send that takes one meanwhile has the import fail.
func (s *Staging) Taken(kind IDKind, id string) (taken bool, err error) {
	b, _ := engine.ParseID(id)
	err = s.chat.db.At(context.WithoutCancel(s.ctx)).Scan("SELECT EXISTS (SELECT 1 FROM "+string(kind)+" WHERE owner = ? AND id = ?)", []any{s.owner, b}, &taken)
	return taken, err
}

// Conversation stores a conversation; what follows goes into it.
func (s *Staging) Conversation(c wire.Summary) error {
	into := new(int64)
	s.into = into
	return s.add(len(c.Title), func(w *engine.Tx) (err error) {
		id, _ := engine.ParseID(c.ID)
		*into, err = w.Insert("INSERT INTO conversations (owner, id, title, pinned, models, created_ms, updated_ms) VALUES (?, ?, ?, ?, ?, ?, ?)",
			-s.owner, id, c.Title, c.Pinned, c.Models, c.CreatedMS, c.UpdatedMS)
		return err
	})
}

// CopiedFrom notes where the conversation comes from: from an owner's, which was
// called title then; share is the id of what shows it, "" for what only a link does.
func (s *Staging) CopiedFrom(share, title, owner string) error {
	into := s.into
	return s.add(len(title), func(w *engine.Tx) error {
		id, _ := engine.ParseID(share)
		_, err := w.Exec("UPDATE conversations SET copied_share = ?, copied_title = ?, copied_from = ? WHERE n = ?", id, title, engine.OrNull(engine.ParseOwner(owner)), *into)
		return err
	})
}

// Message stores a message with its run. What that is said to have cost is told,
// and not booked.
func (s *Staging) Message(m wire.Message) error {
	into := s.into
	return s.add(textSize(m), func(w *engine.Tx) error { return importMessage(w, s.owner, *into, m, s.from) })
}

// ImagesOf says whose images the messages that follow may have.
func (s *Staging) ImagesOf(owner string) { s.from = engine.ParseOwner(owner) }

// Image stores an image that a message which follows has.
func (s *Staging) Image(i wire.Image, data []byte) error {
	return s.add(len(data), func(w *engine.Tx) error {
		n, err := keepImage(w, i, data)
		if err != nil {
			return err
		}
		_, err = w.Exec("INSERT INTO image_drafts (owner, image, created_ms) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", s.owner, n, s.chat.now().UnixMilli())
		return err
	})
}

// Vote stores a vote on a message of the conversation.
func (s *Staging) Vote(v wire.Vote) error {
	checked, err := CheckVote(v)
	if err != nil {
		return err
	}
	into := s.into
	return s.add(0, func(w *engine.Tx) error { return importVote(w, s.owner, *into, v, checked) })
}

// Lanes stores the lanes of the conversation.
func (s *Staging) Lanes(l wire.Lanes) error {
	list, err := CheckLanes(l)
	if err != nil {
		return err
	}
	into := s.into
	return s.add(0, func(w *engine.Tx) error {
		_, err := w.Exec("INSERT INTO lanes (conversation, owner, rev, blind, lanes) VALUES (?, ?, 1, ?, ?)", *into, s.owner, l.Blind, list)
		return err
	})
}

// add appends fn, which carries so many bytes, to the next step.
func (s *Staging) add(size int, fn func(*engine.Tx) error) error {
	s.unit, s.size = append(s.unit, fn), s.size+size
	if len(s.unit) < StagedStep && s.size < stagedBytes {
		return nil
	}
	return s.flush()
}

// flush makes the next step.
func (s *Staging) flush() error {
	unit, size := s.unit, s.size
	s.unit, s.size = nil, 0
	return s.chat.db.Write(s.ctx, size, func(w *engine.Tx) error {
		for _, fn := range unit {
			if err := fn(w); err != nil {
				return err
			}
		}
		return nil
	})
}

// Publish makes the last step: the conversations are the owner's, with a note
// for the search index each, and the library has its entries, so many of them
// new.
func (s *Staging) Publish(library []wire.LibraryEntry) (entries int, err error) {
	if err := s.flush(); err != nil {
		return 0, err
	}
	err = s.chat.db.Write(s.ctx, 0, func(w *engine.Tx) error {
		if err := people.WantUser(w, s.owner); err != nil {
			return err
		}
		var taken bool
		if err := w.Scan("SELECT EXISTS (SELECT 1 FROM conversations s JOIN conversations c ON c.owner = ?1 AND c.id = s.id WHERE s.owner = -?1)", []any{s.owner}, &taken); err != nil {
			return err
		}
		if taken {
			return engine.Conflict("A conversation of the file came to be there while it was imported. Import it again.")
		}
		if _, err := w.Exec(`UPDATE conversations SET pinned = 0 WHERE owner = -?1 AND pinned = 1 AND n NOT IN (SELECT n FROM conversations WHERE owner = -?1 AND pinned = 1
			ORDER BY updated_ms DESC, n DESC LIMIT max(0, ?2 - (SELECT count(*) FROM conversations WHERE owner = ?1 AND pinned = 1)))`, s.owner, wire.MaxPinned); err != nil {
			return err
		}
		if err := s.chat.index.NoteConversations(w, s.owner, -s.owner); err != nil {
			return err
		}
		if _, err := w.Exec("UPDATE conversations SET owner = ?1 WHERE owner = -?1", s.owner); err != nil {
			return err
		}
		if w.OnPostgres() {
			if _, err := w.Exec("DELETE FROM stagings WHERE owner = ?", s.owner); err != nil {
				return err
			}
		}
		entries = 0 // the unit may be run once more
		for _, e := range library {
			stored, err := importEntry(w, s.owner, e)
			if err != nil {
				return err
			}
			if stored {
				entries++
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	s.published = true
	return entries, nil
}

// claim has what is staged for the owner left alone by other replicas, of which none
// may be staging for them.
func (s *Staging) claim() error {
	if s.chat.db.Postgres == nil {
		s.claimed = true
		return nil
	}
	err := s.chat.db.Write(s.ctx, 0, func(w *engine.Tx) error {
		res, err := w.Exec(`INSERT INTO stagings (owner, holder) SELECT n, ?1 FROM users WHERE n = ?2 ON CONFLICT (owner) DO UPDATE SET holder = excluded.holder
			WHERE stagings.holder = excluded.holder OR NOT EXISTS (SELECT 1 FROM replicas r WHERE r.n = stagings.holder AND r.gone_ms = 0)`, w.Holder(), s.owner)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n > 0 {
			return err
		}
		if err := people.WantUser(w, s.owner); err != nil {
			return err
		}
		return engine.Conflict("Conversations are being imported or copied for you already. Wait until that is done.")
	})
	s.claimed = err == nil
	return err
}

func (s *Staging) unclaim(ctx context.Context) error {
	if s.chat.db.Postgres == nil {
		return nil
	}
	return s.chat.db.Write(ctx, 0, func(w *engine.Tx) error {
		_, err := w.Exec("DELETE FROM stagings WHERE owner = ? AND holder = ?", s.owner, w.Holder())
		return err
	})
}

// DropStaged deletes what an import has left that came to no end: but not what a
// replica that is there has staged.
func (c *Chat) DropStaged(ctx context.Context) error { return c.dropStaged(ctx, 0) }

// dropStaged is DropStaged, of an owner's too whoever staged it.
func (c *Chat) dropStaged(ctx context.Context, of int64) error {
	staged, args := "owner < 0", []any(nil)
	if c.db.Postgres != nil {
		staged, args = `owner < 0 AND (owner = ? OR NOT EXISTS (SELECT 1 FROM stagings s JOIN replicas r ON r.n = s.holder
			WHERE s.owner = -conversations.owner AND r.gone_ms = 0))`, []any{-of}
	}
	var left bool
	if err := c.db.At(ctx).Scan("SELECT EXISTS (SELECT 1 FROM conversations WHERE "+staged+")", args, &left); err != nil || !left {
		return err
	}
	for more := true; more; {
		err := c.db.Write(ctx, 0, func(w *engine.Tx) error {
			more = true
			if err := w.Scrub(); err != nil {
				return err
			}
			for room := int64(StagedStep); room > 0; {
				var n int64
				err := w.Scan("SELECT n FROM conversations WHERE "+staged+" LIMIT 1", args, &n)
				if errors.Is(err, sql.ErrNoRows) {
					more = false
					return nil
				}
				if err != nil {
					return err
				}
				res, err := w.Exec("DELETE FROM messages WHERE n IN (SELECT n FROM messages WHERE conversation = ? ORDER BY n LIMIT ?)", n, room)
				if err != nil {
					return err
				}
				messages, err := res.RowsAffected()
				if err != nil {
					return err
				}
				if messages < room {
					if _, err := w.Exec("DELETE FROM conversations WHERE n = ?", n); err != nil {
						return err
					}
				}
				room -= messages + 1
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func importMessage(w *engine.Tx, owner, conversation int64, m wire.Message, imagesOf int64) error {
	id, _ := engine.ParseID(m.ID)
	var parent []byte
	if m.Parent != "" {
		parent, _ = engine.ParseID(m.Parent)
	}
	n, err := w.Insert("INSERT INTO messages (owner, conversation, id, parent, lane, role, text, created_ms, tool_call, tool) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		owner, conversation, id, parent, m.Lane, m.Role, m.Text, m.CreatedMS, m.ToolCall, m.Tool)
	if err == nil {
		err = linkImages(w, owner, n, m.Images, imagesOf)
	}
	if err != nil || m.Run == nil {
		return err
	}
	return importRun(w, owner, conversation, n, *m.Run)
}

func importRun(w *engine.Tx, owner, conversation, message int64, r wire.Run) error {
	id, _ := engine.ParseID(r.ID)
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
	_, err = w.Exec(`INSERT INTO runs (owner, conversation, message, id, lane, endpoint, model, answered, state, finish, problem,
		started_ms, first_token_ms, duration_ms, input_tokens, output_tokens, calls, told_nano_usd, told_basis, told_source)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		owner, conversation, message, id, r.Lane, r.Endpoint, r.Model, r.Answered, string(r.State), r.Finish, engine.AsText(problem),
		r.StartedMS, r.FirstTokenMS, r.DurationMS, r.InputTokens, r.OutputTokens, engine.AsText(calls), cost, basis, source)
	return err
}

// importEntry stores an entry of the library, unless the same is there.
func importEntry(w *engine.Tx, owner int64, e wire.LibraryEntry) (stored bool, err error) {
	id, _ := engine.ParseID(e.ID)
	var kind, name, text, family string
	var params []byte
	err = w.Scan("SELECT kind, name, text, family, params FROM library WHERE owner = ? AND id = ?", []any{owner, id}, &kind, &name, &text, &family, &params)
	switch {
	case errors.Is(err, sql.ErrNoRows):
	case err != nil:
		return false, err
	case kind == e.Kind && name == e.Name && text == e.Text && family == e.Family && string(params) == string(e.Params):
		return false, nil
	default:
		e.ID = uuid.NewString()
	}
	return true, putEntry(w, owner, e)
}
