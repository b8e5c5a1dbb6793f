package store

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"screentest/shared/wire"
)

// Search over 100 000 messages, newest first: p50 and p99 in microseconds. Half
// of the messages are questions of 20 words, half answers of 150, of a
// vocabulary as skewed as a language's.
func BenchmarkSearch(b *testing.B) {
	ctx := context.Background()
	db, owner := openLocal(b)
	common, rare := fillTalk(b, db, owner, 50_000)
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
				must(b, err)
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
			must(b, err)
			start := time.Now()
			must(b, db.DeleteConversation(ctx, owner, page.Conversations[0].ID))
			b.ReportMetric(float64(time.Since(start).Microseconds())/1000, "ms")
			worst := time.Duration(0)
			for scrubbing := true; scrubbing; {
				// What others wait for a write meanwhile.
				one := time.Now()
				must(b, db.SetSetting(ctx, owner, "x", fmt.Sprint(one)))
				worst = max(worst, time.Since(one))
				must(b, db.Engine().At(ctx).scan("SELECT EXISTS (SELECT 1 FROM meta WHERE name = ?)", []any{"scrub"}, &scrubbing))
			}
			b.ReportMetric(time.Since(start).Seconds(), "s-until-gone")
			b.ReportMetric(float64(worst.Microseconds())/1000, "worst-write-ms")
		}
	})
}

// fillTalk stores n turns in conversations of 20, and gives the words by how
// common they are, and one that is in a message of a thousand.
func fillTalk(b *testing.B, db *DB, owner string, n int) (common []string, rare string) {
	b.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	words := make([]string, 20_000)
	for i := range words {
		w := make([]byte, 4+random.IntN(8))
		for j := range w {
			w[j] = byte('a' + random.IntN(26))
		}
		words[i] = string(w)
	}
	zipf := rand.NewZipf(random, 1.1, 5, uint64(len(words)-1))
	text := func(n int) string {
		var s strings.Builder
		for range n {
			s.WriteString(words[zipf.Uint64()] + " ")
		}
		return s.String()
	}
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
	conversation := ""
	who := parseOwner(owner)
	start := time.Now()
	for i := 0; i < n; i += 500 {
		var starts []wire.Start
		for k := i; k < i+500; k++ {
			if k%20 == 0 {
				conversation = ""
			}
			s := newStart(conversation, text(20))
			conversation = s.Conversation
			if k%1000 == 7 {
				s.User.Text += "xylophone"
			}
			r := runOf(s)
			r.StartedMS, r.Model = begin+int64(k)*60_000, fmt.Sprintf("m-%d", k%7)
			db.StartTurn(owner, s, r, "Conversation", "", nil)
			starts = append(starts, s)
		}
		must(b, db.Engine().Write(context.Background(), 0, func(w *tx) error {
			for _, s := range starts {
				answer := text(150)
				id, _ := parseID(s.Run)
				var run, message, in int64
				if err := w.scan("SELECT n, message, conversation FROM runs WHERE owner = ? AND id = ?", []any{who, id}, &run, &message, &in); err != nil {
					return err
				}
				if _, err := w.exec("UPDATE runs SET state = 'done' WHERE n = ?", run); err != nil {
					return err
				}
				if _, err := w.exec("UPDATE messages SET text = ? WHERE n = ?", answer, message); err != nil {
					return err
				}
				if err := db.Finder.index.noteMessage(w, who, in, message); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	indexed(b, db)
	b.Logf("stored %d turns in %v", n, time.Since(start))
	return words, "xylophone"
}

// The shape of a conversation of 10 000 messages, and a page around one in its
// middle.
func BenchmarkLongConversation(b *testing.B) {
	ctx := context.Background()
	db, owner := openLocal(b)
	conversation, ids := longTalk(b, db, owner, 5000)
	b.Run("outline", func(b *testing.B) {
		for b.Loop() {
			o, err := db.Outline(ctx, owner, conversation)
			must(b, err)
			p, err := json.Marshal(o)
			must(b, err)
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

// A file of 40 000 messages, written and read.
func BenchmarkTransfer(b *testing.B) {
	ctx := context.Background()
	db, owner := openLocal(b)
	fillTalk(b, db, owner, 20_000)
	for b.Loop() {
		var file bytes.Buffer
		start := time.Now()
		must(b, db.Export(ctx, owner, "", &file))
		b.ReportMetric(float64(file.Len())/1e6, "MB")
		b.ReportMetric(float64(file.Len())/1e6/time.Since(start).Seconds(), "export-MB/s")
		start = time.Now()
		_, err := db.Import(ctx, addUser(b, db, newID()), &file)
		must(b, err)
		b.ReportMetric(time.Since(start).Seconds(), "import-s")
		indexed(b, db)
		b.ReportMetric(time.Since(start).Seconds(), "import-until-found-s")
	}
}

// What another write waits while 100 000 messages are imported, at worst and as
// a share of the import's length; and what memory is kept after it.
func BenchmarkWriteDuringImport(b *testing.B) {
	ctx := context.Background()
	db, owner := openLocal(b)
	for b.Loop() {
		path := filepath.Join(b.TempDir(), "file")
		must(b, os.WriteFile(path, []byte(strings.ReplaceAll(importFile(10, wire.MaxImported/20), `"answer"`, `"`+strings.Repeat("answer ", 100)+`"`)), 0o600))
		debug.FreeOSMemory() // of making it
		file, err := os.Open(path)
		must(b, err)
		done := make(chan error, 1)
		start := time.Now()
		go func() { done <- second(db.Import(ctx, owner, file)) }()
		worst := time.Duration(0)
		for under := true; under; {
			began := time.Now()
			must(b, db.SetSetting(ctx, owner, "while", fmt.Sprint(began)))
			worst = max(worst, time.Since(began))
			select {
			case err := <-done:
				must(b, err)
				under = false
			case <-time.After(time.Millisecond):
			}
		}
		must(b, file.Close())
		took := time.Since(start)
		b.ReportMetric(took.Seconds(), "import-s")
		b.ReportMetric(worst.Seconds(), "worst-wait-s")
		b.ReportMetric(100*worst.Seconds()/took.Seconds(), "%-of-import")
		status, _ := os.ReadFile("/proc/self/status")
		if _, rss, ok := strings.Cut(string(status), "VmRSS:"); ok {
			kb, _ := strconv.Atoi(strings.Fields(rss)[0])
			b.ReportMetric(float64(kb)/1000, "MB-kept")
		}
	}
}
