package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
)

// options are what the command line says.
type options struct {
	against string // another program
	pin     bool
	rounds  int
	profile string // a folder; "" for no profiles
}

func (o options) where() string {
	if split, can := splitProcessors(); can && o.pin {
		return fmt.Sprintf("source and reader on processors %v, the way on %v", split.ours, split.tested)
	}
	return "all on all processors"
}

// profileSeconds is how long a part is profiled, from its start on.
const profileSeconds = 12

// buildProfiled builds the server so that it can be asked for profiles.
func buildProfiled(ctx context.Context, dir string) (string, error) {
	bin := filepath.Join(dir, "screentest-profiled")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-tags", "profile", "-o", bin, "./server")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build with profiles: %w\n%s", err, out)
	}
	return bin, nil
}

// profileEnv tells a server built for it where to answer for profiles.
func (o options) profileEnv(dir string) []string {
	if o.profile == "" {
		return nil
	}
	return []string{"SCREENTEST_PROFILE=" + profileSocket(dir)}
}

func profileSocket(dir string) string { return filepath.Join(dir, "profile.sock") }

// profiled writes profiles of Screentest's server while it is measured: where
// the processor's time goes, and what is in memory.
func (o options) profiled(ctx context.Context, dir, name string, w *way) (stop func() error) {
	if o.profile == "" || w.name != "screentest" {
		return func() error { return nil }
	}
	ctx, cancel := context.WithCancel(ctx)
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", profileSocket(dir))
	}}}
	done := make(chan error, 1)
	go func() {
		done <- errors.Join(
			save(ctx, client, fmt.Sprintf("profile?seconds=%d", profileSeconds), filepath.Join(o.profile, name+"-cpu.pprof")),
			save(ctx, client, "heap", filepath.Join(o.profile, name+"-heap.pprof")),
			save(ctx, client, "goroutine", filepath.Join(o.profile, name+"-goroutines.pprof")))
	}()
	return func() error {
		defer cancel()
		return <-done
	}
}

func save(ctx context.Context, client *http.Client, what, file string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://profile/debug/pprof/"+what, nil)
	if err != nil {
		return err
	}
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", what, res.Status)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, res.Body)
	return errors.Join(err, f.Close())
}
