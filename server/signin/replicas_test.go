package signin_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"screentest/server/signin"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// desks are those of n replicas, with a first admin, ann@example.com.
func desks(t *testing.T, n int, now func() time.Time) (all []*signin.Desk) {
	t.Helper()
	dbs, _ := storetest.Replicas(t, n)
	for _, db := range dbs {
		all = append(all, signin.New(signin.Config{Accounts: db, Tries: db, Passwords: true, Cost: cheap, Now: now}))
	}
	token, err := all[0].SetUpLink(t.Context(), "start")
	storetest.Must(t, err)
	_, err = all[n-1].SetUp(t.Context(), wire.Join{Token: token, Name: "Ann", Email: "ann@example.com", Password: right})
	storetest.Must(t, err)
	return all
}

// What is guessed at several replicas counts as if it were guessed at one, also when
// it is at once: ten attempts at an account from an address, and one a minute.
func TestGuessesAreCountedOverAllReplicas(t *testing.T) {
	now := time.Now()
	all := desks(t, 2, func() time.Time { return now })
	try := func(d *signin.Desk, from, pass string) string {
		_, err := d.SignIn(t.Context(), wire.SignIn{Email: "ann@example.com", Password: pass}, from)
		return code(err)
	}
	var wrong, held atomic.Int64
	var guessing sync.WaitGroup
	for i := range 40 {
		guessing.Go(func() {
			switch c := try(all[i%2], "203.0.113.7", "guess"); c {
			case wire.CodeWrong:
				wrong.Add(1)
			case wire.CodeTooMany:
				held.Add(1)
			default:
				t.Errorf("%q", c)
			}
		})
	}
	guessing.Wait()
	if wrong.Load() != 10 || held.Load() != 30 {
		t.Errorf("%d were let through and %d held up, want 10 and 30", wrong.Load(), held.Load())
	}
	now = now.Add(time.Minute)
	if a, b := try(all[1], "203.0.113.7", "guess"), try(all[0], "203.0.113.7", "guess"); a != wire.CodeWrong || b != wire.CodeTooMany {
		t.Errorf("a minute later: %s, then %s", a, b)
	}
	// From elsewhere they are in, which forgets what was tried from there.
	for i := range 9 {
		if c := try(all[i%2], "198.51.100.2", "guess"); c != wire.CodeWrong {
			t.Errorf("from elsewhere: %s", c)
		}
	}
	if c := try(all[0], "198.51.100.2", right); c != "" {
		t.Errorf("the right one: %s", c)
	}
	for i := range 10 {
		if c := try(all[(i+1)%2], "198.51.100.2", "guess"); c != wire.CodeWrong {
			t.Errorf("after that: %s", c)
		}
	}
}

// The limits are those of one process, whoever counts: attempt by attempt.
func TestLimitsAreTheSameWhoeverCounts(t *testing.T) {
	now := time.Now().Truncate(time.Millisecond)
	clock := func() time.Time { return now }
	alone, _, _ := desk(t, signin.Config{Now: clock})
	shared := desks(t, 1, clock)[0]
	for i := range 150 {
		now = now.Add(time.Duration(i*i%7) * 500 * time.Millisecond)
		in, from := wire.SignIn{Email: "ann@example.com", Password: "guess"}, fmt.Sprintf("203.0.113.%d", i%3)
		if i%29 == 28 {
			in.Password = right
		}
		_, one := alone.SignIn(t.Context(), in, from)
		_, other := shared.SignIn(t.Context(), in, from)
		a, b := storetest.Problem(one), storetest.Problem(other)
		// A wait is told in whole seconds, and one of them counts in fractions.
		if apart := a.RetryAfterMS - b.RetryAfterMS; a.Code != b.Code || max(apart, -apart) > 1000 {
			t.Fatalf("attempt %d: %q for %d ms alone, %q for %d ms of several", i, a.Code, a.RetryAfterMS, b.Code, b.RetryAfterMS)
		}
	}
}

// Of those who claim the first account at different replicas at once one gets it.
func TestOneFirstAdminOverAllReplicas(t *testing.T) {
	dbs, _ := storetest.Replicas(t, 3)
	var tokens []string
	var all []*signin.Desk
	for i, db := range dbs {
		d := signin.New(signin.Config{Accounts: db, Tries: db, Passwords: true, Cost: cheap})
		token, err := d.SetUpLink(t.Context(), fmt.Sprintf("start %d", i))
		storetest.Must(t, err)
		all, tokens = append(all, d), append(tokens, token)
	}
	var won atomic.Int64
	var claiming sync.WaitGroup
	for i := range 9 {
		claiming.Go(func() {
			// Each link leads to the first account at each of them.
			_, err := all[i%3].SetUp(t.Context(), wire.Join{Token: tokens[i/3], Name: "Ann", Email: fmt.Sprintf("ann%d@example.com", i), Password: right})
			var p *wire.Problem
			switch {
			case err == nil:
				won.Add(1)
			case !errors.As(err, &p) || p.Code != wire.CodeLinkUsed:
				t.Error(err)
			}
		})
	}
	claiming.Wait()
	n, err := dbs[0].AccountCount(t.Context())
	if won.Load() != 1 || n != 1 || err != nil {
		t.Errorf("%d got it, and there are %d accounts, %v", won.Load(), n, err)
	}
}
