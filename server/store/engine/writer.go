package engine

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"os"
	"sync"
	"time"
)

// Bounds of the queue for the one writing connection.
const (
	maxQueued      = 8192     // units
	maxQueuedBytes = 64 << 20 // of what they carry
	maxGroup       = 512      // units in one commit
	maxGroupBytes  = 8 << 20
)

// scrubEvery is how long to wait before trying again to empty the write-ahead
// log after a deletion, while a reader still needs it.
const scrubEvery = time.Second

// followAfter is how long what follows waits after a write, so that it takes
// many rows at a time and a commit does not wait for it: putting the words of a
// turn into the search index costs as much as storing the turn.
const followAfter = 50 * time.Millisecond

// gatherFor is how long what nobody waits for may lie in the queue, so that one
// commit takes more of it, and so that the processor is first with what
// somebody does wait for: a turn is stored while its gateway is asked, and not
// before. gatherBytes ends it.
const (
	gatherFor   = 2 * time.Millisecond
	gatherBytes = 64 << 10
)

// A unit is one piece of work that is stored whole or not at all. fn must have
// no effect but on the database until it is answered: when a commit fails it
// may be run once more.
type unit struct {
	size int // bytes it carries, for the queue's bound
	fn   func(*Tx) error
	done func(error) // called once, on the writing goroutine
}

// A writer owns the one writing connection. A goroutine of its own takes what
// is queued, runs all units in one transaction and answers them: the wait for the
// disk is shared. Units run in the order they were queued. Where one fails, nothing
// of it may stay: all are run once more, each in a savepoint of its own. That is
// seldom, and savepoints are dear.
type writer struct {
	kind      kind
	tx        *Tx
	log       *slog.Logger
	follower  Follower
	committed func(took time.Duration)
	refused   error // of each write to what was moved elsewhere; nil: it is written to
	ended     chan struct{}
	wake      chan struct{} // holds one
	gathered  *time.Timer   // wakes too

	mu     sync.Mutex
	queue  []unit
	bytes  int
	closed bool
	room   chan struct{} // closed and renewed when units are taken

	relaxed bool // commits don't wait for the disk; of the goroutine
	failing bool // the follower could not be written the last time; of the goroutine
}

// A Follower is kept up to date with what is written, a moment later: the search
// index. All but Behind is called on the writing goroutine.
type Follower interface {
	// Behind says whether there is something to catch up with. It may be asked
	// at any time.
	Behind() bool
	// CatchUp does the next step, in a transaction of its own.
	CatchUp(*Tx) (more bool, err error)
	// Forget rewrites a part of what was derived from what is deleted, so that
	// in the end nothing of that is left. Each statement is a transaction.
	Forget(*Tx) (more bool, err error)
}

// startWriter takes over conn.
func startWriter(k kind, pool *sql.DB, conn *sql.Conn, o Options) (*writer, error) {
	w := &writer{
		kind:      k,
		tx:        newTx(k, prepare(pool, conn)),
		log:       o.Logger,
		follower:  o.Follower,
		committed: o.Committed,
		ended:     make(chan struct{}),
		wake:      make(chan struct{}, 1),
		room:      make(chan struct{}),
	}
	if err := w.tx.Scan("SELECT EXISTS (SELECT 1 FROM meta WHERE name = ?)", []any{scrubName}, &w.tx.scrub); err != nil {
		o.Logger.Error("what was deleted last may still be in the files", "err", err)
	}
	var moved *Error
	if w.refused = refusal(w.tx); w.refused != nil && !errors.As(w.refused, &moved) {
		return nil, errors.Join(w.refused, w.tx.p.close())
	}
	w.gathered = time.AfterFunc(gatherFor, w.signal) // the first time for nothing
	go w.run()
	return w, nil
}

// enqueue queues u, or says at once why not. room is closed when it may be
// worth trying again.
func (w *writer) enqueue(u unit, awaited bool) (room <-chan struct{}, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil, os.ErrClosed
	}
	if w.refused != nil {
		return nil, w.refused
	}
	// A unit larger than the whole queue may go in alone.
	if len(w.queue) >= maxQueued || (len(w.queue) > 0 && w.bytes+u.size > maxQueuedBytes) {
		return w.room, ErrOverloaded
	}
	w.queue = append(w.queue, u)
	w.bytes += u.size
	switch {
	case awaited || w.bytes >= gatherBytes:
		w.signal()
	case len(w.queue) == 1:
		w.gathered.Reset(gatherFor)
	}
	return nil, nil
}

func (w *writer) signal() {
	select {
	case w.wake <- struct{}{}:
	default: // awake already
	}
}

// write is [DB.Write].
func (w *writer) write(ctx context.Context, size int, fn func(*Tx) error) error {
	answer := make(chan error, 1)
	u := unit{size: size, fn: fn, done: func(err error) { answer <- err }}
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		room, err := w.enqueue(u, true)
		if err == nil {
			return <-answer
		}
		if !errors.Is(err, ErrOverloaded) {
			return err
		}
		select {
		case <-room:
		case <-ctx.Done():
		}
	}
}

// post is [DB.Post].
func (w *writer) post(size int, fn func(*Tx) error, done func(error)) {
	if done == nil {
		done = func(err error) {
			if err != nil {
				w.log.Error("a write failed", "err", err)
			}
		}
	}
	if _, err := w.enqueue(unit{size, fn, done}, false); err != nil {
		// Never on the caller's goroutine: it may hold a lock that done takes.
		go done(err)
	}
}

// close finishes what is queued, ends the goroutine, and gives the connection
// back.
func (w *writer) close() error {
	w.mu.Lock()
	w.closed = true
	w.signal()
	w.mu.Unlock()
	<-w.ended
	return w.tx.p.close()
}

func (w *writer) run() {
	defer close(w.ended)
	var again, follow <-chan time.Time
	for {
		due := false
		select {
		case <-w.wake:
		case <-again:
		case <-follow:
			due = true
		}
		again = nil
		for {
			group := w.next()
			if len(group) == 0 {
				break
			}
			w.commit(group)
		}
		w.mu.Lock()
		closed := w.closed && len(w.queue) == 0
		w.mu.Unlock()
		if closed {
			return // closing the last connection empties the log
		}
		if w.refused != nil {
			continue // what follows writes, too
		}
		switch {
		case due && w.follower.Behind() && w.catchUp():
			follow = time.After(0)
		case due:
			follow = nil
		case follow == nil && w.follower.Behind():
			follow = time.After(followAfter)
		}
		if !w.tx.scrub {
			continue
		}
		// A step at a time, so that what is queued meanwhile does not wait.
		switch more, err := w.follower.Forget(w.tx); {
		case err != nil:
			w.log.Error("what was deleted is still in the search index; it is tried again", "err", err)
			again = time.After(scrubEvery)
		case more:
			w.signal()
		case !w.emptied():
			again = time.After(scrubEvery)
		}
	}
}

// catchUp has the follower do a step. It does not wait for the disk: nobody is
// told that the step is done, and where a power cut takes it back, what it is to
// catch up with is there again. The wait of the next commit is for it, too.
func (w *writer) catchUp() (more bool) {
	defer w.durable()
	if w.relaxed = w.set(w.kind.relax) == nil; !w.relaxed {
		return false
	}
	errs, _ := w.try([]unit{{fn: func(t *Tx) (err error) {
		more, err = w.follower.CatchUp(t)
		return err
	}}}, false)
	err := errs[0]
	if err != nil && !w.failing { // said once, and not with each write while a disk is full
		w.log.Error("search index not written; it is tried again with the next write", "err", err)
	}
	w.failing = err != nil
	return more && err == nil
}

// next removes the next group from the queue.
func (w *writer) next() []unit {
	w.mu.Lock()
	defer w.mu.Unlock()
	n, bytes := 0, 0
	for n < len(w.queue) && n < maxGroup && (n == 0 || bytes+w.queue[n].size <= maxGroupBytes) {
		bytes += w.queue[n].size
		n++
	}
	if n == 0 {
		return nil
	}
	group := w.queue[:n:n]
	if w.queue = w.queue[n:]; len(w.queue) == 0 {
		w.queue = nil
	}
	w.bytes -= bytes
	close(w.room)
	w.room = make(chan struct{})
	return group
}

// scrubName notes in meta that something was deleted and is still in the files:
// a process that ends before it is gone leaves the rest to the next.
const scrubName = "scrub"

// emptied has what was deleted gone from the write-ahead log. It does not wait for
// readers: false means one is in the way.
func (w *writer) emptied() bool {
	done := false
	err := w.set(func(p *prepared) (err error) {
		done, err = w.kind.empty(p)
		return err
	})
	if err != nil || !done {
		return false
	}
	if _, err := w.tx.p.exec(context.Background(), "DELETE FROM meta WHERE name = ?", scrubName); err != nil {
		return false
	}
	w.tx.scrub = false
	return true
}

// durable has commits wait for the disk again. Nothing is committed while it fails.
func (w *writer) durable() error {
	if !w.relaxed {
		return nil
	}
	err := w.set(w.kind.durable)
	if w.tx.p.lost { // another connection is durable
		err = nil
	}
	w.relaxed = err != nil
	return err
}

// set changes a setting of the connection.
func (w *writer) set(change func(*prepared) error) error {
	err := w.tx.p.renew(context.Background())
	if err == nil {
		err = change(w.tx.p)
	}
	if err != nil {
		w.log.Error("a setting of the database was not changed", "err", err)
	}
	return err
}
