// Package peer is how replicas of one instance speak to each other: by HTTP at an
// address of its own, which browsers don't need to reach. Who asks proves that it has
// the instance's sealing key, by a message code over what it asks, of whom and when;
// whoever else reaches the port is refused, and so is what was asked once already.
//
// The network between replicas is taken for a closed one: what they say is
// authenticated, and not encrypted.
package peer

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"screentest/shared/wire"
)

// codeHeader carries when a request was made, a word that no other one has, the sum of
// its body, and the code of all: "UNIX.WORD.SUM.CODE".
const codeHeader = "Screentest-Replica"

const (
	// goodFor is how far a request's time may be from that of who reads it.
	goodFor = 30 * time.Second
	// maxBody bounds the body of a request, in bytes, and bodyWithin is how long it may
	// take to come.
	maxBody    = 4 << 20
	bodyWithin = 10 * time.Second
)

// Link speaks to other replicas, and answers them.
type Link struct {
	self   string   // the host and port at which it is reached
	keys   [][]byte // the first signs
	once   once
	now    func() time.Time
	log    *slog.Logger
	client *http.Client
	mux    *http.ServeMux
	ready  chan struct{} // closed by Ready
	server *http.Server
}

// New returns a Link for replicas that share key, which is at least 32 bytes; self is
// the host and port at which the others reach this one. While the key is being replaced,
// some have others, which are good as well.
func New(self string, key []byte, log *slog.Logger, others ...[]byte) *Link {
	l := &Link{self: self, keys: append([][]byte{key}, others...), now: time.Now, log: log, mux: http.NewServeMux(), ready: make(chan struct{})}
	l.client = &http.Client{
		Transport: &http.Transport{
			DialContext:           (&net.Dialer{Timeout: 2 * time.Second, KeepAlive: 5 * time.Second}).DialContext,
			ResponseHeaderTimeout: 10 * time.Second,
			MaxIdleConnsPerHost:   64,
			IdleConnTimeout:       time.Minute,
			DisableCompression:    true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	l.server = &http.Server{Handler: l, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10}
	return l
}

// Handle has requests answered by h that match pattern, as of http.ServeMux. What none
// matches waits until Ready.
func (l *Link) Handle(pattern string, h http.HandlerFunc) { l.mux.HandleFunc(pattern, h) }

// Ready says that all is handled that others may ask.
func (l *Link) Ready() { close(l.ready) }

// Serve answers others at a listener until Close.
func (l *Link) Serve(listener net.Listener) error {
	if err := l.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Close breaks off what is asked and answered.
func (l *Link) Close() error {
	l.client.CloseIdleConnections()
	return l.server.Close()
}

// ServeHTTP refuses who has not the key.
func (l *Link) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	err := l.check(r)
	if err == nil {
		err = l.takeBody(w, r)
	}
	if err != nil {
		l.log.Warn("a request to this replica's own address was refused", "from", r.RemoteAddr, "err", err)
		http.Error(w, "not a replica of this instance", http.StatusForbidden)
		return
	}
	if _, pattern := l.mux.Handler(r); pattern == "" {
		select {
		case <-l.ready:
		case <-r.Context().Done():
			return
		}
	}
	l.mux.ServeHTTP(w, r)
}

func (l *Link) check(r *http.Request) error {
	s, coded, ok := parseSigned(r.Header.Get(codeHeader))
	unix, err := strconv.ParseInt(s.at, 10, 64)
	if err != nil || !ok {
		return errors.New("it carries no code")
	}
	given, err := base64.RawURLEncoding.DecodeString(coded)
	if err != nil || !slices.ContainsFunc(l.keys, func(key []byte) bool { return hmac.Equal(given, s.code(key, r.Method, l.self, r.URL.RequestURI())) }) {
		return errors.New("its code is of another key, or for another replica")
	}
	now := l.now()
	if off := now.Sub(time.Unix(unix, 0)); off.Abs() > goodFor {
		return fmt.Errorf("it was made %s from now: the two clocks differ", off.Round(time.Second))
	}
	return l.once.take(s.word, now)
}

// takeBody reads the body, which is what was signed.
func (l *Link) takeBody(w http.ResponseWriter, r *http.Request) error {
	var body []byte
	if r.ContentLength != 0 {
		control := http.NewResponseController(w)
		if err := control.SetReadDeadline(time.Now().Add(bodyWithin)); err != nil {
			return err
		}
		var err error
		if body, err = io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody)); err != nil {
			return fmt.Errorf("its body: %w", err)
		}
		if err := control.SetReadDeadline(time.Time{}); err != nil {
			return err
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	if s, _, _ := parseSigned(r.Header.Get(codeHeader)); s.sum != sumOf(body) {
		return errors.New("its body is not what was signed")
	}
	return nil
}

// signed is what of a request's header its code is made from, besides what is asked.
type signed struct{ at, word, sum string }

func parseSigned(header string) (s signed, code string, ok bool) {
	parts := strings.Split(header, ".")
	if len(parts) != 4 {
		return s, "", false
	}
	return signed{parts[0], parts[1], parts[2]}, parts[3], true
}

func (s signed) code(key []byte, method, host, uri string) []byte {
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s %s %s %s %s %s", s.at, s.word, s.sum, method, host, uri)
	return mac.Sum(nil)
}

func sumOf(body []byte) string {
	sum := sha256.Sum256(body)
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// Sign puts into the header of a request without a body what proves who makes it.
func (l *Link) Sign(r *http.Request) { l.sign(r, nil) }

func (l *Link) sign(r *http.Request, body []byte) {
	s := signed{strconv.FormatInt(l.now().Unix(), 10), rand.Text(), sumOf(body)}
	coded := base64.RawURLEncoding.EncodeToString(s.code(l.keys[0], r.Method, r.URL.Host, r.URL.RequestURI()))
	r.Header.Set(codeHeader, s.at+"."+s.word+"."+s.sum+"."+coded)
}

// Client makes signed requests; for who speaks WebSocket.
func (l *Link) Client() *http.Client { return l.client }

// Ask sends a request to the replica at an address, "http://10.0.0.4:8081", and
// returns the answer, whose body is to be closed. Any answer but 2xx is an error:
// a *wire.Problem, where the other one said one.
func (l *Link) Ask(ctx context.Context, address, method, path string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, address+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	l.sign(req, body)
	resp, err := l.client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("ask another replica: %w", err)
	}
	if resp.StatusCode/100 == 2 {
		return resp, nil
	}
	defer resp.Body.Close()
	return nil, problemOf(resp)
}

// Refuse answers with an error, as [Link.Ask] gives it to who asked: what of it a
// person may read.
func Refuse(w http.ResponseWriter, err error) {
	var p *wire.Problem
	if !errors.As(err, &p) {
		http.Error(w, "it failed", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusConflict)
	_ = json.NewEncoder(w).Encode(p) // an error means that nobody reads it any more
}

func problemOf(resp *http.Response) error {
	text, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	if err != nil {
		return err
	}
	var p wire.Problem
	if json.Unmarshal(text, &p) == nil && p.Code != "" {
		return &p
	}
	return fmt.Errorf("another replica answered %s: %.200s", resp.Status, text)
}
