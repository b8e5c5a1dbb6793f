package socket

import (
	"encoding/json"
	"strconv"
	"time"

	"screentest/shared/wire"
)

// Times of the connection. Browsers slow the timers of a page in the
// background, so every one of them is a lower bound.
const (
	dialTimeout  = 10 * time.Second // until the connection is open and greeted
	callTimeout  = 25 * time.Second // for an answer, reconnects included
	quietFor     = 20 * time.Second // without a message: ask whether anyone is there
	pongTimeout  = 8 * time.Second  // for the answer to that
	probeTimeout = 3 * time.Second  // the same after the page woke or the network changed
	firstPause   = 400 * time.Millisecond
	longestPause = 15 * time.Second
)

// State is what the page shows of the connection.
type State int

// The states.
const (
	Connecting   State = iota // for the first time
	Open                      // greeted by the server
	Reconnecting              // was lost, is being dialled or waited for
	Offline                   // the browser says that there is no network
	SignedOut                 // nobody is signed in: nothing is dialled until Resume
	Closed                    // by Close
)

func (s State) String() string {
	return [...]string{"connecting", "open", "reconnecting", "offline", "signed out", "closed"}[s]
}

// Conn is one open connection.
type Conn interface {
	// Send queues a text message. It does not block.
	Send(text []byte)
	// Close ends the connection; no event follows.
	Close()
}

// Events are what a connection reports, each through Options.Post.
type Events struct {
	Open   func()
	Text   func(msg []byte)
	Binary func(msg []byte)
	Closed func(status int) // of the close frame, or one that the browser made up; nothing follows
}

// Options say how a Socket reaches its server and whom it tells.
type Options struct {
	// Dial starts a connection and returns at once.
	Dial func(Events) Conn
	// Post runs f on the goroutine that owns the Socket.
	Post func(f func())
	// Rand returns a number in [0, 1), for the jitter of the pauses.
	Rand func() float64

	OnState func(State)
	OnNews  func(wire.Push)                 // pushes that answer no call
	OnLog   func(h wire.LogFrame, p []byte) // p is only valid during the call
	OnFault func(what string, err error)    // a message that could not be read
	// OnRefused is called when a connection ended before its greeting: a
	// browser doesn't say why, and it may be that nobody is signed in. It may
	// be nil.
	OnRefused func()
}

// Done takes the answer to a call: data, or a problem.
type Done = func(data json.RawMessage, p *wire.Problem)

// Socket is one lasting connection. See the package's comment.
type Socket struct {
	o     Options
	state State
	conn  Conn
	gen   int // of conn, so that a late event of an old one is ignored
	tries int // dials since the last greeting

	next    uint64
	calls   map[uint64]*call
	waiting []*call // to be sent when there is a connection again, oldest first

	pause *time.Timer // until the next dial
	watch *time.Timer // dial time-out, silence, missing pong

	watched time.Time // when a sign of life has set it
	probe   bool      // a ping is unanswered
}

type call struct {
	op     wire.Op
	args   json.RawMessage
	again  bool
	done   Done
	expiry *time.Timer
}

// New returns a Socket that has not dialled yet.
func New(o Options) *Socket {
	return &Socket{o: o, calls: map[uint64]*call{}}
}

// Start dials.
func (s *Socket) Start() { s.dial() }

// State returns the state last told to OnState.
func (s *Socket) State() State { return s.state }

// Close ends the connection for good and fails what is under way.
func (s *Socket) Close() {
	s.drop()
	s.setState(Closed)
	for _, c := range s.takeAll() {
		c.fail(disconnected)
	}
}

// Nudge is to be called when the page becomes visible or the network returns:
// a pause is cut short, and an open connection has to prove itself quickly, since
// after a sleep it is often dead without knowing.
func (s *Socket) Nudge() {
	switch {
	case s.state == Closed || s.state == SignedOut:
	case s.conn == nil:
		s.tries = 0
		if s.state == Offline {
			s.setState(Reconnecting)
		}
		s.dial()
	case s.state == Open && !s.probe:
		s.ping(probeTimeout)
	}
}

// NetworkLost is to be called when the browser goes offline.
func (s *Socket) NetworkLost() {
	if s.state == Closed || s.state == SignedOut {
		return
	}
	s.drop()
	s.setAside()
	s.setState(Offline)
	s.redialAfter(longestPause) // the browser's word is not always right
}

// SignOut is to be called when it is known that nobody is signed in any more. A
// connection that was closed for that reason does it by itself. What waits for
// an answer, or is called meanwhile, waits for whoever signs in, however long
// that takes; what may not be repeated fails.
func (s *Socket) SignOut() {
	if s.state == Closed || s.state == SignedOut {
		return
	}
	s.drop()
	s.setAside()
	for _, c := range s.waiting {
		c.expiry.Stop()
	}
	s.setState(SignedOut)
}

// Resume dials again once somebody has signed in.
func (s *Socket) Resume() {
	if s.state != SignedOut {
		return
	}
	for _, c := range s.waiting {
		c.expiry = s.after(callTimeout, func() { s.expire(c) })
	}
	s.tries = 0
	s.setState(Reconnecting)
	s.dial()
}

// Call asks the server. When the connection drops before the answer, the call is
// sent again on the next one. done gets a problem of code "no_answer" after
// 25 s.
func (s *Socket) Call(op wire.Op, args any, done Done) { s.start(op, args, done, true) }

// Once asks the server on this connection only. Without one, or when it drops
// before the answer, done gets a problem of code "disconnected".
func (s *Socket) Once(op wire.Op, args any, done Done) { s.start(op, args, done, false) }

func (s *Socket) start(op wire.Op, args any, done Done, again bool) {
	if done == nil {
		done = func(json.RawMessage, *wire.Problem) {}
	}
	c := &call{op: op, again: again, done: done}
	if args != nil {
		b, err := encode(args)
		if err != nil {
			c.fail(&wire.Problem{Code: "bad_call", Message: "The request could not be written: " + err.Error() + "."})
			return
		}
		c.args = b
	}
	if s.state != Open && !again {
		c.fail(disconnected)
		return
	}
	c.expiry = s.after(callTimeout, func() { s.expire(c) })
	if s.state != Open {
		if s.state == SignedOut {
			c.expiry.Stop()
		}
		s.waiting = append(s.waiting, c)
		return
	}
	s.send(c)
}

// encode writes arguments as JSON; those that have parts which must not be
// touched do it themselves.
func encode(args any) (json.RawMessage, error) {
	if v, ok := args.(interface {
		Verbatim() (json.RawMessage, error)
	}); ok {
		return v.Verbatim()
	}
	return json.Marshal(args)
}

var disconnected = &wire.Problem{
	Code:    "disconnected",
	Message: "The connection to the server was lost.",
	Hint:    "Reconnecting; try again when it’s back.",
}

func (c *call) fail(p *wire.Problem) {
	if c.expiry != nil {
		c.expiry.Stop()
	}
	c.done(nil, p)
}

func (s *Socket) send(c *call) {
	s.next++
	s.calls[s.next] = c
	s.conn.Send(envelope(s.next, c.op, c.args))
}

// envelope writes a wire.Call around arguments that are JSON already. The
// encoder would read a long conversation through once more.
func envelope(id uint64, op wire.Op, args json.RawMessage) []byte {
	b := make([]byte, 0, len(args)+64)
	b = append(b, `{"id":`...)
	b = strconv.AppendUint(b, id, 10)
	b = append(b, `,"op":`...)
	b = strconv.AppendQuote(b, string(op)) // plain ASCII words
	if args != nil {
		b = append(b, `,"args":`...)
		b = append(b, args...)
	}
	return append(b, '}')
}

func (s *Socket) expire(c *call) {
	found := false
	for id, o := range s.calls {
		if o == c {
			delete(s.calls, id)
			found = true
		}
	}
	for i, o := range s.waiting {
		if o == c {
			s.waiting = append(s.waiting[:i:i], s.waiting[i+1:]...)
			found = true
			break
		}
	}
	if found {
		c.done(nil, &wire.Problem{
			Code:    wire.CodeNoAnswer,
			Message: "The server didn’t answer in time.",
			Hint:    "Retry once the connection is back; nothing is sent twice.",
		})
	}
}

// after is time.AfterFunc on the owner's goroutine.
func (s *Socket) after(d time.Duration, f func()) *time.Timer {
	return time.AfterFunc(d, func() { s.o.Post(f) })
}

func (s *Socket) setState(st State) {
	if s.state != st {
		s.state = st
		s.o.OnState(st)
	}
}
