package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/coder/websocket"

	"screentest/server/peer"
	"screentest/server/replica"
	"screentest/server/run"
	"screentest/server/store/engine"
	"screentest/server/tails"
	"screentest/shared/wire"
)

const (
	// tailsWithin bounds the wait for what another replica keeps of one that is gone,
	// and stopWithin that for one of them to end answers.
	tailsWithin = 3 * time.Second
	stopWithin  = 10 * time.Second
	// maxTails bounds what one replica says that it keeps, in bytes.
	maxTails = 1 << 30
)

// amongReplicas is the configuration of runs on a database that several may serve.
func (s *server) amongReplicas(c run.Config) run.Config {
	c.DurableStart = s.member != nil
	c.Gone = func(err error) bool { return errors.Is(err, engine.ErrUnsettled) }
	if s.peers == nil {
		return c
	}
	c.Elsewhere = runsElsewhere{s}
	c.Awake = s.member.Awake
	c.Keeper = &tails.Sender{Peers: s.keepers, Dial: s.dialKeeper, Logger: s.log}
	s.onClose(func(context.Context) error { s.keeper.Close(); return nil })
	return c
}

// recoverRuns ends the runs that this process finds its own at its start.
func (s *server) recoverRuns(ctx context.Context) error {
	if s.peers == nil {
		return s.runs.Recover(ctx)
	}
	return s.runs.TakeOver(ctx)
}

// keepers are the other replicas in the order in which this one asks them to keep
// what it has not stored: a ring, so that each keeps one other's.
func (s *server) keepers() (all []tails.Peer) {
	var before []tails.Peer
	for _, p := range s.member.Peers() {
		switch to := (tails.Peer{N: p.N, Address: p.Address}); {
		case p.Leaving || p.Address == "":
		case p.N > s.member.N():
			all = append(all, to)
		default:
			before = append(before, to)
		}
	}
	return append(all, before...)
}

const tailsPath = "/internal/tails"

func (s *server) dialKeeper(ctx context.Context, address string) (*websocket.Conn, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address+tailsPath, nil)
	if err != nil {
		return nil, err
	}
	s.peers.Sign(req)
	ws, _, err := websocket.Dial(ctx, address+tailsPath, &websocket.DialOptions{
		HTTPClient: s.peers.Client(), HTTPHeader: req.Header, CompressionMode: websocket.CompressionDisabled,
	})
	return ws, err
}

// runsElsewhere are the runs of other replicas.
type runsElsewhere struct{ s *server }

// holder is who holds a run that is under way elsewhere.
func (e runsElsewhere) holder(ctx context.Context, owner, id string) (replica.Peer, error) {
	n, err := e.s.store.Replicas().Holds(ctx, owner, id)
	if err != nil {
		return replica.Peer{}, err
	}
	if n == e.s.member.N() {
		return replica.Peer{}, fs.ErrNotExist
	}
	p, there := e.s.member.Peer(n)
	if !there || p.Address == "" {
		return p, errors.New("the replica that holds the run is not there")
	}
	return p, nil
}

func runPath(what, owner, id string) string {
	return "/internal/" + what + "/" + url.PathEscape(owner) + "/" + url.PathEscape(id)
}

func (e runsElsewhere) Feed(ctx context.Context, owner, id string, from int64) (io.ReadCloser, error) {
	p, err := e.holder(ctx, owner, id)
	if err != nil {
		return nil, err
	}
	resp, err := e.s.peers.Ask(ctx, p.Address, http.MethodGet, runPath("run", owner, id)+"?from="+strconv.FormatInt(from, 10), nil)
	if err != nil {
		return nil, err
	}
	return resp.Body, nil
}

func (e runsElsewhere) Stop(ctx context.Context, owner, id string) error {
	p, err := e.holder(ctx, owner, id)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, stopWithin)
	defer cancel()
	err = e.tell(ctx, p, runPath("stop", owner, id))
	if said := new(wire.Problem); errors.As(err, &said) && said.Code == run.NotFound().Code {
		return fs.ErrNotExist
	}
	return err
}

func (e runsElsewhere) tell(ctx context.Context, p replica.Peer, path string) error {
	resp, err := e.s.peers.Ask(ctx, p.Address, http.MethodPost, path, nil)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

func (e runsElsewhere) StopAll(ctx context.Context, owner, conversation string) {
	ctx, cancel := context.WithTimeout(ctx, stopWithin)
	defer cancel()
	e.each(e.s.member.Peers(), func(p replica.Peer) {
		if err := e.tell(ctx, p, "/internal/stop/"+url.PathEscape(owner)+"?conversation="+url.QueryEscape(conversation)); err != nil {
			e.s.log.Warn("another replica didn't stop answers", "replica", p.N, "err", err)
		}
	})
}

// each calls do for all peers at the same time.
func (runsElsewhere) each(peers []replica.Peer, do func(replica.Peer)) {
	var all sync.WaitGroup
	for _, p := range peers {
		if p.Address != "" {
			all.Go(func() { do(p) })
		}
	}
	all.Wait()
}

func (e runsElsewhere) Tails(ctx context.Context, runs []tails.Run) []tails.Tail {
	found := e.s.keeper.Take(runs)
	ask, err := json.Marshal(runs)
	if err != nil {
		e.s.log.Error("tails not asked for", "err", err)
		return found
	}
	var mu sync.Mutex
	e.each(e.there(ctx), func(p replica.Peer) {
		ctx, cancel := context.WithTimeout(ctx, tailsWithin)
		defer cancel()
		all, err := e.tailsOf(ctx, p, ask)
		if err != nil {
			e.s.log.Warn("a replica doesn't say what it keeps of one that is gone", "replica", p.N, "err", err)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		found = append(found, all...)
	})
	return found
}

func (e runsElsewhere) tailsOf(ctx context.Context, p replica.Peer, ask []byte) ([]tails.Tail, error) {
	resp, err := e.s.peers.Ask(ctx, p.Address, http.MethodPost, tailsPath, bytes.NewReader(ask))
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxTails))
	if err != nil {
		return nil, err
	}
	return tails.Parse(text)
}

// there are the other replicas, of which this one hears with its first beat; before
// that it asks.
func (e runsElsewhere) there(ctx context.Context) []replica.Peer {
	if peers := e.s.member.Peers(); peers != nil {
		return peers
	}
	all, err := e.s.store.Replicas().Beat(ctx)
	if err != nil {
		e.s.log.Warn("the other replicas are not known", "err", err)
	}
	var peers []replica.Peer
	for _, r := range all {
		if r.N != e.s.member.N() {
			peers = append(peers, replica.Peer{N: r.N, Address: r.Address, Leaving: r.Leaving})
		}
	}
	return peers
}

// answerOfRuns are the addresses at which other replicas ask of runs.
func (s *server) answerOfRuns() {
	s.peers.Handle("GET /internal/run/{owner}/{run}", s.feedRun)
	s.peers.Handle("POST /internal/stop/{owner}/{run}", func(w http.ResponseWriter, r *http.Request) {
		if !s.runs.StopHere(r.PathValue("owner"), r.PathValue("run")) {
			peer.Refuse(w, run.NotFound())
		}
	})
	s.peers.Handle("POST /internal/stop/{owner}", func(w http.ResponseWriter, r *http.Request) {
		if err := s.runs.StopAllHere(r.Context(), r.PathValue("owner"), r.URL.Query().Get("conversation")); err != nil {
			peer.Refuse(w, err)
		}
	})
	s.peers.Handle("GET "+tailsPath, s.keeper.Serve)
	s.peers.Handle("POST "+tailsPath, func(w http.ResponseWriter, r *http.Request) {
		var runs []tails.Run
		if err := json.NewDecoder(r.Body).Decode(&runs); err != nil {
			peer.Refuse(w, err)
			return
		}
		var out []byte
		for _, t := range s.keeper.Take(runs) {
			out = tails.Append(out, t)
		}
		if _, err := w.Write(out); err != nil {
			s.log.Warn("what is kept of a replica that is gone did not reach who asked", "err", err)
		}
	})
}

// feedRun sends the log of a run to another replica.
func (s *server) feedRun(w http.ResponseWriter, r *http.Request) {
	from, err := strconv.ParseInt(r.URL.Query().Get("from"), 10, 64)
	if err != nil || from < 0 {
		peer.Refuse(w, run.NotFound())
		return
	}
	out := &feedWriter{w: w, control: http.NewResponseController(w)}
	if err := s.runs.Feed(r.Context(), r.PathValue("owner"), r.PathValue("run"), from, out, out.control.Flush); err != nil && !out.began {
		peer.Refuse(w, err)
	}
}

// feedWriter knows whether anything was written.
type feedWriter struct {
	w       io.Writer
	control *http.ResponseController
	began   bool
}

func (f *feedWriter) Write(p []byte) (int, error) {
	f.began = true
	return f.w.Write(p)
}
