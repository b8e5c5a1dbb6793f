package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"time"

	"screentest/server/bus"
	"screentest/server/peer"
	"screentest/server/replica"
	"screentest/server/store/engine"
	"screentest/server/store/replicas"
)

// drainFor is how long a replica that ends waits for the answers under way.
const drainFor = time.Minute

// clusterConfig is how several processes serve one instance.
type clusterConfig struct {
	database, replica string
	drain             time.Duration // drainFor for 0
}

func (c *clusterConfig) flags(fs *flag.FlagSet) {
	fs.StringVar(&c.database, "database", "", "`URL` of a PostgreSQL database, postgres://…, in the place of the\nfile in the data folder; SCREENTEST_SEAL_KEY must be given then")
	fs.StringVar(&c.replica, "replica", "", "`URL` at which the other replicas on that database reach this\none, such as http://10.0.0.4:8081; it listens there. -files must be\ngiven then")
}

// checked says what is wrong with the configuration; files is that of -files.
func (c clusterConfig) checked(files string) error {
	if c.replica == "" {
		return nil
	}
	u, err := url.Parse(c.replica)
	switch {
	case err != nil || u.Scheme != "http" || u.Hostname() == "" || u.Port() == "" || strings.Trim(u.Path, "/")+u.RawQuery != "" || u.User != nil:
		return mistakef("-replica %q: it must be an address such as http://10.0.0.4:8081, with a port of its own", c.replica)
	case unspecified(u.Hostname()):
		return mistakef("-replica %s: that is every address of any machine, and others would reach themselves there. Give the one of this machine at which they reach it, such as http://10.0.0.4:%s", c.replica, u.Port())
	case c.database == "":
		return mistakef("-replica %s: replicas share a database; name it with -database postgres://…", c.replica)
	case files == "":
		return mistakef("-replica %s: replicas share clips and uploads, too; say where with -files, s3://bucket/prefix?endpoint=… or a folder that is all of theirs", c.replica)
	}
	return nil
}

// unspecified says whether a host stands for all addresses of a machine.
func unspecified(host string) bool {
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsUnspecified()
}

// members is the store as package replica sees it.
type members struct{ *replicas.Replicas }

func (m members) Beat(ctx context.Context) (there []replica.Beat, err error) {
	all, err := m.Replicas.Beat(ctx)
	for _, r := range all {
		there = append(there, replica.Beat(r))
	}
	return there, err
}

// Left is no mistake where the store was closed before: the others find this one gone.
func (m members) Left(ctx context.Context) error {
	if err := m.Replicas.Left(ctx); !errors.Is(err, os.ErrClosed) {
		return err
	}
	return nil
}

func (members) Gone(err error) bool { return errors.Is(err, engine.ErrUnsettled) }

// join makes this process one of the replicas on its database. Where that was moved
// nothing is written, and who only reads need not be one.
func (s *server) join(ctx context.Context) (err error) {
	c := s.config.cluster
	if c.database == "" || s.store.ReadOnly() != nil {
		return nil
	}
	address := strings.TrimRight(c.replica, "/")
	if address != "" {
		if err := s.listenToPeers(address); err != nil {
			return err
		}
		err = wantSelf(ctx, s.peers, address)
	}
	if err == nil {
		s.member, err = replica.Join(ctx, replica.Config{
			Store: members{s.store.Replicas()}, Address: address, Version: version,
			TakenOver: s.takenOver, Changed: s.peersChanged, Logger: s.log,
		})
	}
	if err != nil {
		if s.peers != nil {
			err = errors.Join(err, s.peers.Close())
		}
		return err
	}
	s.onClose(s.member.Close)
	if s.peers != nil {
		s.onClose(func(context.Context) error { return s.peers.Close() })
	}
	return nil
}

// listenToPeers listens at the address of -replica. What others ask is answered when all
// parts are there.
func (s *server) listenToPeers(address string) error {
	u, err := url.Parse(address)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", u.Host)
	if err != nil {
		return mistakef("-replica %s: cannot listen there: %w", address, err)
	}
	s.onClose(func(context.Context) error { listener.Close(); return nil })
	s.peers = peer.New(u.Host, s.store.Derive("replicas"), s.log, s.store.DeriveOthers("replicas")...)
	go func() {
		if err := s.peers.Serve(listener); err != nil && !errors.Is(err, net.ErrClosed) {
			s.failed <- err
		}
	}()
	return nil
}

// selfPath is where a replica asks itself who it is, and selfWithin bounds the wait for
// the answer.
const (
	selfPath   = "/internal/self"
	selfWithin = 5 * time.Second
)

// wantSelf refuses an address at which others would not reach this process: whoever had
// it before is taken for gone.
func wantSelf(ctx context.Context, link *peer.Link, address string) error {
	self := rand.Text()
	link.Handle("GET "+selfPath, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, self) // an error means that nobody reads it any more
	})
	ctx, cancel := context.WithTimeout(ctx, selfWithin)
	defer cancel()
	resp, err := link.Ask(ctx, address, http.MethodGet, selfPath, nil)
	if err != nil {
		return mistakef("-replica %s: this server listens there, and doesn't reach itself: %w. Give the address of this machine at which the others reach it", address, err)
	}
	defer resp.Body.Close()
	switch said, err := io.ReadAll(io.LimitReader(resp.Body, 1<<10)); {
	case err != nil:
		return err
	case string(said) != self:
		return mistakef("-replica %s: another replica answers there. Give the address of this machine at which the others reach it", address)
	}
	return nil
}

// beat begins to be a replica, when all parts are there.
func (s *server) beat() error {
	if s.member == nil {
		return nil
	}
	if s.peers != nil {
		s.answerPeers()
		s.peers.Ready()
	}
	s.member.Start()
	go func() {
		<-s.member.Lost()
		s.runs.Abandon()
		s.failed <- errors.New("this replica was not heard of for so long that another one has taken over what it did. Start it again")
	}()
	return nil
}

// takenOver goes on with what was another replica's, or nobody's.
func (s *server) takenOver(ctx context.Context, n int64) error {
	return errors.Join(s.runs.TakeOver(ctx), s.takeUpRest(ctx))
}

// peersChanged takes in who is there besides this replica.
func (s *server) peersChanged(peers []replica.Peer) {
	s.runs.PeersChanged()
	if s.peers == nil {
		if len(peers) > 0 {
			s.failed <- mistakef("another replica serves this database, and -replica is missing, by which it would reach this one")
		}
		return
	}
	s.newsTo(peers)
}

// answerPeers are the addresses by which other replicas ask this one.
func (s *server) answerPeers() {
	s.answerOfRuns()
	s.answerClips()
	s.peers.Handle("GET "+bus.Path, s.bus.Hear)
}

// leave has what is under way come to its end, as far as that takes no longer than a
// replica may take to go: tabs are sent to the others, which go on showing them what
// is written here. Alone there is nobody to send them to, and answers are ended.
func (s *server) leave() {
	if s.member == nil || s.runs == nil || s.bff == nil || s.lost() {
		return
	}
	if err := s.ended(s.member.Leave); err != nil {
		s.log.Error("the others don't know that this replica ends", "err", err)
	}
	if s.peers == nil || len(s.ring(false)) == 0 {
		return
	}
	s.runs.Refuse()
	s.bff.Drain()
	ctx, cancel := context.WithTimeout(context.Background(), cmp.Or(s.config.cluster.drain, drainFor))
	defer cancel()
	go func() {
		select {
		case <-s.member.Lost():
			cancel()
		case <-ctx.Done():
		}
	}()
	if s.runs.Wait(ctx) != nil {
		s.log.Warn("answers that take too long are ended", "answers", s.runs.UnderWay())
	}
}

// ended ends a part of the server. A database that hangs, unlike a file, may never
// answer who waits for it: what takes longer than it may is left as it is, and after
// that nothing else is given as long.
func (s *server) ended(part func(context.Context) error) error {
	limit := closeTimeout
	if s.hangs {
		limit = time.Second
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	if s.member == nil {
		return part(ctx)
	}
	done := make(chan error, 1)
	go func() { done <- part(ctx) }()
	select {
	case err := <-done:
		return err
	case <-time.After(limit + time.Second): // by itself it ends with ctx
		s.hangs = true
		return fmt.Errorf("a part of the server did not end within %s: the database, or what else it waits for, does not answer", limit)
	}
}

// lost says that another replica was told to go on with what this one does.
func (s *server) lost() bool {
	select {
	case <-s.member.Lost():
		return true
	default:
		return false
	}
}
