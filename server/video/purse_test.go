package video_test

import (
	"context"
	"sync"

	"screentest/server/payer"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// purse is a budget of a fixed sum, set by others: what has no price is refused.
type purse struct {
	mu   sync.Mutex
	left int64
	held int64
}

func (p *purse) Reserve(_ context.Context, by payer.Payer, what, model string, q gateway.Quote) (func(), *wire.Problem) {
	p.mu.Lock()
	defer p.mu.Unlock()
	nano := int64(q.Cost)
	if !q.Known {
		return nil, &wire.Problem{Code: wire.CodePriceUnknown, Message: "no price for " + model}
	}
	if nano > p.left-p.held {
		return nil, &wire.Problem{Code: wire.CodeBudgetReached, Message: "no room"}
	}
	return p.hold(nano), nil
}

func (p *purse) ReserveSent(_ payer.Payer, nano int64) func() {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.hold(nano)
}

func (p *purse) hold(nano int64) func() {
	p.held += nano
	return sync.OnceFunc(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.held -= nano
	})
}

func (p *purse) Booked(string, string) {}

func (p *purse) reserved() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.held
}

// forget is what a restart does.
func (p *purse) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held = 0
}
