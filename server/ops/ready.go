package ops

import (
	"context"
	"net/http"
	"sync"
	"time"

	"screentest/shared/wire"
)

const (
	// checkWithin bounds the checks of one look.
	checkWithin = 3 * time.Second
	// lookEvery is how long a look is good for: anybody may ask, and no oftener
	// than this does that cost more than the answer.
	lookEvery = time.Second
)

// readiness is what /readyz answers.
type readiness struct {
	Ready bool           `json:"ready"`
	Not   []wire.Problem `json:"not,omitempty"` // what is in the way
}

// probe is the last look.
type probe struct {
	mu   sync.Mutex // held while looking
	at   time.Time
	last []wire.Problem
}

// ready says whether requests may be sent here.
func (m *Monitor) ready(w http.ResponseWriter, r *http.Request) {
	var not []wire.Problem
	if m.draining.Load() {
		not = append(not, wire.Problem{Code: "draining", Message: "The server is ending.", Hint: "Send requests elsewhere, or in a moment."})
	} else {
		not = m.look()
	}
	status := http.StatusOK
	if len(not) > 0 {
		status = http.StatusServiceUnavailable
		w.Header().Set("Retry-After", "1")
	}
	answer(w, status, readiness{Ready: len(not) == 0, Not: not})
}

// look does the checks, or tells what the last ones said.
func (m *Monitor) look() []wire.Problem {
	p := &m.probe
	p.mu.Lock()
	defer p.mu.Unlock()
	if now := m.Now(); !p.at.IsZero() && now.Sub(p.at) < lookEvery {
		return p.last
	}
	// Not the request's own context: who hangs up must not fail it for others.
	ctx, cancel := context.WithTimeout(context.Background(), checkWithin)
	defer cancel()
	p.last = nil
	for _, c := range m.Checks {
		if err := c.Do(ctx); err != nil {
			m.Failed(c.Code, err)
			p.last = append(p.last, wire.Problem{Code: c.Code, Message: "This server can't do its work now.", Hint: c.Hint})
		}
	}
	p.at = m.Now()
	return p.last
}
