// Package upstream holds the types in which a gateway's answers pass from its
// client to those who call it, so that neither imports the other.
package upstream

import (
	"errors"
	"io"

	"screentest/shared/wire"
)

// Reply is a gateway's 2xx reply to a text call.
type Reply struct {
	Status      int
	ContentType string
	RequestID   string // for the gateway's support; "" where it gives none
	// Body is the reply as it came. Its Read ends with io.EOF where the
	// gateway ended it, and with an [*Error] after silence, a broken connection,
	// too many bytes, or the end of the context. Close it; a body
	// that was read to its end leaves its connection to the next call.
	Body io.ReadCloser
}

// File is a file that a gateway named, or a part of it.
type File struct {
	Status       int // 200, or 206 for a range
	ContentType  string
	Length       int64 // of Body in bytes; -1 where it is not told
	ContentRange string
	ETag         string
	LastModified string
	Body         io.ReadCloser // as [Reply].Body; its size is the caller's to bound
}

// Error is why a call failed. errors.As finds the [*wire.Problem] in it too.
type Error struct {
	Problem *wire.Problem // for people
	// Uncertain says that the gateway may have done what it was asked, and
	// have billed it: the request had gone out and no answer to it came (G35).
	Uncertain bool
	// Err is the cause, for the log; nil when the gateway's answer is all. It
	// wraps the context's cause when the caller ended the call.
	Err error
}

func (e *Error) Error() string {
	if e.Err != nil {
		return e.Problem.Error() + ": " + e.Err.Error()
	}
	return e.Problem.Error()
}

// Unwrap gives the problem and the cause.
func (e *Error) Unwrap() []error {
	if e.Err != nil {
		return []error{e.Problem, e.Err}
	}
	return []error{e.Problem}
}

// Uncertain says of a call's error that the gateway may have done what it was
// asked; see [Error].
func Uncertain(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Uncertain
}
