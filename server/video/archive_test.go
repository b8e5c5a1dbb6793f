package video_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"mime"
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
	paths := must(filepath.Glob(filepath.Join(w.dir, "archive", "??", "*")))
	for _, p := range paths {
		sum := sha256.Sum256(must(os.ReadFile(p)))
		if hex.EncodeToString(sum[:]) != filepath.Base(p) {
			w.t.Errorf("%s is not what its name says", p)
		}
		names = append(names, filepath.Base(p))
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
	if err := w.Check(t.Context(), w.owner, canary, id); err != nil {
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
	if err := w.Check(t.Context(), w.owner, canary, id); err != nil {
		t.Fatal(err)
	}
	if saved := w.awaitSaved(id); saved.Outputs[0].Problem != nil {
		t.Errorf("%+v", saved.Outputs[0].Problem)
	}
}

func TestMediaWithRange(t *testing.T) {
	for _, c := range []struct {
		name  string
		saved bool
	}{{"from the archive", true}, {"from the gateway", false}} {
		t.Run(c.name, func(t *testing.T) {
			var once sync.Once
			blocked := make(chan struct{})
			w := newWorld(t, limits(video.Limits{RetryCopy: time.Hour}), front(func(next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if !c.saved && strings.HasPrefix(r.URL.Path, "/files/") {
						first := false
						once.Do(func() { first = true })
						if first {
							close(blocked)
							panic(http.ErrAbortHandler) // the copy's attempt
						}
					}
					next.ServeHTTP(w, r)
				})
			}))
			id := w.create(body("range"))
			if c.saved {
				w.awaitSaved(id)
			} else {
				w.awaitState(id, wire.VideoDone)
				<-blocked
			}
			res, whole, err := w.media(id, 0, "")
			if err != nil || res.StatusCode != 200 || res.Header.Get("Content-Type") != "video/mp4" || res.Header.Get("Accept-Ranges") != "bytes" {
				t.Fatalf("%d %v %v", res.StatusCode, res.Header, err)
			}
			for _, h := range []string{"X-Content-Type-Options", "Content-Security-Policy"} {
				if res.Header.Get(h) == "" {
					t.Errorf("%s is missing", h)
				}
			}
			for _, r := range []struct {
				header   string
				from, to int
			}{{"bytes=0-99", 0, 100}, {"bytes=1000-", 1000, len(whole)}, {"bytes=-500", len(whole) - 500, len(whole)}} {
				res, part, err := w.media(id, 0, "", "Range", r.header)
				if err != nil || res.StatusCode != 206 || !bytes.Equal(part, whole[r.from:r.to]) {
					t.Errorf("%s: %d, %d bytes, %v", r.header, res.StatusCode, len(part), err)
				}
				// Of another file than the browser began: all of it.
				res, part, err = w.media(id, 0, "", "Range", r.header, "If-Range", `"other"`)
				if err != nil || res.StatusCode != 200 || !bytes.Equal(part, whole) {
					t.Errorf("If-Range %s: %d, %d bytes, %v", r.header, res.StatusCode, len(part), err)
				}
			}
			if res, _, err := w.media(id, 0, "", "Range", "bytes=99999999-"); err == nil && res.StatusCode != 416 {
				t.Errorf("past the end: %d", res.StatusCode)
			}
			res, _, err = w.media(id, 0, "?download=1")
			if got := res.Header.Get("Content-Disposition"); err != nil || got != `attachment; filename="range-`+id[:8]+`.mp4"` {
				t.Errorf("%q, %v", got, err)
			}
			if _, _, err := w.media(id, 7, ""); err == nil {
				t.Error("an output that is not there")
			}
			if err := w.ServeMedia(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), "GET", "/", nil), "999", id, 0); err == nil {
				t.Error("another's clip")
			}
		})
	}
}

func TestAClipPlaysAfterItExpired(t *testing.T) {
	w := newWorld(t)
	id := w.create(body("for ever"))
	w.awaitSaved(id)
	_, before, _ := w.media(id, 0, "")
	w.ask("POST", "/sandbox/clock", `{"advance":"360h"}`, nil)
	if err := w.Check(t.Context(), w.owner, canary, id); err != nil {
		t.Fatal(err)
	}
	gone := w.awaitState(id, wire.VideoExpired)
	if gone.Outputs[0].Link != "" || !gone.Archived {
		t.Errorf("F102: %+v", gone)
	}
	res, after, err := w.media(id, 0, "")
	if err != nil || res.StatusCode != 200 || !bytes.Equal(before, after) {
		t.Errorf("after the expiry: %d, %d bytes, %v", res.StatusCode, len(after), err)
	}
	w.balanced()
}

// Our own clock tells, too, without asking.
func TestTimeMarksWhatHasExpired(t *testing.T) {
	w := newWorld(t)
	id := w.create(body("old"))
	w.awaitSaved(id)
	w.mu.Lock()
	w.offset = gateway.Retention + time.Hour
	w.mu.Unlock()
	w.Tidy(t.Context())
	w.awaitState(id, wire.VideoExpired)
}

func TestTheQuotaWarnsBeforeItMakesRoom(t *testing.T) {
	w := newWorld(t, limits(video.Limits{Grace: 50 * time.Millisecond}))
	first, second, third := w.create(body("one")), w.create(body("two")), ""
	a, b := w.awaitSaved(first), w.awaitSaved(second)
	pinned, other := first, second
	yes := true
	must(w.Edit(t.Context(), w.owner, wire.VideoEdit{ID: pinned, Pinned: &yes}))
	// There is room for these two and half another one.
	w.quota(a.Outputs[0].Bytes + b.Outputs[0].Bytes + 1000)
	third = w.create(body("three"))
	w.await(third, "full", func(t wire.VideoTask) bool {
		return len(t.Outputs) > 0 && t.Outputs[0].Archive == wire.ArchiveFull
	})
	w.mu.Lock()
	warned := len(w.archives) > 0 && w.archives[len(w.archives)-1].Warn && len(w.archives[len(w.archives)-1].NextOut) > 0
	w.mu.Unlock()
	if !warned {
		t.Error("nobody was warned")
	}
	w.awaitSaved(third)
	removed := w.await(other, "removed", func(t wire.VideoTask) bool { return t.Outputs[0].Archive == wire.ArchiveRemoved })
	if removed.Archived || len(w.archived()) != 2 {
		t.Errorf("%+v, %v", removed, w.archived())
	}
	if now := w.task(pinned); !now.Archived {
		t.Errorf("the pinned one is gone: %+v", now)
	}
	// It is still the gateway's, and plays from there.
	if res, p, err := w.media(other, 0, ""); err != nil || res.StatusCode != 200 || int64(len(p)) != removed.Outputs[0].Bytes {
		t.Errorf("%d, %d bytes, %v", res.StatusCode, len(p), err)
	}
}

// quota sets a quota below the smallest that a person may choose.
func (w *world) quota(bytes int64) {
	w.t.Helper()
	text := `{"quota_bytes":` + strconv.FormatInt(bytes, 10) + `,"make_room":true}`
	if err := w.db.SetSetting(context.Background(), w.owner, "video_archive", text); err != nil {
		w.t.Fatal(err)
	}
}

func TestZipOfSeveralClips(t *testing.T) {
	w := newWorld(t)
	a, b := w.create(body("One / two: \"three\"")), w.create(body("ärger"))
	w.awaitSaved(a)
	w.awaitSaved(b)
	rec := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(t.Context(), "GET", wire.VideosZip, nil)
	if err := w.ServeZip(rec, r, w.owner, []string{a, b, a}); err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(rec.Body.Bytes()), int64(rec.Body.Len()))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, f := range z.File {
		in := must(f.Open())
		sum := sha256.Sum256(must(io.ReadAll(in)))
		in.Close()
		got[f.Name] = hex.EncodeToString(sum[:])
		if f.Method != zip.Store {
			t.Errorf("%s is compressed", f.Name)
		}
	}
	if len(got) != 2 || got["one-two-three-"+a[:8]+".mp4"] != w.task(a).Outputs[0].SHA256 || got["ärger-"+b[:8]+".mp4"] != w.task(b).Outputs[0].SHA256 {
		t.Errorf("%v", got)
	}
	for _, ids := range [][]string{nil, {""}, {"x"}, make([]string, wire.MaxZipTasks+1)} {
		if err := w.ServeZip(httptest.NewRecorder(), r, w.owner, ids); err == nil {
			t.Errorf("%d ids were taken", len(ids))
		}
	}
}

// Whatever a clip is called, its file's name leads nowhere and says no more
// than a name.
func TestNamesOfSavedFiles(t *testing.T) {
	w := newWorld(t)
	id := w.create(body("x"))
	w.awaitSaved(id)
	for title, want := range map[string]string{
		"../../etc/passwd":                            "etc-passwd",
		`..\\..\\windows\\system32`:                   "windows-system32",
		"a\"; filename=\"b.exe":                       "a-filename-b-exe",
		"safe\u202egnp.exe":                           "safe-gnp-exe",
		"C:\\CON":                                     "c-con",
		"...":                                         "clip",
		"<script>alert(1)</script>":                   "script-alert-1-script",
		"%2e%2e%2fx%00":                               "2e-2e-2fx-00",
		strings.Repeat("long ", 30):                   strings.TrimSuffix(strings.Repeat("long-", 10), "-"),
		"\u6e2f\u306e\u671d 3":                        "\u6e2f\u306e\u671d-3",
		strings.Repeat("\U0001f3ac", 40):              "clip",
		"\u0645\u0631\u062d\u0628\u0627 \u0628\u0643": "\u0645\u0631\u062d\u0628\u0627-\u0628\u0643",
	} {
		if _, err := w.Edit(t.Context(), w.owner, wire.VideoEdit{ID: id, Title: &title}); err != nil {
			t.Fatalf("%q: %v", title, err)
		}
		want += "-" + id[:8] + ".mp4"
		res, _, err := w.media(id, 0, "?download=1")
		if err != nil {
			t.Fatal(err)
		}
		header := res.Header.Get("Content-Disposition")
		if _, params, err := mime.ParseMediaType(header); err != nil || params["filename"] != want || strings.ContainsAny(header, "\r\n\\") {
			t.Errorf("%q: %s is %q, want %q, %v", title, header, params["filename"], want, err)
		}
		rec := httptest.NewRecorder()
		if err := w.ServeZip(rec, httptest.NewRequestWithContext(t.Context(), "GET", "/", nil), w.owner, []string{id}); err != nil {
			t.Fatal(err)
		}
		z := must(zip.NewReader(bytes.NewReader(rec.Body.Bytes()), int64(rec.Body.Len())))
		if len(z.File) != 1 || z.File[0].Name != want || !filepath.IsLocal(z.File[0].Name) {
			t.Errorf("%q: in a zip %v", title, z.File)
		}
	}
}
