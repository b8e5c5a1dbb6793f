package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
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

// indexSome puts the next rows into the index. more: there may be more.
func (w *tx) indexSome() (more bool, err error) {
	type todo struct{ n, conversation, message, video int64 }
	var list []todo
	err = w.each(context.Background(), "SELECT n, conversation, coalesce(message, 0), coalesce(video, 0) FROM search_todo ORDER BY n LIMIT ?", []any{indexStep}, func(rows *sql.Rows) error {
		var t todo
		err := rows.Scan(&t.n, &t.conversation, &t.message, &t.video)
		list = append(list, t)
		return err
	})
	if err != nil || len(list) == 0 {
		return false, err
	}
	var docs []placed
	noted := map[todo]bool{} // of two notes about one thing the first is enough
	for _, t := range list {
		if what := (todo{0, t.conversation, t.message, t.video}); noted[what] {
			continue
		} else {
			noted[what] = true
		}
		switch {
		case t.video != 0:
			docs, err = w.indexVideo(docs, t.video)
		case t.message != 0:
			docs, err = w.indexMessage(docs, t.message)
		default:
			docs, err = w.indexTitle(docs, t.conversation)
		}
		if err != nil {
			return false, fmt.Errorf("index message %d of conversation %d, or video %d: %w", t.message, t.conversation, t.video, err)
		}
	}
	if err := w.insertWords(docs); err != nil {
		return false, fmt.Errorf("write search index: %w", err)
	}
	_, err = w.exec("DELETE FROM search_todo WHERE n <= ?", list[len(list)-1].n)
	return len(list) == indexStep, err
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

// indexVideo does so with a video task.
func (w *tx) indexVideo(docs []placed, n int64) ([]placed, error) {
	var s videoScan
	err := w.scan("SELECT "+videoColumns+listedBody+" FROM video_tasks t WHERE t.n = ?", []any{n}, s.dest()...)
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
	if _, err := w.exec("DELETE FROM search_rows WHERE video = ?", n); err != nil {
		return docs, err
	}
	return w.place(docs, subject{owner: s.owner, video: n}, t.CreatedMS, videoDoc(t))
}

// indexStep does indexSome in a transaction of its own, when there is a moment.
func (w *writer) indexStep() (more bool) {
	if _, err := w.tx.exec("BEGIN IMMEDIATE"); err != nil {
		w.log.Error("search index not written", "err", err)
		return false
	}
	more, err := w.tx.indexSome()
	if err == nil {
		_, err = w.tx.exec("COMMIT")
	}
	if err != nil {
		w.tx.exec("ROLLBACK")
		w.log.Error("search index not written; it is tried again with the next write", "err", err)
		return false
	}
	w.unindexed.Store(more)
	return more
}

// index has what was written before put into the search index, for a while.
func (db *DB) index(ctx context.Context) error {
	for end := db.now().Add(catchUp); db.writer.unindexed.Load() && db.now().Before(end); {
		err := db.writer.write(ctx, 0, func(w *tx) error {
			more, err := w.indexSome()
			w.unindexed.Store(more || err != nil)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
