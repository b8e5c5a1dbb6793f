package budget

import (
	"context"
	"fmt"
	"sync"

	"screentest/shared/gateway"
	"screentest/shared/money"
	"screentest/shared/wire"
)

// Reserve sets nanoUSD aside for a send of an owner; what is wire.WhatText or
// wire.WhatVideo. A problem says that a budget has no room for it, or that it
// could not be found out; nothing is set aside then and nothing may be sent.
// release takes it back; calling it again does nothing.
//
// A cost of 0, which is also that of a model without a known price, always has
// room.
func (k *Keeper) Reserve(ctx context.Context, owner, what string, nanoUSD int64) (release func(), p *wire.Problem) {
	k.mu.Lock()
	defer k.mu.Unlock()
	a, err := k.account(ctx, owner)
	if err != nil {
		return nil, k.unread(err)
	}
	if nanoUSD > 0 {
		states, err := k.states(ctx, owner, a)
		if err != nil {
			return nil, k.unread(err)
		}
		for _, s := range states {
			if nanoUSD > s.LimitNanoUSD-s.SpentNanoUSD-s.ReservedNanoUSD {
				return nil, noRoom(s, what, nanoUSD)
			}
		}
	}
	return k.reserve(owner, a, nanoUSD), nil
}

// ReserveText reserves a bound for a text run of an owner: the request, and as
// many tokens of output as the owner's settings say. The gateway tells no bound
// for an answer and the contract's requests carry none; a longer answer is
// booked whole, and the next send is refused.
func (k *Keeper) ReserveText(ctx context.Context, owner string, m gateway.Model, body []byte) (release func(), p *wire.Problem) {
	k.mu.Lock()
	a, err := k.account(ctx, owner)
	var most int64
	if err == nil {
		most = a.settings.MaxOutput
	}
	k.mu.Unlock()
	if err != nil {
		return nil, k.unread(err)
	}
	q := m.TextPrice(gateway.Usage{InputTokens: inputBound(body), OutputTokens: most})
	return k.Reserve(ctx, owner, wire.WhatText, int64(q.Cost))
}

// bytesPerToken makes a bound of a request's length: a token of English has
// some four bytes, one of Chinese three, and the JSON around the text is counted
// with it. Counting exactly would take 5 ms of the time to the first token for
// 24 KB.
const bytesPerToken = 3

// inputBound is a bound of the input tokens of a text request.
func inputBound(body []byte) int64 { return int64(len(body)+bytesPerToken-1) / bytesPerToken }

// ReserveSent reserves without asking the budgets: for what has been sent already and
// may have been billed, such as a clip whose creation is unknown after a start.
func (k *Keeper) ReserveSent(owner string, nanoUSD int64) (release func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.reserve(owner, k.person(owner), nanoUSD)
}

// reserve adds to what is reserved. The lock is held.
func (k *Keeper) reserve(owner string, a *account, nanoUSD int64) (release func()) {
	a.reserved += nanoUSD
	k.everybody.reserved += nanoUSD
	return sync.OnceFunc(func() {
		k.mu.Lock()
		a.reserved -= nanoUSD
		k.everybody.reserved -= nanoUSD
		k.mu.Unlock()
		// What the send cost is in the ledger by now.
		k.Booked(owner)
	})
}

func (k *Keeper) unread(err error) *wire.Problem {
	k.Logger.Error("budgets not read", "err", err)
	return &wire.Problem{Code: "storage_failed", Message: "The server could not read the budgets from its database, so nothing was sent.",
		Hint: "Try again; the server's log has the details."}
}

// noRoom says why a budget refuses a send.
func noRoom(s wire.BudgetState, what string, nanoUSD int64) *wire.Problem {
	whose := "Your budget for this " + s.Period
	if s.Scope == wire.ScopeEverybody {
		whose = "The budget of everybody for this " + s.Period
	}
	this, hint := "this clip costs "+usd(nanoUSD), "Raise the budget in the settings, under Budgets"
	if what == wire.WhatText {
		this = "this answer may cost up to " + usd(nanoUSD)
		hint = "Raise the budget, or lower the tokens that are set aside for an answer, in the settings, under Budgets"
	}
	if s.ReservedNanoUSD > 0 {
		hint = "Wait until what is under way has ended. Or: " + hint
	}
	return &wire.Problem{
		Code: wire.CodeBudgetReached,
		Message: fmt.Sprintf("%s is %s. %s of it is spent, %s is reserved for what is under way, and %s. Nothing was sent.",
			whose, usd(s.LimitNanoUSD), usd(s.SpentNanoUSD), usd(s.ReservedNanoUSD), this),
		Hint: fmt.Sprintf("%s. It begins anew on %s.", hint, in(s.Zone, s.ToMS)),
	}
}

func usd(nano int64) string { return money.NanoUSD(nano).String() }
