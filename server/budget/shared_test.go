package budget_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"screentest/server/budget"
	"screentest/server/payer"
	"screentest/server/store"
	"screentest/server/store/engine"
	"screentest/server/store/storetest"
	"screentest/shared/gateway"
	"screentest/shared/money"
	"screentest/shared/wire"
)

// replicas are Keepers of several processes on one database.
type replicas struct {
	t     *testing.T
	dbs   []*store.DB
	all   []*budget.Keeper
	owner string

	mu   sync.Mutex
	told []string
}

func newReplicas(t *testing.T, n int) *replicas {
	t.Helper()
	r := &replicas{t: t}
	r.dbs, r.owner = storetest.Replicas(t, n)
	for _, db := range r.dbs {
		k := budget.New(budget.Config{
			Store: db, Shared: db, Directory: directory{&world{db: db}}, MayEverybody: func(owner string) bool { return owner == r.owner },
			Tell: func(owner string, s wire.BudgetState) {
				r.mu.Lock()
				defer r.mu.Unlock()
				r.told = append(r.told, strings.TrimSpace(owner+" "+s.Scope+" "+s.Period))
			},
		})
		t.Cleanup(k.Close)
		r.all = append(r.all, k)
	}
	return r
}

// reserve sets nano aside for a new send of by's.
func (r *replicas) reserve(k *budget.Keeper, by payer.Payer, nano int64) (id string, release func(), p *wire.Problem) {
	by.For = uuid.NewString()
	release, p = k.Reserve(context.Background(), by, wire.WhatText, "vendor/model-a", gateway.Quote{Cost: money.NanoUSD(nano), Known: true})
	return by.For, release, p
}

// sends are so many at once, over all replicas, each of a person's in turn. It
// returns how many of each were let through.
func (r *replicas) sends(n int, by ...payer.Payer) map[string]int {
	r.t.Helper()
	var mu sync.Mutex
	through := map[string]int{}
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			who := by[i%len(by)]
			_, _, p := r.reserve(r.all[i/len(by)%len(r.all)], who, dollar)
			if p != nil && p.Code != wire.CodeBudgetReached {
				r.t.Error(p)
			}
			if p == nil {
				mu.Lock()
				through[who.Owner]++
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return through
}

// member is somebody with a limit of their own, 0 for none.
func (r *replicas) member(name string, day int64) (owner, id string) {
	r.t.Helper()
	owner, id = storetest.Join(r.t, r.dbs[0], name, wire.RoleMember)
	if err := r.dbs[0].ChangePerson(r.t.Context(), owner, wire.PersonChange{Limits: &wire.Limits{DayNanoUSD: day}}); err != nil {
		r.t.Fatal(err)
	}
	return owner, id
}

func (r *replicas) set(owner string, s wire.BudgetSettings) {
	r.t.Helper()
	if _, err := r.all[0].SetBudgets(r.t.Context(), owner, s); err != nil {
		r.t.Fatal(err)
	}
}

func (r *replicas) book(db *store.DB, owner, run string, nano int64) {
	r.t.Helper()
	w := wire.Run{ID: run, State: wire.Done, Model: "m", StartedMS: time.Now().UnixMilli(), CostNanoUSD: nano, CostSource: "reported"}
	if err := db.FinishRun(r.t.Context(), owner, w, "", nil, nil, nil); err != nil {
		r.t.Error(err)
	}
}

func (r *replicas) aside() int64 {
	r.t.Helper()
	n, err := r.all[len(r.all)-1].ReservedByEverybody(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	return n
}

// A hundred sends at once on three replicas, against a limit for ten, of each purse.
func TestThreeReplicasKeepToOneLimit(t *testing.T) {
	r := newReplicas(t, 3)
	for name, limit := range map[string]func() payer.Payer{
		"one's own": func() payer.Payer {
			ann, _ := r.member("ann", 0)
			r.set(ann, wire.BudgetSettings{MonthNanoUSD: 10 * dollar})
			return payer.Payer{Owner: ann}
		},
		"an admin's": func() payer.Payer {
			ben, _ := r.member("ben", 10*dollar)
			return payer.Payer{Owner: ben}
		},
		"a team's": func() payer.Payer {
			cem, id := r.member("cem", 0)
			return payer.Payer{Owner: cem, Team: storetest.Team(t, r.dbs[0], "red", wire.Limits{DayNanoUSD: 10 * dollar}, id)}
		},
	} {
		by := limit()
		if got := r.sends(100, by); got[by.Owner] != 10 {
			t.Errorf("%s: %d of 100 were let through, want 10", name, got[by.Owner])
		}
	}
	if n := r.aside(); n != 30*dollar {
		t.Errorf("%d are set aside, want that of 30 sends", n)
	}
	dan, _ := r.member("dan", 0)
	r.set(r.owner, wire.BudgetSettings{EverybodyDayNanoUSD: 40 * dollar})
	if got := r.sends(100, payer.Payer{Owner: dan}); got[dan] != 10 {
		t.Errorf("everybody's: %d of 100 were let through, want 10", got[dan])
	}
}

// What two people send is bounded by what each may spend, and by their team's limit:
// neither is passed, and nothing is refused in vain.
func TestPursesThatInterleaveOnReplicas(t *testing.T) {
	r := newReplicas(t, 3)
	ann, annID := r.member("ann", 7*dollar)
	ben, benID := r.member("ben", 8*dollar)
	red := storetest.Team(t, r.dbs[0], "red", wire.Limits{MonthNanoUSD: 10 * dollar}, annID, benID)
	got := r.sends(120, payer.Payer{Owner: ann, Team: red}, payer.Payer{Owner: ben, Team: red})
	if got[ann] > 7 || got[ben] > 8 || got[ann]+got[ben] != 10 {
		t.Errorf("%d and %d were let through, want at most 7 and 8, and 10 together", got[ann], got[ben])
	}
}

func TestNineHundredTriesAtALimitForFiveHundred(t *testing.T) {
	r := newReplicas(t, 3)
	ann, _ := r.member("ann", 500*dollar)
	if got := r.sends(900, payer.Payer{Owner: ann}); got[ann] != 500 {
		t.Errorf("%d of 900 were let through, want 500", got[ann])
	}
}

// What one replica has booked counts on the others at once, whatever they have read
// before; and so do the settings.
func TestWhatAnotherReplicaBooksAndSetsCounts(t *testing.T) {
	r := newReplicas(t, 2)
	ann, _ := r.member("ann", 100)
	by := payer.Payer{Owner: ann}
	for i := range 5 {
		a, b := i%2, (i+1)%2
		if _, err := r.all[b].Budgets(t.Context(), ann); err != nil { // reads the sums
			t.Fatal(err)
		}
		id, release, p := r.reserve(r.all[a], by, 20)
		if p != nil {
			t.Fatal(p)
		}
		r.book(r.dbs[a], ann, id, 20)
		release()
		got, err := r.all[b].Budgets(t.Context(), ann)
		if err != nil || len(got.States) != 1 || got.States[0].SpentNanoUSD != int64(20*(i+1)) || got.States[0].ReservedNanoUSD != 0 {
			t.Fatalf("after %d: %+v, %v", i+1, got.States, err)
		}
	}
	if _, _, p := r.reserve(r.all[0], by, 1); p == nil || p.Code != wire.CodeBudgetReached {
		t.Errorf("beyond the limit: %v", p)
	}
	if err := r.dbs[1].ChangePerson(t.Context(), ann, wire.PersonChange{Limits: &wire.Limits{DayNanoUSD: 101}}); err != nil {
		t.Fatal(err)
	}
	r.set(ann, wire.BudgetSettings{DayNanoUSD: 200})
	if _, _, p := r.reserve(r.all[1], by, 1); p != nil {
		t.Errorf("the limit was raised elsewhere: %v", p)
	}
	if _, _, p := r.reserve(r.all[0], by, 1); p == nil {
		t.Error("the raised limit is passed")
	}
}

// Who reads spent and set aside as of one moment finds each cost in one of them.
func TestACostIsNeverInNeither(t *testing.T) {
	r := newReplicas(t, 2)
	ann, _ := r.member("ann", 0)
	const runs = 60
	var ids []string
	var releases []func()
	for i := range runs {
		id, release, p := r.reserve(r.all[i%2], payer.Payer{Owner: ann}, 10)
		if p != nil {
			t.Fatal(p)
		}
		ids, releases = append(ids, id), append(releases, release)
	}
	var done atomic.Bool
	var looks int
	var reader sync.WaitGroup
	reader.Go(func() {
		for !done.Load() {
			looks++
			var both int64
			if err := r.dbs[0].Engine().Snapshot(context.Background(), func(q engine.Reading) error {
				return q.Scan("SELECT (SELECT coalesce(sum(cost_nano_usd), 0) FROM ledger) + (SELECT coalesce(sum(nano_usd), 0) FROM reservations)", nil, &both)
			}); err != nil || both != 10*runs {
				t.Errorf("spent and set aside are %d, want %d; %v", both, 10*runs, err)
				return
			}
		}
	})
	var booked sync.WaitGroup
	for i, id := range ids {
		booked.Go(func() {
			r.book(r.dbs[i%2], ann, id, 10)
			releases[i]()
			releases[i]()
		})
	}
	booked.Wait()
	done.Store(true)
	reader.Wait()
	if looks < 2 || r.aside() != 0 {
		t.Errorf("%d looks, %d set aside in the end", looks, r.aside())
	}
}

// A replica that dies between the reservation and the start of its run leaves a row
// that nothing would free: who takes over puts it back, and what has begun stays.
func TestWhatADeadReplicaReservedAndNeverSentIsPutBack(t *testing.T) {
	r := newReplicas(t, 2)
	ann, _ := r.member("ann", 100)
	by := payer.Payer{Owner: ann}
	if _, _, p := r.reserve(r.all[0], by, 40); p != nil { // never sent
		t.Fatal(p)
	}
	begun, _, p := r.reserve(r.all[0], by, 30)
	if p != nil {
		t.Fatal(p)
	}
	s := wire.Start{Run: begun, Conversation: uuid.NewString(), Answer: uuid.NewString(),
		User: wire.Message{ID: uuid.NewString(), Role: "user", Text: "a question"}, Endpoint: "chat", Body: []byte(`{}`)}
	stored := make(chan error, 1)
	r.dbs[0].StartTurn(ann, s, wire.Run{ID: begun, Conversation: s.Conversation, Message: s.Answer, Endpoint: "chat", Model: "m", State: wire.Running, StartedMS: time.Now().UnixMilli()},
		"title", "", func(err error) { stored <- err })
	if err := <-stored; err != nil {
		t.Fatal(err)
	}
	_, release, p := r.reserve(r.all[1], by, 20) // about to be sent by the one that is left
	if p != nil {
		t.Fatal(p)
	}
	dead := r.dbs[0].Engine().Holder()
	if won, err := r.dbs[1].Replicas().TakeOver(t.Context(), dead); err != nil || !won {
		t.Fatal(won, err)
	}
	if err := r.all[1].TakeUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := r.aside(); n != 50 {
		t.Errorf("%d are set aside, want 30 for what has begun and 20 for what is about to", n)
	}
	// The dead one can do nothing any more, not even free what isn't its own.
	if _, _, p := r.reserve(r.all[0], by, 1); p == nil || p.Code != "storage_failed" {
		t.Errorf("a replica that is gone reserves: %v", p)
	}
	r.book(r.dbs[1], ann, begun, 30)
	release()
	if n := r.aside(); n != 0 {
		t.Errorf("%d are set aside in the end", n)
	}
}

// A send that came to nothing is put back, by the one that made it and for nobody
// else; a send whose start another replica stored is not.
func TestPutBack(t *testing.T) {
	r := newReplicas(t, 2)
	ann, _ := r.member("ann", 0)
	ben, _ := r.member("ben", 0)
	id, release, p := r.reserve(r.all[0], payer.Payer{Owner: ann}, 10)
	if p != nil {
		t.Fatal(p)
	}
	if err := r.dbs[0].PutBack(t.Context(), ben, id); err != nil {
		t.Fatal(err)
	}
	if err := r.dbs[1].PutBack(t.Context(), ann, id); err != nil {
		t.Fatal(err)
	}
	if n, err := r.all[1].Reserved(t.Context(), ann); err != nil || n != 10 {
		t.Errorf("%d set aside for Ann, %v", n, err)
	}
	if n, err := r.all[1].Reserved(t.Context(), ben); err != nil || n != 0 {
		t.Errorf("%d set aside for Ben, %v", n, err)
	}
	release()
	if n := r.aside(); n != 0 {
		t.Errorf("%d are set aside", n)
	}
	// The same send on two replicas is one claim.
	by := payer.Payer{Owner: ann, For: uuid.NewString()}
	for _, k := range r.all {
		if _, p := k.Reserve(t.Context(), by, wire.WhatText, "m", gateway.Quote{Cost: 10, Known: true}); p != nil {
			t.Fatal(p)
		}
	}
	if n := r.aside(); n != 10 {
		t.Errorf("%d are set aside for one send", n)
	}
}

// Each warning is told by one replica, once.
func TestReplicasWarnOnce(t *testing.T) {
	r := newReplicas(t, 3)
	ann, id := r.member("ann", 0)
	red := storetest.Team(t, r.dbs[0], "red", wire.Limits{DayNanoUSD: 100, WarnPercent: 50}, id)
	r.set(ann, wire.BudgetSettings{DayNanoUSD: 100, WarnPercent: 50})
	r.set(r.owner, wire.BudgetSettings{EverybodyMonthNanoUSD: 100, EverybodyWarnPercent: 50})
	w := wire.Run{ID: uuid.NewString(), State: wire.Done, Model: "m", StartedMS: time.Now().UnixMilli(), CostNanoUSD: 60, CostSource: "reported", Team: red}
	if err := r.dbs[1].FinishRun(t.Context(), ann, w, "", nil, nil, nil); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range 30 {
		all.Go(func() { r.all[i%3].Booked(ann, red) })
	}
	all.Wait()
	slices.Sort(r.told)
	want := []string{ann + " person day", "everybody month", "lea team day"}
	slices.Sort(want)
	if fmt.Sprint(r.told) != fmt.Sprint(want) {
		t.Errorf("told %q, want %q", r.told, want)
	}
	if text, err := r.dbs[2].Setting(t.Context(), ann, "budget_warned"); err != nil || !strings.Contains(text, "day 100 50") {
		t.Errorf("remembered %q, %v", text, err)
	}
	if _, err := r.dbs[2].Setting(t.Context(), r.owner, "budget_warned"); err == nil {
		t.Error("who was warned of nothing has a warning noted")
	} else if !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
