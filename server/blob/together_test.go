package blob_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"screentest/server/blob"
	"screentest/server/pgtest"
	"screentest/server/s3test"
	"screentest/server/store"
)

const sealKey = "c2NyZWVudGVzdC1zY3JlZW50ZXN0LXNjcmVlbnRlc3Q="

// replica is what one of several servers has: its own connections to the database and
// to the files.
func replica(t *testing.T, database, address string) (*store.DB, *blob.Archive) {
	t.Helper()
	db, err := store.Open(t.Context(), t.TempDir(), store.Options{Database: database, SealKey: sealKey})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	at, err := blob.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	f, err := blob.Open(t.Context(), at, "", db.FileLock())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return db, f.Archive
}

// Replicas that share no memory, but a database and its lock, add the same files and
// find them unused at the same moments: a file that somebody noted is there.
func TestReplicasAddAndRemoveAtOnce(t *testing.T) {
	for name, at := range map[string]func() string{
		"a shared folder": t.TempDir,
		"a bucket":        func() string { return s3test.Address(t) },
	} {
		t.Run(name, func(t *testing.T) {
			database, address, dir := pgtest.URL(t), at(), t.TempDir()
			// The notes of who uses a file, as the database would have them.
			var mu sync.Mutex
			users := map[string]int{}
			use := func(sha string, d int) {
				mu.Lock()
				defer mu.Unlock()
				users[sha] += d
			}
			var work sync.WaitGroup
			for i := range 3 {
				_, files := replica(t, database, address)
				work.Go(func() {
					for n := range 15 {
						text := []byte{'a' + byte((n+i)%2)}
						sum := sha256.Sum256(text)
						sha := hex.EncodeToString(sum[:])
						path := filepath.Join(dir, string('x'+rune(i)))
						if err := os.WriteFile(path, text, 0o600); err != nil {
							t.Error(err)
							return
						}
						if err := files.Add(t.Context(), path, sum[:], func() error { use(sha, 1); return nil }); err != nil {
							t.Error(err)
							return
						}
						in, err := files.Open(t.Context(), sha)
						if err != nil {
							t.Errorf("a file in use: %v", err)
							return
						}
						in.Close()
						use(sha, -1)
						if err := files.RemoveUnused(t.Context(), sum[:], func() (bool, error) {
							mu.Lock()
							defer mu.Unlock()
							return users[sha] > 0, nil
						}); err != nil {
							t.Error(err)
							return
						}
					}
				})
			}
			work.Wait()
			_, files := replica(t, database, address)
			if err := files.Each(t.Context(), func(sha []byte, _ time.Time) error {
				t.Errorf("%x is left, which nobody uses", sha)
				return nil
			}); err != nil {
				t.Error(err)
			}
		})
	}
}

// The lock is all replicas', one file's, and given back; who leaves waits no more.
func TestTheLockIsSharedByReplicas(t *testing.T) {
	database, dir := pgtest.URL(t), t.TempDir()
	a, _ := replica(t, database, dir)
	b, _ := replica(t, database, dir)
	one, two := []byte("one"), []byte("two")
	_, unlock, err := a.FileLock()(t.Context(), one)
	if err != nil {
		t.Fatal(err)
	}
	if _, other, err := b.FileLock()(t.Context(), two); err != nil {
		t.Errorf("another file's: %v", err)
	} else {
		other()
	}
	had, waited := make(chan error, 1), false
	go func() {
		_, unlock, err := b.FileLock()(t.Context(), one)
		if err == nil {
			if !waited {
				err = errors.New("it is held by two")
			}
			unlock()
		}
		had <- err
	}()
	select {
	case err := <-had:
		t.Fatalf("had while it was held: %v", err)
	case <-time.After(200 * time.Millisecond):
	}
	waited = true // seen by whoever has the lock after
	unlock()
	if err := <-had; err != nil {
		t.Error(err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := a.FileLock()(over, one); err == nil {
		t.Error("had by who has left")
	}
}

// One process alone, with its database in a file, needs none.
func TestAFileHasNoLock(t *testing.T) {
	db, err := store.Open(t.Context(), t.TempDir(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if db.FileLock() != nil {
		t.Error("there is one")
	}
}
