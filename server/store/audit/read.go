package audit

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"math"
	"slices"
	"strings"

	"screentest/server/store/engine"
	"screentest/shared/wire"
)

// readStep is how many lines are read at a time, so that a slow reader holds no
// connection.
const readStep = 500

// Each calls fn for every line that q asks for, the newest first. A person is
// named as they are now; fs.ErrNotExist: there is no such person.
func (l *Log) Each(ctx context.Context, q wire.AuditQuery, fn func(wire.AuditRow) error) error {
	var person int64
	if q.Person != "" {
		id, _ := engine.ParseID(q.Person)
		err := l.db.At(ctx).Scan("SELECT n FROM users WHERE id = ?", []any{id}, &person)
		if errors.Is(err, sql.ErrNoRows) {
			return engine.NotFound("person")
		}
		if err != nil {
			return err
		}
	}
	left, before, to := q.Limit, q.Before, q.To
	if left <= 0 {
		left = math.MaxInt
	}
	if before <= 0 {
		before = math.MaxInt64
	}
	if to <= 0 {
		to = math.MaxInt64
	}
	actions := []string{""}
	if q.Action != "" {
		var err error
		if actions, err = l.actions(ctx, q.Action); err != nil {
			return err
		}
	}
	for left > 0 {
		step := min(left, readStep)
		var page []wire.AuditRow
		for _, action := range actions {
			some, err := l.page(ctx, action, person, before, q.From, to, step)
			if err != nil {
				return err
			}
			page = append(page, some...)
		}
		slices.SortFunc(page, func(a, b wire.AuditRow) int { return cmp.Compare(b.N, a.N) })
		page = page[:min(len(page), step)]
		for _, r := range page {
			if err := fn(r); err != nil {
				return err
			}
			before = r.N
		}
		if len(page) < step {
			return nil
		}
		left -= step
	}
	return nil
}

// page reads rows, the newest first: those of a person, who is 0 for all, by their
// own index, those of one action, which is "" for all, by that, and else the
// table from its end.
func (l *Log) page(ctx context.Context, action string, person, before, from, to int64, step int) ([]wire.AuditRow, error) {
	query := `SELECT a.n, a.at_ms, u.id, coalesce(u.name, ''), a.action, a.object, a.detail, a.address FROM audit a LEFT JOIN users u ON u.n = a.person
		WHERE a.n < ? AND a.at_ms >= ? AND a.at_ms < ?`
	args := []any{before, from, to}
	if action != "" {
		query += " AND a.action = ?"
		args = append(args, action)
	}
	if person > 0 {
		query += " AND a.person = ?"
		args = append(args, person)
	}
	var page []wire.AuditRow
	err := l.db.At(ctx).Each(query+" ORDER BY a.n DESC LIMIT ?", append(args, step), func(rows *sql.Rows) error {
		var r wire.AuditRow
		var id []byte
		var detail string
		err := rows.Scan(&r.N, &r.AtMS, &id, &r.Name, &r.Action, &r.Object, &detail, &r.Address)
		r.Person = engine.FormatID(id)
		if detail != "{}" {
			r.Detail = []byte(detail)
		}
		page = append(page, r)
		return err
	})
	return page, err
}

// actions are those that an action asked for stands for and that there are: itself
// and what begins with it and a point. Each is a step through the index.
func (l *Log) actions(ctx context.Context, action string) (found []string, err error) {
	next, end := action, action+"/" // behind every action+"."
	for {
		var at *string
		if err := l.db.At(ctx).Scan("SELECT min(action) FROM audit WHERE action >= ? AND action < ?", []any{next, end}, &at); err != nil {
			return nil, err
		}
		if at == nil {
			return found, nil
		}
		if *at == action || strings.HasPrefix(*at, action+".") {
			found = append(found, *at)
		}
		next = *at + "\x00"
	}
}
