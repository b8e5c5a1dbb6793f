package video

import (
	"io"
	"io/fs"
	"net/http"
	"strconv"
	"strings"

	"screentest/server/blob"
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

// serveFile serves a file that never changes, with Range. The browser asks each
// time whether it may still show what it has of it: who is signed in may be
// somebody else meanwhile, or nobody.
func serveFile(w http.ResponseWriter, r *http.Request, f io.ReadSeeker, kind, etag string) {
	mediaHeaders(w.Header(), kind, etag)
	w.Header().Set("Cache-Control", "private, no-cache")
	blob.Serve(w, r, f)
}

// ServeMedia serves an output's file to its owner, with Range: from the
// archive if it is there, else from the gateway. With download in the query it
// is saved under a telling name. An error comes before anything is written. What
// an object store has that is away plays from the gateway, too, for as long as
// that keeps it.
func (s *Service) ServeMedia(w http.ResponseWriter, r *http.Request, owner, id string, index int) error {
	t, o, err := s.output(r, owner, id, index)
	if err != nil {
		return err
	}
	if o.Archive == wire.ArchiveSaved {
		f, err := s.Files.Archive.Open(r.Context(), o.SHA256)
		if err == nil {
			defer f.Close()
			disposition(w, r, t, o)
			serveFile(w, r, f, o.Type, o.SHA256)
			return nil
		}
		if r.Context().Err() != nil {
			return err
		}
		s.Logger.Error("an archived file can't be opened", "task", id, "err", err)
		if o.Link == "" && !isNotExist(err) {
			return err
		}
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
	file, err := s.filesOf(t).FetchFile(r.Context(), o.Link, span)
	if want := r.Header.Get("If-Range"); err == nil && span != "" && want != "" && want != file.ETag {
		file.Body.Close() // it is another file than the browser has part of
		span = ""
		file, err = s.filesOf(t).FetchFile(r.Context(), o.Link, "")
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
