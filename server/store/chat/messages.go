package chat

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"

	"screentest/server/store/engine"
	"screentest/shared/wire"
)

// OpenConversation returns p.Conversation with a page of its messages, oldest
// first: the newest, those before or after a cursor, or those around a message;
// 100, or p.Limit up to 500, and no more than 4 MiB of text.
func (c *Chat) OpenConversation(ctx context.Context, owner string, p wire.Page) (wire.Opened, error) {
	limit := engine.PageLimit(p.Limit, defaultMessages, MaxMessages)
	before, err := engine.ParseCursor(p.Before, 1)
	if err != nil {
		return wire.Opened{}, err
	}
	after, err := engine.ParseCursor(p.After, 1)
	if err != nil {
		return wire.Opened{}, err
	}
	if (before != nil && after != nil) || (p.Around != "" && (before != nil || after != nil)) {
		return wire.Opened{}, engine.BadField("bad_cursor", "around", "A page is before, after or around one place.")
	}
	var opened wire.Opened
	err = c.db.Snapshot(ctx, func(q engine.Reading) error {
		n, summary, err := readConversation(q, owner, p.Conversation)
		if err != nil {
			return err
		}
		pg := page{conversation: n, limit: limit, text: maxPageText}
		switch {
		case p.Around != "":
			err = pg.around(q, engine.ParseOwner(owner), p.Around)
		case after != nil:
			err = pg.after(q, after[0])
			pg.earlier = true
		case before != nil:
			err = pg.before(q, before[0])
			pg.later = true
		default:
			err = pg.before(q, math.MaxInt64)
		}
		if err != nil {
			return err
		}
		opened = pg.opened()
		opened.Summary = summary
		if opened.Lanes, err = readLanes(q, n, p.Conversation); err != nil {
			return err
		}
		opened.Votes, err = pg.votes(q, p.Conversation)
		return err
	})
	if err != nil {
		return wire.Opened{}, err
	}
	return opened, nil
}

// A page is messages of a conversation, oldest first, with their row numbers.
type page struct {
	conversation   int64
	limit, text    int // what there is room for: messages, and bytes of text
	messages       []wire.Message
	ns             []int64
	earlier, later bool // there are more
}

func (p *page) opened() wire.Opened {
	o := wire.Opened{Messages: p.messages}
	if o.Messages == nil {
		o.Messages = []wire.Message{}
	}
	if n := len(p.ns); n > 0 && p.earlier {
		o.Before = engine.FormatCursor(p.ns[0])
	}
	if n := len(p.ns); n > 0 && p.later {
		o.After = engine.FormatCursor(p.ns[n-1])
	}
	return o
}

// selectMessages gives messages m as messageScan reads them, with the newest run r
// that filled it; a running answer's text is in its log.
const selectMessages = `SELECT m.n, m.id, m.parent, m.lane, m.role, CASE r.state WHEN 'running' THEN '' ELSE m.text END, m.created_ms, m.tool_call, m.tool, ` + imagesColumn + `, ` + runColumns + `
	FROM messages m JOIN conversations c ON c.n = m.conversation
	LEFT JOIN runs r ON r.n = (SELECT max(n) FROM runs WHERE message = m.n)` + runLedger

const (
	selectBefore = selectMessages + "WHERE m.conversation = ? AND m.n < ? ORDER BY m.n DESC LIMIT ?"
	selectAfter  = selectMessages + "WHERE m.conversation = ? AND m.n > ? ORDER BY m.n LIMIT ?"
	selectOne    = selectMessages + "WHERE m.owner = ? AND m.id = ?"
)

type messageScan struct {
	n          int64
	id, parent []byte
	m          wire.Message
	images     []byte
	run        runScan
}

func (s *messageScan) dest() []any {
	return append([]any{&s.n, &s.id, &s.parent, &s.m.Lane, &s.m.Role, &s.m.Text, &s.m.CreatedMS, &s.m.ToolCall, &s.m.Tool, &s.images}, s.run.dest()...)
}

func (s *messageScan) result() (m wire.Message, err error) {
	m = s.m
	m.ID, m.Parent = engine.FormatID(s.id), engine.FormatID(s.parent)
	if m.Images, err = readImages(s.images); err != nil {
		return m, err
	}
	m.Run, err = s.run.result()
	return m, err
}

// textSize is what m takes in a page, in bytes.
func textSize(m wire.Message) int {
	n := len(m.Text)
	if m.Run != nil {
		for _, c := range m.Run.Calls {
			n += len(c.Arguments)
		}
	}
	return n
}

// before puts the messages before row n in front of the page, as many as there
// is room for, but one at least.
func (p *page) before(q engine.Reading, n int64) error {
	more, err := p.read(q, selectBefore, n)
	slices.Reverse(p.messages)
	slices.Reverse(p.ns)
	p.earlier = more
	return err
}

// after does so with those after row n.
func (p *page) after(q engine.Reading, n int64) (err error) {
	p.later, err = p.read(q, selectAfter, n)
	return err
}

// around has the message in the middle.
func (p *page) around(q engine.Reading, owner int64, id string) error {
	b, _ := engine.ParseID(id)
	var n int64
	err := q.Scan("SELECT n FROM messages WHERE owner = ? AND id = ? AND conversation = ?", []any{owner, b, p.conversation}, &n)
	if errors.Is(err, sql.ErrNoRows) {
		return engine.NotFound("message")
	}
	if err != nil {
		return err
	}
	later := page{conversation: p.conversation, limit: p.limit / 2, text: p.text / 2}
	p.limit, p.text = p.limit-later.limit, p.text/2
	if err := p.before(q, n+1); err != nil {
		return err
	}
	if err := later.after(q, n); err != nil {
		return err
	}
	p.messages, p.ns = append(p.messages, later.messages...), append(p.ns, later.ns...)
	p.later = later.later
	return nil
}

// read appends messages in the query's order; more says that there is no room
// for the next.
func (p *page) read(q engine.Reading, query string, from int64) (more bool, err error) {
	var text int
	full := errors.New("the page is full")
	err = q.Each(query, []any{p.conversation, from, p.limit + 1}, func(rows *sql.Rows) error {
		var s messageScan
		if err := rows.Scan(s.dest()...); err != nil {
			return err
		}
		m, err := s.result()
		if err != nil {
			return err
		}
		if text += textSize(m); len(p.ns) == p.limit || (len(p.ns) > 0 && text > p.text) {
			more = true
			return full
		}
		p.messages, p.ns = append(p.messages, m), append(p.ns, s.n)
		return nil
	})
	if errors.Is(err, full) {
		err = nil
	}
	return more, err
}

// votes reads those on messages of the page.
func (p *page) votes(q engine.Reading, conversation string) (vs []wire.Vote, err error) {
	if len(p.ns) == 0 {
		return nil, nil
	}
	err = q.Each(`SELECT m.id, v.winner, v.models, v.bad, v.tags, v.blind, (SELECT id FROM teams WHERE n = v.team), v.vote_ms
		FROM votes v JOIN messages m ON m.n = v.message WHERE v.conversation = ? AND v.message BETWEEN ? AND ? ORDER BY v.message`,
		[]any{p.conversation, p.ns[0], p.ns[len(p.ns)-1]}, func(rows *sql.Rows) error {
			v, err := scanVote(rows, conversation)
			vs = append(vs, v)
			return err
		})
	return vs, err
}

// Messages returns those messages of a conversation that are asked for, in its
// order, up to some 4 MiB of text.
func (c *Chat) Messages(ctx context.Context, owner string, mq wire.MessageQuery) (wire.Messages, error) {
	if len(mq.IDs) > wire.MaxOfIDs {
		return wire.Messages{}, engine.BadField("too_many_ids", "ids", "At most %d messages can be asked for at a time.", wire.MaxOfIDs)
	}
	out := wire.Messages{Messages: []wire.Message{}}
	err := c.db.Snapshot(ctx, func(q engine.Reading) error {
		if _, _, err := readConversation(q, owner, mq.Conversation); err != nil {
			return err
		}
		var found []messageScan
		text := 0
		for _, id := range mq.IDs {
			b, _ := engine.ParseID(id)
			var s messageScan
			err := q.Scan(selectOne, []any{engine.ParseOwner(owner), b}, s.dest()...)
			if errors.Is(err, sql.ErrNoRows) {
				continue
			}
			if err != nil {
				return err
			}
			if engine.FormatID(s.run.conversation) != mq.Conversation {
				continue
			}
			if text += len(s.m.Text) + len(s.run.calls); len(found) > 0 && text > maxPageText {
				break
			}
			found = append(found, s)
		}
		slices.SortFunc(found, func(a, b messageScan) int { return int(a.n - b.n) })
		found = slices.CompactFunc(found, func(a, b messageScan) bool { return a.n == b.n })
		for i := range found {
			m, err := found[i].result()
			if err != nil {
				return err
			}
			out.Messages = append(out.Messages, m)
		}
		return nil
	})
	if err != nil {
		return wire.Messages{}, err
	}
	return out, nil
}

// Outline returns the shape of a whole conversation.
func (c *Chat) Outline(ctx context.Context, owner, id string) (o wire.Outline, err error) {
	o = wire.Outline{Conversation: id, Parents: []int{}, Lanes: []int{}, Lengths: []int{}}
	var ids, roles strings.Builder
	err = c.db.Snapshot(ctx, func(q engine.Reading) error {
		n, _, err := readConversation(q, owner, id)
		if err != nil {
			return err
		}
		places := map[string]int{}
		return q.Each(`SELECT id, parent, role, lane, octet_length(text) FROM messages WHERE conversation = ? ORDER BY n`, []any{n}, func(rows *sql.Rows) error {
			var id, parent sql.RawBytes
			var role string
			var lane, length int
			if err := rows.Scan(&id, &parent, &role, &lane, &length); err != nil {
				return err
			}
			at := -1
			if p, ok := places[string(parent)]; ok {
				at = p
			}
			places[string(id)] = len(o.Parents)
			ids.WriteString(engine.FormatID(id))
			roles.WriteByte(role[0])
			o.Parents, o.Lanes, o.Lengths = append(o.Parents, at), append(o.Lanes, lane), append(o.Lengths, length)
			return nil
		})
	})
	o.IDs, o.Roles = ids.String(), roles.String()
	return o, err
}

func readLanes(q engine.Scanner, n int64, conversation string) (*wire.Lanes, error) {
	l := wire.Lanes{Conversation: conversation}
	var list []byte
	err := q.Scan("SELECT rev, blind, lanes FROM lanes WHERE conversation = ?", []any{n}, &l.Rev, &l.Blind, &list)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(list, &l.Lanes)
	}
	return &l, err
}
