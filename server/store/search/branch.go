package search

import (
	"database/sql"
	"slices"
	"sync"

	"screentest/server/store/engine"
)

// branches are what of conversations their shares leave out, as it was read last.
type branches struct {
	mu  sync.Mutex
	out map[branch]map[int64]bool
}

// A branch is of a conversation, a row, up to a time, and to a newest message.
type branch struct{ talk, until, newest int64 }

// maxBranches is of how many conversations it is known what is left out: mostly it is
// nothing.
const maxBranches = 2000

// shows says whether a message, a row, is among what a share of its conversation
// shows: the branch of the newest message up to a time, with the other lanes as far as
// the same is asked in them. What the owner asked otherwise before stays with them.
func (b *branches) shows(q engine.Reading, talk, message, until int64) (bool, error) {
	key := branch{talk: talk, until: until}
	if err := q.Scan("SELECT coalesce(max(n), 0) FROM messages WHERE conversation = ?", []any{talk}, &key.newest); err != nil {
		return false, err
	}
	b.mu.Lock()
	out, read := b.out[key]
	b.mu.Unlock()
	if read {
		return !out[message], nil
	}
	out, err := besideBranch(q, talk, until)
	if err != nil {
		return false, err
	}
	b.mu.Lock()
	if b.out == nil || len(b.out) >= maxBranches {
		b.out = map[branch]map[int64]bool{}
	}
	b.out[key] = out
	b.mu.Unlock()
	return !out[message], nil
}

// A step is a message on its branch.
type step struct {
	parent, lane int64
	asks         bool
}

const selectSteps = "SELECT n, id, parent, lane, role = 'user' FROM messages WHERE conversation = ? AND created_ms <= ? ORDER BY n"

// besideBranch are the messages up to a time that a share leaves out.
func besideBranch(q engine.Reading, talk, until int64) (out map[int64]bool, err error) {
	steps, leaves, newest, rows := map[int64]step{}, map[int64]int64{}, int64(0), map[string]int64{}
	err = q.Each(selectSteps, []any{talk, until}, func(r *sql.Rows) error {
		var n int64
		var s step
		var id, parent sql.RawBytes
		err := r.Scan(&n, &id, &parent, &s.lane, &s.asks)
		s.parent, rows[string(id)] = rows[string(parent)], n
		steps[n], leaves[s.lane], newest = s, n, n
		return err
	})
	if err != nil {
		return nil, err
	}
	path := func(leaf int64) (of []int64) {
		for n, s := leaf, steps[leaf]; n != 0 && len(of) < len(steps); n, s = s.parent, steps[s.parent] {
			of = append(of, n)
		}
		slices.Reverse(of)
		return of
	}
	shown, asked := map[int64]bool{}, []int64{}
	for _, n := range path(newest) {
		if shown[n] = true; steps[n].asks {
			asked = append(asked, n)
		}
	}
	for lane, leaf := range leaves {
		if lane == steps[newest].lane {
			continue
		}
		turn := -1
		for _, n := range path(leaf) {
			if steps[n].asks {
				if turn++; turn >= len(asked) {
					break
				}
				same, err := asksTheSame(q, turn, asked[turn], n)
				if err != nil {
					return nil, err
				}
				if !same {
					break
				}
			}
			shown[n] = true
		}
	}
	for n := range steps {
		if !shown[n] {
			if out == nil {
				out = map[int64]bool{}
			}
			out[n] = true
		}
	}
	return out, nil
}

// asksTheSame says whether two questions, each of a lane, are the same turn of both.
func asksTheSame(q engine.Reading, turn int, a, b int64) (same bool, err error) {
	if a == b || turn == 0 {
		return a == b, nil
	}
	err = q.Scan("SELECT a.text = b.text FROM messages a, messages b WHERE a.n = ? AND b.n = ?", []any{a, b}, &same)
	return same, err
}
