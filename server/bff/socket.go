package bff

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/coder/websocket"

	"screentest/server/people"
	"screentest/shared/wire"
)

const (
	// pingEvery is below the idle cut of the proxies in between, which is 60 s
	// at the usual ones and 30 s at some.
	pingEvery = 25 * time.Second
	// pongWithin is how long the browser has to answer.
	pongWithin = 20 * time.Second
	// maxCursors bounds the runs that one socket reads at a time.
	maxCursors = 1024
	// Calls that a socket may make: callBurst at once and callRate a second.
	callBurst = 2048
	callRate  = 256
)

// socket is one tab's WebSocket: one goroutine reads calls and answers them,
// one writes, a timer pings. What waits to be written is bounded: answers by
// holding up the reader, news by keeping the last of a kind, log bytes by being
// read from the log only when they can be sent.
type socket struct {
	s       *Server
	owner   string
	address string // that it was opened from
	ws      *websocket.Conn
	conn    *conn
	wake    chan struct{} // a log has grown
	mail    chan struct{} // an answer, news, a cursor or a failure
	room    chan struct{} // an answer has left
	gone    chan struct{} // closed when the socket has ended

	greeting sync.Mutex // held while a greeting is read and told

	mu      sync.Mutex
	session string
	mailbox mailbox
	held    int // bytes of answers: in the mailbox, before it, and on their way
	cursors []*cursor
	scratch []*cursor // of the writer
	failed  *websocket.CloseError
	pinged  time.Time // with the lock of sockets
}

// handleSocket opens a tab's socket.
func (s *Server) handleSocket(w http.ResponseWriter, r *http.Request, _ people.Person) error {
	if s.sockets.draining.Load() {
		w.Header().Set("Retry-After", "1")
		http.Error(w, moved, http.StatusServiceUnavailable)
		return nil
	}
	who, err := s.People.Admit(w, r)
	if err != nil {
		s.Logger.Error("session not made", "err", err)
		return &wire.Problem{Code: "storage_failed", Message: "The server could not make a session."}
	}
	k := &socket{
		s: s, owner: who.Owner, session: who.Session, address: s.People.Address(r),
		wake: make(chan struct{}, 1), mail: make(chan struct{}, 1), room: make(chan struct{}, 1), gone: make(chan struct{}),
	}
	s.sockets.expect(k)
	if s.moved.has(who.Session, s.Now()) { // the browser is about to learn of its new one
		s.sockets.forget(k)
		w.Header().Set("Retry-After", "1")
		http.Error(w, "the session has another id by now", http.StatusServiceUnavailable)
		return nil
	}
	h := &hijacker{ResponseWriter: w}
	// Origin was checked by the guard; it is again here, by the package's own
	// rules.
	ws, err := websocket.Accept(h, r, &websocket.AcceptOptions{
		OriginPatterns:  s.origins(),
		CompressionMode: websocket.CompressionDisabled, // it would keep a window of memory for each tab
	})
	if err != nil {
		s.sockets.forget(k)
		s.Logger.Info("socket refused", "err", err) // it was answered
		return nil
	}
	ws.SetReadLimit(wire.MaxCall)
	k.ws, k.conn = ws, h.conn
	if p := s.sockets.add(k); p != nil {
		_ = ws.Close(websocket.StatusTryAgainLater, p.Message)
		return nil
	}
	s.News.Join(k.owner, k)
	if !k.person().SignedIn() { // the session ended meanwhile
		k.signOut()
	}
	if s.sockets.draining.Load() { // meanwhile
		k.fail(websocket.StatusGoingAway, moved)
	}
	s.greet(r.Context(), k)
	// The handler returns, so that net/http lets go of the request and of the
	// buffers that it was read with.
	go k.run()
	return nil
}

// greet tells a socket where it is. One greeting comes after the other: the last
// one told is the last one read, whoever changed something meanwhile.
func (s *Server) greet(ctx context.Context, k *socket) {
	k.greeting.Lock()
	defer k.greeting.Unlock()
	who := k.person()
	g, err := s.People.KeyState(ctx, who, s.Gateway())
	if err != nil {
		s.Logger.Error("session not read", "err", err)
	}
	charges, err := s.People.Charges(ctx, who)
	if err != nil {
		s.Logger.Error("what can be charged is not known", "err", err)
	}
	hello := wire.Hello{Build: s.Page.Build(), Gateway: g, Catalogue: s.Catalogue(), FlushMS: s.FlushEvery.Milliseconds(), Me: who.Me, Charges: charges, OwnKeys: s.People.OwnKeys(who), LinkShares: s.People.LinkShares(who)}
	data, err := json.Marshal(hello)
	if err != nil {
		s.Logger.Error("greeting not made", "err", err)
		return
	}
	msg, err := json.Marshal(wire.Push{Event: wire.EventHello, Data: data})
	if err != nil {
		s.Logger.Error("greeting not made", "err", err)
		return
	}
	k.Tell("hello", msg)
}

// Greet tells the socket anew where it is.
func (k *socket) Greet() { k.s.greet(context.Background(), k) }

// run is the socket's life.
func (k *socket) run() {
	defer k.s.sockets.open.Done()
	var writer sync.WaitGroup
	writer.Go(k.write)
	k.read()
	k.s.sockets.remove(k)
	k.s.News.Leave(k.owner, k)
	close(k.gone)
	writer.Wait()
	k.dropCursors()
	_ = k.ws.CloseNow()
	k.mu.Lock()
	defer k.mu.Unlock()
	k.count(-k.held)
}

// ping asks whether the browser is there. While a call is under way, which may wait
// for a database that doesn't answer, nobody reads what the browser says to that.
func (k *socket) ping() {
	ctx, cancel := context.WithTimeout(context.Background(), pongWithin)
	defer cancel()
	if k.ws.Ping(ctx) != nil && !k.calling() {
		_ = k.ws.CloseNow()
	}
}

func (k *socket) calling() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.mailbox.calling
}

// read answers calls until the socket ends.
func (k *socket) read() {
	budget, last := float64(callBurst), time.Now()
	busy := make(chan struct{}, maxSlow) // with slow calls
	for {
		kind, msg, err := k.ws.Read(context.Background())
		if err != nil {
			var ce websocket.CloseError
			if !errors.As(err, &ce) {
				k.s.Logger.Debug("socket ended", "err", err)
			}
			return
		}
		now := time.Now()
		budget = min(callBurst, budget+now.Sub(last).Seconds()*callRate) - 1
		last = now
		var c wire.Call
		switch {
		case budget < 0:
			k.end(websocket.StatusPolicyViolation, "too many calls: at most 256 a second")
			return
		case kind != websocket.MessageText:
			k.end(websocket.StatusUnsupportedData, "a call is a text message")
			return
		case json.Unmarshal(msg, &c) != nil || c.ID == 0:
			k.end(websocket.StatusPolicyViolation, "a call is a JSON object with an id above 0")
			return
		}
		if slow(c.Op) {
			busy <- struct{}{}
			k.s.sockets.open.Go(func() {
				answer, _ := k.s.call(k, c)
				<-busy
				k.queue(answer, (*mailbox).late)
			})
			continue
		}
		k.mu.Lock()
		k.mailbox.calling = true
		k.mu.Unlock()
		answer, start := k.s.call(k, c)
		if k.s.elsewhere(answer) {
			k.end(websocket.StatusGoingAway, moved)
			return
		}
		if !k.queue(answer, (*mailbox).answer) {
			return
		}
		if start != nil {
			k.addCursor(start)
		}
	}
}

// end closes the socket from its reading goroutine.
func (k *socket) end(code websocket.StatusCode, reason string) {
	k.s.Logger.Info("socket closed", "reason", reason)
	_ = k.ws.Close(code, reason)
}

// fail has the socket closed by its writing goroutine.
func (k *socket) fail(code websocket.StatusCode, reason string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.failed == nil {
		k.failed = &websocket.CloseError{Code: code, Reason: reason}
	}
	k.post()
}

// post wakes the writer for what is not a log. The lock need not be held.
func (k *socket) post() {
	select {
	case k.mail <- struct{}{}:
	default:
	}
}

// queue puts an answer into the mailbox, waiting while too many wait already.
// It is false when the socket has ended.
func (k *socket) queue(p wire.Push, put func(*mailbox, []byte) bool) bool {
	msg, err := json.Marshal(p)
	if err != nil {
		k.s.Logger.Error("answer not made", "err", err)
		return true
	}
	if !k.countAnswer(len(msg)) {
		return false
	}
	if k.s.held.now.Load() > maxHeld {
		k.s.sockets.shed()
	}
	for {
		k.mu.Lock()
		queued := put(&k.mailbox, msg)
		k.mu.Unlock()
		if queued {
			k.post()
			return true
		}
		select {
		case <-k.room:
		case <-k.gone:
			return false
		}
	}
}

// countAnswer counts an answer. It is false when the socket has ended: what it held
// was given back then, and nobody would give this back.
func (k *socket) countAnswer(n int) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	select {
	case <-k.gone:
		return false
	default:
		k.count(n)
		return true
	}
}

// count counts bytes of answers that came, or left. The lock is held.
func (k *socket) count(n int) {
	k.held += n
	k.s.held.add(int64(n))
}

// sent says that what was taken from the mailbox is with the network.
func (k *socket) sent() {
	k.mu.Lock()
	defer k.mu.Unlock()
	n := k.mailbox.sent()
	k.count(-n)
	if n > 0 {
		select {
		case k.room <- struct{}{}:
		default:
		}
	}
}

// Tell queues news.
func (k *socket) Tell(key string, msg []byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.mailbox.news(key, msg) && k.failed == nil {
		k.failed = &websocket.CloseError{Code: websocket.StatusTryAgainLater, Reason: "too far behind: connect again"}
	}
	k.post()
}

// person is who sits before the tab, as they are now: nobody, once their session
// has ended.
func (k *socket) person() people.Person {
	return k.s.People.Current(people.Person{Owner: k.owner, Session: k.sessionNow()})
}

// renamed puts the socket of session old into another one.
func (k *socket) renamed(old, session string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if old == "" || k.session != old {
		return false
	}
	k.session = session
	return true
}

// canRead says whether the socket may read one more run.
func (k *socket) canRead() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.cursors) < maxCursors
}

// addCursor starts reading a run; one that is read already is read anew.
func (k *socket) addCursor(c *cursor) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.cut(func(old *cursor) bool { return old.run == c.run })
	k.cursors = append(k.cursors, c)
	c.log.Watch(k.wake)
	k.post()
}

// removeCursor stops reading a run.
func (k *socket) removeCursor(run string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.cut(func(c *cursor) bool { return c.run == run })
}

// endCursor removes a cursor that has come to its log's end, and no other: the
// same run may be read anew by now, from another offset.
func (k *socket) endCursor(ended *cursor) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.cut(func(c *cursor) bool { return c == ended })
}

// cut removes the cursors that which names. The lock is held.
func (k *socket) cut(which func(*cursor) bool) {
	k.cursors = slices.DeleteFunc(k.cursors, func(c *cursor) bool {
		if which(c) {
			c.log.Unwatch(k.wake)
			return true
		}
		return false
	})
}

func (k *socket) dropCursors() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, c := range k.cursors {
		c.log.Unwatch(k.wake)
	}
	k.cursors = nil
}
