package budget

import (
	"context"
	"fmt"
	"sync"

	"screentest/server/payer"
	"screentest/shared/gateway"
	"screentest/shared/money"
	"screentest/shared/wire"
)

// Reserve sets aside what q says that a send of a model costs, which by pays for;
// what is wire.WhatText or wire.WhatVideo. A problem says that a budget has no
// room for it, or that it could not be found out; nothing is set aside then and
// nothing may be sent. release takes it back; calling it again does nothing.
//
// A cost of 0 always has room. One that is not known sets nothing aside, and is
// refused where a limit of others holds, reached or not: it would never be
// booked, and so pass every limit. One's own budget does as its owner chose.
func (k *Keeper) Reserve(ctx context.Context, by payer.Payer, what, model string, q gateway.Quote) (release func(), p *wire.Problem) {
	v, done := k.accounts()
	defer done()
	purses, err := k.pursesOf(ctx, v, by.Owner, by.Team)
	if err != nil {
		return nil, k.unread(err)
	}
	nanoUSD := int64(q.Cost)
	if !q.Known {
		if s, holds := refusesUnpriced(k.bounds(purses)); holds {
			return nil, k.noPrice(ctx, s, by.Owner, what, model)
		}
	}
	if k.Shared != nil {
		return k.reserveShared(ctx, by, what, q, k.bounds(purses))
	}
	if nanoUSD > 0 && q.Known {
		all, err := k.standings(ctx, purses)
		if err != nil {
			return nil, k.unread(err)
		}
		for _, s := range all {
			if nanoUSD > s.LimitNanoUSD-s.SpentNanoUSD-s.ReservedNanoUSD {
				return nil, k.noRoom(ctx, s, by.Owner, what, nanoUSD)
			}
		}
	}
	return k.reserve(v, by, nanoUSD), nil
}

// refusesUnpriced is a limit that refuses what has no price: one that somebody didn't
// set themself, or their own where they chose that. One that is easily gone round
// comes last: of a team, for another may pay, and one's own.
func refusesUnpriced(all []standing) (s standing, holds bool) {
	rank := map[string]int{wire.ScopePerson: 1, wire.ScopeTeam: 2, wire.ScopeLimit: 3, wire.ScopeEverybody: 3}
	for _, l := range all {
		if l.NoPrice && (!holds || rank[l.Scope] > rank[s.Scope]) {
			s, holds = l, true
		}
	}
	return s, holds
}

// ReserveText reserves a bound for a text run: the request, and as many tokens of
// output as the settings of the person say, but where there are accounts no fewer
// than DefaultMaxOutput: nobody gets past a limit of others by setting less aside.
// A bound that the request carries counts instead where it is more, or where the
// model is known to keep to it. A longer answer is booked whole, and the next send
// is refused.
func (k *Keeper) ReserveText(ctx context.Context, by payer.Payer, m gateway.Model, body []byte) (release func(), p *wire.Problem) {
	v, done := k.accounts()
	a, err := k.account(ctx, v, by.Owner)
	var most int64
	if err == nil {
		most = a.settings.MaxOutput
		if k.Directory != nil { // it is others' limits, too, that must not be passed
			most = max(most, wire.DefaultMaxOutput)
		}
	}
	done()
	if err != nil {
		return nil, k.unread(err)
	}
	if asked, kept := m.Bound(body); asked > most || asked > 0 && kept {
		most = asked
	}
	images := int64(len(gateway.ImageRefs(body)))
	tokens := inputBound(body)
	if m.Price.PerImage == 0 {
		tokens += images * imageTokens
	}
	q := m.TextPrice(gateway.Usage{InputTokens: tokens, OutputTokens: most})
	q.Cost += money.NanoUSD(images) * m.Price.PerImage
	return k.Reserve(ctx, by, wire.WhatText, m.ID, q)
}

// bytesPerToken makes a bound of a request's length: a token of English has
// some four bytes, one of Chinese three, and the JSON around the text is counted
// with it. Counting exactly would take 5 ms of the time to the first token for
// 24 KB.
const bytesPerToken = 3

// imageTokens is about what an image takes, whose price the catalogue doesn't tell:
// models count some 100 to 1 600 for one of usual size.
const imageTokens = 2000

// inputBound is a bound of the input tokens of a text request.
func inputBound(body []byte) int64 { return int64(len(body)+bytesPerToken-1) / bytesPerToken }

// ReserveSent reserves without asking the budgets: for what has been sent already and
// may have been billed, such as a clip whose creation is unknown after a start.
func (k *Keeper) ReserveSent(by payer.Payer, nanoUSD int64) (release func()) {
	if k.Shared != nil {
		return k.setAsideSent(by, nanoUSD)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.reserve(k.kept, by, nanoUSD)
}

// reserve adds to what is reserved in v, whose lock is held.
func (k *Keeper) reserve(v *accounts, by payer.Payer, nanoUSD int64) (release func()) {
	of := []*account{v.person(by.Owner), v.everybody}
	if by.Team != "" {
		of = append(of, v.team(by.Team))
	}
	for _, a := range of {
		a.reserved += nanoUSD
	}
	owner, team := by.Owner, by.Team // not the key
	return sync.OnceFunc(func() {
		k.mu.Lock()
		for _, a := range of {
			a.reserved -= nanoUSD
		}
		k.mu.Unlock()
		// What the send cost is in the ledger by now.
		k.Booked(owner, team)
	})
}

func (k *Keeper) unread(err error) *wire.Problem {
	k.Logger.Error("budgets not read", "err", err)
	return &wire.Problem{Code: "storage_failed", Message: "The server could not read the budgets from its database, so nothing was sent.",
		Hint: "Try again; the server's log has the details."}
}

// noRoom says why a budget refuses a send: whose it is, how it stands, and what
// to do about it.
func (k *Keeper) noRoom(ctx context.Context, s standing, owner, what string, nanoUSD int64) *wire.Problem {
	this, hint := "this clip costs "+usd(nanoUSD), "Raise the budget in the settings, under Budgets"
	if what == wire.WhatText {
		this = "this answer may cost up to " + usd(nanoUSD)
		if k.Directory == nil {
			hint = "Raise the budget, or lower “Longest answer to expect” in the settings, under Budgets"
		}
	}
	whose, under, orElse := k.whose(ctx, s, owner)
	ask := ""
	if k.Directory != nil && under != "" {
		forWhat := "to raise it"
		if s.Scope == wire.ScopeTeam { // whoever leads the team can't, but knows
			forWhat = "about it"
		}
		if ask = askThem(others(owner, s.purse.ask, k.Directory.Admins()), forWhat); k.MayEverybody(owner) {
			ask = "Raise it in the settings, under " + under
		}
	}
	if ask != "" {
		hint = ask + orElse
	}
	if s.ReservedNanoUSD > 0 {
		hint = "Wait until what is under way has ended. Or: " + hint
	}
	return &wire.Problem{
		Code: wire.CodeBudgetReached,
		Message: fmt.Sprintf("%s is %s. %s of it is spent, %s is reserved for what is under way, and %s. Nothing was sent.",
			whose, usd(s.LimitNanoUSD), usd(s.SpentNanoUSD), usd(s.ReservedNanoUSD), this),
		Hint: fmt.Sprintf("%s. It resets on %s.", hint, at(s.Zone, s.ToMS)),
	}
}

// noPrice says why a limit of others refuses a send of which nobody knows what it
// costs, and what to do about it.
func (k *Keeper) noPrice(ctx context.Context, s standing, owner, what, model string) *wire.Problem {
	this := "this clip"
	if what == wire.WhatText {
		this = "this answer"
	}
	whose, _, orElse := k.whose(ctx, s, owner)
	hint, ask := "Choose a model that has a price"+orElse+".", ""
	switch {
	case s.Scope == wire.ScopePerson:
		ask = "Let models without a price through in the settings, under Budgets"
	case k.Directory != nil:
		ask = askThem(others(owner, k.Directory.Admins()), "to give this one a price in the catalogue")
	}
	if s.Scope != wire.ScopePerson && k.MayEverybody(owner) {
		ask = "Give this one a price in the catalogue that the server is started with"
	}
	if ask != "" {
		hint += " Or: " + ask + "."
	}
	return &wire.Problem{
		Code: wire.CodePriceUnknown, Field: "model", Hint: hint,
		Message: fmt.Sprintf("%s is %s, and no price is known for the model %s: what %s costs would not count. Nothing was sent.",
			whose, usd(s.LimitNanoUSD), wire.Cut(model, wire.MaxEchoed), this),
	}
}

// whose says whose a budget is, under which part of the settings it is changed,
// "" for one's own, and what else than changing it would do.
func (k *Keeper) whose(ctx context.Context, s standing, owner string) (whose, under, orElse string) {
	switch s.Scope {
	case wire.ScopeEverybody:
		return "The budget of everybody for this " + s.Period, "Instance", ""
	case wire.ScopeLimit:
		return "Your limit for this " + s.Period + ", which an admin has set,", "People", ""
	case wire.ScopeTeam:
		if k.inSeveral(ctx, owner) {
			return "The limit of the team " + s.Name + " for this " + s.Period, "Teams", ", or charge another team"
		}
		return "The limit of " + s.Name + " for this " + s.Period, "Shared key and limits", ""
	}
	return "Your budget for this " + s.Period, "", ""
}

func usd(nano int64) string { return money.NanoUSD(nano).String() }
