package bff

import (
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A byte a second holds no connection: not one that waits for a body, and not
// one that answered long ago.
func TestWhoDawdlesIsHungUpOn(t *testing.T) {
	for name, tt := range map[string]struct {
		every time.Duration // between two pieces
		piece string
		size  int
		reads bool // the handler reads the body
		whole bool
	}{
		"a byte a second, read":           {time.Second, "x", 100 << 10, true, false},
		"a byte a second, to nowhere":     {time.Second, "x", 100 << 10, false, false},
		"a slow line":                     {time.Second, strings.Repeat("x", 32<<10), 10 << 20, true, true},
		"a pause within the grace":        {20 * time.Second, strings.Repeat("x", 50), 50, true, true},
		"as slow as it may be, too long":  {time.Second, strings.Repeat("x", 17<<10), 20 << 20, true, false},
		"nothing after the first piece":   {time.Hour, "x", 2, true, false},
		"a small body that comes at once": {0, "x", 1, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ours, theirs := net.Pipe()
				var got atomic.Int64
				h := withoutDawdling(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if !tt.reads {
						http.NotFound(w, r)
						return
					}
					n, _ := io.Copy(io.Discard, r.Body)
					got.Store(n)
				}))
				hs := &http.Server{Handler: h}
				l := &oneConn{conn: ours, done: make(chan struct{})}
				go hs.Serve(l)
				defer hs.Close()

				go io.Copy(io.Discard, theirs)
				_, err := io.WriteString(theirs, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: "+strconv.Itoa(tt.size)+"\r\n\r\n")
				for sent := 0; err == nil && sent < tt.size; sent += len(tt.piece) {
					time.Sleep(tt.every) // in the bubble's time
					_, err = io.WriteString(theirs, tt.piece[:min(len(tt.piece), tt.size-sent)])
				}
				synctest.Wait()
				switch {
				case tt.whole && (err != nil || got.Load() != int64(tt.size)):
					t.Errorf("%v after %d of %d bytes", err, got.Load(), tt.size)
				case !tt.whole && err == nil:
					t.Error("the whole body was waited for")
				}
				theirs.Close()
				close(l.done)
			})
		})
	}
}

// oneConn is a listener to which one connection comes.
type oneConn struct {
	conn net.Conn
	done chan struct{}
}

func (l *oneConn) Accept() (net.Conn, error) {
	if c := l.conn; c != nil {
		l.conn = nil
		return c, nil
	}
	<-l.done
	return nil, net.ErrClosed
}

func (l *oneConn) Close() error   { return nil }
func (l *oneConn) Addr() net.Addr { return &net.TCPAddr{} }
