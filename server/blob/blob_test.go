package blob

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func ok() error { return nil }

// whole writes a file that is to be added.
func whole(t *testing.T, text string) (path string, sha []byte) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "whole")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(text))
	return path, sum[:]
}

func TestAFileIsKeptOnceAndStaysAsLongAsItIsUsed(t *testing.T) {
	f, err := New(filepath.Join(t.TempDir(), "archive"))
	if err != nil {
		t.Fatal(err)
	}
	var sha []byte
	for range 2 { // the same bytes twice
		var path string
		path, sha = whole(t, "a clip")
		if err := f.Add(path, sha, ok); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the file is left where it came from: %v", err)
		}
	}
	in, err := f.Open(hex.EncodeToString(sha))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if b, err := io.ReadAll(in); err != nil || string(b) != "a clip" {
		t.Errorf("%q, %v", b, err)
	}

	bad := errors.New("not known")
	for _, used := range []func() (bool, error){
		func() (bool, error) { return true, nil },
		func() (bool, error) { return false, bad },
	} {
		is, want := used()
		if err := f.RemoveUnused(sha, used); !errors.Is(err, want) {
			t.Errorf("removing one whose use is %v, %v: %v", is, want, err)
		}
		if _, err := f.Open(hex.EncodeToString(sha)); err != nil {
			t.Errorf("a file whose use is %v, %v was removed", is, want)
		}
	}
	for range 2 { // the second time there is nothing to remove
		if err := f.RemoveUnused(sha, func() (bool, error) { return false, nil }); err != nil {
			t.Error(err)
		}
	}
	if _, err := f.Open(hex.EncodeToString(sha)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that nobody uses: %v", err)
	}
}

func TestEachLeavesOthersFilesAlone(t *testing.T) {
	f, err := New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	path, sha := whole(t, "ours")
	if err := f.Add(path, sha, ok); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"partial/ours", "aa/aabb", "aa/" + hex.EncodeToString(make([]byte, 32)), "ab/not hex", "file"} {
		path := filepath.Join(f.Dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	var found [][]byte
	if err := f.Each(func(sha []byte) error { found = append(found, sha); return nil }); err != nil {
		t.Fatal(err)
	}
	if len(found) != 1 || !slices.Equal(found[0], sha) {
		t.Errorf("found %x, want %x", found, sha)
	}
	for _, name := range []string{"", "..", "../partial/ours", "abcd"} {
		if _, err := f.Open(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("opened %q: %v", name, err)
		}
	}
	path, sha = whole(t, "not noted")
	if err := f.Add(path, sha, func() error { return fs.ErrInvalid }); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("what noting said is lost: %v", err)
	}
}
