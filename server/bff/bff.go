// Package bff answers browsers: the addresses that there are, and the one
// WebSocket of a tab with its calls. Make a [Server] with [New]; it is an
// http.Handler.
//
// Every request passes the same guards (guard.go): the name it was asked by,
// where it comes from if it changes or reads anything of a person's, who is
// asking then (door.go), and the security headers of the answer (policy.go).
// Runs, conversations and clips are kept elsewhere; the interfaces below are all
// that this package wants of them.
package bff

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"time"

	"screentest/server/news"
	"screentest/server/page"
	"screentest/server/payer"
	"screentest/server/people"
	"screentest/shared/wire"
)

// Log is a run's log as a reader sees it; see package run.
type Log interface {
	Read(ctx context.Context, dst []byte, from int64, max int) (p []byte, end bool, err error)
	Size() (n int64, closed bool)
	ContentType() string
	Watch(c chan<- struct{})
	Unwatch(c chan<- struct{})
}

// Runs starts, opens and stops runs. Errors that a person may read are
// *wire.Problem.
type Runs interface {
	Start(ctx context.Context, by payer.Payer, s wire.Start) (wire.Run, error)
	Stop(ctx context.Context, owner, id string) error
	StopConversation(ctx context.Context, owner, conversation string) error
	Open(ctx context.Context, owner, id string) (wire.Run, Log, error)
	Request(ctx context.Context, owner, id string) (wire.RunRequest, error)
	Times(ctx context.Context, owner, id string) (wire.RunTimes, error)
}

// Conversations are what the list, the thread and the library show.
type Conversations interface {
	Conversations(ctx context.Context, owner string, p wire.Page) (wire.ConversationPage, error)
	Conversation(ctx context.Context, owner, id string) (wire.Summary, error)
	OpenConversation(ctx context.Context, owner string, p wire.Page) (wire.Opened, error)
	RenameConversation(ctx context.Context, owner string, r wire.Rename) (wire.Summary, error)
	DeleteConversation(ctx context.Context, owner, id string) error
	PinConversation(ctx context.Context, owner string, p wire.Pin) (wire.Summary, error)
	Messages(ctx context.Context, owner string, q wire.MessageQuery) (wire.Messages, error)
	Outline(ctx context.Context, owner, conversation string) (wire.Outline, error)
	SetLanes(ctx context.Context, owner string, l wire.Lanes) (wire.Lanes, error)
	WriteMessage(ctx context.Context, owner string, m wire.Written) (wire.Summary, error)
	SetVote(ctx context.Context, owner string, v wire.Vote) (wire.Vote, error)
	Search(ctx context.Context, owner string, q wire.Search) (wire.SearchPage, error)
	ImageOfConversation(ctx context.Context, owner, conversation, id string) (wire.Image, []byte, error)
	Library(ctx context.Context, owner string) (wire.Library, error)
	PutLibrary(ctx context.Context, owner string, e wire.LibraryEntry) (wire.LibraryEntry, error)
	DeleteLibrary(ctx context.Context, owner, id string) error
	Transfers
}

// Config is what a Server works with. All but the last group must be given.
type Config struct {
	Runs          Runs
	Conversations Conversations
	Ledger        Ledger
	Budgets       Budgets
	Retention     Retention
	Storage       Storage
	// Videos are the clips; without them there is no address of any.
	Videos Videos
	// People knows who is asking.
	People *people.Directory
	// Gateway is the one that is connected; HasKey and KeyLast4 are not used.
	Gateway func() wire.Gateway
	// Catalogue returns the models as gateway.ReadCatalogue reads them.
	Catalogue func() []byte
	// News is whom changes are told, and who tells the tabs of them.
	News *news.Hub
	// Page is what a browser is shown, and its files.
	Page *page.Page
	// Addr is the address that the server listens on, host:port.
	Addr string

	// API are the addresses of accounts, "GET /api/me", by what answers each.
	API map[string]Handler
	// Calls are those of the socket that other parts answer.
	Calls map[wire.Op]Call
	// Voted is told the id of a team that a vote counts for. nil: nobody is.
	Voted func(team string)
	// Keyed is told of a key that somebody entered for themself. It must not wait.
	// nil: nobody is.
	Keyed func(by payer.Payer)
	// PublicURL is how browsers reach the server from outside, or nil.
	PublicURL *url.URL
	// TLS says that the server encrypts by itself.
	TLS bool
	// Knows says whether another name is ours too, such as one of the
	// certificate. nil: none is.
	Knows func(host string) bool
	// Called is told how long each call took until its answer was there, and
	// whether that is a problem. nil: nobody is.
	Called func(op wire.Op, took time.Duration, failed bool)
	// FlushEvery is how often a running log reaches the disk; told to the page.
	FlushEvery time.Duration
	Now        func() time.Time
	Logger     *slog.Logger
}

// Server answers browsers. Close it before the HTTP server in front of it, which
// still answers while tabs are told.
type Server struct {
	Config
	handler   http.Handler
	addresses []string // that there are, with their methods
	handlers  map[wire.Op]handler
	sockets   *sockets
	moved     movedSessions
	buffers   buffers
	imports   chan struct{} // holds one for each under way
	exports   chan struct{} // likewise
	held      gauge         // bytes of answers that wait for tabs
	upkeep    sync.WaitGroup
	life      context.Context // of the calls
	endCalls  func()
	quit      chan struct{}
	once      sync.Once
}

// New returns a Server.
func New(c Config) *Server {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Voted == nil {
		c.Voted = func(string) {}
	}
	if c.Keyed == nil {
		c.Keyed = func(payer.Payer) {}
	}
	if c.Called == nil {
		c.Called = func(wire.Op, time.Duration, bool) {}
	}
	s := &Server{Config: c, handlers: handlers(c.Calls), sockets: newSockets(), quit: make(chan struct{}), imports: make(chan struct{}, maxImports), exports: make(chan struct{}, maxExports)}
	s.life, s.endCalls = context.WithCancel(context.Background())
	s.handler = s.routes()
	s.People.Listen(listener{s})
	s.upkeep.Go(func() { s.sockets.loop(s.quit) })
	return s
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Addresses are those that there are, each with a method, in no order.
func (s *Server) Addresses() []string { return s.addresses }

// Close closes the sockets, telling the pages that the server restarts, and
// waits until they are gone. When ctx is done it cuts them and their calls off.
func (s *Server) Close(ctx context.Context) {
	stop := context.AfterFunc(ctx, s.endCalls)
	s.sockets.close(ctx)
	stop()
	s.endCalls()
	s.once.Do(func() { close(s.quit) })
	s.upkeep.Wait()
}
