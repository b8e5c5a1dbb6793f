package leaving

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"screentest/server/account"
	"screentest/server/store/engine"
)

// stepTime is how long a step may take, about: what somebody else's write may
// have to wait.
const stepTime = 10 * time.Millisecond

// Step does the next piece of a leaving. files, by their SHA-256, may be nobody's
// now, and uploads, by id and media type, are gone: the files of both are the
// caller's to remove. more: there is more to do.
func (l *Leavings) Step(ctx context.Context, v account.Leaving) (files [][]byte, uploads [][2]string, more bool, err error) {
	p := parsed(v)
	var s step
	err = l.db.Write(ctx, 0, func(w *engine.Tx) error {
		s = step{w: w, index: l.index, person: p.person, heir: p.heir, erase: p.erase, now: l.now(), until: time.Now().Add(stepTime)}
		more, err = s.run()
		return err
	})
	if err != nil {
		return nil, nil, false, err
	}
	return s.files, s.uploads, more, nil
}

// errNoTime says that a step has used its time.
var errNoTime = errors.New("the step's time is over")

// step is one step, in its transaction.
type step struct {
	w            *engine.Tx
	index        noter
	person, heir int64
	erase        bool
	now, until   time.Time // until is by this process's clock
	files        [][]byte
	uploads      [][2]string
}

// A noter has what is handed over found by its heir.
type noter interface {
	NoteConversation(w *engine.Tx, owner, conversation int64) error
	NoteVideo(w *engine.Tx, owner, video int64) error
}

// run goes through everything, in the order in which one thing needs another.
func (s *step) run() (more bool, err error) {
	for _, do := range []func() error{s.conversations, s.library, s.clips, s.uploaded, s.said} {
		err := do()
		if errors.Is(err, errNoTime) {
			return true, nil
		}
		if err != nil {
			return false, err
		}
	}
	return false, nil
}

// each calls do for the numbers that query gives, some at a time, until there are
// none or the time is over. do must see to it that the query no longer gives
// that number.
func (s *step) each(query string, do func(n int64) error, args ...any) error {
	for {
		list, err := engine.Column[int64](s.w, query+" LIMIT 64", args...)
		if err != nil || len(list) == 0 {
			return err
		}
		for _, n := range list {
			if err := do(n); err != nil {
				return err
			}
			if time.Now().After(s.until) {
				return errNoTime
			}
		}
	}
}

// exec runs a statement.
func (s *step) exec(query string, args ...any) error {
	_, err := s.w.Exec(query, args...)
	return err
}

// conversations are handed over or deleted message by message, and each itself
// when it has no more: what hangs on one message is a piece that can't be
// divided.
func (s *step) conversations() error {
	const of = "SELECT n FROM conversations WHERE owner = ?"
	remove := func(n int64) error {
		if err := s.each("SELECT n FROM messages WHERE conversation = ? ORDER BY n", func(n int64) error {
			return s.exec("DELETE FROM messages WHERE n = ?", n)
		}, n); err != nil {
			return err
		}
		return s.exec("DELETE FROM conversations WHERE n = ?", n)
	}
	// Of an import that came to no end nothing is anybody's.
	if err := s.each(of, remove, -s.person); err != nil {
		return err
	}
	if s.heir > 0 {
		return s.each(of, s.handOverConversation, s.person)
	}
	return s.each(of, remove, s.person)
}

func (s *step) library() error {
	return s.each("SELECT n FROM library WHERE owner = ?", func(n int64) error {
		if s.heir == 0 {
			return s.exec("DELETE FROM library WHERE n = ?", n)
		}
		if _, _, err := s.freeID("library", n); err != nil {
			return err
		}
		return s.exec("UPDATE library SET owner = ? WHERE n = ?", s.heir, n)
	}, s.person)
}

func (s *step) uploaded() error {
	if err := s.each("SELECT image FROM image_drafts WHERE owner = ?", func(n int64) error {
		return s.exec("DELETE FROM image_drafts WHERE owner = ? AND image = ?", s.person, n)
	}, s.person); err != nil {
		return err
	}
	return s.each("SELECT n FROM uploads WHERE owner = ?", func(n int64) error {
		if s.heir > 0 {
			return s.exec("UPDATE uploads SET owner = ? WHERE n = ?", s.heir, n)
		}
		var u [2]string
		if err := s.w.Scan("SELECT id, type FROM uploads WHERE n = ?", []any{n}, &u[0], &u[1]); err != nil {
			return err
		}
		s.uploads = append(s.uploads, u)
		return s.exec("DELETE FROM uploads WHERE n = ?", n)
	}, s.person)
}

func (s *step) clips() error {
	const theirs = "SELECT n FROM video_tasks WHERE owner = ?"
	if s.heir > 0 {
		return s.handOverClips(theirs)
	}
	return s.each(theirs, func(n int64) error {
		for _, column := range []string{"sha256", "poster"} {
			files, err := engine.Column[[]byte](s.w, "SELECT "+column+" FROM video_outputs WHERE task = ? AND "+column+" IS NOT NULL", n)
			if err != nil {
				return err
			}
			s.files = append(s.files, files...)
		}
		key, err := s.keyOf(n)
		if err != nil {
			return err
		}
		if err := s.exec("DELETE FROM video_tasks WHERE n = ?", n); err != nil {
			return err
		}
		return s.exec("DELETE FROM video_keys WHERE n = ? AND NOT EXISTS (SELECT 1 FROM video_tasks WHERE key = video_keys.n)", key)
	}, s.person)
}

func (s *step) keyOf(task int64) (int64, error) {
	var key sql.NullInt64
	err := s.w.Scan("SELECT key FROM video_tasks WHERE n = ?", []any{task}, &key)
	return key.Int64, err
}
