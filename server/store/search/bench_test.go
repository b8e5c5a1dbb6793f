package search_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// Search over 100 000 messages, newest first: p50 and p99 in microseconds. Half
// of the messages are questions of 20 words, half answers of 150, of a
// vocabulary as skewed as a language's.
func BenchmarkSearch(b *testing.B) {
	ctx := context.Background()
	db, owner := storetest.OpenLocal(b)
	common, rare := storetest.FillTalk(b, db, owner, 50_000)
	for _, c := range []struct {
		name string
		q    wire.Search
	}{
		{"rare word", wire.Search{Query: rare}},
		{"common word", wire.Search{Query: common[0]}},
		{"two words", wire.Search{Query: common[0] + " " + common[40]}},
		{"common and rare", wire.Search{Query: common[0] + " " + rare}},
		{"phrase", wire.Search{Query: `"` + common[0] + " " + common[1] + `"`}},
		{"beginning", wire.Search{Query: common[300][:4]}},
		{"filters alone", wire.Search{Kinds: []string{wire.HitAnswer}, Model: "m-1"}},
		{"word and filters", wire.Search{Query: common[40], Kinds: []string{wire.HitAnswer}, State: wire.Done, FromMS: 1, ToMS: 1 << 50}},
		{"cost", wire.Search{MinNanoUSD: new(int64)}},
		{"a cost of nothing here", wire.Search{MaxNanoUSD: new(int64)}},
		{"ranked", wire.Search{Query: common[0], Rank: true}},
	} {
		b.Run(c.name, func(b *testing.B) {
			var took []time.Duration
			hits := 0
			for b.Loop() {
				start := time.Now()
				page, err := db.Search(ctx, owner, c.q)
				storetest.Must(b, err)
				took = append(took, time.Since(start))
				hits = len(page.Hits)
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
			b.ReportMetric(float64(hits), "hits")
		})
	}
	b.Run("deletion", func(b *testing.B) {
		for range b.N {
			page, err := db.Conversations(ctx, owner, wire.Page{Limit: 1})
			storetest.Must(b, err)
			start := time.Now()
			storetest.Must(b, db.DeleteConversation(ctx, owner, page.Conversations[0].ID))
			b.ReportMetric(float64(time.Since(start).Microseconds())/1000, "ms")
			worst := time.Duration(0)
			for scrubbing := true; scrubbing; {
				// What others wait for a write meanwhile.
				one := time.Now()
				storetest.Must(b, db.SetSetting(ctx, owner, "x", fmt.Sprint(one)))
				worst = max(worst, time.Since(one))
				storetest.Must(b, db.Engine().At(ctx).Scan("SELECT EXISTS (SELECT 1 FROM meta WHERE name = ?)", []any{"scrub"}, &scrubbing))
			}
			b.ReportMetric(time.Since(start).Seconds(), "s-until-gone")
			b.ReportMetric(float64(worst.Microseconds())/1000, "worst-write-ms")
		}
	})
}

// The same for somebody to whom another shows 200 of their conversations.
func BenchmarkSearchShown(b *testing.B) {
	db, owner := storetest.OpenLocal(b)
	common, rare := storetest.FillTalk(b, db, owner, 50_000)
	reader, _ := storetest.Join(b, db, "reader", "member")
	page, err := db.Conversations(b.Context(), owner, wire.Page{Limit: 200})
	storetest.Must(b, err)
	for _, c := range page.Conversations {
		showed(b, db, owner, share{conversation: c.ID, audience: "everyone", live: true})
	}
	storetest.Indexed(b, db)
	for name, q := range map[string]wire.Search{
		"rare word": {Query: rare}, "common word": {Query: common[0]}, "two words": {Query: common[0] + " " + common[40]}, "beginning": {Query: common[300][:4]}, "ranked": {Query: common[0], Rank: true},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				storetest.Must(b, storetest.Second(db.Search(b.Context(), reader, q)))
			}
		})
	}
}

// The shape of a conversation of 10 000 messages, and a page around one in its
// middle.
func BenchmarkLongConversation(b *testing.B) {
	ctx := context.Background()
	db, owner := storetest.OpenLocal(b)
	conversation, ids := storetest.LongTalk(b, db, owner, 5000)
	b.Run("outline", func(b *testing.B) {
		for b.Loop() {
			o, err := db.Outline(ctx, owner, conversation)
			storetest.Must(b, err)
			p, err := json.Marshal(o)
			storetest.Must(b, err)
			b.ReportMetric(float64(len(p))/1000, "KB")
		}
	})
	b.Run("page around", func(b *testing.B) {
		for b.Loop() {
			o, err := db.OpenConversation(ctx, owner, wire.Page{Conversation: conversation, Around: ids[5000]})
			if err != nil || len(o.Messages) != 100 {
				b.Fatal(len(o.Messages), err)
			}
		}
	})
}
