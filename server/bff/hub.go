package bff

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/coder/websocket"

	"screentest/shared/wire"
)

// maxSockets bounds the sockets of one owner.
const maxSockets = 2048

// touchEvery is the least time between two looks at what has changed, so that
// several changes of a conversation are told as one.
const touchEvery = 15 * time.Millisecond

// hub knows the open sockets and carries news to them.
type hub struct {
	summarise func(owner, conversation string)
	greet     func() // every socket anew

	mu      sync.Mutex
	closed  bool
	sockets map[string]map[*socket]struct{} // by owner
	opening map[*socket]struct{}            // their handshakes are being answered
	touched map[[2]string]struct{}          // owner, conversation
	signal  chan struct{}
	changed chan struct{}  // the gateway's state has
	open    sync.WaitGroup // the sockets' goroutines
}

func newHub(summarise func(owner, conversation string), greet func()) *hub {
	return &hub{
		summarise: summarise,
		greet:     greet,
		sockets:   map[string]map[*socket]struct{}{},
		opening:   map[*socket]struct{}{},
		touched:   map[[2]string]struct{}{},
		signal:    make(chan struct{}, 1),
		changed:   make(chan struct{}, 1),
	}
}

// expect follows the session of a socket whose handshake is about to be
// answered: the page may enter a key as soon as it has the answer. Either add
// or forget must follow.
func (h *hub) expect(k *socket) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.opening[k] = struct{}{}
}

// forget ends what expect began.
func (h *hub) forget(k *socket) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.opening, k)
}

// add takes a socket in; it must call remove and then open.Done when it ends.
func (h *hub) add(k *socket) *wire.Problem {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.opening, k)
	if h.closed {
		return &wire.Problem{Code: "shutting_down", Message: "The server is shutting down."}
	}
	of := h.sockets[k.owner]
	if len(of) >= maxSockets {
		return &wire.Problem{Code: "too_many_sockets", Message: fmt.Sprintf("%d tabs are open, which is the limit.", maxSockets)}
	}
	if of == nil {
		of = map[*socket]struct{}{}
		h.sockets[k.owner] = of
	}
	of[k] = struct{}{}
	k.pinged = time.Now()
	h.open.Add(1)
	return nil
}

func (h *hub) remove(k *socket) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.sockets[k.owner], k)
	if len(h.sockets[k.owner]) == 0 {
		delete(h.sockets, k.owner)
	}
}

// all returns the open sockets.
func (h *hub) all() []*socket {
	h.mu.Lock()
	defer h.mu.Unlock()
	var out []*socket
	for _, of := range h.sockets {
		for k := range of {
			out = append(out, k)
		}
	}
	return out
}

// shed closes the socket that holds the most: all together hold too much.
func (h *hub) shed() {
	var worst *socket
	most := 0
	for _, k := range h.all() {
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

// owners are those who have a socket open.
func (h *hub) owners() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Collect(maps.Keys(h.sockets))
}

// tell queues news for all sockets of an owner. Of several news with one key
// that a socket has not sent yet, it sends the last.
func (h *hub) tell(owner, key string, event wire.Event, data any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.sockets[owner]) == 0 {
		return
	}
	raw, err := json.Marshal(data)
	if err != nil {
		return // our own types: they marshal
	}
	msg, err := json.Marshal(wire.Push{Event: event, Data: raw})
	if err != nil {
		return
	}
	for k := range h.sockets[owner] {
		k.tell(key, msg)
	}
}

// rename gives the sockets of one session another session's id, and returns
// them.
func (h *hub) rename(old, session string) []*socket {
	h.mu.Lock()
	of := slices.Collect(maps.Keys(h.opening))
	h.mu.Unlock()
	var out []*socket
	// One that is added in between is looked at twice, which does no harm.
	for _, k := range append(of, h.all()...) {
		if k.renamed(old, session) {
			out = append(out, k)
		}
	}
	return out
}

// touch has the tabs of an owner told of a conversation. It never waits.
func (h *hub) touch(owner, conversation string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.sockets[owner]) == 0 {
		return
	}
	h.touched[[2]string{owner, conversation}] = struct{}{}
	select {
	case h.signal <- struct{}{}:
	default:
	}
}

// greetSoon has every socket greeted anew. It never waits.
func (h *hub) greetSoon() {
	select {
	case h.changed <- struct{}{}:
	default:
	}
}

// pingDue pings the sockets whose time it is. Each has a goroutine only while
// it waits for the answer.
func (h *hub) pingDue(now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, of := range h.sockets {
		for k := range of {
			if now.Sub(k.pinged) >= pingEvery {
				k.pinged = now
				h.open.Go(k.ping)
			}
		}
	}
}

// loop tells of the touched conversations and of the gateway, and pings.
func (h *hub) loop(quit <-chan struct{}) {
	pause := time.NewTimer(touchEvery)
	defer pause.Stop()
	ping := time.NewTicker(pingEvery / 10)
	defer ping.Stop()
	for {
		select {
		case <-h.signal:
		case <-h.changed:
			h.greet()
			continue
		case now := <-ping.C:
			h.pingDue(now)
			continue
		case <-quit:
			return
		}
		h.mu.Lock()
		touched := h.touched
		h.touched = map[[2]string]struct{}{}
		h.mu.Unlock()
		for t := range touched {
			h.summarise(t[0], t[1])
		}
		pause.Reset(touchEvery)
		select {
		case <-pause.C:
		case <-quit:
			return
		}
	}
}

// close closes all sockets, in an orderly way until ctx is done, and waits for
// their goroutines.
func (h *hub) close(ctx context.Context) {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	for _, k := range h.all() {
		k.fail(websocket.StatusServiceRestart, "the server is shutting down")
	}
	gone := make(chan struct{})
	go func() {
		h.open.Wait()
		close(gone)
	}()
	select {
	case <-gone:
	case <-ctx.Done():
		for _, k := range h.all() {
			_ = k.ws.CloseNow()
		}
		<-gone
	}
}
