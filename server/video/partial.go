package video

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"screentest/server/upstream"
	"screentest/shared/wire"
)

const (
	// syncEvery is how many bytes of a copy may be lost to a power cut.
	syncEvery = 8 << 20
	copyBuf   = 256 << 10
)

// errChanged: the file at the gateway is not the one that was begun.
var errChanged = errors.New("the file has changed since the copy began")

// errFull: there is no room for the file.
var errFull = errors.New("no room in the archive")

// partial is a copy under way, as it is noted beside its bytes.
type partial struct {
	path  string
	ETag  string `json:"etag,omitempty"`
	Time  string `json:"last_modified,omitempty"`
	Total int64  `json:"total"`            // -1 where it is not told
	Safe  int64  `json:"synced"`           // bytes that are on the disk for sure
	Whole string `json:"sha256,omitempty"` // of all that there is, once it is all there
}

func (s *Service) partialOf(j job) *partial {
	return &partial{path: filepath.Join(s.partial, j.owner+"-"+j.id+"-"+strconv.Itoa(j.index)), Total: -1}
}

// load reads the note. Without one, or with one that can't be continued from,
// the copy begins anew.
func (p *partial) load() {
	b, err := os.ReadFile(p.path + ".json")
	if err != nil || json.Unmarshal(b, p) != nil || !p.resumable() {
		p.forget()
		return
	}
	info, err := os.Stat(p.path)
	if err != nil || info.Size() < p.Safe {
		p.forget()
	}
}

// resumable tells whether a copy can go on where it broke off: only of a file
// whose size is told, and that can be told from another, or that has all come.
func (p *partial) resumable() bool {
	return p.Whole != "" || p.Total >= 0 && (p.ETag != "" || p.Time != "") && !strings.HasPrefix(p.ETag, "W/")
}

// forget has the copy begin anew, with what there was of it off the disk.
func (p *partial) forget() {
	p.remove()
	*p = partial{path: p.path, Total: -1}
}

func (p *partial) note() error {
	b, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return os.WriteFile(p.path+".json", b, 0o600)
}

func (p *partial) remove() {
	_ = os.Remove(p.path + ".json") // what is left is swept at the next start
	_ = os.Remove(p.path)
}

// fetch copies what is missing of the file at address. It returns the bytes'
// SHA-256 once all are on the disk, from where they are taken if they all came before. room is asked before anything is written,
// with the size of the whole and how much of it is there; where the size is not
// told (-1), also with every syncEvery bytes that came. progress is told of the
// bytes so far.
func (p *partial) fetch(ctx context.Context, s *Service, from Gateway, address string, most int64, room func(total, have int64) error, progress func(got int64)) (sum []byte, size int64, err error) {
	p.load()
	if p.Whole != "" {
		if sum, ok := p.sum(); ok {
			return sum, p.Safe, room(p.Safe, p.Safe)
		}
		p.forget()
	}
	span := ""
	if p.Safe > 0 {
		span = "bytes=" + strconv.FormatInt(p.Safe, 10) + "-"
	}
	file, err := from.FetchFile(ctx, address, span)
	if err != nil {
		var w *wire.Problem
		if span != "" && errors.As(err, &w) && w.Status == http.StatusRequestedRangeNotSatisfiable {
			p.remove()
			return nil, 0, errChanged
		}
		return nil, 0, err
	}
	defer file.Body.Close()
	if err := p.match(file, span); err != nil {
		return nil, 0, err
	}
	if p.Total > most {
		return nil, 0, tooLarge(most)
	}
	if err := room(p.Total, p.Safe); err != nil {
		return nil, 0, err
	}
	out, err := os.OpenFile(p.path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, 0, err
	}
	defer out.Close()
	sha := sha256.New()
	if err := out.Truncate(p.Safe); err != nil {
		return nil, 0, err
	}
	if _, err := io.Copy(sha, out); err != nil { // leaves off where to go on
		return nil, 0, err
	}
	if err := p.note(); err != nil {
		return nil, 0, diskError(err)
	}
	got, err := p.stream(out, sha, file.Body, most, room, progress)
	if err != nil {
		return nil, 0, err
	}
	if p.Total >= 0 && got != p.Total {
		return nil, 0, fmt.Errorf("%d of %d bytes came: %w", got, p.Total, io.ErrUnexpectedEOF)
	}
	sum = sha.Sum(nil)
	p.Whole = hex.EncodeToString(sum)
	return sum, got, diskError(p.note())
}

// sum sums what has all come, which may not be what it was.
func (p *partial) sum() (sum []byte, same bool) {
	in, err := os.Open(p.path)
	if err != nil {
		return nil, false
	}
	defer in.Close()
	sha := sha256.New()
	n, err := io.Copy(sha, in)
	sum = sha.Sum(nil)
	return sum, err == nil && n == p.Safe && hex.EncodeToString(sum) == p.Whole
}

// match says whether the reply goes on with what was begun.
func (p *partial) match(file *upstream.File, span string) error {
	if span != "" && file.Status == http.StatusPartialContent {
		var from, to, total int64
		_, err := fmt.Sscanf(file.ContentRange, "bytes %d-%d/%d", &from, &to, &total)
		if err == nil && from == p.Safe && total == p.Total && to == total-1 && file.ETag == p.ETag && file.LastModified == p.Time {
			return nil
		}
		p.remove()
		return errChanged
	}
	if file.Status != http.StatusOK {
		return fmt.Errorf("status %d to a request without a range", file.Status)
	}
	p.forget()
	p.ETag, p.Time, p.Total = file.ETag, file.LastModified, file.Length
	return nil
}

// stream writes the body behind what is there, and keeps the note up to date.
// A broken connection keeps what came.
func (p *partial) stream(out *os.File, sha hash.Hash, body io.Reader, most int64, room func(total, have int64) error, progress func(int64)) (got int64, err error) {
	got = p.Safe
	buf := make([]byte, copyBuf)
	for {
		n, readErr := body.Read(buf)
		if n > 0 {
			if got += int64(n); got > most {
				return got, tooLarge(most)
			}
			if _, err := out.Write(buf[:n]); err != nil {
				return got, diskError(err)
			}
			sha.Write(buf[:n])
			progress(got)
		}
		end := errors.Is(readErr, io.EOF)
		if got-p.Safe >= syncEvery || readErr != nil && got > p.Safe {
			if err := out.Sync(); err != nil {
				return got, diskError(err)
			}
			p.Safe = got
			if err := p.note(); err != nil {
				return got, diskError(err)
			}
			if p.Total < 0 {
				if err := room(p.Total, got); err != nil {
					return got, err
				}
			}
		}
		switch {
		case end:
			return got, nil
		case readErr != nil:
			return got, readErr
		}
	}
}

func tooLarge(most int64) *wire.Problem {
	return &wire.Problem{Code: "file_too_large", Message: fmt.Sprintf("The file is larger than %d MB and was not copied.", most>>20),
		Hint: "Download it before the gateway deletes it."}
}
