package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"
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

// readable is an address as a person types it.
func readable(a net.Addr) string {
	host, port, err := net.SplitHostPort(a.String())
	if err != nil || (host != "127.0.0.1" && host != "::1") {
		return a.String()
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

// serveHTTP serves a handler until the server is closed.
func (s *server) serveHTTP(l net.Listener, h http.Handler) {
	hs := newHTTPServer(h, s.log)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := hs.Serve(l); !errors.Is(err, http.ErrServerClosed) {
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
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}
