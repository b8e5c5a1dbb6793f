package video_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"screentest/server/s3test"
	"screentest/server/video"
	"screentest/shared/wire"
)

// in has the files at an address, as -files has it.
func in(address string) option { return func(w *world) { w.at = address } }

// everywhere runs a test with the files in each kind of place.
func everywhere(t *testing.T, test func(t *testing.T, place option)) {
	t.Run("in the data folder", func(t *testing.T) { test(t, in("")) })
	t.Run("in a shared folder", func(t *testing.T) { test(t, in(t.TempDir())) })
	t.Run("in a bucket", func(t *testing.T) { test(t, in(s3test.Address(t))) })
}

// fetched counts how often a file was asked for at the gateway.
func fetched(n *atomic.Int32) option {
	return front(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.URL.Path, "/files/") {
				n.Add(1)
			}
			next.ServeHTTP(w, r)
		})
	})
}

// An object store that is gone for a while: what is in it is to be asked for again, a
// clip plays from the gateway while that has it, and what is made meanwhile comes
// into the archive later, without being fetched again.
func TestAStoreThatIsGoneForAWhile(t *testing.T) {
	s := s3test.New(t)
	var n atomic.Int32
	w := newWorld(t, in(s.Address(t)), fetched(&n))
	kept, expired := w.create(body("kept")), w.create(body("expired"))
	w.awaitSaved(kept)
	w.awaitSaved(expired)
	_, film, _ := w.media(kept, 0, "")
	poster := func() *http.Request {
		return httptest.NewRequestWithContext(t.Context(), "POST", "/", bytes.NewReader(picture(t, "png")))
	}
	if err := w.SetPoster(poster(), w.owner, kept, 0); err != nil {
		t.Fatal(err)
	}
	up := must(w.Upload(t.Context(), w.owner, "x.png", bytes.NewReader(picture(t, "png"))))
	had := n.Load()

	s.Stop(t)
	if res, got, err := w.media(kept, 0, ""); err != nil || res.StatusCode != 200 || !bytes.Equal(got, film) {
		t.Errorf("what the gateway has too: %d, %d bytes, %v", res.StatusCode, len(got), err)
	}
	w.mu.Lock()
	w.offset = 15 * 24 * time.Hour
	w.mu.Unlock()
	w.Tidy(t.Context())
	w.awaitState(expired, wire.VideoExpired)
	get := func() *http.Request { return httptest.NewRequestWithContext(t.Context(), "GET", "/", nil) }
	for what, err := range map[string]error{
		"a clip":    func() error { _, _, err := w.media(expired, 0, ""); return err }(),
		"a poster":  w.ServePoster(httptest.NewRecorder(), get(), w.owner, kept, 0),
		"an upload": w.ServeUpload(httptest.NewRecorder(), get(), strings.TrimPrefix(up.Path, wire.UploadedPath)),
		"to upload": func() error {
			_, err := w.Upload(t.Context(), w.owner, "y.png", bytes.NewReader(picture(t, "png")))
			return err
		}(),
		"set poster": w.SetPoster(poster(), w.owner, expired, 0),
	} {
		if p := problemOf(t, err); p.Code != "files_away" || p.Status != http.StatusServiceUnavailable || p.RetryAfterMS == 0 {
			t.Errorf("%s: %+v", what, p)
		}
	}
	n.Store(had)
	made := w.create(body("meanwhile"))
	w.awaitState(made, wire.VideoDone)
	w.until(func() bool { return w.tries(made) >= 2 })
	if o := w.task(made).Outputs[0]; o.Archive != wire.ArchiveWaiting && o.Archive != wire.ArchiveCopying {
		t.Errorf("it is %s: %+v", o.Archive, o.Problem)
	}
	again := w.create(body("upload again"))
	w.awaitState(again, wire.VideoDone)

	s.Start(t)
	w.awaitSaved(made)
	w.awaitSaved(again)
	if got := n.Load() - had; got != 2 {
		t.Errorf("the two were fetched %d times", got)
	}
	if names := w.archived(); len(names) != 5 { // four clips and a poster
		t.Errorf("kept are %v", names)
	}
	if res, _, err := w.media(expired, 0, ""); err != nil || res.StatusCode != 200 {
		t.Errorf("it plays again: %d, %v", res.StatusCode, err)
	}
	w.balanced()
}

// sweeps is how often it was looked for files that nobody uses, where others have them
// too.
func (w *world) sweeps() int { return strings.Count(w.logs.text(), "were looked for") }

// tries is how often the copy of a task's file failed.
func (w *world) tries(id string) (n int) {
	for line := range strings.Lines(w.logs.text()) {
		if strings.Contains(line, "a clip was not copied") && strings.Contains(line, id) {
			n++
		}
	}
	return n
}

// A copy that had all come when the process was killed is not fetched again, and one
// that isn't what it was is.
func TestWhatHasAllComeIsNotFetchedAgain(t *testing.T) {
	for name, spoil := range map[string]bool{"as it was": false, "spoilt": true} {
		t.Run(name, func(t *testing.T) {
			s := s3test.New(t)
			var n atomic.Int32
			w := newWorld(t, in(s.Address(t)), fetched(&n), limits(video.Limits{RetryCopy: time.Hour}))
			s.Stop(t)
			id := w.create(body("all there"))
			w.awaitState(id, wire.VideoDone)
			w.until(func() bool { return w.tries(id) > 0 })
			w.stop()
			path := filepath.Join(w.dir, "archive", "partial", w.owner+"-"+id+"-0")
			if spoil {
				b := must(os.ReadFile(path))
				b[len(b)/2] ^= 1
				must(0, os.WriteFile(path, b, 0o600))
			}
			s.Start(t)
			w.start()
			w.awaitSaved(id)
			if got, want := n.Load(), map[bool]int32{false: 1, true: 2}[spoil]; got != want {
				t.Errorf("fetched %d times, want %d", got, want)
			}
			if len(w.archived()) != 1 {
				t.Errorf("kept are %v", w.archived())
			}
			if left := must(os.ReadDir(filepath.Dir(path))); len(left) != 0 {
				t.Errorf("left is %v", left)
			}
		})
	}
}

// Where others add to the files too, a sweep leaves what is young: whoever has put it
// is about to note it. Old files that nobody uses go, and none that somebody does.
func TestASweepLeavesWhatIsYoung(t *testing.T) {
	everywhere(t, func(t *testing.T, place option) {
		w := newWorld(t, place)
		shared := w.Files.Shared
		id := w.create(body("in use"))
		w.awaitSaved(id)
		up := must(w.Upload(t.Context(), w.owner, "x.png", bytes.NewReader(picture(t, "png"))))
		used := w.archived()[0]
		orphan := func(text string) string {
			path := filepath.Join(w.dir, "archive", "partial", "orphan")
			must(0, os.WriteFile(path, []byte(text), 0o600))
			sum := sha256.Sum256([]byte(text))
			must(0, w.Files.Archive.Add(t.Context(), path, sum[:], func() error { return nil }))
			must(0, os.WriteFile(path, []byte(text), 0o600))
			must(0, w.Files.Uploads.Add(t.Context(), "orphan.png", path, nil, nil))
			return hex.EncodeToString(sum[:])
		}
		left := orphan("nobody's")
		half := filepath.Join(w.dir, "uploads", "upload-1.part")
		must(0, os.WriteFile(half, []byte("half"), 0o600))
		restart := func(after time.Duration) {
			w.stop()
			before := w.sweeps()
			w.mu.Lock()
			w.offset = after
			w.mu.Unlock()
			w.start()
			// The sweep of what others have too goes on beside what else is done.
			w.until(func() bool { return !shared || w.sweeps() > before })
		}
		restart(time.Hour)
		if _, err := os.Stat(half); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("an upload that never came whole is left: %v", err)
		}
		if shared {
			if !slices.Contains(w.archived(), left) || !slices.Contains(w.uploaded(), "orphan.png") {
				t.Errorf("what is young was removed: %v, %v", w.archived(), w.uploaded())
			}
			restart(25 * time.Hour)
		}
		if names := w.archived(); len(names) != 1 || names[0] != used {
			t.Errorf("kept are %v, want %v", names, used)
		}
		if names := w.uploaded(); len(names) != 1 || !strings.HasPrefix(names[0], up.ID) {
			t.Errorf("uploads are %v", names)
		}
	})
}

// Of several replicas one looks for files that nobody uses.
func TestOneReplicaSweeps(t *testing.T) {
	w := newWorld(t, in(t.TempDir()), func(w *world) { w.first = func() bool { return false } })
	others := func() int { return strings.Count(w.logs.text(), "another replica's to look for") }
	w.until(func() bool { return w.sweeps()+others() > 0 })
	if w.sweeps() != 0 {
		t.Error("another one sweeps, too")
	}
}

// Nobody knows what a bucket has left, and on the own disk, which a copy comes onto
// first, nothing can give way to it.
func TestRoomBesideABucket(t *testing.T) {
	var room atomic.Int64
	room.Store(1 << 40)
	w := newWorld(t, in(s3test.Address(t)), free(func(string) int64 { return room.Load() }), limits(video.Limits{Grace: 20 * time.Millisecond}))
	first := w.create(body("first"))
	w.awaitSaved(first)
	if a := must(w.ArchiveNow(t.Context(), w.owner)); a.FreeBytes != -1 || a.Warn {
		t.Errorf("%+v", a)
	}
	room.Store(1000)
	id := w.create(body("no room here"))
	w.await(id, "full", archiveIs(wire.ArchiveFull))
	if names := w.archived(); len(names) != 1 {
		t.Errorf("kept are %v", names)
	}
	room.Store(1 << 40)
	w.awaitSaved(id)
	used := must(w.ArchiveNow(t.Context(), w.owner))
	w.quota(used.Bytes + 1000) // for these two: the quota holds here too
	w.awaitSaved(w.create(body("makes the first go")))
	if w.task(first).Archived || len(w.archived()) != 2 {
		t.Errorf("kept are %v", w.archived())
	}
}

// Who leaves in the middle of a clip takes the call to the store along.
func TestALeaverEndsTheRead(t *testing.T) {
	w := newWorld(t, in(s3test.Address(t)))
	id := w.create(body("left"))
	w.awaitSaved(id)
	ctx, leave := context.WithCancel(t.Context())
	leave()
	r := httptest.NewRequestWithContext(ctx, "GET", wire.MediaPathOf(id, 0), nil)
	if err := w.ServeMedia(httptest.NewRecorder(), r, w.owner, id, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
