// Package peer is how replicas of one instance speak to each other: by HTTP at an
// address of its own, which browsers don't need to reach. Who asks proves that it has
// the instance's sealing key, by a message code over what it asks and when; whoever
// else reaches the port is refused.
//
// The network between replicas is taken for a closed one: what they say is
// authenticated, and not encrypted.
package peer

import (
	"context"
	"crypto/hmac"
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

// codeHeader carries when a request was made and its code: "UNIX.CODE".
const codeHeader = "Screentest-Replica"

// goodFor is how far a request's time may be from that of who reads it.
const goodFor = 30 * time.Second

// Link speaks to other replicas, and answers them.
type Link struct {
	keys   [][]byte // the first signs
	now    func() time.Time
	log    *slog.Logger
	client *http.Client
	mux    *http.ServeMux
	server *http.Server
}

// New returns a Link for replicas that share key, which is at least 32 bytes. While it is
// being replaced, some have others, which are good as well.
func New(key []byte, log *slog.Logger, others ...[]byte) *Link {
	l := &Link{keys: append([][]byte{key}, others...), now: time.Now, log: log, mux: http.NewServeMux()}
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

// Handle has requests answered by h that match pattern, as of http.ServeMux. What no
// pattern matches by then is not found.
func (l *Link) Handle(pattern string, h http.HandlerFunc) { l.mux.HandleFunc(pattern, h) }

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
	if err := l.check(r); err != nil {
		l.log.Warn("a request to this replica's own address was refused", "from", r.RemoteAddr, "err", err)
		http.Error(w, "not a replica of this instance", http.StatusForbidden)
		return
	}
	l.mux.ServeHTTP(w, r)
}

func (l *Link) check(r *http.Request) error {
	at, coded, _ := strings.Cut(r.Header.Get(codeHeader), ".")
	unix, err := strconv.ParseInt(at, 10, 64)
	if err != nil {
		return errors.New("it carries no code")
	}
	given, err := base64.RawURLEncoding.DecodeString(coded)
	if err != nil || !slices.ContainsFunc(l.keys, func(key []byte) bool { return hmac.Equal(given, code(key, r.Method, r.URL.RequestURI(), at)) }) {
		return errors.New("its code is of another key")
	}
	if off := l.now().Sub(time.Unix(unix, 0)); off.Abs() > goodFor {
		return fmt.Errorf("it was made %s from now: the two clocks differ", off.Round(time.Second))
	}
	return nil
}

func code(key []byte, method, uri, at string) []byte {
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s %s %s", at, method, uri)
	return mac.Sum(nil)
}

// Sign puts into a request's header what proves who makes it.
func (l *Link) Sign(r *http.Request) {
	at := strconv.FormatInt(l.now().Unix(), 10)
	r.Header.Set(codeHeader, at+"."+base64.RawURLEncoding.EncodeToString(code(l.keys[0], r.Method, r.URL.RequestURI(), at)))
}

// Client makes signed requests; for who speaks WebSocket.
func (l *Link) Client() *http.Client { return l.client }

// Ask sends a request to the replica at an address, "http://10.0.0.4:8081", and
// returns the answer, whose body is to be closed. Any answer but 2xx is an error:
// a *wire.Problem, where the other one said one.
func (l *Link) Ask(ctx context.Context, address, method, path string, body io.Reader) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, address+path, body)
	if err != nil {
		return nil, err
	}
	l.Sign(req)
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
