package blob

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"

	"screentest/server/s3test"
)

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
	lock := func(ctx context.Context, sha []byte) (func(context.Context) error, func(), error) {
		if swept.Add(1) <= 2 {
			if err := f.Archive.Place().Remove(ctx, Name(sha)); err != nil {
				return nil, nil, err
			}
		}
		return func(context.Context) error { return nil }, func() {}, nil
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
	if err := f.Archive.Add(t.Context(), path, sha, ok); err != nil {
		t.Errorf("what is always swept: %v", err)
	}
	in, err = f.Archive.Open(t.Context(), hex.EncodeToString(sha))
	if got := read(t, in, err); got != "always swept" {
		t.Errorf("%q", got)
	}
}

// A large file that is removed again and again isn't put while others are kept from it,
// which may take longer than they can be: it is to be added again.
func TestALargeFileIsNotPutUnderTheLock(t *testing.T) {
	var f *Files
	var held atomic.Bool
	swept := true
	lock := func(ctx context.Context, sha []byte) (func(context.Context) error, func(), error) {
		if swept {
			if err := f.Archive.Place().Remove(ctx, Name(sha)); err != nil {
				return nil, nil, err
			}
		}
		held.Store(true)
		return func(context.Context) error { return nil }, func() { held.Store(false) }, nil
	}
	address := before(t, s3test.Address(t), func(store http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == "PUT" && held.Load() {
				t.Error("put under the lock")
			}
			store.ServeHTTP(w, r)
		})
	})
	f = opened(t, address, "", lock)
	small(f)
	path, _, sha := large(t, 6<<20)
	if err := f.Archive.Add(t.Context(), path, sha, func() error { t.Error("noted"); return nil }); !errors.Is(err, ErrAway) {
		t.Errorf("always swept: %v", err)
	}
	swept = false
	if err := f.Archive.Add(t.Context(), path, sha, ok); err != nil {
		t.Errorf("added again: %v", err)
	}
}

// The answer to the last call of a put in parts is lost: what is asked again finds no
// parts any more, and the file is there.
func TestTheAnswerThatAFileIsWholeIsLost(t *testing.T) {
	for name, gone := range map[string]bool{"and it is": false, "and it isn't": true} {
		t.Run(name, func(t *testing.T) {
			var lost atomic.Bool
			address := before(t, s3test.Address(t), func(store http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.Method != "POST" || !r.URL.Query().Has("uploadId") {
						store.ServeHTTP(w, r)
						return
					}
					if lost.Swap(true) {
						w.Header().Set("Content-Type", "application/xml")
						w.WriteHeader(http.StatusNotFound)
						_, _ = io.WriteString(w, "<Error><Code>NoSuchUpload</Code><Message>The specified upload does not exist.</Message></Error>")
						return
					}
					if !gone {
						store.ServeHTTP(httptest.NewRecorder(), r)
					}
					panic(http.ErrAbortHandler)
				})
			})
			f := opened(t, address, "", nil)
			small(f)
			path, want, sha := large(t, 6<<20)
			err := f.Archive.Add(t.Context(), path, sha, ok)
			if gone {
				if !errors.Is(err, ErrAway) || errors.Is(err, fs.ErrNotExist) {
					t.Errorf("what was ended by another: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			in, err := f.Archive.Open(t.Context(), hex.EncodeToString(sha))
			if got := read(t, in, err); got != string(want) {
				t.Errorf("%d bytes, or others, want %d", len(got), len(want))
			}
		})
	}
}
