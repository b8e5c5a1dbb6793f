package bus

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// line is what is said to another replica.
type line struct {
	b    *Bus
	to   Peer
	life context.Context
	end  context.CancelFunc
	wake chan struct{} // holds one: something waits

	mu      sync.Mutex
	open    bool // news wait here until they are sent
	missing bool // some were said that don't, of which the other one is to be told first
	bytes   int
	waiting []news
	at      map[string]int // by key: where in waiting
}

type news struct {
	key string
	of  []byte // nil where later news took its place
}

// newLine is a line of which nothing is missing yet if whole.
func newLine(b *Bus, to Peer, whole bool) *line {
	l := &line{b: b, to: to, wake: make(chan struct{}, 1), open: whole, missing: !whole, at: map[string]int{}}
	l.life, l.end = context.WithCancel(b.life)
	return l
}

// put has news wait. When too many do, all are dropped in the place of one line that says
// so.
func (l *line) put(key string, of []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.open {
		return
	}
	if i, waits := l.at[key]; waits {
		l.bytes -= len(l.waiting[i].of) + 1
		l.waiting[i].of = nil
	}
	l.at[key] = len(l.waiting)
	l.waiting = append(l.waiting, news{key, of})
	if l.bytes += eachCosts + len(key) + len(of) + 1; l.bytes > l.b.MaxWaiting {
		l.drop()
	}
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// drop forgets what waits. The lock is held.
func (l *line) drop() {
	l.missing, l.bytes, l.waiting = true, 0, nil
	clear(l.at)
}

// take is what waits, as one message; nil: nothing.
func (l *line) take() (msg []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.missing {
		msg = append(msg, missing...)
	}
	for _, n := range l.waiting {
		if n.of == nil {
			continue
		}
		if msg != nil {
			msg = append(msg, '\n')
		}
		msg = append(msg, n.of...)
	}
	l.missing, l.bytes, l.waiting = false, 0, nil
	clear(l.at)
	return msg
}

// run speaks until the line's end, or the last was said.
func (l *line) run() {
	defer l.end()
	pause, failed := firstPause, 0
	for {
		ws, err := l.dial()
		if err == nil {
			pause, failed = firstPause, 0
			err = l.speak(ws)
			_ = ws.CloseNow()
			l.cut()
		}
		if err == errBye || l.life.Err() != nil {
			return
		}
		if failed++; failed == 5 {
			l.b.Logger.Warn("another replica hears no news of this one; its tabs are told when it does again", "replica", l.to.N, "address", l.to.Address, "err", err)
		}
		select {
		case <-time.After(pause):
		case <-l.life.Done():
			return
		case <-l.b.bye:
			return
		}
		pause = min(longestPause, 2*pause)
	}
}

// cut says that what was on its way may not have come.
func (l *line) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.drop()
	l.open = false
}

func (l *line) dial() (*websocket.Conn, error) {
	ctx, cancel := context.WithTimeout(l.life, patience)
	defer cancel()
	url := l.to.Address + Path + "?from=" + strconv.FormatInt(l.b.Self, 10)
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	l.b.Link.Sign(req)
	ws, resp, err := websocket.Dial(ctx, url, &websocket.DialOptions{HTTPClient: l.b.Link.Client(), HTTPHeader: req.Header})
	if err != nil && resp != nil {
		return nil, fmt.Errorf("%s: %w", resp.Status, err)
	}
	return ws, err
}

// speak sends what waits and what comes.
func (l *line) speak(ws *websocket.Conn) error {
	l.mu.Lock()
	l.open = true // what is said before is missing, and told to be
	l.mu.Unlock()
	closed := ws.CloseRead(l.life)
	ping := time.NewTicker(pingEvery)
	defer ping.Stop()
	bye := l.b.bye
	for {
		msg := l.take()
		if msg != nil {
			if err := l.write(ws, msg); err != nil {
				return err
			}
			continue
		}
		if bye == nil {
			if err := l.write(ws, goodbye); err != nil {
				return err
			}
			if err := ws.Close(websocket.StatusNormalClosure, "all was told"); err != nil {
				return err
			}
			return errBye
		}
		select {
		case <-l.wake:
			select {
			case <-time.After(gatherFor):
			case <-bye:
				bye = nil
			case <-closed.Done():
			}
		case <-ping.C:
			if err := l.within(ws.Ping); err != nil {
				return err
			}
		case <-bye:
			bye = nil
		case <-closed.Done():
			return context.Cause(closed)
		}
	}
}

func (l *line) write(ws *websocket.Conn, msg []byte) error {
	return l.within(func(ctx context.Context) error { return ws.Write(ctx, websocket.MessageText, msg) })
}

func (l *line) within(do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(l.life, patience)
	defer cancel()
	return do(ctx)
}
