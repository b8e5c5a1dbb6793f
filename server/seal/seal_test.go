package seal

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func newBox(t *testing.T) *Box {
	t.Helper()
	b, err := New(NewKey())
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestSealedValue(t *testing.T) {
	b := newBox(t)
	plain := []byte("sk-canary-0123456789")
	sealed := b.Seal("session", "row 1", plain)

	if bytes.Contains(sealed, plain) {
		t.Fatal("the plain text is in the sealed value")
	}
	if len(sealed) != len(plain)+29 {
		t.Errorf("sealed is %d bytes longer, documented are 29", len(sealed)-len(plain))
	}
	if again := b.Seal("session", "row 1", plain); bytes.Equal(again, sealed) {
		t.Error("sealing twice gave the same bytes: the nonce repeats")
	}
	if got, err := b.Open("session", "row 1", sealed); err != nil || !bytes.Equal(got, plain) {
		t.Fatalf("Open = %q, %v", got, err)
	}

	flipped := bytes.Clone(sealed)
	flipped[len(flipped)/2] ^= 1
	otherFormat := bytes.Clone(sealed)
	otherFormat[0] = 9
	for name, open := range map[string]func() ([]byte, error){
		"another row":             func() ([]byte, error) { return b.Open("session", "row 2", sealed) },
		"another purpose":         func() ([]byte, error) { return b.Open("task", "row 1", sealed) },
		"purpose and row shifted": func() ([]byte, error) { return b.Open("session row", "1", sealed) },
		"another key":             func() ([]byte, error) { return newBox(t).Open("session", "row 1", sealed) },
		"one bit changed":         func() ([]byte, error) { return b.Open("session", "row 1", flipped) },
		"another format":          func() ([]byte, error) { return b.Open("session", "row 1", otherFormat) },
		"cut short":               func() ([]byte, error) { return b.Open("session", "row 1", sealed[:5]) },
		"empty":                   func() ([]byte, error) { return b.Open("session", "row 1", nil) },
	} {
		t.Run(name, func(t *testing.T) {
			got, err := open()
			if !errors.Is(err, ErrOpen) || got != nil {
				t.Errorf("Open = %q, %v; want ErrOpen", got, err)
			}
		})
	}
}

func TestParseKey(t *testing.T) {
	key := NewKey()
	for name, text := range map[string]string{
		"base64":               base64.StdEncoding.EncodeToString(key),
		"base64 for URLs":      base64.URLEncoding.EncodeToString(key),
		"base64 unpadded":      base64.RawStdEncoding.EncodeToString(key),
		"hex":                  hex.EncodeToString(key),
		"hex in capitals":      strings.ToUpper(hex.EncodeToString(key)),
		"with a line feed":     FormatKey(key) + "\n",
		"with space around it": "  " + FormatKey(key) + "\t",
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ParseKey(text)
			if err != nil || !bytes.Equal(got, key) {
				t.Errorf("ParseKey = %x, %v; want %x", got, err, key)
			}
		})
	}
	for name, text := range map[string]string{
		"empty":               "",
		"a pass phrase":       "correct horse battery staple",
		"31 bytes":            base64.StdEncoding.EncodeToString(key[:31]),
		"hex of 16 bytes":     hex.EncodeToString(key[:16]),
		"base64 of 64 digits": strings.Repeat("-", 64),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ParseKey(text)
			if err == nil {
				t.Fatal("accepted")
			}
			if text != "" && strings.Contains(err.Error(), text) {
				t.Errorf("the error repeats what was given: %v", err)
			}
		})
	}
}

func TestKeyFile(t *testing.T) {
	quiet := slog.New(slog.DiscardHandler)
	t.Run("made once, read again", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "seal.key")
		a, err := LoadOrCreate(path, quiet)
		if err != nil {
			t.Fatal(err)
		}
		b, err := LoadOrCreate(path, quiet)
		if err != nil {
			t.Fatal(err)
		}
		got, err := b.Open("p", "i", a.Seal("p", "i", []byte("x")))
		if err != nil || string(got) != "x" {
			t.Errorf("the second start has another key: %q, %v", got, err)
		}
		names, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".seal-*"))
		if len(names) != 0 {
			t.Errorf("left behind: %v", names)
		}
		if info, _ := os.Stat(path); runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("mode %v, want 0600", info.Mode().Perm())
		}
	})
	t.Run("open to others is tightened and said", func(t *testing.T) {
		if runtime.GOOS == "windows" {
			return // Windows has no such modes
		}
		path := filepath.Join(t.TempDir(), "seal.key")
		if err := os.WriteFile(path, []byte(FormatKey(NewKey())), 0o644); err != nil {
			t.Fatal(err)
		}
		var log strings.Builder
		if _, err := Load(path, slog.New(slog.NewTextHandler(&log, nil))); err != nil {
			t.Fatal(err)
		}
		if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
			t.Errorf("mode %v, want 0600", info.Mode().Perm())
		}
		if !strings.Contains(log.String(), "tightened") || !strings.Contains(log.String(), "0644") {
			t.Errorf("log: %q", log.String())
		}
	})
	t.Run("none", func(t *testing.T) {
		if _, err := Load(filepath.Join(t.TempDir(), "seal.key"), quiet); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Load = %v, want fs.ErrNotExist", err)
		}
	})
	t.Run("broken is an error, not a new key", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "seal.key")
		for _, text := range []string{"", "half a k", strings.Repeat("x", maxFile+1)} {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := LoadOrCreate(path, quiet); err == nil {
				t.Errorf("%d bytes of rubbish were taken for a key", len(text))
			}
			if got, _ := os.ReadFile(path); string(got) != text {
				t.Error("the file was changed")
			}
		}
	})
	t.Run("a folder is not a key", func(t *testing.T) {
		if _, err := LoadOrCreate(t.TempDir(), quiet); err == nil {
			t.Error("accepted")
		}
	})
}
