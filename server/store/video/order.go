package video

import (
	"encoding/hex"
	"strings"

	"screentest/server/store/engine"
	"screentest/shared/wire"
)

// order is how a list of tasks t is sorted: by a key, then by their numbers.
type order struct {
	key   string
	up    bool                    // the least first
	index string                  // INDEXED BY, where the planner needs to be told
	of    func(s videoScan) int64 // the key of a task; nil where it is its name
}

var orders = map[wire.VideoSort]order{
	wire.ClipsNewest: {key: "t.created_ms", of: createdOf},
	wire.ClipsOldest: {key: "t.created_ms", up: true, of: createdOf},
	wire.ClipsCost:   {key: "t.price", index: "INDEXED BY video_tasks_price", of: func(s videoScan) int64 { return s.task.PriceNanoUSD }},
	wire.ClipsLength: {key: "t.seconds", index: "INDEXED BY video_tasks_seconds", of: func(s videoScan) int64 { return int64(s.task.Seconds) }},
	wire.ClipsName:   {key: "lower(substr(coalesce(nullif(t.title, ''), t.prompt), 1, 60))", up: true, index: "INDEXED BY video_tasks_name"},
}

func createdOf(s videoScan) int64 { return s.task.CreatedMS }

func orderOf(q wire.VideoQuery) (order, error) {
	o, known := orders[q.Sort]
	if !known {
		return o, engine.BadField("bad_sort", "sort", "Clips are not sorted by %q; they are by oldest, cost, length, name, or newest without it.", string(q.Sort))
	}
	if q.Deleted && o.index != "" {
		o = orders[wire.ClipsNewest]
	}
	return o, nil
}

func (o order) sql() string {
	if o.up {
		return " ORDER BY " + o.key + ", t.n"
	}
	return " ORDER BY " + o.key + " DESC, t.n DESC"
}

// after is the condition of a page that comes after another.
func (o order) after() string {
	if o.up {
		return " AND (" + o.key + ", t.n) > (?, ?)"
	}
	return " AND (" + o.key + ", t.n) < (?, ?)"
}

// format is where a list goes on after a task. A name is written in hex.
func (o order) format(s videoScan) string {
	if o.of == nil {
		return engine.FormatCursor(s.n) + "." + hex.EncodeToString([]byte(s.task.SortName()))
	}
	return engine.FormatCursor(o.of(s), s.n)
}

// parse reads it; nil for the list's beginning.
func (o order) parse(before string) ([]any, error) {
	if o.of != nil {
		at, err := engine.ParseCursor(before, 2)
		if at == nil || err != nil {
			return nil, err
		}
		return []any{at[0], at[1]}, nil
	}
	number, name, two := strings.Cut(before, ".")
	at, err := engine.ParseCursor(number, 1)
	if before == "" || err != nil {
		return nil, err
	}
	text, err := hex.DecodeString(name)
	if err != nil || at == nil || !two {
		_, err = engine.ParseCursor("-", 1)
		return nil, err
	}
	return []any{string(text), at[0]}, nil
}
