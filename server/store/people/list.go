package people

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"slices"
	"strings"

	"screentest/server/store/engine"
	"screentest/shared/wire"
)

// Persons are the accounts as an admin sees them, those that were deactivated
// too, by name. Their teams are left out.
func (r *Register) Persons(ctx context.Context) ([]wire.Person, error) {
	all := []wire.Person{}
	err := r.db.At(ctx).Each(`SELECT u.id, u.name, u.email, u.role, u.active, u.created_ms, u.limits,
		u.password <> '', u.totp IS NOT NULL, u.oidc_subject IS NOT NULL,
		(SELECT count(*) FROM passkeys k WHERE k.owner = u.n),
		(SELECT coalesce(max(s.seen_ms), 0) FROM sessions s WHERE s.owner = u.n)
		FROM users u WHERE u.email IS NOT NULL`, nil, func(rows *sql.Rows) error {
		var id []byte
		var limits string
		var p wire.Person
		if err := rows.Scan(&id, &p.Name, &p.Email, &p.Role, &p.Active, &p.CreatedMS, &limits, &p.Password, &p.TOTP, &p.OIDC, &p.Passkeys, &p.SeenMS); err != nil {
			return err
		}
		p.ID = engine.FormatID(id)
		err := json.Unmarshal([]byte(limits), &p.Limits)
		all = append(all, p)
		return err
	})
	sortByName(all)
	return all, err
}

func sortByName(all []wire.Person) {
	slices.SortFunc(all, func(a, b wire.Person) int {
		return cmp.Or(strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), strings.Compare(a.ID, b.ID))
	})
}
