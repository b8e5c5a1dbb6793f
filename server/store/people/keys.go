package people

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"screentest/server/store/engine"
	"screentest/shared/wire"
)

// keyPurpose binds the sealed keys of the gateway; the row names whose it is.
const keyPurpose = "gateway-key"

func teamKeyRow(team []byte) string   { return "team " + engine.FormatID(team) }
func personKeyRow(owner int64) string { return "person " + engine.FormatOwner(owner) }

// SetTeamKey gives a team its key of the gateway at an origin, of which last4 may
// be seen. owner is who set it.
func (r *Register) SetTeamKey(ctx context.Context, owner, team, key, last4, origin string) error {
	id, _ := engine.ParseID(team)
	sealed := r.box.Seal(keyPurpose, teamKeyRow(id), []byte(key))
	return r.db.Write(ctx, len(sealed), func(t *engine.Tx) error {
		n, _, err := wantTeam(t, team)
		if err != nil {
			return err
		}
		_, err = t.Exec(`INSERT INTO gateway_keys (team, sealed, last4, maker, set_ms, origin) VALUES (?, ?, ?, ?, ?, ?)
			ON CONFLICT (team) DO UPDATE SET sealed = excluded.sealed, last4 = excluded.last4, maker = excluded.maker, set_ms = excluded.set_ms, origin = excluded.origin`,
			n, sealed, last4, engine.ParseOwner(owner), r.now().UnixMilli(), origin)
		return err
	})
}

// DeleteTeamKey forgets a team's key; one that has none stays without.
func (r *Register) DeleteTeamKey(ctx context.Context, team string) error {
	return r.db.Write(ctx, 0, func(t *engine.Tx) error {
		n, _, err := wantTeam(t, team)
		if err != nil {
			return err
		}
		_, err = t.Exec("DELETE FROM gateway_keys WHERE team = ?", n)
		return err
	})
}

// SetPersonalKey gives a person a key of their own of the gateway at an origin.
func (r *Register) SetPersonalKey(ctx context.Context, owner, key, last4, origin string) error {
	who := engine.ParseOwner(owner)
	sealed := r.box.Seal(keyPurpose, personKeyRow(who), []byte(key))
	return r.db.Write(ctx, len(sealed), func(t *engine.Tx) error {
		if err := WantUser(t, who); err != nil {
			return err
		}
		_, err := t.Exec(`INSERT INTO gateway_keys (person, sealed, last4, maker, set_ms, origin) VALUES (?, ?, ?, ?, ?, ?)
			ON CONFLICT (person) DO UPDATE SET sealed = excluded.sealed, last4 = excluded.last4, set_ms = excluded.set_ms, origin = excluded.origin`,
			who, sealed, last4, who, r.now().UnixMilli(), origin)
		return err
	})
}

// DeletePersonalKey forgets a person's own key; who has none stays without.
func (r *Register) DeletePersonalKey(ctx context.Context, owner string) error {
	return r.db.Write(ctx, 0, func(t *engine.Tx) error {
		_, err := t.Exec("DELETE FROM gateway_keys WHERE person = ?", engine.ParseOwner(owner))
		return err
	})
}

// BindKeys has the keys that don't say which gateway they are for be those of the
// one at an origin.
func (r *Register) BindKeys(ctx context.Context, origin string) error {
	return r.db.Write(ctx, 0, func(t *engine.Tx) error {
		_, err := t.Exec("UPDATE gateway_keys SET origin = ? WHERE origin = ''", origin)
		return err
	})
}

// Charges are what a send of a person's to the gateway at an origin can be charged
// to: each of their teams, with a key or without, and their own key if they have
// one. keys are those keys by the charges' ids.
func (r *Register) Charges(ctx context.Context, owner, origin string) (charges []wire.Charge, keys map[string]string, err error) {
	who := engine.ParseOwner(owner)
	keys = map[string]string{}
	var last string
	err = r.db.Snapshot(ctx, func(q engine.Reading) error {
		err := q.Scan("SELECT charge FROM users WHERE n = ?", []any{who}, &last)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := q.Each(`SELECT t.id, t.name, t.models, t.approve_nano_usd, k.sealed, k.last4 FROM team_people p CROSS JOIN teams t ON t.n = p.team
			LEFT JOIN gateway_keys k ON k.team = t.n AND k.origin = ? WHERE p.person = ? AND t.deleted_ms = 0`, []any{origin, who}, func(rows *sql.Rows) error {
			var id, sealed []byte
			var c wire.Charge
			var models string
			var last4 *string
			if err := rows.Scan(&id, &c.Name, &models, &c.ApproveNanoUSD, &sealed, &last4); err != nil {
				return err
			}
			c.ID = engine.FormatID(id)
			if last4 != nil {
				key, err := r.box.Open(keyPurpose, teamKeyRow(id), sealed)
				if err != nil {
					return fmt.Errorf("open the key of a team: %w", err)
				}
				c.HasKey, c.KeyLast4, keys[c.ID] = true, *last4, string(key)
			}
			charges = append(charges, c)
			return json.Unmarshal([]byte(models), &charges[len(charges)-1].Models)
		}); err != nil {
			return err
		}
		var sealed []byte
		own := wire.Charge{ID: wire.ChargePersonal, HasKey: true}
		err = q.Scan("SELECT sealed, last4 FROM gateway_keys WHERE person = ? AND origin = ?", []any{who, origin}, &sealed, &own.KeyLast4)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		key, err := r.box.Open(keyPurpose, personKeyRow(who), sealed)
		if err != nil {
			return fmt.Errorf("open a personal key: %w", err)
		}
		charges, keys[own.ID] = append(charges, own), string(key)
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	for i := range charges {
		charges[i].Chosen = charges[i].ID == last
	}
	return charges, keys, nil
}

// SetCharge remembers what a person charged last.
func (r *Register) SetCharge(ctx context.Context, owner, charge string) error {
	return r.db.Write(ctx, 0, func(t *engine.Tx) error {
		_, err := t.Exec("UPDATE users SET charge = ? WHERE n = ?", charge, engine.ParseOwner(owner))
		return err
	})
}
