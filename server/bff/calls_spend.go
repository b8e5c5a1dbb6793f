package bff

import (
	"context"
	"encoding/json"

	"screentest/shared/wire"
)

// Ledger is what was spent; see package store for what each does.
type Ledger interface {
	Spend(ctx context.Context, owner string, q wire.SpendQuery) (wire.Spend, error)
	SpendOfEverybody(ctx context.Context, q wire.SpendQuery) (wire.Spend, error)
	Ledger(ctx context.Context, owner string, q wire.LedgerQuery) (wire.LedgerPage, error)
	Correct(ctx context.Context, owner string, c wire.Correction) (wire.LedgerRow, error)
	EachLedger(ctx context.Context, owner string, q wire.LedgerQuery, fn func(wire.LedgerRow) error) error
}

// Budgets are what may be spent, and what is set aside for what is under way,
// in nano-USD.
type Budgets interface {
	Budgets(ctx context.Context, owner string) (wire.Budgets, error)
	SetBudgets(ctx context.Context, owner string, s wire.BudgetSettings) (wire.Budgets, error)
	Booked(owner string) // rows were added to the owner's ledger
	Reserved(owner string) int64
	ReservedByEverybody() int64
}

// Retention is how long things are kept.
type Retention interface {
	Retention(ctx context.Context, owner string) (wire.Retention, error)
	SetRetention(ctx context.Context, owner string, r wire.Retention) (wire.Retention, error)
}

// Storage tells what the data folder holds.
type Storage interface {
	Storage(ctx context.Context) (wire.Storage, error)
}

// spendCalls are those of the Spend page, and of what is kept.
func spendCalls() map[wire.Op]handler {
	return map[wire.Op]handler{
		wire.OpSpend: with(func(ctx context.Context, s *Server, k *socket, q wire.SpendQuery) (any, error) {
			return s.spend(ctx, k.owner, q)
		}),
		wire.OpLedger: with(func(ctx context.Context, s *Server, k *socket, q wire.LedgerQuery) (any, error) {
			return s.Ledger.Ledger(ctx, k.owner, q)
		}),
		wire.OpCorrect: with(func(ctx context.Context, s *Server, k *socket, c wire.Correction) (any, error) {
			row, err := s.Ledger.Correct(ctx, k.owner, c)
			if err == nil {
				s.Budgets.Booked(k.owner)
				if row.Conversation != "" {
					s.News.ConversationChanged(k.owner, row.Conversation)
				}
			}
			return row, err
		}),
		wire.OpBudgets: with(func(ctx context.Context, s *Server, k *socket, _ json.RawMessage) (any, error) {
			return s.Budgets.Budgets(ctx, k.owner)
		}),
		wire.OpSetBudget: with(func(ctx context.Context, s *Server, k *socket, b wire.BudgetSettings) (any, error) {
			now, err := s.Budgets.SetBudgets(ctx, k.owner, b)
			if err == nil {
				s.News.Budgets(k.owner, now)
			}
			return now, err
		}),
		wire.OpKeep: with(func(ctx context.Context, s *Server, k *socket, _ json.RawMessage) (any, error) {
			return s.Retention.Retention(ctx, k.owner)
		}),
		wire.OpSetKeep: with(func(ctx context.Context, s *Server, k *socket, r wire.Retention) (any, error) {
			now, err := s.Retention.SetRetention(ctx, k.owner, r)
			if err == nil {
				s.News.Retention(k.owner, now)
			}
			return now, err
		}),
		wire.OpStorage: with(func(ctx context.Context, s *Server, _ *socket, _ json.RawMessage) (any, error) {
			return s.Storage.Storage(ctx)
		}),
	}
}

// spend is the Spend page of an owner, or of everybody for who may see it.
func (s *Server) spend(ctx context.Context, owner string, q wire.SpendQuery) (wire.Spend, error) {
	b, err := s.Budgets.Budgets(ctx, owner)
	if err != nil {
		return wire.Spend{}, err
	}
	var page wire.Spend
	if q.Everybody {
		if !b.MayEverybody {
			return page, &wire.Problem{Code: "not_allowed", Field: "everybody", Message: "You may see only what you spent yourself.",
				Hint: "Ask who runs this server."}
		}
		page, err = s.Ledger.SpendOfEverybody(ctx, q)
		page.ReservedNanoUSD = s.Budgets.ReservedByEverybody()
	} else {
		page, err = s.Ledger.Spend(ctx, owner, q)
		page.ReservedNanoUSD = s.Budgets.Reserved(owner)
	}
	page.MayEverybody, page.Alone, page.Budgets = b.MayEverybody, b.Alone, b.States
	return page, err
}
