package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	stdlog "log"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"

	"screentest/shared/wire"
)

// hangUpAfter is how long others have to finish reading, sending or calling
// when the server ends.
const hangUpAfter = 2 * time.Second

// listen takes an address, or says in a sentence why not.
func listen(addr string) (net.Listener, error) {
	l, err := net.Listen("tcp", addr)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, mistakef("%s is in use: another program, perhaps another Screentest, listens there. End it, or take another address with -addr", addr)
	case err != nil:
		return nil, mistakef("cannot listen on %s: %w", addr, err)
	}
	return l, nil
}

// here is the address of the server for a person on this machine, who has to
// name one that its certificate is for.
func (s *server) here(addr string) string {
	scheme := "http://"
	if s.reach.tls {
		scheme = "https://"
	}
	_, port, _ := net.SplitHostPort(addr) // it is a listener's
	switch e := s.encryption; {
	case e == nil || e.names("localhost"):
	case e.acme != nil:
		return origin(s.reach.public)
	case len(e.files.leaf().DNSNames) > 0:
		return scheme + net.JoinHostPort(e.files.leaf().DNSNames[0], port)
	}
	return scheme + readable(local(addr))
}

// knows says whether a name by which the server is asked is its own, besides
// those of its flags: one of its certificate, and any address of this machine
// where it listens on all. That one is named by a number is no name that a page
// could have pointed here.
func (s *server) knows(host string) bool {
	_, err := netip.ParseAddr(host)
	return s.encryption.names(host) || err == nil && isEverywhere(s.config.addr)
}

// readable is an address as a person types it.
func readable(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil || (host != "127.0.0.1" && host != "::1") {
		return addr
	}
	return net.JoinHostPort("localhost", strings.TrimSpace(port))
}

// onThisMachine says whether the host of an address is this machine.
func onThisMachine(u *url.URL) bool {
	a, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && a.IsLoopback()
}

// onlyHere answers only those who ask for this machine. Otherwise a page of any
// site could point its own name at it (DNS rebinding) and use the sandbox, whose
// key is no secret here.
func onlyHere(sandbox http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if onThisMachine(&url.URL{Host: r.Host}) {
			sandbox.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusMisdirectedRequest)
		fmt.Fprint(w, `{"error":{"message":"The sandbox on this machine answers to localhost and 127.0.0.1 only.",`+
			`"type":"invalid_request_error","param":"","code":"unknown_host"}}`)
	})
}

// onlyUploads answers with uploads alone, which are for who has their address.
func onlyUploads(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, wire.UploadedPath) {
			http.NotFound(w, r)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// serveHTTP serves a handler until the server is closed; e is nil where it does
// not encrypt.
func (s *server) serveHTTP(l net.Listener, h http.Handler, e *encryption) {
	hs := newHTTPServer(h, s.log)
	if s.reach.mode != alone {
		l = unstalled{l}
	}
	serve := func() error { return hs.Serve(l) }
	if e != nil {
		hs.TLSConfig = e.config
		serve = func() error { return hs.ServeTLS(l, "", "") }
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := serve(); !errors.Is(err, http.ErrServerClosed) {
			s.failed <- fmt.Errorf("serve %s: %w", l.Addr(), err)
		}
	}()
	s.onClose(func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, hangUpAfter)
		defer cancel()
		err := hs.Shutdown(ctx)
		if errors.Is(err, context.DeadlineExceeded) {
			err = hs.Close() // who reads or sends so slowly is hung up on
		}
		<-ended
		return err
	})
}

func newHTTPServer(h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler: h,
		// There is no bound on a whole request: a video takes its time.
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		// Many streams share a connection by HTTP/2, so one that stands still as a
		// whole is dead.
		HTTP2:    &http.HTTP2Config{SendPingTimeout: time.Minute, PingTimeout: 20 * time.Second, WriteByteTimeout: time.Minute},
		ErrorLog: stdlog.New(netLog{log}, "", 0),
	}
}

// netLog takes what net/http has to say of connections.
type netLog struct{ log *slog.Logger }

func (n netLog) Write(line []byte) (int, error) {
	level := slog.LevelWarn
	if bytes.HasPrefix(line, []byte("http: TLS handshake error")) {
		level = slog.LevelDebug // whoever scans the Internet makes some
	}
	n.log.Log(context.Background(), level, strings.TrimSuffix(string(line), "\n"))
	return len(line), nil
}
