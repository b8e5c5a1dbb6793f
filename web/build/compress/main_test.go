package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
)

func TestBothFormsHoldTheFile(t *testing.T) {
	name, raw := file(t)
	line, err := compressFile(name, 5, 0)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(line, "50000 bytes") {
		t.Errorf("it said %q", line)
	}
	gz, err := gzip.NewReader(open(t, name+".gz"))
	if err != nil {
		t.Fatal(err)
	}
	for form, r := range map[string]io.Reader{".br": brotli.NewReader(open(t, name+".br")), ".gz": gz} {
		if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, raw) {
			t.Errorf("%s holds %d bytes, %v; the file has %d", form, len(got), err, len(raw))
		}
	}
}

func TestTooLargeIsAnErrorAndLeavesNothing(t *testing.T) {
	name, _ := file(t)
	if _, err := compressFile(name, 5, 20); err == nil || !strings.Contains(err.Error(), "over the limit of 20") {
		t.Errorf("the error is %v", err)
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(name), "*"))
	if err != nil || len(left) != 1 {
		t.Errorf("there are %v, %v; want the file alone", left, err)
	}
}

func file(t *testing.T) (name string, raw []byte) {
	t.Helper()
	name, raw = filepath.Join(t.TempDir(), "app.wasm"), bytes.Repeat([]byte("0123456789"), 5000)
	if err := os.WriteFile(name, raw, 0o644); err != nil {
		t.Fatal(err)
	}
	return name, raw
}

func open(t *testing.T, name string) *os.File {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}
