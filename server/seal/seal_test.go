package seal

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
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
	if len(sealed) != len(plain)+33 {
		t.Errorf("sealed is %d bytes longer, documented are 33", len(sealed)-len(plain))
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
		"another key's id": func() ([]byte, error) {
			return b.Open("session", "row 1", append([]byte{2, 0, 0, 0, 0}, sealed[5:]...))
		},
		"as of the format before": func() ([]byte, error) { return b.Open("session", "row 1", append([]byte{1}, sealed[1:]...)) },
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

// nameless is plain sealed as before values named their key.
func nameless(t testing.TB, key []byte, purpose, id string, plain []byte) []byte {
	t.Helper()
	block, err := aes.NewCipher(key)
	if err != nil {
		t.Fatal(err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		t.Fatal(err)
	}
	return aead.Seal([]byte{1}, nil, plain, binding(purpose, id))
}

func TestTheFirstKeySealsAndAllOpen(t *testing.T) {
	older, newer, third := NewKey(), NewKey(), NewKey()
	box := func(keys ...[]byte) *Box {
		t.Helper()
		b, err := New(bytes.Join(keys, nil))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	before, during, after := box(older), box(newer, older), box(newer)
	byOlder, byNewer, byNameless := before.Seal("p", "i", []byte("x")), during.Seal("p", "i", []byte("x")), nameless(t, older, "p", "i", []byte("x"))
	for _, tt := range []struct {
		name          string
		by            *Box
		sealed        []byte
		opens, newest bool
	}{
		{"older by both", during, byOlder, true, false},
		{"newer by both", during, byNewer, true, true},
		{"without a name by both", during, byNameless, true, false},
		{"both, the other way round", box(older, newer), byNewer, true, false},
		{"newer by newer", after, byNewer, true, true},
		{"older by newer", after, byOlder, false, false},
		{"without a name by newer", after, byNameless, false, false},
		{"newer by older", before, byNewer, false, false},
		{"without a name by older", before, byNameless, true, false},
		{"by none of three", box(third, NewKey(), NewKey()), byNewer, false, false},
	} {
		got, err := tt.by.Open("p", "i", tt.sealed)
		if opens := err == nil && string(got) == "x"; opens != tt.opens || !opens && !errors.Is(err, ErrOpen) {
			t.Errorf("%s: %q, %v", tt.name, got, err)
		}
		if got := tt.by.Newest(tt.sealed); got != tt.newest {
			t.Errorf("%s: sealed with the first key: %v", tt.name, got)
		}
	}
	ids := during.IDs()
	if len(ids) != 2 || ids[0] == ids[1] || ids[0] != after.IDs()[0] || ids[1] != before.IDs()[0] || IDOf(byNewer) != ids[0] || IDOf(byOlder) != ids[1] || IDOf(byNameless) != "" {
		t.Errorf("the keys' ids are %q", ids)
	}
	for _, key := range [][]byte{older, newer} {
		sum := sha256.Sum256(key)
		for _, part := range []string{hex.EncodeToString(key), hex.EncodeToString(sum[:])} {
			if strings.HasPrefix(part, ids[0]) || strings.HasPrefix(part, ids[1]) {
				t.Errorf("an id is the beginning of a key, or of its sum: %q", ids)
			}
		}
	}
	other := box(older, newer)
	if !bytes.Equal(during.Derive("replicas"), other.DeriveOthers("replicas")[0]) || !bytes.Equal(other.Derive("replicas"), during.DeriveOthers("replicas")[0]) ||
		!bytes.Equal(during.Derive("replicas"), after.Derive("replicas")) || bytes.Equal(during.Derive("replicas"), during.Derive("key id")) {
		t.Error("those in the middle of a change don't know each other's derived keys")
	}
}

// FuzzOpen: nothing that wasn't sealed opens, and nothing makes it fall over.
func FuzzOpen(f *testing.F) {
	keys := bytes.Repeat([]byte{7}, 2*KeySize)
	keys[0] = 8
	b, err := New(keys)
	if err != nil {
		f.Fatal(err)
	}
	const secret = "sk-canary-0123456789"
	sealed := b.Seal("session", "row 1", []byte(secret))
	for _, seed := range [][]byte{nil, {1}, {2}, {2, 0, 0, 0}, sealed[:5], sealed[:20], append([]byte{1}, sealed[6:]...), append(bytes.Clone(sealed), 0), nameless(f, keys[KeySize:], "session", "row 2", []byte("x"))} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, of []byte) {
		plain, err := b.Open("session", "row 1", of)
		if err == nil && string(plain) == secret {
			return // it was cut to what was sealed
		}
		if !errors.Is(err, ErrOpen) || plain != nil {
			t.Errorf("Open = %q, %v", plain, err)
		}
		IDOf(of)
		b.Newest(of)
	})
}

func TestSeveralKeysAreRead(t *testing.T) {
	a, b := NewKey(), NewKey()
	both := append(bytes.Clone(a), b...)
	for name, text := range map[string]string{
		"commas":     FormatKey(a) + "," + FormatKey(b),
		"with space": " " + FormatKey(a) + " , " + hex.EncodeToString(b) + "\n",
		"in lines":   FormatKey(a) + "\r\n" + FormatKey(b) + "\n\n",
		"an end":     FormatKey(a) + "," + FormatKey(b) + ",",
	} {
		if got, err := ParseKey(text); err != nil || !bytes.Equal(got, both) {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
	for name, text := range map[string]string{
		"none":         " , ,\n",
		"one is wrong": FormatKey(a) + ",rubbish",
		"too many":     strings.Repeat(FormatKey(a)+",", maxKeys+1),
	} {
		if _, err := ParseKey(text); err == nil || strings.Contains(err.Error(), FormatKey(a)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, n := range []int{0, 31, 33, 63} {
		if _, err := New(make([]byte, n)); err == nil {
			t.Errorf("%d bytes are taken for keys", n)
		}
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
