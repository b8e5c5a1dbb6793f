package budget

import (
	"context"
	"sync"
	"time"

	"screentest/server/payer"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// What is reserved where several replicas spend from the same budgets: rows, which
// one transaction checks against all purses and adds. They go with the booking; what
// is held here is which of them have not come to that yet.

// putBackAgain is the wait before it is tried again to put something back.
const putBackAgain = time.Second

// reserveShared is Reserve of what q costs, by the limits all.
func (k *Keeper) reserveShared(ctx context.Context, by payer.Payer, what string, q gateway.Quote, all []standing) (release func(), p *wire.Problem) {
	c := payer.Claim{Owner: by.Owner, Team: by.Team, For: by.For, NanoUSD: int64(q.Cost)}
	if c.NanoUSD <= 0 || !q.Known {
		c.NanoUSD = 0 // of which nothing need be remembered
		return k.releaseOf(c), nil
	}
	for _, s := range all {
		c.Limits = append(c.Limits, payer.Limit{Of: s.purse.claimed(), FromMS: s.FromMS, ToMS: s.ToMS, NanoUSD: s.LimitNanoUSD})
	}
	k.hold(c, 1)
	full, err := k.Shared.SetAside(ctx, c)
	if err == nil && full == nil {
		return k.releaseOf(c), nil
	}
	k.hold(c, -1)
	if err != nil { // it may be there: the answer to a commit can be lost
		k.background.Go(func() { k.putBack(c) })
		return nil, k.unread(err)
	}
	s := all[full.Limit]
	s.SpentNanoUSD, s.ReservedNanoUSD = full.SpentNanoUSD, full.ReservedNanoUSD
	return nil, k.noRoom(ctx, s, by.Owner, what, c.NanoUSD)
}

// setAsideSent adds a claim without asking. It is there already, unless who sent it
// had no others beside it.
func (k *Keeper) setAsideSent(by payer.Payer, nanoUSD int64) (release func()) {
	c := payer.Claim{Owner: by.Owner, Team: by.Team, For: by.For, NanoUSD: nanoUSD}
	if nanoUSD == 0 {
		return k.releaseOf(c)
	}
	k.hold(c, 1)
	ctx, cancel := context.WithTimeout(context.Background(), bookedTimeout)
	defer cancel()
	if _, err := k.Shared.SetAside(ctx, c); err != nil {
		k.Logger.Error("what a clip may have cost is not set aside", "err", err)
	}
	return k.releaseOf(c)
}

// releaseOf ends what is held of a claim, and puts it back where no booking did.
func (k *Keeper) releaseOf(c payer.Claim) func() {
	return sync.OnceFunc(func() {
		if c.NanoUSD > 0 {
			k.hold(c, -1)
			ctx, cancel := context.WithTimeout(context.Background(), bookedTimeout)
			defer cancel()
			if k.Shared.PutBack(ctx, c.Owner, c.For) != nil {
				k.background.Go(func() { k.putBack(c) })
			}
		}
		k.Booked(c.Owner, c.Team)
	})
}

// putBack tries to put something back until it is, or is set aside anew.
func (k *Keeper) putBack(c payer.Claim) {
	for !k.holds(c.Owner, c.For) {
		ctx, cancel := context.WithTimeout(context.Background(), bookedTimeout)
		err := k.Shared.PutBack(ctx, c.Owner, c.For)
		cancel()
		if err == nil {
			return
		}
		k.Logger.Error("what was set aside is not put back yet", "err", err)
		select {
		case <-time.After(putBackAgain):
		case <-k.quit: // whoever takes over from this replica puts it back
			return
		}
	}
}

// hold counts what is held of a claim up, or down.
func (k *Keeper) hold(c payer.Claim, by int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	at := claim{c.Owner, c.For}
	if k.held[at] += by; k.held[at] == 0 {
		delete(k.held, at)
	}
}

func (k *Keeper) holds(owner, of string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.held[claim{owner, of}] > 0
}

// TakeUp puts back what another replica had set aside for sends that never began, once
// what it held is this one's. What did begin is freed by its end.
func (k *Keeper) TakeUp(ctx context.Context) error {
	if k.Shared == nil {
		return nil
	}
	return k.Shared.PutBackLeft(ctx, k.holds)
}
