// Package nodetest builds programs for the browser and runs them in Node, with
// Go's own glue, for tests.
package nodetest

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Build compiles the package at path and returns where the program is.
func Build(t *testing.T, path string, flags ...string) (program string) {
	t.Helper()
	program = filepath.Join(t.TempDir(), "program.wasm")
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	build := exec.CommandContext(ctx, "go", append(append([]string{"build", "-o", program}, flags...), path)...)
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build for js/wasm: %v\n%s", err, out)
	}
	return program
}

// Run runs a program, which may take five minutes, and returns what it printed
// and its complaints. Without Node the test fails, or is left out where make test
// has said so aloud.
func Run(t *testing.T, program string, args ...string) (out, complaints string, err error) {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		if os.Getenv("SCREENTEST_NO_NODE") != "" {
			t.Skip("NOT RUN: there is no Node to run the browser's build in (apt-get install nodejs)")
		}
		t.Fatal("this test runs the browser's build in Node (apt-get install nodejs)")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	glue := filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec_node.js")
	var printed, complained bytes.Buffer
	run := exec.CommandContext(ctx, node, append([]string{glue, program}, args...)...)
	run.Stdout, run.Stderr = &printed, &complained
	err = run.Run()
	return printed.String(), complained.String(), err
}
