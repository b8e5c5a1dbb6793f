// Package store keeps everything that must outlive the process in one SQLite
// file inside the data folder: users, sessions, conversations, messages, runs
// with their logs, settings, and the ledger.
//
// Open a folder with [Open]. What belongs to somebody is asked for by owner
// first and id second; ids are UUIDs in canonical form, in a name space of
// each owner's own, so that an id of somebody else's is simply not there.
//
// Methods take and give only types of the standard library and of shared/wire,
// so that a consumer can declare the small interface it uses. Errors follow
// the same rule: errors.Is(err, fs.ErrNotExist) means not there (or not
// yours), errors.Is(err, fs.ErrExist) an id already used for something else,
// and errors.As(err, **wire.Problem) gives what a person may read.
//
// Methods without a context (StartTurn, RunReplied, AppendRunLog) never wait
// for the disk: they queue the write in order and call done once it is durable
// or has failed. done runs on the writing goroutine: it must return at once
// and not wait for another write. done may be nil.
package store

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"screentest/shared/wire"
)

// Options of Open. The zero value is right for a server with a key file.
type Options struct {
	// SealKey is the 32-byte sealing key in base64 or hex, as in
	// SCREENTEST_SEAL_KEY. Empty: seal.key in the data folder, made on first
	// start.
	SealKey string
	Logger  *slog.Logger     // nil: discards
	Now     func() time.Time // nil: time.Now
}

// DB is an open data folder. Its methods may be called from any goroutine.
type DB struct{}

var errUnfinished = errors.New("store: not built yet")

// Open opens the data folder dir, makes it on first use, and brings an older
// database up to date.
func Open(ctx context.Context, dir string, o Options) (*DB, error) { return nil, errUnfinished }

// Close finishes the writes that are queued and releases the folder.
func (db *DB) Close() error { return errUnfinished }

// EnsureLocalUser returns the owner id of the one local user.
func (db *DB) EnsureLocalUser(ctx context.Context) (owner string, err error) {
	return "", errUnfinished
}

// SaveSession writes a session, sealed; id is stored only as a hash.
func (db *DB) SaveSession(ctx context.Context, id, owner string, data []byte, expires time.Time) error {
	return errUnfinished
}

// LoadSession reads a session. fs.ErrNotExist: there is none, or it expired.
func (db *DB) LoadSession(ctx context.Context, id string) (owner string, data []byte, err error) {
	return "", nil, errUnfinished
}

// DeleteSession forgets a session; one that is not there is no error.
func (db *DB) DeleteSession(ctx context.Context, id string) error { return errUnfinished }

// SweepSessions deletes the expired sessions and tells how many there were.
func (db *DB) SweepSessions(ctx context.Context) (int, error) { return 0, errUnfinished }

// CheckStart looks, before anything is sent, whether s can be stored. found:
// the run is already there and is the same one; it must not be sent again.
// fs.ErrNotExist: it names a message that is not in this conversation.
// fs.ErrExist: it reuses an id for something else, or the answer is still
// being written by another run.
func (db *DB) CheckStart(ctx context.Context, owner string, s wire.Start) (r wire.Run, found bool, err error) {
	return wire.Run{}, false, errUnfinished
}

// StartTurn queues the write of a turn: the conversation (titled title, if it
// is new), the person's message (if new), the answer's message (if new) and
// the run r with the request s.Body. Of r it keeps Model and StartedMS; ids,
// lane and endpoint are those of s. Storing the same run twice is storing it
// once.
func (db *DB) StartTurn(owner string, s wire.Start, r wire.Run, title string, done func(error)) {}

// RunReplied queues what the head of the gateway's reply told. It is stored so
// that the log can be read again after a kill.
func (db *DB) RunReplied(owner, run string, status int, contentType, requestID string, done func(error)) {
}

// AppendRunLog queues bytes of a running run's log, starting at offset from,
// with their part of the time index: bytes in the caller's own encoding, which
// are given back by RunTimes in order and joined. from must be the length
// stored so far; a stretch that is already stored whole is no error. p and
// times must not be changed until done.
func (db *DB) AppendRunLog(owner, run string, from int64, p, times []byte, done func(error)) {}

// FinishRun stores, in one transaction, the end of a run: its final state r,
// the answer's text, the whole log with its time index (compressed, in place
// of what AppendRunLog stored), and, if r.CostSource is not "", its charge in
// the ledger with the prices it was worked out from. Finishing twice with the
// same state is finishing once. If the conversation was deleted meanwhile only
// the charge is booked.
func (db *DB) FinishRun(ctx context.Context, owner string, r wire.Run, text string, log, times []byte, prices json.RawMessage) error {
	return errUnfinished
}

// EachRunning calls fn for every run that is stored as running. After a start
// these are the runs that the last process did not finish.
func (db *DB) EachRunning(ctx context.Context, fn func(owner string, r wire.Run) error) error {
	return errUnfinished
}

// Run returns a run. Bytes is the length of its stored log.
func (db *DB) Run(ctx context.Context, owner, id string) (wire.Run, error) {
	return wire.Run{}, errUnfinished
}

// RunRequest returns the exact body that was sent to the gateway.
func (db *DB) RunRequest(ctx context.Context, owner, id string) ([]byte, error) {
	return nil, errUnfinished
}

// ReadRunLog returns up to limit bytes of a run's stored log from offset from;
// none at its end.
func (db *DB) ReadRunLog(ctx context.Context, owner, id string, from int64, limit int) ([]byte, error) {
	return nil, errUnfinished
}

// RunTimes returns the time index stored with a run's log.
func (db *DB) RunTimes(ctx context.Context, owner, id string) ([]byte, error) {
	return nil, errUnfinished
}

// Conversations lists the owner's conversations, the last changed first.
func (db *DB) Conversations(ctx context.Context, owner string, p wire.Page) (wire.ConversationPage, error) {
	return wire.ConversationPage{}, errUnfinished
}

// Conversation returns one conversation as the list shows it.
func (db *DB) Conversation(ctx context.Context, owner, id string) (wire.Summary, error) {
	return wire.Summary{}, errUnfinished
}

// OpenConversation returns p.Conversation with its newest messages, or those
// before the cursor p.Before.
func (db *DB) OpenConversation(ctx context.Context, owner string, p wire.Page) (wire.Opened, error) {
	return wire.Opened{}, errUnfinished
}

// RenameConversation gives a conversation another title.
func (db *DB) RenameConversation(ctx context.Context, owner string, r wire.Rename) (wire.Summary, error) {
	return wire.Summary{}, errUnfinished
}

// DeleteConversation deletes a conversation with its messages, runs and logs.
// Stop its runs first. The ledger stays.
func (db *DB) DeleteConversation(ctx context.Context, owner, id string) error { return errUnfinished }

// Spent returns what the owner spent from from up to but not including to, in
// nano-USD, returns subtracted.
func (db *DB) Spent(ctx context.Context, owner string, from, to time.Time) (nanoUSD int64, err error) {
	return 0, errUnfinished
}

// Setting returns a value the owner saved. fs.ErrNotExist: there is none.
func (db *DB) Setting(ctx context.Context, owner, name string) (string, error) {
	return "", errUnfinished
}

// SetSetting saves a value under a name; "" forgets it.
func (db *DB) SetSetting(ctx context.Context, owner, name, value string) error { return errUnfinished }
