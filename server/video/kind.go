package video

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"screentest/server/upstream"
	"screentest/shared/wire"
)

// kindOf tells a file's media type from its first bytes; "" for what is no
// clip and no image. What a host says of its files does not count: only these
// types are ever given to a browser.
func kindOf(head []byte) string {
	switch {
	case len(head) >= 12 && bytes.Equal(head[4:8], []byte("ftyp")):
		if bytes.HasPrefix(head[8:], []byte("qt")) {
			return "video/quicktime"
		}
		return "video/mp4"
	case bytes.HasPrefix(head, []byte("\x1aE\xdf\xa3")):
		return "video/webm"
	case bytes.HasPrefix(head, []byte("\x89PNG\r\n\x1a\n")):
		return "image/png"
	case bytes.HasPrefix(head, []byte("\xff\xd8\xff")):
		return "image/jpeg"
	case len(head) >= 12 && bytes.HasPrefix(head, []byte("RIFF")) && bytes.Equal(head[8:12], []byte("WEBP")):
		return "image/webp"
	case bytes.HasPrefix(head, []byte("GIF87a")), bytes.HasPrefix(head, []byte("GIF89a")):
		return "image/gif"
	}
	return ""
}

// extensions of the types that kindOf tells.
func extension(kind string) string {
	switch kind {
	case "video/mp4":
		return "mp4"
	case "video/quicktime":
		return "mov"
	case "video/webm":
		return "webm"
	case "image/png":
		return "png"
	case "image/jpeg":
		return "jpg"
	case "image/webp":
		return "webp"
	case "image/gif":
		return "gif"
	}
	return "bin"
}

// relayKind is the type to give a browser with a file from elsewhere. The
// file's beginning tells it; where only a later part was asked for, the host's
// word does, for types that do nothing.
func relayKind(file *upstream.File, span string) (string, error) {
	if span == "" || strings.HasPrefix(span, "bytes=0-") {
		head := make([]byte, 16)
		n, err := io.ReadFull(file.Body, head)
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
			return "", &wire.Problem{Code: "copy_failed", Message: "The connection to the file host broke off.", Hint: "Try again.", Status: http.StatusBadGateway}
		}
		file.Body = joined{io.MultiReader(strings.NewReader(string(head[:n])), file.Body), file.Body}
		if kind := kindOf(head[:n]); kind != "" {
			return kind, nil
		}
		if span == "" || file.Length < 0 || file.Length >= int64(len(head)) { // else too little was asked for to tell
			return "", notMedia()
		}
	}
	switch kind, _, _ := mime.ParseMediaType(file.ContentType); kind {
	case "video/mp4", "video/webm", "video/quicktime", "image/png", "image/jpeg", "image/webp", "image/gif":
		return kind, nil
	}
	return "application/octet-stream", nil
}

// notMedia is why a file is neither kept nor passed on. A browser that had once
// taken it for the clip would go on to do so.
func notMedia() *wire.Problem {
	return &wire.Problem{Code: "not_media", Message: "What the gateway gave is no video and no image, and was not kept.", Status: http.StatusBadGateway}
}

// joined reads from one and closes another.
type joined struct {
	io.Reader
	io.Closer
}
