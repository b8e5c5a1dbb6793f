package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"screentest/server/store/engine"
	"screentest/shared/wire"
)

// team is the row of a team, which never changes; 0: there never was one of that
// id.
func (b *Books) team(ctx context.Context, id string) (n int64, err error) {
	if n, known := b.teams.Load(id); known {
		return n.(int64), nil
	}
	raw, _ := engine.ParseID(id)
	err = b.db.At(ctx).Scan("SELECT n FROM teams WHERE id = ?", []any{raw}, &n)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	if err == nil {
		b.teams.Store(id, n)
	}
	return n, err
}

// A named is a person or a team. label is its name, with a number where others had
// the same before; who sees what a team spent need not see addresses of mail.
type named struct{ id, name, label string }

// names are those of people and teams, by their rows.
type names struct{ people, teams map[int64]named }

// names reads what people and teams are called now: all of them, or where the
// holder is a person that one and all teams.
func (b *Books) names(ctx context.Context, of holder) (*names, error) {
	n := &names{map[int64]named{}, map[int64]named{}}
	for _, x := range []struct {
		query string
		arg   int64
		into  map[int64]named
	}{
		// Without an account a person is nobody whom one could ask for by an id.
		{"SELECT n, CASE WHEN email IS NULL AND erased_ms = 0 THEN NULL ELSE id END, name FROM users u WHERE ?1 < 0 OR n = ?1", int64(of), n.people},
		{"SELECT n, id, name FROM teams WHERE ?1 = ?1", 0, n.teams},
	} {
		same := map[string]int{}
		err := b.db.At(ctx).Each(x.query, []any{x.arg}, func(rows *sql.Rows) error {
			var row int64
			var id []byte
			var name string
			err := rows.Scan(&row, &id, &name)
			label := name
			if same[name]++; same[name] > 1 {
				label = fmt.Sprintf("%s (%d)", name, same[name])
			}
			x.into[row] = named{engine.FormatID(id), name, label}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return n, nil
}

// filter is what q asks for of a holder, and where that is found best.
// fs.ErrNotExist: there is no such person or team.
func (n *names) filter(of holder, q wire.Of) (want filter, from holder, err error) {
	want.paidBy = q.PaidBy
	if q.Person != "" {
		if want.owner = numberOf(n.people, q.Person); want.owner == 0 {
			return want, of, engine.NotFound("person")
		}
	}
	if q.Team != "" {
		switch want.team = numberOf(n.teams, q.Team); {
		case want.team == 0 && of >= 0:
			want.team = -1 // of one's own rows none: that there is no such team says no more
		case want.team == 0:
			return want, of, engine.NotFound("team")
		}
	}
	if of == everybody {
		switch {
		case want.owner > 0:
			of = personHolder(want.owner)
		case want.team > 0:
			of = teamHolder(want.team)
		}
	}
	return want, of, nil
}

func numberOf(all map[int64]named, id string) int64 {
	for n, x := range all {
		if x.id == id {
			return n
		}
	}
	return 0
}

// A filter is what of a holder's groups is asked for; the zero value takes all.
type filter struct {
	owner, team int64
	paidBy      string
}

func (f filter) takes(g group) bool {
	return (f.owner == 0 || f.owner == g.owner) && (f.team == 0 || f.team == g.team) && (f.paidBy == "" || f.paidBy == g.paidBy)
}
