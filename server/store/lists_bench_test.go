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

// fillLists gives an owner 100 000 conversations of a turn each with its charge,
// and 10 000 clips, of which every tenth is deleted.
func fillLists(b *testing.B, db *store.DB, owner string) {
	b.Helper()
	n := engine.ParseOwner(owner)
	storetest.Must(b, db.Engine().Write(context.Background(), 0, func(t *engine.Tx) error {
		const count = "WITH RECURSIVE c (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < ?2) "
		for _, fill := range []struct {
			query string
			n     int
		}{
			{"INSERT INTO conversations (n, owner, id, title, models, created_ms, updated_ms, pinned) " + count + "SELECT i, ?1, randomblob(16), 'Conversation ' || i || ' of the harbour', 'm-1', i * 1000, i * 1000, i % 2000 = 0 FROM c", 100_000},
			{"INSERT INTO messages (n, owner, conversation, id, role, text, created_ms) " + count + "SELECT i, ?1, 1 + (i - 1) / 2, randomblob(16), iif(i % 2, 'user', 'assistant'), 'the words of message ' || i, i * 500 FROM c", 200_000},
			{"INSERT INTO runs (n, owner, conversation, message, id, endpoint, model, state, started_ms) " + count + "SELECT i, ?1, i, 2 * i, randomblob(16), 'chat', 'm-1', 'done', i * 1000 FROM c", 100_000},
			{"INSERT INTO ledger (owner, kind, what, subject, conversation, model, cost_nano_usd, basis, source, created_ms) " + count +
				"SELECT ?1, 'charge', 'text', r.id, v.id, 'm-' || (i % 9), i * 7919 % 100003, '', 'reported', i * 1000 FROM c JOIN runs r ON r.n = i JOIN conversations v ON v.n = i", 100_000},
			{"INSERT INTO video_tasks (owner, id, model, mode, prompt, words, state, created_ms, deleted_ms, usual_least, usual_most, seconds, price, basis, sample, prices) " + count +
				"SELECT ?1, randomblob(16), 'v-' || (i % 5), 'text', 'a clip ' || i, 'a clip ' || i, 'done', i * 1000, iif(i % 10, 0, i), 1, 1, 6, 1, '', 0, '{}' FROM c", 10_000},
			{"INSERT INTO library (owner, id, kind, name, text, updated_ms) " + count + "SELECT ?1, randomblob(16), 'prompt', 'prompt ' || i, 'text', i FROM c", wire.MaxEntries},
			{"INSERT INTO notices (id, person, kind, path, text, at_ms) " + count + "SELECT randomblob(16), ?1, 'share', '/', 'x', i FROM c", wire.MaxNotices},
			{"INSERT INTO search_todo (owner, conversation) " + count + "SELECT ?1, i FROM c", 100_000},
		} {
			if _, err := t.Exec(fill.query, n, fill.n); err != nil {
				return err
			}
		}
		return nil
	}))
	storetest.Must(b, db.SetSetting(context.Background(), owner, "x", "y")) // the index follows a write
	for db.Finder.Index.Behind() {
		time.Sleep(time.Millisecond)
	}
}

// The lists that the page shows of somebody with 100 000 conversations: half of the
// pages come within a millisecond. (That their queries use indexes is tested with
// those of the whole store.)
func BenchmarkLists(b *testing.B) {
	ctx := context.Background()
	db, owner := storetest.OpenLocal(b)
	fillLists(b, db, owner)
	newest, err := db.Conversations(ctx, owner, wire.Page{})
	storetest.Must(b, err)
	of := newest.Conversations[0].ID
	clips := func(q wire.VideoQuery) func() error {
		return func() error { return storetest.Second(db.Videos().Tasks(ctx, owner, q)) }
	}
	rows := func(q wire.LedgerQuery) func() error {
		return func() error { return storetest.Second(db.Ledger(ctx, owner, q)) }
	}
	next, err := db.Videos().Tasks(ctx, owner, wire.VideoQuery{})
	storetest.Must(b, err)
	nextRows, err := db.Ledger(ctx, owner, wire.LedgerQuery{})
	storetest.Must(b, err)
	for _, c := range []struct {
		name string
		ask  func() error
	}{
		{"conversations", func() error { return storetest.Second(db.Conversations(ctx, owner, wire.Page{})) }},
		{"conversations, next", func() error {
			return storetest.Second(db.Conversations(ctx, owner, wire.Page{Before: newest.Before}))
		}},
		{"conversations, middle", func() error {
			return storetest.Second(db.Conversations(ctx, owner, wire.Page{Before: engine.FormatCursor(50_000_000, 1<<62)}))
		}},
		{"a conversation", func() error { return storetest.Second(db.OpenConversation(ctx, owner, wire.Page{Conversation: of})) }},
		{"search, a rare word", func() error { return storetest.Second(db.Search(ctx, owner, wire.Search{Query: "77777"})) }},
		{"search, a common word", func() error { return storetest.Second(db.Search(ctx, owner, wire.Search{Query: "harbour"})) }},
		{"search, the best first", func() error {
			return storetest.Second(db.Search(ctx, owner, wire.Search{Query: "harbour", Rank: true}))
		}},
		{"clips", clips(wire.VideoQuery{})},
		{"clips, next", clips(wire.VideoQuery{Before: next.Before})},
		{"clips by a word", clips(wire.VideoQuery{Text: "777"})},
		{"clips of a model", clips(wire.VideoQuery{Models: []string{"v-1"}})},
		{"clips, deleted", clips(wire.VideoQuery{Deleted: true})},
		{"ledger", rows(wire.LedgerQuery{})},
		{"ledger, next", rows(wire.LedgerQuery{Before: nextRows.Before})},
		{"ledger, the dearest", rows(wire.LedgerQuery{Sort: wire.SortDearest})},
		{"ledger of a model", rows(wire.LedgerQuery{Model: "m-3"})},
		{"library", func() error { return storetest.Second(db.Library(ctx, owner)) }},
		{"notices", func() error { return storetest.Second(db.Notices().List(ctx, owner, wire.Page{})) }},
		{"shares", func() error { return storetest.Second(db.Shares().List(ctx, owner)) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
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
