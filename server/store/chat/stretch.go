package chat

import (
	"context"
	"database/sql"
	"math"
	"slices"

	"screentest/server/store/engine"
	"screentest/shared/wire"
)

// A Stretch is a part of a conversation, for who reads all of it.
type Stretch struct {
	Summary  wire.Summary
	Lanes    *wire.Lanes
	Messages []wire.Message // in their order
	Votes    []wire.Vote    // on these
	Last     int64          // where to read on; 0 where there is no more
}

// ReadOn reads a conversation from where the stretch before ended, at first 0.
func (c *Chat) ReadOn(ctx context.Context, owner, id string, from int64) (out Stretch, err error) {
	err = c.db.Snapshot(ctx, func(q engine.Reading) error {
		n, s, err := readConversation(q, owner, id)
		if err != nil {
			return err
		}
		out.Summary = s
		if out.Lanes, err = readLanes(q, n, id); err != nil {
			return err
		}
		p := page{conversation: n, limit: MaxMessages, text: maxPageText}
		if err := p.after(q, from); err != nil {
			return err
		}
		if out.Messages = p.messages; p.later {
			out.Last = p.ns[len(p.ns)-1]
		}
		out.Votes, err = p.votes(q, id)
		return err
	})
	return out, err
}

// ConversationIDs are those of the owner's conversations, the last changed last.
func (c *Chat) ConversationIDs(ctx context.Context, owner string) (ids []string, err error) {
	err = c.db.At(ctx).Each("SELECT id FROM conversations WHERE owner = ? AND (updated_ms, n) < (?, 0) ORDER BY updated_ms DESC, n DESC",
		[]any{engine.ParseOwner(owner), int64(math.MaxInt64)}, func(rows *sql.Rows) error {
			var id []byte
			err := rows.Scan(&id)
			ids = append(ids, engine.FormatID(id))
			return err
		})
	slices.Reverse(ids)
	return ids, err
}
