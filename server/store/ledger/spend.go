package ledger

import (
	"context"
	"database/sql"
	"maps"
	"slices"
	"time"

	"screentest/server/store/sqlite"
	"screentest/shared/wire"
)

// Spent returns what the owner spent from from up to but not including to, in
// nano-USD, returns subtracted.
func (b *Books) Spent(ctx context.Context, owner string, from, to time.Time) (nanoUSD int64, err error) {
	total, err := b.periodTotal(ctx, sqlite.ParseOwner(owner), period{from.UnixMilli(), to.UnixMilli()})
	return total.nano(), err
}

// SpentByEverybody is Spent for all people together.
func (b *Books) SpentByEverybody(ctx context.Context, from, to time.Time) (nanoUSD int64, err error) {
	people, err := b.people(ctx)
	for _, p := range people {
		var total figures
		if total, err = b.periodTotal(ctx, p.n, period{from.UnixMilli(), to.UnixMilli()}); err != nil {
			break
		}
		nanoUSD += total.nano()
	}
	return nanoUSD, err
}

// A person is a user by number and name.
type person struct {
	n    int64
	name string
}

// people are all users.
func (b *Books) people(ctx context.Context) (all []person, err error) {
	err = b.db.At(ctx).Each("SELECT n, name FROM users u", nil, func(rows *sql.Rows) error {
		var p person
		err := rows.Scan(&p.n, &p.name)
		all = append(all, p)
		return err
	})
	return all, err
}

// Spend returns the Spend page of an owner, whatever q.Everybody says. What is
// reserved and the budgets are for others to fill in.
func (b *Books) Spend(ctx context.Context, owner string, q wire.SpendQuery) (wire.Spend, error) {
	var p person
	err := b.db.At(ctx).Each("SELECT n, name FROM users WHERE n = ?", []any{sqlite.ParseOwner(owner)}, func(rows *sql.Rows) error {
		return rows.Scan(&p.n, &p.name)
	})
	if err != nil {
		return wire.Spend{}, err
	}
	return b.spend(ctx, []person{p}, q)
}

// SpendOfEverybody is Spend for all people together. Whether somebody may see
// it is for the caller to know.
func (b *Books) SpendOfEverybody(ctx context.Context, q wire.SpendQuery) (wire.Spend, error) {
	people, err := b.people(ctx)
	if err != nil {
		return wire.Spend{}, err
	}
	return b.spend(ctx, people, q)
}

func (b *Books) spend(ctx context.Context, people []person, q wire.SpendQuery) (s wire.Spend, err error) {
	if err := checkDays(q); err != nil {
		return s, err
	}
	days := len(q.Days) - 1
	// The tiles are periods of their own, after the days.
	all := make([]period, days, days+3)
	for i := range all {
		all[i] = period{q.Days[i], q.Days[i+1]}
	}
	tiles := []*wire.Sum{&s.Today, &s.Week, &s.Month}
	for _, from := range []int64{q.Today, q.Week, q.Month} {
		all = append(all, period{from, q.Tomorrow})
	}

	totals := make([]figures, len(all))
	split := make([]map[string]figures, days) // by day, then key
	models, persons := map[group]figures{}, map[string]figures{}
	var whole figures
	for i := range split {
		split[i] = map[string]figures{}
	}
	for _, p := range people {
		var own figures
		err := b.eachPeriod(ctx, p.n, all, func(i int, sums *periodSums) {
			totals[i].add(sums.total)
			if i >= days {
				return
			}
			own.add(sums.total)
			for g, f := range sums.groups {
				addTo(models, g, f)
				addTo(split[i], splitKey(q, g), f)
			}
		})
		if err != nil {
			return s, err
		}
		whole.add(own)
		if own.rows > 0 || len(people) == 1 {
			addTo(persons, p.name, own)
		}
	}
	for i, t := range tiles {
		*t = totals[days+i].sum()
	}
	s.Range = whole.sum()
	s.Keys, s.Days = bars(q, split)
	s.Models, s.People = []wire.SpendGroup{}, []wire.SpendGroup{}
	for _, g := range slices.SortedFunc(maps.Keys(models), func(a, b group) int {
		return dearestFirst(models[a], models[b], a.model+" "+a.what, b.model+" "+b.what)
	}) {
		f := models[g]
		s.Models = append(s.Models, wire.SpendGroup{Key: g.model, What: g.what, Sum: f.sum(), InputTokens: f.in, OutputTokens: f.out})
	}
	for _, name := range byCost(persons) {
		f := persons[name]
		s.People = append(s.People, wire.SpendGroup{Key: name, Sum: f.sum(), InputTokens: f.in, OutputTokens: f.out})
	}
	s.Budgets = []wire.BudgetState{}
	return s, nil
}

// checkDays refuses what no page of ours asks for.
func checkDays(q wire.SpendQuery) error {
	if len(q.Days) < 2 || len(q.Days) > wire.MaxSpendDays+1 {
		return sqlite.BadField("bad_days", "days", "From 1 to %d days can be asked for.", wire.MaxSpendDays)
	}
	for i, ms := range q.Days {
		if ms < 0 || i > 0 && ms <= q.Days[i-1] {
			return sqlite.BadField("bad_days", "days", "The days must be in order.")
		}
	}
	for _, ms := range []int64{q.Today, q.Week, q.Month} {
		if ms < 0 || ms >= q.Tomorrow {
			return sqlite.BadField("bad_days", "tomorrow", "Today, the week and the month must begin before tomorrow.")
		}
	}
	if q.Split != "" && q.Split != wire.SplitByKind && q.Split != wire.SplitByModel {
		return sqlite.BadField("bad_split", "split", "The days can be split by %q or %q.", wire.SplitByKind, wire.SplitByModel)
	}
	return nil
}

func splitKey(q wire.SpendQuery, g group) string {
	if q.Split == wire.SplitByModel {
		return g.model
	}
	return g.what
}

func addTo[K comparable](to map[K]figures, key K, f figures) {
	sum := to[key]
	sum.add(f)
	to[key] = sum
}

// byCost are the keys of sums, the dearest first.
func byCost(sums map[string]figures) []string {
	return slices.SortedFunc(maps.Keys(sums), func(a, b string) int { return dearestFirst(sums[a], sums[b], a, b) })
}

// bars are the days with their parts by key.
func bars(q wire.SpendQuery, split []map[string]figures) (keys []string, days []wire.SpendDay) {
	whole := map[string]figures{}
	for _, day := range split {
		for key, f := range day {
			addTo(whole, key, f)
		}
	}
	keys = byCost(whole)
	if keys == nil {
		keys = []string{}
	}
	column := map[string]int{}
	if len(keys) > wire.MaxSplit {
		for _, key := range keys[wire.MaxSplit:] {
			column[key] = wire.MaxSplit
		}
		keys = append(keys[:wire.MaxSplit:wire.MaxSplit], wire.OtherKey)
	}
	for i, key := range keys[:min(len(keys), wire.MaxSplit)] {
		column[key] = i
	}
	for i, parts := range split {
		day := wire.SpendDay{FromMS: q.Days[i], Parts: make([]int64, len(keys))}
		for key, f := range parts {
			day.Parts[column[key]] += f.nano()
			day.NanoUSD += f.nano()
		}
		days = append(days, day)
	}
	return keys, days
}
