package blob

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"screentest/server/s3test"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

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

// large writes a file of random bytes that is to be added.
func large(t *testing.T, size int) (path string, b, sha []byte) {
	t.Helper()
	b = make([]byte, size)
	_, _ = rand.Read(b)
	path, sha = whole(t, string(b))
	return path, b, sha
}

// everywhere runs a test with each kind of place.
func everywhere(t *testing.T, test func(t *testing.T, open func(lock Lock) *Files)) {
	for name, at := range map[string]func(t *testing.T) string{
		"in the data folder": func(*testing.T) string { return "" },
		"in a shared folder": func(t *testing.T) string { return t.TempDir() },
		"in a bucket":        func(t *testing.T) string { return s3test.Address(t) },
	} {
		t.Run(name, func(t *testing.T) {
			address, data := at(t), t.TempDir()
			test(t, func(lock Lock) *Files { return opened(t, address, data, lock) })
		})
	}
}

func opened(t *testing.T, address, data string, lock Lock) *Files {
	t.Helper()
	a, err := Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	f, err := Open(t.Context(), a, data, lock)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return f
}

func read(t *testing.T, in io.ReadSeekCloser, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	b, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestAFileIsKeptOnceAndStaysAsLongAsItIsUsed(t *testing.T) {
	everywhere(t, func(t *testing.T, open func(Lock) *Files) {
		f, ctx := open(nil).Archive, t.Context()
		var sha []byte
		for range 2 { // the same bytes twice
			var path string
			path, sha = whole(t, "a clip")
			if err := f.Add(ctx, path, sha, ok); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the file is left where it came from: %v", err)
			}
		}
		in, err := f.Open(ctx, hex.EncodeToString(sha))
		if got := read(t, in, err); got != "a clip" {
			t.Errorf("%q", got)
		}

		bad := errors.New("not known")
		for _, used := range []func() (bool, error){
			func() (bool, error) { return true, nil },
			func() (bool, error) { return false, bad },
		} {
			is, want := used()
			if err := f.RemoveUnused(ctx, sha, used); !errors.Is(err, want) {
				t.Errorf("removing one whose use is %v, %v: %v", is, want, err)
			}
			in, err := f.Open(ctx, hex.EncodeToString(sha))
			if err != nil {
				t.Errorf("a file whose use is %v, %v was removed", is, want)
			}
			in.Close()
		}
		for range 2 { // the second time there is nothing to remove
			if err := f.RemoveUnused(ctx, sha, func() (bool, error) { return false, nil }); err != nil {
				t.Error(err)
			}
		}
		if _, err := f.Open(ctx, hex.EncodeToString(sha)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a file that nobody uses: %v", err)
		}
		path, sha := whole(t, "not noted")
		if err := f.Add(ctx, path, sha, func() error { return fs.ErrInvalid }); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("what noting said is lost: %v", err)
		}
	})
}

func TestEachLeavesOthersFilesAlone(t *testing.T) {
	everywhere(t, func(t *testing.T, open func(Lock) *Files) {
		begin := time.Now()
		files, ctx := open(nil), t.Context()
		f := files.Archive
		path, sha := whole(t, "ours")
		if err := f.Add(ctx, path, sha, ok); err != nil {
			t.Fatal(err)
		}
		others := []string{"aa/aabb", "aa/" + hex.EncodeToString(make([]byte, 32)), "ab/not-hex", "file"}
		for _, name := range others {
			path, sum := whole(t, "others': "+name)
			if err := f.Place().Add(ctx, name, path, sum, nil); err != nil {
				t.Fatal(err)
			}
		}
		path, sum := whole(t, "an upload")
		if err := files.Uploads.Add(ctx, "some.png", path, sum, nil); err != nil {
			t.Fatal(err)
		}
		var found [][]byte
		if err := f.Each(ctx, func(sha []byte, since time.Time) error {
			found = append(found, sha)
			if d := since.Sub(begin); d < -time.Minute || d > time.Hour {
				t.Errorf("it is there since %v", since)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if len(found) != 1 || !slices.Equal(found[0], sha) {
			t.Errorf("found %x, want %x", found, sha)
		}
		var names []string
		if err := files.Uploads.Each(ctx, func(name string, _ time.Time) error { names = append(names, name); return nil }); err != nil || !slices.Equal(names, []string{"some.png"}) {
			t.Errorf("uploads %q, %v", names, err)
		}
		stop := errors.New("enough")
		if err := f.Place().Each(ctx, func(string, time.Time) error { return stop }); !errors.Is(err, stop) {
			t.Errorf("what the caller said is lost: %v", err)
		}
		for _, name := range []string{"", "..", "../partial/ours", "abcd"} {
			if _, err := f.Open(ctx, name); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("opened %q: %v", name, err)
			}
			if _, err := files.Uploads.Open(ctx, name); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("opened the upload %q: %v", name, err)
			}
		}
		over, cancel := context.WithCancel(ctx)
		cancel()
		if err := f.Each(over, func([]byte, time.Time) error { return nil }); !errors.Is(err, context.Canceled) {
			t.Errorf("of a caller who has left: %v", err)
		}
	})
}

// Two that add the same at once, and others who find that nobody uses it at that very
// moment, each with files of their own that share a lock: what was noted stays.
func TestAddAndRemoveAtOnce(t *testing.T) {
	everywhere(t, func(t *testing.T, open func(Lock) *Files) {
		lock, ctx := ownLock(), t.Context()
		a, b := open(lock).Archive, open(lock).Archive
		var mu sync.Mutex
		users := map[string]int{}
		use := func(sha []byte, d int) func() error {
			return func() error {
				mu.Lock()
				defer mu.Unlock()
				users[string(sha)] += d
				return nil
			}
		}
		unused := func(sha []byte) func() (bool, error) {
			return func() (bool, error) {
				mu.Lock()
				defer mu.Unlock()
				return users[string(sha)] > 0, nil
			}
		}
		var work sync.WaitGroup
		texts := []string{"one", "two"}
		for i, f := range []*Archive{a, b, a, b} {
			work.Go(func() {
				for n := range 12 {
					path, sha := whole(t, texts[(n+i)%2])
					if err := f.Add(ctx, path, sha, use(sha, 1)); err != nil {
						t.Error(err)
						return
					}
					in, err := f.Open(ctx, hex.EncodeToString(sha))
					if err != nil {
						t.Errorf("a file in use: %v", err)
						return
					}
					in.Close()
					if n == 11 && i == 0 {
						return // stays in use
					}
					_ = use(sha, -1)()
					if err := f.RemoveUnused(ctx, sha, unused(sha)); err != nil {
						t.Error(err)
					}
				}
			})
		}
		work.Wait()
		var left []string
		if err := a.Each(ctx, func(sha []byte, _ time.Time) error { left = append(left, hex.EncodeToString(sha)); return nil }); err != nil {
			t.Fatal(err)
		}
		_, sha := whole(t, texts[1])
		if !slices.Equal(left, []string{hex.EncodeToString(sha)}) {
			t.Errorf("left are %q", left)
		}
	})
}

// What waits for a lock that another holds ends with its caller.
func TestALockThatIsNotHad(t *testing.T) {
	everywhere(t, func(t *testing.T, open func(Lock) *Files) {
		refused := errors.New("held by another")
		f := open(func(context.Context, []byte) (func(context.Context) error, func(), error) { return nil, nil, refused }).Archive
		path, sha := whole(t, "waits")
		noted := false
		if err := f.Add(t.Context(), path, sha, func() error { noted = true; return nil }); !errors.Is(err, refused) || noted {
			t.Errorf("added without the lock: %v, noted: %v", err, noted)
		}
		if err := f.RemoveUnused(t.Context(), sha, func() (bool, error) { return false, nil }); !errors.Is(err, refused) {
			t.Errorf("removed without the lock: %v", err)
		}
		if _, err := os.Stat(path); err != nil {
			t.Errorf("what was not added can't be added again: %v", err)
		}
	})
}

func TestWhatWasBrokenOffIsTidied(t *testing.T) {
	dir := t.TempDir()
	f := opened(t, dir, "", nil)
	left := filepath.Join(dir, "archive", "incoming", "file-1")
	if err := os.WriteFile(left, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := f.Archive.Place().Tidy(t.Context(), time.Now().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); err != nil {
		t.Errorf("what is younger: %v", err)
	}
	if err := f.Archive.Place().Tidy(t.Context(), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what is older: %v", err)
	}
}

// A process that was stopped under the lock until it was lost, while others went on: it
// removes nothing that they may have added meanwhile, and what it has noted is there.
func TestALockThatWasLost(t *testing.T) {
	everywhere(t, func(t *testing.T, open func(Lock) *Files) {
		var lost func()
		f := open(func(context.Context, []byte) (func(context.Context) error, func(), error) {
			return func(context.Context) error {
				if lost == nil {
					return nil
				}
				lost()
				lost = nil
				return errors.New("nothing was heard of its holder")
			}, func() {}, nil
		})
		ctx := t.Context()
		path, sha := whole(t, "kept")
		if err := f.Archive.Add(ctx, path, sha, ok); err != nil {
			t.Fatal(err)
		}
		lost = func() {}
		if err := f.Archive.RemoveUnused(ctx, sha, func() (bool, error) { return false, nil }); err == nil {
			t.Error("it is removed without the lock")
		}
		in, err := f.Archive.Open(ctx, hex.EncodeToString(sha))
		if got := read(t, in, err); got != "kept" {
			t.Errorf("%q", got)
		}
		if !f.Shared {
			return // nobody else removes anything there
		}
		path, sha = whole(t, "noted late")
		notes := 0
		lost = func() {
			if err := f.Archive.Place().Remove(ctx, Name(sha)); err != nil {
				t.Error(err)
			}
		}
		if err := f.Archive.Add(ctx, path, sha, func() error { notes++; return nil }); err != nil || notes != 1 {
			t.Errorf("noted %d times, %v", notes, err)
		}
		in, err = f.Archive.Open(ctx, hex.EncodeToString(sha))
		if got := read(t, in, err); got != "noted late" {
			t.Errorf("%q", got)
		}
	})
}
