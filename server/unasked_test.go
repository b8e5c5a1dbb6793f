package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"

	"screentest/server/wiretest"
	"screentest/shared/gateway"
)

// A gateway that writes the key once more, where nothing was asked: behind its
// answer, on the connection that is kept for the next call.
func TestTheKeySentUnaskedIsNotInTheLog(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ended := make(chan struct{})
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		var conn net.Conn
		var in *bufio.Reader
		var r *http.Request
		for {
			var err error
			if conn, err = l.Accept(); err != nil {
				return
			}
			defer conn.Close()
			in = bufio.NewReader(conn)
			if r, err = http.ReadRequest(in); err != nil {
				return
			}
			if r.Method == http.MethodPost {
				break
			}
			fmt.Fprint(conn, "HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n") // it lists no models
			conn.Close()
		}
		_, _ = io.Copy(io.Discard, r.Body)
		const answer = `{"choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}]}`
		fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(answer), answer)
		<-ended
		_, _ = io.WriteString(conn, canary)
		_, _ = io.Copy(io.Discard, in) // until the server has hung up, having met it
	}()

	child, url, err := spawn(t.TempDir(), os.Environ(), "-addr", "127.0.0.1:0", "-data", t.TempDir(), "-gateway", "http://"+l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer child.end(os.Kill)
	c := dial(t, url, wiretest.NewHTTP())
	setKey(t, c, canary)
	s := turn(gateway.Chat, "Hello")
	play(t, c, s)
	end(t, c, s)
	close(ended)
	<-closed
	c.Close()
	child.end(syscall.SIGTERM)
	if log := child.stdout.String() + child.stderr.String(); strings.Contains(log, canary) {
		t.Errorf("the key is in the log: %s", log)
	}
}
