// Package audit keeps what happened on the instance: who signed in, invited,
// changed a role, a key or a limit, exported, handed over or erased. It is
// append-only, and chained (package chain).
//
// [Log.Note] notes something and waits for nothing; [Log.Append] does so in the
// transaction of what it is about. A line has numbers and ids, never a name, an
// address of e-mail, a key or a text: who is erased leaves a number.
package audit

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"regexp"
	"sync"
	"time"

	"screentest/server/seal"
	"screentest/server/store/chain"
	"screentest/server/store/engine"
	"screentest/shared/wire"
)

// An Entry is something that happened.
type Entry struct {
	Person  string         // the owner who did it; "": nobody who has an account
	Action  string         // what, as noun.verb: "invite.made"
	Object  string         // the id of what it was done to; "" for none
	Detail  map[string]any // the rest
	Address string         // where the request came from
}

// Bounds of a line, in bytes. What is longer is cut or, of a detail, left out.
const (
	maxObject  = 100
	maxAddress = 64
	maxDetail  = 4 << 10
)

// isAction says what an action looks like.
var isAction = regexp.MustCompile(`^[a-z_]{1,30}(\.[a-z_]{1,30})?$`).MatchString

// A Log is the audit of a data folder. Close it before the database.
type Log struct {
	db    *engine.DB
	chain *chain.Chain
	now   func() time.Time
	log   *slog.Logger

	mu     sync.Mutex
	often  map[often]int // how many more there were since the timer began
	timer  *time.Timer   // nil: none is running
	closed bool
}

// New is the audit in db. box seals the head of its chain.
func New(db *engine.DB, box *seal.Box, now func() time.Time, log *slog.Logger) *Log {
	return &Log{db: db, chain: chain.New(chain.Audit, box), now: now, log: log, often: map[often]int{}}
}

// Append adds a line in the transaction of what it is about.
func (l *Log) Append(w *engine.Tx, e Entry) error {
	if !isAction(e.Action) {
		return fmt.Errorf("%q is no action of the audit", e.Action)
	}
	detail := []byte("{}")
	if len(e.Detail) > 0 {
		var err error
		if detail, err = json.Marshal(e.Detail); err != nil {
			return fmt.Errorf("the detail of %s: %w", e.Action, err)
		}
		if len(detail) > maxDetail {
			detail = fmt.Appendf(nil, `{"left_out_bytes":%d}`, len(detail))
		}
	}
	var person any
	if n := engine.ParseOwner(e.Person); n > 0 {
		person = n
	}
	last, before, err := l.chain.Head(w)
	if err != nil {
		return err
	}
	row := []any{last + 1, l.now().UnixMilli(), person, e.Action, wire.Cut(e.Object, maxObject), string(detail), wire.Cut(e.Address, maxAddress)}
	h, err := l.chain.After(before, row...)
	if err != nil {
		return err
	}
	if _, err := w.Exec("INSERT INTO audit (n, at_ms, person, action, object, detail, address, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", append(row, h[:])...); err != nil {
		return err
	}
	l.chain.SetHead(w, last+1, h)
	return nil
}

// Note adds a line, without waiting for the disk. It comes behind all that its
// caller has written. What somebody can have happen as often as they like, such
// as a failed sign-in, is written once and then counted: see gatherFor.
func (l *Log) Note(e Entry) {
	if l.counted(e) {
		return
	}
	l.post(e)
}

func (l *Log) post(e Entry) {
	l.db.Post(maxDetail, func(w *engine.Tx) error { return l.Append(w, e) }, func(err error) {
		if err != nil {
			l.log.Error("a line of the audit was not written", "action", e.Action, "object", e.Object, "err", err)
		}
	})
}

// Close writes what was counted.
func (l *Log) Close() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.tell()
}
