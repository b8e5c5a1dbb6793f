// Package wiretest is a tab without a browser, for tests and measurements: it has
// a session's cookie and one socket.
package wiretest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"sync"

	"github.com/coder/websocket"

	"screentest/shared/wire"
)

// Client is one tab. It keeps all that came over its socket but what Run hands
// over. Make one with Dial.
type Client struct {
	HTTP *http.Client // with the session's cookie

	base string
	conn *websocket.Conn
	done chan struct{} // closed when the socket has ended

	mu     sync.Mutex
	change chan struct{} // closed and renewed with each message
	next   uint64
	calls  map[uint64]chan wire.Push // that wait for their answer
	pushes []wire.Push
	logs   map[string]*Log
	runs   map[string]func(wire.LogFrame, []byte) // that Run follows
	frames []wire.LogFrame
	raw    bytes.Buffer
	err    error
}

// Log is what has come of a run's log, in the order in which it came.
type Log struct {
	From  int64 // offset of the first byte
	Type  string
	Bytes []byte
	End   bool
}

// NewHTTP returns an HTTP client with a cookie jar: a browser that is new here.
func NewHTTP() *http.Client {
	jar, _ := cookiejar.New(nil) // fails never
	return &http.Client{Jar: jar, Transport: &http.Transport{DisableKeepAlives: true, DisableCompression: true}}
}

// Dial opens a socket to the server at base ("http://127.0.0.1:1234"), in the
// browser that h stands for.
func Dial(ctx context.Context, base string, h *http.Client) (*Client, error) {
	c := &Client{HTTP: h, base: base, done: make(chan struct{}), change: make(chan struct{}), calls: map[uint64]chan wire.Push{}, logs: map[string]*Log{}, runs: map[string]func(wire.LogFrame, []byte){}}
	var err error
	c.conn, _, err = websocket.Dial(ctx, "ws"+strings.TrimPrefix(base, "http")+wire.Path, &websocket.DialOptions{
		HTTPClient: h, HTTPHeader: http.Header{"Origin": {base}},
	})
	if err != nil {
		return nil, err
	}
	c.conn.SetReadLimit(32 << 20) // a page of long messages
	go c.read()
	return c, nil
}

// Close drops the socket without a word, as a lost network does.
func (c *Client) Close() {
	_ = c.conn.CloseNow()
	<-c.done
}

// Conn is the socket, for messages that no tab would send.
func (c *Client) Conn() *websocket.Conn { return c.conn }

// Raw is every byte that has come over the socket.
func (c *Client) Raw() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return bytes.Clone(c.raw.Bytes())
}

// Pushes are the text messages that have come.
func (c *Client) Pushes() []wire.Push {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]wire.Push(nil), c.pushes...)
}

// Frames are the headers of the binary messages that have come.
func (c *Client) Frames() []wire.LogFrame {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]wire.LogFrame(nil), c.frames...)
}

func (c *Client) read() {
	defer close(c.done)
	for {
		kind, msg, err := c.conn.Read(context.Background())
		if err == nil && kind == websocket.MessageBinary && c.handOver(msg) {
			continue
		}
		c.mu.Lock()
		if err == nil {
			c.raw.Write(msg)
			err = c.take(kind, msg)
		}
		c.err = err
		close(c.change)
		c.change = make(chan struct{})
		c.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// handOver gives a stretch of a log to who follows the run. It is false if
// nobody does.
func (c *Client) handOver(msg []byte) bool {
	h, p, err := wire.ParseLogFrame(msg)
	if err != nil {
		return false // which take says
	}
	c.mu.Lock()
	each := c.runs[h.Run]
	c.mu.Unlock()
	if each != nil {
		each(h, p)
	}
	return each != nil
}

// take keeps a message.
func (c *Client) take(kind websocket.MessageType, msg []byte) error {
	if kind == websocket.MessageText {
		var p wire.Push
		if err := json.Unmarshal(msg, &p); err != nil {
			return fmt.Errorf("a message of the server: %w", err)
		}
		c.pushes = append(c.pushes, p)
		if call := c.calls[p.ID]; call != nil {
			delete(c.calls, p.ID)
			call <- p
		}
		return nil
	}
	h, p, err := wire.ParseLogFrame(msg)
	if err != nil {
		return err
	}
	c.frames = append(c.frames, h)
	l := c.logs[h.Run]
	if l == nil {
		l = &Log{From: h.From}
		c.logs[h.Run] = l
	}
	if h.From != l.From+int64(len(l.Bytes)) || l.End {
		return fmt.Errorf("run %s: a frame from %d after %d bytes from %d, end %v", h.Run, h.From, len(l.Bytes), l.From, l.End)
	}
	l.Bytes = append(l.Bytes, p...)
	l.End = h.End
	if h.Type != "" {
		l.Type = h.Type
	}
	return nil
}

// wait waits until ready says so; it is called with the lock held, after each
// message.
func (c *Client) wait(ctx context.Context, ready func() bool) error {
	for {
		c.mu.Lock()
		ok, err, change := ready(), c.err, c.change
		c.mu.Unlock()
		switch {
		case ok:
			return nil
		case err != nil:
			return fmt.Errorf("the socket has ended: %w", err)
		}
		select {
		case <-change:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Ended waits for the socket's end and returns why.
func (c *Client) Ended(ctx context.Context) (websocket.CloseError, error) {
	var ce websocket.CloseError
	select {
	case <-c.done:
	case <-ctx.Done():
		return ce, ctx.Err()
	}
	if !errors.As(c.err, &ce) {
		return ce, c.err
	}
	return ce, nil
}

// Call makes a call and decodes its answer into out, unless that is nil. A
// refusal is a *wire.Problem.
func (c *Client) Call(ctx context.Context, op wire.Op, args, out any) error {
	raw, err := json.Marshal(args)
	if err != nil {
		return err
	}
	c.mu.Lock()
	c.next++
	id, answered := c.next, make(chan wire.Push, 1)
	c.calls[id] = answered
	c.mu.Unlock()
	msg, err := json.Marshal(wire.Call{ID: id, Op: op, Args: raw})
	if err != nil {
		return err
	}
	if err := c.conn.Write(ctx, websocket.MessageText, msg); err != nil {
		return err
	}
	var p wire.Push
	select {
	case p = <-answered:
	case <-ctx.Done():
		return ctx.Err()
	case <-c.done:
		select {
		case p = <-answered: // it was the last that came
		default:
			return fmt.Errorf("the socket has ended: %w", c.err)
		}
	}
	switch {
	case p.Problem != nil:
		return p.Problem
	case out == nil:
		return nil
	}
	return json.Unmarshal(p.Data, out)
}

// Push waits for the last message so far that matches.
func (c *Client) Push(ctx context.Context, matches func(wire.Push) bool) (wire.Push, error) {
	return c.pushSince(ctx, 0, matches)
}

// pushSince is Push among the messages from one on.
func (c *Client) pushSince(ctx context.Context, seen int, matches func(wire.Push) bool) (found wire.Push, err error) {
	err = c.wait(ctx, func() bool {
		for i := len(c.pushes) - 1; i >= seen; i-- {
			if matches(c.pushes[i]) {
				found = c.pushes[i]
				return true
			}
		}
		seen = len(c.pushes)
		return false
	})
	return found, err
}

// News waits for news of an event whose data matches, and returns that.
func News[T any](ctx context.Context, c *Client, event wire.Event, matches func(T) bool) (T, error) {
	return newsSince(ctx, c, 0, event, matches)
}

// newsSince is News among the messages from one on.
func newsSince[T any](ctx context.Context, c *Client, from int, event wire.Event, matches func(T) bool) (T, error) {
	var found T
	_, err := c.pushSince(ctx, from, func(p wire.Push) bool {
		if p.Event != event {
			return false
		}
		var data T
		if json.Unmarshal(p.Data, &data) != nil || !matches(data) {
			return false
		}
		found = data
		return true
	})
	return found, err
}

// RunEnd waits for the news that a run has ended.
func (c *Client) RunEnd(ctx context.Context, id string) (wire.Run, error) {
	return c.runEndSince(ctx, 0, id)
}

// runEndSince is RunEnd among the messages from one on: who measures reads no more
// of what came before with every run.
func (c *Client) runEndSince(ctx context.Context, from int, id string) (wire.Run, error) {
	return newsSince(ctx, c, from, wire.EventRun, func(r wire.Run) bool { return r.ID == id && r.State != wire.Running })
}

// Log waits until ready says that enough of a run's log has come.
func (c *Client) Log(ctx context.Context, run string, ready func(Log) bool) (l Log, err error) {
	err = c.wait(ctx, func() bool {
		got := c.logs[run]
		if got == nil || !ready(*got) {
			return false
		}
		l = *got
		l.Bytes = bytes.Clone(got.Bytes)
		return true
	})
	return l, err
}

// Whole says that a log has come to its end.
func Whole(l Log) bool { return l.End }

// Hello waits for what the server greets the socket with.
func (c *Client) Hello(ctx context.Context) (wire.Hello, error) {
	return News(ctx, c, wire.EventHello, func(wire.Hello) bool { return true })
}

// Run starts a run and follows it to its end, handing every stretch of its log
// to each as it comes, one at a time. It returns the run as the server tells
// its end, once the whole log has come too.
func (c *Client) Run(ctx context.Context, start wire.Start, each func(wire.LogFrame, []byte)) (wire.Run, error) {
	from, whole, leave := c.follow(start.Run, each)
	defer leave()
	start.Read = true
	if err := c.Call(ctx, wire.OpStart, start, nil); err != nil {
		return wire.Run{}, fmt.Errorf("start: %w", err)
	}
	r, err := c.runEndSince(ctx, from, start.Run)
	if err != nil {
		return r, err
	}
	return r, c.until(ctx, whole)
}

// Follow reads the log of a run that another tab has started, from its first byte to
// its end, as Run does. What became of the run it doesn't tell.
func (c *Client) Follow(ctx context.Context, run string, each func(wire.LogFrame, []byte)) error {
	_, whole, leave := c.follow(run, each)
	defer leave()
	if err := c.Call(ctx, wire.OpRead, wire.Read{Run: run}, nil); err != nil {
		return fmt.Errorf("read: %w", err)
	}
	return c.until(ctx, whole)
}

// follow has each called with every stretch of a run's log until leave is called.
// whole is closed at the log's end; from is how many messages have come so far.
func (c *Client) follow(run string, each func(wire.LogFrame, []byte)) (from int, whole <-chan struct{}, leave func()) {
	end := make(chan struct{})
	c.mu.Lock()
	defer c.mu.Unlock()
	c.runs[run] = func(h wire.LogFrame, p []byte) {
		each(h, p)
		if h.End {
			close(end)
		}
	}
	return len(c.pushes), end, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.runs, run)
	}
}

// until waits for the end of a log.
func (c *Client) until(ctx context.Context, whole <-chan struct{}) error {
	select {
	case <-whole:
		return nil
	case <-c.done:
		return fmt.Errorf("the socket has ended: %w", c.err)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// SetKey gives the server the gateway's key for this browser.
func (c *Client) SetKey(ctx context.Context, key string) error {
	body, err := json.Marshal(map[string]string{"key": key})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/api/key", bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Origin", c.base)
	res, err := c.HTTP.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusNoContent {
		text, _ := io.ReadAll(io.LimitReader(res.Body, 1<<10))
		return fmt.Errorf("POST /api/key: %s: %s", res.Status, text)
	}
	return nil
}
