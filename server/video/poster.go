package video

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"strings"

	"screentest/server/blob"
	"screentest/shared/wire"
)

// SetPoster takes a poster that the browser drew of an output: a PNG, JPEG or
// WebP of at most wire.MaxPoster bytes.
func (s *Service) SetPoster(r *http.Request, owner, id string, index int) (err error) {
	if _, _, err := s.output(r, owner, id, index); err != nil {
		return err
	}
	defer func() { err = s.notKept(err) }()
	tmp, err := os.CreateTemp(s.partial, "poster-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	defer tmp.Close()
	m, sum, err := receivePoster(tmp, r.Body)
	if err != nil {
		return err
	}
	var t wire.VideoTask
	var before []byte
	err = s.Files.Archive.Add(r.Context(), tmp.Name(), sum, func() (err error) {
		t, before, err = s.Store.SetPoster(r.Context(), owner, id, index, sum, m.Type)
		return err
	})
	if err != nil {
		s.discardAfter(s.life, sum, err)
		return err
	}
	if before != nil && !strings.EqualFold(hex.EncodeToString(before), hex.EncodeToString(sum)) {
		s.discard(s.life, before)
	}
	s.tell(owner, t)
	return nil
}

// ServePoster serves an output's poster to its owner.
func (s *Service) ServePoster(w http.ResponseWriter, r *http.Request, owner, id string, index int) error {
	sha, kind, err := s.Store.Poster(r.Context(), owner, id, index)
	if err != nil {
		return err
	}
	f, err := s.Files.Archive.Open(r.Context(), hex.EncodeToString(sha))
	if errors.Is(err, fs.ErrNotExist) {
		return notThere()
	}
	if err != nil {
		return err
	}
	defer f.Close()
	mediaHeaders(w.Header(), kind, hex.EncodeToString(sha))
	w.Header().Set("Cache-Control", "private, no-cache") // it can be replaced
	blob.Serve(w, r, f)
	return nil
}

// receivePoster writes a poster into a file and measures it.
func receivePoster(to *os.File, body io.Reader) (m wire.Measured, sum []byte, err error) {
	data, err := io.ReadAll(io.LimitReader(body, wire.MaxPoster+1))
	if err != nil {
		return m, nil, cutOff(err)
	}
	if len(data) > wire.MaxPoster {
		return m, nil, &wire.Problem{Code: "file_too_large", Message: "A poster has at most 512 KiB.", Status: http.StatusRequestEntityTooLarge}
	}
	m, err = measure(bytes.NewReader(data))
	if err != nil || !strings.HasPrefix(m.Type, "image/") || m.Type == "image/gif" {
		return m, nil, &wire.Problem{Code: "not_media", Message: "A poster is a PNG, JPEG or WebP image.", Status: http.StatusUnsupportedMediaType}
	}
	if _, err := to.Write(data); err != nil {
		return m, nil, err
	}
	hash := sha256.Sum256(data)
	return m, hash[:], to.Sync()
}
