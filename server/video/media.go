package video

import (
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode"

	"screentest/server/upstream"
	"screentest/shared/wire"
)

// mediaPolicy is the content policy of files that come from elsewhere: even if
// a browser took one for a page, it could do nothing.
const mediaPolicy = "default-src 'none'; sandbox"

func notThere() error { return fs.ErrNotExist }

// mediaHeaders marks a file as what it is, and nothing else.
func mediaHeaders(h http.Header, kind, etag string) {
	h.Set("Content-Security-Policy", mediaPolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Type", kind)
	if etag != "" {
		h.Set("ETag", `"`+etag+`"`)
	}
}

// serveFile serves a file that never changes, with Range.
func serveFile(w http.ResponseWriter, r *http.Request, f *os.File, kind, etag string) {
	mediaHeaders(w.Header(), kind, etag)
	w.Header().Set("Cache-Control", "private, max-age=86400")
	http.ServeContent(w, r, "", time.Time{}, f)
}

// ServeMedia serves an output's file to its owner, with Range: from the
// archive if it is there, else from the gateway. With download in the query it
// is saved under a telling name. An error comes before anything is written.
func (s *Service) ServeMedia(w http.ResponseWriter, r *http.Request, owner, id string, index int) error {
	t, o, err := s.output(r, owner, id, index)
	if err != nil {
		return err
	}
	if o.Archive == wire.ArchiveSaved {
		f, err := s.files.Open(o.SHA256)
		if err == nil {
			defer f.Close()
			disposition(w, r, t, o)
			serveFile(w, r, f, o.Type, o.SHA256)
			return nil
		}
		s.Logger.Error("an archived file can't be opened", "task", id, "err", err)
	}
	if o.Link == "" {
		return &wire.Problem{Code: "result_expired", Message: "The gateway has deleted this clip, and there is no copy of it here.", Status: http.StatusGone}
	}
	return s.relay(w, r, t, o)
}

func (s *Service) output(r *http.Request, owner, id string, index int) (t wire.VideoTask, o wire.VideoOutput, err error) {
	if t, err = s.Store.Task(r.Context(), owner, id); err != nil {
		return t, o, err
	}
	for _, o := range t.Outputs {
		if o.Index == index {
			return t, o, nil
		}
	}
	return t, o, notThere()
}

// relay serves a file from the gateway's file host, piece by piece as the
// browser asks.
func (s *Service) relay(w http.ResponseWriter, r *http.Request, t wire.VideoTask, o wire.VideoOutput) error {
	span := oneRange(r.Header.Get("Range"))
	file, err := s.Gateway.FetchFile(r.Context(), o.Link, span)
	if want := r.Header.Get("If-Range"); err == nil && span != "" && want != "" && want != file.ETag {
		file.Body.Close() // it is another file than the browser has part of
		span = ""
		file, err = s.Gateway.FetchFile(r.Context(), o.Link, "")
	}
	if err != nil {
		p := *problemIn(err)
		if p.Status == http.StatusRequestedRangeNotSatisfiable && span != "" {
			w.Header().Set("Content-Range", "bytes */*")
			return &wire.Problem{Code: "bad_range", Message: "The file is not that long.", Status: p.Status}
		}
		p.Status = http.StatusBadGateway
		return &p
	}
	defer file.Body.Close()
	kind, err := relayKind(file, span)
	if err != nil {
		return err
	}
	h := w.Header()
	mediaHeaders(h, kind, "")
	h.Set("Cache-Control", "private, no-store")
	h.Set("Accept-Ranges", "bytes")
	if file.ETag != "" {
		h.Set("ETag", file.ETag)
	}
	if file.Length >= 0 {
		h.Set("Content-Length", strconv.FormatInt(file.Length, 10))
	}
	if file.Status == http.StatusPartialContent {
		h.Set("Content-Range", file.ContentRange)
	}
	disposition(w, r, t, o)
	w.WriteHeader(file.Status)
	if r.Method == http.MethodHead {
		return nil
	}
	if _, err := io.CopyBuffer(w, io.LimitReader(file.Body, s.Limits.MaxFile), make([]byte, 64<<10)); err != nil && r.Context().Err() == nil {
		s.Logger.Info("a clip's relay broke off", "task", t.ID, "err", err)
	}
	return nil
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

// oneRange is the Range header if it asks for one range of bytes; else "",
// which gets the whole file.
func oneRange(header string) string {
	rest, ok := strings.CutPrefix(header, "bytes=")
	from, to, dash := strings.Cut(rest, "-")
	if !ok || !dash || from == "" && to == "" || len(rest) > 40 || strings.Trim(from, "0123456789") != "" || strings.Trim(to, "0123456789") != "" {
		return ""
	}
	return header
}

// disposition has the browser save a file where that is asked for.
func disposition(w http.ResponseWriter, r *http.Request, t wire.VideoTask, o wire.VideoOutput) {
	if d := r.URL.Query().Get("download"); d == "" || d == "0" {
		return
	}
	name := saveName(t, o)
	value := `attachment; filename="` + name + `"`
	if strings.IndexFunc(name, func(r rune) bool { return r > '~' }) >= 0 {
		value = "attachment; filename*=UTF-8''" + url.PathEscape(name)
	}
	w.Header().Set("Content-Disposition", value)
}

// maxSaved bounds the words of a name, in characters: with all of them in four
// bytes it is still one that file systems take.
const maxSaved = 50

// saveName is a safe and telling name for an output: letters, digits and
// hyphens of the title or the prompt, and the start of the task's id.
func saveName(t wire.VideoTask, o wire.VideoOutput) string {
	text := t.Title
	if text == "" {
		text = t.Prompt
	}
	var words []rune
	for _, r := range text {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r) && len(words) > 0:
			words = append(words, unicode.ToLower(r))
		case len(words) > 0 && words[len(words)-1] != '-':
			words = append(words, '-')
		}
		if len(words) >= maxSaved {
			break
		}
	}
	name := strings.Trim(string(words), "-")
	if name == "" {
		name = "clip"
	}
	name += "-" + t.ID[:min(8, len(t.ID))]
	if len(t.Outputs) > 1 {
		name += "-" + strconv.Itoa(o.Index+1)
	}
	ext := extension(o.Type)
	if o.Type == "" {
		ext = "mp4"
	}
	return name + "." + ext
}

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
	err = s.files.Add(tmp.Name(), sum, func() (err error) {
		t, before, err = s.Store.SetPoster(r.Context(), owner, id, index, sum, m.Type)
		return err
	})
	if err != nil {
		s.discard(s.life, sum)
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
	f, err := s.files.Open(hex.EncodeToString(sha))
	if errors.Is(err, fs.ErrNotExist) {
		return notThere()
	}
	if err != nil {
		return err
	}
	defer f.Close()
	mediaHeaders(w.Header(), kind, hex.EncodeToString(sha))
	w.Header().Set("Cache-Control", "private, no-cache") // it can be replaced
	http.ServeContent(w, r, "", time.Time{}, f)
	return nil
}
