package approvals

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"math"
	"slices"

	"screentest/server/store/engine"
	"screentest/shared/wire"
)

// maxWaiting is how many that wait are on a page at most, those that wait the
// longest.
const maxWaiting = 200

var errNone = engine.NotFound("request for approval")

// selected is an approval as scan reads it. A long body is left out.
const selected = `SELECT a.n, a.id, a.task, CASE WHEN octet_length(a.body) <= 16384 THEN a.body ELSE '' END, t.id, t.name, a.asker, u.name,
	a.state, coalesce(p.name, ''), a.reason, a.asked_ms, a.decided_ms
	FROM approvals a CROSS JOIN teams t ON t.n = a.team CROSS JOIN users u ON u.n = a.asker LEFT JOIN users p ON p.n = a.person WHERE `

type row struct {
	n, asker   int64
	id, team   []byte
	task, body string
	v          wire.Approval
}

func (r *row) dest() []any {
	v := &r.v
	return []any{&r.n, &r.id, &r.task, &r.body, &r.team, &v.TeamName, &r.asker, &v.Asker, &v.State, &v.By, &v.Reason, &v.AskedMS, &v.DecidedMS}
}

func (r *row) result() (wire.Approval, error) {
	v := r.v
	err := json.Unmarshal([]byte(r.task), &v.Clip)
	v.ID, v.Team, v.Owner, v.Clip.State = engine.FormatID(r.id), engine.FormatID(r.team), engine.FormatOwner(r.asker), wire.VideoAsks
	if r.body != "" {
		v.Clip.Body = json.RawMessage(r.body)
	}
	return v, err
}

// read reads the one that a condition names.
func read(q engine.Scanner, where string, args ...any) (wire.Approval, error) {
	var r row
	err := q.Scan(selected+where, args, r.dest()...)
	if errors.Is(err, sql.ErrNoRows) {
		return wire.Approval{}, errNone
	}
	if err != nil {
		return wire.Approval{}, err
	}
	return r.result()
}

// List returns a page of what an owner asked for and of what is charged to teams:
// all of them, or those of the ids. On the first page are those that wait; then comes
// what was decided. Each the newest first.
func (a *Approvals) List(ctx context.Context, owner string, all bool, teams []string, p wire.Page) (list wire.Approvals, err error) {
	list.Approvals = []wire.Approval{}
	before, err := engine.ParseCursor(p.Before, 1)
	if err != nil {
		return list, err
	}
	limit := engine.PageLimit(p.Limit, 30, wire.MaxApprovalPage)
	err = a.db.Snapshot(ctx, func(q engine.Reading) error {
		add := func(waits bool, before int64, limit int) (more int64, err error) {
			rows, err := some(ctx, q, owner, all, teams, waits, before, limit)
			if len(rows) > limit {
				rows, more = rows[:limit], rows[limit-1].n
			}
			for _, r := range rows {
				v, err := r.result()
				if err != nil {
					return 0, err
				}
				list.Approvals = append(list.Approvals, v)
			}
			return more, err
		}
		from := int64(math.MaxInt64)
		if before != nil {
			from = before[0]
		} else if _, err := add(true, from, maxWaiting); err != nil {
			return err
		}
		more, err := add(false, from, limit)
		if more > 0 {
			list.Next = engine.FormatCursor(more)
		}
		return err
	})
	return list, err
}

// some are the newest before a number that were decided, one more than limit where
// there are so many, or the oldest that wait; each the newest first.
func some(ctx context.Context, q engine.Reading, owner string, all bool, teams []string, waits bool, before int64, limit int) (rows []row, err error) {
	order := " ORDER BY a.n DESC LIMIT ?"
	if waits {
		order = " ORDER BY a.n LIMIT ?"
	}
	get := func(where string, args ...any) error {
		return q.Each(selected+where+order, append(args, waits, before, limit+1), func(found *sql.Rows) error {
			var r row
			err := found.Scan(r.dest()...)
			rows = append(rows, r)
			return err
		})
	}
	if all {
		teams, err = nil, get("a.waits = ? AND a.n < ?")
	} else {
		err = get("a.asker = ? AND a.waits = ? AND a.n < ?", engine.ParseOwner(owner))
	}
	for _, team := range teams {
		if err == nil {
			b, _ := engine.ParseID(team)
			err = get("a.team = (SELECT n FROM teams WHERE id = ?) AND a.waits = ? AND a.n < ?", b)
		}
	}
	slices.SortFunc(rows, func(a, b row) int { return cmp.Compare(b.n, a.n) })
	rows = slices.CompactFunc(rows, func(a, b row) bool { return a.n == b.n })
	if waits {
		return rows[max(0, len(rows)-limit):], err
	}
	return rows[:min(len(rows), limit+1)], err
}
