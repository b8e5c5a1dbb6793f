package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"time"

	"screentest/shared/wire"
)

// How the search index follows what is written.
const (
	// indexAfter is how long a new row waits for the index, so that the index
	// takes many at a time and a commit does not wait for it: putting the
	// words of a turn in costs as much as storing the turn.
	indexAfter = 50 * time.Millisecond
	// indexStep is how many rows go in at a time.
	indexStep = 64
	// catchUp bounds how long a search waits for what is not in yet.
	catchUp = 200 * time.Millisecond
)

// toIndex notes that a message, or with 0 the conversation's title, is to be
// put into the search index.
func (w *tx) toIndex(owner, conversation, message int64) error {
	w.unindexed.Store(true)
	_, err := w.exec("INSERT INTO search_todo (owner, conversation, message) VALUES (?, ?, ?)", owner, conversation, orNull(message))
	return err
}

// videoToIndex does so with a video task.
func (w *tx) videoToIndex(owner, video int64) error {
	w.unindexed.Store(true)
	_, err := w.exec("INSERT INTO search_todo (owner, conversation, video) VALUES (?, 0, ?)", owner, video)
	return err
}

// orNull is n as a value, NULL for 0.
func orNull(n int64) any {
	if n == 0 {
		return nil
	}
	return n
}

// conversationToIndex does so with a conversation's title and all of its
// messages.
func (w *tx) conversationToIndex(owner, conversation int64) error {
	w.unindexed.Store(true)
	_, err := w.exec("INSERT INTO search_todo (owner, conversation, messages_from) VALUES (?, ?, 0)", owner, conversation)
	return err
}

// A note is a row of search_todo. What it isn't about is 0; from is valid for a
// conversation whose messages, from that number on, go in as well.
type note struct {
	n, conversation, message, video int64
	from                            sql.NullInt64
}

// indexSome puts the next rows into the index. more: there may be more.
func (w *tx) indexSome() (more bool, err error) {
	var list []note
	err = w.each(context.Background(), "SELECT n, conversation, coalesce(message, 0), coalesce(video, 0), messages_from FROM search_todo ORDER BY n LIMIT ?", []any{indexStep}, func(rows *sql.Rows) error {
		var t note
		err := rows.Scan(&t.n, &t.conversation, &t.message, &t.video, &t.from)
		list = append(list, t)
		return err
	})
	if err != nil || len(list) == 0 {
		return false, err
	}
	b := batch{w: w, placed: map[subject]bool{}}
	for _, t := range list {
		whole, err := b.add(t)
		if err != nil {
			return false, fmt.Errorf("index message %d of conversation %d, or video %d: %w", t.message, t.conversation, t.video, err)
		}
		if !whole {
			more = true
			break
		}
		if _, err := w.exec("DELETE FROM search_todo WHERE n = ?", t.n); err != nil {
			return false, err
		}
	}
	for _, d := range b.docs {
		w.indexed += len(d.title) + len(d.question) + len(d.answer) + len(d.tool) + len(d.errors)
	}
	if err := w.insertWords(b.docs); err != nil {
		return false, fmt.Errorf("write search index: %w", err)
	}
	return more || len(list) == indexStep, nil
}

// A batch is what goes into the index together. The words of it are written
// last, so nothing in it may be placed twice: the row of the first would be
// gone before its words come, and they would stay for good. What a thing is
// known by here is its number alone, for whatever else a note says of it.
type batch struct {
	w      *tx
	docs   []placed
	placed map[subject]bool
}

// add does what a note asks for. Not whole: there was no room for all of it, and
// the note says by now where to go on.
func (b *batch) add(t note) (whole bool, err error) {
	switch {
	case t.video != 0:
		return true, b.once(subject{video: t.video}, t.video, b.w.indexVideo)
	case t.message != 0:
		return true, b.once(subject{message: t.message}, t.message, b.w.indexMessage)
	}
	if t.from.Int64 == 0 { // not where it goes on
		if err := b.once(subject{conversation: t.conversation}, t.conversation, b.w.indexTitle); err != nil {
			return false, err
		}
	}
	if !t.from.Valid {
		return true, nil
	}
	room := indexStep - len(b.docs)
	messages, err := column[int64](context.Background(), b.w.p, "SELECT n FROM messages WHERE conversation = ? AND n >= ? ORDER BY n LIMIT ?", t.conversation, t.from.Int64, max(room, 0))
	if err != nil {
		return false, err
	}
	next := t.from.Int64
	for _, n := range messages {
		if err := b.once(subject{message: n}, n, b.w.indexMessage); err != nil {
			return false, err
		}
		next = n + 1
	}
	if len(messages) < room {
		return true, nil
	}
	_, err = b.w.exec("UPDATE search_todo SET messages_from = ? WHERE n = ?", next, t.n)
	return false, err
}

// once has the thing of number n placed, if it isn't yet.
func (b *batch) once(what subject, n int64, place func([]placed, int64) ([]placed, error)) (err error) {
	if b.placed[what] {
		return nil
	}
	b.placed[what] = true
	b.docs, err = place(b.docs, n)
	return err
}

// indexMessage gives a message a place in the index, instead of the one that it
// has, and appends its doc to docs. An answer that is being written is left as
// it is: it comes when it ends.
func (w *tx) indexMessage(docs []placed, n int64) ([]placed, error) {
	var owner, conversation, ms, run int64
	var m wire.Message
	var r wire.Run
	var problem, calls []byte
	err := w.scan(`SELECT m.owner, m.conversation, m.created_ms, m.role, substr(m.text, 1, ?2), m.tool,
		coalesce(r.n, 0), coalesce(r.model, ''), coalesce(r.answered, ''), coalesce(r.state, ''), r.problem, r.calls
		FROM messages m LEFT JOIN runs r ON r.n = (SELECT max(n) FROM runs WHERE message = m.n) WHERE m.n = ?1`, []any{n, maxIndexed},
		&owner, &conversation, &ms, &m.Role, &m.Text, &m.Tool, &run, &r.Model, &r.Answered, &r.State, &problem, &calls)
	switch {
	case err == sql.ErrNoRows || err == nil && r.State == wire.Running:
		return docs, nil
	case err != nil:
		return docs, err
	}
	d := sentDoc(m)
	if m.Role == "assistant" {
		if problem != nil {
			err = json.Unmarshal(problem, &r.Problem)
		}
		if calls != nil && err == nil {
			err = json.Unmarshal(calls, &r.Calls)
		}
		if err != nil {
			return docs, err
		}
		d = answerDoc(r, m.Text)
	}
	if _, err := w.exec("DELETE FROM search_rows WHERE message = ?", n); err != nil {
		return docs, err
	}
	return w.place(docs, subject{owner: owner, conversation: conversation, message: n, run: run}, ms, d)
}

// indexTitle does so with a conversation's title.
func (w *tx) indexTitle(docs []placed, conversation int64) ([]placed, error) {
	var owner, ms int64
	var title string
	err := w.scan("SELECT owner, created_ms, title FROM conversations WHERE n = ?", []any{conversation}, &owner, &ms, &title)
	if err == sql.ErrNoRows {
		return docs, nil
	}
	if err != nil {
		return docs, err
	}
	if _, err := w.exec("DELETE FROM search_rows WHERE conversation = ? AND message IS NULL", conversation); err != nil {
		return docs, err
	}
	return w.place(docs, subject{owner: owner, conversation: conversation}, ms, doc{kinds: metaTitle, title: searchable(title)})
}

// indexVideo does so with a video task, and brings the words that the gallery
// looks in up to date: a migration leaves both to it.
func (w *tx) indexVideo(docs []placed, n int64) ([]placed, error) {
	var s videoScan
	err := w.scan("SELECT "+videoColumns+videoBody+" FROM video_tasks t WHERE t.n = ?", []any{n}, s.dest()...)
	if err == sql.ErrNoRows {
		return docs, nil
	}
	if err != nil {
		return docs, err
	}
	t, err := s.result()
	if err != nil {
		return docs, err
	}
	if _, err := w.exec("UPDATE video_tasks SET words = ?1 WHERE n = ?2 AND words <> ?1", words(t), n); err != nil {
		return docs, err
	}
	if _, err := w.exec("DELETE FROM search_rows WHERE video = ?", n); err != nil {
		return docs, err
	}
	return w.place(docs, subject{owner: s.owner, video: n}, t.CreatedMS, videoDoc(t))
}

// indexStep does indexSome in a transaction of its own, when there is a moment.
func (w *writer) indexStep() (more bool) {
	_, err := w.tx.exec("BEGIN IMMEDIATE")
	if err == nil {
		if more, err = w.tx.indexSome(); err == nil {
			_, err = w.tx.exec("COMMIT")
		}
		if err != nil {
			w.tx.exec("ROLLBACK")
		}
	}
	if err != nil {
		if !w.behind { // said once, and not with each write while a disk is full
			w.log.Error("search index not written; it is tried again with the next write", "err", err)
		}
		w.behind = true
		return false
	}
	w.behind = false
	w.unindexed.Store(more)
	if !more {
		if w.tx.indexed >= largeImport {
			go debug.FreeOSMemory() // as after reading the file
		}
		w.tx.indexed = 0
	}
	return more
}

// index has what was written before put into the search index, for a while.
// behind: not all of it is there, for want of time or because the disk takes
// nothing; it can be searched without.
func (db *DB) index(ctx context.Context) (behind bool, err error) {
	for end := db.now().Add(catchUp); db.writer.unindexed.Load() && db.now().Before(end); {
		answer := make(chan error, 1)
		db.writer.post(0, func(w *tx) error {
			more, err := w.indexSome()
			w.unindexed.Store(more)
			return err
		}, func(err error) {
			if err != nil {
				db.writer.unindexed.Store(true) // its commit may have failed after that
			}
			answer <- err
		})
		select {
		case err := <-answer:
			if errors.Is(err, os.ErrClosed) {
				return true, err
			}
			if err != nil {
				return true, nil // the writer's own tries say why
			}
		case <-ctx.Done():
			return true, ctx.Err()
		}
	}
	return db.writer.unindexed.Load(), nil
}
