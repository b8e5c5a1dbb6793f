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
	"time"

	"golang.org/x/sync/errgroup"
)

// options are what the command line says.
type options struct {
	against string // another program
	pin     bool
	rounds  int
	streams int    // at once, of the part replicas
	profile string // a folder; "" for no profiles
	day     time.Duration
}

func (o options) where() string {
	if split, can := splitProcessors(); can && o.pin {
		return fmt.Sprintf("source and reader on processors %v, the way on %v", split.ours, split.tested)
	}
	return "all on all processors"
}

// How long a part is profiled, from its start on, and when in it the memory is.
const (
	profileFor = 12 * time.Second
	inTheMidst = 6 * time.Second
)

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
	file := func(kind string) string { return filepath.Join(o.profile, name+"-"+kind+".pprof") }
	group, groupCtx := errgroup.WithContext(ctx)
	group.Go(func() error {
		return save(groupCtx, client, fmt.Sprintf("profile?seconds=%d", int(profileFor.Seconds())), file("cpu"))
	})
	group.Go(func() error {
		select {
		case <-time.After(inTheMidst):
		case <-groupCtx.Done():
		}
		return errors.Join(save(groupCtx, client, "heap?gc=1", file("heap")), save(groupCtx, client, "goroutine", file("goroutines")))
	})
	return func() error {
		defer cancel()
		return group.Wait()
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
