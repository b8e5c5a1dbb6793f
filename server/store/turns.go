package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"

	"screentest/shared/wire"
)

// maxLane is the highest lane of a conversation.
const maxLane = 63

// A turn is a wire.Start whose ids are parsed.
type turn struct {
	owner                           int64
	run, conversation, user, answer []byte
	parent                          []byte // nil: none
	start                           wire.Start
}

func parseTurn(owner string, s wire.Start) (t turn, err error) {
	t = turn{owner: parseOwner(owner), start: s}
	if t.start.User.Role == "" {
		t.start.User.Role = "user"
	}
	for _, id := range []struct {
		field, text string
		to          *[]byte
	}{
		{"run", s.Run, &t.run},
		{"conversation", s.Conversation, &t.conversation},
		{"user.id", s.User.ID, &t.user},
		{"answer", s.Answer, &t.answer},
		{"user.parent", s.User.Parent, &t.parent},
	} {
		if id.field == "user.parent" && id.text == "" {
			continue
		}
		if *id.to, err = wantID(id.field, id.text); err != nil {
			return t, err
		}
	}
	switch {
	case s.User.ID == s.Answer:
		err = badField("bad_id", "answer", "The answer needs an id of its own.")
	case s.Lane < 0 || s.Lane > maxLane:
		err = badField("bad_lane", "lane", "A lane is a number from 0 to %d.", maxLane)
	case t.start.User.Role != "user" && t.start.User.Role != "tool":
		err = badField("bad_role", "user.role", `A message that is sent has the role "user" or "tool".`)
	}
	return t, err
}

// A place says what of a turn is stored already, by row number; 0 is not.
type place struct {
	run                        bool // all of it
	conversation, user, answer int64
}

// find looks where t belongs, and refuses what does not fit with what is
// stored. The writing transaction and CheckStart ask the same.
func (t turn) find(q scanner) (p place, err error) {
	var conversation, message []byte
	err = q.scan("SELECT c.id, m.id FROM runs r JOIN conversations c ON c.n = r.conversation JOIN messages m ON m.n = r.message WHERE r.owner = ? AND r.id = ?",
		[]any{t.owner, t.run}, &conversation, &message)
	switch {
	case err == nil && bytes.Equal(conversation, t.conversation) && bytes.Equal(message, t.answer):
		return place{run: true}, nil
	case err == nil:
		return p, conflict("This run id is in use for another answer.")
	case !errors.Is(err, sql.ErrNoRows):
		return p, err
	}

	err = q.scan("SELECT n FROM conversations WHERE owner = ? AND id = ?", []any{t.owner, t.conversation}, &p.conversation)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return p, err
	}

	user, err := t.findMessage(q, t.user)
	switch {
	case err != nil:
		return p, err
	case user.n != 0 && (user.conversation != p.conversation || user.role == "assistant"):
		return p, conflict("The id of the message is in use for another message.")
	case user.n == 0 && t.parent != nil:
		parent, err := t.findMessage(q, t.parent)
		if err != nil {
			return p, err
		}
		if parent.n == 0 || parent.conversation != p.conversation {
			return p, notFound("message to follow")
		}
	}
	p.user = user.n

	answer, err := t.findMessage(q, t.answer)
	switch {
	case err != nil:
		return p, err
	case answer.n != 0 && (answer.conversation != p.conversation || answer.role != "assistant" || !bytes.Equal(answer.parent, t.user)):
		return p, conflict("The id of the answer is in use for another message.")
	case answer.running:
		return p, conflict("This answer is still being written. Stop it first.")
	}
	p.answer = answer.n
	return p, nil
}

type foundMessage struct {
	n, conversation int64
	role            string
	parent          []byte
	running         bool
}

// findMessage looks for a message of the turn's owner; n is 0 if there is none.
func (t turn) findMessage(q scanner, id []byte) (m foundMessage, err error) {
	err = q.scan("SELECT n, conversation, role, parent, EXISTS (SELECT 1 FROM runs WHERE message = m.n AND state = 'running') FROM messages m WHERE owner = ? AND id = ?",
		[]any{t.owner, id}, &m.n, &m.conversation, &m.role, &m.parent, &m.running)
	if errors.Is(err, sql.ErrNoRows) {
		return foundMessage{}, nil
	}
	return m, err
}

// CheckStart looks, before anything is sent, whether s can be stored. found:
// the run is already there and is the same one; it must not be sent again.
// fs.ErrNotExist: it names a message that is not in this conversation.
// fs.ErrExist: it reuses an id for something else, or the answer is still
// being written by another run. Any other *wire.Problem names the field that
// is wrong.
func (db *DB) CheckStart(ctx context.Context, owner string, s wire.Start) (r wire.Run, found bool, err error) {
	t, err := parseTurn(owner, s)
	if err != nil {
		return r, false, err
	}
	err = db.readers.snapshot(ctx, func(q reading) error {
		p, err := t.find(q)
		if err != nil || !p.run {
			return err
		}
		found = true
		r, err = readRun(q, t.owner, t.run)
		return err
	})
	return r, found, err
}

// StartTurn queues the write of a turn: the conversation (titled title, if it
// is new), the person's message (if new), the answer's message (if new) and
// the run r with the request s.Body. Of r it keeps Model and StartedMS; ids,
// lane and endpoint are those of s. Storing the same run twice is storing it
// once. It fails as CheckStart does. s.Body must not be changed until done.
func (db *DB) StartTurn(owner string, s wire.Start, r wire.Run, title string, done func(error)) {
	if r.StartedMS == 0 {
		r.StartedMS = db.now().UnixMilli()
	}
	db.writer.post(len(s.Body)+len(s.User.Text), func(w *tx) error {
		t, err := parseTurn(owner, s)
		if err != nil {
			return err
		}
		return db.startTurn(w, t, r, cleanTitle(title))
	}, done)
}

func (db *DB) startTurn(w *tx, t turn, r wire.Run, title string) error {
	p, err := t.find(w)
	if err != nil || p.run {
		return err
	}
	now := r.StartedMS
	if p.conversation == 0 {
		if err := w.wantUser(t.owner); err != nil {
			return err
		}
		p.conversation, err = w.insert("INSERT INTO conversations (owner, id, title, created_ms, updated_ms) VALUES (?, ?, ?, ?, ?)",
			t.owner, t.conversation, title, now, now)
		if err != nil {
			return err
		}
	}
	const insertMessage = "INSERT INTO messages (owner, conversation, id, parent, lane, role, text, created_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
	if p.user == 0 {
		p.user, err = w.insert(insertMessage, t.owner, p.conversation, t.user, t.parent, t.start.User.Lane, t.start.User.Role, t.start.User.Text, now)
		if err != nil {
			return err
		}
	}
	if p.answer == 0 {
		p.answer, err = w.insert(insertMessage, t.owner, p.conversation, t.answer, t.user, t.start.Lane, "assistant", "", now)
		if err != nil {
			return err
		}
	}
	run, err := w.insert("INSERT INTO runs (owner, conversation, message, id, lane, endpoint, model, state, started_ms) VALUES (?, ?, ?, ?, ?, ?, ?, 'running', ?)",
		t.owner, p.conversation, p.answer, t.run, t.start.Lane, t.start.Endpoint, r.Model, now)
	if err != nil {
		return err
	}
	coding, body := db.packer.pack(t.start.Body)
	if _, err := w.exec("INSERT INTO run_requests (run, owner, coding, body) VALUES (?, ?, ?, ?)", run, t.owner, coding, body); err != nil {
		return err
	}
	return w.noteTurn(p, r.Model, now)
}

// noteTurn keeps what the list shows of the newest turn.
func (w *tx) noteTurn(p place, model string, now int64) error {
	var turn int64
	var models string
	if err := w.scan("SELECT turn, models FROM conversations WHERE n = ?", []any{p.conversation}, &turn, &models); err != nil {
		return err
	}
	if turn != p.user {
		models = ""
	}
	if list := strings.Split(models, ", "); models == "" {
		models = model
	} else if !slices.Contains(list, model) {
		models += ", " + model
	}
	_, err := w.exec("UPDATE conversations SET turn = ?, models = ?, updated_ms = max(updated_ms, ?) WHERE n = ?", p.user, models, now, p.conversation)
	return err
}

// RunReplied queues what the head of the gateway's reply told. It is stored so
// that the log can be read again after a kill.
func (db *DB) RunReplied(owner, run string, status int, contentType, requestID string, done func(error)) {
	who := parseOwner(owner)
	db.writer.post(len(contentType)+len(requestID), func(w *tx) error {
		id, _ := parseID(run)
		res, err := w.exec("UPDATE runs SET http_status = ?, content_type = ?, request_id = ? WHERE owner = ? AND id = ?", status, contentType, requestID, who, id)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return errors.Join(err, notFound("run"))
		}
		return nil
	}, done)
}
