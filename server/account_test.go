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
	const sides = 24
	h := newHouse(t)
	var runs, tasks []string
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
					runs = append(runs, run)
				} else {
					tasks = append(tasks, task)
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	h.finishClips(tasks)
	// What is still left alone ends as interrupted.
	h.stop()
	h.start()
	defer h.stop()
	t.Logf("%d operations: %v", operations, counts)
	for _, m := range mix {
		if counts[m.name] == 0 {
			t.Errorf("there was no %q", m.name)
		}
	}

	account := h.account()
	booked := h.booked()
	for _, id := range tasks {
		o, err := h.db.Videos().Opened(t.Context(), h.owner, id)
		h.must(err)
		if got, want := booked[id].nano, account[o.Task.Remote]; got != want || booked[id].estimated {
			t.Errorf("task %s, %s: our ledger has %d, the account %d", id, o.Task.State, got, want)
		}
		delete(account, o.Task.Remote)
	}
	var late []string
	for _, id := range runs {
		r, err := h.db.Run(t.Context(), h.owner, id)
		h.must(err)
		reply := h.replyID(id)
		if r.State == wire.Running {
			t.Errorf("run %s is still under way", id)
		}
		switch got := booked[id]; {
		case got.rows > 0 && !got.estimated:
			if got.nano != account[reply] || got.rows > 1 {
				t.Errorf("run %s, %s: our ledger has %d in %d rows, the account %d", id, r.State, got.nano, got.rows, account[reply])
			}
		case reply == "":
			late = append(late, id) // not a byte came; it may have been billed
		case got.nano != account[reply] || got.estimated:
			h.correct(id, account[reply])
		}
		delete(account, reply)
	}
	// What the account has besides was billed for runs that brought not a byte.
	// Which is whose only the gateway knows; here any will do.
	for reply, nano := range account {
		if len(late) == 0 {
			t.Errorf("the account has %s with %d, which is of none of our runs", reply, nano)
			continue
		}
		h.correct(late[0], nano)
		late = late[1:]
	}
	var total int64
	for _, nano := range h.account() {
		total += nano
	}
	page, err := h.db.Spend(t.Context(), h.owner, wire.SpendQuery{Tomorrow: 1, Days: []int64{0, time.Now().AddDate(1, 0, 0).UnixMilli()}})
	h.must(err)
	if page.Range.NanoUSD != total || page.Range.EstimatedNanoUSD != 0 || total == 0 {
		t.Errorf("our ledger has %+v, the account %d", page.Range, total)
	}
	if n := h.budget.Reserved(h.owner); n != 0 {
		t.Errorf("%d is still reserved", n)
	}
}

// finishClips waits until every task has ended.
func (h *house) finishClips(tasks []string) {
	h.t.Helper()
	deadline := time.After(60 * time.Second)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for _, id := range tasks {
		for {
			task, err := h.db.Videos().Task(h.t.Context(), h.owner, id)
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

// account is what the gateway has booked, by its own ids.
func (h *house) account() map[string]int64 {
	h.t.Helper()
	r := httptest.NewRequestWithContext(h.t.Context(), http.MethodGet, "/sandbox/account", nil)
	r.Header.Set("Authorization", "Bearer "+canary)
	w := httptest.NewRecorder()
	h.sandbox.ServeHTTP(w, r)
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
	h.must(h.db.EachLedger(h.t.Context(), h.owner, wire.LedgerQuery{}, func(r wire.LedgerRow) error {
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
func (h *house) replyID(run string) string {
	h.t.Helper()
	log, err := h.db.ReadRunLog(h.t.Context(), h.owner, run, 0, 4096)
	h.must(err)
	if m := replyIDs.FindSubmatch(log); m != nil {
		return string(m[1])
	}
	return ""
}

func (h *house) correct(run string, nano int64) {
	h.t.Helper()
	if _, err := h.db.Correct(h.t.Context(), h.owner, wire.Correction{Subject: run, CostNanoUSD: nano}); err != nil {
		h.t.Errorf("correct run %s to %d: %v", run, nano, err)
	}
}
