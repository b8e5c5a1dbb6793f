package video_test

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"screentest/server/video"
	"screentest/shared/wire"
)

const mega = 1 << 20

// reserve is what is left free on the disk for the database.
const reserve = 256 * mega

// film is a file of that many bytes that passes for a clip.
func film(bytes int) []byte {
	f := make([]byte, bytes)
	copy(f, "\x00\x00\x00\x14ftypisom\x00\x00\x00\x00isom")
	return f
}

// host serves files of its own for the gateway's: the nth task asked for gets
// the nth handler.
func host(files ...http.HandlerFunc) option {
	var mu sync.Mutex
	var paths []string
	return front(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !strings.HasPrefix(r.URL.Path, "/files/") {
				next.ServeHTTP(w, r)
				return
			}
			mu.Lock()
			n := 0
			for n < len(paths) && paths[n] != r.URL.Path {
				n++
			}
			if n == len(paths) {
				paths = append(paths, r.URL.Path)
			}
			mu.Unlock()
			files[n](w, r)
		})
	})
}

// told serves a file whose size is told and that can be gone on with.
func told(file []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"`+strconv.Itoa(len(file))+`"`)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(file))
	}
}

// brokenOff serves a file as told does, but breaks off the first time, after that
// many bytes. spans are the ranges that it was asked for.
func brokenOff(file []byte, after int, spans chan<- string) http.HandlerFunc {
	var calls atomic.Int32
	return func(w http.ResponseWriter, r *http.Request) {
		spans <- r.Header.Get("Range")
		if calls.Add(1) > 1 {
			told(file)(w, r)
			return
		}
		w.Header().Set("ETag", `"`+strconv.Itoa(len(file))+`"`)
		w.Header().Set("Content-Length", strconv.Itoa(len(file)))
		_, _ = w.Write(file[:after])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

// partials is the size of what is there of copies under way.
func (w *world) partials() int64 { return partials(filepath.Join(w.dir, "archive")) }

func partials(archive string) (sum int64) {
	entries, _ := os.ReadDir(filepath.Join(archive, "partial"))
	for _, e := range entries {
		if info, err := e.Info(); err == nil && !strings.HasSuffix(e.Name(), ".json") {
			sum += info.Size()
		}
	}
	return sum
}

func archiveIs(state wire.ArchiveState) func(wire.VideoTask) bool {
	return func(t wire.VideoTask) bool { return len(t.Outputs) > 0 && t.Outputs[0].Archive == state }
}

// A host that doesn't tell the size of a file gets no more room than others,
// and what came of the file does not stay. The next try begins only once there
// is room for as much as came before.
func TestAFileOfUntoldSizeHasToFit(t *testing.T) {
	endless := func(again chan<- struct{}) http.HandlerFunc {
		var calls atomic.Int32
		piece := make([]byte, mega)
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("ETag", `"same"`) // it could be gone on with if its size were told
			_, _ = w.Write(film(1000))
			if calls.Add(1) > 1 {
				_ = http.NewResponseController(w).Flush()
				<-r.Context().Done() // the copier has hung up
				select {
				case again <- struct{}{}:
				default:
				}
				return
			}
			for range 64 {
				if _, err := w.Write(piece); err != nil {
					return
				}
			}
		}
	}
	for name, c := range map[string]struct {
		first int   // bytes that are archived already
		quota int64 // 0: much
		disk  int64 // of room on the disk beyond the reserve; 0: much
		state wire.ArchiveState
		most  int64 // of the partial
	}{
		"the quota":       {first: 12 * mega, quota: 32 * mega, state: wire.ArchiveFull, most: 20*mega + 8*mega + mega},
		"the whole quota": {first: mega, quota: 7 * mega, state: wire.ArchiveFailed, most: 8*mega + mega},
		"the disk":        {first: mega, disk: 20 * mega, state: wire.ArchiveFull, most: 24*mega + mega},
	} {
		t.Run(name, func(t *testing.T) {
			var begun atomic.Bool // with the one of untold size
			var most atomic.Int64 // of it, on the disk
			again := make(chan struct{}, 1)
			w := newWorld(t, limits(video.Limits{Grace: 300 * time.Millisecond}), host(told(film(c.first)), endless(again)),
				free(func(archive string) int64 {
					if !begun.Load() {
						return 1 << 40
					}
					used := partials(archive)
					most.Store(max(most.Load(), used))
					if c.disk == 0 {
						return 1 << 40
					}
					return reserve + c.disk - used
				}))
			w.awaitSaved(w.create(body("first"))) // which does not give way to what may have no end
			if c.quota > 0 {
				w.quota(c.quota)
			}
			begun.Store(true)
			id := w.create(body("of untold size"))
			w.await(id, string(c.state), archiveIs(c.state))
			if n := w.partials(); n != 0 {
				t.Errorf("%d bytes of it stay", n)
			}
			if c.state == wire.ArchiveFull {
				select {
				case <-again:
				case <-time.After(20 * time.Second):
					t.Error("it was copied again as far as it had been")
				}
			}
			if n := most.Load(); n == 0 || n > c.most {
				t.Errorf("%d bytes came, want at most %d", n, c.most)
			}
			if names := w.archived(); len(names) != 1 {
				t.Errorf("kept %v", names)
			}
		})
	}
}

// Nothing gives way to a file that would not fit even so.
func TestNothingIsRemovedInVain(t *testing.T) {
	var tries atomic.Int32
	large := told(film(90_000))
	w := newWorld(t, limits(video.Limits{Grace: 20 * time.Millisecond}), host(told(film(20_000)), told(film(60_000)), func(w http.ResponseWriter, r *http.Request) {
		tries.Add(1)
		large(w, r)
	}))
	w.awaitSaved(w.create(body("may give way")))
	pinned := w.create(body("stays"))
	w.awaitSaved(pinned)
	yes := true
	must(w.Edit(t.Context(), w.owner, wire.VideoEdit{ID: pinned, Pinned: &yes}))
	w.quota(100_000)
	id := w.create(body("too large beside it"))
	w.await(id, "full", archiveIs(wire.ArchiveFull))
	for end := time.Now().Add(20 * time.Second); tries.Load() < 5 && time.Now().Before(end); {
		time.Sleep(5 * time.Millisecond)
	}
	if n := tries.Load(); n < 5 {
		t.Errorf("tried %d times", n)
	}
	if names := w.archived(); len(names) != 2 {
		t.Errorf("kept %v", names)
	}
}

// Two copies at once are not both given the same room.
func TestTwoCopiesShareTheRoom(t *testing.T) {
	const size = 3 * mega
	begun, more := make(chan struct{}, 2), make(chan struct{})
	slow := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(size))
		_, _ = w.Write(film(1000))
		_ = http.NewResponseController(w).Flush()
		begun <- struct{}{}
		<-more
		_, _ = w.Write(make([]byte, size-1000))
	}
	w := newWorld(t, limits(video.Limits{Grace: time.Hour, Copiers: 2}), host(slow, slow), free(func(string) int64 { return reserve + size + size/2 }))
	one, two := w.create(body("one")), w.create(body("two"))
	<-begun
	<-begun
	full := func() (n int) {
		for _, id := range []string{one, two} {
			if t := w.task(id); archiveIs(wire.ArchiveFull)(t) {
				n++
			}
		}
		return n
	}
	for end := time.Now().Add(20 * time.Second); full() == 0 && time.Now().Before(end); {
		time.Sleep(5 * time.Millisecond)
	}
	close(more)
	if n := full(); n != 1 {
		t.Errorf("%d of the two wait for room, want one", n)
	}
}

// What a broken copy has on the disk needs no room there a second time.
func TestACopyThatGoesOnNeedsRoomForTheRestOnly(t *testing.T) {
	const size, after = 100_000, 60_000
	for name, c := range map[string]struct {
		free  int64
		state wire.ArchiveState
	}{
		"the rest fits exactly": {reserve + size - after, wire.ArchiveSaved},
		"a byte is missing":     {reserve + size - after - 1, wire.ArchiveFull},
	} {
		t.Run(name, func(t *testing.T) {
			spans := make(chan string, 9)
			var now atomic.Int64
			now.Store(1 << 40)
			w := newWorld(t, limits(video.Limits{RetryCopy: time.Hour}), host(brokenOff(film(size), after, spans)),
				free(func(string) int64 { return now.Load() }))
			id := w.create(body("goes on"))
			w.await(id, "cut off", func(wire.VideoTask) bool { return w.partials() == after })
			w.stop()
			now.Store(c.free)
			w.start()
			w.await(id, string(c.state), archiveIs(c.state))
			if first, second := <-spans, <-spans; first != "" || second != "bytes=60000-" {
				t.Errorf("asked for %q, then for %q", first, second)
			}
		})
	}
}

// What came of a file for which there is no room is there for the next try, but
// not where the disk is so short that the database may not go on.
func TestWhatCameIsKeptWhileTheDiskHasRoom(t *testing.T) {
	const size, after = 100_000, 60_000
	for name, c := range map[string]struct {
		free, quota int64 // quota 0: much
		kept        bool
	}{
		"too little quota":                      {1 << 40, size + 10_000, true},
		"a disk that has its reserve":           {reserve, 0, true},
		"a disk that has less than its reserve": {reserve - 1, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			spans := make(chan string, 9)
			var now atomic.Int64
			now.Store(1 << 40)
			w := newWorld(t, limits(video.Limits{RetryCopy: time.Hour}), host(told(film(20_000)), brokenOff(film(size), after, spans)),
				free(func(string) int64 { return now.Load() }))
			w.awaitSaved(w.create(body("first")))
			id := w.create(body("second"))
			w.await(id, "cut off", func(wire.VideoTask) bool { return w.partials() == after })
			if c.quota > 0 {
				w.quota(c.quota)
			}
			w.stop()
			now.Store(c.free)
			w.start()
			w.await(id, "full", archiveIs(wire.ArchiveFull))
			if n := w.partials(); (n == after) != c.kept || !c.kept && n != 0 {
				t.Errorf("%d bytes of it are there, want them kept: %v", n, c.kept)
			}
			// There is room again.
			now.Store(1 << 40)
			must(w.SetArchive(t.Context(), w.owner, wire.ArchiveSettings{QuotaBytes: wire.DefaultQuota, MakeRoom: true}))
			if saved := w.awaitSaved(id); saved.Outputs[0].Bytes != size {
				t.Errorf("%+v", saved.Outputs)
			}
			<-spans
			if second, third := <-spans, <-spans; second != "bytes=60000-" || (third == second) != c.kept {
				t.Errorf("asked for %q, then for %q", second, third)
			}
		})
	}
}

// A clip that is deleted for good while its copy waits for the next try leaves
// nothing of it on the disk.
func TestThePartialCopyOfADeletedClipGoes(t *testing.T) {
	spans := make(chan string, 9)
	w := newWorld(t, limits(video.Limits{RetryCopy: time.Hour}), host(brokenOff(film(100_000), 60_000, spans)))
	id := w.create(body("gone"))
	w.await(id, "cut off", func(wire.VideoTask) bool { return w.partials() == 60_000 })
	if err := w.Delete(t.Context(), w.owner, id); err != nil {
		t.Fatal(err)
	}
	w.mu.Lock()
	w.offset = 2 * time.Hour
	w.mu.Unlock()
	w.Tidy(t.Context())
	must(w.SetArchive(t.Context(), w.owner, wire.ArchiveSettings{MakeRoom: true})) // has all that waits tried now
	dir := filepath.Join(w.dir, "archive", "partial")
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end) && len(must(os.ReadDir(dir))) > 0; {
		time.Sleep(5 * time.Millisecond)
	}
	if left := must(os.ReadDir(dir)); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}
