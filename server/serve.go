package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"screentest/server/bff"
	"screentest/server/budget"
	gatewayclient "screentest/server/gateway"
	"screentest/server/keep"
	"screentest/server/news"
	"screentest/server/page"
	"screentest/server/people"
	"screentest/server/run"
	"screentest/server/sandbox"
	"screentest/server/store"
	"screentest/server/tokens"
	"screentest/server/video"
	"screentest/shared/gateway"
	"screentest/shared/wire"
	"screentest/web"
)

// Bounds of an orderly end, for each part by itself: one that has to wait must
// not take the time of those after it.
const (
	closeTimeout = 15 * time.Second // for storing what is under way
	hangUpAfter  = 2 * time.Second  // for others to finish reading, sending or calling
)

// gcPercent trades some processor time for memory: what a stream holds is
// small, and doubling it with garbage, as is Go's default, is most of its cost.
const gcPercent = 50

// serve is the command screentest serve.
func (p *program) serve(ctx context.Context, c serveConfig) error {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	s, err := start(ctx, c, p.logger())
	if err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "Screentest is ready on %s (%s)\n", s.url, s.gatewayName())
	for {
		select {
		case <-p.reload:
			s.reload()
		case err := <-s.failed:
			return errors.Join(err, s.close())
		case <-ctx.Done():
			return s.close()
		}
	}
}

// server is a running playground: all parts, put together.
type server struct {
	config    serveConfig
	log       *slog.Logger
	url       string // for a person on this machine
	catalogue atomic.Pointer[catalogue]
	failed    chan error // of the HTTP servers

	store   *store.DB
	sandbox *sandbox.Server // nil with a gateway from outside
	client  *gatewayclient.Client
	news    *news.Hub
	people  *people.Directory
	budget  *budget.Keeper
	keep    *keep.Keeper
	runs    *run.Manager
	videos  *video.Service
	bff     *bff.Server
	closers []func(context.Context) error // the last one started is closed first
}

// catalogue is the current one, and as the pages get it.
type catalogue struct {
	*gateway.Catalogue
	json []byte
}

func (s *server) models() *gateway.Catalogue { return s.catalogue.Load().Catalogue }

// start starts all parts. ctx bounds only the start.
func start(ctx context.Context, c serveConfig, log *slog.Logger) (_ *server, err error) {
	public, err := c.checked()
	if err != nil {
		return nil, err
	}
	s := &server{config: c, log: log, failed: make(chan error, 2)}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	models, err := readCatalogue(c.catalog)
	if err != nil {
		return s, err
	}
	s.catalogue.Store(&catalogue{models, models.JSON()})
	// The address is taken first: that it is in use is to be known before
	// anything is opened or made.
	listener, err := listen(c.addr)
	if err != nil {
		return s, err
	}
	s.onClose(func(context.Context) error { listener.Close(); return nil })
	s.url = "http://" + readable(listener.Addr())

	if s.store, err = store.Open(ctx, c.data, store.Options{SealKey: os.Getenv("SCREENTEST_SEAL_KEY"), Logger: log}); err != nil {
		return s, surroundings(err)
	}
	s.onClose(func(context.Context) error { return s.store.Close() })
	owner, err := s.store.EnsureLocalUser(ctx)
	if err != nil {
		return s, err
	}
	s.news = news.New(s.store, log)
	s.onClose(func(context.Context) error { s.news.Close(); return nil })
	base, sandboxKey, err := s.startSandbox(ctx, listener.Addr().String())
	if err != nil {
		return s, err
	}
	s.people, err = people.New(ctx, people.Config{
		Sessions: s.store, Owner: owner, Addr: listener.Addr().String(), Secure: public != nil && public.Scheme == "https",
		SandboxKey: sandboxKey, KeyChanged: s.news.GatewayChanged,
	})
	if err != nil {
		return s, err
	}
	options := c.timeouts
	options.FilesFromPrivate = c.fetchPrivate
	options.Judged = s.people.KeyJudged
	if s.client, err = gatewayclient.New(base, options); err != nil {
		return s, mistakef("-gateway: %w", err)
	}
	s.onClose(func(context.Context) error { s.client.Close(); return nil })
	if s.client.Base.Scheme == "http" && !onThisMachine(s.client.Base) {
		log.Warn("the gateway is not reached by https: its key and all that is sent can be read on the way", "gateway", s.client.Base.String())
	}
	s.budget = budget.New(budget.Config{
		Store: s.store, Logger: log,
		Tell: s.news.BudgetPassed,
		// The one local user is who runs the server.
		MayEverybody: func(who string) bool { return who == owner },
	})
	s.onClose(func(context.Context) error { s.budget.Close(); return nil })
	s.runs = run.New(run.Config{
		Store: s.store, Gateway: s.client.Stream, Catalogue: s.models, BaseURL: s.client.Base.String(),
		StreamOptions: s.sandbox != nil,
		Tokenizer:     &tokens.Counter{},
		Reserve:       s.budget.ReserveText,
		Changed:       s.news.Run,
		Stored:        s.news.ConversationChanged,
		Logger:        log,
	})
	s.onClose(s.runs.Close)
	if err := s.newVideos(listener.Addr(), public); err != nil {
		return s, err
	}
	s.keep = keep.New(keep.Config{Store: s.store, DropClips: s.videos.DropClips, PurgeClips: s.videos.PurgeDeleted, Logger: log})
	s.onClose(func(context.Context) error { s.keep.Close(); return nil })
	shown, err := page.New(web.Files())
	if err != nil {
		return s, fmt.Errorf("prepare the browser's files: %w", err)
	}
	s.bff = bff.New(s.bffConfig(shown, listener.Addr(), public))
	if err := s.runs.Recover(ctx); err != nil {
		return s, err
	}
	if err := s.videos.Start(ctx); err != nil {
		return s, err
	}
	s.keep.Start()
	if public != nil {
		log.Warn("everybody who reaches the public address is the same person: let only those in who may be", "public-url", public.String())
		if c.gateway != "" && public.Scheme == "http" && !onThisMachine(public) {
			log.Warn("the page is not reached by https: the gateway's key that a browser sends can be read on the way, unless the network itself is encrypted", "public-url", public.String())
		}
	}
	s.onClose(func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, hangUpAfter)
		defer cancel()
		s.bff.Close(ctx)
		return nil
	})
	s.serveHTTP(listener, s.bff)
	return s, nil
}

func (s *server) bffConfig(shown *page.Page, addr net.Addr, public *url.URL) bff.Config {
	return bff.Config{
		Runs: browserRuns{s.runs}, Conversations: s.store, Ledger: s.store, Budgets: s.budget, Retention: s.keep, Storage: s.store, Videos: s.videos,
		Gateway: wire.Gateway{
			Sandbox: s.sandbox != nil, BaseURL: s.client.Base.String(),
			StreamOptions: s.sandbox != nil, // G9: off for a real gateway
		},
		Catalogue:  func() []byte { return s.catalogue.Load().json },
		News:       s.news,
		People:     s.people,
		Page:       shown,
		Addr:       addr.String(),
		PublicURL:  public,
		FlushEvery: s.runs.FlushEvery,
		Logger:     s.log,
	}
}

// serveHTTP serves a handler until the server is closed.
func (s *server) serveHTTP(l net.Listener, h http.Handler) {
	hs := newHTTPServer(h, s.log)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := hs.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			s.failed <- fmt.Errorf("serve %s: %w", l.Addr(), err)
		}
	}()
	s.onClose(func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, hangUpAfter)
		defer cancel()
		err := hs.Shutdown(ctx)
		if errors.Is(err, context.DeadlineExceeded) {
			err = hs.Close() // who reads or sends so slowly is hung up on
		}
		<-ended
		return err
	})
}

func newHTTPServer(h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler: h,
		// There is no bound on a whole request: a video takes its time.
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}

func (s *server) onClose(f func(context.Context) error) { s.closers = append(s.closers, f) }

// close ends all parts in the opposite order of their start: nothing new comes
// in, pages are told, answers under way are stored, the folder is released.
func (s *server) close() error {
	var errs []error
	for i := len(s.closers) - 1; i >= 0; i-- {
		ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
		errs = append(errs, s.closers[i](ctx))
		cancel()
	}
	s.closers = nil
	return errors.Join(errs...)
}

// reload reads the catalogue again. One with a mistake in it changes nothing.
func (s *server) reload() {
	if s.config.catalog == "" {
		s.log.Info("there is no -catalog to read again")
		return
	}
	c, err := readCatalogue(s.config.catalog)
	if err != nil {
		s.log.Error("the catalogue was not read again; the old one stays", "err", err)
		return
	}
	s.catalogue.Store(&catalogue{c, c.JSON()})
	if s.sandbox != nil {
		s.sandbox.SetCatalogue(c)
	}
	s.news.GatewayChanged()
	s.log.Info("read the catalogue again", "models", len(c.Models))
}

func (s *server) gatewayName() string {
	if s.sandbox != nil {
		return "sandbox gateway"
	}
	return "gateway " + s.client.Base.String()
}

// browserRuns is the run.Manager as package bff sees it.
type browserRuns struct{ *run.Manager }

func (b browserRuns) Open(ctx context.Context, owner, id string) (wire.Run, bff.Log, error) {
	r, log, err := b.Manager.Open(ctx, owner, id)
	if err != nil {
		return wire.Run{}, nil, err
	}
	return r, log, nil
}

// listen takes an address, or says in a sentence why not.
func listen(addr string) (net.Listener, error) {
	l, err := net.Listen("tcp", addr)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, mistakef("%s is in use: another program, perhaps another Screentest, listens there. End it, or take another address with -addr", addr)
	case err != nil:
		return nil, mistakef("cannot listen on %s: %w", addr, err)
	}
	return l, nil
}

// readable is an address as a person types it.
func readable(a net.Addr) string {
	host, port, err := net.SplitHostPort(a.String())
	if err != nil || (host != "127.0.0.1" && host != "::1") {
		return a.String()
	}
	return net.JoinHostPort("localhost", strings.TrimSpace(port))
}
