package blob

import (
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
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"

	"screentest/server/s3test"
	"screentest/shared/wire"
)

// before puts a handler before the store of an address, and gives the address that
// leads through it.
func before(t *testing.T, address string, handler func(store http.Handler) http.Handler) string {
	t.Helper()
	at, endpoint, _ := strings.Cut(address, "endpoint=")
	to, err := url.Parse(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(to); r.Out.Host = r.In.Host },
		Transport: &http.Transport{DisableKeepAlives: true, DisableCompression: true}, FlushInterval: -1,
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	s := httptest.NewServer(handler(proxy))
	t.Cleanup(s.Close)
	return at + "endpoint=" + s.URL
}

// problem is what a person reads of an error.
func problem(t *testing.T, err error) *wire.Problem {
	t.Helper()
	var p *wire.Problem
	if !errors.As(err, &p) {
		t.Fatalf("%v is nothing that a person reads", err)
	}
	return p
}

func TestAStoreThatWontDoIsFoundAtOnce(t *testing.T) {
	refusing := func(method string) func(t *testing.T, address string) string {
		return func(t *testing.T, address string) string {
			return before(t, address, func(store http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					lists := r.URL.Query().Has("list-type")
					if method == "LIST" && lists || r.Method == method && !lists {
						w.Header().Set("Content-Type", "application/xml")
						w.WriteHeader(http.StatusForbidden)
						fmt.Fprint(w, "<Error><Code>AccessDenied</Code><Message>Access Denied.</Message></Error>")
						return
					}
					store.ServeHTTP(w, r)
				})
			})
		}
	}
	setting := func(name, value string) func(t *testing.T, address string) string {
		return func(t *testing.T, address string) string {
			t.Setenv(name, value)
			return address
		}
	}
	for name, c := range map[string]struct {
		at         func(t *testing.T, address string) string
		code, says string
	}{
		"nobody there": {func(*testing.T, string) string { return "s3://clips?endpoint=http://127.0.0.1:1" }, "files_away", "can't be reached"},
		"no bucket": {func(_ *testing.T, address string) string {
			return strings.Replace(address, "s3://bucket", "s3://no-bucket", 1)
		}, "files_missing", "isn't there"},
		"a key that is unknown":  {setting("AWS_ACCESS_KEY_ID", "another"), "files_keys", "refuses the keys"},
		"a secret that is wrong": {setting("AWS_SECRET_ACCESS_KEY", "another"), "files_keys", "refuses the keys"},
		"no keys": {func(t *testing.T, address string) string {
			t.Setenv("HOME", t.TempDir())
			return setting("AWS_ACCESS_KEY_ID", "")(t, address)
		}, "files_keys", "are missing"},
		"another region":          {func(_ *testing.T, address string) string { return address + "&region=eu-central-1" }, "files_region", "another region"},
		"no right to list":        {refusing("LIST"), "files_rights", "may not list"},
		"no right to write":       {refusing("PUT"), "files_rights", "may not write to"},
		"no right to read":        {refusing("GET"), "files_rights", "may not read from"},
		"no right to look":        {refusing("HEAD"), "files_rights", "may not write to"},
		"no right to delete":      {refusing("DELETE"), "files_rights", "may not delete from"},
		"https where it is plain": {func(_ *testing.T, address string) string { return strings.Replace(address, "http:", "https:", 1) }, "files_away", "can't be reached"},
	} {
		t.Run(name, func(t *testing.T) {
			a, err := Parse(c.at(t, s3test.Address(t)))
			if err != nil {
				t.Fatal(err)
			}
			f, err := Open(t.Context(), a, t.TempDir(), nil)
			if err == nil {
				f.Close()
				t.Fatal("it was opened")
			}
			if p := problem(t, err); p.Code != c.code || !strings.Contains(p.Message, c.says) || !strings.Contains(p.Message, "-files") || p.Hint == "" {
				t.Errorf("%s, want %s and %q: %v", p.Code, c.code, c.says, err)
			}
			if strings.Contains(err.Error(), s3test.Secret) || strings.ContainsAny(err.Error(), "\n") {
				t.Errorf("no sentence to read: %q", err)
			}
		})
	}
	t.Run("a look leaves nothing", func(t *testing.T) {
		address := s3test.Address(t)
		opened(t, address, "", nil)
		if left := s3test.Objects(t, address); len(left) > 0 {
			t.Errorf("left %v", left)
		}
	})
	t.Run("a shared folder that isn't there", func(t *testing.T) {
		dir := t.TempDir()
		file := filepath.Join(dir, "file")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{filepath.Join(dir, "none"), file} {
			_, err := Open(t.Context(), Address{Dir: path}, t.TempDir(), nil)
			if p := problem(t, err); p.Code != "files_missing" || !strings.Contains(p.Message, "-files") {
				t.Errorf("%v", err)
			}
		}
	})
}

// counting counts what the store sends of files, and how often it is asked for some.
type counting struct {
	gets, bytes atomic.Int64
}

func (c *counting) handler(store http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "GET" && !r.URL.Query().Has("list-type") {
			c.gets.Add(1)
			w = &countingWriter{w, c}
		}
		store.ServeHTTP(w, r)
	})
}

type countingWriter struct {
	http.ResponseWriter
	c *counting
}

func (w *countingWriter) Write(p []byte) (int, error) {
	n, err := w.ResponseWriter.Write(p)
	w.c.bytes.Add(int64(n))
	return n, err
}

func (w *countingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// What a browser asks for of a long clip is all that is asked of the store, with one
// call, and conditions as well as HEAD ask it for no bytes.
func TestARangeIsOneCall(t *testing.T) {
	const size = 200 << 20
	var c counting
	address := before(t, s3test.Address(t), c.handler)
	f := opened(t, address, "", nil).Archive
	path := filepath.Join(t.TempDir(), "long")
	tail := bytes.Repeat([]byte("tail"), 256)
	file, err := os.Create(path)
	if err == nil {
		err = errors.Join(file.Truncate(size-int64(len(tail))), func() error { _, err := file.WriteAt(tail, size-int64(len(tail))); return err }())
	}
	sum := sha256.New()
	if err == nil {
		_, err = io.Copy(sum, file)
	}
	if err = errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
	sha := hex.EncodeToString(sum.Sum(nil))
	if err := f.Add(t.Context(), path, sum.Sum(nil), ok); err != nil {
		t.Fatal(err)
	}
	for _, r := range []struct {
		name, method string
		header       map[string]string
		status       int
		body         int64
		gets, bytes  int64
	}{
		{"near the end", "GET", map[string]string{"Range": fmt.Sprintf("bytes=%d-", size-1000)}, 206, 1000, 1, 1000},
		{"the last", "GET", map[string]string{"Range": "bytes=-500"}, 206, 500, 1, 500},
		{"in the middle", "GET", map[string]string{"Range": "bytes=100000000-100000099"}, 206, 100, 1, 100},
		{"past the end", "GET", map[string]string{"Range": "bytes=300000000-"}, 416, -1, 0, 0},
		{"what the browser has", "GET", map[string]string{"If-None-Match": `"` + sha + `"`}, 304, 0, 0, 0},
		{"a part of what it has", "GET", map[string]string{"Range": "bytes=10-19", "If-Range": `"` + sha + `"`}, 206, 10, 1, 10},
		{"only its head", "HEAD", nil, 200, 0, 0, 0},
		{"another than it has", "HEAD", map[string]string{"Range": "bytes=10-19", "If-Range": `"other"`}, 200, 0, 0, 0},
		{"two parts", "GET", map[string]string{"Range": "bytes=10-19,30-39"}, 206, -1, 2, 20},
	} {
		t.Run(r.name, func(t *testing.T) {
			c.gets.Store(0)
			c.bytes.Store(0)
			req := httptest.NewRequestWithContext(t.Context(), r.method, "/", nil)
			for k, v := range r.header {
				req.Header.Set(k, v)
			}
			in, err := f.Open(t.Context(), sha)
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			rec := httptest.NewRecorder()
			rec.Header().Set("ETag", `"`+sha+`"`)
			rec.Header().Set("Content-Type", "video/mp4")
			Serve(rec, req, in)
			if rec.Code != r.status || r.body >= 0 && int64(rec.Body.Len()) != r.body {
				t.Errorf("%d with %d bytes, want %d with %d", rec.Code, rec.Body.Len(), r.status, r.body)
			}
			if strings.HasPrefix(r.header["Range"], fmt.Sprintf("bytes=%d", size-1000)) && !bytes.Equal(rec.Body.Bytes(), tail[len(tail)-1000:]) {
				t.Error("other bytes than those asked for")
			}
			if r.method == "HEAD" && rec.Header().Get("Content-Length") != fmt.Sprint(size) {
				t.Errorf("its length is said to be %s", rec.Header().Get("Content-Length"))
			}
			if c.gets.Load() != r.gets || c.bytes.Load() != r.bytes {
				t.Errorf("%d calls for %d bytes, want %d for %d", c.gets.Load(), c.bytes.Load(), r.gets, r.bytes)
			}
		})
	}
}

// A reader that has left ends the call, and one whose connection breaks off gets the
// rest by another.
func TestAReadThatBreaksOff(t *testing.T) {
	var cut atomic.Int32 // how many are to be
	left := make(chan struct{}, 8)
	address := before(t, s3test.Address(t), func(store http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method != "GET" || r.URL.Query().Has("list-type") {
				store.ServeHTTP(w, r)
				return
			}
			defer func() { left <- struct{}{} }()
			if cut.Add(-1) >= 0 {
				w = &cutting{ResponseWriter: w, after: 100_000}
			}
			store.ServeHTTP(w, r)
		})
	})
	f := opened(t, address, "", nil).Archive
	path, want, sha := large(t, 8<<20)
	if err := f.Add(t.Context(), path, sha, ok); err != nil {
		t.Fatal(err)
	}
	for len(left) > 0 {
		<-left
	}
	cut.Store(2)
	in, err := f.Open(t.Context(), hex.EncodeToString(sha))
	if got := read(t, in, err); got != string(want) {
		t.Errorf("%d bytes, or others", len(got))
	}
	for range 3 {
		<-left
	}
	cut.Store(100)
	if in, err = f.Open(t.Context(), hex.EncodeToString(sha)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, in); !errors.Is(err, ErrAway) {
		t.Errorf("from a store that always breaks off: %v", err)
	}
	in.Close()
	for range again + 1 {
		<-left
	}
	cut.Store(0)
	ctx, leave := context.WithCancel(t.Context())
	if in, err = f.Open(ctx, hex.EncodeToString(sha)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(in, make([]byte, 1000)); err != nil {
		t.Fatal(err)
	}
	leave()
	<-left // and not because the test ends
	if _, err := io.Copy(io.Discard, in); !errors.Is(err, context.Canceled) {
		t.Errorf("read on by who has left: %v", err)
	}
	in.Close()
}

// cutting breaks a connection off after so many bytes.
type cutting struct {
	http.ResponseWriter
	after int
}

func (c *cutting) Write(p []byte) (int, error) {
	n := min(len(p), c.after)
	if _, err := c.ResponseWriter.Write(p[:n]); err != nil {
		return 0, err
	}
	if c.after -= n; c.after == 0 {
		_ = http.NewResponseController(c.ResponseWriter).Flush()
		panic(http.ErrAbortHandler)
	}
	return n, nil
}

func (c *cutting) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// cutBody is a request's body that ends too early.
type cutBody struct {
	io.ReadCloser
	left int
}

func (c *cutBody) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, io.ErrUnexpectedEOF
	}
	n, err := c.ReadCloser.Read(p[:min(len(p), c.left)])
	c.left -= n
	return n, err
}

// small has a bucket put what is larger than the least that S3 takes in parts.
func small(f *Files) *Bucket {
	b := f.Archive.Place().(*Bucket)
	b.part = 5 << 20
	return b
}

func TestAConnectionThatIsCutInAPut(t *testing.T) {
	for name, size := range map[string]int{"whole": 3 << 20, "in parts": 12 << 20} {
		t.Run(name, func(t *testing.T) {
			var cut atomic.Int32
			var parts sync.Map
			direct := s3test.Address(t)
			address := before(t, direct, func(store http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.Method == "PUT" && r.ContentLength > 1000 {
						parts.Store(r.URL.Query().Get("partNumber"), r.Header.Get("X-Amz-Checksum-Sha256") != "")
						if r.URL.Query().Get("partNumber") != "1" && cut.Add(-1) >= 0 {
							r.Body = &cutBody{r.Body, 100_000}
						}
					}
					store.ServeHTTP(w, r)
				})
			})
			f := opened(t, address, "", nil)
			b := small(f)
			path, want, sha := large(t, size)
			cut.Store(1000)
			noted := false
			note := func() error { noted = true; return nil }
			if err := f.Archive.Add(t.Context(), path, sha, note); !errors.Is(err, ErrAway) || noted {
				t.Errorf("put through a connection that is always cut: %v, noted: %v", err, noted)
			}
			if got := s3test.Objects(t, direct); len(got) > 0 {
				t.Errorf("there is half of it: %v", got)
			}
			cut.Store(2)
			if err := f.Archive.Add(t.Context(), path, sha, note); err != nil || !noted {
				t.Fatalf("put through one that is cut twice: %v, noted: %v", err, noted)
			}
			in, err := f.Archive.Open(t.Context(), hex.EncodeToString(sha))
			if got := read(t, in, err); got != string(want) {
				t.Errorf("%d bytes, or others, want %d", len(got), len(want))
			}
			n := 0
			parts.Range(func(part, summed any) bool {
				n++
				if summed != true {
					t.Errorf("part %q has no checksum", part)
				}
				return true
			})
			if want := (size-1)/int(b.part) + 1; n != want {
				t.Errorf("put in %d parts, want %d", n, want)
			}
			page, err := b.client.ListMultipartUploads(t.Context(), b.at.Bucket, b.below, "", "", "", 0)
			if err != nil || len(page.Uploads) > 0 {
				t.Errorf("left half: %+v, %v", page.Uploads, err)
			}
		})
	}
}

// What a kill left half is ended, once it is old.
func TestPutsThatAKillLeftAreEnded(t *testing.T) {
	f := opened(t, s3test.Address(t), "", nil)
	b := small(f)
	ctx := t.Context()
	path, sha := whole(t, "x")
	key, err := b.key(Name(sha))
	if err != nil {
		t.Fatal(err)
	}
	const begun = 2
	for range begun {
		if _, err := b.client.NewMultipartUpload(ctx, b.at.Bucket, key, minio.PutObjectOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	halves := func() int {
		page, err := b.client.ListMultipartUploads(ctx, b.at.Bucket, b.below, "", "", "", 0)
		if err != nil {
			t.Fatal(err)
		}
		return len(page.Uploads)
	}
	if err := f.Archive.Add(ctx, path, sha, ok); err != nil {
		t.Fatal(err)
	}
	if err := b.Tidy(ctx, time.Now().Add(-time.Hour)); err != nil || halves() != begun {
		t.Errorf("%d are left that are young, want %d, %v", halves(), begun, err)
	}
	if err := b.Tidy(ctx, time.Now().Add(time.Hour)); err != nil || halves() != 0 {
		t.Errorf("%d are left that are old, %v", halves(), err)
	}
	if _, err := b.size(ctx, Name(sha)); err != nil {
		t.Errorf("what is whole: %v", err)
	}
}

// Bytes that are not those of the SHA-256 they are given under don't come in.
func TestOtherBytesThanSummed(t *testing.T) {
	for name, size := range map[string]int{"whole": 1000, "in parts": 11 << 20} {
		t.Run(name, func(t *testing.T) {
			address := s3test.Address(t)
			f := opened(t, address, "", nil)
			small(f)
			path, _, _ := large(t, size)
			other := sha256.Sum256([]byte("other"))
			if err := f.Archive.Add(t.Context(), path, other[:], ok); err == nil {
				t.Error("they were taken")
			}
			if got := s3test.Objects(t, address); len(got) > 0 {
				t.Errorf("there are %v", got)
			}
		})
	}
}

// A store that is gone for a while: whatever is asked of it says so and may be asked
// again, nothing is lost, and once it is back all goes on.
func TestAStoreThatIsGoneForAWhile(t *testing.T) {
	s := s3test.New(t)
	f := opened(t, s.Address(t), "", nil)
	ctx := t.Context()
	path, sha := whole(t, "before")
	if err := f.Archive.Add(ctx, path, sha, ok); err != nil {
		t.Fatal(err)
	}
	s.Stop(t)
	next, nextSHA := whole(t, "meanwhile")
	for what, err := range map[string]error{
		"open":   func() error { _, err := f.Archive.Open(ctx, hex.EncodeToString(sha)); return err }(),
		"add":    f.Archive.Add(ctx, next, nextSHA, func() error { t.Error("noted"); return nil }),
		"remove": f.Archive.RemoveUnused(ctx, sha, func() (bool, error) { return false, nil }),
		"each":   f.Archive.Each(ctx, func([]byte, time.Time) error { return nil }),
		"tidy":   f.Uploads.Tidy(ctx, time.Now()),
	} {
		if p := problem(t, err); !errors.Is(err, ErrAway) || p.Status != http.StatusServiceUnavailable || p.RetryAfterMS == 0 {
			t.Errorf("%s: %v", what, err)
		}
	}
	s.Start(t)
	if err := f.Archive.Add(ctx, next, nextSHA, ok); err != nil {
		t.Errorf("added again: %v", err)
	}
	for text, sum := range map[string][]byte{"before": sha, "meanwhile": nextSHA} {
		in, err := f.Archive.Open(ctx, hex.EncodeToString(sum))
		if got := read(t, in, err); got != text {
			t.Errorf("%q, want %q", got, text)
		}
	}
}

// A file that a sweep found unused between being put and being noted is put again.
func TestWhatIsSweptWhileItIsAddedIsPutAgain(t *testing.T) {
	var swept atomic.Int32
	var f *Files
	lock := func(ctx context.Context, sha []byte) (func(), error) {
		if swept.Add(1) <= 2 {
			if err := f.Archive.Place().Remove(ctx, Name(sha)); err != nil {
				return nil, err
			}
		}
		return func() {}, nil
	}
	f = opened(t, s3test.Address(t), "", lock)
	path, sha := whole(t, "swept")
	notes := 0
	if err := f.Archive.Add(t.Context(), path, sha, func() error { notes++; return nil }); err != nil || notes != 1 {
		t.Errorf("noted %d times, %v", notes, err)
	}
	in, err := f.Archive.Open(t.Context(), hex.EncodeToString(sha))
	if got := read(t, in, err); got != "swept" {
		t.Errorf("%q", got)
	}
	swept.Store(-1000)
	path, sha = whole(t, "always swept")
	if err := f.Archive.Add(t.Context(), path, sha, ok); !errors.Is(err, errSwept) {
		t.Errorf("what is always swept: %v", err)
	}
	if _, err := f.Archive.Open(t.Context(), hex.EncodeToString(sha)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is there: %v", err)
	}
}
