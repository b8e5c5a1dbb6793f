package run

import (
	"context"
	"io"

	"screentest/server/tails"
)

// Elsewhere reaches what other replicas hold.
type Elsewhere interface {
	// Feed asks the replica that holds a run for its log from an offset on, as
	// Manager.Feed writes it. fs.ErrNotExist: none holds it, or this one.
	Feed(ctx context.Context, owner, run string, from int64) (io.ReadCloser, error)
	// Stop has the holder of a run end it. fs.ErrNotExist: none holds it.
	Stop(ctx context.Context, owner, run string) error
	// StopAll has all others do what Manager.StopAllHere does, and waits for those
	// that can be reached.
	StopAll(ctx context.Context, owner, conversation string)
	// Tails asks all that are there what they keep of runs whose replica is gone. An
	// error says that one of them has not answered, or that it isn't known who is there.
	Tails(ctx context.Context, runs []tails.Run) ([]tails.Tail, error)
}
