package factors_test

import (
	"crypto/rand"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"screentest/server/account"
	"screentest/server/factors"
	"screentest/server/store/people"
	"screentest/server/store/storetest"
	"screentest/server/ticket"
	"screentest/shared/wire"
)

// worlds are those of n replicas on one database, with one browser.
func worlds(t *testing.T, n int) (all []*world) {
	t.Helper()
	dbs, _ := storetest.Replicas(t, n)
	hash := account.Hash("set-up")
	storetest.Must(t, dbs[0].MakeLink(t.Context(), people.LinkSetUp, "", "start", hash, time.Hour))
	owner, err := dbs[0].SetUp(t.Context(), hash, "Ann", "ann@example.com", "sum")
	storetest.Must(t, err)
	var key [ticket.KeySize]byte
	rand.Read(key[:])
	now := time.Now()
	for _, db := range dbs {
		w := &world{t: t, db: db, now: now, ann: account.Account{Owner: owner, Active: true, Me: wire.Me{Name: "Ann", Email: "ann@example.com"}}}
		w.Factors = factors.New(factors.Config{
			Store: db, Name: func() string { return "Screentest" }, Origin: "http://localhost:8080", CookieName: "passkey",
			Shared: &ticket.Shared{Key: key, Used: db}, Begun: db, Now: func() time.Time { return w.now },
		})
		all = append(all, w)
	}
	return all
}

// A passkey that is begun at one replica is finished at another, once, and so is a
// sign-in with it.
func TestAPasskeyIsBegunHereAndFinishedThere(t *testing.T) {
	all := worlds(t, 2)
	a, b := all[0], all[1]
	key := a.authenticator()
	raw, err := a.BeginPasskey(asked("localhost:8080"), a.ann, "s")
	storetest.Must(t, err)
	made := key.create(raw)
	if _, err := b.FinishPasskey(asked("localhost:8080"), b.other(), "s", "Another's", made); codeOf(err) != "expired" {
		t.Errorf("somebody else finishes it: %v", err)
	}
	raw, err = a.BeginPasskey(asked("localhost:8080"), a.ann, "s")
	storetest.Must(t, err)
	made = key.create(raw)
	if added, err := b.FinishPasskey(asked("localhost:8080"), b.ann, "s", "Mine", made); err != nil || len(added.Codes) != wire.RecoveryCodes {
		t.Fatalf("%+v, %v", added, err)
	}
	for _, w := range all {
		if _, err := w.FinishPasskey(asked("localhost:8080"), w.ann, "s", "Again", made); codeOf(err) != "expired" {
			t.Errorf("again: %v", err)
		}
	}
	credential := key.sign(a.begin())
	b.cookies = a.cookies
	var in atomic.Int64
	var finishing sync.WaitGroup
	for i := range 10 { // as somebody does who has read it on the way
		finishing.Go(func() {
			switch owner, _, err := all[i%2].finish(credential); {
			case err == nil && owner == a.ann.Owner:
				in.Add(1)
			case codeOf(err) != "expired":
				t.Errorf("%q, %v", owner, err)
			}
		})
	}
	finishing.Wait()
	if in.Load() != 1 {
		t.Errorf("it let them in %d times", in.Load())
	}
	begun := a.begin()
	b.cookies, b.now = a.cookies, b.now.Add(time.Hour)
	if _, _, err := b.finish(key.sign(begun)); codeOf(err) != "expired" {
		t.Errorf("an hour later: %v", err)
	}
}

// An authenticator app is begun at one replica and finished at another, also after a
// mistype, and each of its codes is taken once, wherever.
func TestACodeIsTakenOnceOverAllReplicas(t *testing.T) {
	all := worlds(t, 2)
	a, b := all[0], all[1]
	begun, err := a.BeginTOTP(t.Context(), a.ann.Owner, "s", a.ann.Me.Email)
	storetest.Must(t, err)
	if _, err := b.FinishTOTP(t.Context(), b.ann.Owner, "s", "000000"); codeOf(err) != "wrong_code" {
		t.Errorf("a mistype: %v", err)
	}
	codes, err := a.FinishTOTP(t.Context(), a.ann.Owner, "s", code(t, begun.Secret, a.now))
	if err != nil || len(codes) != wire.RecoveryCodes {
		t.Fatalf("%d codes, %v", len(codes), err)
	}
	if b.check(code(t, begun.Secret, b.now)) {
		t.Error("the code that was shown at first lets them in at the other one")
	}
	for _, w := range all {
		w.now = w.now.Add(5 * time.Minute)
	}
	for _, c := range []string{code(t, begun.Secret, a.now), codes[3]} {
		var in atomic.Int64
		var checking sync.WaitGroup
		for i := range 10 {
			checking.Go(func() {
				if all[i%2].check(c) {
					in.Add(1)
				}
			})
		}
		checking.Wait()
		if in.Load() != 1 {
			t.Errorf("a code let them in %d times", in.Load())
		}
	}
}
