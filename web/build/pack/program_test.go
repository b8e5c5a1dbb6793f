package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"screentest/web/build/nodetest"
)

// A packed program does in Node what the linked one does: the runtime finds in
// the tables what it needs for garbage, stacks, defers and panics.
func TestAPackedProgramRunsTheSame(t *testing.T) {
	linked := link(t, "-gcflags=all=-l")
	for _, end := range []string{"", "panic", "deadlock"} {
		want, said := inNode(t, linked, end)
		if !strings.Contains(want, "deep: 60062\n") || strings.Contains(want, "false") {
			t.Fatalf("the linked program printed\n%s%s", want, said)
		}
		for _, names := range []bool{false, true} {
			packed, err := pack(linked, names)
			if err != nil {
				t.Fatal(err)
			}
			got, said := inNode(t, packed, end)
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
	name := nodetest.Build(t, "./testdata/program", append([]string{"-ldflags=-s -w"}, flags...)...)
	program, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// inNode runs a program in Node, which fails if it is given an argument, and
// returns what it printed and its complaints.
func inNode(t *testing.T, program []byte, arg string) (out, complaints string) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "program.wasm")
	if err := os.WriteFile(name, program, 0o644); err != nil {
		t.Fatal(err)
	}
	out, complaints, err := nodetest.Run(t, name, arg)
	if (err != nil) != (arg != "") {
		t.Fatalf("run with %q in Node: %v\n%s", arg, err, complaints)
	}
	return out, complaints
}
