package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"sync"
	"time"

	"screentest/server/approval"
	"screentest/server/bff"
	"screentest/server/blob"
	"screentest/server/budget"
	"screentest/server/bus"
	"screentest/server/factors"
	gatewayclient "screentest/server/gateway"
	"screentest/server/heard"
	"screentest/server/hook"
	"screentest/server/leaving"
	"screentest/server/listing"
	"screentest/server/news"
	"screentest/server/notices"
	"screentest/server/oidc"
	"screentest/server/ops"
	"screentest/server/page"
	"screentest/server/peer"
	"screentest/server/people"
	"screentest/server/replica"
	"screentest/server/retention"
	"screentest/server/review"
	"screentest/server/run"
	"screentest/server/sandbox"
	"screentest/server/share"
	"screentest/server/shown"
	"screentest/server/signin"
	"screentest/server/store"
	"screentest/server/store/engine"
	"screentest/server/tails"
	"screentest/server/tokens"
	"screentest/server/video"
	"screentest/shared/wire"
	"screentest/web"
)

// closeTimeout bounds the orderly end of each part by itself, such as storing
// what is under way: one that has to wait must not take the time of those after
// it.
const closeTimeout = 15 * time.Second

// server is a running playground: all parts, put together.
type server struct {
	config serveConfig
	reach  reach
	ways   people.Ways // to sign in
	log    *slog.Logger
	url    string     // for a person on this machine
	failed chan error // of the HTTP servers
	hangs  bool       // a part of it did not end

	models     *models
	encryption *encryption // nil: not by this server
	ops        *ops.Monitor
	store      *store.DB
	member     *replica.Member // nil: a folder is one process's
	peers      *peer.Link      // nil: there are none
	files      *blob.Files
	keeper     tails.Keeper // of what other replicas have not stored
	news       *news.Hub
	bus        *bus.Bus        // nil: there are no others to tell
	sandbox    *sandbox.Server // nil with -gateway
	addr       string          // that is listened on

	sandboxBase, sandboxKey string // of the sandbox inside
	connecting              sync.Mutex
	connection              connection
	ear                     *heard.Ear // nil: nobody else changes what is stored
	people                  *people.Directory
	desk                    *signin.Desk // nil without accounts
	factors                 *factors.Factors
	oidc                    *oidc.Provider // nil without single sign-on
	setUp                   string         // the link to the first account, while there is none
	localID                 string         // without accounts: everybody's, as programs see it
	local                   string         // its owner
	gateways                *gatewayclient.Gateways
	lister                  lister // nil: nobody lists models
	listing                 *listing.Service
	hooks                   *hook.Caller
	budget                  *budget.Keeper
	runs                    *run.Manager
	videos                  *video.Service
	retention               *retention.Sweeper
	leaving                 *leaving.Service
	notices                 *notices.Service // nil without accounts, as the four below
	shares                  *share.Service
	reviews                 *review.Service
	shown                   *shown.Service
	approvals               *approval.Service
	bff                     *bff.Server
	closers                 []func(context.Context) error // the last one started is closed first
}

// start starts all parts, each after those that it is given. ctx bounds only
// the start.
func start(ctx context.Context, c serveConfig, log *slog.Logger) (_ *server, err error) {
	s := &server{config: c, log: log, failed: make(chan error, 3)}
	if s.reach, s.ways, err = c.checked(); err != nil {
		return nil, err
	}
	public := s.reach.public
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	if s.models, err = readModels(c.catalog); err != nil {
		return s, err
	}
	if s.encryption, err = newEncryption(c.reach, s.reach, c.data); err != nil {
		return s, err
	}
	files, err := page.New(web.Files(), page.Options{Team: s.reach.mode == team})
	if err != nil {
		return s, fmt.Errorf("prepare the browser's files: %w", err)
	}
	// The address is taken first: that it is in use is to be known before
	// anything is opened or made.
	listener, err := listen(c.addr)
	if err != nil {
		return s, err
	}
	s.onClose(func(context.Context) error { listener.Close(); return nil })
	addr := listener.Addr().String()
	s.addr = addr
	s.url = s.here(addr)

	s.ops = s.watch()
	s.store, err = store.Open(ctx, c.data, store.Options{
		Database: c.cluster.database, SealKey: os.Getenv("SCREENTEST_SEAL_KEY"), Logger: log, Committed: s.ops.Committed, Booked: s.ops.Booked,
		FilesElsewhere: c.files != "",
	})
	if err != nil {
		return s, surroundings(err)
	}
	s.onClose(func(context.Context) error { return s.store.Close() })
	if err := s.join(ctx); err != nil {
		return s, surroundings(err)
	}
	if err := s.openFiles(ctx); err != nil {
		return s, err
	}
	s.openEar()
	owner, err := s.store.EnsureLocalUser(ctx)
	if err != nil {
		return s, err
	}
	s.local = owner
	s.openNews()
	inside, err := s.listenInside(addr)
	if err != nil {
		return s, err
	}
	sandboxBase, sandboxKey, err := s.startSandbox(ctx, inside.addr)
	if err != nil {
		return s, err
	}
	s.gateways = gatewayclient.NewGateways(s.clientOptions, s.news.GatewayChanged)
	s.onClose(func(context.Context) error { s.gateways.Close(); return nil })
	if err := s.openGateways(ctx, sandboxBase, sandboxKey); err != nil {
		return s, err
	}
	if s.people, err = people.New(ctx, s.peopleConfig(owner, addr)); err != nil {
		return s, err
	}
	s.onClose(func(context.Context) error { s.people.Close(); return nil })
	if err := s.openDoor(ctx, addr); err != nil {
		return s, err
	}
	s.openNotices()
	s.openShares()
	s.openApprovals()
	s.openReviews()
	s.openHooks()
	s.openListing()
	s.budget = budget.New(s.budgetConfig())
	s.onClose(func(context.Context) error { s.budget.Close(); return nil })
	s.runs = run.New(s.amongReplicas(run.Config{
		Store: s.store, Targets: s.target, Catalogue: s.models.current,
		Tokenizer: &tokens.Counter{},
		Reserve:   s.reserveText,
		Changed:   s.news.Run,
		Stored:    s.news.ConversationChanged,
		Ended:     s.ops.RunEnded,
		Logger:    log,
	}))
	s.onClose(s.runs.Close)
	if s.videos, err = video.New(s.videoConfig(inside.addr)); err != nil {
		return s, err
	}
	if s.approvals != nil {
		s.approvals.Videos = s.videos
	}
	s.onClose(s.videos.Close)
	s.retention = retention.New(retention.Config{Store: s.store, DropClips: s.videos.DropClips, PurgeClips: s.videos.PurgeDeleted, First: s.first, Logger: log})
	s.onClose(func(context.Context) error { s.retention.Close(); return nil })
	s.leaving = leaving.New(s.leavingConfig())
	s.onClose(func(context.Context) error { s.leaving.Close(); return nil })
	if err := s.goOn(ctx); err != nil {
		return s, err
	}
	if err := s.beat(); err != nil {
		return s, err
	}

	s.openShown(files)
	s.bff = bff.New(bff.Config{
		Runs: browserRuns{s.runs}, Conversations: s.conversations(), Ledger: s.store, Budgets: s.budget, Retention: s.retention, Storage: s.store, Videos: s.videos,
		News: s.news, Page: files, People: s.people,
		Gateway:   s.toldGateway,
		Catalogue: s.models.json,
		API:       s.api(),
		Calls:     s.calls(),
		Voted:     s.voted,
		Keyed:     s.keyEntered,
		Called:    s.ops.Called,
		Addr:      addr, PublicURL: public, TLS: s.reach.tls, Knows: s.knows,
		FlushEvery: s.runs.FlushEvery,
		Logger:     log,
	})
	s.tellLister("")
	s.startEar(ctx)
	s.warn()
	s.serveHTTP(listener, s.ways.Trusted.Guard(s.ops.Before(s.bff)), s.encryption)
	// While tabs are told that the server ends, requests are still answered: by
	// /readyz with that.
	s.onClose(func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, hangUpAfter)
		defer cancel()
		s.bff.Close(ctx)
		return nil
	})
	if s.shown != nil {
		s.onClose(s.shown.Close)
	}
	if inside.listener != nil {
		s.serveHTTP(inside.listener, onlyUploads(s.bff), nil)
	}
	if s.encryption != nil && s.encryption.acme != nil {
		go s.encryption.fetch(public.Hostname(), log)
	}
	return s, nil
}

// videoConfig is what package video works with.
func (s *server) videoConfig(inside string) video.Config {
	c := video.Config{
		Store: s.store.Videos(), Gateway: connectedVideo{s: s}, Gateways: s.videoGateway, Pace: s.pace, Catalogue: s.models.current, Dir: s.config.data, Files: s.files,
		Uploads: func() (string, bool) { return s.uploads(inside) },
		Changed: s.clipChanged, Deleted: s.clipDeleted, Restored: s.clipRestored, Purged: s.clipPurged, Archive: s.news.Archive,
		Ended: s.ops.VideoEnded, Late: s.ops.VideoPolled,
		Budget: s.budget, WhomToAsk: s.people.WhomToAsk, Elsewhere: s.clipsElsewhere(), First: s.first,
		Unsure:   func(err error) bool { return errors.Is(err, engine.ErrUnknown) },
		ReadOnly: s.store.ReadOnly,
		Logger:   s.log,
	}
	if s.approvals != nil {
		c.Approvals = s.approvals
	}
	if s.shares != nil {
		c.Lineage = s.shares.Lineage
	}
	return c
}

// openFiles opens what -files names.
func (s *server) openFiles(ctx context.Context) error {
	at, err := blob.Parse(s.config.files)
	if err != nil {
		return mistake{err}
	}
	if s.files, err = blob.Open(ctx, at, s.config.data, s.store.FileLock()); err != nil {
		return surroundings(err)
	}
	s.onClose(func(context.Context) error { s.files.Close(); return nil })
	return s.wantFiles(ctx, at)
}

// wantFiles warns where clips that the store knows are not where files are kept: that
// may be another instance's place.
func (s *server) wantFiles(ctx context.Context, at blob.Address) error {
	sha, err := s.store.Videos().NewestKept(ctx)
	if err != nil || sha == nil {
		return err
	}
	f, err := s.files.Archive.Open(ctx, hex.EncodeToString(sha))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.log.Warn("the newest clip that was kept is not where files are kept: see that -files names the right place", "files", at.String())
	case err != nil:
		s.log.Warn("whether files are kept in the right place is not known", "err", err)
	default:
		return f.Close()
	}
	return nil
}

// uploadsBase is the address that uploads are given out below, and whether the
// gateway can't fetch from there: one on this machine can from ours, one
// elsewhere needs an address that leads here.
func uploadsBase(addr string, gateway, public *url.URL) (base string, unreachable bool) {
	if public != nil {
		return origin(public), false
	}
	return "http://" + addr, !onThisMachine(gateway)
}

// goodToken is how long a token is that nobody guesses, in bytes.
const goodToken = 16

// warn says in the log what is not safe about who reaches what.
func (s *server) warn() {
	s.warnOfGateway()
	if at, err := blob.Parse(s.config.files); err == nil && at.InTheOpen() {
		s.log.Warn("the object store is not reached by https: clips can be read on the way, unless the network itself is encrypted", "files", at.String())
	}
	if n := len(s.config.metricsToken); n > 0 && n < goodToken {
		s.log.Warn("-metrics-token is so short that others may guess it: openssl rand -hex 16 makes a good one")
	}
	public := s.reach.public
	if s.peers != nil && public == nil {
		s.log.Warn("without -public-url each replica's cookies are its own, by its port: who comes to another one is signed out there")
	}
	if s.reach.mode == behindGate {
		s.log.Warn("everybody who reaches the public address is the same person, because of -team=false: let only those in who may be", "public-url", public.String())
	}
	switch secret := !s.sandboxed() || s.reach.mode == team; {
	case !secret || s.reach.secure():
	case public != nil && !onThisMachine(public):
		s.log.Warn("the page is not reached by https: what a browser sends, passwords and the gateway's key too, can be read on the way, unless the network itself is encrypted", "public-url", public.String())
	case !s.reach.here:
		s.log.Warn("the page is not reached by https, because of -plain-http: what a browser sends, passwords and the gateway's key too, can be read on the way, unless the network itself is encrypted", "addr", s.config.addr)
	}
}

func (s *server) onClose(f func(context.Context) error) { s.closers = append(s.closers, f) }

// close ends all parts in the opposite order of their start: nothing new comes
// in, pages are told, answers under way are stored, the folder is released.
func (s *server) close() error {
	if s.ops != nil {
		s.ops.Drain()
	}
	s.leave()
	var errs []error
	for i := len(s.closers) - 1; i >= 0; i-- {
		errs = append(errs, s.ended(s.closers[i]))
	}
	s.closers = nil
	return errors.Join(errs...)
}

// reload reads the certificate and the catalogue again.
func (s *server) reload() {
	if s.encryption != nil && s.encryption.files != nil {
		s.encryption.files.readAgain(s.log)
	}
	if !s.models.readAgain(s.log) {
		return
	}
	s.people.Note(context.Background(), people.Event{Action: "catalogue.reloaded"}) // by a signal: nobody who has an account
	if s.sandbox != nil {
		s.sandbox.SetCatalogue(s.models.sandbox())
	}
	s.news.GatewayChanged()
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
