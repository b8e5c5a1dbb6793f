package chat

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"screentest/server/store/sqlite"
	"screentest/shared/wire"
)

// PinConversation pins a conversation or lets it go. At most wire.MaxPinned
// are pinned.
func (c *Chat) PinConversation(ctx context.Context, owner string, p wire.Pin) (wire.Summary, error) {
	var v wire.Summary
	err := c.db.Write(ctx, 0, func(w *sqlite.Tx) error {
		n, s, err := readConversation(w, owner, p.ID)
		if err != nil {
			return err
		}
		if p.Pinned && !s.Pinned {
			var pinned int
			if err := w.Scan("SELECT count(*) FROM conversations WHERE owner = ? AND pinned = 1", []any{sqlite.ParseOwner(owner)}, &pinned); err != nil {
				return err
			}
			if pinned >= wire.MaxPinned {
				return sqlite.BadField("too_many_pinned", "pinned", "%d conversations are pinned, which is the limit. Let one go first.", wire.MaxPinned)
			}
		}
		v = s
		v.Pinned = p.Pinned
		_, err = w.Exec("UPDATE conversations SET pinned = ? WHERE n = ?", p.Pinned, n)
		return err
	})
	if err != nil {
		return wire.Summary{}, err
	}
	return v, nil
}

// SetLanes keeps what a conversation is shown in, and returns it with its new
// Rev.
func (c *Chat) SetLanes(ctx context.Context, owner string, l wire.Lanes) (wire.Lanes, error) {
	list, err := CheckLanes(l)
	if err != nil {
		return wire.Lanes{}, err
	}
	err = c.db.Write(ctx, len(list), func(w *sqlite.Tx) error {
		n, s, err := readConversation(w, owner, l.Conversation)
		if err != nil {
			return err
		}
		if _, err := w.Exec("UPDATE conversations SET models = ? WHERE n = ?", l.Listed(s.Models), n); err != nil {
			return err
		}
		return w.Scan(`INSERT INTO lanes (conversation, owner, rev, blind, lanes) VALUES (?, ?, 1, ?, ?)
			ON CONFLICT (conversation) DO UPDATE SET rev = rev + 1, blind = excluded.blind, lanes = excluded.lanes RETURNING rev`,
			[]any{n, sqlite.ParseOwner(owner), l.Blind, list}, &l.Rev)
	})
	if err != nil {
		return wire.Lanes{}, err
	}
	return l, nil
}

// CheckLanes looks at lanes and gives them as they are stored.
func CheckLanes(l wire.Lanes) (string, error) {
	if len(l.Lanes) < 1 || len(l.Lanes) > wire.MaxLanes {
		return "", sqlite.BadField("bad_lanes", "lanes", "A conversation has 1 to %d lanes.", wire.MaxLanes)
	}
	for i, lane := range l.Lanes {
		if err := checkParams("lanes.params", lane.Params); err != nil {
			return "", err
		}
		if len(lane.Model) > MaxModel {
			return "", sqlite.BadField("bad_lanes", "lanes.model", "The name of a model has at most %d bytes.", MaxModel)
		}
		if lane.Leaf != "" {
			if _, err := sqlite.WantID("lanes.leaf", l.Lanes[i].Leaf); err != nil {
				return "", err
			}
		}
	}
	list, err := json.Marshal(l.Lanes)
	return string(list), err
}

// MaxModel bounds the name of a model, in bytes.
const MaxModel = 256

// checkParams wants a JSON object, or nothing.
func checkParams(field string, p json.RawMessage) error {
	switch {
	case len(p) == 0:
		return nil
	case len(p) > wire.MaxParams:
		return sqlite.BadField("bad_params", field, "Parameters have at most %d bytes.", wire.MaxParams)
	case !json.Valid(p) || bytes.TrimSpace(p)[0] != '{':
		return sqlite.BadField("bad_params", field, "Parameters are a JSON object.")
	case depth(p) > maxParamsDepth:
		return sqlite.BadField("bad_params", field, "Parameters have arrays and objects within each other at most %d deep. Take some of the levels out.", maxParamsDepth)
	}
	return nil
}

// maxParamsDepth bounds the nesting of parameters: SQLite takes no JSON that is
// nested more than 1000 deep, and they stand within some more.
const maxParamsDepth = 900

// depth is how deep arrays and objects are within each other, in valid JSON.
func depth(p []byte) int {
	most, now, text := 0, 0, false
	for i := 0; i < len(p); i++ {
		switch c := p[i]; {
		case text && c == '\\':
			i++
		case c == '"':
			text = !text
		case text:
		case c == '{' || c == '[':
			now++
			most = max(most, now)
		case c == '}' || c == ']':
			now--
		}
	}
	return most
}

// SetVote keeps which answer to a message of the person's was the best, in
// place of an earlier vote.
func (c *Chat) SetVote(ctx context.Context, owner string, v wire.Vote) (wire.Vote, error) {
	v.VoteMS = c.now().UnixMilli()
	models, err := CheckVote(v)
	if err != nil {
		return wire.Vote{}, err
	}
	err = c.db.Write(ctx, len(models), func(w *sqlite.Tx) error {
		n, _, err := readConversation(w, owner, v.Conversation)
		if err != nil {
			return err
		}
		return insertVote(w, sqlite.ParseOwner(owner), n, v, models)
	})
	if err != nil {
		return wire.Vote{}, err
	}
	return v, nil
}

func CheckVote(v wire.Vote) (models string, err error) {
	if len(v.Models) < 2 || len(v.Models) > wire.MaxLanes {
		return "", sqlite.BadField("bad_vote", "models", "A vote compares 2 to %d models.", wire.MaxLanes)
	}
	for _, m := range v.Models {
		if m == "" || len(m) > MaxModel {
			return "", sqlite.BadField("bad_vote", "models", "The name of a model has 1 to %d bytes.", MaxModel)
		}
	}
	list, err := json.Marshal(v.Models)
	return string(list), err
}

// insertVote stores a vote in the conversation n.
func insertVote(w *sqlite.Tx, owner, n int64, v wire.Vote, models string) error {
	message, _ := sqlite.ParseID(v.Message)
	var m int64
	var role string
	err := w.Scan("SELECT n, role FROM messages WHERE owner = ? AND id = ? AND conversation = ?", []any{owner, message, n}, &m, &role)
	if errors.Is(err, sql.ErrNoRows) {
		return sqlite.NotFound("message")
	}
	if err != nil {
		return err
	}
	if role == "assistant" {
		return sqlite.BadField("bad_vote", "message", "A vote is on a message that was answered.")
	}
	var winner []byte // NULL for a tie
	if v.Winner != "" {
		if winner, err = sqlite.WantID("winner", v.Winner); err != nil {
			return err
		}
		var answers int
		// In a round of functions the last answer stands below the first.
		err := w.Scan("SELECT count(*) FROM messages WHERE owner = ? AND id = ? AND conversation = ? AND role = 'assistant'", []any{owner, winner, n}, &answers)
		if err != nil {
			return err
		}
		if answers == 0 {
			return sqlite.NotFound("answer")
		}
	}
	_, err = w.Exec(`INSERT INTO votes (message, owner, conversation, winner, models, vote_ms) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (message) DO UPDATE SET winner = excluded.winner, models = excluded.models, vote_ms = excluded.vote_ms`,
		m, owner, n, winner, models, v.VoteMS)
	return err
}

// scanVote reads a row of id, winner, models and vote_ms.
func scanVote(rows *sql.Rows, conversation string) (wire.Vote, error) {
	v := wire.Vote{Conversation: conversation}
	var message, winner, models []byte
	if err := rows.Scan(&message, &winner, &models, &v.VoteMS); err != nil {
		return v, err
	}
	v.Message, v.Winner = sqlite.FormatID(message), sqlite.FormatID(winner)
	return v, json.Unmarshal(models, &v.Models)
}
