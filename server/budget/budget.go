// Package budget keeps what may be spent. Make a [Keeper]; call Reserve before
// a send and its release once the send's row is in the ledger, or once it is
// known that there will be none. What is refused was not sent.
//
// A reservation is only in memory: nothing is written between a send and the
// call of the gateway. After a start, whoever keeps what is still open (a clip
// whose creation may have been billed) reserves it again with ReserveSent.
//
// Spent is what the ledger says; reserved is apart from it. A row is in the
// ledger before its reservation is released, so that for a moment a cost may
// count twice, but never not at all.
package budget

import (
	"context"
	"log/slog"
	"sync"
	"time"
	_ "time/tzdata" // a person's zone is known on a machine without it, too

	"screentest/shared/wire"
)

// Store keeps the settings and the ledger; see package store for what each
// does.
type Store interface {
	Spent(ctx context.Context, owner string, from, to time.Time) (nanoUSD int64, err error)
	SpentByTeam(ctx context.Context, team string, from, to time.Time) (nanoUSD int64, err error)
	SpentByEverybody(ctx context.Context, from, to time.Time) (nanoUSD int64, err error)
	People(ctx context.Context) (int, error)
	Setting(ctx context.Context, owner, name string) (string, error)
	SetSetting(ctx context.Context, owner, name, value string) error
	ServerSetting(ctx context.Context, name string) (string, error)
	SetServerSetting(ctx context.Context, name, value string) error
}

// Config is what a Keeper works with. Store must be given.
type Config struct {
	Store Store
	// Directory knows people's teams and limits; nil where there are no accounts.
	Directory Directory
	// Tell is told, once a period, of each budget of which the share to be warned
	// of is spent: of owner's, or of everybody's if that is "". Of a team's it is
	// told for each of those who lead it, or run the server if nobody does. It
	// must return at once.
	Tell func(owner string, s wire.BudgetState)
	// MayEverybody says who may change the budgets of everybody; nil: nobody.
	MayEverybody func(owner string) bool

	Now    func() time.Time
	Logger *slog.Logger
}

// Keeper knows the budgets and what is reserved. Its methods may be called
// from any goroutine.
type Keeper struct {
	Config
	background sync.WaitGroup // writes that remember a warning

	// saving is held while settings are changed, over the writes to the disk.
	// mu, which every send takes, never is: lock saving first.
	saving sync.Mutex

	mu        sync.Mutex
	people    map[string]*account // by owner
	teams     map[string]*account // by id
	everybody *account            // nil: not read yet
}

// New returns a Keeper.
func New(c Config) *Keeper {
	if c.Tell == nil {
		c.Tell = func(string, wire.BudgetState) {}
	}
	if c.MayEverybody == nil {
		c.MayEverybody = func(string) bool { return false }
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return &Keeper{Config: c, people: map[string]*account{}, teams: map[string]*account{}, everybody: &account{}}
}

// Close waits until what there is to remember is stored.
func (k *Keeper) Close() { k.background.Wait() }

// Reserved is what is set aside for an owner, in nano-USD.
func (k *Keeper) Reserved(owner string) int64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	if a := k.people[owner]; a != nil {
		return a.reserved
	}
	return 0
}

// ReservedByTeam is what is set aside for what a team pays, in nano-USD.
func (k *Keeper) ReservedByTeam(team string) int64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	if a := k.teams[team]; a != nil {
		return a.reserved
	}
	return 0
}

// ReservedByEverybody is what is set aside for all people, in nano-USD.
func (k *Keeper) ReservedByEverybody() int64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.everybody.reserved
}
