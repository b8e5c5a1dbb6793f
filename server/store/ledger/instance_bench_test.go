package ledger_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"screentest/server/store/engine"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// ledgerRows are in the ledger that is measured, and ledgerDays the days that
// they are spread over.
const (
	ledgerRows = 300_000
	ledgerDays = 365
)

// What the pages of spend cost on an instance of 200 people and 20 teams whose
// ledger has 300 000 rows: warm, as they are after the first look, half of the
// answers come within 5 ms, and cold, as after a start.
func BenchmarkSpendOfAnInstance(b *testing.B) {
	ctx := context.Background()
	db, _ := storetest.OpenLocal(b)
	const day = int64(24 * time.Hour / time.Millisecond)
	midnight := time.Now().UnixMilli() / day * day
	var n int64
	var person, team []byte
	storetest.Must(b, db.Engine().Write(ctx, 0, func(t *engine.Tx) error {
		const count = "WITH RECURSIVE c (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < ?) "
		if _, err := t.Exec("INSERT INTO users (id, name, email, created_ms) "+count+"SELECT randomblob(16), 'Person ' || i, 'person' || i || '@example.com', 1 FROM c", 200); err != nil {
			return err
		}
		if _, err := t.Exec("INSERT INTO teams (id, name, created_ms) "+count+"SELECT randomblob(16), 'Team ' || i, 1 FROM c", 19); err != nil {
			return err
		}
		_, err := t.Exec(`WITH RECURSIVE c (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < ?1)
			INSERT INTO ledger (owner, kind, what, subject, seq, model, cost_nano_usd, basis, source, input_tokens, output_tokens, prices, created_ms, team, paid_by)
			SELECT 2 + i % 200, 'charge', iif(i % 9 = 0, 'video', 'text'), randomblob(16), 0, 'vendor/model-' || (i * 7 % 12), i, '31 in × $1.25/M + 118 out × $10/M', 'reported', 31, 118,
				'{"known":true,"input":1250000000,"output":10000000000}', ?2 + i * ?3, 1 + i % 200 % 20, 'Team ' || (i % 200 % 20) || ' …1234' FROM c`,
			ledgerRows, midnight+day-ledgerDays*day, ledgerDays*day/ledgerRows)
		if err != nil {
			return err
		}
		return t.Scan("SELECT n, id, (SELECT id FROM teams WHERE n = 5) FROM users WHERE name = 'Person 100'", nil, &n, &person, &team)
	}))
	owner := engine.FormatOwner(n)
	q := wire.SpendQuery{Today: midnight, Week: midnight - 6*day, Month: midnight - 20*day, Tomorrow: midnight + day, Split: wire.SplitByPerson}
	for at := midnight - 29*day; at <= midnight+day; at += day {
		q.Days = append(q.Days, at)
	}
	spend := func(of wire.Of) func() error {
		return func() error {
			q := q
			q.Of = of
			return storetest.Second(db.SpendOfEverybody(ctx, q))
		}
	}
	rows := func(of wire.Of) func() error {
		return func() error {
			return storetest.Second(db.LedgerOfEverybody(ctx, owner, wire.LedgerQuery{Of: of, From: midnight - 29*day}))
		}
	}
	ofPerson, ofTeam, ofKey := wire.Of{Person: engine.FormatID(person)}, wire.Of{Team: engine.FormatID(team)}, wire.Of{PaidBy: "Team 4 …1234"}
	for name, c := range map[string]struct {
		ask  func() error
		cold bool
	}{
		"one's own":          {func() error { return storetest.Second(db.Spend(ctx, owner, q)) }, false},
		"of everybody":       {spend(wire.Of{}), false},
		"of everybody, cold": {spend(wire.Of{}), true},
		"of a person":        {spend(ofPerson), false},
		"of a team":          {spend(ofTeam), false},
		"of a team, cold":    {spend(ofTeam), true},
		"of a key":           {spend(ofKey), false},
		"rows of everybody":  {rows(wire.Of{}), false},
		"rows of a person":   {rows(ofPerson), false},
		"rows of a team":     {rows(ofTeam), false},
		"rows of a key":      {rows(ofKey), false},
		"a budget of a team": {func() error {
			return storetest.Second(db.SpentByTeam(ctx, ofTeam.Team, time.UnixMilli(q.Month), time.UnixMilli(q.Tomorrow)))
		}, false},
		"everybody's budget": {func() error {
			return storetest.Second(db.SpentByEverybody(ctx, time.UnixMilli(q.Month), time.UnixMilli(q.Tomorrow)))
		}, false},
	} {
		b.Run(name, func(b *testing.B) {
			var took []time.Duration
			storetest.Must(b, c.ask())
			for b.Loop() {
				if c.cold {
					db.ForgetSums()
				}
				begin := time.Now()
				storetest.Must(b, c.ask())
				took = append(took, time.Since(begin))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
		})
	}
}
