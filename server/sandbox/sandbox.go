package sandbox

import (
	"container/heap"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"screentest/shared/gateway"
	"screentest/shared/money"
)

// The defaults of a Config.
const (
	DefaultKey             = "sandbox"
	DefaultTokensPerSecond = 60
	DefaultFirstToken      = 300 * time.Millisecond
	DefaultBalance         = 100 * money.USD
)

// NoBalance is a Config.Balance of nothing.
const NoBalance money.NanoUSD = -1

// Config says how a sandbox behaves. The zero Config is a good one but for
// Catalogue, which is required.
type Config struct {
	// Key is the API key it takes; empty means DefaultKey.
	Key string
	// MoreKeys are further keys, each with an account and tasks of its own (F2).
	MoreKeys []string
	// Speed divides every duration of a video task; 0 means 1, the real pace
	// of one to ten minutes (F114).
	Speed float64
	// TokensPerSecond is the pace of streamed text; 0 means
	// DefaultTokensPerSecond, a negative number flat out: as fast as the
	// client reads, and without FirstToken.
	TokensPerSecond float64
	// FirstToken is the wait before the first token, give or take a fifth; 0
	// means DefaultFirstToken, a negative duration none.
	FirstToken time.Duration
	// Balance is what each account has at first; 0 means DefaultBalance,
	// NoBalance nothing.
	Balance money.NanoUSD
	// Dir is the folder where tasks and accounts are kept across restarts;
	// empty means in memory only.
	Dir string
	// FetchPrivate lets it fetch reference and motion clips from loopback and
	// private addresses too. Only for tests: whoever has the key can then make
	// this machine call its neighbours.
	FetchPrivate bool
	// FetchFrom is an address, host:port, that clips are fetched from though it
	// is not public: that of the program that this sandbox is part of.
	FetchFrom string
	// FilesBase is the base URL under which others reach this server, for the
	// links to finished clips; empty means the address each poll came to.
	FilesBase string
	// Catalogue is the models and prices.
	Catalogue *gateway.Catalogue
	// Now is the clock that POST /sandbox/clock moves; nil means time.Now.
	Now func() time.Time
	// Logger takes what an operator should know; nil discards it.
	Logger *slog.Logger
}

// Server is a sandbox. It is safe for concurrent use.
type Server struct {
	cfg       Config
	log       *slog.Logger
	catalogue atomic.Pointer[gateway.Catalogue]
	advance   atomic.Int64 // of the clock, in nanoseconds
	requests  records
	once      once
	life      context.Context // ends with Close
	end       context.CancelFunc
	closing   sync.Once
	fetch     *http.Client // of reference and motion clips
	inUse     sync.RWMutex // read-locked by every call under way
	bank      *bank
	tasks     *taskSet // guarded by bank.mu
	journal   *journal // guarded by bank.mu
}

// New starts a sandbox. It reads what Config.Dir holds, and fails if that
// cannot be read or written, or another sandbox uses it.
func New(cfg Config) (*Server, error) {
	if cfg.Catalogue == nil {
		return nil, errors.New("sandbox: Config.Catalogue is nil: pass gateway.SampleCatalogue() or a parsed one")
	}
	if cfg.Speed < 0 {
		return nil, errors.New("sandbox: Config.Speed is negative: 1 is the real pace, 20 twenty times faster")
	}
	setDefault(&cfg.Key, DefaultKey)
	setDefault(&cfg.Speed, 1)
	setDefault(&cfg.TokensPerSecond, DefaultTokensPerSecond)
	setDefault(&cfg.FirstToken, DefaultFirstToken)
	setDefault(&cfg.Balance, DefaultBalance)
	cfg.Balance = max(cfg.Balance, 0)
	cfg.FirstToken = max(cfg.FirstToken, 0)
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Server{cfg: cfg, log: cfg.Logger, tasks: newTaskSet(), fetch: newFetcher(cfg.FetchPrivate, cfg.FetchFrom),
		bank: newBank(append([]string{cfg.Key}, cfg.MoreKeys...), cfg.Balance)}
	s.life, s.end = context.WithCancel(context.Background())
	s.catalogue.Store(cfg.Catalogue)
	if err := s.load(cfg.Dir); err != nil {
		return nil, err
	}
	return s, nil
}

func setDefault[T comparable](v *T, d T) {
	var zero T
	if *v == zero {
		*v = d
	}
}

// Close ends every stream under way and closes the files. Calls that come
// later are broken off.
func (s *Server) Close() error {
	var err error
	s.closing.Do(func() {
		s.end()
		s.inUse.Lock()
		defer s.inUse.Unlock()
		s.bank.mu.Lock()
		defer s.bank.mu.Unlock()
		err = s.journal.close()
	})
	return err
}

// SetCatalogue replaces models and prices for all later requests.
func (s *Server) SetCatalogue(c *gateway.Catalogue) { s.catalogue.Store(c) }

// load reads the folder, if there is one, and books what is in it.
func (s *Server) load(dir string) error {
	s.journal = &journal{}
	if dir == "" {
		return nil
	}
	j, lines, err := openJournal(dir, s.replay)
	if err != nil {
		return err
	}
	s.journal = j
	s.returnFailed(s.now())
	if lines > 1 {
		if err := j.compact(s.snapshot()); err != nil {
			return errors.Join(err, j.close())
		}
	}
	return nil
}

// replay does what one line of the journal says. What belongs to a key that is
// no longer configured is kept, out of reach.
func (s *Server) replay(l line) error {
	switch {
	case l.Snapshot != nil:
		s.advance.Store(int64(l.Snapshot.Clock))
		for _, saved := range l.Snapshot.Accounts {
			a := s.bank.named(saved.Name, s.cfg.Balance)
			a.charged, a.returned, a.entries = saved.Charged, saved.Returned, saved.Entries
		}
		for _, t := range l.Snapshot.Tasks {
			s.tasks.add(t)
		}
	case l.Task != nil:
		s.tasks.add(l.Task)
		s.bank.named(l.Task.Account, s.cfg.Balance).book("charge", l.Task.ID, l.Task.Cost)
	case l.Return != "":
		t := s.tasks.byID[l.Return]
		if t == nil {
			return errors.New("a return for an unknown task " + l.Return)
		}
		t.Returned = true
		if i := slices.Index(s.tasks.owed, t); i >= 0 {
			heap.Remove(&s.tasks.owed, i)
		}
		s.bank.named(t.Account, s.cfg.Balance).book("return", t.ID, t.Cost)
	case l.Charge != nil:
		s.bank.named(l.Charge.Account, s.cfg.Balance).book("charge", l.Charge.Subject, l.Charge.NanoUSD)
	case l.Clock != 0:
		s.advance.Store(int64(l.Clock))
	}
	return nil
}

func (s *Server) snapshot() snapshot {
	out := snapshot{Clock: time.Duration(s.advance.Load()), Tasks: s.tasks.order}
	for _, a := range s.bank.byName {
		out.Accounts = append(out.Accounts, savedAccount{a.name, a.charged, a.returned, a.entries})
	}
	return out
}
