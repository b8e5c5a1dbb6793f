package main

import (
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"regexp"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"screentest/shared/wire"
)

// Ten thousand random operations from many sides, with starts of the house in
// between: what our ledger calls reported or computed is to the nano-dollar
// what the gateway's own account has, each once; what it calls estimated is so
// when the late figure has come; and nothing stays reserved.
func TestTheLedgerEqualsTheGatewaysAccount(t *testing.T) {
	t.Parallel()
	h := newHouse(t, canary)
	h.operateAll()
	defer h.stop()
	total := h.reconcile()
	page, err := h.db.Spend(t.Context(), h.owner, wholeTime)
	h.must(err)
	if page.Range.NanoUSD != total || page.Range.EstimatedNanoUSD != 0 || total == 0 {
		t.Errorf("our ledger has %+v, the account %d", page.Range, total)
	}
	if n, err := h.budget.Reserved(t.Context(), h.owner); err != nil || n != 0 {
		t.Errorf("%d is still reserved", n)
	}
}

// wholeTime asks for all that was ever spent.
var wholeTime = wire.SpendQuery{Tomorrow: 1, Days: []int64{0, time.Now().AddDate(1, 0, 0).UnixMilli()}}

// operateAll does the operations, and waits until all that came of them has ended.
func (h *house) operateAll() {
	h.t.Helper()
	const sides = 24
	var mu sync.Mutex
	counts := map[string]int{}
	var done atomic.Int64
	var all sync.WaitGroup
	for side := range sides {
		all.Go(func() {
			r := rand.New(rand.NewPCG(6, uint64(side)))
			for n := done.Add(1); n <= operations; n = done.Add(1) {
				if n%(operations/restarts) == 0 {
					h.open.Lock()
					h.stop()
					h.start()
					h.open.Unlock()
				}
				name := kind(n, r)
				run, task := h.operate(name, r)
				mu.Lock()
				counts[name]++
				if run != "" {
					h.sentRuns = append(h.sentRuns, run)
				} else {
					h.sentTasks = append(h.sentTasks, task)
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	h.finishClips(h.sentTasks)
	// What is still left alone ends as interrupted.
	h.stop()
	h.start()
	h.t.Logf("%d operations: %v", operations, counts)
	for _, m := range mix {
		if counts[m.name] == 0 {
			h.t.Errorf("there was no %q", m.name)
		}
	}
}

// reconcile holds each run and task against the accounts of the gateway and
// corrects what our ledger can't have right; it returns what the accounts have in
// all.
func (h *house) reconcile() (total int64) {
	h.t.Helper()
	t := h.t
	accounts := map[string]map[string]int64{}
	for key := range h.sandboxes {
		accounts[key] = h.account(key)
		for _, nano := range accounts[key] {
			total += nano
		}
	}
	booked := h.booked()
	for _, id := range h.sentTasks {
		by := h.by[id]
		account := accounts[by.Secret]
		o, err := h.db.Videos().Opened(t.Context(), by.Owner, id)
		h.must(err)
		if got, want := booked[id].nano, account[o.Task.Remote]; got != want || booked[id].estimated {
			t.Errorf("task %s, %s: our ledger has %d, the account %d", id, o.Task.State, got, want)
		}
		delete(account, o.Task.Remote)
	}
	late := map[string][]string{} // by key
	for _, id := range h.sentRuns {
		by := h.by[id]
		account := accounts[by.Secret]
		r, err := h.db.Run(t.Context(), by.Owner, id)
		h.must(err)
		reply := h.replyID(by.Owner, id)
		if r.State == wire.Running {
			t.Errorf("run %s is still under way", id)
		}
		switch got := booked[id]; {
		case got.rows > 0 && !got.estimated:
			if got.nano != account[reply] || got.rows > 1 {
				t.Errorf("run %s, %s: our ledger has %d in %d rows, the account %d", id, r.State, got.nano, got.rows, account[reply])
			}
		case reply == "":
			late[by.Secret] = append(late[by.Secret], id) // not a byte came; it may have been billed
		case got.nano != account[reply] || got.estimated:
			h.correct(by.Owner, id, account[reply])
		}
		delete(account, reply)
	}
	// What the accounts have besides was billed for runs that brought not a byte.
	// Which is whose only the gateway knows; here any of the key will do.
	for key, account := range accounts {
		for reply, nano := range account {
			if len(late[key]) == 0 {
				t.Errorf("the account has %s with %d, which is of none of our runs", reply, nano)
				continue
			}
			id := late[key][0]
			h.correct(h.by[id].Owner, id, nano)
			late[key] = late[key][1:]
		}
	}
	return total
}

// finishClips waits until every task has ended.
func (h *house) finishClips(tasks []string) {
	h.t.Helper()
	deadline := time.After(60 * time.Second)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for _, id := range tasks {
		for {
			task, err := h.db.Videos().Task(h.t.Context(), h.by[id].Owner, id)
			h.must(err)
			if task.State == wire.VideoDone || task.State == wire.VideoFailed {
				break
			}
			select {
			case <-tick.C:
			case <-deadline:
				h.t.Fatalf("task %s is still %s: %+v", id, task.State, task.Problem)
			}
		}
	}
}

// account is what the gateway has booked for a key, by its own ids.
func (h *house) account(key string) map[string]int64 {
	h.t.Helper()
	r := httptest.NewRequestWithContext(h.t.Context(), http.MethodGet, "/sandbox/account", nil)
	r.Header.Set("Authorization", "Bearer "+key)
	w := httptest.NewRecorder()
	h.sandboxes[key].ServeHTTP(w, r)
	var a struct {
		Charged  int64 `json:"charged_nano_usd"`
		Returned int64 `json:"returned_nano_usd"`
		Entries  []struct {
			Kind, Subject string
			NanoUSD       int64 `json:"nano_usd"`
		} `json:"entries"`
	}
	h.must(json.Unmarshal(w.Body.Bytes(), &a))
	by := map[string]int64{}
	total := int64(0)
	for _, e := range a.Entries {
		if e.Kind == "return" {
			e.NanoUSD = -e.NanoUSD
		}
		by[e.Subject] += e.NanoUSD
		total += e.NanoUSD
	}
	if total != a.Charged-a.Returned {
		h.t.Errorf("the account's entries make %d, it says %d - %d", total, a.Charged, a.Returned)
	}
	return by
}

// rows are what our ledger has of one run or task.
type rows struct {
	nano      int64
	rows      int
	estimated bool
}

func (h *house) booked() map[string]rows {
	h.t.Helper()
	by := map[string]rows{}
	h.must(h.db.EachLedgerOfEverybody(h.t.Context(), h.owner, wire.LedgerQuery{}, func(r wire.LedgerRow) error {
		b := by[r.Subject]
		b.nano += r.CostNanoUSD
		b.rows++
		b.estimated = b.estimated || r.Source == wire.SourceEstimated
		by[r.Subject] = b
		return nil
	}))
	return by
}

var replyIDs = regexp.MustCompile(`"id":\s*"((?:chatcmpl-|resp_)[^"]+)"`)

// replyID is the gateway's id of a run's reply; "" if none came.
func (h *house) replyID(owner, run string) string {
	h.t.Helper()
	log, err := h.db.ReadRunLog(h.t.Context(), owner, run, 0, 4096)
	h.must(err)
	if m := replyIDs.FindSubmatch(log); m != nil {
		return string(m[1])
	}
	return ""
}

func (h *house) correct(owner, run string, nano int64) {
	h.t.Helper()
	if _, err := h.db.Correct(h.t.Context(), owner, wire.Correction{Subject: run, CostNanoUSD: nano}); err != nil {
		h.t.Errorf("correct run %s to %d: %v", run, nano, err)
	}
}
