package chat

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"screentest/server/store/engine"
	"screentest/server/store/people"
	"screentest/shared/wire"
)

// MaxLane is the highest lane of a conversation.
const MaxLane = 63

// A turn is a wire.Start whose ids are parsed.
type turn struct {
	owner                           int64
	run, conversation, user, answer []byte
	chain                           []link // wire.Start.Before and User
	start                           wire.Start
}

// A link is one of the messages that lead to the answer.
type link struct {
	id, parent []byte // parent nil: none
	wire.Message
}

func parseTurn(owner string, s wire.Start) (t turn, err error) {
	t = turn{owner: engine.ParseOwner(owner), start: s}
	for _, id := range []struct {
		field, text string
		to          *[]byte
	}{
		{"run", s.Run, &t.run},
		{"conversation", s.Conversation, &t.conversation},
		{"user.id", s.User.ID, &t.user},
		{"answer", s.Answer, &t.answer},
	} {
		if *id.to, err = engine.WantID(id.field, id.text); err != nil {
			return t, err
		}
	}
	switch {
	case s.Lane < 0 || s.Lane > MaxLane:
		return t, engine.BadField("bad_lane", "lane", "A lane is a number from 0 to %d.", MaxLane)
	case len(s.Before) > wire.MaxBefore:
		return t, engine.BadField("too_many_messages", "before", "At most %d messages can be sent before another.", wire.MaxBefore)
	}
	for i := range s.Before {
		if err := t.addLink(fmt.Sprintf("before[%d]", i), s.Before[i]); err != nil {
			return t, err
		}
	}
	return t, t.addLink("user", s.User)
}

// addLink parses the next message of the chain.
func (t *turn) addLink(field string, m wire.Message) (err error) {
	if m.Role == "" {
		m.Role = "user"
	}
	l := link{Message: m}
	if l.id, err = engine.WantID(field+".id", m.ID); err != nil {
		return err
	}
	if m.Parent != "" {
		if l.parent, err = engine.WantID(field+".parent", m.Parent); err != nil {
			return err
		}
	}
	for _, other := range t.chain {
		if bytes.Equal(other.id, l.id) {
			return engine.BadField("bad_id", field+".id", "Each message needs an id of its own.")
		}
	}
	switch last := len(t.chain) - 1; {
	case bytes.Equal(l.id, t.answer):
		return engine.BadField("bad_id", "answer", "The answer needs an id of its own.")
	case last >= 0 && !bytes.Equal(l.parent, t.chain[last].id):
		return engine.BadField("bad_parent", field+".parent", "Each message must follow the one before it.")
	case m.Role != "user" && m.Role != "tool":
		return engine.BadField("bad_role", field+".role", `A message that is sent has the role "user" or "tool".`)
	}
	if err := cmp.Or(CheckTool(field, m), CheckImages(field, m)); err != nil {
		return err
	}
	t.chain = append(t.chain, l)
	return nil
}

// CheckTool looks at what only function results have.
func CheckTool(field string, m wire.Message) error {
	switch {
	case m.Role != "tool" && (m.ToolCall != "" || m.Tool != ""):
		return engine.BadField("bad_tool", field+".tool_call", "Only a function's result names a call.")
	case m.Role == "tool" && (m.ToolCall == "" || len(m.ToolCall) > wire.MaxToolName):
		return engine.BadField("bad_tool", field+".tool_call", "A function's result names its call, in at most %d bytes.", wire.MaxToolName)
	case len(m.Tool) > wire.MaxToolName:
		return engine.BadField("bad_tool", field+".tool", "A function's name has at most %d bytes.", wire.MaxToolName)
	}
	return nil
}

// A place says what of a turn is stored already, by row number; 0 is not.
type place struct {
	run                  bool // all of it
	conversation, answer int64
	chain                []int64
}

// find looks where t belongs, and refuses what does not fit with what is
// stored. The writing transaction and CheckStart ask the same.
func (t turn) find(q engine.Scanner) (p place, err error) {
	var conversation, message []byte
	err = q.Scan("SELECT c.id, m.id FROM runs r JOIN conversations c ON c.n = r.conversation JOIN messages m ON m.n = r.message WHERE r.owner = ? AND r.id = ?",
		[]any{t.owner, t.run}, &conversation, &message)
	switch {
	case err == nil && bytes.Equal(conversation, t.conversation) && bytes.Equal(message, t.answer):
		return place{run: true}, nil
	case err == nil:
		return p, engine.Conflict("This run id is in use for another answer.")
	case !errors.Is(err, sql.ErrNoRows):
		return p, err
	}

	err = q.Scan("SELECT n FROM conversations WHERE owner = ? AND id = ?", []any{t.owner, t.conversation}, &p.conversation)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return p, err
	}

	if p.chain, err = t.findChain(q, p.conversation); err != nil {
		return p, err
	}

	answer, err := t.findMessage(q, t.answer)
	switch {
	case err != nil:
		return p, err
	case answer.n != 0 && (answer.conversation != p.conversation || answer.role != "assistant" || !bytes.Equal(answer.parent, t.user)):
		return p, engine.Conflict("The id of the answer is in use for another message.")
	case answer.running:
		return p, engine.Conflict("This answer is still being written. Stop it first.")
	case answer.n != 0 && answer.byHand:
		return p, engine.Conflict("This answer was written by hand. Ask for another one beside it.")
	}
	p.answer = answer.n
	return p, nil
}

// findChain looks for the messages that lead to the answer, and whether the new
// ones may stand where they are to.
func (t turn) findChain(q engine.Scanner, conversation int64) (chain []int64, err error) {
	above := ""    // the role of the message that the next one follows
	var top []byte // the stored message nearest to the answer
	results := true
	for i, l := range t.chain {
		m, err := t.findMessage(q, l.id)
		switch {
		case err != nil:
			return nil, err
		case m.n != 0 && (m.conversation != conversation || m.role == "assistant"):
			return nil, engine.Conflict("The id of the message is in use for another message.")
		case m.n == 0 && i == 0 && l.parent != nil:
			parent, err := t.findMessage(q, l.parent)
			if err != nil {
				return nil, err
			}
			if parent.n == 0 || parent.conversation != conversation {
				return nil, engine.NotFound("message to follow")
			}
			above, top = parent.role, l.parent
		}
		if m.n == 0 {
			for _, i := range l.Images {
				if _, err := imageOf(q, t.owner, i.ID); err != nil {
					return nil, err
				}
			}
		}
		role := l.Role
		if m.n != 0 {
			role, top = m.role, l.id
		} else if role == "tool" && above != "assistant" && above != "tool" {
			return nil, engine.BadField("bad_tool", "user.role", "A function's result follows the answer that called the function.")
		}
		results = results && role == "tool"
		above, chain = role, append(chain, m.n)
	}
	if !results || top == nil {
		return chain, nil
	}
	// The server counts the answers since the person's last message.
	var rounds int
	err = q.Scan(`WITH RECURSIVE up (parent, role, depth) AS (
		SELECT parent, role, 1 FROM messages WHERE owner = ?1 AND id = ?2
		UNION ALL SELECT m.parent, m.role, depth + 1 FROM up JOIN messages m ON m.owner = ?1 AND m.id = up.parent WHERE up.role <> 'user' AND depth < ?3)
		SELECT count(*) FROM up WHERE role = 'assistant'`, []any{t.owner, top, (wire.MaxRounds + 2) * (wire.MaxBefore + 2)}, &rounds)
	if err == nil && rounds > wire.MaxRounds {
		err = engine.BadField("too_many_rounds", "user", "The model has called functions %d times in a row, which is the limit.", wire.MaxRounds)
	}
	return chain, err
}

type foundMessage struct {
	n, conversation int64
	role            string
	parent          []byte
	running         bool
	byHand          bool // no run has written it, or is to
}

// findMessage looks for a message of the turn's owner; n is 0 if there is none.
func (t turn) findMessage(q engine.Scanner, id []byte) (m foundMessage, err error) {
	err = q.Scan(`SELECT n, conversation, role, parent, EXISTS (SELECT 1 FROM runs WHERE message = m.n AND state = 'running'),
		NOT EXISTS (SELECT 1 FROM runs WHERE message = m.n) FROM messages m WHERE owner = ? AND id = ?`,
		[]any{t.owner, id}, &m.n, &m.conversation, &m.role, &m.parent, &m.running, &m.byHand)
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
func (c *Chat) CheckStart(ctx context.Context, owner string, s wire.Start) (r wire.Run, found bool, err error) {
	t, err := parseTurn(owner, s)
	if err != nil {
		return r, false, err
	}
	err = c.db.Snapshot(ctx, func(q engine.Reading) error {
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
// is new), the messages that lead to the answer (those that are new), the
// answer's message (if new) and the run r with the request s.Body, sent to the
// gateway at baseURL. Of r it keeps Model, StartedMS and who pays; ids, lane and endpoint
// are those of s. Storing the same run twice is storing it once; where several
// replicas may be asked for it, done is told fs.ErrExist by all but the first. It fails
// as CheckStart does. s.Body must not be changed until done.
func (c *Chat) StartTurn(owner string, s wire.Start, r wire.Run, title, baseURL string, done func(error)) {
	if r.StartedMS == 0 {
		r.StartedMS = c.now().UnixMilli()
	}
	size := len(s.Body) + len(s.User.Text)
	for _, m := range s.Before {
		size += len(m.Text)
	}
	c.db.Post(size, func(w *engine.Tx) error {
		t, err := parseTurn(owner, s)
		if err != nil {
			return err
		}
		return c.startTurn(w, t, r, CleanTitle(title), baseURL)
	}, done)
}

const insertMessage = "INSERT INTO messages (owner, conversation, id, parent, lane, role, text, created_ms, tool_call, tool) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"

func (c *Chat) startTurn(w *engine.Tx, t turn, r wire.Run, title, baseURL string) error {
	p, err := t.find(w)
	if err != nil {
		return err
	}
	if p.run {
		if w.Holder() != 0 {
			return engine.Conflict("This answer is begun already.")
		}
		return nil
	}
	now := r.StartedMS
	isNew := p.conversation == 0
	if isNew {
		if err := people.WantUser(w, t.owner); err != nil {
			return err
		}
		if p.conversation, err = c.newConversation(w, t.owner, t.conversation, title, now); err != nil {
			return err
		}
	}
	for i, l := range t.chain {
		if p.chain[i] != 0 {
			continue
		}
		p.chain[i], err = w.Insert(insertMessage, t.owner, p.conversation, l.id, l.parent, l.Lane, l.Role, l.Text, now, l.ToolCall, l.Tool)
		if err != nil {
			return err
		}
		if err := linkImages(w, t.owner, p.chain[i], l.Images, t.owner); err != nil {
			return err
		}
		if err := c.index.NoteMessage(w, t.owner, p.conversation, p.chain[i]); err != nil {
			return err
		}
	}
	if p.answer == 0 {
		p.answer, err = w.Insert(insertMessage, t.owner, p.conversation, t.answer, t.user, t.start.Lane, "assistant", "", now, "", "")
		if err != nil {
			return err
		}
	}
	team, err := people.TeamNumber(w, r.Team)
	if err != nil {
		return err
	}
	run, err := w.Insert("INSERT INTO runs (owner, conversation, message, id, lane, endpoint, model, state, started_ms, team, paid_by, holder) VALUES (?, ?, ?, ?, ?, ?, ?, 'running', ?, nullif(?, 0), ?, ?)",
		t.owner, p.conversation, p.answer, t.run, t.start.Lane, t.start.Endpoint, r.Model, now, team, r.PaidBy, w.Holder())
	if err != nil {
		return err
	}
	coding, body := c.packer.Pack(t.start.Body)
	if _, err := w.Exec("INSERT INTO run_requests (run, owner, base_url, coding, body) VALUES (?, ?, ?, ?, ?)", run, t.owner, baseURL, coding, body); err != nil {
		return err
	}
	if isNew {
		return setTurn(w, p, r.Model, now)
	}
	return noteTurn(w, p, r.Model, now)
}

// noteTurn keeps what the list shows of the newest turn.
func noteTurn(w *engine.Tx, p place, model string, now int64) error {
	var turn int64
	var models string
	if err := w.Scan("SELECT turn, models FROM conversations WHERE n = ?", []any{p.conversation}, &turn, &models); err != nil {
		return err
	}
	user := p.chain[len(p.chain)-1]
	var err error
	if turn != user {
		if models, err = compared(w, p.conversation); err != nil {
			return err
		}
	}
	if list := strings.Split(models, ", "); models == "" {
		models = model
	} else if !slices.Contains(list, model) {
		models += ", " + model
	}
	return setTurn(w, p, models, now)
}

func setTurn(w *engine.Tx, p place, models string, now int64) error {
	_, err := w.Exec("UPDATE conversations SET turn = ?, models = ?, updated_ms = max(updated_ms, ?) WHERE n = ?", p.chain[len(p.chain)-1], models, now, p.conversation)
	return err
}

// compared are the models of a conversation's lanes, "" where it has no several:
// each lane has a newest message of the person's of its own.
func compared(w *engine.Tx, conversation int64) (string, error) {
	var list []byte
	err := w.Scan("SELECT lanes FROM lanes WHERE conversation = ?", []any{conversation}, &list)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	l := wire.Lanes{}
	if err == nil {
		err = json.Unmarshal(list, &l.Lanes)
	}
	if err != nil || len(l.Lanes) < 2 {
		return "", err
	}
	return l.Models(), nil
}

// RunReplied queues what the head of the gateway's reply told. It is stored so
// that the log can be read again after a kill.
func (c *Chat) RunReplied(owner, run string, status int, contentType, requestID string, done func(error)) {
	who := engine.ParseOwner(owner)
	c.db.Post(len(contentType)+len(requestID), func(w *engine.Tx) error {
		id, _ := engine.ParseID(run)
		res, err := w.Exec("UPDATE runs SET http_status = ?, content_type = ?, request_id = ? WHERE owner = ? AND id = ?", status, contentType, requestID, who, id)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return errors.Join(err, engine.NotFound("run"))
		}
		return nil
	}, done)
}
