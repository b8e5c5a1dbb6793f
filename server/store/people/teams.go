package people

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"

	"screentest/server/store/engine"
	"screentest/shared/wire"
)

// Teams are all that there are, with their people: that of everybody first, the
// others by name.
func (r *Register) Teams(ctx context.Context) ([]wire.Team, error) {
	return r.teams(ctx, "SELECT t.n, t.id, t.name, t.everyone, t.models, t.limits, t.approve_nano_usd, k.last4, k.set_ms, k.origin FROM teams t LEFT JOIN gateway_keys k ON k.team = t.n WHERE t.deleted_ms = 0 ORDER BY t.name COLLATE NOCASE")
}

// TeamsOf are those that a person is in.
func (r *Register) TeamsOf(ctx context.Context, owner string) ([]wire.Team, error) {
	return r.teams(ctx, "SELECT t.n, t.id, t.name, t.everyone, t.models, t.limits, t.approve_nano_usd, k.last4, k.set_ms, k.origin FROM team_people p CROSS JOIN teams t ON t.n = p.team LEFT JOIN gateway_keys k ON k.team = t.n WHERE p.person = ? AND t.deleted_ms = 0", engine.ParseOwner(owner))
}

// Team is one of them. fs.ErrNotExist: there is none, or it was deleted.
func (r *Register) Team(ctx context.Context, id string) (wire.Team, error) {
	b, _ := engine.ParseID(id)
	all, err := r.teams(ctx, "SELECT t.n, t.id, t.name, t.everyone, t.models, t.limits, t.approve_nano_usd, k.last4, k.set_ms, k.origin FROM teams t LEFT JOIN gateway_keys k ON k.team = t.n WHERE t.id = ? AND t.deleted_ms = 0", b)
	if err == nil && len(all) == 0 {
		err = errNoTeam
	}
	if err != nil {
		return wire.Team{}, err
	}
	return all[0], nil
}

var errNoTeam = engine.NotFound("team")

func (r *Register) teams(ctx context.Context, query string, args ...any) ([]wire.Team, error) {
	all := []wire.Team{}
	err := r.db.Snapshot(ctx, func(q engine.Reading) error {
		numbers := []int64{}
		err := q.Each(query, args, func(rows *sql.Rows) error {
			t, n, err := scanTeam(rows)
			all, numbers = append(all, t), append(numbers, n)
			return err
		})
		for i := range all {
			if err == nil {
				all[i].People, err = mates(q, numbers[i])
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(all, func(a, b wire.Team) int {
		switch {
		case a.Everyone != b.Everyone && a.Everyone:
			return -1
		case a.Everyone != b.Everyone:
			return 1
		}
		return cmp.Compare(a.Name, b.Name)
	})
	return all, nil
}

func scanTeam(rows *sql.Rows) (t wire.Team, n int64, err error) {
	var id []byte
	var models, limits string
	var last4, origin *string
	var set *int64
	if err = rows.Scan(&n, &id, &t.Name, &t.Everyone, &models, &limits, &t.ApproveNanoUSD, &last4, &set, &origin); err != nil {
		return t, n, err
	}
	t.ID = engine.FormatID(id)
	if last4 != nil {
		t.HasKey, t.KeyLast4, t.KeySetMS, t.KeyOrigin = true, *last4, *set, *origin
	}
	return t, n, errors.Join(json.Unmarshal([]byte(models), &t.Models), json.Unmarshal([]byte(limits), &t.Limits))
}

// mates are the people of a team who may sign in.
func mates(q engine.Reading, team int64) ([]wire.TeamMate, error) {
	of := []wire.TeamMate{}
	err := q.Each("SELECT u.id, u.name, p.lead = 1 AND u.role <> 'guest', p.mapped FROM team_people p CROSS JOIN users u ON u.n = p.person WHERE p.team = ? AND u.active = 1", []any{team}, func(rows *sql.Rows) error {
		var id []byte
		var m wire.TeamMate
		err := rows.Scan(&id, &m.Name, &m.Lead, &m.Mapped)
		m.ID = engine.FormatID(id)
		of = append(of, m)
		return err
	})
	return of, err
}

// MakeTeam makes a team that has a name, and gives its id.
func (r *Register) MakeTeam(ctx context.Context, c wire.TeamChange) (id string, err error) {
	err = r.db.Write(ctx, 0, func(t *engine.Tx) error {
		if err := wantFreeName(t, *c.Name, 0); err != nil {
			return err
		}
		n, err := t.Insert("INSERT INTO teams (id, name, created_ms) VALUES (randomblob(16), ?, ?)", *c.Name, r.now().UnixMilli())
		if err != nil {
			return err
		}
		var b []byte
		if err := t.Scan("SELECT id FROM teams WHERE n = ?", []any{n}, &b); err != nil {
			return err
		}
		id = engine.FormatID(b)
		return changeTeam(t, n, wire.TeamChange{Models: c.Models, Limits: c.Limits, ApproveNanoUSD: c.ApproveNanoUSD})
	})
	return id, err
}

// ChangeTeam changes what isn't nil in c.
func (r *Register) ChangeTeam(ctx context.Context, id string, c wire.TeamChange) error {
	return r.db.Write(ctx, 0, func(t *engine.Tx) error {
		n, _, err := wantTeam(t, id)
		if err == nil && c.Name != nil {
			err = wantFreeName(t, *c.Name, n)
		}
		if err != nil {
			return err
		}
		return changeTeam(t, n, c)
	})
}

func changeTeam(t *engine.Tx, n int64, c wire.TeamChange) error {
	if c.Name != nil {
		if _, err := t.Exec("UPDATE teams SET name = ? WHERE n = ?", *c.Name, n); err != nil {
			return err
		}
	}
	if c.Models != nil {
		models, err := json.Marshal(append([]string{}, *c.Models...)) // [], not null
		if err != nil {
			return err
		}
		if _, err := t.Exec("UPDATE teams SET models = ? WHERE n = ?", string(models), n); err != nil {
			return err
		}
	}
	if c.Limits != nil {
		limits, err := json.Marshal(*c.Limits)
		if err != nil {
			return err
		}
		if _, err := t.Exec("UPDATE teams SET limits = ? WHERE n = ?", string(limits), n); err != nil {
			return err
		}
	}
	if c.ApproveNanoUSD != nil {
		if _, err := t.Exec("UPDATE teams SET approve_nano_usd = ? WHERE n = ?", *c.ApproveNanoUSD, n); err != nil {
			return err
		}
	}
	return nil
}

// DeleteTeam deletes a team, its key and its library. Its people stay, and its row, which the
// ledger speaks of. That of everybody can't be deleted.
func (r *Register) DeleteTeam(ctx context.Context, id string) error {
	return r.db.Write(ctx, 0, func(t *engine.Tx) error {
		n, everyone, err := wantTeam(t, id)
		if err != nil {
			return err
		}
		if everyone {
			return engine.Conflict("This is the team that everybody is in: it can't be deleted.")
		}
		for _, change := range []string{
			"DELETE FROM team_people WHERE team = ?",
			"DELETE FROM gateway_keys WHERE team = ?",
			"DELETE FROM team_library WHERE team = ?",
		} {
			if _, err := t.Exec(change, n); err != nil {
				return err
			}
		}
		_, err = t.Exec("UPDATE teams SET deleted_ms = ? WHERE n = ?", r.now().UnixMilli(), n)
		return err
	})
}

// PutInTeam puts a person into a team, or changes whether they lead it. Whom people
// make a lead is in the team, and leads it, by their word, whatever the groups of
// single sign-on no longer say; whom they make none is in it as before, until a group
// that still says so makes them one again at a sign-in.
func (r *Register) PutInTeam(ctx context.Context, team, person string, lead bool) error {
	return r.db.Write(ctx, 0, func(t *engine.Tx) error {
		n, _, err := wantTeam(t, team)
		if err != nil {
			return err
		}
		who, role, err := wantActive(t, person)
		if err != nil {
			return err
		}
		if lead && role == wire.RoleGuest {
			return &engine.Error{Problem: wire.Problem{Code: "guest_leads", Field: "lead", Message: "A guest can't lead a team.", Hint: "Make them a member first."}}
		}
		_, err = t.Exec("INSERT INTO team_people (team, person, lead) VALUES (?, ?, ?) ON CONFLICT (team, person) DO UPDATE SET lead = excluded.lead, lead_mapped = 0, mapped = CASE excluded.lead WHEN 1 THEN 0 ELSE team_people.mapped END", n, who, lead)
		return err
	})
}

// TakeFromTeam takes a person out of a team. fs.ErrNotExist: they aren't in it.
func (r *Register) TakeFromTeam(ctx context.Context, team, person string) error {
	return r.db.Write(ctx, 0, func(t *engine.Tx) error {
		n, everyone, err := wantTeam(t, team)
		if err != nil {
			return err
		}
		if everyone {
			return engine.Conflict("Everybody is in this team: nobody can be taken out of it.")
		}
		b, _ := engine.ParseID(person)
		res, err := t.Exec("DELETE FROM team_people WHERE team = ? AND person = (SELECT n FROM users WHERE id = ?)", n, b)
		if err != nil {
			return err
		}
		if gone, err := res.RowsAffected(); err != nil || gone == 0 {
			return errors.Join(err, engine.NotFound("person in this team"))
		}
		return nil
	})
}

// wantTeam is the number of a team, and whether it is everybody's.
func wantTeam(t *engine.Tx, id string) (n int64, everyone bool, err error) {
	b, _ := engine.ParseID(id)
	err = t.Scan("SELECT n, everyone FROM teams WHERE id = ? AND deleted_ms = 0", []any{b}, &n, &everyone)
	if errors.Is(err, sql.ErrNoRows) {
		err = errNoTeam
	}
	return n, everyone, err
}

// wantActive is the number of somebody who may sign in, and their role.
func wantActive(t *engine.Tx, id string) (n int64, role string, err error) {
	b, _ := engine.ParseID(id)
	err = t.Scan("SELECT n, role FROM users WHERE id = ? AND active = 1 AND email IS NOT NULL", []any{b}, &n, &role)
	if errors.Is(err, sql.ErrNoRows) {
		err = engine.NotFound("person")
	}
	return n, role, err
}

// wantFreeName fails if another team than n has the name.
func wantFreeName(t *engine.Tx, name string, n int64) error {
	var taken bool
	if err := t.Scan("SELECT EXISTS (SELECT 1 FROM teams WHERE name = ? COLLATE NOCASE AND deleted_ms = 0 AND n <> ?)", []any{name, n}, &taken); err != nil {
		return err
	}
	if taken {
		err := engine.Conflict("Another team has this name.").(*engine.Error)
		err.Problem.Field, err.Problem.Hint = "name", "Give it another one."
		return err
	}
	return nil
}
