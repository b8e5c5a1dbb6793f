package chat

import (
	"bytes"
	"context"
	"database/sql"
	"errors"

	"screentest/server/store/engine"
	"screentest/server/store/people"
	"screentest/shared/wire"
)

// WriteMessage stores a message that a person wrote into the history, and makes the
// conversation if it is new. The same message twice is stored once.
// fs.ErrNotExist: it is to follow a message that is not in this conversation.
// fs.ErrExist: its id is another message's, or the answer that it is to follow is
// still being written. Any other *wire.Problem names the field that is wrong.
func (c *Chat) WriteMessage(ctx context.Context, owner string, in wire.Written) (v wire.Summary, err error) {
	m := in.Message
	conversation, err := engine.WantID("conversation", in.Conversation)
	if err != nil {
		return v, err
	}
	l := link{Message: m}
	if l.id, err = engine.WantID("message.id", m.ID); err != nil {
		return v, err
	}
	if m.Parent != "" {
		if l.parent, err = engine.WantID("message.parent", m.Parent); err != nil {
			return v, err
		}
	}
	switch {
	case m.Role != "user" && m.Role != "assistant":
		return v, engine.BadField("bad_role", "message.role", `A message that is written has the role "user" or "assistant".`)
	case m.Text == "" || len(m.Text) > wire.MaxBody:
		return v, engine.BadField("bad_text", "message.text", "A message that is written has 1 byte to %d MiB.", wire.MaxBody>>20)
	case m.Lane < 0 || m.Lane > MaxLane:
		return v, engine.BadField("bad_lane", "message.lane", "A lane is a number from 0 to %d.", MaxLane)
	case len(m.Images) > 0 || m.Tool != "" || m.ToolCall != "" || m.Run != nil:
		return v, engine.BadField("bad_message", "message", "A message that is written has a text and nothing else.")
	}
	who := turn{owner: engine.ParseOwner(owner), conversation: conversation}
	err = c.db.Write(ctx, len(m.Text), func(w *engine.Tx) error {
		n, err := c.wantPlace(w, who, l)
		if err == nil && n != 0 {
			err = c.write(w, who.owner, n, l)
		}
		if err == nil {
			_, v, err = readConversation(w, owner, in.Conversation)
		}
		return err
	})
	return v, err
}

// wantPlace is the row of the conversation that l is to be written into, made if it
// is new; 0 where l is written already.
func (c *Chat) wantPlace(w *engine.Tx, who turn, l link) (n int64, err error) {
	err = w.Scan("SELECT n FROM conversations WHERE owner = ? AND id = ?", []any{who.owner, who.conversation}, &n)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return 0, err
	}
	m, err := who.findMessage(w, l.id)
	same := false
	if err == nil && m.n != 0 && m.conversation == n && m.role == l.Role && bytes.Equal(m.parent, l.parent) && m.byHand {
		err = w.Scan("SELECT lane = ? AND text = ? FROM messages WHERE n = ?", []any{l.Lane, l.Text, m.n}, &same)
	}
	switch {
	case err != nil:
		return 0, err
	case same:
		return 0, nil
	case m.n != 0:
		return 0, engine.Conflict("The id of the message is in use for another message.")
	}
	if l.parent != nil {
		above, err := who.findMessage(w, l.parent)
		switch {
		case err != nil:
			return 0, err
		case above.n == 0 || above.conversation != n:
			return 0, engine.NotFound("message to follow")
		case above.running:
			return 0, engine.Conflict("The answer above is still being written. Stop it first.")
		}
	}
	if n != 0 {
		return n, nil
	}
	if err := people.WantUser(w, who.owner); err != nil {
		return 0, err
	}
	return c.newConversation(w, who.owner, who.conversation, CleanTitle(l.Text), c.now().UnixMilli())
}

// newConversation makes a conversation without a message.
func (c *Chat) newConversation(w *engine.Tx, owner int64, id []byte, title string, now int64) (int64, error) {
	n, err := w.Insert("INSERT INTO conversations (owner, id, title, created_ms, updated_ms) VALUES (?, ?, ?, ?, ?)", owner, id, title, now, now)
	if err != nil {
		return 0, err
	}
	return n, c.index.NoteTitle(w, owner, n)
}

func (c *Chat) write(w *engine.Tx, owner, conversation int64, l link) error {
	now := c.now().UnixMilli()
	n, err := w.Insert(insertMessage, owner, conversation, l.id, l.parent, l.Lane, l.Role, l.Text, now, "", "")
	if err != nil {
		return err
	}
	if err := c.index.NoteMessage(w, owner, conversation, n); err != nil {
		return err
	}
	_, err = w.Exec("UPDATE conversations SET updated_ms = max(updated_ms, ?) WHERE n = ?", now, conversation)
	return err
}
