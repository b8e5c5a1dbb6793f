// Package rig starts the real program and a real browser, for the end-to-end
// tests and the measurements: use [Build] once, then [Start] and [OpenBrowser].
// It knows how Screentest is built, started and seen, and nothing of what a
// test wants of it. Nothing here is part of the program.
package rig

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Root returns the folder of the module, found upwards from the working
// directory.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("no go.mod above the working directory")
		}
		dir = parent
	}
}

// ProgramPath names the environment variable with the path of a program to use in
// place of the one that make builds: one with the race detector, say.
const ProgramPath = "SCREENTEST_BIN"

// Build makes the program as `make quick` does and returns its path. When it is
// up to date that takes about a second.
func Build(ctx context.Context) (string, error) {
	if path := os.Getenv(ProgramPath); path != "" {
		return filepath.Abs(path)
	}
	root, err := Root()
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, "make", "-s", "quick")
	cmd.Dir = root
	// A make above this one must not hand down its flags, nor a test's own
	// build settings theirs.
	cmd.Env = without(os.Environ(), "MAKEFLAGS", "MFLAGS", "MAKELEVEL")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("make quick: %w\n%s", err, bytes.TrimSpace(out))
	}
	return filepath.Join(root, "bin", "screentest"), nil
}

// without returns env less the variables with these names.
func without(env []string, names ...string) []string {
	var out []string
next:
	for _, e := range env {
		for _, n := range names {
			if len(e) > len(n) && e[:len(n)] == n && e[len(n)] == '=' {
				continue next
			}
		}
		out = append(out, e)
	}
	return out
}
