package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"screentest/server/freeport"
)

// postgres is a running PostgreSQL in a folder that goes with it, as it is without
// any setting of ours but that it has connections for all replicas: what it commits
// is on the disk.
type postgres struct {
	dir  string
	port int
	cmd  *exec.Cmd
	gone chan struct{}
}

var errNoPostgres = errors.New("PostgreSQL is not here, so replicas are not measured: install Debian's postgresql, or run make bench as root, which does it")

// postgresProgram finds one of PostgreSQL's programs, which Debian keeps where a
// shell doesn't look.
func postgresProgram(name string) (string, error) {
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	if err != nil || len(found) == 0 {
		return "", errNoPostgres
	}
	return found[len(found)-1], nil
}

// startPostgres runs a new one with empty databases of these names; under starts it
// where it belongs.
func startPostgres(ctx context.Context, under func(func() error) error, databases ...string) (_ *postgres, err error) {
	initdb, err := postgresProgram("initdb")
	if err != nil {
		return nil, err
	}
	program, err := postgresProgram("postgres")
	if err != nil {
		return nil, err
	}
	p := &postgres{gone: make(chan struct{})}
	if p.dir, err = os.MkdirTemp("", "screentest-bench-postgres-"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			p.stop()
		}
	}()
	if err := givePostgres(p.dir); err != nil {
		return nil, err
	}
	data := filepath.Join(p.dir, "data")
	if err := p.do(ctx, "", initdb, "-D", data, "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--locale=C"); err != nil {
		return nil, err
	}
	var make strings.Builder
	for _, name := range databases {
		fmt.Fprintf(&make, "CREATE DATABASE %s\n", name)
	}
	if err := p.do(ctx, make.String(), program, "--single", "-D", data, "postgres"); err != nil {
		return nil, err
	}
	if p.port, err = freeport.One(); err != nil {
		return nil, err
	}
	var said said
	cmd := exec.Command(program, "-D", data, "-k", p.dir, "-p", strconv.Itoa(p.port), "-c", "listen_addresses=127.0.0.1", "-c", "max_connections=200")
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = p.dir, &said, &said, asPostgres()
	if err := under(cmd.Start); err != nil {
		return nil, err
	}
	p.cmd = cmd
	go func() {
		_ = cmd.Wait()
		close(p.gone)
	}()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(time.Minute)
	for !strings.Contains(said.String(), "ready to accept connections") {
		select {
		case <-tick.C:
		case <-p.gone:
			return nil, fmt.Errorf("PostgreSQL ended: %s", said.String())
		case <-deadline:
			return nil, fmt.Errorf("PostgreSQL is not ready: %s", said.String())
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return p, nil
}

// do runs one of its programs to its end.
func (p *postgres) do(ctx context.Context, input, program string, args ...string) error {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.SysProcAttr, cmd.Stdin = p.dir, asPostgres(), strings.NewReader(input)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", filepath.Base(program), err, out)
	}
	return nil
}

func (p *postgres) url(database string) string {
	return fmt.Sprintf("postgres://postgres@127.0.0.1:%d/%s?sslmode=disable", p.port, database)
}

// stop ends it and removes its folder.
func (p *postgres) stop() {
	if p.cmd != nil {
		_ = p.cmd.Process.Signal(os.Interrupt) // which ends its connections, too
		select {
		case <-p.gone:
		case <-time.After(20 * time.Second):
			_ = p.cmd.Process.Kill()
			<-p.gone
		}
	}
	if err := os.RemoveAll(p.dir); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
	}
}

// said is what a process has written.
type said struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
