package ledger

import (
	"cmp"
	"context"
	"time"

	"screentest/server/store/engine"
	"screentest/shared/wire"
)

// Spent returns what the owner spent from from up to but not including to, in
// nano-USD, returns subtracted.
func (b *Books) Spent(ctx context.Context, owner string, from, to time.Time) (nanoUSD int64, err error) {
	total, err := b.periodTotal(ctx, personHolder(engine.ParseOwner(owner)), period{from.UnixMilli(), to.UnixMilli()})
	return total.nano(), err
}

// SpentByTeam is Spent for what a team paid, whoever sent it.
func (b *Books) SpentByTeam(ctx context.Context, team string, from, to time.Time) (nanoUSD int64, err error) {
	n, err := b.team(ctx, team)
	if err != nil || n == 0 {
		return 0, err
	}
	total, err := b.periodTotal(ctx, teamHolder(n), period{from.UnixMilli(), to.UnixMilli()})
	return total.nano(), err
}

// SpentByEverybody is Spent for all people together.
func (b *Books) SpentByEverybody(ctx context.Context, from, to time.Time) (nanoUSD int64, err error) {
	total, err := b.periodTotal(ctx, everybody, period{from.UnixMilli(), to.UnixMilli()})
	return total.nano(), err
}

// Spend returns the Spend page of an owner, whatever q says of other people. What
// is reserved and the budgets are for others to fill in.
func (b *Books) Spend(ctx context.Context, owner string, q wire.SpendQuery) (wire.Spend, error) {
	n := engine.ParseOwner(owner)
	q.Person = ""
	return b.spend(ctx, personHolder(n), n, q)
}

// SpendOfEverybody is Spend for all people together, or for those that q asks
// for. Whether somebody may see it is for the caller to know.
func (b *Books) SpendOfEverybody(ctx context.Context, q wire.SpendQuery) (wire.Spend, error) {
	return b.spend(ctx, everybody, 0, q)
}

// spend is the Spend page of a holder. self is the person who is in the table by
// person also without any row; 0: nobody is.
func (b *Books) spend(ctx context.Context, of holder, self int64, q wire.SpendQuery) (s wire.Spend, err error) {
	if err := checkDays(q); err != nil {
		return s, err
	}
	who, err := b.names(ctx, of)
	if err != nil {
		return s, err
	}
	want, of, err := who.filter(of, q.Of)
	if err != nil {
		return s, err
	}
	if of == everybody && len(who.people) == 1 {
		for n := range who.people {
			self = n
		}
	}
	// The tiles and all days together are periods of their own, after the days.
	days := len(q.Days) - 1
	all := make([]period, days, days+5)
	for i := range all {
		all[i] = period{q.Days[i], q.Days[i+1]}
	}
	for _, from := range []int64{q.Today, q.Week, q.Month} {
		all = append(all, period{from, q.Tomorrow})
	}
	all = append(all, period{q.Days[0], q.Days[days]})
	sums := []*wire.Sum{&s.Today, &s.Week, &s.Month, &s.Range}
	last := len(all) - 1 // all days together
	if q.PriorTo > 0 {
		s.Prior = new(wire.Sum)
		all, sums = append(all, period{q.PriorFrom, q.PriorTo}), append(sums, s.Prior)
	}

	split := make([]map[string]figures, days) // by day, then key
	if err := b.eachPeriod(ctx, of, all, func(i int, p *periodSums) {
		if i >= days {
			*sums[i-days] = p.sum(want).sum()
		}
		switch {
		case i < days:
			split[i] = map[string]figures{}
			for key, f := range p.by(cmp.Or(q.Split, wire.SplitByKind), want) {
				addTo(split[i], who.bar(q.Split, key), f)
			}
		case i == last:
			who.tables(&s, func(by string) map[part]figures { return p.by(by, want) }, self)
		}
	}); err != nil {
		return s, err
	}
	s.Keys, s.Days = bars(q, split)
	s.Budgets = []wire.BudgetState{}
	return s, nil
}

// checkDays refuses what no page of ours asks for.
func checkDays(q wire.SpendQuery) error {
	if len(q.Days) < 2 || len(q.Days) > wire.MaxSpendDays+1 {
		return engine.BadField("bad_days", "days", "From 1 to %d days can be asked for.", wire.MaxSpendDays)
	}
	for i, ms := range q.Days {
		if ms < 0 || i > 0 && ms <= q.Days[i-1] {
			return engine.BadField("bad_days", "days", "The days must be in order.")
		}
	}
	for _, ms := range []int64{q.Today, q.Week, q.Month} {
		if ms < 0 || ms >= q.Tomorrow {
			return engine.BadField("bad_days", "tomorrow", "Today, the week and the month must begin before tomorrow.")
		}
	}
	if q.PriorFrom < 0 || q.PriorTo != 0 && q.PriorTo <= q.PriorFrom || q.PriorTo == 0 && q.PriorFrom != 0 {
		return engine.BadField("bad_days", "prior_to", "The days to compare with must end after they begin.")
	}
	switch q.Split {
	case "", wire.SplitByKind, wire.SplitByModel, wire.SplitByPerson, wire.SplitByTeam, wire.SplitByPaidBy:
		return nil
	}
	return engine.BadField("bad_split", "split", "The days can be split by %q, %q, %q, %q or %q.",
		wire.SplitByKind, wire.SplitByModel, wire.SplitByPerson, wire.SplitByTeam, wire.SplitByPaidBy)
}
