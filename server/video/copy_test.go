package video_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"screentest/server/video"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// archived lists the files of the archive, each held against its name.
func (w *world) archived() (names []string) {
	w.t.Helper()
	ctx := context.Background()
	if err := w.Files.Archive.Each(ctx, func(sha []byte, _ time.Time) error {
		name := hex.EncodeToString(sha)
		in, err := w.Files.Archive.Open(ctx, name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // removed meanwhile
		}
		if err != nil {
			return err
		}
		defer in.Close()
		sum := sha256.New()
		if _, err := io.Copy(sum, in); err != nil {
			return err
		}
		if hex.EncodeToString(sum.Sum(nil)) != name {
			w.t.Errorf("%s is not what its name says", name)
		}
		names = append(names, name)
		return nil
	}); err != nil {
		w.t.Fatal(err)
	}
	return names
}

// uploaded lists the files of uploads.
func (w *world) uploaded() (names []string) {
	w.t.Helper()
	if err := w.Files.Uploads.Each(context.Background(), func(name string, _ time.Time) error { names = append(names, name); return nil }); err != nil {
		w.t.Fatal(err)
	}
	return names
}

// cutter breaks off each of the first answers for a file after a number of
// bytes, and notes what was asked for.
type cutter struct {
	after  int
	mu     sync.Mutex
	left   int
	ranges []string
}

func (c *cutter) front(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/files/") {
			next.ServeHTTP(w, r)
			return
		}
		if r.Header.Get("Authorization") != "" {
			panic("G40: the key came along")
		}
		c.mu.Lock()
		c.ranges = append(c.ranges, r.Header.Get("Range"))
		cut := c.left > 0
		c.left--
		c.mu.Unlock()
		if !cut {
			next.ServeHTTP(w, r)
			return
		}
		rec := httptest.NewRecorder()
		next.ServeHTTP(rec, r)
		for k, v := range rec.Header() {
			w.Header()[k] = v
		}
		w.WriteHeader(rec.Code)
		_, _ = w.Write(rec.Body.Bytes()[:c.after])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
}

func TestACopyGoesOnWhereItBroke(t *testing.T) {
	c := &cutter{after: 5_000, left: 3}
	w := newWorld(t, front(c.front))
	id := w.create(body("a long way"))
	saved := w.awaitSaved(id)
	if names := w.archived(); len(names) != 1 || names[0] != saved.Outputs[0].SHA256 || saved.Outputs[0].Seconds != 6 {
		t.Errorf("%v, %+v", names, saved.Outputs)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	want := []string{"", "bytes=5000-", "bytes=10000-", "bytes=15000-"}
	if len(c.ranges) < 4 || strings.Join(c.ranges[:4], " ") != strings.Join(want, " ") {
		t.Errorf("asked for %q, want %q", c.ranges, want)
	}
	if left := must(os.ReadDir(filepath.Join(w.dir, "archive", "partial"))); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// A host that sends a little and then a byte now and then, for ever, gives the
// copier back; what came is kept, and the next try goes on there.
func TestACopyThatCreepsEndsAndGoesOn(t *testing.T) {
	var creeps atomic.Int32
	ranges := make(chan string, 100)
	w := newWorld(t, limits(video.Limits{CopyWithin: 300 * time.Millisecond}), front(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !strings.HasPrefix(r.URL.Path, "/files/") {
				next.ServeHTTP(w, r)
				return
			}
			ranges <- r.Header.Get("Range")
			if creeps.Add(1) > 1 {
				next.ServeHTTP(w, r)
				return
			}
			rec := httptest.NewRecorder()
			next.ServeHTTP(rec, r)
			for k, v := range rec.Header() {
				w.Header()[k] = v
			}
			w.WriteHeader(rec.Code)
			_, _ = w.Write(rec.Body.Bytes()[:3000])
			for rest := rec.Body.Bytes()[3000:]; len(rest) > 0; rest = rest[1:] {
				if http.NewResponseController(w).Flush() != nil {
					return
				}
				select {
				case <-time.After(20 * time.Millisecond):
				case <-r.Context().Done():
					return
				}
				_, _ = w.Write(rest[:1])
			}
		})
	}))
	w.awaitSaved(w.create(body("creeps")))
	if first, second := <-ranges, <-ranges; first != "" || !strings.HasPrefix(second, "bytes=3") {
		t.Errorf("asked for %q, then for %q", first, second)
	}
	w.archived()
}

func TestACopyGoesOnAfterARestart(t *testing.T) {
	c := &cutter{after: 4_000, left: 1}
	w := newWorld(t, limits(video.Limits{RetryCopy: time.Hour}), front(c.front))
	id := w.create(body("interrupted"))
	w.await(id, "cut off", func(wire.VideoTask) bool {
		info, err := os.Stat(filepath.Join(w.dir, "archive", "partial", w.owner+"-"+id+"-0"))
		return err == nil && info.Size() == 4_000
	})
	w.stop()
	w.start()
	if saved := w.awaitSaved(id); saved.Outputs[0].Seconds != 6 {
		t.Errorf("%+v", saved)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ranges[1] != "bytes=4000-" {
		t.Errorf("asked for %q", c.ranges)
	}
	w.archived()
}

// A file that is another one by now is copied from its beginning.
func TestACopyOfAnotherFileBeginsAnew(t *testing.T) {
	mp4 := append([]byte("\x00\x00\x00\x14ftypisom\x00\x00\x00\x00isom"), bytes.Repeat([]byte("x"), 100_000)...)
	var calls atomic.Int32
	w := newWorld(t, front(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !strings.HasPrefix(r.URL.Path, "/files/") {
				next.ServeHTTP(w, r)
				return
			}
			n := calls.Add(1)
			w.Header().Set("ETag", `"`+strconv.Itoa(min(int(n), 2))+`"`)
			if n == 1 {
				w.Header().Set("Content-Length", strconv.Itoa(len(mp4)))
				_, _ = w.Write(mp4[:5000])
				_ = http.NewResponseController(w).Flush()
				panic(http.ErrAbortHandler)
			}
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(append(mp4, byte(n))))
		})
	}))
	id := w.create(body("changes"))
	if saved := w.awaitSaved(id); saved.Outputs[0].Bytes != int64(len(mp4)+1) {
		t.Errorf("%+v", saved.Outputs)
	}
	w.archived()
}

func TestWhatIsNoClipIsNotKept(t *testing.T) {
	for name, c := range map[string]struct {
		limits video.Limits
		serve  http.HandlerFunc
		code   string
	}{
		"a web page called video": {serve: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "video/mp4")
			_, _ = io.WriteString(w, "<!doctype html><script>alert(1)</script>")
		}, code: "not_media"},
		"too large": {limits: video.Limits{MaxFile: 1000}, serve: func(w http.ResponseWriter, r *http.Request) {
			_, _ = w.Write(make([]byte, 2000))
		}, code: "file_too_large"},
		"too large without saying so": {limits: video.Limits{MaxFile: 1000}, serve: func(w http.ResponseWriter, r *http.Request) {
			for range 10 {
				_, _ = w.Write(make([]byte, 500))
				_ = http.NewResponseController(w).Flush()
			}
		}, code: "file_too_large"},
		"a way into a private network": {serve: func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:9/internal", http.StatusFound)
		}, code: "private_address"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, limits(c.limits), front(func(next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if strings.HasPrefix(r.URL.Path, "/files/") {
						c.serve(w, r)
						return
					}
					next.ServeHTTP(w, r)
				})
			}))
			id := w.create(body("x"))
			failed := w.await(id, "not copied", func(t wire.VideoTask) bool {
				return len(t.Outputs) > 0 && t.Outputs[0].Archive == wire.ArchiveFailed
			})
			if p := failed.Outputs[0].Problem; p == nil || p.Code != c.code || failed.State != wire.VideoDone {
				t.Errorf("%+v, %+v", p, failed)
			}
			if names := w.archived(); len(names) != 0 {
				t.Errorf("kept %v", names)
			}
			if c.code != "not_media" {
				return
			}
			// Nor does a browser get it, in the clip's place or in a zip.
			for _, header := range [][]string{nil, {"Range", "bytes=0-"}, {"Range", "bytes=0-1023"}} {
				if res, got, err := w.media(id, 0, "", header...); err == nil || problemOf(t, err).Code != c.code {
					t.Errorf("%v: %d %q, %v", header, res.StatusCode, got, err)
				}
			}
			rec := httptest.NewRecorder()
			if err := w.ServeZip(rec, httptest.NewRequestWithContext(t.Context(), "GET", "/", nil), w.owner, []string{id}); err != nil || bytes.Contains(rec.Body.Bytes(), []byte("alert(1)")) {
				t.Errorf("%v %q", err, rec.Body)
			}
		})
	}
}

// Every file of a task is copied, not only the first, and each is played and
// put into a zip as itself.
func TestAllFilesOfATaskAreKept(t *testing.T) {
	films := [][]byte{movie(t), picture(t, "png")}
	w := newWorld(t, front(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case strings.HasPrefix(r.URL.Path, "/both/"):
				_, _ = w.Write(films[r.URL.Path[len("/both/")]-'0'])
			case r.Method == "GET" && strings.HasPrefix(r.URL.Path, gateway.Video.Path()+"/"):
				fmt.Fprintf(w, `{"code":"success","data":{"status":"SUCCESS","data":{"output":[{"url":"http://%[1]s/both/0"},{"url":"http://%[1]s/both/1"}]}}}`, r.Host)
			default:
				next.ServeHTTP(w, r)
			}
		})
	}))
	id := w.create(body("twins"))
	saved := w.awaitSaved(id)
	if len(saved.Outputs) != 2 || saved.Outputs[0].Type != "video/mp4" || saved.Outputs[1].Type != "image/png" || saved.Outputs[1].Width != 40 {
		t.Fatalf("%+v", saved.Outputs)
	}
	rec := httptest.NewRecorder()
	if err := w.ServeZip(rec, httptest.NewRequestWithContext(t.Context(), "GET", "/", nil), w.owner, []string{id}); err != nil {
		t.Fatal(err)
	}
	z := must(zip.NewReader(bytes.NewReader(rec.Body.Bytes()), int64(rec.Body.Len())))
	for i, want := range films {
		if sum := sha256.Sum256(want); saved.Outputs[i].SHA256 != hex.EncodeToString(sum[:]) {
			t.Errorf("file %d: %s", i, saved.Outputs[i].SHA256)
		}
		if _, got, err := w.media(id, i, ""); err != nil || !bytes.Equal(got, want) {
			t.Errorf("file %d: %d bytes, %v", i, len(got), err)
		}
		name := "twins-" + id[:8] + []string{"-1.mp4", "-2.png"}[i]
		if len(z.File) != 2 || z.File[i].Name != name {
			t.Errorf("in the zip %v, want %s", z.File, name)
		}
	}
}

// A copy that was given up is taken up again when a person asks.
func TestACopyThatWasGivenUpIsTriedAgain(t *testing.T) {
	var broken atomic.Bool
	broken.Store(true)
	w := newWorld(t, front(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.URL.Path, "/files/") && broken.Load() {
				_, _ = io.WriteString(w, "<!doctype html>maintenance")
				return
			}
			next.ServeHTTP(w, r)
		})
	}))
	id := w.create(body("twice"))
	w.await(id, "not copied", func(t wire.VideoTask) bool { return len(t.Outputs) > 0 && t.Outputs[0].Archive == wire.ArchiveFailed })
	broken.Store(false)
	if err := w.Check(t.Context(), w.owner, key, id); err != nil {
		t.Fatal(err)
	}
	if saved := w.awaitSaved(id); saved.Outputs[0].Problem != nil {
		t.Errorf("%+v", saved.Outputs[0].Problem)
	}
	if names := w.archived(); len(names) != 1 {
		t.Errorf("kept %v", names)
	}
}

// A copy for which there was no room is tried again when a person asks, and not
// only some minutes later.
func TestACopyWithoutRoomIsTriedAgain(t *testing.T) {
	var left atomic.Int64
	w := newWorld(t, limits(video.Limits{Grace: time.Hour}), free(func(string) int64 { return left.Load() }))
	id := w.create(body("no room"))
	w.await(id, "full", archiveIs(wire.ArchiveFull))
	left.Store(1 << 40)
	if err := w.Check(t.Context(), w.owner, key, id); err != nil {
		t.Fatal(err)
	}
	if saved := w.awaitSaved(id); saved.Outputs[0].Problem != nil {
		t.Errorf("%+v", saved.Outputs[0].Problem)
	}
}
