package bff

import (
	"io"
	"net/http"
	"time"
)

// How fast a request's body must come, so that nobody holds a connection, or
// one of the few imports, by sending a byte now and then: after a first grace
// at this rate on the whole, and in any case within the longest.
const (
	bodyGrace   = 30 * time.Second
	bodyRate    = 16 << 10 // bytes a second
	bodyLongest = 15 * time.Minute
)

// withoutDawdling hangs up on who sends a body too slowly, whether the address
// takes one or not.
func withoutDawdling(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body != nil && r.Body != http.NoBody {
			b := &timedBody{ReadCloser: r.Body, conn: http.NewResponseController(w), begun: time.Now()}
			b.expect() // for those too that nobody here reads, but the HTTP server does before it goes on
			with := *r
			with.Body = b
			r = &with
		}
		next.ServeHTTP(w, r)
	})
}

// timedBody moves its connection's deadline along with what has come.
type timedBody struct {
	io.ReadCloser
	conn  *http.ResponseController
	begun time.Time
	n     int64
}

// deadline is when more than n bytes must be there.
func (b *timedBody) deadline() time.Time {
	d := bodyGrace + time.Duration(b.n)*time.Second/bodyRate
	return b.begun.Add(min(d, bodyLongest))
}

// expect sets the deadline. Where that can't be done, as in some tests, nobody
// is waited for.
func (b *timedBody) expect() { _ = b.conn.SetReadDeadline(b.deadline()) }

func (b *timedBody) Read(p []byte) (int, error) {
	b.expect()
	n, err := b.ReadCloser.Read(p)
	b.n += int64(n)
	if err == io.EOF {
		// From here on the connection is only watched for its end.
		_ = b.conn.SetReadDeadline(time.Time{})
	}
	return n, err
}
