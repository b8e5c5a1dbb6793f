package main

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// pipes is a listener that gives out the ends of pipes.
type pipes struct {
	conns chan net.Conn
	once  sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	c, more := <-p.conns
	if !more {
		return nil, net.ErrClosed
	}
	return c, nil
}
func (p *pipes) Close() error   { p.once.Do(func() { close(p.conns) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

// Who asks and doesn't read is hung up on, whoever reads slowly is not, and one
// who minds their own time does.
func TestWhoTakesNothingIsHungUpOn(t *testing.T) {
	const size = 2 << 20
	for name, tt := range map[string]struct {
		every time.Duration // a piece is taken
		minds bool          // the handler sets a deadline of an hour
		whole bool
	}{
		"at once":                         {0, false, true},
		"a piece in four minutes":         {4 * time.Minute, false, true},
		"nothing after the head":          {time.Hour, false, false},
		"a piece in ten minutes, allowed": {10 * time.Minute, true, true},
	} {
		for _, way := range []string{"written", "copied"} {
			t.Run(name+", "+way, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					ours, theirs := net.Pipe()
					l := &pipes{conns: make(chan net.Conn, 1)}
					l.conns <- ours
					result := make(chan error, 1)
					hs := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						w.Header().Set("Content-Length", "2097152")
						if tt.minds {
							if err := http.NewResponseController(w).SetWriteDeadline(time.Now().Add(24 * time.Hour)); err != nil {
								t.Error(err)
							}
						}
						var err error
						if way == "written" {
							_, err = w.Write(make([]byte, size))
						} else {
							_, err = io.CopyN(w, bytes.NewReader(make([]byte, size+7)), size)
						}
						result <- err
					})}
					go hs.Serve(unstalled{l})
					defer hs.Close()
					if _, err := io.WriteString(theirs, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
						t.Fatal(err)
					}
					head := bufio.NewReaderSize(theirs, 16)
					for line := ""; line != "\r\n"; {
						var err error
						if line, err = head.ReadString('\n'); err != nil {
							t.Fatal(err)
						}
					}
					got, piece := int64(0), int64(300<<10)
					for {
						time.Sleep(tt.every) // in the bubble's time
						n, err := io.CopyN(io.Discard, head, min(piece, size-got))
						if got += n; err != nil || got == size {
							break
						}
					}
					if whole := got == size; whole != tt.whole {
						t.Errorf("%d bytes of %d came", got, size)
					}
					if err := <-result; (err == nil) != tt.whole {
						t.Errorf("the answer ended with %v", err)
					}
				})
			})
		}
	}
}

// A file comes whole, in parts and one after the other on a connection.
func TestFilesComeWholeOverAConnectionThatIsMinded(t *testing.T) {
	content := make([]byte, 3<<20+17)
	rand.Read(content)
	name := filepath.Join(t.TempDir(), "clip")
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	hs := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, name) })}
	go hs.Serve(unstalled{l})
	t.Cleanup(func() { hs.Close() })
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	for part, want := range map[string][]byte{"": content, "bytes=5-": content[5:], "bytes=1000-2000": content[1000:2001], "bytes=-1048577": content[len(content)-1048577:]} {
		req, err := http.NewRequestWithContext(t.Context(), "GET", "http://"+l.Addr().String(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if part != "" {
			req.Header.Set("Range", part)
		}
		res, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%q: %d bytes of %d, %v", part, len(got), len(want), err)
		}
	}
}
