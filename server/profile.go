//go:build profile

package main

import (
	"log/slog"
	"net"
	"net/http"
	_ "net/http/pprof"
	"os"
)

// A server built with -tags profile answers for profiles of itself on the Unix
// socket that SCREENTEST_PROFILE names. What is shipped has none of it.
func init() {
	path := os.Getenv("SCREENTEST_PROFILE")
	if path == "" {
		return
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		slog.Error("no profiles", "err", err)
		return
	}
	go func() { _ = http.Serve(l, nil) }()
}
