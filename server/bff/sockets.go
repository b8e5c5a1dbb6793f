package bff

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"screentest/shared/wire"
)

// maxSockets bounds the sockets of one owner.
const maxSockets = 2048

// sockets are the open ones and those whose handshake is being answered.
type sockets struct {
	draining atomic.Bool // other replicas take the tabs

	mu      sync.Mutex
	closed  bool
	byOwner map[string]map[*socket]struct{}
	opening map[*socket]struct{}
	open    sync.WaitGroup // their goroutines
}

func newSockets() *sockets {
	return &sockets{byOwner: map[string]map[*socket]struct{}{}, opening: map[*socket]struct{}{}}
}

// expect follows the session of a socket whose handshake is about to be
// answered: the page may enter a key as soon as it has the answer. Either add
// or forget must follow.
func (o *sockets) expect(k *socket) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.opening[k] = struct{}{}
}

// forget ends what expect began.
func (o *sockets) forget(k *socket) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.opening, k)
}

// add takes a socket in; it must call remove and then open.Done when it ends.
func (o *sockets) add(k *socket) *wire.Problem {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.opening, k)
	if o.closed {
		return &wire.Problem{Code: "shutting_down", Message: "The server is shutting down."}
	}
	of := o.byOwner[k.owner]
	if len(of) >= maxSockets {
		return &wire.Problem{Code: "too_many_sockets", Message: fmt.Sprintf("%d tabs are open, which is the limit.", maxSockets)}
	}
	if of == nil {
		of = map[*socket]struct{}{}
		o.byOwner[k.owner] = of
	}
	of[k] = struct{}{}
	k.pinged = time.Now()
	o.open.Add(1)
	return nil
}

func (o *sockets) remove(k *socket) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.byOwner[k.owner], k)
	if len(o.byOwner[k.owner]) == 0 {
		delete(o.byOwner, k.owner)
	}
}

// Sockets is how many tabs are connected.
func (s *Server) Sockets() int { return len(s.sockets.all()) }

// Streams is how many answers they are reading, each tab for itself.
func (s *Server) Streams() (n int) {
	for _, k := range s.sockets.all() {
		k.mu.Lock()
		n += len(k.cursors)
		k.mu.Unlock()
	}
	return n
}

// all returns the open sockets.
func (o *sockets) all() []*socket {
	o.mu.Lock()
	defer o.mu.Unlock()
	var out []*socket
	for _, of := range o.byOwner {
		out = slices.AppendSeq(out, maps.Keys(of))
	}
	return out
}

// shed closes the socket that holds the most: all together hold too much.
func (o *sockets) shed() {
	var worst *socket
	most := 0
	for _, k := range o.all() {
		k.mu.Lock()
		held := k.held
		k.mu.Unlock()
		if held > most {
			worst, most = k, held
		}
	}
	if worst != nil {
		worst.s.Logger.Warn("socket closed: the answers that wait for tabs hold too much memory", "bytes", most)
		_ = worst.ws.CloseNow()
	}
}

// rename gives the sockets of one session another session's id, and returns
// them.
func (o *sockets) rename(old, session string) []*socket {
	o.mu.Lock()
	of := slices.Collect(maps.Keys(o.opening))
	o.mu.Unlock()
	var out []*socket
	// One that is added in between is looked at twice, which does no harm.
	for _, k := range append(of, o.all()...) {
		if k.renamed(old, session) {
			out = append(out, k)
		}
	}
	return out
}

// loop pings the sockets, each in its time.
func (o *sockets) loop(quit <-chan struct{}) {
	tick := time.NewTicker(pingEvery / 10)
	defer tick.Stop()
	for {
		select {
		case now := <-tick.C:
			o.pingDue(now)
		case <-quit:
			return
		}
	}
}

// pingDue pings the sockets whose time it is. Each has a goroutine only while
// it waits for the answer.
func (o *sockets) pingDue(now time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, of := range o.byOwner {
		for k := range of {
			if now.Sub(k.pinged) >= pingEvery {
				k.pinged = now
				o.open.Go(k.ping)
			}
		}
	}
}

// Drain has the tabs connect to another replica: those that are open are closed, and
// new ones refused so that a proxy asks another one. All else is still answered.
func (s *Server) Drain() {
	s.sockets.draining.Store(true)
	for _, k := range s.sockets.all() {
		k.fail(websocket.StatusGoingAway, moved)
	}
}

// moved is why a tab's connection ends, or its call isn't answered: what was not, it
// asks again where it connects next.
const moved = "another replica goes on"

// elsewhere says that a call is to be made again at another replica: nothing was
// done for it here.
func (s *Server) elsewhere(p wire.Push) bool {
	return p.Problem != nil && p.Problem.Code == "shutting_down" && s.sockets.draining.Load()
}

// close closes all sockets, in an orderly way until ctx is done, and waits for
// their goroutines.
func (o *sockets) close(ctx context.Context) {
	o.mu.Lock()
	o.closed = true
	o.mu.Unlock()
	for _, k := range o.all() {
		k.fail(websocket.StatusServiceRestart, "the server is shutting down")
	}
	gone := make(chan struct{})
	go func() {
		o.open.Wait()
		close(gone)
	}()
	select {
	case <-gone:
	case <-ctx.Done():
		for _, k := range o.all() {
			_ = k.ws.CloseNow()
		}
		<-gone
	}
}
