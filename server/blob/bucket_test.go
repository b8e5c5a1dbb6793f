package blob

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

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
