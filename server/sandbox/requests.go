package sandbox

import (
	"net/http"
	"sync"
	"time"
)

// The bounds of what is remembered of requests: the oldest go first.
const (
	maxRecords     = 4096
	maxRecordBytes = 16 << 20 // of all bodies together
)

// record is one request as GET /sandbox/requests shows it.
type record struct {
	list *records
	gone bool // no longer in the list
	// account is that of the request's key; nil where it had no right one.
	account *account

	At     time.Time `json:"at"`
	Method string    `json:"method"`
	Path   string    `json:"path"`
	Status int       `json:"status"` // 0 while it is being answered
	Code   string    `json:"code"`   // of the error, if it has one
	Body   string    `json:"body"`
	// Authorized: the request carried an Authorization header. A fetch of a
	// finished clip must not (G40).
	Authorized bool `json:"authorized"`
}

// records is the latest requests, oldest first.
type records struct {
	mu    sync.Mutex
	list  []*record
	bytes int
}

func (l *records) begin(at time.Time, r *http.Request) *record {
	rec := &record{list: l, At: at.UTC(), Method: r.Method, Path: cut(r.URL.RequestURI(), 2000), Authorized: r.Header.Get("Authorization") != ""}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, rec)
	l.trim()
	return rec
}

// setBody adds the body; a nil record takes nothing.
func (r *record) setBody(body []byte) {
	if r == nil {
		return
	}
	l := r.list
	l.mu.Lock()
	defer l.mu.Unlock()
	if r.gone {
		return
	}
	r.Body = string(body)
	l.bytes += len(r.Body)
	l.trim()
}

// setAccount notes whose request it is; a nil record takes nothing.
func (r *record) setAccount(a *account) {
	if r == nil {
		return
	}
	r.list.mu.Lock()
	defer r.list.mu.Unlock()
	r.account = a
}

// answered adds what was answered; a nil record takes nothing.
func (r *record) answered(status int, code string) {
	if r == nil {
		return
	}
	r.list.mu.Lock()
	defer r.list.mu.Unlock()
	r.Status, r.Code = status, code
}

// trim forgets the oldest. It is called with the lock held.
func (l *records) trim() {
	n := 0
	for len(l.list)-n > maxRecords || l.bytes > maxRecordBytes && n < len(l.list)-1 {
		l.bytes -= len(l.list[n].Body)
		l.list[n].gone = true // it may still be being answered
		l.list[n] = nil
		n++
	}
	l.list = l.list[n:]
}

// of copies the requests of some accounts; nil is that of a request without a
// right key.
func (l *records) of(wanted func(*account) bool) []record {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make([]record, 0, len(l.list))
	for _, r := range l.list {
		if wanted(r.account) {
			copied := *r
			copied.list, copied.account = nil, nil
			out = append(out, copied)
		}
	}
	return out
}
