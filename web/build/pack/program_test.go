package main

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

// A packed program does in Node what the linked one does: the runtime finds in
// the tables what it needs for garbage, stacks, defers and panics.
func TestAPackedProgramRunsTheSame(t *testing.T) {
	run := inNode(t)
	linked := link(t, "-gcflags=all=-l")
	for _, end := range []string{"", "panic", "deadlock"} {
		want, said := run(linked, end)
		if !strings.Contains(want, "deep: 6834929875\n") || strings.Contains(want, "false") {
			t.Fatalf("the linked program printed\n%s%s", want, said)
		}
		for _, names := range []bool{false, true} {
			packed, err := pack(linked, names)
			if err != nil {
				t.Fatal(err)
			}
			got, said := run(packed, end)
			if got != want {
				t.Errorf("%s, names %t: printed\n%sthe linked program\n%s", end, names, got, want)
			}
			if end == "panic" && !strings.HasPrefix(said, "panic: nobody recovers this\n") {
				t.Errorf("names %t: a panic says\n%s", names, said)
			}
			if lines := strings.Contains(said, "program/main.go:"); end == "panic" && lines != names {
				t.Errorf("names %t: lines %t in\n%s", names, lines, said)
			}
		}
	}
}

// Packing again, or a program with copies of functions in others, is refused.
func TestTablesItDoesNotKnowAreRefused(t *testing.T) {
	linked := link(t, "-gcflags=all=-l")
	packed, err := pack(linked, false)
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		program []byte
		want    string
	}{
		"packed already":       {packed, "function 0 is not where it should be"},
		"another version":      {bytes.Replace(linked, []byte(pcMagic), []byte("\xf0"+pcMagic[1:]), 1), "header is missing"},
		"functions are copied": {link(t), "-gcflags=all=-l"},
	} {
		if out, err := pack(tt.program, false); out != nil || err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %d bytes, %v; want %q", name, len(out), err, tt.want)
		}
	}
}

// link builds testdata/program for the browser.
func link(t *testing.T, flags ...string) []byte {
	t.Helper()
	name := filepath.Join(t.TempDir(), "program.wasm")
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	build := exec.CommandContext(ctx, "go", append([]string{"build", "-ldflags=-s -w", "-o", name}, append(flags, "./testdata/program")...)...)
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build for js/wasm: %v\n%s", err, out)
	}
	program, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// inNode returns what runs a program in Node, with Go's own glue, and returns
// what it printed and its complaints.
func inNode(t *testing.T) func(program []byte, arg string) (out, complaints string) {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		if os.Getenv("SCREENTEST_NO_NODE") != "" { // make test has said so aloud
			t.Skip("NOT RUN: there is no Node to run the packed program in (apt-get install nodejs)")
		}
		t.Fatal("this test runs the packed program in Node (apt-get install nodejs)")
	}
	root, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	glue := filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec_node.js")
	return func(program []byte, arg string) (string, string) {
		name := filepath.Join(t.TempDir(), "program.wasm")
		if err := os.WriteFile(name, program, 0o644); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var out, complaints bytes.Buffer
		run := exec.CommandContext(ctx, node, glue, name, arg)
		run.Stdout, run.Stderr = &out, &complaints
		if err := run.Run(); (err != nil) != (arg != "") {
			t.Fatalf("run with %q in Node: %v\n%s", arg, err, &complaints)
		}
		return out.String(), complaints.String()
	}
}
