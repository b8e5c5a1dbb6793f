package engine

import (
	"context"
	"errors"
	"time"
)

// waitForDatabase is how long a group waits for a database that can't be reached,
// before those who wait are told.
const waitForDatabase = 5 * time.Second

// commit makes group durable and answers it.
func (w *writer) commit(group []unit) {
	began := time.Now()
	if err := w.durable(); err != nil {
		for _, u := range group {
			u.done(Explain(&CommitError{err}))
		}
		return
	}
	errs, how := w.try(group, false)
	for broke := time.Now(); how == brokeOff && time.Since(broke) < waitForDatabase; {
		time.Sleep(betweenTries)
		errs, how = w.try(group, false)
	}
	if how == refused && len(group) > 1 {
		errs, how = w.try(group, true)
	}
	w.committed(time.Since(began))
	if how == refused && len(group) > 1 {
		// The transaction as a whole did not go through, perhaps for the sake
		// of one of its units. Alone, each gets its own verdict.
		for i := range group {
			one := group[i : i+1]
			alone, how := w.try(one, false)
			errs[i] = alone[0]
			if how == brokeOff {
				for k := range errs[i:] { // the rest would wait for the database one by one
					errs[i+k] = alone[0]
				}
				break
			}
		}
	}
	for i, u := range group {
		u.done(Explain(errs[i]))
	}
	clear(group) // lets go of what the units carried
}

// An outcome is what became of a transaction.
type outcome int

const (
	ended    outcome = iota // it is stored, or it isn't and trying again is no use
	refused                 // nothing of it is, and that may be because of a single unit
	brokeOff                // nothing of it is, because the connection broke off
)

// try runs group in one transaction, each unit in a savepoint of its own if apart
// says so.
func (w *writer) try(group []unit, apart bool) (errs []error, how outcome) {
	errs = make([]error, len(group))
	w.tx.after = w.tx.after[:0]
	clear(w.tx.kept)
	failAll := func(err error) outcome {
		if !w.tx.p.lost {
			w.kind.takeBack(w.tx.p, "ROLLBACK") // the engine may have done it by itself
		}
		for i := range errs {
			if errs[i] == nil {
				errs[i] = &CommitError{err}
			}
		}
		if w.tx.p.lost {
			return brokeOff
		}
		return refused
	}
	if err := w.kind.begin(w.tx.p); err != nil {
		if how := failAll(err); how == brokeOff {
			return errs, brokeOff
		}
		return errs, ended
	}
	for i, u := range group {
		if !apart {
			if errs[i] = u.fn(w.tx); errs[i] != nil {
				return errs, failAll(errs[i])
			}
			continue
		}
		if _, err := w.tx.p.exec(context.Background(), "SAVEPOINT unit"); err != nil {
			return errs, failAll(err)
		}
		before := len(w.tx.after)
		if errs[i] = w.whole(u); errs[i] != nil {
			clear(w.tx.kept)
			w.tx.after = w.tx.after[:before]
			if err := w.kind.takeBack(w.tx.p, "ROLLBACK TO unit"); err != nil {
				return errs, failAll(err) // the error took the whole transaction with it
			}
		}
		if _, err := w.tx.p.exec(context.Background(), "RELEASE unit"); err != nil {
			return errs, failAll(err)
		}
	}
	if err := w.tx.storeKept(); err != nil {
		return errs, failAll(err)
	}
	switch err := w.kind.commit(w.tx.p); {
	case err == nil:
	case errors.Is(err, errTakenBack):
		failAll(err)
		return errs, brokeOff
	case isBroken(err):
		failAll(err)
		return errs, ended
	default:
		if len(group) == 1 && isLate(err) {
			errs[0] = err // it is the unit that is wrong
		}
		return errs, failAll(err)
	}
	for _, fn := range w.tx.after {
		fn()
	}
	clear(w.tx.after) // lets go of what they hold
	return errs, ended
}

// whole carries out a unit to its last statement.
func (w *writer) whole(u unit) error {
	err := u.fn(w.tx)
	if err == nil {
		err = w.tx.storeKept()
	}
	if err == nil {
		err = w.kind.flush(w.tx.p)
	}
	return err
}
