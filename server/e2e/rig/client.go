package rig

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

// Client speaks to the server as a tab does, without a browser: it has the
// session's cookie, and one socket. Make one with [Dial].
type Client struct {
	base string
	http *http.Client
	conn *websocket.Conn
	done chan struct{} // closed when the socket is read to its end

	mu     sync.Mutex
	next   uint64
	calls  map[uint64]chan wire.Push
	logs   map[string]func(wire.LogFrame, []byte)
	ended  map[string]chan wire.Run
	hello  chan wire.Hello // the first one
	broken error
}

// Dial opens the page at base, as a person would, and then its socket.
func Dial(ctx context.Context, base string) (*Client, error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	c := &Client{
		base:  base,
		http:  &http.Client{Jar: jar},
		done:  make(chan struct{}),
		calls: map[uint64]chan wire.Push{},
		logs:  map[string]func(wire.LogFrame, []byte){},
		ended: map[string]chan wire.Run{},
		hello: make(chan wire.Hello, 1),
	}
	if err := c.get(ctx, "/"); err != nil {
		return nil, err
	}
	c.conn, _, err = websocket.Dial(ctx, "ws"+strings.TrimPrefix(base, "http")+wire.Path, &websocket.DialOptions{
		HTTPClient: c.http,
		HTTPHeader: http.Header{"Origin": {base}},
	})
	if err != nil {
		return nil, fmt.Errorf("open the socket: %w", err)
	}
	c.conn.SetReadLimit(wire.MaxLogFrame + 8<<20)
	go c.read()
	return c, nil
}

// Close closes the socket.
func (c *Client) Close() {
	c.conn.CloseNow()
	<-c.done
}

func (c *Client) get(ctx context.Context, path string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+path, nil)
	if err != nil {
		return err
	}
	res, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("GET %s: %s", path, res.Status)
	}
	return nil
}

// Hello returns what the server greeted the socket with. It can be called once.
func (c *Client) Hello(ctx context.Context) (wire.Hello, error) {
	select {
	case h := <-c.hello:
		return h, nil
	case <-c.done:
		return wire.Hello{}, c.broken
	case <-ctx.Done():
		return wire.Hello{}, ctx.Err()
	}
}

// SetKey gives the server the gateway's key for this session.
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
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	res, err := c.http.Do(req)
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

// Call makes one call and decodes the answer into out, unless that is nil. A
// refusal is a *wire.Problem.
func (c *Client) Call(ctx context.Context, op wire.Op, args, out any) error {
	raw, err := json.Marshal(args)
	if err != nil {
		return err
	}
	answer := make(chan wire.Push, 1)
	c.mu.Lock()
	c.next++
	id := c.next
	c.calls[id] = answer
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.calls, id)
		c.mu.Unlock()
	}()

	msg, err := json.Marshal(wire.Call{ID: id, Op: op, Args: raw})
	if err != nil {
		return err
	}
	if err := c.conn.Write(ctx, websocket.MessageText, msg); err != nil {
		return err
	}
	select {
	case p := <-answer:
		if p.Problem != nil {
			return p.Problem
		}
		if out == nil {
			return nil
		}
		return json.Unmarshal(p.Data, out)
	case <-c.done:
		return c.broken
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Run starts a run and follows it to its end, handing every stretch of its log
// to each as it comes, one at a time. It returns the run as the server tells
// its end, once the whole log has come too.
func (c *Client) Run(ctx context.Context, start wire.Start, each func(wire.LogFrame, []byte)) (wire.Run, error) {
	ended, whole := make(chan wire.Run, 1), make(chan struct{})
	c.mu.Lock()
	c.logs[start.Run] = func(h wire.LogFrame, p []byte) {
		each(h, p)
		if h.End {
			close(whole)
		}
	}
	c.ended[start.Run] = ended
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.logs, start.Run)
		delete(c.ended, start.Run)
		c.mu.Unlock()
	}()
	if err := c.Call(ctx, wire.OpStart, start, nil); err != nil {
		return wire.Run{}, fmt.Errorf("start: %w", err)
	}
	if err := c.Call(ctx, wire.OpRead, wire.Read{Run: start.Run}, nil); err != nil {
		return wire.Run{}, fmt.Errorf("read: %w", err)
	}
	var run wire.Run
	for ended, whole := (<-chan wire.Run)(ended), (<-chan struct{})(whole); ended != nil || whole != nil; {
		select {
		case run = <-ended:
			ended = nil
		case <-whole:
			whole = nil
		case <-c.done:
			return run, c.broken
		case <-ctx.Done():
			return run, ctx.Err()
		}
	}
	return run, nil
}

func (c *Client) read() {
	defer close(c.done)
	for {
		kind, msg, err := c.conn.Read(context.Background())
		if err != nil {
			c.broken = errors.Join(errors.New("the socket is closed"), err)
			return
		}
		if kind == websocket.MessageBinary {
			h, p, err := wire.ParseLogFrame(msg)
			if err != nil {
				c.broken = err
				return
			}
			c.mu.Lock()
			each := c.logs[h.Run]
			c.mu.Unlock()
			if each != nil {
				each(h, p)
			}
			continue
		}
		var push wire.Push
		if err := json.Unmarshal(msg, &push); err != nil {
			c.broken = fmt.Errorf("a message of the server: %w", err)
			return
		}
		c.take(push)
	}
}

func (c *Client) take(push wire.Push) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if push.ID != 0 {
		if answer := c.calls[push.ID]; answer != nil {
			answer <- push
		}
		return
	}
	if push.Event == wire.EventHello {
		var h wire.Hello
		if json.Unmarshal(push.Data, &h) == nil {
			select {
			case c.hello <- h:
			default: // greeted before
			}
		}
		return
	}
	if push.Event != wire.EventRun {
		return
	}
	var run wire.Run
	if json.Unmarshal(push.Data, &run) != nil || run.State == wire.Running {
		return
	}
	if ended := c.ended[run.ID]; ended != nil {
		delete(c.ended, run.ID)
		ended <- run
	}
}
