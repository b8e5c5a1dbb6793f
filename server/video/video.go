// Package video makes clips: it creates tasks at the gateway, polls them until
// they end, and copies their files into an archive, from which they play after
// the gateway has deleted its own. Make a [Service] with [New] and Start it.
//
// What it holds to, whatever is killed or lost on the way:
//   - The intent of a task is durable before it is sent, and it is sent once.
//     A creation whose answer is lost is never repeated: it is unknown until
//     a person settles it (G35).
//   - The gateway's id is durable before anybody hears of the task, together
//     with its charge; a terminal state, its return and its archive jobs are
//     one transaction, which happens once.
//   - One poller asks for all open tasks, with a bounded number of workers. No
//     error of asking is a failure of the task (G36).
//
// In the order of a clip's life: create.go, send.go (settle.go where its answer
// was lost), poll.go, answer.go, end.go, copyqueue.go, copyjob.go, media.go.
package video

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"screentest/server/blob"
	"screentest/server/disk"
	"screentest/server/payer"
	"screentest/server/upstream"
	"screentest/shared/gateway"
	"screentest/shared/reply"
	"screentest/shared/wire"
)

// Gateway is the gateway's client. Errors that a person may read are found as
// *wire.Problem.
type Gateway interface {
	// CreateVideo sends a creation once. After an error that is
	// upstream.Uncertain the task may exist and be billed.
	CreateVideo(ctx context.Context, key string, body []byte) (reply.Created, error)
	// Task asks once.
	Task(ctx context.Context, key, id string) (reply.Task, error)
	// FetchFile fetches a file, or the part of it that the Range header span
	// names, without a key. It refuses private addresses.
	FetchFile(ctx context.Context, address, span string) (*upstream.File, error)
}

// Budget sets money aside for what is sent; see package budget.
type Budget interface {
	// Reserve refuses, with a problem, what no budget has room for, or of what
	// nobody knows what it costs. release may be called more than once.
	Reserve(ctx context.Context, by payer.Payer, what, model string, q gateway.Quote) (release func(), p *wire.Problem)
	// ReserveSent reserves without asking: for what was sent already.
	ReserveSent(by payer.Payer, nanoUSD int64) (release func())
	// Booked says that the owner's ledger has changed, by what a team pays.
	Booked(owner, team string)
}

// Approvals keep what is not sent before somebody has released it; see package
// approval. What they give is a task that there is not, in the state wire.VideoAsks.
type Approvals interface {
	// Asked is a clip that was asked about and waits, by its id; that it came to
	// nothing is a problem. fs.ErrNotExist: it was not asked about.
	Asked(ctx context.Context, owner, id string) (wire.VideoTask, error)
	// Ask keeps c, which would make t, until somebody decides.
	Ask(ctx context.Context, by payer.Payer, c wire.VideoCreate, t wire.VideoTask) (wire.VideoTask, error)
}

// Config is what a Service works with. The first group must be given.
type Config struct {
	Store     Store
	Gateway   Gateway
	Catalogue func() *gateway.Catalogue
	Dir       string // data folder: files that are still to come whole are below it

	// Files are the archive and the uploads; nil: they are below Dir too.
	Files *blob.Files

	// Origin names the Gateway. Tasks of another one wait: neither their keys nor
	// their ids are this one's business.
	Origin string
	// Gateways finds the gateway of a name, where there may be several: that which a
	// payer names, or which a task was made at; nil for one that isn't called. nil:
	// there is the one above.
	Gateways func(name string) Gateway
	// Pace is Limits.Pace by the gateway. nil: it is that of all.
	Pace func(gateway string) float64

	// Changed, Deleted, Restored, Purged and Archive are told of news, for the owner's
	// tabs. They must not wait.
	Changed  func(owner string, t wire.VideoTask)
	Deleted  func(owner string, t wire.TaskGone)
	Restored func(owner, id string)
	Purged   func(owner string, t wire.TaskGone)
	Archive  func(owner string, a wire.Archive)

	// Ended is told of every task once, when the gateway's verdict on it is
	// stored; nil: nobody is. It must not wait.
	Ended func(t wire.VideoTask)

	// Base is the address that uploads are served below, such as
	// "https://play.example.com".
	Base string
	// Unreachable says that the gateway can't fetch from Base.
	Unreachable bool
	// Uploads is both for the gateway that is connected, where there may be several.
	Uploads func() (base string, unreachable bool)

	Budget Budget // nil: no budgets
	// Approvals are asked of what a payer wants to be asked about; nil: nothing is.
	Approvals Approvals
	// WhomToAsk names who can enter another key for a team; nil where there are
	// no accounts.
	WhomToAsk func(team string) string
	// Lineage says of the share, by its id, of a clip whose settings an owner uses what
	// is noted of it. nil: nothing is shared.
	Lineage func(ctx context.Context, owner, share string) (*wire.Copied, error)

	// Elsewhere are the other replicas; nil: there are none.
	Elsewhere Elsewhere
	// First says whether this process does what is enough for one of several to do; nil:
	// it is the only one.
	First func() bool
	// Unsure says of an error of the Store's whether what was to be stored may be, or may
	// yet be; nil: an error says that it isn't.
	Unsure func(err error) bool

	// ReadOnly says why nothing is stored, where that is so; nil: all is.
	ReadOnly func() error

	// Free tells how many bytes are free on the disk of a folder, -1 where it is
	// not known; nil: as the system says.
	Free func(dir string) int64

	// Late is told how long after its time each poll starts; nil: nobody asks.
	Late func(time.Duration)

	Limits Limits
	Now    func() time.Time
	Logger *slog.Logger
}

// Limits are what tests and operators may change; zero fields mean the
// defaults that are given here.
type Limits struct {
	// Pace divides the waits between polls, as the sandbox divides the time
	// of its tasks: 1.
	Pace float64
	// Pollers is how many polls go on at a time: 64, as many as the client keeps
	// connections for. A gateway that takes 100 ms to answer is asked about ten
	// thousand tasks at the pace of G36 by half of them.
	Pollers int
	// Copiers is how many files are copied at a time: 2.
	Copiers int
	// MaxFile bounds an archived file, in bytes: 2 GiB.
	MaxFile int64
	// CopyWithin bounds a copier's time with one file, so that a host which
	// sends a byte now and then holds none for ever; the next try goes on where
	// it was: 1 h.
	CopyWithin time.Duration
	// MaxUploads bounds the uploads of an owner, in bytes: 2 GiB.
	MaxUploads int64
	// Grace is how long before files are removed to make room their owner is
	// warned: 10 min.
	Grace time.Duration
	// RetryCopy is the wait before a copy is tried again; it doubles: 1 s.
	RetryCopy time.Duration
}

func (l Limits) withDefaults() Limits {
	or(&l.Pace, 1)
	or(&l.Pollers, 64)
	or(&l.Copiers, 2)
	or(&l.MaxFile, 2<<30)
	or(&l.CopyWithin, time.Hour)
	or(&l.MaxUploads, 2<<30)
	or(&l.Grace, 10*time.Minute)
	or(&l.RetryCopy, time.Second)
	return l
}

func or[T int | int64 | float64 | time.Duration](v *T, def T) {
	if *v <= 0 {
		*v = def
	}
}

// Service makes clips and keeps them. Its methods may be called from any
// goroutine.
type Service struct {
	Config
	// partial has copies under way and arriving what people are giving, on the disk
	// of coming.
	partial, arriving, coming string
	keys                      *keys
	poll                      *poller
	arch                      *archiver
	heard                     heard

	life   context.Context // ends when Close gives up waiting
	cancel context.CancelFunc
	quit   chan struct{} // closed when Close begins
	work   sync.WaitGroup
	sends  sync.WaitGroup // creations under way
	once   sync.Once

	mu        sync.Mutex
	closing   bool
	reserved  map[taskID]func() // their releases
	sending   map[taskID]bool   // whose creations are under way
	uploading map[string]int    // uploads under way, by owner
}

// taskID names a task: ids are unique for one owner only.
type taskID struct{ owner, id string }

// New returns a Service that does nothing yet.
func New(c Config) (*Service, error) {
	c.Limits = c.Limits.withDefaults()
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Free == nil {
		c.Free = disk.Free
	}
	if c.Gateways == nil {
		c.Gateways = func(name string) Gateway {
			if name != c.Origin {
				return nil
			}
			return c.Gateway
		}
	}
	if c.Unsure == nil {
		c.Unsure = func(error) bool { return false }
	}
	if c.First == nil {
		c.First = func() bool { return true }
	}
	if c.ReadOnly == nil {
		c.ReadOnly = func() error { return nil }
	}
	if c.Uploads == nil {
		c.Uploads = func() (string, bool) { return c.Base, c.Unreachable }
	}
	s := &Service{Config: c, quit: make(chan struct{}), reserved: map[taskID]func(){}, sending: map[taskID]bool{}, uploading: map[string]int{}}
	s.heard.of = map[taskID]wire.VideoTask{}
	s.life, s.cancel = context.WithCancel(context.Background())
	var err error
	if s.Files == nil {
		if s.Files, err = blob.Open(context.Background(), blob.Address{}, c.Dir, nil); err != nil {
			return nil, err
		}
	}
	s.coming = filepath.Join(c.Dir, "archive")
	s.partial, s.arriving = filepath.Join(s.coming, "partial"), filepath.Join(c.Dir, "uploads")
	for _, dir := range []string{s.partial, s.arriving} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
	}
	s.keys = newKeys()
	s.poll = newPoller(s)
	s.arch = newArchiver(s)
	return s, nil
}

// Start takes up what the last process left: open tasks are polled on, those
// whose creation had no answer become unknown, files are copied on.
func (s *Service) Start(ctx context.Context) error {
	if err := s.takeUp(ctx); err != nil {
		return err
	}
	if err := s.sweep(ctx); err != nil {
		return err
	}
	if err := s.takeUpCopies(ctx); err != nil {
		return err
	}
	s.poll.start()
	s.arch.start()
	s.work.Go(s.upkeep)
	if s.Files.Shared {
		s.work.Go(s.sweepNowAndThen)
	}
	return nil
}

// TakeUp goes on with what was another replica's, as Start does with what the last
// process left. What goes on here already isn't touched.
func (s *Service) TakeUp(ctx context.Context) error {
	return errors.Join(s.takeUp(ctx), s.takeUpCopies(ctx))
}

func (s *Service) takeUp(ctx context.Context) error {
	if err := s.Store.EachKey(ctx, s.keys.load); err != nil {
		return err
	}
	return s.Store.EachOpen(ctx, func(owner string, key int64, t wire.VideoTask) error {
		id := taskID{owner, t.ID}
		switch t.State {
		case wire.VideoCreating:
			if s.isSending(id) {
				return nil
			}
			unknown, changed, err := s.Store.Unknown(ctx, owner, t.ID, lostByRestart())
			if err != nil {
				return err
			}
			if unknown.State == wire.VideoUnknown { // not settled meanwhile
				s.reserveSent(owner, t)
			}
			if changed {
				s.tell(owner, unknown)
			}
		case wire.VideoUnknown:
			s.reserveSent(owner, t)
		default:
			if s.elsewhere(t) == nil {
				s.poll.resume(owner, key, t)
			}
		}
		s.heard.forget(id)
		return nil
	})
}

// isSending says whether a task's creation is under way here.
func (s *Service) isSending(id taskID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sending[id]
}

func (s *Service) takeUpCopies(ctx context.Context) error {
	return s.Store.EachJob(ctx, func(owner, task string, index int) error {
		t, err := s.Store.Task(ctx, owner, task)
		if err == nil && s.elsewhere(t) == nil {
			s.arch.add(job{taskID: taskID{owner, task}, index: index})
		}
		return err
	})
}

// Close ends all work. A creation under way is waited for until ctx is done:
// breaking it off would leave it unknown.
func (s *Service) Close(ctx context.Context) error {
	s.stop()
	sent := make(chan struct{})
	go func() {
		s.sends.Wait()
		close(sent)
	}()
	var err error
	select {
	case <-sent:
	case <-ctx.Done():
		err = errors.New("a clip's creation was still under way; it is unknown whether it went through")
	}
	s.cancel()
	<-sent
	s.work.Wait()
	return err
}

// stop has nothing begin any more. first: nobody did so before.
func (s *Service) stop() (first bool) {
	s.once.Do(func() {
		first = true
		s.mu.Lock()
		s.closing = true
		s.mu.Unlock()
		close(s.quit)
	})
	return first
}

// tell tells the owner's tabs of a task as it now is.
func (s *Service) tell(owner string, t wire.VideoTask) {
	if s.Changed == nil {
		return
	}
	if len(t.Body) > 64<<10 {
		t.Body = nil
	}
	s.Changed(owner, s.live(owner, t))
}

// live adds to a stored task what is known only while the server runs.
func (s *Service) live(owner string, t wire.VideoTask) wire.VideoTask {
	id := taskID{owner, t.ID}
	s.heard.overlay(id, &t)
	s.poll.overlay(id, &t)
	s.arch.overlay(id, &t)
	if t.State.Open() && s.elsewhere(t) != nil {
		t.Pause = wire.PauseGateway
	}
	if t.Pause == wire.PauseKey && t.Team != "" && s.WhomToAsk != nil {
		t.PollProblem = &wire.Problem{Code: "key_refused", Message: "The gateway refuses the key that pays for this clip.",
			Hint: "Ask " + s.WhomToAsk(t.Team) + " to enter another one for the team: the clip goes on by itself then."}
	}
	return t
}

// elsewhere says that a task is of a gateway that isn't called.
func (s *Service) elsewhere(t wire.VideoTask) *wire.Problem {
	if s.Gateways(t.Gateway) != nil {
		return nil
	}
	return &wire.Problem{Code: "other_gateway", Message: "This task was made at another gateway: " + t.Gateway + ".",
		Hint: "Start the server with that gateway to go on with it."}
}

// filesOf is the gateway that a task's files are fetched by: its own, whose host may
// be a private one, or where that isn't called, the one there is.
func (s *Service) filesOf(t wire.VideoTask) Gateway {
	if at := s.Gateways(t.Gateway); at != nil {
		return at
	}
	return s.Gateway
}

// pace is how much faster than life tasks at a gateway are asked about.
func (s *Service) pace(gateway string) float64 {
	if s.Pace != nil {
		return s.Pace(gateway)
	}
	return s.Limits.Pace
}

func (s *Service) nowMS() int64 { return s.Now().UnixMilli() }

// problemIn finds what a person may read of an error.
func problemIn(err error) *wire.Problem {
	var p *wire.Problem
	if errors.As(err, &p) {
		return p
	}
	return &wire.Problem{Code: "server_error", Message: "The server could not do this.", Hint: "Try again; the server's log has the details."}
}
