// Package password keeps passwords as sums that are dear to guess from: argon2id
// (RFC 9106) in PHC form. Make a [Hasher], which does few at once: each takes its
// memory, and who sends many passwords should find a queue and not the end of it.
//
// A password is taken in Unicode's form C, so that one that was set on a machine
// that writes é as a letter and its accent is right on one that has it as one
// letter. Nothing else of it is changed, and none of it is cut off.
package password

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"runtime"
	"strings"

	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"

	"screentest/shared/wire"
)

// Cost is what a sum costs to make.
type Cost struct {
	MemoryKiB uint32
	Passes    uint32
	Lanes     uint8
}

// Usual is one of the settings that OWASP holds to be equally good (Password
// Storage Cheat Sheet, argon2id): 19 MiB, and 56 ms where this was measured. At
// AtOnce of them it is less than the smallest machine has.
var Usual = Cost{MemoryKiB: 19 << 10, Passes: 2, Lanes: 1}

const (
	saltSize = 16
	sumSize  = 32
	// maxWaiting is how many may wait for their turn.
	maxWaiting = 64
	// Bounds of what a stored sum may ask for, so that a row that somebody wrote
	// by hand doesn't take the machine's memory.
	maxMemoryKiB = 1 << 20
	maxPasses    = 16
)

// AtOnce is how many sums are made at a time.
var AtOnce = min(4, runtime.GOMAXPROCS(0))

// ErrBusy says that too many passwords are being looked at.
var ErrBusy = &wire.Problem{Code: wire.CodeTooMany, Message: "Too many people are signing in at this moment.", Hint: "Try again in a few seconds.", RetryAfterMS: 2000}

// A Hasher makes sums. Its methods may be called from any goroutine.
type Hasher struct {
	cost    Cost
	turns   chan struct{}
	waiting chan struct{}
	dummy   string // of a password that nobody has
}

// New returns a Hasher whose sums cost c, atOnce at a time.
func New(c Cost, atOnce int) *Hasher {
	h := &Hasher{cost: c, turns: make(chan struct{}, atOnce), waiting: make(chan struct{}, atOnce+maxWaiting)}
	h.dummy = h.sum(rand.Text())
	return h
}

// turn waits for a turn; done gives it back.
func (h *Hasher) turn(ctx context.Context) (done func(), err error) {
	select {
	case h.waiting <- struct{}{}:
	default:
		return nil, ErrBusy
	}
	select {
	case h.turns <- struct{}{}:
		return func() { <-h.turns; <-h.waiting }, nil
	case <-ctx.Done():
		<-h.waiting
		return nil, ctx.Err()
	}
}

// Sum makes a password's sum.
func (h *Hasher) Sum(ctx context.Context, password string) (string, error) {
	done, err := h.turn(ctx)
	if err != nil {
		return "", err
	}
	defer done()
	return h.sum(password), nil
}

func (h *Hasher) sum(password string) string {
	salt := make([]byte, saltSize)
	rand.Read(salt) // never fails
	return phc{h.cost, salt, h.cost.key(password, salt)}.String()
}

func (c Cost) key(password string, salt []byte) []byte {
	return argon2.IDKey(norm.NFC.Bytes([]byte(password)), salt, c.Passes, c.MemoryKiB, c.Lanes, sumSize)
}

// Check says whether a password is that of a sum, and whether the sum costs less
// than one that is made today. "" is the sum of no password: to find that it isn't
// right takes as long as with any other.
func (h *Hasher) Check(ctx context.Context, sum, password string) (right, old bool, err error) {
	none := sum == ""
	if none {
		sum = h.dummy
	}
	p, err := parse(sum)
	if err != nil {
		return false, false, err
	}
	done, err := h.turn(ctx)
	if err != nil {
		return false, false, err
	}
	defer done()
	right = subtle.ConstantTimeCompare(p.cost.key(password, p.salt), p.sum) == 1
	return right && !none, p.cost != h.cost, nil
}

// phc is a sum as it is written down.
type phc struct {
	cost      Cost
	salt, sum []byte
}

func (p phc) String() string {
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, p.cost.MemoryKiB, p.cost.Passes, p.cost.Lanes, b64.EncodeToString(p.salt), b64.EncodeToString(p.sum))
}

// errSum is of a stored sum that can't be read. It doesn't say the sum.
var errSum = errors.New("the password's sum is damaged")

func parse(text string) (p phc, err error) {
	parts := strings.Split(text, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return p, errSum
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &p.cost.MemoryKiB, &p.cost.Passes, &p.cost.Lanes); err != nil {
		return p, errSum
	}
	var bad [2]error
	p.salt, bad[0] = base64.RawStdEncoding.DecodeString(parts[4])
	p.sum, bad[1] = base64.RawStdEncoding.DecodeString(parts[5])
	if bad != [2]error{} || len(p.salt) < 8 || len(p.sum) != sumSize ||
		p.cost.MemoryKiB < 8 || p.cost.MemoryKiB > maxMemoryKiB || p.cost.Passes < 1 || p.cost.Passes > maxPasses || p.cost.Lanes < 1 {
		return p, errSum
	}
	return p, nil
}
