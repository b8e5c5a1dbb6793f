// Package search finds messages, titles and video tasks by their words.
//
// Who writes notes in its own transaction what is to be found, with [Index]; the
// words go in a moment later. Who asks does so with [Finder]. The texts stay in
// the tables of chat and video, which this package reads. It writes there
// only the words of clips from before those were kept.
package search

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"sync/atomic"

	"screentest/server/store/engine"
	"screentest/shared/wire"
)

// How the search index follows what is written.
const (
	// indexStep is how many rows go in at a time.
	indexStep = 64
	// largeBatch is so much text that the memory it took is given back at once,
	// in bytes.
	largeBatch = 4 << 20
)

// An Index is the search index as those who write see it: each notes in its own
// transaction what is to be found, and the words go in a moment later, when the
// writer has time (see [engine.Follower]).
type Index struct {
	behind atomic.Bool // it has not all that is stored
	bytes  int         // of text that went in since it was last whole; of the writing goroutine
}

// NewIndex is an index that may not have all that the last process stored.
func NewIndex() *Index {
	x := &Index{}
	x.behind.Store(true)
	return x
}

// NoteTitle notes that a conversation's title is to be put into the index, in
// place of what is there of it.
func (x *Index) NoteTitle(w *engine.Tx, owner, conversation int64) error {
	return x.note(w, "INSERT INTO search_todo (owner, conversation) VALUES (?, ?)", owner, conversation)
}

// NoteMessage does so with a message.
func (x *Index) NoteMessage(w *engine.Tx, owner, conversation, message int64) error {
	return x.note(w, "INSERT INTO search_todo (owner, conversation, message) VALUES (?, ?, ?)", owner, conversation, message)
}

// NoteVideo does so with a video task.
func (x *Index) NoteVideo(w *engine.Tx, owner, video int64) error {
	return x.note(w, "INSERT INTO search_todo (owner, conversation, video) VALUES (?, 0, ?)", owner, video)
}

// NoteConversation does so with a conversation and all of its messages.
func (x *Index) NoteConversation(w *engine.Tx, owner, conversation int64) error {
	return x.note(w, "INSERT INTO search_todo (owner, conversation, messages_from) VALUES (?, ?, 0)", owner, conversation)
}

// NoteConversations does so with all conversations that stand under the owner
// of, with their messages, as the owner's.
func (x *Index) NoteConversations(w *engine.Tx, owner, of int64) error {
	return x.note(w, "INSERT INTO search_todo (owner, conversation, messages_from) SELECT ?, n, 0 FROM conversations WHERE owner = ?", owner, of)
}

func (x *Index) note(w *engine.Tx, insert string, args ...any) error {
	_, err := w.Exec(insert, args...)
	if err == nil {
		w.AfterCommit(func() { x.behind.Store(true) })
	}
	return err
}

// Behind says whether something that is stored is not in the index yet.
func (x *Index) Behind() bool { return x.behind.Load() }

// A note is a row of search_todo. What it isn't about is 0; from is valid for a
// conversation whose messages, from that number on, go in as well.
type note struct {
	n, conversation, message, video int64
	from                            sql.NullInt64
}

// some puts the next rows into the index. more: there may be more.
func (x *Index) some(w *engine.Tx) (more bool, err error) {
	var list []note
	err = w.Each(context.Background(), "SELECT n, conversation, coalesce(message, 0), coalesce(video, 0), messages_from FROM search_todo ORDER BY n LIMIT ?", []any{indexStep}, func(rows *sql.Rows) error {
		var t note
		err := rows.Scan(&t.n, &t.conversation, &t.message, &t.video, &t.from)
		list = append(list, t)
		return err
	})
	if err != nil || len(list) == 0 {
		return false, err
	}
	b := batch{w: w, placed: map[subject]bool{}}
	var done int64 // the last note that is done with, as all before it are
	for _, t := range list {
		whole, err := b.add(t)
		if err != nil {
			return false, fmt.Errorf("index message %d of conversation %d, or video %d: %w", t.message, t.conversation, t.video, err)
		}
		if !whole {
			more = true
			break
		}
		done = t.n
	}
	if _, err := w.Exec("DELETE FROM search_todo WHERE n <= ?", done); err != nil {
		return false, err
	}
	bytes := 0
	for _, d := range b.docs {
		bytes += len(d.title) + len(d.question) + len(d.answer) + len(d.tool) + len(d.errors)
	}
	w.AfterCommit(func() { x.bytes += bytes })
	if err := insertDocs(w, b.docs); err != nil {
		return false, fmt.Errorf("write search index: %w", err)
	}
	return more || len(list) == indexStep, nil
}

// A batch is what goes into the index together. The rows of it are written
// last, so nothing in it may be placed twice: the row of the first would be
// gone before its words come, and they would stay for good. What a thing is
// known by here is its number alone, for whatever else a note says of it.
type batch struct {
	w      *engine.Tx
	docs   []placed
	placed map[subject]bool
}

// add does what a note asks for. Not whole: there was no room for all of it, and
// the note says by now where to go on.
func (b *batch) add(t note) (whole bool, err error) {
	switch {
	case t.video != 0:
		return true, b.once(subject{video: t.video}, t.video, placeVideo)
	case t.message != 0:
		return true, b.once(subject{message: t.message}, t.message, placeMessage)
	}
	if t.from.Int64 == 0 { // not where it goes on
		if err := b.once(subject{conversation: t.conversation}, t.conversation, placeTitle); err != nil {
			return false, err
		}
	}
	if !t.from.Valid {
		return true, nil
	}
	room := indexStep - len(b.docs)
	messages, err := engine.Column[int64](b.w, "SELECT n FROM messages WHERE conversation = ? AND n >= ? ORDER BY n LIMIT ?", t.conversation, t.from.Int64, max(room, 0))
	if err != nil {
		return false, err
	}
	next := t.from.Int64
	for _, n := range messages {
		if err := b.once(subject{message: n}, n, placeMessage); err != nil {
			return false, err
		}
		next = n + 1
	}
	if len(messages) < room {
		return true, nil
	}
	_, err = b.w.Exec("UPDATE search_todo SET messages_from = ? WHERE n = ?", next, t.n)
	return false, err
}

// once has the thing of number n placed, if it isn't yet.
func (b *batch) once(what subject, n int64, place func(*engine.Tx, []placed, int64) ([]placed, error)) (err error) {
	if b.placed[what] {
		return nil
	}
	b.placed[what] = true
	b.docs, err = place(b.w, b.docs, n)
	return err
}

// placeMessage gives a message a place in the index, instead of the one that it
// has, and appends its doc to docs. An answer that is being written is left as
// it is: it comes when it ends.
func placeMessage(w *engine.Tx, docs []placed, n int64) ([]placed, error) {
	var owner, conversation, ms, run int64
	var m wire.Message
	var r wire.Run
	var problem, calls []byte
	err := w.Scan(`SELECT m.owner, m.conversation, m.created_ms, m.role, substr(m.text, 1, ?2), m.tool,
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
	if _, err := w.Exec("DELETE FROM search_rows WHERE message = ?", n); err != nil {
		return docs, err
	}
	return placeDoc(w, docs, subject{owner: owner, conversation: conversation, message: n, run: run}, ms, d)
}

// placeTitle does so with a conversation's title.
func placeTitle(w *engine.Tx, docs []placed, conversation int64) ([]placed, error) {
	var owner, ms int64
	var title string
	err := w.Scan("SELECT owner, created_ms, title FROM conversations WHERE n = ?", []any{conversation}, &owner, &ms, &title)
	if err == sql.ErrNoRows {
		return docs, nil
	}
	if err != nil {
		return docs, err
	}
	if _, err := w.Exec("DELETE FROM search_rows WHERE conversation = ? AND message IS NULL", conversation); err != nil {
		return docs, err
	}
	return placeDoc(w, docs, subject{owner: owner, conversation: conversation}, ms, doc{kinds: metaTitle, title: searchable(title)})
}

// placeVideo does so with a video task, and brings the words that the gallery
// looks in up to date: a migration leaves both to it.
func placeVideo(w *engine.Tx, docs []placed, n int64) ([]placed, error) {
	var owner int64
	var t wire.VideoTask
	var tags, body string
	var problem []byte
	err := w.Scan(`SELECT owner, created_ms, model, mode, state, prompt, title, tags, problem,
		coalesce((SELECT body FROM video_requests WHERE task = t.n), '') FROM video_tasks t WHERE n = ?`, []any{n},
		&owner, &t.CreatedMS, &t.Model, &t.Mode, &t.State, &t.Prompt, &t.Title, &tags, &problem, &body)
	if err == sql.ErrNoRows {
		return docs, nil
	}
	if err == nil {
		t.Body = json.RawMessage(body)
		err = json.Unmarshal([]byte(tags), &t.Tags)
	}
	if err == nil && problem != nil {
		err = json.Unmarshal(problem, &t.Problem)
	}
	if err != nil {
		return docs, err
	}
	if _, err := w.Exec("UPDATE video_tasks SET words = ?1 WHERE n = ?2 AND words <> ?1", Words(t), n); err != nil {
		return docs, err
	}
	if _, err := w.Exec("DELETE FROM search_rows WHERE video = ?", n); err != nil {
		return docs, err
	}
	return placeDoc(w, docs, subject{owner: owner, video: n}, t.CreatedMS, videoDoc(t))
}

// CatchUp puts the next rows into the index.
func (x *Index) CatchUp(w *engine.Tx) (more bool, err error) {
	if more, err = x.some(w); err != nil {
		return false, err
	}
	w.AfterCommit(func() {
		x.behind.Store(more)
		if more {
			return
		}
		if x.bytes >= largeBatch {
			go debug.FreeOSMemory() // a server with nothing to do would keep it for long
		}
		x.bytes = 0
	})
	return more, nil
}

// mergePages is how much of the search index one step rewrites, in pages of
// 4 KB.
const mergePages = 64

// Forget rewrites part of the index, so that in the end the words of what was
// deleted are in it no more: until then it only knows that they do not count.
func (*Index) Forget(w *engine.Tx) (more bool, err error) {
	if w.OnPostgres() {
		return false, nil // what is deleted goes with the rows, when the server vacuums
	}
	var before, after int64
	const changes = "SELECT total_changes()"
	if err := w.Scan(changes, nil, &before); err != nil {
		return false, err
	}
	// Below zero it merges everything there is, at most so much of it at a time.
	if _, err := w.Exec("INSERT INTO search (search, rank) VALUES ('merge', ?)", -mergePages); err != nil {
		return false, err
	}
	if err := w.Scan(changes, nil, &after); err != nil {
		return false, err
	}
	return after-before >= 2, nil // as SQLite documents it
}
