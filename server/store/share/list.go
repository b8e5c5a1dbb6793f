package share

import (
	"context"
	"database/sql"
	"slices"

	"screentest/server/store/engine"
	"screentest/shared/wire"
)

// listed are the columns of a share as it is listed.
const listed = `SELECT s.n, s.id, s.owner, o.name, c.id, t.id, ` + titleOf + `, s.audience, coalesce(g.name, ''), s.live, s.wire, s.created_ms, s.expires_ms
	FROM shares s JOIN users o ON o.n = s.owner LEFT JOIN conversations c ON c.n = s.conversation LEFT JOIN video_tasks t ON t.n = s.task LEFT JOIN teams g ON g.n = s.to_team WHERE `

// List are an owner's shares, and those that others share with them, by name; of
// each the newest wire.MaxShares, the newest first.
func (s *Shares) List(ctx context.Context, owner string) (l wire.Shares, err error) {
	who, now := engine.ParseOwner(owner), s.now().UnixMilli()
	err = s.db.Snapshot(ctx, func(q engine.Reading) error {
		if l.Mine, err = list(q, who, listed+"s.owner = ?"+there+" ORDER BY s.n DESC LIMIT ?", who, now, wire.MaxShares); err != nil {
			return err
		}
		var seen []int64
		if err := q.Each("SELECT share FROM sights WHERE person = ? AND (expires_ms = 0 OR expires_ms > ?)", []any{who, now}, func(rows *sql.Rows) error {
			var n int64
			err := rows.Scan(&n)
			seen = append(seen, n)
			return err
		}); err != nil {
			return err
		}
		slices.Sort(seen)
		slices.Reverse(seen)
		l.WithMe = []wire.Share{}
		for _, n := range seen[:min(len(seen), wire.MaxShares)] {
			one, err := list(q, who, listed+"s.n = ?"+there, n, now)
			if err != nil {
				return err
			}
			l.WithMe = append(l.WithMe, one...)
		}
		return nil
	})
	return l, err
}

// Of are the shares of one thing of an owner's, of a clip in the trash too: who can
// see it. The newest first.
func (s *Shares) Of(ctx context.Context, owner, kind, id string) (l []wire.Share, err error) {
	who, now := engine.ParseOwner(owner), s.now().UnixMilli()
	b, _ := engine.ParseID(id)
	query := listed + "s.task = (SELECT n FROM video_tasks WHERE owner = ? AND id = ?)" + notOver
	if kind == wire.ShareConversation {
		query = listed + "s.conversation = (SELECT n FROM conversations WHERE owner = ? AND id = ?)" + notOver
	}
	err = s.db.Snapshot(ctx, func(q engine.Reading) error {
		l, err = list(q, who, query, who, b, now)
		return err
	})
	slices.SortStableFunc(l, func(a, b wire.Share) int { return int(b.CreatedMS - a.CreatedMS) })
	return l, err
}

// list reads shares as somebody sees them: whom else it is for is only the owner's
// to know, but for a team's name.
func list(q engine.Reading, who int64, query string, args ...any) ([]wire.Share, error) {
	all, numbers := []wire.Share{}, []int64{}
	err := q.Each(query, args, func(rows *sql.Rows) error {
		var n, owner int64
		var id, conversation, task []byte
		var team string
		var v wire.Share
		if err := rows.Scan(&n, &id, &owner, &v.Owner, &conversation, &task, &v.Title, &v.Audience, &team, &v.Live, &v.Wire, &v.CreatedMS, &v.ExpiresMS); err != nil {
			return err
		}
		v.ID, v.Mine = engine.FormatID(id), owner == who
		v.Kind, v.Subject = wire.ShareConversation, engine.FormatID(conversation)
		if task != nil {
			v.Kind, v.Subject = wire.ShareClip, engine.FormatID(task)
		}
		if team != "" {
			v.To = []string{team}
		}
		if !v.Mine {
			v.Subject = "" // by the share alone they come to it
		}
		all, numbers = append(all, v), append(numbers, n)
		return nil
	})
	for i := range all {
		if err == nil && all[i].Mine && all[i].Audience == wire.ShareWithPeople {
			all[i].To, err = names(q, numbers[i])
		}
	}
	return all, err
}

// names are those of the people that a share is for.
func names(q engine.Reading, share int64) (of []string, err error) {
	err = q.Each("SELECT u.name FROM share_people p JOIN users u ON u.n = p.person WHERE p.share = ?", []any{share}, func(rows *sql.Rows) error {
		var name string
		err := rows.Scan(&name)
		of = append(of, name)
		return err
	})
	slices.Sort(of)
	return of, err
}
