package store_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"screentest/server/store"
	"screentest/server/store/engine"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// fillInstance makes an instance of 200 people in 20 teams, with 100 000
// conversations, and gives the owner of one of them.
func fillInstance(b *testing.B, db *store.DB) (owner string) {
	b.Helper()
	var n int64
	storetest.Must(b, db.Engine().Write(context.Background(), 0, func(t *engine.Tx) error {
		const count = "WITH RECURSIVE c (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < ?) "
		for _, fill := range []struct {
			query string
			n     int
		}{
			{"INSERT INTO users (id, name, email, password, created_ms) " + count + "SELECT randomblob(16), 'Person ' || i, 'person' || i || '@example.com', 'x', 1 FROM c", 200},
			{"INSERT INTO teams (id, name, created_ms) " + count + "SELECT randomblob(16), 'Team ' || i, 1 FROM c", 19},
			{"INSERT INTO team_people (team, person, lead) " + count + "SELECT t.n, u.n, u.n % 20 = 0 FROM c CROSS JOIN users u CROSS JOIN teams t ON t.everyone = 1 OR (t.n + u.n) % 10 = 0 WHERE u.email IS NOT NULL", 1},
			{"INSERT INTO gateway_keys (team, sealed, last4, maker, set_ms) " + count + "SELECT t.n, x'00', '1234', 2, 1 FROM c CROSS JOIN teams t WHERE t.n > 1", 1},
			{"INSERT INTO sessions (id_hash, id, owner, sealed, created_ms, expires_ms, signed_in, seen_ms) " + count + "SELECT randomblob(32), randomblob(16), 2 + i % 200, x'00', 1, 9e15, 1, i FROM c", 600},
			{"INSERT INTO passkeys (owner, id, credential, data, name, created_ms) " + count + "SELECT 2 + i % 200, randomblob(16), randomblob(16), '{}', 'key', 1 FROM c", 300},
			{"INSERT INTO invites (id, hash, maker, role, created_ms, expires_ms, uses) " + count + "SELECT randomblob(16), randomblob(32), 2, 'member', i, 1, 1 FROM c", 300},
			{"INSERT INTO conversations (owner, id, title, created_ms, updated_ms) " + count + "SELECT 2 + i % 200, randomblob(16), 'Conversation ' || i, i, i FROM c", 100_000},
			{"INSERT INTO audit (at_ms, person, action, object, hash) " + count + "SELECT i, 2 + i % 200, CASE i % 1000 WHEN 0 THEN 'key.set' ELSE 'signin.ok' END, 'x', randomblob(32) FROM c", 20_000},
		} {
			if _, err := t.Exec(fill.query, fill.n); err != nil {
				return err
			}
		}
		return t.Scan("SELECT n FROM users WHERE name = 'Person 100'", nil, &n)
	}))
	return engine.FormatOwner(n)
}

// What the pages of an instance of 200 people, 20 teams and 100 000 conversations
// ask for: half of the answers come within 5 ms. (That the queries use indexes is
// tested with those of the whole store.)
func BenchmarkPagesOfAnInstance(b *testing.B) {
	ctx := context.Background()
	db, _ := storetest.OpenLocal(b)
	owner := fillInstance(b, db)
	people, err := db.Accounts(ctx)
	storetest.Must(b, err)
	audit := func(q wire.AuditQuery) func() error {
		q.Limit = 100
		return func() error { return db.Audit().Each(ctx, q, func(wire.AuditRow) error { return nil }) }
	}
	passkeys := func() error { return storetest.Second(db.Passkeys(ctx, owner)) }
	for name, ask := range map[string]func() error{
		"people":             func() error { return storetest.Second(db.Persons(ctx)) },
		"accounts":           func() error { return storetest.Second(db.Accounts(ctx)) },
		"teams":              func() error { return storetest.Second(db.Teams(ctx)) },
		"teams of one":       func() error { return storetest.Second(db.TeamsOf(ctx, owner)) },
		"passkeys":           passkeys,
		"invitations":        func() error { return storetest.Second(db.Invites(ctx)) },
		"audit":              audit(wire.AuditQuery{}),
		"audit of a person":  audit(wire.AuditQuery{Person: people[50].Me.ID}),
		"audit of an action": audit(wire.AuditQuery{Action: "key"}),
		"audit of a time":    audit(wire.AuditQuery{From: 19_990}),
		"conversations":      func() error { return storetest.Second(db.Conversations(ctx, owner, wire.Page{})) },
	} {
		b.Run(name, func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				begin := time.Now()
				storetest.Must(b, ask())
				took = append(took, time.Since(begin))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
		})
	}
}
