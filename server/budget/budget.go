// Package budget keeps what may be spent. Make a [Keeper]; call Reserve before
// a send and its release once the send's row is in the ledger, or once it is
// known that there will be none. What is refused was not sent.
//
// A reservation is only in memory: nothing is written between a send and the
// call of the gateway. After a start, whoever keeps what is still open (a clip
// whose creation may have been billed) reserves it again with ReserveSent.
// Where several replicas serve one database a reservation is a row of it instead,
// and all are kept to together: see [Shared].
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

	"screentest/server/payer"
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

// Shared keeps what the Keepers of several replicas have to agree on; see package
// store for what each does. Nothing of it is kept in memory.
type Shared interface {
	SetAside(ctx context.Context, c payer.Claim) (full *payer.Full, err error)
	PutBack(ctx context.Context, owner, subject string) error
	PutBackLeft(ctx context.Context, held func(owner, subject string) bool) error
	AsideFor(ctx context.Context, owner string) (nanoUSD int64, err error)
	AsideForTeam(ctx context.Context, team string) (nanoUSD int64, err error)
	AsideForEverybody(ctx context.Context) (nanoUSD int64, err error)
	FirstWarning(ctx context.Context, owner, name, alarm string, fromMS int64) (first bool, err error)
}

// Config is what a Keeper works with. Store must be given.
type Config struct {
	Store Store
	// Shared is given where other replicas spend from the same budgets; nil: this
	// Keeper is the only one.
	Shared Shared
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
	background sync.WaitGroup // writes that remember a warning, or put back what is reserved
	quit       chan struct{}  // closed when Close begins
	closing    sync.Once

	// saving is held while settings are changed, over the writes to the disk.
	// mu, which every send takes, never is: lock saving first.
	saving sync.Mutex

	mu     sync.Mutex
	kept   *accounts     // of a Keeper that is the only one
	unlock func()        // mu
	held   map[claim]int // what is set aside with Shared, or about to be
}

// A claim names what is set aside: for a run or clip of an owner's.
type claim struct{ owner, of string }

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
	k := &Keeper{Config: c, quit: make(chan struct{}), kept: newAccounts(), held: map[claim]int{}}
	k.unlock = k.mu.Unlock
	return k
}

// Close waits until what there is to remember is stored.
func (k *Keeper) Close() {
	k.closing.Do(func() { close(k.quit) })
	k.background.Wait()
}

// Reserved is what is set aside for an owner, in nano-USD.
func (k *Keeper) Reserved(ctx context.Context, owner string) (int64, error) {
	if k.Shared != nil {
		return k.Shared.AsideFor(ctx, owner)
	}
	return k.reserved(func(v *accounts) *account { return v.people[owner] }), nil
}

// ReservedByTeam is what is set aside for what a team pays, in nano-USD.
func (k *Keeper) ReservedByTeam(ctx context.Context, team string) (int64, error) {
	if k.Shared != nil {
		return k.Shared.AsideForTeam(ctx, team)
	}
	return k.reserved(func(v *accounts) *account { return v.teams[team] }), nil
}

// ReservedByEverybody is what is set aside for all people, in nano-USD.
func (k *Keeper) ReservedByEverybody(ctx context.Context) (int64, error) {
	if k.Shared != nil {
		return k.Shared.AsideForEverybody(ctx)
	}
	return k.reserved(func(v *accounts) *account { return v.everybody }), nil
}

func (k *Keeper) reserved(find func(*accounts) *account) int64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	if a := find(k.kept); a != nil {
		return a.reserved
	}
	return 0
}
