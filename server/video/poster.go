package video

import (
	"bytes"
	"crypto/sha256"
	"io"
	"net/http"
	"os"
	"strings"

	"screentest/shared/wire"
)

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
