package store

import (
	"context"
	"database/sql"
	"errors"

	"screentest/shared/wire"
)

// Bounds of one step of an import: what another write may have to wait for.
const (
	stagedStep  = 256     // rows, with what hangs on them
	stagedBytes = 1 << 20 // of text
)

// A staging stores an import in steps, each a unit of its own, and yet all of it
// or nothing: meanwhile its conversations have the owner below 0 of the same
// number, so that they are nobody's, and the last step gives them to the owner.
// What a failure leaves is deleted, in steps too; what a kill leaves, when the
// folder is opened again. There is one at a time.
type staging struct {
	db    *DB
	ctx   context.Context
	owner int64
	unit  []func(*tx) error // the next step
	size  int               // of it, in bytes
	done  wire.Imported
}

// begin makes sure that there is somebody to import for, and that nothing is
// left of an import before.
func (s *staging) begin() error {
	if err := s.db.dropStaged(s.ctx); err != nil {
		return err
	}
	return s.add(0, func(w *tx) error { return w.wantUser(s.owner) })
}

// add appends fn, which carries so many bytes, to the next step.
func (s *staging) add(size int, fn func(*tx) error) error {
	s.unit, s.size = append(s.unit, fn), s.size+size
	if len(s.unit) < stagedStep && s.size < stagedBytes {
		return nil
	}
	return s.flush()
}

// flush makes the next step.
func (s *staging) flush() error {
	unit, size := s.unit, s.size
	s.unit, s.size = nil, 0
	return s.db.writer.write(s.ctx, size, func(w *tx) error {
		for _, fn := range unit {
			if err := fn(w); err != nil {
				return err
			}
		}
		return nil
	})
}

// publish makes the last step: the conversations are the owner's, with a note
// for the search index each, and the library has its entries.
func (s *staging) publish(library []wire.LibraryEntry) error {
	if err := s.flush(); err != nil {
		return err
	}
	entries := 0
	err := s.db.writer.write(s.ctx, 0, func(w *tx) error {
		if err := w.wantUser(s.owner); err != nil {
			return err
		}
		var taken bool
		if err := w.scan("SELECT EXISTS (SELECT 1 FROM conversations s JOIN conversations c ON c.owner = ?1 AND c.id = s.id WHERE s.owner = -?1)", []any{s.owner}, &taken); err != nil {
			return err
		}
		if taken {
			return conflict("A conversation of the file came to be there while it was imported. Import it again.")
		}
		if _, err := w.exec(`UPDATE conversations SET pinned = 0 WHERE owner = -?1 AND pinned = 1 AND n NOT IN (SELECT n FROM conversations WHERE owner = -?1 AND pinned = 1
			ORDER BY updated_ms DESC, n DESC LIMIT max(0, ?2 - (SELECT count(*) FROM conversations WHERE owner = ?1 AND pinned = 1)))`, s.owner, wire.MaxPinned); err != nil {
			return err
		}
		if _, err := w.exec("INSERT INTO search_todo (owner, conversation, messages_from) SELECT ?1, n, 0 FROM conversations WHERE owner = -?1", s.owner); err != nil {
			return err
		}
		if _, err := w.exec("UPDATE conversations SET owner = ?1 WHERE owner = -?1", s.owner); err != nil {
			return err
		}
		w.unindexed.Store(true)
		entries = 0 // the unit may be run once more
		for _, e := range library {
			stored, err := w.importEntry(s.owner, e)
			if err != nil {
				return err
			}
			if stored {
				entries++
			}
		}
		return nil
	})
	if err == nil {
		s.done.Entries = entries
	}
	return err
}

// undo deletes what was staged, though the context may be over.
func (s *staging) undo() {
	if err := s.db.dropStaged(context.WithoutCancel(s.ctx)); err != nil {
		s.db.log.Error("what was imported in part is hidden, and deleted before the next import or at the next start", "err", err)
	}
}

// dropStaged deletes what an import has left that came to no end.
func (db *DB) dropStaged(ctx context.Context) error {
	var left bool
	if err := db.readers.at(ctx).scan("SELECT EXISTS (SELECT 1 FROM conversations WHERE owner < 0)", nil, &left); err != nil || !left {
		return err
	}
	for more := true; more; {
		err := db.writer.write(ctx, 0, func(w *tx) error {
			more = true
			if err := w.toScrub(); err != nil {
				return err
			}
			for room := int64(stagedStep); room > 0; {
				var n int64
				err := w.scan("SELECT n FROM conversations WHERE owner < 0 LIMIT 1", nil, &n)
				if errors.Is(err, sql.ErrNoRows) {
					more = false
					return nil
				}
				if err != nil {
					return err
				}
				res, err := w.exec("DELETE FROM messages WHERE n IN (SELECT n FROM messages WHERE conversation = ? ORDER BY n LIMIT ?)", n, room)
				if err != nil {
					return err
				}
				messages, err := res.RowsAffected()
				if err != nil {
					return err
				}
				if messages < room {
					if _, err := w.exec("DELETE FROM conversations WHERE n = ?", n); err != nil {
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
