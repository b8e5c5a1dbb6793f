package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"sync"

	"screentest/shared/money"
)

// maxEntries is how many bookings an account lists; older ones are in its
// totals only.
const maxEntries = 100_000

// entry is one booking of an account.
type entry struct {
	Kind    string        `json:"kind"`    // "charge" or "return"
	Subject string        `json:"subject"` // id of the task or of the text reply
	NanoUSD money.NanoUSD `json:"nano_usd"`
}

// account is the money of one key (F2).
type account struct {
	name     string // of the key in files: a hash of it, so that no file holds the key
	opening  money.NanoUSD
	reserved money.NanoUSD // for text that is being streamed
	charged  money.NanoUSD
	returned money.NanoUSD
	entries  []entry
}

// free is what may still be spent.
func (a *account) free() money.NanoUSD { return a.opening - a.charged + a.returned - a.reserved }

func (a *account) book(kind, subject string, n money.NanoUSD) {
	if kind == "charge" {
		a.charged += n
	} else {
		a.returned += n
	}
	if len(a.entries) >= maxEntries {
		// Half at once, so that a full list is not moved at every booking.
		a.entries = append(a.entries[:0], a.entries[maxEntries/2:]...)
	}
	a.entries = append(a.entries, entry{kind, subject, n})
}

// bank holds the accounts. Its lock also guards the tasks, so that a task and
// its charge are one step.
type bank struct {
	mu       sync.Mutex
	accounts map[[sha256.Size]byte]*account // by the key's hash; fixed
	byName   map[string]*account            // these, and those of former keys
}

func newBank(keys []string, opening money.NanoUSD) *bank {
	b := &bank{accounts: map[[sha256.Size]byte]*account{}, byName: map[string]*account{}}
	for _, k := range keys {
		h := sha256.Sum256([]byte(k))
		b.accounts[h] = b.named(hex.EncodeToString(h[:8]), opening)
	}
	return b
}

// named returns the account of that name, made if it is not there.
func (b *bank) named(name string, opening money.NanoUSD) *account {
	a := b.byName[name]
	if a == nil {
		a = &account{name: name, opening: opening}
		b.byName[name] = a
	}
	return a
}

// account returns the account of a key, or nil. Looking up the key's hash
// takes the same time whatever the key.
func (b *bank) account(key string) *account { return b.accounts[sha256.Sum256([]byte(key))] }

// reserve sets n aside for a text call and says whether there is enough (G4).
func (b *bank) reserve(a *account, n money.NanoUSD) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if a.free() < n {
		return false
	}
	a.reserved += n
	return true
}

func (b *bank) freeOf(a *account) money.NanoUSD {
	b.mu.Lock()
	defer b.mu.Unlock()
	return a.free()
}

// handleAccount answers GET /sandbox/account.
func (s *Server) handleAccount(c *call) error {
	s.bank.mu.Lock()
	s.returnFailed(s.now())
	a := c.account
	out := struct {
		Balance  money.NanoUSD `json:"balance_nano_usd"`
		Charged  money.NanoUSD `json:"charged_nano_usd"`
		Returned money.NanoUSD `json:"returned_nano_usd"`
		Entries  []entry       `json:"entries"`
	}{a.opening - a.charged + a.returned, a.charged, a.returned, append([]entry{}, a.entries...)}
	s.bank.mu.Unlock()
	return c.reply(out)
}

// handleRequests answers GET /sandbox/requests: with those of the same key, and
// with those that had no right one, of which there is no body.
func (s *Server) handleRequests(c *call) error {
	return c.reply(struct {
		Requests []record `json:"requests"`
	}{s.requests.of(func(a *account) bool { return a == nil || a == c.account })})
}

// refuseBalance is the refusal of what an account cannot pay (G4).
func refuseBalance(need, free money.NanoUSD) *refusal {
	return &refusal{status: http.StatusForbidden, code: "insufficient_user_quota",
		message: "the balance is too low: the call needs " + need.String() + ", " + free.String() + " is left"}
}
