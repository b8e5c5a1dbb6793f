package video_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"screentest/server/sandbox/clip"
	"screentest/server/store/engine"
	"screentest/server/video"
	"screentest/shared/wire"
)

func picture(t *testing.T, kind string) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 40, 30))
	img.Set(3, 3, color.White)
	var b bytes.Buffer
	err := png.Encode(&b, img)
	if kind == "jpeg" {
		b.Reset()
		err = jpeg.Encode(&b, img, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// webp is the head of a WebP file that begins with a chunk.
func webp(kind, chunk string) []byte {
	b := []byte("RIFF\x00\x00\x00\x00WEBP" + kind + "\x00\x00\x00\x00" + chunk)
	binary.LittleEndian.PutUint32(b[4:], uint32(len(b)-8))
	binary.LittleEndian.PutUint32(b[16:], uint32(len(chunk)))
	return b
}

func movie(t *testing.T) []byte {
	t.Helper()
	b, err := clip.Spec{Width: 854, Height: 480, Segments: []clip.Segment{{Look: 1, Frames: 5 * clip.FPS}}}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestUploads(t *testing.T) {
	everywhere(t, func(t *testing.T, place option) {
		w := newWorld(t, place)
		for _, c := range []struct {
			name, kind, ext string
			file            []byte
			want            wire.Measured
		}{
			{"cat.png", "image/png", "png", picture(t, "png"), wire.Measured{Width: 40, Height: 30}},
			{"cat.mp4", "image/jpeg", "jpg", picture(t, "jpeg"), wire.Measured{Width: 40, Height: 30}},
			{`C:\photos\lossless.webp`, "image/webp", "webp", webp("VP8L", "\x2f\x27\x40\x07\x00\x00"), wire.Measured{Width: 40, Height: 30}},
			{"lossy.webp", "image/webp", "webp", webp("VP8 ", "\x10\x00\x00\x9d\x01\x2a\x28\x00\x1e\x00"), wire.Measured{Width: 40, Height: 30}},
			{"extended.webp", "image/webp", "webp", webp("VP8X", "\x12\x00\x00\x00\x27\x00\x00\x1d\x00\x00"), wire.Measured{Width: 40, Height: 30}},
			{"../../dance.html", "video/mp4", "mp4", movie(t), wire.Measured{Width: 854, Height: 480, Seconds: 5}},
		} {
			t.Run(c.name, func(t *testing.T) {
				u, err := w.Upload(t.Context(), w.owner, c.name, bytes.NewReader(c.file))
				if err != nil {
					t.Fatal(err)
				}
				c.want.Type, c.want.Bytes = c.kind, int64(len(c.file))
				if u.Measured != c.want || len(u.ID) < 26 || u.URL != "http://127.0.0.1:1/u/"+u.ID+"."+c.ext || strings.ContainsAny(u.Name, `/\`) {
					t.Errorf("%+v, want %+v", u, c.want)
				}
				for _, r := range []struct {
					span string
					want []byte
					code int
				}{{"", c.file, 200}, {"bytes=4-9", c.file[4:10], 206}} {
					rec, req := httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), "GET", u.Path, nil)
					if r.span != "" {
						req.Header.Set("Range", r.span)
					}
					err := w.ServeUpload(rec, req, strings.TrimPrefix(u.Path, wire.UploadedPath))
					h := rec.Result().Header
					if err != nil || rec.Code != r.code || !bytes.Equal(rec.Body.Bytes(), r.want) || h.Get("Content-Type") != c.kind ||
						h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Content-Security-Policy") != "default-src 'none'; sandbox" {
						t.Errorf("%v %d %v", err, rec.Code, h)
					}
				}
				if m, err := w.Measure(t.Context(), u.URL); err != nil || m != c.want {
					t.Errorf("measured as %+v, %v", m, err)
				}
				for _, name := range []string{u.ID, u.ID + ".html", "." + c.ext, "../" + u.ID + "." + c.ext, strings.ToLower(u.ID) + "." + c.ext} {
					if err := w.ServeUpload(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), "GET", "/", nil), name); err == nil {
						t.Errorf("%q was served", name)
					}
				}
			})
		}
	})
}

// says is a disk that says this of what is written to it.
type says struct{ errno error }

func (d says) Read([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: "uploads/upload-1.part", Err: d.errno}
}

// On a disk that can't take it an upload says so and what to do, and leaves
// nothing behind; a poster too.
func TestAnUploadOnAFullDiskSaysSo(t *testing.T) {
	w := newWorld(t)
	for errno, want := range map[error]wire.Problem{
		syscall.ENOSPC: {Code: "disk_full", Status: http.StatusInsufficientStorage},
		syscall.EDQUOT: {Code: "disk_full", Status: http.StatusInsufficientStorage},
		syscall.EROFS:  {Code: "data_read_only", Status: http.StatusInternalServerError},
		syscall.EIO:    {Code: "disk_error", Status: http.StatusInternalServerError},
	} {
		_, err := w.Upload(t.Context(), w.owner, "x.png", io.MultiReader(bytes.NewReader(picture(t, "png")), says{errno}))
		p := problemOf(t, err)
		if p.Code != want.Code || p.Status != want.Status || p.Hint == "" || strings.Contains(p.Hint, "Try again;") {
			t.Errorf("%v: %+v", errno, p)
		}
	}
	left, err := os.ReadDir(filepath.Join(w.dir, "uploads"))
	if err != nil || len(left) != 0 {
		t.Errorf("left are %v, %v", left, err)
	}
}

// unread is a body that nobody is to read.
type unread struct{ t *testing.T }

func (u unread) Read([]byte) (int, error) {
	u.t.Error("the body is read")
	return 0, io.EOF
}

// Where nothing is stored an upload is refused before it comes.
func TestAnUploadThatCouldNotBeStored(t *testing.T) {
	w := newWorld(t)
	w.ReadOnly = func() error { return &wire.Problem{Code: "data_read_only"} }
	if _, err := w.Upload(t.Context(), w.owner, "x.png", unread{t}); problemOf(t, err).Code != "data_read_only" {
		t.Error(err)
	}
}

func TestUploadsThatAreRefused(t *testing.T) {
	everywhere(t, func(t *testing.T, place option) {
		w := newWorld(t, place, limits(video.Limits{MaxUploads: 5000}))
		page := []byte("<!doctype html><script>alert(1)</script>")
		for _, c := range []struct {
			name, code string
			body       io.Reader
		}{
			{"a web page", "not_media", bytes.NewReader(page)},
			{"a web page behind the first bytes of an image", "not_media", bytes.NewReader(append([]byte("\x89PNG\r\n\x1a\n"), page...))},
			{"a web page behind the first bytes of a video", "not_media", bytes.NewReader(append([]byte("\x00\x00\x00\x14ftypisom\x00\x00\x00\x00isom"), page...))},
			{"SVG, which may hold scripts", "not_media", strings.NewReader(`<svg xmlns="http://www.w3.org/2000/svg"/>`)},
			{"nothing", "not_media", strings.NewReader("")},
			{"an image without end", "file_too_large", io.MultiReader(bytes.NewReader(picture(t, "png")), endless{})},
			{"a body that breaks off", "upload_broken", io.MultiReader(bytes.NewReader(picture(t, "png")), broken{})},
			{"more than there is room for", "uploads_full", bytes.NewReader(append(picture(t, "png"), make([]byte, 6000)...))},
		} {
			t.Run(c.name, func(t *testing.T) {
				_, err := w.Upload(t.Context(), w.owner, "x.png", c.body)
				if p := problemOf(t, err); p.Code != c.code {
					t.Errorf("%+v", p)
				}
			})
		}
		if left := w.uploaded(); len(left) != 0 {
			t.Errorf("kept are %v", left)
		}
		for _, dir := range []string{"uploads", filepath.Join("archive", "partial")} {
			if left := must(os.ReadDir(filepath.Join(w.dir, dir))); len(left) != 0 {
				t.Errorf("%s holds %v", dir, left)
			}
		}
		// What is old gives way.
		first := must(w.Upload(t.Context(), w.owner, "x.png", bytes.NewReader(append(picture(t, "png"), make([]byte, 3000)...))))
		big := append(picture(t, "png"), make([]byte, 4000)...)
		if _, err := w.Upload(t.Context(), w.owner, "x.png", bytes.NewReader(big)); problemOf(t, err).Code != "uploads_full" {
			t.Error(err)
		}
		w.mu.Lock()
		w.offset = 25 * time.Hour
		w.mu.Unlock()
		if _, err := w.Upload(t.Context(), w.owner, "x.png", bytes.NewReader(append(big, make([]byte, 1000)...))); problemOf(t, err).Code != "uploads_full" {
			t.Error(err)
		}
		if _, err := w.db.Videos().Upload(t.Context(), first.ID); err != nil {
			t.Errorf("an old one gave way to what does not fit: %v", err)
		}
		must(w.Upload(t.Context(), w.owner, "x.png", bytes.NewReader(big)))
		if _, err := w.db.Videos().Upload(t.Context(), first.ID); err == nil {
			t.Error("the old one is still there")
		}
		if left := w.uploaded(); len(left) != 1 {
			t.Errorf("left: %v", left)
		}
	})
}

// A fifth upload at the same time is refused.
func TestUploadsAtOnce(t *testing.T) {
	w := newWorld(t)
	var ends []*io.PipeWriter
	done := make(chan error, 4)
	for range 4 {
		r, in := io.Pipe()
		ends = append(ends, in)
		go func() {
			_, err := w.Upload(t.Context(), w.owner, "x", r)
			done <- err
		}()
		_, _ = in.Write(picture(t, "png")) // returns once it is being read
	}
	if _, err := w.Upload(t.Context(), w.owner, "x", bytes.NewReader(picture(t, "png"))); problemOf(t, err).Code != "too_many_uploads" {
		t.Error(err)
	}
	for _, in := range ends {
		in.Close()
	}
	for range 4 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	must(w.Upload(t.Context(), w.owner, "x", bytes.NewReader(picture(t, "png"))))
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestMeasureLinks(t *testing.T) {
	w := newWorld(t)
	id := w.create(body("reference"))
	saved := w.awaitSaved(id)
	if m, err := w.Measure(t.Context(), saved.Outputs[0].Link); err != nil || m.Seconds != 6 || m.Width != 854 {
		t.Errorf("a clip of the gateway's: %+v, %v", m, err)
	}
	for link, code := range map[string]string{
		"http://127.0.0.1:9/x.mp4":              "private_address",
		"http://[::1]:9/x.mp4":                  "private_address",
		"http://169.254.169.254/latest/":        "private_address",
		"file:///etc/passwd":                    "bad_url",
		"not a link":                            "bad_url",
		w.gateway.URL + "/sandbox/account":      "",
		"http://127.0.0.1:1/u/" + "nobodys.mp4": "not_found",
	} {
		if m, err := w.Measure(t.Context(), link); err == nil || code != "" && problemOf(t, err).Code != code {
			t.Errorf("%s: %+v, %v", link, m, err)
		}
	}
}

// thenGone is a body whose sender is gone with the last byte.
type thenGone struct {
	io.Reader
	gone func()
}

func (r thenGone) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil {
		r.gone()
	}
	return n, err
}

// A tab that is closed after the last byte of what it sends leaves a file and
// its row, or neither.
func TestGoneAfterTheLastByte(t *testing.T) {
	everywhere(t, func(t *testing.T, place option) {
		w := newWorld(t, place)
		id := w.create(body("poster"))
		w.awaitSaved(id)
		others := len(w.archived())
		for range 10 {
			ctx, gone := context.WithCancel(t.Context())
			if _, err := w.Upload(ctx, w.owner, "x.png", thenGone{bytes.NewReader(picture(t, "png")), gone}); err == nil {
				t.Error("an upload for nobody was taken")
			}
			ctx, gone = context.WithCancel(t.Context())
			r := httptest.NewRequestWithContext(ctx, "POST", "/", thenGone{bytes.NewReader(picture(t, "png")), gone})
			if err := w.SetPoster(r, w.owner, id, 0); err == nil {
				t.Error("a poster for nobody was taken")
			}
		}
		if rows := must(w.db.Videos().UploadUse(t.Context(), w.owner)); rows != 0 {
			t.Errorf("%d bytes of uploads have a row and no file", rows)
		}
		if left := append(w.uploaded(), must(filepath.Glob(filepath.Join(w.dir, "uploads", "*.part")))...); len(left) != 0 {
			t.Errorf("uploads left: %v", left)
		}
		if w.task(id).Outputs[0].Poster || len(w.archived()) != others {
			t.Errorf("a poster has a row and no file, or the other way round: %+v, %v", w.task(id).Outputs, w.archived())
		}
	})
}

func TestPosters(t *testing.T) {
	everywhere(t, func(t *testing.T, place option) {
		w := newWorld(t, place)
		id := w.create(body("poster"))
		w.awaitSaved(id)
		set := func(b []byte) error {
			return w.SetPoster(httptest.NewRequestWithContext(t.Context(), "POST", "/", bytes.NewReader(b)), w.owner, id, 0)
		}
		for name, bad := range map[string][]byte{"a page": []byte("<html>"), "a film": movie(t), "too large": append(picture(t, "png"), make([]byte, wire.MaxPoster)...)} {
			if err := set(bad); err == nil {
				t.Errorf("%s was taken", name)
			}
		}
		for _, kind := range []string{"png", "jpeg"} {
			if err := set(picture(t, kind)); err != nil {
				t.Fatal(err)
			}
			rec := httptest.NewRecorder()
			if err := w.ServePoster(rec, httptest.NewRequestWithContext(t.Context(), "GET", "/", nil), w.owner, id, 0); err != nil ||
				!bytes.Equal(rec.Body.Bytes(), picture(t, kind)) || rec.Result().Header.Get("Content-Type") != "image/"+kind {
				t.Errorf("%v, %v", err, rec.Result().Header)
			}
		}
		if !w.task(id).Outputs[0].Poster || len(w.archived()) != 2 {
			t.Errorf("%+v, %v", w.task(id).Outputs, w.archived())
		}
	})
}

// losing is a store that doesn't know, or knows, what became of an upload.
type losing struct {
	video.Store
	err    error
	stores bool
}

func (l *losing) AddUpload(ctx context.Context, owner string, u wire.Upload, at, limit, old int64) ([]wire.Upload, bool, error) {
	if l.stores {
		if _, _, err := l.Store.AddUpload(ctx, owner, u, at, limit, old); err != nil {
			return nil, false, err
		}
	}
	return nil, false, l.err
}

// An upload of which nobody knows whether it was stored keeps its file, and is served if
// it was; of one that wasn't nothing is left.
func TestAnUploadOfWhichNobodyKnowsWhetherItIsStored(t *testing.T) {
	broken := errors.New("the way to the database broke off")
	for name, c := range map[string]struct {
		losing
		files int
	}{
		"it is":           {losing{err: errors.Join(engine.ErrUnknown, broken), stores: true}, 1},
		"it isn't":        {losing{err: errors.Join(engine.ErrUnknown, broken)}, 1},
		"known not to be": {losing{err: broken}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, func(w *world) {
				w.store = func(s video.Store) video.Store { c.Store = s; return &c.losing }
			})
			if _, err := w.Upload(t.Context(), w.owner, "x.png", bytes.NewReader(picture(t, "png"))); !errors.Is(err, broken) {
				t.Fatal(err)
			}
			files := w.uploaded()
			if len(files) != c.files {
				t.Fatalf("files %v, want %d", files, c.files)
			}
			if !c.stores {
				return
			}
			r := httptest.NewRecorder()
			if err := w.ServeUpload(r, httptest.NewRequest("GET", "/", nil), files[0]); err != nil || r.Code != http.StatusOK {
				t.Errorf("%d, %v", r.Code, err)
			}
		})
	}
}
