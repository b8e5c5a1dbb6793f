// Package run makes the calls to text models and keeps what comes back. Use a
// [Manager]: Start sends a turn and returns at once, Open gives the run's log
// to read from any byte on, Stop ends it.
//
// A run is a log of the gateway's bytes, and every reader is a cursor, that
// is an offset in it. The run belongs to the Manager: a reader that leaves,
// comes back or cannot keep up changes nothing for the run or for another
// reader. While a run lasts nothing in it is parsed; the reply reader that the
// browser uses reads it once when it ends.
//
// The log reaches the store every FlushEvery. After a kill, Recover ends the
// runs that were under way with what had been stored of them. While the disk is
// full a run goes on in memory, and its end waits there.
//
// Where several replicas serve one database, each has runs of its own. What one
// reads that another one holds comes from there, once for all its readers
// (elsewhere.go, feed.go, mirror.go); what it has received and not stored another one
// keeps, too (guard.go, guarded.go), so that nothing is lost that somebody was shown
// when it is gone (recover.go, lookout.go).
//
// In the order of a run's life: manager.go, admit.go, durable.go, live.go, log.go, flush.go,
// end.go, judge.go, cost.go.
package run

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"time"

	"screentest/server/payer"
	"screentest/server/upstream"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// Defaults and bounds.
const (
	// DefaultFlushEvery is how often a running log reaches the disk.
	DefaultFlushEvery = 500 * time.Millisecond
	// DefaultLookEvery is how often runs are looked for that nobody goes on with.
	DefaultLookEvery = 30 * time.Second
	// DefaultMaxLog is the longest reply that is taken, in bytes.
	DefaultMaxLog = 64 << 20
	// DefaultMaxRunning bounds the runs that one owner has under way at a time, on
	// each replica for itself.
	DefaultMaxRunning = 512
	// DefaultMaxUnstored bounds what all logs together hold in memory while
	// they can't be stored, in bytes. One run holds at most maxBacklog of it.
	DefaultMaxUnstored = 128 << 20

	// flushChunk bounds the bytes of one write to the store.
	flushChunk = 256 << 10
	// maxBacklog bounds what of one run waits for the disk: from there on the
	// gateway is read only as fast as the disk takes it.
	maxBacklog = 4 << 20
	// grace is how long a gateway may keep the connection open after the event
	// that ends the stream, and maxLate how many bytes it may send in it.
	grace   = 250 * time.Millisecond
	maxLate = 64 << 10
)

// Gateway sends a request body with a key and returns the reply once its head
// has come. It sends it once. An error says, as a *wire.Problem in its chain
// where it can, what went wrong for a person to read.
type Gateway func(ctx context.Context, key string, ep gateway.Endpoint, body []byte) (*upstream.Reply, error)

// Store is where runs are kept; see package store for what each does.
type Store interface {
	CheckStart(ctx context.Context, owner string, s wire.Start) (r wire.Run, found bool, err error)
	StartTurn(owner string, s wire.Start, r wire.Run, title, baseURL string, done func(error))
	RunReplied(owner, run string, status int, contentType, requestID string, done func(error))
	AppendRunLog(owner, run string, from int64, p, times []byte, done func(error))
	FinishRun(ctx context.Context, owner string, r wire.Run, text string, log, times []byte, prices json.RawMessage) error
	EachRunning(ctx context.Context, fn func(owner string, r wire.Run) error) error
	Run(ctx context.Context, owner, id string) (wire.Run, error)
	RunRequest(ctx context.Context, owner, id string) ([]byte, error)
	RequestSent(ctx context.Context, owner, id string) (wire.RunRequest, error)
	ReadRunLog(ctx context.Context, owner, id string, from int64, limit int) ([]byte, error)
	RunTimes(ctx context.Context, owner, id string) ([]byte, error)
	ImageBytes(ctx context.Context, owner string, ids []string) (int64, error)
	Image(ctx context.Context, owner, id string) (wire.Image, []byte, error)
}

// Target is a gateway that runs are sent to.
type Target struct {
	Send          Gateway
	BaseURL       string
	StreamOptions bool
}

// Config is what a Manager works with. Store, Gateway and Catalogue must be
// given; the rest has defaults.
type Config struct {
	Store     Store
	Gateway   Gateway
	Catalogue func() *gateway.Catalogue // the current one
	// BaseURL is the gateway's, kept with each request for people to read.
	BaseURL string
	// StreamOptions: the gateway is set to take stream_options (G9).
	StreamOptions bool
	// Targets finds the gateway that a payer names, where there may be several; a
	// run keeps the one that it began with. nil: it is the one above.
	Targets func(name string) (Target, *wire.Problem)

	// Reserve sets aside what a run may cost before it is sent, or says why
	// that is refused: by a budget (Problem.ByBudget), and then the turn is
	// stored, or because it can't be told, and then nothing is. release is called
	// once the cost is in the ledger; until that is written it stays set
	// aside, for it was spent. nil: nothing is reserved.
	Reserve func(ctx context.Context, by payer.Payer, m gateway.Model, body []byte) (release func(), p *wire.Problem)

	// Tokenizer counts where a gateway reports no usage; nil: by a rule of
	// thumb.
	Tokenizer Tokenizer

	FlushEvery time.Duration
	MaxLog     int64
	MaxRunning int // of one owner, here
	// MaxUnstored is DefaultMaxUnstored for 0. What passes it ends the runs
	// whose logs can't be stored, and no new ones are started.
	MaxUnstored int64

	// Changed is told of every run that starts or has ended, after its end is
	// stored; where it can't be stored yet, then too, with a problem that says
	// so. Stored is told when rows of a conversation have changed. Both
	// must return at once.
	Changed func(owner string, r wire.Run)
	Stored  func(owner, conversation string)
	// Ended is told of every run once, when its end is stored. It must return at
	// once. nil: nobody is.
	Ended func(r wire.Run)

	// DurableStart has a turn be stored before its gateway is called, so that of
	// several replicas that are asked for the same run one calls it, and a run that
	// was paid for is known whatever happens to this process.
	DurableStart bool
	// Elsewhere reaches the runs of other replicas. nil: there are none.
	Elsewhere Elsewhere
	// Gone says of the store's error that another replica has taken over what this
	// one does. nil: none does.
	Gone func(error) bool
	// Asked asks the store whether this process is there still: an error of which Gone
	// says yes means that it isn't. nil: others are believed who say so.
	Asked func(ctx context.Context) error
	// Holds says whether a running run is this process' in the store. Sure says whether
	// this process was heard of so lately that nobody can have taken over; nil: that is
	// never sure. nil: what is under way here is.
	Holds func(ctx context.Context, owner, run string) (bool, error)
	Sure  func() bool
	// LookEvery is how often it is looked with DurableStart for runs that are this
	// process' in the store and not under way here; DefaultLookEvery for 0.
	LookEvery time.Duration
	// Keeper has another replica keep what is not stored before readers get it. nil:
	// they get it at once. Awake says whether this process was heard of as of late, or
	// may have been stopped; nil: always.
	Keeper Keeper
	Awake  func() bool

	Now    func() time.Time
	Logger *slog.Logger
}

func (c Config) withDefaults() Config {
	if c.FlushEvery == 0 {
		c.FlushEvery = DefaultFlushEvery
	}
	if c.LookEvery == 0 {
		c.LookEvery = DefaultLookEvery
	}
	if c.Targets == nil {
		only := Target{c.Gateway, c.BaseURL, c.StreamOptions}
		c.Targets = func(string) (Target, *wire.Problem) { return only, nil }
	}
	if c.MaxLog == 0 {
		c.MaxLog = DefaultMaxLog
	}
	if c.MaxRunning == 0 {
		c.MaxRunning = DefaultMaxRunning
	}
	if c.MaxUnstored == 0 {
		c.MaxUnstored = DefaultMaxUnstored
	}
	if c.Tokenizer == nil {
		c.Tokenizer = ruleOfThumb{}
	}
	if c.Reserve == nil {
		c.Reserve = func(context.Context, payer.Payer, gateway.Model, []byte) (func(), *wire.Problem) {
			return func() {}, nil
		}
	}
	if c.Changed == nil {
		c.Changed = func(string, wire.Run) {}
	}
	if c.Ended == nil {
		c.Ended = func(wire.Run) {}
	}
	if c.Stored == nil {
		c.Stored = func(string, string) {}
	}
	if c.Gone == nil {
		c.Gone = func(error) bool { return false }
	}
	if c.Sure == nil {
		c.Sure = func() bool { return false }
	}
	if c.Awake == nil {
		c.Awake = func() bool { return true }
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}

// Why a run ends before the gateway's end of it, as causes of its context.
var (
	errStopped  = errors.New("stopped by the person")
	errShutdown = errors.New("the server is shutting down")
	errGone     = errors.New("another replica has taken over")
	errEnded    = errors.New("the stream had ended")
)

// NotFound is the problem of a run that does not exist, or is somebody else's.
func NotFound() *wire.Problem {
	return &wire.Problem{Code: "run_not_found", Message: "There is no such run."}
}

// asProblem turns an error into what a person may read. Only a Problem's own
// text goes out: the text of other errors is for the log.
func asProblem(err error, otherwise wire.Problem) *wire.Problem {
	var p *wire.Problem
	switch {
	case errors.As(err, &p):
		return p
	case errors.Is(err, fs.ErrNotExist):
		return &wire.Problem{Code: "not_found", Message: "The message that this one follows is not in the conversation.",
			Hint: "Reload the page and send again."}
	case errors.Is(err, fs.ErrExist):
		return &wire.Problem{Code: "conflict", Message: "This answer is already being written, or its id is taken.",
			Hint: "Wait for the answer to end, or send the message again."}
	}
	return &otherwise
}
