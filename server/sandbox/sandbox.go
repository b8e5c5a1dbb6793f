package sandbox

import (
	"errors"
	"log/slog"
	"net/http"
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
	// Balance is what each account has at first; 0 means DefaultBalance.
	Balance money.NanoUSD
	// Dir is the folder where tasks and accounts are kept across restarts;
	// empty means in memory only.
	Dir string
	// FetchPrivate lets it fetch reference and motion clips from loopback and
	// private addresses too. Only for tests: whoever has the key can then make
	// this machine call its neighbours.
	FetchPrivate bool
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
	cfg Config
}

// New starts a sandbox. It reads what Config.Dir holds, and fails if that
// cannot be read or written.
func New(cfg Config) (*Server, error) {
	if cfg.Catalogue == nil {
		return nil, errors.New("sandbox: Config.Catalogue is nil: pass gateway.SampleCatalogue() or a parsed one")
	}
	return &Server{cfg: cfg}, nil
}

// Close ends every stream under way and closes the files. Requests that come
// later are refused.
func (s *Server) Close() error { return nil }

// SetCatalogue replaces models and prices for all later requests.
func (s *Server) SetCatalogue(c *gateway.Catalogue) { s.cfg.Catalogue = c }

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	http.NotFound(w, r)
}
