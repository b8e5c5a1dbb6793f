package search_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"screentest/server/store"
	"screentest/server/store/engine"
	"screentest/server/store/search"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

func TestSearchFinds(t *testing.T) {
	db, owner := storetest.OpenLocal(t)
	first, _ := storetest.Talk(t, db, owner, "", "What is the Café in Zürich called?", storetest.Says("It is called *Odeon*.\nIt opened in 1911."))
	storetest.Must(t, storetest.Second(db.RenameConversation(context.Background(), owner, wire.Rename{ID: first.Conversation, Title: "Coffee houses"})))
	storetest.Talk(t, db, owner, "", "我想学习编程语言", storetest.Says("学习编程很有趣。 ภาษาไทย สวัสดี"))
	calling, _ := storetest.Talk(t, db, owner, "", "weather please", func(r *wire.Run) string {
		r.Calls = []wire.ToolCall{{ID: "call-1", Name: "get_weather", Arguments: `{"city":"Tromsø"}`}}
		return ""
	})
	result := storetest.NewStart(calling.Conversation, "minus seven degrees")
	result.User.Role, result.User.Parent, result.User.ToolCall, result.User.Tool = "tool", calling.Answer, "call-1", "get_weather"
	storetest.Must(t, storetest.StartTurn(db, owner, result))
	storetest.Talk(t, db, owner, "", "say it", func(r *wire.Run) string {
		r.State, r.Problem, r.Model = wire.Failed, &wire.Problem{Code: "rate_limited", Message: "Too many requests."}, "zeta-1-max"
		return "half an ans"
	})

	for _, tt := range []struct {
		name, query string
		want        []string
	}{
		{"a word of a question, and without its accent", "cafe", []string{"question: What is the [Café] in Zürich called?"}},
		{"with an accent that is not there", "ödeön", []string{"answer: It is called *[Odeon]*. It opened in 1911."}},
		{"capitals", "ZURICH CALLED", []string{"question: What is the Café in [Zürich] [called]?"}},
		{"a beginning, of the last word", "zur", []string{"question: What is the Café in [Zürich] called?"}},
		{"a beginning is not any other word", "zur called", nil},
		{"not with a space behind it", "zur ", nil},
		{"words in quotes stand together", `"called odeon"`, []string{"answer: It is [called *Odeon]*. It opened in 1911."}},
		{"and not otherwise", `"odeon called"`, nil},
		{"a quote that is not closed", `"the café`, []string{"question: What is [the Café] in Zürich called?"}},
		{"a new title", "coffee", []string{"title: [Coffee] houses"}},
		{"Chinese without spaces", "编程", []string{"answer: 学习[编程]很有趣。 ภาษาไทย สวัสดี", "question: 我想学习[编程]语言", "title: 我想学习[编程]语言"}},
		{"Chinese characters that do not stand together", "编语", nil},
		{"Thai", "ไทย", []string{"answer: 学习编程很有趣。 ภาษา[ไทย] สวัสดี"}},
		{"the arguments of a call", "tromsø", []string{`tool: get_weather {"city":"[Tromsø]"}`}},
		{"the result of a call, by its function too", "weather minus", []string{"tool: get_[weather] [minus] seven degrees"}},
		{"an error", "too many", []string{"error: rate_limited [Too] [many] requests."}},
		{"an error by its code", "rate_limited", []string{"error: [rate_limited] Too many requests."}},
		{"the name of a model", "zeta-1", []string{"answer: half an ans"}},
		{"nothing that is not there", "unfindable", nil},
		{"operators are words", "odeon AND opened", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := storetest.Search(t, db, owner, wire.Search{Query: tt.query}); !slices.Equal(got, tt.want) {
				t.Errorf("%q finds\n%s\nwant\n%s", tt.query, strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

func TestSearchFilters(t *testing.T) {
	db, owner := storetest.OpenLocal(t)
	base := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC).UnixMilli()
	var starts []wire.Start
	for i := range 6 {
		s, _ := storetest.Talk(t, db, owner, "", fmt.Sprintf("question number%d", i), func(r *wire.Run) string {
			r.StartedMS = base + int64(i)*60_000
			r.Model = []string{"m-1", "m-2"}[i%2]
			r.CostNanoUSD = int64(i) * 100
			if i == 4 {
				r.State, r.Problem = wire.Failed, &wire.Problem{Code: "c", Message: "number failed"}
			}
			return fmt.Sprintf("answer number%d", i)
		})
		starts = append(starts, s)
	}
	nano := func(n int64) *int64 { return &n }
	for _, tt := range []struct {
		name string
		q    wire.Search
		want string // kinds and numbers
	}{
		{"answers alone", wire.Search{Query: "number", Kinds: []string{wire.HitAnswer}}, "a5 a4 a3 a2 a1 a0"},
		{"titles and questions", wire.Search{Query: "number1", Kinds: []string{wire.HitQuestion, wire.HitTitle}}, "q1 t1"},
		{"errors", wire.Search{Kinds: []string{wire.HitError}}, "e4"},
		{"a model", wire.Search{Model: "m-2"}, "a5 a3 a1"},
		{"a state", wire.Search{State: wire.Failed}, "a4"},
		{"a conversation", wire.Search{Conversation: starts[2].Conversation}, "a2 q2 t2"},
		{"a time", wire.Search{Kinds: []string{wire.HitAnswer}, FromMS: base + 60_000, ToMS: base + 3*60_000}, "a2 a1"},
		{"a time to the millisecond", wire.Search{Kinds: []string{wire.HitAnswer}, FromMS: base + 60_001, ToMS: base + 3*60_000 + 1}, "a3 a2"},
		{"a cost", wire.Search{MinNanoUSD: nano(200), MaxNanoUSD: nano(400)}, "a4 a3 a2"},
		{"no more than", wire.Search{MaxNanoUSD: nano(0)}, "a0"},
		{"a word and all filters", wire.Search{Query: "answer", Model: "m-1", State: wire.Done, MinNanoUSD: nano(1), FromMS: base, Kinds: []string{wire.HitAnswer}}, "a2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, s := range storetest.Search(t, db, owner, tt.q) {
				s = strings.NewReplacer("[", "", "]", "").Replace(s)
				if s == "error: c number failed" {
					s = "e: 4"
				}
				got = append(got, s[:1]+s[len(s)-1:])
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("%s, want %s", strings.Join(got, " "), tt.want)
			}
		})
	}
	for _, q := range []wire.Search{{Query: strings.Repeat("x", wire.MaxQuery+1)}, {Kinds: []string{"everything"}}, {Before: "x"}, {Before: "1.2.3"}} {
		if _, err := db.Search(context.Background(), owner, q); storetest.Problem(err).Field == "" {
			t.Errorf("%.50v: %v, want a problem with a field", q, err)
		}
	}
	if _, err := db.Search(context.Background(), owner, wire.Search{Conversation: storetest.NewID()}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a conversation that is not there: %v", err)
	}
}

func TestSearchPagesGiveEachHitOnce(t *testing.T) {
	db, owner := storetest.OpenLocal(t)
	for i := range 30 {
		storetest.Talk(t, db, owner, "", "question", func(r *wire.Run) string {
			r.CostNanoUSD = int64(i % 3)
			return fmt.Sprintf("apple number %d and applepie", i)
		})
	}
	storetest.Indexed(t, db)
	nano := int64(1)
	for name, tt := range map[string]struct {
		q    wire.Search
		want int
	}{
		"whole words":      {wire.Search{Query: "apple", Limit: 7}, 30},
		"beginnings":       {wire.Search{Query: "appl", Limit: 7}, 30},
		"no words":         {wire.Search{Limit: 7}, 90},
		"a filter by cost": {wire.Search{Query: "apple", Limit: 7, MinNanoUSD: &nano}, 20},
	} {
		t.Run(name, func(t *testing.T) {
			seen, q, last := map[string]bool{}, tt.q, int64(1<<62)
			for pages := 0; ; pages++ {
				page, err := db.Search(context.Background(), owner, q)
				storetest.Must(t, err)
				for _, h := range page.Hits {
					id := h.Kind + h.Conversation + h.Message
					if seen[id] || h.CreatedMS > last {
						t.Errorf("%s again, or out of order", id)
					}
					seen[id], last = true, h.CreatedMS
				}
				if q.Before = page.Before; q.Before == "" || pages > 50 {
					break
				}
			}
			if len(seen) != tt.want {
				t.Errorf("%d hits, want %d", len(seen), tt.want)
			}
		})
	}
}

func TestRankPutsTheBestFirst(t *testing.T) {
	db, owner := storetest.OpenLocal(t)
	storetest.Talk(t, db, owner, "", "q", storetest.Says("pear pear pear"))
	storetest.Talk(t, db, owner, "", "q", storetest.Says("one pear in "+strings.Repeat("many other words ", 100)))
	got := storetest.Search(t, db, owner, wire.Search{Query: "pear", Rank: true})
	if len(got) != 2 || got[0] != "answer: [pear] [pear] [pear]" {
		t.Errorf("%q", got)
	}
}

func TestRetriedAnswerIsFoundByItsNewTextOnly(t *testing.T) {
	db, owner := storetest.OpenLocal(t)
	s, _ := storetest.Talk(t, db, owner, "", "q", storetest.Says("formertext"))
	storetest.Indexed(t, db)
	again := s
	again.Run = storetest.NewID()
	storetest.Must(t, storetest.StartTurn(db, owner, again))
	if got := storetest.Search(t, db, owner, wire.Search{Query: "formertext"}); len(got) != 1 {
		t.Errorf("while the new one is under way: %q", got)
	}
	storetest.Must(t, db.FinishRun(context.Background(), owner, storetest.Ended(storetest.RunOf(again), 1), "lattertext", nil, nil, nil))
	if got := storetest.Search(t, db, owner, wire.Search{Query: "formertext"}); len(got) != 0 {
		t.Errorf("the text that is no more: %q", got)
	}
	if got := storetest.Search(t, db, owner, wire.Search{Query: "lattertext"}); len(got) != 1 {
		t.Errorf("the new text: %q", got)
	}
}

// What was deleted is in none of the files any more: neither the texts nor the
// words of the search index, whole or in parts.
func TestDeletedWordsAreGoneFromTheFiles(t *testing.T) {
	dir := storetest.Folder(t)
	db := storetest.Open(t, dir, store.Options{})
	owner, err := db.EnsureLocalUser(t.Context())
	storetest.Must(t, err)
	for i := range 200 {
		storetest.Talk(t, db, owner, "", fmt.Sprintf("question %d zebrafish", i), storetest.Says(fmt.Sprintf("answer %d about zebra and zebracrossing", i)))
	}
	s, _ := storetest.Talk(t, db, owner, "", "zebracanary quagga", func(r *wire.Run) string {
		r.Calls = []wire.ToolCall{{ID: "c", Name: "quaggacall", Arguments: "{}"}}
		r.Problem = &wire.Problem{Code: "x", Message: "quaggaerror"}
		return "answer quagganswer"
	})
	storetest.Must(t, storetest.Second(db.RenameConversation(context.Background(), owner, wire.Rename{ID: s.Conversation, Title: "quaggatitle"})))
	storetest.Must(t, db.DeleteConversation(context.Background(), owner, s.Conversation))
	gone := func() (left []string) {
		for _, word := range []string{"canary", "quagga", "uagga", "agganswer"} {
			for _, name := range storetest.FilesWith(t, dir, word) {
				left = append(left, name+": "+word)
			}
		}
		return left
	}
	deadline := time.Now().Add(30 * time.Second)
	for len(gone()) > 0 && time.Now().Before(deadline) {
		// The write-ahead log is emptied when the writer has nothing else to do.
		storetest.Must(t, db.SetSetting(context.Background(), owner, "wait", fmt.Sprint(time.Now())))
	}
	if left := gone(); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	for _, q := range []string{"quagga", "zebracanary"} {
		if got := storetest.Search(t, db, owner, wire.Search{Query: q}); len(got) > 0 {
			t.Errorf("%q", got)
		}
	}
	if got := storetest.Search(t, db, owner, wire.Search{Query: "zebrafish", Limit: 100}); len(got) != 100 {
		t.Errorf("%d of the others are found", len(got))
	}
	storetest.WantWhole(t, db)
}

// An older database has everything in the index once it was migrated.
func TestMigrationIndexesWhatIsThere(t *testing.T) {
	storetest.OnlySQLite(t)
	ctx := context.Background()
	const many = 3*search.IndexStep + 7
	dir := storetest.OpenVersion(t, 1, func(exec func(string, ...any)) {
		exec("INSERT INTO users (n, name, local, created_ms) VALUES (1, 'me', 1, 0)")
		for i := range many {
			id := func() []byte { return storetest.MustID(t) }
			exec("INSERT INTO conversations (n, owner, id, title, created_ms, updated_ms) VALUES (?, 1, ?, 'oldtitle', ?, 0)", i+1, id(), i)
			exec("INSERT INTO messages (n, owner, conversation, id, role, text, created_ms) VALUES (?, 1, ?, ?, 'user', 'oldquestion', ?)", 2*i+1, i+1, id(), i)
			exec("INSERT INTO messages (n, owner, conversation, id, role, text, created_ms) VALUES (?, 1, ?, ?, 'assistant', 'oldanswer', ?)", 2*i+2, i+1, id(), i)
			state, problem := "done", any(nil)
			if i == 0 {
				state, problem = "failed", `{"code":"x","message":"olderror"}`
			}
			exec("INSERT INTO runs (owner, conversation, message, id, endpoint, model, state, problem, started_ms) VALUES (1, ?, ?, ?, 'chat', 'oldmodel', ?, ?, 0)", i+1, 2*i+2, id(), state, problem)
		}
	})

	db := storetest.Open(t, dir, store.Options{})
	storetest.Indexed(t, db)
	for q, want := range map[string]int{"oldtitle": many, "oldquestion": many, "oldanswer": many, "oldmodel": many, "olderror": 1} {
		n, s := 0, wire.Search{Query: q, Limit: wire.MaxHits}
		for {
			page, err := db.Search(ctx, "1", s)
			storetest.Must(t, err)
			n += len(page.Hits)
			if s.Before = page.Before; s.Before == "" {
				break
			}
		}
		if n != want {
			t.Errorf("%s is found %d times, want %d", q, n, want)
		}
	}
}

// A second with more rows than it has room for goes on in the next.
func TestFullSecondGoesOn(t *testing.T) {
	db, owner := storetest.OpenLocal(t)
	s, _ := storetest.Talk(t, db, owner, "", "q", storetest.Says("first"))
	storetest.Must(t, db.Engine().Write(context.Background(), 0, func(w *engine.Tx) error {
		id, _ := engine.ParseID(s.Conversation)
		var n int64
		storetest.Must(t, w.Scan("SELECT n FROM conversations WHERE id = ?", []any{id}, &n))
		for _, at := range []int64{search.RowOf(5000) + search.PerSecond - 1, search.RowOf(6000) + search.PerSecond - 1} {
			_, err := w.Exec("INSERT INTO search_rows (n, owner, conversation) VALUES (?, ?, ?)", at, engine.ParseOwner(owner), n)
			storetest.Must(t, err)
		}
		for ms, want := range map[int64]int64{4999: search.RowOf(4000), 5001: search.RowOf(7000), 7000: search.RowOf(7000)} {
			if got, err := search.FreeRow(w, ms); err != nil || got != want {
				t.Errorf("at %d ms: row %d, %v; want %d", ms, got, err, want)
			}
		}
		return nil
	}))
}

func FuzzSearch(f *testing.F) {
	for _, q := range []string{"", " ", `"`, `""`, `a"b"c`, "*", "a*", "NEAR(a b)", "meta:o1", "^a", "a AND", "AND OR NOT", "{a b}:c", "a+b", "-a", "(", ")", "'; DROP TABLE search; --",
		"\x00", "a\x00b", "\xff\xfe", "é", "e\u0301", "编程", "ไทย", "🙂", "a🙂b", "\u202e", "ﬁ", "ß", "İ", strings.Repeat("a ", 500), strings.Repeat(`"`, 999), "\u0301", "한국어", "\U000e0001x"} {
		f.Add(q, q)
	}
	db, owner := storetest.OpenLocal(f)
	other := storetest.AddUser(f, db, "other")
	storetest.Talk(f, db, other, "", "secretword", storetest.Says("secretanswer"))
	f.Fuzz(func(t *testing.T, query, text string) {
		s, _ := storetest.Talk(t, db, owner, "", text, storetest.Says(text))
		for _, rank := range []bool{false, true} {
			page, err := db.Search(context.Background(), owner, wire.Search{Query: query, Rank: rank})
			if err != nil && storetest.Problem(err).Code != "bad_query" {
				t.Fatalf("%q: %v", query, err)
			}
			for _, h := range page.Hits {
				if !utf8.ValidString(h.Snippet) || strings.Contains(h.Snippet, "secret") && !strings.Contains(text, "secret") {
					t.Errorf("%q: snippet %q", query, h.Snippet)
				}
				at := 0
				for i, m := range h.Marks {
					if m < at || m > len(h.Snippet) || len(h.Marks)%2 != 0 || !utf8.ValidString(h.Snippet[:m]) {
						t.Fatalf("%q: marks %v of %q", query, h.Marks, h.Snippet)
					}
					if at = m; i%2 == 0 {
						at++
					}
				}
			}
		}
		storetest.Must(t, db.DeleteConversation(context.Background(), owner, s.Conversation))
	})
}
