package leaving_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"screentest/server/account"
	"screentest/server/store"
	"screentest/server/store/engine"
	"screentest/server/store/storetest"
)

// BenchmarkLeaving sees off somebody with ten thousand conversations of four
// messages, in the index, while somebody else makes small durable writes: how
// long it takes, and how long those wait, with it and without.
func BenchmarkLeaving(b *testing.B) {
	for _, heir := range []bool{false, true} {
		name := "erased"
		if heir {
			name = "handed over"
		}
		b.Run(name, func(b *testing.B) {
			for range b.N {
				db := storetest.Open(b, b.TempDir(), store.Options{})
				storetest.Must(b, storetest.Second(db.EnsureLocalUser(context.Background())))
				boss, ann, bob := join(b, db, "boss", "admin"), join(b, db, "ann", "member"), join(b, db, "bob", "member")
				many(b, db, ann, 10_000)
				quiet := writes(b, db, bob, func() { time.Sleep(3 * time.Second) })
				v := account.Leaving{Person: ann, Erase: true, By: boss}
				if heir {
					v.Heir = bob
				}
				begin := time.Now()
				busy := writes(b, db, bob, func() {
					e, err := db.Leavings().Begin(context.Background(), v, origin)
					storetest.Must(b, err)
					for more := true; more; {
						_, _, more, err = db.Leavings().Step(context.Background(), v)
						storetest.Must(b, err)
					}
					storetest.Must(b, storetest.Second(db.Leavings().Finish(context.Background(), v, e)))
				})
				b.ReportMetric(time.Since(begin).Seconds(), "s")
				for what, waits := range map[string][]time.Duration{"quiet": quiet, "busy": busy} {
					slices.Sort(waits)
					b.ReportMetric(waits[len(waits)/2].Seconds()*1e3, what+"-p50-ms")
					b.ReportMetric(waits[len(waits)*99/100].Seconds()*1e3, what+"-p99-ms")
					b.ReportMetric(waits[len(waits)-1].Seconds()*1e3, what+"-max-ms")
				}
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// many makes n conversations of four messages for an owner.
func many(b *testing.B, db *store.DB, owner string, n int) {
	b.Helper()
	storetest.Must(b, db.Engine().Write(context.Background(), 0, func(w *engine.Tx) error {
		for _, query := range []string{
			`INSERT INTO conversations (owner, id, title, created_ms, updated_ms) WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < ?2)
				SELECT ?1, randomblob(16), 'title ' || n, n, n FROM i`,
			`INSERT INTO messages (owner, conversation, id, role, text, created_ms) SELECT c.owner, c.n, randomblob(16), CASE m.value % 2 WHEN 0 THEN 'user' ELSE 'assistant' END,
				'some words of message ' || m.value || hex(randomblob(200)), c.n FROM conversations c, json_each('[0,1,2,3]') m WHERE c.owner = ?1 AND ?2 > 0`,
			`INSERT INTO runs (owner, conversation, message, id, endpoint, model, state, started_ms) SELECT owner, conversation, n, randomblob(16), 'chat', 'm', 'done', 1
				FROM messages WHERE owner = ?1 AND role = 'assistant' AND ?2 > 0`,
			`INSERT INTO run_requests (run, owner, coding, body) SELECT n, owner, 0, randomblob(1000) FROM runs WHERE owner = ?1 AND ?2 > 0`,
			`INSERT INTO run_log (owner, run, start, size, coding, data, times_coding, times) SELECT owner, n, 0, 5000, 0, randomblob(5000), 0, x'' FROM runs WHERE owner = ?1 AND ?2 > 0`,
			`INSERT INTO search_todo (owner, conversation, messages_from) SELECT owner, n, 0 FROM conversations WHERE owner = ?1 AND ?2 > 0`,
		} {
			if _, err := w.Exec(query, engine.ParseOwner(owner), n); err != nil {
				return err
			}
		}
		return nil
	}))
	storetest.Indexed(b, db)
}

// writes are the times of an owner's durable writes, one every 5 ms, while do is done.
func writes(b *testing.B, db *store.DB, owner string, do func()) (took []time.Duration) {
	b.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	for i := 0; ; i++ {
		select {
		case <-done:
			return took
		case <-time.After(5 * time.Millisecond):
		}
		begin := time.Now()
		storetest.Must(b, db.SetSetting(context.Background(), owner, "theme", time.Now().String()))
		took = append(took, time.Since(begin))
	}
}
