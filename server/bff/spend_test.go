package bff_test

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"screentest/server/bff"
	"screentest/server/wiretest"
	"screentest/shared/wire"
)

// today is a query for the day that now is in, in UTC.
func today(split string) wire.SpendQuery {
	from := time.Now().UTC().Truncate(24 * time.Hour)
	day := func(n int) int64 { return from.AddDate(0, 0, n).UnixMilli() }
	return wire.SpendQuery{Days: []int64{day(-1), day(0), day(1)}, Today: day(0), Week: day(-6), Month: day(-27), Tomorrow: day(1), Split: split}
}

// call is Client.Call that fails the test.
func call[T any](w *world, c *wiretest.Client, op wire.Op, args any) (out T) {
	w.t.Helper()
	if err := c.Call(w.t.Context(), op, args, &out); err != nil {
		w.t.Fatal(err)
	}
	return out
}

// spent has a run answered and returns it.
func (w *world) spent(c *wiretest.Client) wire.Run {
	w.t.Helper()
	s := turn()
	w.start(c, s)
	r, err := c.RunEnd(w.t.Context(), s.Run)
	if err != nil || r.CostNanoUSD == 0 {
		w.t.Fatalf("%+v, %v", r, err)
	}
	return r
}

func TestWhatWasSpentIsOnThePage(t *testing.T) {
	w := keyed(t, nil)
	c := w.dial()
	r := w.spent(c)
	page := call[wire.Spend](w, c, wire.OpSpend, today(wire.SplitByModel))
	for name, sum := range map[string]wire.Sum{"today": page.Today, "week": page.Week, "month": page.Month, "range": page.Range, "its model": page.Models[0].Sum, "its person": page.People[0].Sum} {
		if sum != (wire.Sum{NanoUSD: r.CostNanoUSD, ChargedNanoUSD: r.CostNanoUSD, Rows: 1}) {
			t.Errorf("%s: %+v", name, sum)
		}
	}
	if page.ReservedNanoUSD != 0 || page.Keys[0] != r.Model || page.Days[0].NanoUSD+page.Days[1].NanoUSD != r.CostNanoUSD || page.Models[0].InputTokens != r.InputTokens {
		t.Errorf("%+v", page)
	}
	ledger := call[wire.LedgerPage](w, c, wire.OpLedger, wire.LedgerQuery{Model: r.Model})
	if len(ledger.Rows) != 1 || ledger.Rows[0].Subject != r.ID || ledger.Rows[0].Message != r.Message || ledger.Rows[0].Basis != r.Basis || ledger.Total.NanoUSD != r.CostNanoUSD {
		t.Errorf("%+v", ledger)
	}
	row := call[wire.LedgerRow](w, c, wire.OpCorrect, wire.Correction{Subject: r.ID, CostNanoUSD: r.CostNanoUSD + 5})
	if row.CostNanoUSD != 5 || row.Kind != wire.KindCorrection {
		t.Errorf("%+v", row)
	}
	if page := call[wire.Spend](w, c, wire.OpSpend, today("")); page.Today.NanoUSD != r.CostNanoUSD+5 || page.Today.CorrectedNanoUSD != 5 {
		t.Errorf("corrected %+v", page.Today)
	}
	r.CostNanoUSD += 5
	all := today("")
	all.Everybody = true
	if page := call[wire.Spend](w, c, wire.OpSpend, all); page.Range.NanoUSD != r.CostNanoUSD || !page.MayEverybody {
		t.Errorf("everybody's %+v", page)
	}
}

// A warning reaches every tab, once; a budget that is reached refuses a send
// with the figures, and the page shows how it stands.
func TestABudgetIsKept(t *testing.T) {
	w := keyed(t, nil)
	c, other := w.dial(), w.dial()
	cost := w.spent(c).CostNanoUSD
	const room = 1_000_000_000
	b := call[wire.Budgets](w, c, wire.OpSetBudget, wire.BudgetSettings{DayNanoUSD: room, WarnPercent: 1, MaxOutput: 10})
	if len(b.States) != 1 || b.States[0].SpentNanoUSD != cost || b.States[0].LimitNanoUSD != room || b.States[0].Warn {
		t.Fatalf("%+v", b)
	}
	// The other tab hears of it.
	if now, err := wiretest.News(t.Context(), other, wire.EventBudgets, func(wire.Budgets) bool { return true }); err != nil || now.Settings.DayNanoUSD != room || len(now.States) != 1 {
		t.Errorf("the other tab is told %+v, %v", now, err)
	}
	// A run that cost nearly all of it, from another tab or another day's end.
	if err := w.db.FinishRun(t.Context(), w.owner, wire.Run{ID: uuid.NewString(), State: wire.Done, Model: "m", StartedMS: time.Now().UnixMilli(), CostNanoUSD: room - cost - 1, CostSource: "reported"}, "", nil, nil, nil); err != nil {
		t.Fatal(err)
	}
	refused := turn()
	if err := c.Call(t.Context(), wire.OpStart, refused, nil); err != nil {
		t.Fatal(err)
	}
	r, err := c.RunEnd(t.Context(), refused.Run)
	if p := r.Problem; err != nil || r.State != wire.Failed || p == nil || p.Code != wire.CodeBudgetReached || !strings.Contains(p.Message, "$1.00") || p.Hint == "" {
		t.Fatalf("%+v, %v", r, err)
	}
	if o := call[wire.Opened](w, c, wire.OpOpen, wire.Page{Conversation: refused.Conversation}); len(o.Messages) != 2 || o.Messages[0].Text != refused.User.Text || o.Messages[1].Run.Problem.Code != wire.CodeBudgetReached {
		t.Errorf("kept of what was refused: %+v", o)
	}
	w.budget.Booked(w.owner, "")
	for _, tab := range []*wiretest.Client{c, other} {
		s, err := wiretest.News(t.Context(), tab, wire.EventBudget, func(wire.BudgetState) bool { return true })
		if err != nil || !s.Warn || s.Scope != wire.ScopePerson || s.Period != wire.PeriodDay {
			t.Errorf("%+v, %v", s, err)
		}
	}
	if page := call[wire.Spend](w, c, wire.OpSpend, today("")); len(page.Budgets) != 1 || !page.Budgets[0].Warn || page.Budgets[0].SpentNanoUSD != room-1 {
		t.Errorf("%+v", page.Budgets)
	}
	if got := call[wire.Budgets](w, c, wire.OpBudgets, nil); got.Settings.DayNanoUSD != room || got.Settings.WarnPercent != 1 {
		t.Errorf("%+v", got)
	}
	call[wire.Budgets](w, c, wire.OpSetBudget, wire.BudgetSettings{})
	w.spent(c)
}

func TestWhatIsKeptAndWhatItTakes(t *testing.T) {
	w := keyed(t, nil)
	c := w.dial()
	w.spent(c)
	if r := call[wire.Retention](w, c, wire.OpSetKeep, wire.Retention{WireDays: 30, ClipDays: 90}); r.WireDays != 30 {
		t.Errorf("%+v", r)
	}
	if r := call[wire.Retention](w, c, wire.OpKeep, nil); r != (wire.Retention{WireDays: 30, ClipDays: 90}) {
		t.Errorf("%+v", r)
	}
	var p *wire.Problem
	if err := c.Call(t.Context(), wire.OpSetKeep, wire.Retention{WireDays: -1}, nil); !errors.As(err, &p) || p.Field != "wire_days" {
		t.Errorf("%v", err)
	}
	s := call[wire.Storage](w, c, wire.OpStorage, nil)
	if len(s.Kinds) < 5 || s.Bytes < 100_000 {
		t.Errorf("%+v", s)
	}
}

// heldStorage is a Storage that begins to look when gate is closed.
type heldStorage struct {
	of          bff.Storage
	asked, gate chan struct{}
}

func (h heldStorage) Storage(ctx context.Context) (wire.Storage, error) {
	close(h.asked)
	select {
	case <-h.gate:
	case <-ctx.Done():
	}
	return h.of.Storage(ctx)
}

// Looking at a large data folder takes seconds: what else the tab asks for
// does not wait for it.
func TestWhatIsStoredHoldsNothingUp(t *testing.T) {
	held := heldStorage{asked: make(chan struct{}), gate: make(chan struct{})}
	w := keyed(t, func(c *bff.Config) {
		held.of, c.Storage = c.Storage, &held
	})
	c := w.dial()
	looked := make(chan error, 1)
	go func() { looked <- c.Call(t.Context(), wire.OpStorage, nil, nil) }()
	<-held.asked
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	if err := c.Call(ctx, wire.OpPing, nil, nil); err != nil {
		t.Errorf("a ping waited for it: %v", err)
	}
	close(held.gate)
	if err := <-looked; err != nil {
		t.Error(err)
	}
}

func TestOnlyWhoRunsTheServerSeesEverybody(t *testing.T) {
	w := keyed(t, nil)
	w.budget.MayEverybody = func(string) bool { return false }
	c := w.dial()
	q := today("")
	q.Everybody = true
	var p *wire.Problem
	if err := c.Call(t.Context(), wire.OpSpend, q, nil); !errors.As(err, &p) || p.Code != "not_allowed" {
		t.Errorf("spend: %v", err)
	}
	if err := c.Call(t.Context(), wire.OpSetBudget, wire.BudgetSettings{EverybodyDayNanoUSD: 1}, nil); !errors.As(err, &p) || p.Code != "not_allowed" {
		t.Errorf("budget: %v", err)
	}
}

// Who opens the file sees what was paid for, and when by their own clock.
func TestTheLedgerAsAFileHasTitlesAndLocalTime(t *testing.T) {
	w := keyed(t, nil)
	c := w.dial()
	r := w.spent(c)
	body := w.do(nil, "GET", wire.LedgerCSV+"?zone=Asia/Kathmandu", "").body
	lines, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(body, "\ufeff"))).ReadAll()
	if err != nil || len(lines) != 2 {
		t.Fatalf("%q, %v", body, err)
	}
	cell := map[string]string{}
	for i, name := range lines[0] {
		cell[name] = lines[1][i]
	}
	o := call[wire.Opened](w, c, wire.OpOpen, wire.Page{Conversation: r.Conversation})
	utc, err := time.Parse(time.RFC3339, cell["time"])
	if err != nil {
		t.Fatal(err)
	}
	local := utc.Add(5*time.Hour + 45*time.Minute).Format(time.DateTime)
	if cell["title"] == "" || cell["title"] != o.Summary.Title || cell["seconds"] != "" || cell["local_time"] != local || cell["zone"] != "Asia/Kathmandu" {
		t.Errorf("%q", cell)
	}
	if res := w.do(nil, "GET", wire.LedgerJSON+"?zone=UTC", ""); res.StatusCode != http.StatusBadRequest {
		t.Errorf("JSON has no local time: %s", res.Status)
	}
}

func TestTheLedgerAsAFile(t *testing.T) {
	w := newWorld(t, nil)
	now := time.Date(2026, 3, 1, 12, 0, 0, 5e6, time.UTC).UnixMilli()
	models := []string{"vendor/model-a", `=HYPERLINK("https://evil.example")`, "+1", "-1", "@SUM(A1)", "\tx", "a,b", `"q"`}
	for i, model := range models {
		r := wire.Run{ID: uuid.NewString(), State: wire.Done, Model: model, StartedMS: now + int64(i), CostNanoUSD: 1_500_000_000 + int64(i), CostSource: "reported", Basis: "=1+1", InputTokens: 3}
		if err := w.db.FinishRun(t.Context(), w.owner, r, "", nil, nil, json.RawMessage(`{"input":"1"}`)); err != nil {
			t.Fatal(err)
		}
	}
	res := w.do(nil, "GET", wire.LedgerCSV, "")
	if res.StatusCode != 200 || res.Header.Get("Content-Type") != "text/csv; charset=utf-8" || !strings.Contains(res.Header.Get("Content-Disposition"), `attachment; filename="screentest-ledger-20`) {
		t.Errorf("%s %v", res.Status, res.Header)
	}
	text, marked := strings.CutPrefix(res.body, "\ufeff")
	if !marked {
		t.Error("without a byte-order mark Excel takes it for another encoding")
	}
	lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(lines) != len(models)+1 {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	column := map[string]int{}
	for i, name := range lines[0] {
		column[name] = i
	}
	for i, line := range lines[1:] {
		model := models[len(models)-1-i] // newest first
		want := model
		if strings.ContainsRune("=+-@\t", rune(model[0])) {
			want = "'" + model
		}
		if got := line[column["model"]]; got != want {
			t.Errorf("model %q is %q", model, got)
		}
		if line[column["basis"]] != "'=1+1" {
			t.Errorf("basis %q", line[column["basis"]])
		}
		for _, cell := range line {
			if cell != "" && strings.ContainsRune("=+-@\t", rune(cell[0])) {
				t.Errorf("a spreadsheet would calculate %q", cell)
			}
		}
		if nano, err := strconv.ParseInt(line[column["cost_nano_usd"]], 10, 64); err != nil || nano != 1_500_000_000+int64(len(models)-1-i) {
			t.Errorf("cost %q", line[column["cost_nano_usd"]])
		}
	}
	if first := lines[len(models)]; first[column["time"]] != "2026-03-01T12:00:00.005Z" || first[column["local_time"]] != "2026-03-01 12:00:00" || first[column["zone"]] != "UTC" || first[column["cost_usd"]] != "1.50" {
		t.Errorf("the first is %q", first)
	}

	var rows []wire.LedgerRow
	if err := json.Unmarshal([]byte(w.do(nil, "GET", wire.LedgerJSON, "").body), &rows); err != nil || len(rows) != len(models) || rows[1].Model != `"q"` && rows[0].Model != `"q"` {
		t.Errorf("JSON: %+v, %v", rows, err)
	}
	for query, n := range map[string]int{
		"?model=%2B1": 1, "?what=video": 0, "?what=text&min_nano_usd=1500000002&max_nano_usd=1500000004": 3,
		"?from=" + strconv.FormatInt(now+6, 10): 2, "?to=" + strconv.FormatInt(now+1, 10): 1, "?kind=return": 0,
	} {
		var rows []wire.LedgerRow
		if err := json.Unmarshal([]byte(w.do(nil, "GET", wire.LedgerJSON+query, "").body), &rows); err != nil || len(rows) != n || rows == nil {
			t.Errorf("%s: %d rows, %v; want %d", query, len(rows), err, n)
		}
	}
	for query, code := range map[string]string{"?colour=red": "unknown_filter", "?from=noon": "invalid_filter", "?subject=x": "bad_id", "?from=-5": "bad_time", "?zone=Mars/Olympus": "invalid_filter", "?zone=Local": "invalid_filter"} {
		if res := w.do(nil, "GET", wire.LedgerCSV+query, ""); res.StatusCode != http.StatusBadRequest || !strings.Contains(res.body, code) {
			t.Errorf("%s: %s %s", query, res.Status, res.body)
		}
	}
	if res := w.do(nil, "HEAD", wire.LedgerCSV, ""); res.StatusCode != 200 || res.body != "" {
		t.Errorf("HEAD: %s %q", res.Status, res.body)
	}
	if res := w.do(nil, "POST", wire.LedgerCSV, ""); res.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST: %s", res.Status)
	}
}
