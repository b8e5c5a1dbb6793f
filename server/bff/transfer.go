package bff

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"screentest/shared/wire"
)

// maxImports is how many imports go on at a time: each holds its whole file in
// memory until it is stored.
const maxImports = 2

// maxExports is how many files of conversations are written at a time: each has
// a page of messages in memory, or one long message.
const maxExports = 4

// exportStep is how much of a file is written at a time, in bytes. Each must be
// taken within writeTimeout, so that who doesn't read takes no place for long.
const exportStep = 64 << 10

// Transfers writes and reads conversations as files.
type Transfers interface {
	// Export writes one conversation, or all for "".
	Export(ctx context.Context, owner, conversation string, w io.Writer) error
	Import(ctx context.Context, owner string, r io.Reader) (wire.Imported, error)
}

// handleExport answers with one conversation as a file: id.json or id.md.
func (s *Server) handleExport(w http.ResponseWriter, r *http.Request, owner string) error {
	id, ext, _ := strings.Cut(r.PathValue("file"), ".")
	if uuid.Validate(id) != nil {
		return fs.ErrNotExist // to the store no id is all conversations
	}
	name := "conversation-" + short(id) + "." + ext
	switch ext {
	case "json":
		return s.sendFile(w, r, name, "application/json; charset=utf-8", id, func(to io.Writer) error {
			return s.Conversations.Export(r.Context(), owner, id, to)
		})
	case "md":
		return s.sendFile(w, r, name, "text/markdown; charset=utf-8", id, func(to io.Writer) error {
			return writeMarkdown(r.Context(), s.Conversations, owner, id, to)
		})
	}
	return fs.ErrNotExist
}

// handleExportAll answers with everything.
func (s *Server) handleExportAll(w http.ResponseWriter, r *http.Request, owner string) error {
	return s.sendFile(w, r, "screentest-"+s.Now().UTC().Format("2006-01-02")+".json", "application/json; charset=utf-8", "", func(to io.Writer) error {
		return s.Conversations.Export(r.Context(), owner, "", to)
	})
}

// short is the beginning of an id, for a file's name.
func short(id string) string {
	return strings.Map(func(c rune) rune {
		if '0' <= c && c <= '9' || 'a' <= c && c <= 'f' {
			return c
		}
		return -1
	}, id[:min(len(id), 8)])
}

// sendFile answers with a file to be kept, made by write, of one conversation or
// of all for "". An error before its
// first byte is a problem to read; one after it breaks the download off, so
// that half a file is not taken for a whole one.
func (s *Server) sendFile(w http.ResponseWriter, r *http.Request, name, kind, conversation string, write func(io.Writer) error) error {
	select {
	case s.exports <- struct{}{}:
		defer func() { <-s.exports }()
	default:
		return &wire.Problem{Code: "too_many_exports", Message: fmt.Sprintf("%d files are being exported, which is the limit.", maxExports),
			Hint: "Wait until one is done.", RetryAfterMS: 5000}
	}
	f := &fileWriter{w: w, name: name, kind: kind, head: r.Method == http.MethodHead,
		begins: func() { s.noteExport(r, "conversations", conversation) }}
	err := write(f)
	if !f.begun {
		return err
	}
	_ = f.deadline(time.Time{}) // the connection's next request has none
	if err != nil {
		if r.Context().Err() == nil {
			s.Logger.Error("export broke off", "err", err)
		}
		panic(http.ErrAbortHandler)
	}
	return nil
}

// fileWriter writes the headers with the first byte.
type fileWriter struct {
	w           http.ResponseWriter
	name, kind  string
	head, begun bool
	begins      func() // called with the first byte
}

func (f *fileWriter) Write(p []byte) (int, error) {
	if !f.begun {
		f.begun = true
		f.begins()
		h := f.w.Header()
		h.Set("Content-Type", f.kind)
		h.Set("Content-Disposition", `attachment; filename="`+f.name+`"`)
		h.Set("Cache-Control", "no-store")
	}
	if f.head {
		return len(p), nil
	}
	for n := 0; n < len(p); n += exportStep {
		_ = f.deadline(time.Now().Add(writeTimeout)) // where it can't be set, the number is bounded
		if _, err := f.w.Write(p[n:min(n+exportStep, len(p))]); err != nil {
			return n, err
		}
	}
	return len(p), nil
}

func (f *fileWriter) deadline(t time.Time) error {
	return http.NewResponseController(f.w).SetWriteDeadline(t)
}

// handleImport stores what was exported: the JSON file itself, or the part
// "file" of a form.
func (s *Server) handleImport(w http.ResponseWriter, r *http.Request, owner string) error {
	select {
	case s.imports <- struct{}{}:
		defer func() { <-s.imports }()
	default:
		return &wire.Problem{Code: "too_many_imports", Message: fmt.Sprintf("%d files are being imported, which is the limit.", maxImports),
			Hint: "Wait until one is done."}
	}
	body := &source{Reader: http.MaxBytesReader(w, r.Body, wire.MaxImport)}
	done, err := s.importFrom(r, body, owner)
	if broken := body.problem(); err != nil && broken != nil {
		return broken // what was made of the rest is no matter
	}
	if err != nil {
		return err
	}
	s.News.Imported(owner, done)
	answer(w, http.StatusOK, done)
	return nil
}

// importFrom stores what a request's body holds, which is given apart.
func (s *Server) importFrom(r *http.Request, body io.Reader, owner string) (wire.Imported, error) {
	file, err := importFile(r, body)
	if err != nil {
		return wire.Imported{}, err
	}
	return s.Conversations.Import(r.Context(), owner, file)
}

// source is a body that knows why it did not come whole.
type source struct {
	io.Reader
	err error
}

func (b *source) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err != nil && err != io.EOF {
		b.err = err
	}
	return n, err
}

func (b *source) problem() *wire.Problem {
	var large *http.MaxBytesError
	switch {
	case b.err == nil:
		return nil
	case errors.As(b.err, &large):
		return &wire.Problem{Code: "body_too_large", Message: fmt.Sprintf("The file is larger than %d MiB, which is the limit.", large.Limit>>20),
			Hint: "Export conversations one by one, and import those."}
	}
	return &wire.Problem{Code: "file_incomplete", Message: "The file did not come whole, so nothing of it was imported.", Hint: "Send it again."}
}

// importFile finds the file in a request.
func importFile(r *http.Request, body io.Reader) (io.Reader, error) {
	kind, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case kind == "application/json":
		return body, nil
	case kind == "multipart/form-data" && params["boundary"] != "":
		form := multipart.NewReader(body, params["boundary"])
		for {
			part, err := form.NextPart()
			if err != nil {
				return nil, &wire.Problem{Code: "bad_import", Field: "file", Message: `The form has no part "file".`}
			}
			if part.FormName() == "file" {
				return part, nil
			}
		}
	}
	return nil, &wire.Problem{Code: "bad_media_type", Message: "A file is sent as application/json, or as a part of multipart/form-data."}
}
