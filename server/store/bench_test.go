package store_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"screentest/server/store"
	"screentest/server/store/engine"
	"screentest/server/store/folder"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// Durable runs, each a start and an end with its charge, at synchronous FULL:
// from 256 sides at once, committed in groups, against one after the other.
func BenchmarkDurableRuns(b *testing.B) {
	log, times := storetest.AnswerLog(20)
	for range b.N {
		rate := map[string]float64{}
		for name, sides := range map[string]int{"one by one": 1, "grouped": 256} {
			db, owner := storetest.OpenLocal(b)
			const runs = 2048
			begin := time.Now()
			var all sync.WaitGroup
			for range sides {
				all.Go(func() {
					for range runs / sides {
						storetest.OneRun(b, db, owner, log, times)
					}
				})
			}
			all.Wait()
			rate[name] = runs / time.Since(begin).Seconds()
		}
		b.ReportMetric(rate["grouped"], "grouped-runs/s")
		b.ReportMetric(rate["one by one"], "single-runs/s")
		b.ReportMetric(rate["grouped"]/rate["one by one"], "ratio")
	}
	b.ReportMetric(0, "ns/op")
}

// Small durable rows (a charge), the bare cost of the queue and the commit.
func BenchmarkDurableRows(b *testing.B) {
	for range b.N {
		rate := map[string]float64{}
		var waits []time.Duration
		for name, sides := range map[string]int{"one by one": 1, "grouped": 256} {
			db, owner := storetest.OpenLocal(b)
			rows := 4096
			if sides > 1 {
				rows *= 8
			}
			var mu sync.Mutex
			waits = waits[:0]
			begin := time.Now()
			var all sync.WaitGroup
			for range sides {
				all.Go(func() {
					mine := make([]time.Duration, 0, rows/sides)
					for range rows / sides {
						subject, _ := engine.ParseID(storetest.NewID())
						begin := time.Now()
						if _, err := storetest.Book(db, owner, storetest.SomeEntry("charge", subject, 1)); err != nil {
							b.Error(err)
						}
						mine = append(mine, time.Since(begin))
					}
					mu.Lock()
					defer mu.Unlock()
					waits = append(waits, mine...)
				})
			}
			all.Wait()
			rate[name] = float64(rows) / time.Since(begin).Seconds()
			slices.Sort(waits)
			b.ReportMetric(float64(waits[len(waits)*99/100].Microseconds())/1000, map[int]string{1: "single-p99-ms", 256: "grouped-p99-ms"}[sides])
		}
		b.ReportMetric(rate["grouped"], "grouped-rows/s")
		b.ReportMetric(rate["one by one"], "single-rows/s")
		b.ReportMetric(rate["grouped"]/rate["one by one"], "ratio")
	}
	b.ReportMetric(0, "ns/op")
}

// The first page and a page in the middle of 100 000 conversations, each with
// a turn, an answer and a charge.
func BenchmarkConversationList(b *testing.B) {
	ctx := context.Background()
	db, owner := storetest.OpenLocal(b)
	fill(b, db, owner, 100_000)
	middle := ""
	for _, c := range []struct {
		name   string
		before *string
	}{{"newest", new(string)}, {"middle", &middle}} {
		if c.before == &middle {
			middle = engine.FormatCursor(1_000_000+50_000, 1<<62)
		}
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				page, err := db.Conversations(ctx, owner, wire.Page{Before: *c.before})
				if err != nil || len(page.Conversations) != 50 || page.Conversations[0].CostNanoUSD != 7 {
					b.Fatal(len(page.Conversations), err)
				}
			}
		})
	}
	b.Run("spent today", func(b *testing.B) {
		for b.Loop() {
			// 1 000 of the 100 000 rows are of the time asked for.
			if n, err := db.Spent(ctx, owner, time.UnixMilli(1_000_000+60_000), time.UnixMilli(1_000_000+61_000)); err != nil || n != 7000 {
				b.Fatal(n, err)
			}
		}
	})
}

// fill stores n conversations of one turn, a millisecond apart.
func fill(b *testing.B, db *store.DB, owner string, n int) {
	b.Helper()
	for i := 0; i < n; i += 1000 {
		var all sync.WaitGroup
		for k := i; k < i+1000; k++ {
			s := storetest.NewStart("", "q")
			r := storetest.RunOf(s)
			r.StartedMS = 1_000_000 + int64(k)
			db.StartTurn(owner, s, r, fmt.Sprintf("Conversation number %d about something", k), "", nil)
			all.Go(func() {
				r = storetest.Ended(r, 7)
				r.DurationMS = 0
				if err := db.FinishRun(context.Background(), owner, r, "", nil, nil, nil); err != nil {
					b.Error(err)
				}
			})
		}
		all.Wait()
	}
}

// The newest 100 messages of a conversation of 10 000.
func BenchmarkOpenConversation(b *testing.B) {
	ctx := context.Background()
	db, owner := storetest.OpenLocal(b)
	s := storetest.NewStart("", "first")
	conversation := s.Conversation
	for range 5000 {
		s = storetest.NewStart(conversation, "And then?")
		storetest.Must(b, storetest.StartTurn(db, owner, s))
		storetest.Must(b, db.FinishRun(ctx, owner, storetest.Ended(storetest.RunOf(s), 1), "Some hundred words.", nil, nil, nil))
	}
	for b.Loop() {
		opened, err := db.OpenConversation(ctx, owner, wire.Page{Conversation: conversation})
		if err != nil || len(opened.Messages) != 100 {
			b.Fatal(len(opened.Messages), err)
		}
	}
}

// Bytes on the disk for 1 000 turns: 100 conversations of 10 turns, 300 tokens
// an answer, the history sent with each.
func BenchmarkSizeOf1000Turns(b *testing.B) {
	for range b.N {
		dir := b.TempDir()
		db, err := store.Open(context.Background(), dir, store.Options{})
		storetest.Must(b, err)
		owner, err := db.EnsureLocalUser(context.Background())
		storetest.Must(b, err)
		log, times := storetest.AnswerLog(300)
		var sent, logged int
		for range 100 {
			conversation, history := storetest.NewID(), ""
			for turn := range 10 {
				question := fmt.Sprintf("Question number %d, with an id %s in it, and then what?", turn, storetest.NewID())
				s := storetest.NewStart(conversation, question)
				history += question
				s.Body = fmt.Appendf(nil, `{"model":"m-1","messages":[{"role":"user","content":%q}],"stream":true}`, history)
				answer := make([]byte, 0, 1500)
				for len(answer) < 1500 {
					answer = append(answer, storetest.NewID()[:6]+" "...)
				}
				history += string(answer)
				storetest.Must(b, storetest.StartTurn(db, owner, s))
				storetest.Must(b, db.FinishRun(context.Background(), owner, storetest.Ended(storetest.RunOf(s), 1), string(answer), log, times, nil))
				sent, logged = sent+len(s.Body), logged+len(log)
			}
		}
		storetest.Must(b, db.Close())
		info, err := os.Stat(filepath.Join(dir, folder.DatabaseFile))
		storetest.Must(b, err)
		b.ReportMetric(float64(info.Size())/1e6, "MB")
		b.ReportMetric(float64(sent)/1e6, "MB-sent")
		b.ReportMetric(float64(logged)/1e6, "MB-logged")
	}
	b.ReportMetric(0, "ns/op")
}
