package ledger_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"screentest/server/store/engine"
	"screentest/server/store/ledger"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

func TestLedgerBooksOnce(t *testing.T) {
	ctx := context.Background()
	db, owner := storetest.OpenLocal(t)
	bob := storetest.AddUser(t, db, "bob")
	subject, _ := engine.ParseID(storetest.NewID())
	for _, c := range []struct {
		name   string
		owner  string
		e      ledger.Entry
		booked bool
	}{
		{"charge", owner, storetest.SomeEntry("charge", subject, 300), true},
		{"the same charge again", owner, storetest.SomeEntry("charge", subject, 300), false},
		{"another charge for the subject", owner, storetest.SomeEntry("charge", subject, 400), false},
		{"return", owner, storetest.SomeEntry("return", subject, -300), true},
		{"the return again", owner, storetest.SomeEntry("return", subject, -300), false},
		{"correction", owner, storetest.SomeEntry("correction", subject, 20), true},
		{"a second correction", owner, storetest.SomeEntry("correction", subject, -5), true},
		{"the same id of another owner's", bob, storetest.SomeEntry("charge", subject, 1), true},
	} {
		if booked, err := storetest.Book(db, c.owner, c.e); err != nil || booked != c.booked {
			t.Errorf("%s: booked %v, %v; want %v", c.name, booked, err, c.booked)
		}
	}
	if n, err := db.Spent(ctx, owner, time.UnixMilli(0), time.UnixMilli(2000)); err != nil || n != 15 {
		t.Errorf("spent %d, %v; want 15", n, err)
	}
	for name, e := range map[string]ledger.Entry{
		"a charge below nothing": storetest.SomeEntry("charge", storetest.MustID(t), -1),
		"a return above nothing": storetest.SomeEntry("return", storetest.MustID(t), 1),
		"a kind of its own":      storetest.SomeEntry("gift", storetest.MustID(t), 1),
		"no id":                  storetest.SomeEntry("charge", []byte("x"), 1),
		"a source of its own": func() ledger.Entry {
			e := storetest.SomeEntry("charge", storetest.MustID(t), 1)
			e.Source = "guessed"
			return e
		}(),
		"prices that are no JSON": func() ledger.Entry {
			e := storetest.SomeEntry("charge", storetest.MustID(t), 1)
			e.Prices = json.RawMessage("{")
			return e
		}(),
	} {
		if booked, err := storetest.Book(db, owner, e); err == nil || booked {
			t.Errorf("%s was booked", name)
		}
	}
}

func TestLedgerIsAppendOnly(t *testing.T) {
	ctx := context.Background()
	db, owner := storetest.OpenLocal(t)
	if _, err := storetest.Book(db, owner, storetest.SomeEntry("charge", storetest.MustID(t), 300)); err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		"UPDATE ledger SET cost_nano_usd = 0",
		"UPDATE ledger SET basis = ''",
		"DELETE FROM ledger",
		"INSERT OR REPLACE INTO ledger (n, owner, kind, what, subject, model, cost_nano_usd, basis, source, created_ms) SELECT n, owner, kind, what, subject, model, 0, basis, source, created_ms FROM ledger",
		"UPDATE OR REPLACE ledger SET n = n + 1",
		"DELETE FROM users",
	} {
		if storetest.OnPostgres() && strings.Contains(statement, " OR REPLACE ") {
			continue // SQLite alone has it
		}
		err := db.Engine().Write(ctx, 0, func(w *engine.Tx) error {
			_, err := w.Exec(statement)
			return err
		})
		if err == nil || (!strings.Contains(err.Error(), "append-only") && !strings.Contains(strings.ToLower(err.Error()), "foreign key")) {
			t.Errorf("%s: %v", statement, err)
		}
	}
	if n, _ := db.Spent(ctx, owner, time.UnixMilli(0), time.UnixMilli(2000)); n != 300 {
		t.Errorf("spent %d, want 300", n)
	}
}

func TestLedgerDays(t *testing.T) {
	ctx := context.Background()
	db, owner := storetest.OpenLocal(t)
	at := func(s string) time.Time {
		v, err := time.Parse(time.RFC3339, s)
		storetest.Must(t, err)
		return v
	}
	for cost, when := range map[int64]string{1: "2026-03-01T23:30:00Z", 10: "2026-03-02T00:00:00Z", 100: "2026-03-02T22:59:59Z", 1000: "2026-03-02T23:30:00Z"} {
		e := storetest.SomeEntry("charge", storetest.MustID(t), cost)
		e.CreatedMS = at(when).UnixMilli()
		if _, err := storetest.Book(db, owner, e); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		from, to string
		want     int64
	}{
		"2 March in UTC":    {"2026-03-02T00:00:00Z", "2026-03-03T00:00:00Z", 1110},
		"2 March in Berlin": {"2026-03-02T00:00:00+01:00", "2026-03-03T00:00:00+01:00", 111},
		"nothing":           {"2026-03-04T00:00:00Z", "2026-03-05T00:00:00Z", 0},
		"backwards":         {"2026-03-03T00:00:00Z", "2026-03-02T00:00:00Z", 0},
	} {
		if got, err := db.Spent(ctx, owner, at(c.from), at(c.to)); err != nil || got != c.want {
			t.Errorf("%s: %d, %v; want %d", name, got, err, c.want)
		}
	}
	var day int64
	storetest.Must(t, db.Engine().At(ctx).Scan("SELECT day FROM ledger WHERE cost_nano_usd = 10", nil, &day))
	if want := at("2026-03-02T00:00:00Z").Unix() / 86400; day != want {
		t.Errorf("day %d, want %d", day, want)
	}
}

// Whatever is booked, and however often: totals are the sum of the rows that
// went in, for a span of time as for a conversation.
func TestTotalsAreSumsOfRows(t *testing.T) {
	ctx := context.Background()
	db, _ := storetest.OpenLocal(t)
	rapid.Check(t, func(rt *rapid.T) {
		owner := storetest.AddUser(t, db, "x")
		s := storetest.NewStart("", "x")
		storetest.Must(t, storetest.StartTurn(db, owner, s))
		conversation, _ := engine.ParseID(s.Conversation)
		subjects := [][]byte{storetest.MustID(t), storetest.MustID(t), storetest.MustID(t)}
		type key struct {
			subject int
			kind    string
		}
		booked := map[key]bool{}
		var total, within, ofConversation int64
		for range rapid.IntRange(0, 20).Draw(rt, "n") {
			k := key{rapid.IntRange(0, 2).Draw(rt, "subject"), rapid.SampledFrom([]string{"charge", "return", "correction"}).Draw(rt, "kind")}
			cost := rapid.Int64Range(0, 1e15).Draw(rt, "cost")
			if k.kind == "return" || (k.kind == "correction" && rapid.Bool().Draw(rt, "down")) {
				cost = -cost
			}
			e := storetest.SomeEntry(k.kind, subjects[k.subject], cost)
			e.CreatedMS = rapid.Int64Range(0, 1999).Draw(rt, "ms")
			if rapid.Bool().Draw(rt, "in the conversation") {
				e.Conversation = conversation
			}
			got, err := storetest.Book(db, owner, e)
			storetest.Must(t, err)
			want := k.kind == "correction" || !booked[k]
			if booked[k] = true; got != want {
				rt.Fatalf("%v: booked %v, want %v", k, got, want)
			}
			if !got {
				continue
			}
			total += cost
			if e.CreatedMS < 1000 {
				within += cost
			}
			if e.Conversation != nil {
				ofConversation += cost
			}
		}
		for to, want := range map[int64]int64{1000: within, 2000: total} {
			if got, err := db.Spent(ctx, owner, time.UnixMilli(0), time.UnixMilli(to)); err != nil || got != want {
				rt.Fatalf("spent to %d: %d, %v; want %d", to, got, err, want)
			}
		}
		if got, err := db.Conversation(ctx, owner, s.Conversation); err != nil || got.CostNanoUSD != ofConversation {
			rt.Fatalf("conversation: %d, %v; want %d", got.CostNanoUSD, err, ofConversation)
		}
	})
}

// An estimate marks its conversation, whatever else is booked.
// A row says what it paid for by the name that people know, until that is
// deleted.
func TestLedgerRowsNameWhatTheyPaidFor(t *testing.T) {
	db, ann := storetest.OpenLocal(t)
	v := db.Videos()
	plain, named := storetest.NewVideo(strings.Repeat("a long prompt ", 100)), storetest.NewVideo("a prompt")
	storetest.Taken(t, v, ann, plain)
	storetest.Taken(t, v, ann, named)
	storetest.Got(v.Edit(t.Context(), ann, wire.VideoEdit{ID: named.ID, Title: storetest.Ptr("Opening shot")}))
	s := storetest.NewStart(storetest.NewID(), "What is a ledger?")
	storetest.Must(t, storetest.StartTurn(db, ann, s), db.FinishRun(t.Context(), ann, storetest.Ended(storetest.RunOf(s), 7), "A book.", nil, nil, nil))

	want := map[string]string{plain.ID: plain.Prompt[:200] + " 6", named.ID: "Opening shot 6", s.Run: storetest.Got(db.Conversation(t.Context(), ann, s.Conversation)).Title + " 0"}
	for _, step := range []struct {
		name   string
		change func()
	}{
		{"as long as it is there", func() {}},
		{"once it was deleted", func() {
			storetest.Must(t, db.DeleteConversation(t.Context(), ann, s.Conversation))
			want[s.Run] = " 0"
		}},
	} {
		step.change()
		n := 0
		storetest.Must(t, db.EachLedger(t.Context(), ann, wire.LedgerQuery{}, func(r wire.LedgerRow) error {
			n++
			if said := fmt.Sprint(r.Title, " ", r.Seconds); said != want[r.Subject] {
				t.Errorf("%s: %q, want %q", step.name, said, want[r.Subject])
			}
			return nil
		}))
		if n != 3 {
			t.Errorf("%s: %d rows", step.name, n)
		}
	}
}

func TestEstimateIsMarked(t *testing.T) {
	ctx := context.Background()
	db, owner := storetest.OpenLocal(t)
	s := storetest.NewStart("", "x")
	storetest.Must(t, storetest.StartTurn(db, owner, s))
	r := storetest.Ended(storetest.RunOf(s), 10)
	r.CostSource = "estimated"
	storetest.Must(t, db.FinishRun(ctx, owner, r, "", nil, nil, json.RawMessage(`{"input":"1.25"}`)))
	if got, err := db.Conversation(ctx, owner, s.Conversation); err != nil || !got.Estimated {
		t.Errorf("%+v, %v", got, err)
	}
	// The late figure is a row of its own, and the run shows the sum.
	e := storetest.SomeEntry("correction", nil, rand.Int64N(100))
	e.Subject, _ = engine.ParseID(s.Run)
	e.Source, e.Basis = "reported", "late"
	if _, err := storetest.Book(db, owner, e); err != nil {
		t.Fatal(err)
	}
	if got, err := db.Run(ctx, owner, s.Run); err != nil || got.CostNanoUSD != 10+e.CostNanoUSD || got.CostSource != "reported" || got.Basis != "late" {
		t.Errorf("%+v, %v; want %d, reported", got, err, 10+e.CostNanoUSD)
	}
	var prices string
	storetest.Must(t, db.Engine().At(ctx).Scan("SELECT prices FROM ledger WHERE kind = 'charge'", nil, &prices))
	if prices != `{"input":"1.25"}` {
		t.Errorf("prices %q", prices)
	}
}
