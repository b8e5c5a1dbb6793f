package tails

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/coder/websocket"
)

const (
	// ackWithin is how long a keeper may take to say that it has a batch, or to be
	// reached at all.
	ackWithin = time.Second
	// shunFor is how long one is left alone that did not.
	shunFor = 2 * time.Second
)

// How Send may end without the batch being kept.
var (
	// ErrAnew: another replica keeps the tails from here on, and has none yet.
	ErrAnew = errors.New("another replica keeps the tails from here on")
	// ErrAlone: there is no other replica.
	ErrAlone = errors.New("there is no other replica")
	// ErrUnreached: none of the others can be reached.
	ErrUnreached = errors.New("none of the other replicas can be reached to keep what came last")
)

// A Peer is another replica that may keep tails.
type Peer struct {
	N       int64
	Address string
}

// Sender hands tails to one of the other replicas. Its methods are for one
// goroutine.
type Sender struct {
	// Peers are those that are there, in the order in which they are asked.
	Peers func() []Peer
	// Dial connects to [Keeper.Serve] of one.
	Dial   func(ctx context.Context, address string) (*websocket.Conn, error)
	Logger *slog.Logger

	ws      *websocket.Conn
	to      Peer
	shunned map[int64]time.Time
}

// Send hands over a batch, as Append has made it, and returns when it is kept. An
// empty one asks whether somebody is there to keep.
func (s *Sender) Send(ctx context.Context, batch []byte) error {
	peers := s.Peers()
	if s.ws != nil && !contains(peers, s.to) {
		s.Close() // it is gone, or about to go
	}
	if s.ws == nil {
		return s.connect(ctx, peers)
	}
	if len(batch) == 0 {
		return nil
	}
	err := s.hand(ctx, batch)
	if err == nil {
		return nil
	}
	if websocket.CloseStatus(err) == statusGone {
		s.shun(s.to) // who says so may be wrong; then another one is to keep them
		s.Close()
		return ErrGone
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	s.Logger.Warn("the replica that keeps what is not stored does not answer; another one is to", "replica", s.to.N, "err", err)
	s.shun(s.to)
	s.Close()
	return s.connect(ctx, peers)
}

func contains(peers []Peer, p Peer) bool {
	for _, x := range peers {
		if x == p {
			return true
		}
	}
	return false
}

func (s *Sender) hand(ctx context.Context, batch []byte) error {
	ctx, cancel := context.WithTimeout(ctx, ackWithin)
	defer cancel()
	if err := s.ws.Write(ctx, websocket.MessageBinary, batch); err != nil {
		// Why it was closed is what the other one said last.
		if _, _, said := s.ws.Read(ctx); websocket.CloseStatus(said) != -1 {
			return said
		}
		return err
	}
	_, _, err := s.ws.Read(ctx)
	return err
}

// connect looks for a keeper: the next one that can be reached.
func (s *Sender) connect(ctx context.Context, peers []Peer) error {
	if len(peers) == 0 {
		return ErrAlone
	}
	for _, p := range peers {
		if time.Since(s.shunned[p.N]) < shunFor {
			continue
		}
		ws, err := s.dial(ctx, p)
		if err == nil {
			s.ws, s.to = ws, p
			return ErrAnew
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		s.Logger.Warn("another replica can't be reached", "replica", p.N, "address", p.Address, "err", err)
		s.shun(p)
	}
	return ErrUnreached
}

func (s *Sender) dial(ctx context.Context, p Peer) (*websocket.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, ackWithin)
	defer cancel()
	return s.Dial(ctx, p.Address)
}

func (s *Sender) shun(p Peer) {
	if s.shunned == nil {
		s.shunned = map[int64]time.Time{}
	}
	s.shunned[p.N] = time.Now()
}

// Close ends the connection.
func (s *Sender) Close() {
	if s.ws != nil {
		_ = s.ws.CloseNow()
		s.ws = nil
	}
}
