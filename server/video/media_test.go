package video_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"mime"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"screentest/server/video"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

func TestMediaWithRange(t *testing.T) {
	everywhere(t, func(t *testing.T, place option) {
		for _, c := range []struct {
			name  string
			saved bool
		}{{"from the archive", true}, {"from the gateway", false}} {
			t.Run(c.name, func(t *testing.T) {
				var once sync.Once
				blocked := make(chan struct{})
				w := newWorld(t, place, limits(video.Limits{RetryCopy: time.Hour}), front(func(next http.Handler) http.Handler {
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
	})
}

func TestAClipPlaysAfterItExpired(t *testing.T) {
	everywhere(t, func(t *testing.T, place option) {
		w := newWorld(t, place)
		id := w.create(body("for ever"))
		w.awaitSaved(id)
		_, before, _ := w.media(id, 0, "")
		w.ask("POST", "/sandbox/clock", `{"advance":"360h"}`, nil)
		if err := w.Check(t.Context(), w.owner, key, id); err != nil {
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
	})
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

func TestZipOfSeveralClips(t *testing.T) {
	everywhere(t, func(t *testing.T, place option) {
		w := newWorld(t, place)
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
	})
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
