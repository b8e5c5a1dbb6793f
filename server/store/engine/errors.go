package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"screentest/shared/wire"
)

// An Error says what went wrong twice: Problem for the person, Err for the
// log and for errors.Is.
type Error struct {
	Problem wire.Problem
	Err     error
}

func (e *Error) Error() string {
	if e.Err == nil {
		return e.Problem.Message
	}
	return strings.TrimSuffix(e.Problem.Message, ".") + " (" + e.Err.Error() + ")"
}

// Unwrap lets errors.As find the *wire.Problem, and errors.Is the cause.
func (e *Error) Unwrap() []error {
	p := e.Problem
	if e.Err == nil {
		return []error{&p}
	}
	return []error{&p, e.Err}
}

// A CommitError says that a write itself was right but could not be made
// durable, with all that was committed together with it. Nothing of it is
// stored, unless it is [ErrUnknown]; it may be tried again.
type CommitError struct{ Err error }

func (e *CommitError) Error() string { return "commit: " + e.Err.Error() }

func (e *CommitError) Unwrap() error { return e.Err }

// ErrOverloaded says that the disk does not keep up with what is queued for it.
var ErrOverloaded = errors.New("too many writes are waiting for the disk")

// NotFound is the answer to an id that is not there, or that is somebody
// else's: nobody can tell which.
func NotFound(what string) error {
	return &Error{
		Problem: wire.Problem{Code: "not_found", Message: "There is no such " + what + ". It may have been deleted."},
		Err:     fs.ErrNotExist,
	}
}

// Conflict is the answer to an id that is used for something else.
func Conflict(format string, args ...any) error {
	return &Error{
		Problem: wire.Problem{Code: "conflict", Message: fmt.Sprintf(format, args...)},
		Err:     fs.ErrExist,
	}
}

// BadField is the answer to a value that no browser of ours sends. Its field and the
// strings among args are cut: they may be what was sent.
func BadField(code, field, format string, args ...any) error {
	for i, a := range args {
		if s, is := a.(string); is {
			args[i] = wire.Cut(s, wire.MaxEchoed)
		}
	}
	return &Error{Problem: wire.Problem{Code: code, Field: wire.Cut(field, 2*wire.MaxEchoed), Message: fmt.Sprintf(format, args...)}}
}

// Explain turns what SQLite or the file system said into an Error that names
// the state of the disk. Other errors are given back as they are.
func Explain(err error) error {
	if err == nil {
		return nil
	}
	var known *Error
	if errors.As(err, &known) {
		return err
	}
	var p wire.Problem
	if p, is := explainPostgres(err); is {
		return &Error{Problem: p, Err: err}
	}
	code, _ := sqliteCode(err)
	if code == sqlite3.SQLITE_IOERR_SHMSIZE {
		code = sqlite3.SQLITE_FULL // there is no room for the index of the log
	}
	switch code & 0xff {
	case sqlite3.SQLITE_FULL:
		p = wire.Problem{Code: "disk_full", Message: "The disk of the data folder is full, so this was not saved.", Hint: "Free some space and try again. Nothing that was saved before is lost."}
	case sqlite3.SQLITE_READONLY:
		p = wire.Problem{Code: "data_read_only", Message: "The data folder cannot be written to, so this was not saved.", Hint: "Check the folder's permissions and that its disk is not mounted read-only."}
	case sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN:
		p = wire.Problem{Code: "disk_error", Message: "The disk of the data folder reported an error.", Hint: "Check the disk. Nothing that was saved before was changed."}
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		p = wire.Problem{Code: "data_damaged", Message: "The database in the data folder is damaged.", Hint: "Restore it from a backup. The damaged file was left as it is."}
	default:
		return err
	}
	return &Error{Problem: p, Err: err}
}

// NoRoom says where a backup or what is restored found too little room; other
// errors are given back as they are.
func NoRoom(err error, message, hint string) error {
	if code, _ := sqliteCode(err); code&0xff != sqlite3.SQLITE_FULL && !errors.Is(err, syscall.ENOSPC) {
		return err
	}
	return &Error{Problem: wire.Problem{Code: "disk_full", Message: message, Hint: hint}}
}

// sqliteCode returns the extended result code of an error of SQLite's.
func sqliteCode(err error) (code int, ok bool) {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code(), true
	}
	return 0, false
}

// ErrUnknown says of a write that it may be stored, and may not: the way to the
// database broke off when it was committed, and stayed so.
var ErrUnknown = errors.New("what became of the write is not known")

// errTakenBack says of a commit whose answer was lost that nothing of it is stored.
var errTakenBack = errors.New("the database took it back")

// isBroken tells whether the disk itself failed, or what became of a commit isn't
// known: then trying again does not help.
func isBroken(err error) bool {
	code, ok := sqliteCode(err)
	return ok && code&0xff == sqlite3.SQLITE_IOERR || errors.Is(err, ErrUnknown)
}
