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
	LedgerOfEverybody(ctx context.Context, viewer string, q wire.LedgerQuery) (wire.LedgerPage, error)
	Correct(ctx context.Context, owner string, c wire.Correction) (wire.LedgerRow, error)
	EachLedger(ctx context.Context, owner string, q wire.LedgerQuery, fn func(wire.LedgerRow) error) error
	EachLedgerOfEverybody(ctx context.Context, viewer string, q wire.LedgerQuery, fn func(wire.LedgerRow) error) error
}

// Budgets are what may be spent, and what is set aside for what is under way,
// in nano-USD.
type Budgets interface {
	Budgets(ctx context.Context, owner string) (wire.Budgets, error)
	SetBudgets(ctx context.Context, owner string, s wire.BudgetSettings) (wire.Budgets, error)
	TeamBudgets(ctx context.Context, team string) ([]wire.BudgetState, error)
	Booked(owner, team string) // rows were added to the owner's ledger, which a team pays ("": none)
	Reserved(ctx context.Context, owner string) (nanoUSD int64, err error)
	ReservedByTeam(ctx context.Context, team string) (nanoUSD int64, err error)
	ReservedByEverybody(ctx context.Context) (nanoUSD int64, err error)
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
			return s.spend(ctx, k.person(), q)
		}),
		wire.OpLedger: with(func(ctx context.Context, s *Server, k *socket, q wire.LedgerQuery) (any, error) {
			return s.ledger(ctx, k.person(), q)
		}),
		wire.OpCorrect: with(func(ctx context.Context, s *Server, k *socket, c wire.Correction) (any, error) {
			return s.correct(ctx, k.person(), c)
		}),
		wire.OpBudgets: with(func(ctx context.Context, s *Server, k *socket, _ json.RawMessage) (any, error) {
			b, err := s.Budgets.Budgets(ctx, k.owner)
			b.States = statesSeen(k.person(), b.States)
			return b, err
		}),
		wire.OpSetBudget: with(func(ctx context.Context, s *Server, k *socket, b wire.BudgetSettings) (any, error) {
			now, err := s.setBudgets(ctx, k.person(), b)
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
