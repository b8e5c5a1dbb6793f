package spend

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"time"

	"screentest/app/session"
	"screentest/shared/wire"
)

// zoned is a clock of a place, which stands still.
type zoned struct {
	at  time.Time
	loc *time.Location
}

func at(t *testing.T, place, now string) zoned {
	t.Helper()
	loc, err := time.LoadLocation(place)
	if err != nil {
		t.Fatal(err)
	}
	when, err := time.ParseInLocation(time.DateTime, now, loc)
	if err != nil {
		t.Fatal(err)
	}
	return zoned{when, loc}
}

func (c zoned) date(t time.Time) Date {
	y, m, d := t.In(c.loc).Date()
	return Date{y, m, d}
}
func (c zoned) Today() Date          { return c.date(c.at) }
func (c zoned) DateOf(ms int64) Date { return c.date(time.UnixMilli(ms)) }
func (c zoned) Midnight(d Date) int64 {
	return time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, c.loc).UnixMilli()
}
func (c zoned) Time(ms int64) string { return time.UnixMilli(ms).In(c.loc).Format(time.TimeOnly) }
func (c zoned) now() time.Time       { return c.at }
func (c zoned) Zone() string         { return c.loc.String() }

// server answers calls when it is told to.
type server struct {
	t     *testing.T
	calls []call
}

type call struct {
	op   wire.Op
	args any
	done func(json.RawMessage, *wire.Problem)
}

func (s *server) Call(op wire.Op, args any, done func(json.RawMessage, *wire.Problem)) {
	s.calls = append(s.calls, call{op, args, done})
}
func (s *server) Once(op wire.Op, args any, done func(json.RawMessage, *wire.Problem)) {
	s.Call(op, args, done)
}

// last is the newest call of an op.
func (s *server) last(op wire.Op) call {
	s.t.Helper()
	for i := len(s.calls) - 1; i >= 0; i-- {
		if s.calls[i].op == op {
			return s.calls[i]
		}
	}
	s.t.Fatalf("no call of %s", op)
	return call{}
}

func (c call) answer(t *testing.T, v any) {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	c.done(data, nil)
}

type later struct {
	waiting []func()
	told    []string
}

func (l *later) after(_ time.Duration, f func()) func() {
	l.waiting = append(l.waiting, f)
	return func() {}
}

func desk(t *testing.T, c Clock) (*Desk, *server, *later) {
	s, l := &server{t: t}, &later{}
	return NewDesk(Options{Server: s, Clock: c, After: l.after, Now: c.(zoned).now, Tell: func(words string) { l.told = append(l.told, words) }, Changed: func() {}}), s, l
}

func TestDaysAreTheViewersOwn(t *testing.T) {
	for _, c := range []struct {
		name, place, now, query string
		days                    int
		first, end              string
		hours                   int // of all days shown
	}{
		{"the night in which the clock goes back is longer", "Europe/Berlin", "2026-10-26 09:00:00", "range=7", 7, "2026-10-20", "2026-10-27", 7*24 + 1},
		{"the night in which it goes forward is shorter", "America/New_York", "2026-03-08 23:59:59", "range=7", 7, "2026-03-02", "2026-03-09", 7*24 - 1},
		{"a zone of a quarter of an hour", "Asia/Kathmandu", "2026-11-21 00:00:01", "", 30, "2026-10-23", "2026-11-22", 30 * 24},
		{"the month so far", "Pacific/Auckland", "2026-11-03 12:00:00", "range=month", 3, "2026-11-01", "2026-11-04", 72},
		{"days of one's own", "UTC", "2026-11-21 12:00:00", "range=custom&from=2024-02-28&to=2024-03-01", 3, "2024-02-28", "2024-03-02", 72},
		{"days that are none are not taken", "UTC", "2026-11-21 12:00:00", "range=custom&from=2024-02-30&to=x", 30, "2026-10-23", "2026-11-22", 720},
	} {
		t.Run(c.name, func(t *testing.T) {
			clock := at(t, c.place, c.now)
			q, err := url.ParseQuery(c.query)
			if err != nil {
				t.Fatal(err)
			}
			got := ParseView(q).query(clock)
			if n := len(got.Days) - 1; n != c.days {
				t.Fatalf("%d days, want %d", n, c.days)
			}
			if first, end := clock.DateOf(got.Days[0]).String(), clock.DateOf(got.Days[c.days]).String(); first != c.first || end != c.end {
				t.Errorf("from %s to before %s, want %s and %s", first, end, c.first, c.end)
			}
			if hours := (got.Days[c.days] - got.Days[0]) / time.Hour.Milliseconds(); hours != int64(c.hours) {
				t.Errorf("%d hours, want %d", hours, c.hours)
			}
			// The tiles end with today, whatever days are shown.
			if tomorrow := clock.DateOf(got.Tomorrow); tomorrow != clock.Today().Plus(1) || got.Tomorrow != clock.Midnight(tomorrow) {
				t.Errorf("the tiles end on %v", tomorrow)
			}
			for _, ms := range append(got.Days, got.Today, got.Week, got.Month, got.Tomorrow) {
				if ms%(15*time.Minute).Milliseconds() != 0 {
					t.Errorf("%d does not lie on a quarter of an hour", ms)
				}
			}
		})
	}
}

func TestTheAddressHoldsTheView(t *testing.T) {
	for _, query := range []string{
		"", "range=7", "range=month&split=model", "from=2026-01-31&range=custom&to=2026-02-01",
		"day=2026-11-20&kind=return&model=vendor%2Fmodel-a&source=estimated&what=text&who=everybody",
	} {
		q, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		want := Path
		if query != "" {
			want += "?" + query
		}
		u, err := url.Parse(ParseView(q).Address())
		if err != nil {
			t.Fatal(err)
		}
		if got := u.Path + "?" + u.Query().Encode(); strings.TrimSuffix(got, "?") != want {
			t.Errorf("%q became %q", want, got)
		}
	}
	q, _ := url.ParseQuery("range=9&split=x&day=soon&kind=theft&what=audio&source=guess")
	if got := ParseView(q).Address(); got != Path {
		t.Errorf("nonsense became %q", got)
	}
}

func TestCustomDaysThatCannotBeShownSayWhy(t *testing.T) {
	d, s, _ := desk(t, at(t, "UTC", "2026-11-21 12:00:00"))
	for query, want := range map[string]string{
		"range=custom&from=2026-02-02&to=2026-02-01": "after the last",
		"range=custom&from=2020-01-01&to=2026-02-01": "400 days",
		"range=custom&from=1960-01-01&to=1960-01-31": "before 1971",
	} {
		q, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		d.Go(ParseView(q))
		if !strings.Contains(d.Trouble, want) {
			t.Errorf("%s: %q, want %q in it", query, d.Trouble, want)
		}
		if d.View.Downloadable() != (want == "400 days") {
			t.Errorf("%s: can be downloaded: %v", query, d.View.Downloadable())
		}
	}
	if len(s.calls) != 0 {
		t.Errorf("the server was asked all the same: %v", s.calls)
	}
}

func TestAnAnswerToAnOlderQuestionIsDropped(t *testing.T) {
	d, s, _ := desk(t, at(t, "UTC", "2026-11-21 12:00:00"))
	d.Go(View{Range: Week})
	older := s.last(wire.OpSpend)
	d.Go(View{Range: Month})
	s.last(wire.OpSpend).answer(t, wire.Spend{ReservedNanoUSD: 2})
	older.answer(t, wire.Spend{ReservedNanoUSD: 1})
	if d.Spend.ReservedNanoUSD != 2 {
		t.Errorf("the page shows %+v", d.Spend)
	}
}

func TestLedgerPagesFollowEachOther(t *testing.T) {
	d, s, _ := desk(t, at(t, "UTC", "2026-11-21 12:00:00"))
	d.Go(View{Range: Week, Day: Date{2026, 11, 20}, Model: "m"})
	first := s.last(wire.OpLedger)
	if q := first.args.(wire.LedgerQuery); q.From != 1795132800000 || q.To-q.From != 86_400_000 || q.Model != "m" {
		t.Errorf("asked for %+v", q)
	}
	first.answer(t, wire.LedgerPage{Rows: []wire.LedgerRow{{N: 2}}, Before: "2", Total: &wire.Sum{Rows: 2}})
	d.FetchMore()
	d.FetchMore() // a double click
	second := s.last(wire.OpLedger)
	if n := len(s.calls); n != 3 || second.args.(wire.LedgerQuery).Before != "2" {
		t.Fatalf("%d calls, the last %+v", n, second.args)
	}
	second.answer(t, wire.LedgerPage{Rows: []wire.LedgerRow{{N: 1}}})
	if len(d.Rows) != 2 || d.Rows[1].N != 1 || d.More || d.Total.Rows != 2 {
		t.Errorf("rows %+v, more %v, total %+v", d.Rows, d.More, d.Total)
	}
}

func TestTheShownPageFollowsWhatIsSpent(t *testing.T) {
	d, s, l := desk(t, at(t, "UTC", "2026-11-21 12:00:00"))
	ended := wire.Run{ID: "r", State: wire.Done}
	d.News(ended)
	if len(l.waiting) != 0 {
		t.Error("a page that is not shown is kept up to date")
	}
	d.Go(View{Range: Week})
	before := len(s.calls)
	d.News(ended)
	d.News(ended)
	if len(l.waiting) != 1 {
		t.Fatalf("%d renewals are planned, want one for both", len(l.waiting))
	}
	l.waiting[0]()
	if len(s.calls) != before+2 {
		t.Errorf("%d calls for a renewal", len(s.calls)-before)
	}
}

func TestBarsAddUp(t *testing.T) {
	clock := at(t, "UTC", "2026-11-21 12:00:00")
	d, _, _ := desk(t, clock)
	d.Spend = &wire.Spend{
		Keys: []string{wire.WhatVideo, wire.WhatText},
		Days: []wire.SpendDay{
			{FromMS: clock.Midnight(Date{2026, 11, 19}), NanoUSD: 7_500_000_000, Parts: []int64{5_000_000_000, 2_500_000_000}},
			{FromMS: clock.Midnight(Date{2026, 11, 20}), NanoUSD: -1_900_000_000, Parts: []int64{-2_000_000_000, 100_000_000}},
			{FromMS: clock.Midnight(Date{2026, 11, 21}), Parts: []int64{0, 0}},
		},
	}
	c := d.Chart()
	if low, high := c.Ticks[0], c.Ticks[len(c.Ticks)-1]; low.At != 0 || high.At != scale || low.Label != "−$5.00" || high.Label != "$10.00" {
		t.Errorf("the lines go from %+v to %+v", low, high)
	}
	zero := scale / 3 // between −5 and 10
	up := c.Bars[0].Parts
	if len(up) != 2 || up[0].Bottom != zero || up[0].Bottom+up[0].Height != up[1].Bottom || up[1].Bottom+up[1].Height != 833 {
		t.Errorf("the first day's parts are %+v", up)
	}
	if down := c.Bars[1].Parts[0]; down.Bottom+down.Height != zero || down.Height != 133 {
		t.Errorf("a return hangs from the line of nothing: %+v", down)
	}
	if len(c.Bars[2].Parts) != 0 {
		t.Errorf("a day of nothing has parts: %+v", c.Bars[2].Parts)
	}
	if want := "Thu 19 Nov: $7.50, video $5.00, text $2.50"; c.Bars[0].Label != want {
		t.Errorf("the first day says %q, want %q", c.Bars[0].Label, want)
	}
}

func TestChartsOfAnyAmountHaveAFewLines(t *testing.T) {
	clock := at(t, "UTC", "2026-11-21 12:00:00")
	d, _, _ := desk(t, clock)
	for _, most := range []int64{0, 1, 7, 999, 1_300_000, 86_410_000_000, 1 << 60} {
		d.Spend = &wire.Spend{Keys: []string{"text"}, Days: []wire.SpendDay{{FromMS: clock.Midnight(Date{2026, 11, 21}), NanoUSD: most, Parts: []int64{most}}}}
		if n := len(d.Chart().Ticks); n < 2 || n > 7 {
			t.Errorf("%d lines for %d nano-dollars", n, most)
		}
	}
	// Nobody counts in billionths of a dollar where nothing was spent.
	d.Spend = &wire.Spend{Keys: []string{"text"}, Days: []wire.SpendDay{{FromMS: clock.Midnight(Date{2026, 11, 21}), Parts: []int64{0}}}}
	if ticks := d.Chart().Ticks; len(ticks) != 2 || ticks[0].Label != "$0" || ticks[1].Label != "$0.01" || ticks[1].At != scale {
		t.Errorf("the lines of nothing are %+v", ticks)
	}
}

func TestBudgetsAreCheckedBeforeTheyAreSent(t *testing.T) {
	d, s, _ := desk(t, at(t, "Europe/Berlin", "2026-11-21 12:00:00"))
	d.Budgets.Want()
	d.Budgets.Want()
	if len(s.calls) != 1 {
		t.Fatalf("asked %d times", len(s.calls))
	}
	s.last(wire.OpBudgets).answer(t, wire.Budgets{})
	if f := d.Budgets.Shown(); f.Zone != "Europe/Berlin" || f.Warn != "80" || f.MaxOutput != "16384" || f.Day != "" {
		t.Errorf("an empty form shows %+v", f)
	}
	d.Budgets.Type(func(f *BudgetForm) { f.Day, f.Month, f.Warn, f.MaxOutput = "ten", "0", "101", "" })
	d.Budgets.Save()
	for _, field := range []string{FieldDay, FieldMonth, FieldWarn, FieldMaxOutput} {
		if d.Budgets.Wrong[field] == "" {
			t.Errorf("%s is not complained of", field)
		}
	}
	if len(s.calls) != 1 {
		t.Fatal("a wrong form was sent")
	}
	d.Budgets.Type(func(f *BudgetForm) { f.Day, f.Month, f.Warn, f.MaxOutput = "$2.50", " 40 ", "75", "9000" })
	if len(d.Budgets.Wrong) != 0 {
		t.Errorf("still wrong: %v", d.Budgets.Wrong)
	}
	d.Budgets.Save()
	d.Budgets.Save() // a double click
	set := s.last(wire.OpSetBudget)
	want := wire.BudgetSettings{DayNanoUSD: 2_500_000_000, MonthNanoUSD: 40_000_000_000, WarnPercent: 75, MaxOutput: 9000, Zone: "Europe/Berlin"}
	if got := set.args.(wire.BudgetSettings); got != want || len(s.calls) != 2 {
		t.Errorf("sent %+v in %d calls", got, len(s.calls))
	}
	set.done(nil, &wire.Problem{Message: "No such zone."})
	if f := d.Budgets.Shown(); f.Day != "$2.50" || d.Budgets.Saved {
		t.Errorf("what was typed is gone: %+v", f)
	}
	d.Budgets.Save()
	s.last(wire.OpSetBudget).answer(t, wire.Budgets{Settings: want, States: []wire.BudgetState{{}}})
	if f := d.Budgets.Shown(); f.Day != "2.5" || !d.Budgets.Saved || d.Budgets.Form != nil {
		t.Errorf("after saving the form shows %+v", f)
	}
}

func TestRetentionIsCheckedBeforeItIsSent(t *testing.T) {
	d, s, _ := desk(t, at(t, "UTC", "2026-11-21 12:00:00"))
	d.Keep.Want()
	s.last(wire.OpKeep).answer(t, wire.Retention{WireDays: 30})
	s.last(wire.OpStorage).answer(t, wire.Storage{Bytes: 5})
	if w, c := d.Keep.Shown(); w != "30" || c != "" {
		t.Errorf("shown are %q and %q", w, c)
	}
	d.Keep.TypeClips("0")
	d.Keep.TypeWire("")
	d.Keep.Save()
	if d.Keep.Wrong[FieldClips] == "" || d.Keep.Wrong[FieldWire] != "" {
		t.Errorf("wrong is %v", d.Keep.Wrong)
	}
	d.Keep.TypeClips("14")
	d.Keep.Save()
	if got := s.last(wire.OpSetKeep).args.(wire.Retention); got != (wire.Retention{ClipDays: 14}) {
		t.Errorf("sent %+v", got)
	}
}

func TestRowsLeadToWhatTheyPaidFor(t *testing.T) {
	for _, c := range []struct {
		row      wire.LedgerRow
		name, to string
	}{
		{wire.LedgerRow{Kind: wire.KindCharge, What: wire.WhatText, Model: "m", Conversation: "c", Message: "a"}, "Text · m", "/c/c?m=a"},
		{wire.LedgerRow{Kind: wire.KindCharge, What: wire.WhatText, Model: "m", Subject: "r"}, "Text · m", ""},
		{wire.LedgerRow{Kind: wire.KindReturn, What: wire.WhatVideo, Model: "m", Subject: "t"}, "Return · m", "/video/t"},
		{wire.LedgerRow{Kind: wire.KindCorrection, What: wire.WhatText, Model: "m", Conversation: "c"}, "Correction · m", "/c/c"},
	} {
		if got := RowName(c.row); got != c.name {
			t.Errorf("%+v is called %q", c.row, got)
		}
		if got := RowAddress(c.row); got != c.to {
			t.Errorf("%+v leads to %q", c.row, got)
		}
	}
}

func TestBudgetsOfEverybodyAreForSeveralPeople(t *testing.T) {
	for _, c := range []struct {
		name string
		now  *wire.Budgets
		want bool
	}{
		{"not known yet", nil, false},
		{"others, who may not", &wire.Budgets{}, false},
		{"others, and one may", &wire.Budgets{MayEverybody: true}, true},
		{"alone", &wire.Budgets{MayEverybody: true, Alone: true}, false},
		{"alone, and one was set before", &wire.Budgets{MayEverybody: true, Alone: true, Settings: wire.BudgetSettings{EverybodyDayNanoUSD: 1}}, true},
	} {
		if got := (&Budgets{Now: c.now}).ForEverybody(); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// Everybody's share and zone have fields of their own, and go to the server
// only from who sees them.
func TestEverybodysShareAndZoneAreInTheForm(t *testing.T) {
	d, s, _ := desk(t, at(t, "Europe/Berlin", "2026-11-21 12:00:00"))
	d.Budgets.Want()
	set := wire.BudgetSettings{DayNanoUSD: 1, EverybodyDayNanoUSD: 2, WarnPercent: 80, EverybodyWarnPercent: 60, EverybodyZone: "Asia/Tokyo", MaxOutput: 5}
	s.last(wire.OpBudgets).answer(t, wire.Budgets{MayEverybody: true, Settings: set})
	if f := d.Budgets.Shown(); f.EverybodyWarn != "60" || f.EverybodyZone != "Asia/Tokyo" || f.Zone != "UTC" {
		t.Errorf("shown %+v", f)
	}
	d.Budgets.Type(func(f *BudgetForm) { f.EverybodyWarn = "0" })
	if d.Budgets.Save(); d.Budgets.Wrong[FieldEverybodyWarn] == "" {
		t.Error("a share of nothing is not complained of")
	}
	d.Budgets.Type(func(f *BudgetForm) { f.EverybodyWarn, f.EverybodyZone = "70", "" })
	d.Budgets.Save()
	if got := s.last(wire.OpSetBudget).args.(wire.BudgetSettings); got.EverybodyWarnPercent != 70 || got.EverybodyZone != "UTC" || got.WarnPercent != 80 {
		t.Errorf("sent %+v", got)
	}
	s.last(wire.OpSetBudget).answer(t, wire.Budgets{Settings: set})
	d.Budgets.Save()
	if got := s.last(wire.OpSetBudget).args.(wire.BudgetSettings); got.EverybodyWarnPercent != 0 || got.EverybodyZone != "" || got.EverybodyDayNanoUSD != 2 {
		t.Errorf("who does not see them sent %+v", got)
	}
}

// berlin is a budget of the day by the days of Berlin, 21 November 2026.
func berlin(t *testing.T, spent int64) wire.BudgetState {
	t.Helper()
	c := at(t, "Europe/Berlin", "2026-11-21 12:00:00")
	return wire.BudgetState{
		Scope: wire.ScopePerson, Period: wire.PeriodDay, LimitNanoUSD: 5_000_000_000, SpentNanoUSD: spent, Zone: "Europe/Berlin",
		FromMS: c.Midnight(Date{2026, 11, 21}), ToMS: c.Midnight(Date{2026, 11, 22}), Warn: spent >= 4_000_000_000,
	}
}

func TestABudgetSaysHowMuchIsUsedAndWhenItBeginsAnew(t *testing.T) {
	for _, c := range []struct {
		name, place     string
		spent, reserved int64
		want            string
	}{
		{"at home", "Europe/Berlin", 4_620_000_000, 0, "92\u202f% of your budget of the day is used: $4.62 of $5.00. It begins anew on Sun 22 Nov at 00:00."},
		{"what is under way", "Europe/Berlin", 4_999_999_999, 100_000_000, "99\u202f% of your budget of the day is used: $5.00 of $5.00, and $0.1000 is reserved. It begins anew on Sun 22 Nov at 00:00."},
		{"spent", "Europe/Berlin", 5_180_000_000, 0, "Your budget of the day is used up: $5.18 of $5.00. It begins anew on Sun 22 Nov at 00:00."},
		{"on a journey", "Asia/Tokyo", 4_000_000_000, 0, "80\u202f% of your budget of the day is used: $4.00 of $5.00. It begins anew on Sun 22 Nov at 08:00, midnight in Europe/Berlin."},
	} {
		s := berlin(t, c.spent)
		s.ReservedNanoUSD = c.reserved
		if got := Words(s, at(t, c.place, "2026-11-21 12:00:00")); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if got := Mark(s); strings.HasPrefix(c.want, got) == (c.name == "spent") || c.name == "spent" && got != "used up" {
			t.Errorf("%s: the mark is %q", c.name, got)
		}
	}
}

func TestAZoneIsNamedOnlyWhereItCountsOtherHours(t *testing.T) {
	for _, c := range []struct {
		place, period string
		want          string
	}{
		{"Europe/Berlin", wire.PeriodDay, ""},
		{"Europe/Rome", wire.PeriodDay, ""}, // the same hours
		{"UTC", wire.PeriodDay, "Europe/Berlin"},
		{"Europe/Rome", wire.PeriodMonth, ""},
		{"America/New_York", wire.PeriodMonth, "Europe/Berlin"},
	} {
		home := at(t, "Europe/Berlin", "2026-12-21 12:00:00")
		s := wire.BudgetState{Period: c.period, Zone: "Europe/Berlin", FromMS: home.Midnight(Date{2026, 12, 21}), ToMS: home.Midnight(Date{2026, 12, 22})}
		if c.period == wire.PeriodMonth {
			s.FromMS, s.ToMS = home.Midnight(Date{2026, 12, 1}), home.Midnight(Date{2027, 1, 1})
		}
		d, _, _ := desk(t, at(t, c.place, "2026-12-21 12:00:00"))
		d.Spend = &wire.Spend{Budgets: []wire.BudgetState{s}}
		if got := OtherZone(s, d.Clock); got != c.want {
			t.Errorf("%s in %s: %q, want %q", c.period, c.place, got, c.want)
		}
		if got := d.ZoneOfDays(); (got == c.place) != (c.want != "") {
			t.Errorf("%s in %s: the page's own is named %q", c.period, c.place, got)
		}
	}
}

// A warning is told when it comes, stands on every page for as long as it is
// true, after a reload too, and ends with its day.
func TestAWarningLastsAsLongAsItIsTrue(t *testing.T) {
	d, s, l := desk(t, at(t, "Europe/Berlin", "2026-11-21 12:00:00"))
	d.News(session.Greeting{})
	month := wire.BudgetState{Period: wire.PeriodMonth, LimitNanoUSD: 100_000_000_000, SpentNanoUSD: 90_000_000_000, ToMS: berlin(t, 0).ToMS, Warn: true}
	s.last(wire.OpBudgets).answer(t, wire.Budgets{States: []wire.BudgetState{month, berlin(t, 4_600_000_000)}})
	if list := d.Budgets.Warned(); len(list) != 2 || list[0].Period != wire.PeriodDay {
		t.Fatalf("after a reload: %+v", list)
	}
	if len(l.told) != 0 {
		t.Errorf("told again: %q", l.told)
	}
	// The day is over.
	asked := len(s.calls)
	l.waiting[len(l.waiting)-1]()
	if len(s.calls) != asked+1 {
		t.Fatal("the end of the day is not looked at")
	}
	s.last(wire.OpBudgets).answer(t, wire.Budgets{States: []wire.BudgetState{berlin(t, 0)}})
	if len(d.Budgets.Warned()) != 0 {
		t.Error("the warning outlives its day")
	}
	// The share is passed again.
	d.News(berlin(t, 4_000_000_000))
	if len(l.told) != 1 || !strings.Contains(l.told[0], "$4.00 of $5.00") {
		t.Errorf("told %q", l.told)
	}
	l.waiting[len(l.waiting)-1]()
	s.last(wire.OpBudgets).answer(t, wire.Budgets{States: []wire.BudgetState{berlin(t, 4_000_000_000)}})
	d.News(wire.Run{State: wire.Done})
	d.News(wire.Run{State: wire.Done})
	asked = len(s.calls)
	l.waiting[len(l.waiting)-1]()
	s.last(wire.OpBudgets).answer(t, wire.Budgets{States: []wire.BudgetState{berlin(t, 4_900_000_000)}})
	if list := d.Budgets.Warned(); len(s.calls) != asked+1 || len(list) != 1 || list[0].SpentNanoUSD != 4_900_000_000 {
		t.Errorf("%d calls, %+v", len(s.calls)-asked, list)
	}
}

func TestACostIsPutRight(t *testing.T) {
	d, s, _ := desk(t, at(t, "UTC", "2026-11-21 12:00:00"))
	row := wire.LedgerRow{N: 7, Kind: wire.KindCharge, Subject: "run-1", CostNanoUSD: 165_000}
	for kind, want := range map[string]bool{wire.KindCharge: true, wire.KindReturn: false, wire.KindCorrection: false} {
		if Fixable(wire.LedgerRow{Kind: kind}) != want {
			t.Errorf("a %s can be put right: want %v", kind, want)
		}
	}
	d.Fix.Open(row)
	for _, text := range []string{"", "x", "-1", "1000001"} {
		d.Fix.Type(text)
		if d.Fix.Save(); d.Fix.Wrong == "" || len(s.calls) != 0 {
			t.Errorf("%q: %q, %d calls", text, d.Fix.Wrong, len(s.calls))
		}
	}
	d.Fix.Type(" $0.0002 ")
	if d.Fix.Wrong != "" {
		t.Errorf("still wrong: %s", d.Fix.Wrong)
	}
	d.Fix.Save()
	d.Fix.Save() // a double click
	if got := s.last(wire.OpCorrect).args.(wire.Correction); got != (wire.Correction{Subject: "run-1", CostNanoUSD: 200_000}) || len(s.calls) != 1 {
		t.Fatalf("sent %+v in %d calls", got, len(s.calls))
	}
	s.last(wire.OpCorrect).done(nil, &wire.Problem{Message: "The disk is full."})
	if d.Fix.Row != 7 || d.Fix.Text != " $0.0002 " || d.Fix.Problem == nil || d.Fix.Saving {
		t.Errorf("after a failure: %+v", d.Fix)
	}
	d.Fix.Save()
	var told int64
	d.Fix.Booked = func(row int64) { told = row }
	s.last(wire.OpCorrect).answer(t, wire.LedgerRow{N: 8, Kind: wire.KindCorrection})
	if d.Fix.Row != 0 {
		t.Error("the form is still there")
	}
	s.last(wire.OpSpend) // the figures are asked for anew, and the rows
	if told != 0 {
		t.Error("told before the rows are there")
	}
	s.last(wire.OpLedger).answer(t, wire.LedgerPage{Rows: []wire.LedgerRow{{N: 8}, row}})
	if told != 7 || d.Fix.Booked == nil {
		t.Errorf("told of row %d", told)
	}
}

func TestStorageSaysWhatItCounts(t *testing.T) {
	for kind, want := range map[string]string{wire.StoredMessages: "1 200 messages", wire.StoredVideo: "1 200 tasks", wire.StoredOther: ""} {
		if got := KindCount(wire.Stored{Kind: kind, Count: 1200}); strings.ReplaceAll(got, "\u202f", " ") != want {
			t.Errorf("%s: %q", kind, got)
		}
	}
	if got := KindCount(wire.Stored{Kind: wire.StoredLedger, Count: 1}); got != "1 entry" {
		t.Errorf("one: %q", got)
	}
}

// What another tab sets is seen here, and takes away nothing that is typed.
func TestSettingsOfAnotherTabAreTaken(t *testing.T) {
	d, s, _ := desk(t, at(t, "UTC", "2026-11-21 12:00:00"))
	d.Budgets.Want()
	s.last(wire.OpBudgets).answer(t, wire.Budgets{})
	d.Keep.Want()
	s.last(wire.OpKeep).answer(t, wire.Retention{})
	d.Budgets.Type(func(f *BudgetForm) { f.Day = "2" })
	for _, news := range []session.News{
		wire.Budgets{Settings: wire.BudgetSettings{MonthNanoUSD: 5_000_000_000}, States: []wire.BudgetState{{}}},
		wire.Retention{WireDays: 30},
	} {
		d.News(news)
	}
	if f := d.Budgets.Shown(); f.Day != "2" || d.Budgets.Now.Settings.MonthNanoUSD != 5_000_000_000 || len(d.Budgets.Now.States) != 1 {
		t.Errorf("shown are %+v of %+v", f, d.Budgets.Now)
	}
	if w, _ := d.Keep.Shown(); w != "30" {
		t.Errorf("wire events are kept %q days", w)
	}
}
