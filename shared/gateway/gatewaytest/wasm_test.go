package gatewaytest

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"screentest/shared/gateway"
)

// The browser's build of the validator says the same as the server's, byte for
// byte, on a corpus of every model, mode and rule. It runs in Node with Go's
// own glue.
func TestTheBrowserSaysTheSame(t *testing.T) {
	const seed, count = 11, 20_000
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	dir := t.TempDir()
	program := filepath.Join(dir, "verdicts.wasm")
	build := exec.CommandContext(ctx, "go", "build", "-o", program, "./verdicts")
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build for js/wasm: %v\n%s", err, out)
	}
	node, err := exec.LookPath("node")
	if err != nil {
		if os.Getenv("SCREENTEST_NO_NODE") != "" { // make test has said so aloud
			t.Skip("NOT RUN: there is no Node to run the browser's build in (apt-get install nodejs)")
		}
		t.Fatal("this test runs the browser's build in Node (apt-get install nodejs)")
	}
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	glue := filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec_node.js")
	var got, complaint bytes.Buffer
	run := exec.CommandContext(ctx, node, glue, program, "11", "20000")
	run.Stdout, run.Stderr = &got, &complaint
	if err := run.Run(); err != nil {
		t.Fatalf("run in Node: %v\n%s", err, &complaint)
	}
	var want bytes.Buffer
	if err := WriteVerdicts(&want, gateway.SampleCatalogue(), seed, count); err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(got.Bytes(), want.Bytes()) {
		t.Logf("%d verdicts, %d bytes, are the same on %s/%s and js/wasm", count, want.Len(), runtime.GOOS, runtime.GOARCH)
		return
	}
	native, browser := strings.Split(want.String(), "\n"), strings.Split(got.String(), "\n")
	for i := range min(len(native), len(browser)) {
		if native[i] != browser[i] {
			t.Fatalf("line %d\nnative  %s\nbrowser %s", i, native[i], browser[i])
		}
	}
	t.Fatalf("%d lines native, %d in the browser's build", len(native), len(browser))
}
