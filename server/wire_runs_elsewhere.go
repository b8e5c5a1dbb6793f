package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"slices"
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
	// tailsWithin bounds the wait for the next piece of what another replica keeps of one
	// that is gone, and stopWithin that for one of them to end answers.
	tailsWithin = 3 * time.Second
	stopWithin  = 10 * time.Second
	// maxAsked is of how many answers it is asked at a time what is kept, and maxTails
	// bounds what is said of them, in bytes.
	maxAsked = 256
	maxTails = 2 << 30
	// feedWithin is how long another replica may take for a piece of a feed, or of what
	// is kept, which comes in pieces of tailPiece bytes.
	feedWithin = 10 * time.Second
	tailPiece  = 256 << 10
)

// amongReplicas is the configuration of runs on a database that several may serve.
func (s *server) amongReplicas(c run.Config) run.Config {
	c.DurableStart = s.member != nil
	c.Gone = func(err error) bool { return errors.Is(err, engine.ErrUnsettled) }
	if s.member != nil {
		c.Sure = s.member.Sure
		c.Holds = func(ctx context.Context, owner, id string) (bool, error) {
			n, err := s.store.Replicas().Holds(ctx, owner, id)
			if errors.Is(err, fs.ErrNotExist) {
				return false, nil // it was ended, or deleted
			}
			return n == s.member.N(), err
		}
		c.Asked = func(ctx context.Context) error {
			_, err := s.store.Replicas().Beat(ctx)
			return err
		}
	}
	if s.peers == nil {
		return c
	}
	c.Elsewhere = runsElsewhere{s}
	c.Awake = s.member.Awake
	c.Keeper = &tails.Sender{Peers: s.keepers, Dial: s.dialKeeper, Logger: s.log}
	s.onClose(func(context.Context) error { s.keeper.Close(); return nil })
	return c
}

// recoverRuns ends the runs that this process finds its own at its start. Where another
// one keeps what was shown of them and can't be asked, as while it starts, too, that is
// done later.
func (s *server) recoverRuns(ctx context.Context) error {
	if s.peers == nil {
		return s.runs.Recover(ctx)
	}
	if err := s.runs.TakeOver(ctx); err != nil {
		s.log.Warn("answers that were under way are not ended yet; it is tried again", "err", err)
		s.runs.Look()
	}
	return nil
}

// keepers are the other replicas in the order in which this one asks them to keep
// what it has not stored: a ring, so that each keeps one other's. Those that are about
// to go are asked where there are no others: until then they may find this one gone.
func (s *server) keepers() []tails.Peer {
	if staying := s.ring(false); len(staying) > 0 {
		return staying
	}
	return s.ring(true)
}

// ring are the other replicas that stay, or that are about to go, from the one that came
// after this one on.
func (s *server) ring(leaving bool) (all []tails.Peer) {
	var before []tails.Peer
	for _, p := range s.member.Peers() {
		switch to := (tails.Peer{N: p.N, Address: p.Address}); {
		case p.Leaving != leaving || p.Address == "":
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

func (e runsElsewhere) Tails(ctx context.Context, runs []tails.Run) ([]tails.Tail, error) {
	found := e.s.keeper.Take(runs)
	there, err := e.there(ctx)
	if err != nil {
		return found, fmt.Errorf("find the other replicas: %w", err)
	}
	var mu sync.Mutex
	var failed []error
	e.each(there, func(p replica.Peer) {
		// What it keeps stays there, so that it can be asked for in portions, and again.
		for some := range slices.Chunk(runs, maxAsked) {
			all, err := e.tailsOf(ctx, p, some)
			mu.Lock()
			if err != nil {
				failed = append(failed, fmt.Errorf("replica %d: %w", p.N, err))
			}
			found = append(found, all...)
			mu.Unlock()
			if err != nil {
				return
			}
		}
	})
	return found, errors.Join(failed...)
}

func (e runsElsewhere) tailsOf(ctx context.Context, p replica.Peer, runs []tails.Run) ([]tails.Tail, error) {
	ask, err := json.Marshal(runs)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silent := time.AfterFunc(tailsWithin, func() { cancel(errSilent) })
	defer silent.Stop()
	resp, err := e.s.peers.Ask(ctx, p.Address, http.MethodPost, tailsPath, ask)
	if err != nil {
		return nil, cmp.Or(context.Cause(ctx), err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(&awaited{io.LimitReader(resp.Body, maxTails), silent})
	if err != nil {
		return nil, cmp.Or(context.Cause(ctx), err)
	}
	return tails.Parse(text)
}

var errSilent = fmt.Errorf("nothing came from it for %s", tailsWithin)

// awaited puts a timer off with each piece that comes.
type awaited struct {
	r      io.Reader
	silent *time.Timer
}

func (h *awaited) Read(p []byte) (int, error) {
	n, err := h.r.Read(p)
	if n > 0 {
		h.silent.Reset(tailsWithin)
	}
	return n, err
}

// there are the other replicas, of which this one hears with its first beat; before
// that it asks.
func (e runsElsewhere) there(ctx context.Context) ([]replica.Peer, error) {
	if peers := e.s.member.Peers(); peers != nil {
		return peers, nil
	}
	all, err := e.s.store.Replicas().Beat(ctx)
	if err != nil {
		return nil, err
	}
	var peers []replica.Peer
	for _, r := range all {
		if r.N != e.s.member.N() {
			peers = append(peers, replica.Peer{N: r.N, Address: r.Address, Leaving: r.Leaving})
		}
	}
	return peers, nil
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
		out := &feedWriter{w: w, control: http.NewResponseController(w)}
		for _, t := range s.keeper.Take(runs) {
			for piece := range slices.Chunk(tails.Append(nil, t), tailPiece) {
				if _, err := out.Write(piece); err != nil {
					s.log.Warn("what is kept of a replica that is gone did not reach who asked", "err", err)
					return
				}
			}
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

// Write fails where who reads is away, or stopped: it connects again.
func (f *feedWriter) Write(p []byte) (int, error) {
	f.began = true
	if err := f.control.SetWriteDeadline(time.Now().Add(feedWithin)); err != nil {
		return 0, err
	}
	return f.w.Write(p)
}
