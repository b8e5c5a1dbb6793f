package chat

import (
	"bytes"
	"context"
	"encoding/json"

	"screentest/server/store/engine"
	"screentest/shared/wire"
)

// PinConversation pins a conversation or lets it go. At most wire.MaxPinned
// are pinned.
func (c *Chat) PinConversation(ctx context.Context, owner string, p wire.Pin) (wire.Summary, error) {
	var v wire.Summary
	err := c.db.Write(ctx, 0, func(w *engine.Tx) error {
		n, s, err := readConversation(w, owner, p.ID)
		if err != nil {
			return err
		}
		if p.Pinned && !s.Pinned {
			var pinned int
			if err := w.Scan("SELECT count(*) FROM conversations WHERE owner = ? AND pinned = 1", []any{engine.ParseOwner(owner)}, &pinned); err != nil {
				return err
			}
			if pinned >= wire.MaxPinned {
				return engine.BadField("too_many_pinned", "pinned", "%d conversations are pinned, which is the limit. Let one go first.", wire.MaxPinned)
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
	err = c.db.Write(ctx, len(list), func(w *engine.Tx) error {
		n, s, err := readConversation(w, owner, l.Conversation)
		if err != nil {
			return err
		}
		if _, err := w.Exec("UPDATE conversations SET models = ? WHERE n = ?", l.Listed(s.Models), n); err != nil {
			return err
		}
		return w.Scan(`INSERT INTO lanes (conversation, owner, rev, blind, lanes) VALUES (?, ?, 1, ?, ?)
			ON CONFLICT (conversation) DO UPDATE SET rev = lanes.rev + 1, blind = excluded.blind, lanes = excluded.lanes RETURNING rev`,
			[]any{n, engine.ParseOwner(owner), l.Blind, list}, &l.Rev)
	})
	if err != nil {
		return wire.Lanes{}, err
	}
	return l, nil
}

// CheckLanes looks at lanes and gives them as they are stored.
func CheckLanes(l wire.Lanes) (string, error) {
	if len(l.Lanes) < 1 || len(l.Lanes) > wire.MaxLanes {
		return "", engine.BadField("bad_lanes", "lanes", "A conversation has 1 to %d lanes.", wire.MaxLanes)
	}
	for i, lane := range l.Lanes {
		if err := checkParams("lanes.params", lane.Params); err != nil {
			return "", err
		}
		if len(lane.Model) > MaxModel {
			return "", engine.BadField("bad_lanes", "lanes.model", "The name of a model has at most %d bytes.", MaxModel)
		}
		if lane.Leaf != "" {
			if _, err := engine.WantID("lanes.leaf", l.Lanes[i].Leaf); err != nil {
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
		return engine.BadField("bad_params", field, "Parameters have at most %d bytes.", wire.MaxParams)
	case !json.Valid(p) || bytes.TrimSpace(p)[0] != '{':
		return engine.BadField("bad_params", field, "Parameters are a JSON object.")
	case depth(p) > maxParamsDepth:
		return engine.BadField("bad_params", field, "Parameters have arrays and objects within each other at most %d deep. Take some of the levels out.", maxParamsDepth)
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
