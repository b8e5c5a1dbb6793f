package video

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"screentest/shared/wire"
)

const (
	// maxUploading is how many uploads of one owner go on at a time.
	maxUploading = 4
	// keepUploads is how long an upload is safe from being removed to make
	// room for another: the gateway fetches it soon or never.
	keepUploads = 24 * time.Hour
	maxName     = 200 // characters of a file's name
)

// Upload takes one file as it comes and tells where a gateway can fetch it. It
// must be what it is taken for by its content, whatever it is called: a PNG,
// JPEG or WebP of at most 20 MiB, or an MP4 of at most 100 MiB.
func (s *Service) Upload(ctx context.Context, owner, name string, body io.Reader) (u wire.Upload, err error) {
	if err := s.ReadOnly(); err != nil {
		return u, err
	}
	s.mu.Lock()
	if s.uploading[owner] >= maxUploading {
		s.mu.Unlock()
		return u, &wire.Problem{Code: "too_many_uploads", Message: fmt.Sprintf("%d files are being uploaded, which is the limit.", maxUploading),
			Hint: "Wait until one is done.", Status: http.StatusTooManyRequests}
	}
	s.uploading[owner]++
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.uploading[owner]--; s.uploading[owner] == 0 {
			delete(s.uploading, owner)
		}
	}()
	defer func() { err = s.notKept(err) }()
	// Beside its place, where that is the data folder: the archive may be on another
	// disk. What a kill leaves of it is swept at the next start.
	tmp, err := os.CreateTemp(s.arriving, arrivingName)
	if err != nil {
		return u, err
	}
	defer os.Remove(tmp.Name())
	defer tmp.Close()
	if u.Measured, err = receive(tmp, body); err != nil {
		return u, err
	}
	u.ID, u.Name = rand.Text(), fileName(name) // 130 bits
	if err := s.addUpload(ctx, owner, u, tmp.Name()); err != nil {
		return wire.Upload{}, err
	}
	return s.located(u), nil
}

// located says where an upload is served.
func (s *Service) located(u wire.Upload) wire.Upload {
	u.Path = wire.UploadedPath + u.ID + "." + extension(u.Type)
	u.URL, u.Unreachable = s.Uploads()
	u.URL += u.Path
	return u
}

// Uploaded lists what an owner has uploaded, newest first.
func (s *Service) Uploaded(ctx context.Context, owner string, q wire.VideoUploads) (wire.VideoUploaded, error) {
	list, err := s.Store.Uploads(ctx, owner, q.Videos, wire.MaxUploadsPage)
	for i := range list {
		list[i] = s.located(list[i])
	}
	return wire.VideoUploaded{Uploads: list}, err
}

// receive writes an upload into a file and measures it.
func receive(to *os.File, body io.Reader) (m wire.Measured, err error) {
	head := make([]byte, 512)
	n, err := io.ReadFull(body, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return m, cutOff(err)
	}
	most := int64(wire.MaxUploadImage)
	switch kindOf(head[:n]) {
	case "video/mp4":
		most = wire.MaxUploadVideo
	case "image/png", "image/jpeg", "image/webp":
	default:
		return m, &wire.Problem{Code: "not_media", Message: "The file is no PNG, JPEG or WebP image and no MP4 video.",
			Hint: "Convert it first. Its name does not matter, its content does.", Status: http.StatusUnsupportedMediaType}
	}
	if _, err := to.Write(head[:n]); err != nil {
		return m, err
	}
	rest, err := io.Copy(to, io.LimitReader(body, most+1-int64(n)))
	if err != nil {
		return m, cutOff(err)
	}
	size := rest + int64(n)
	if size > most {
		return m, &wire.Problem{Code: "file_too_large", Message: fmt.Sprintf("The file is larger than %d MB, the limit for its kind.", most>>20),
			Status: http.StatusRequestEntityTooLarge}
	}
	if err := to.Sync(); err != nil {
		return m, err
	}
	if _, err := to.Seek(0, io.SeekStart); err != nil {
		return m, err
	}
	if m, err = measure(to); err != nil {
		return m, &wire.Problem{Code: "not_media", Message: "The file is damaged: " + err.Error() + ".", Status: http.StatusUnprocessableEntity}
	}
	m.Bytes = size
	return m, nil
}

// cutOff is the error of a body that did not come whole.
func cutOff(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return err // of our own disk
	}
	return &wire.Problem{Code: "upload_broken", Message: "The file did not arrive whole.", Hint: "Try again.", Status: http.StatusBadRequest}
}

// addUpload puts the file where it is served from. Old uploads give way when
// the owner's bound is reached.
func (s *Service) addUpload(ctx context.Context, owner string, u wire.Upload, from string) error {
	kept := context.WithoutCancel(ctx)
	if err := s.Files.Uploads.Add(ctx, uploadName(u), from, nil, nil); err != nil {
		if !s.leftToSweep(err) {
			s.removeUpload(kept, u)
		}
		return err
	}
	now := s.Now()
	gone, room, err := s.Store.AddUpload(ctx, owner, u, now.UnixMilli(), s.Limits.MaxUploads, now.Add(-keepUploads).UnixMilli())
	for _, old := range gone {
		s.removeUpload(kept, old)
	}
	if err == nil && !room {
		err = &wire.Problem{Code: "uploads_full", Message: fmt.Sprintf("Your uploads would be more than %d MB together.", s.Limits.MaxUploads>>20),
			Hint: "Those of more than a day ago give way by themselves; try again tomorrow, or give a link.", Status: http.StatusInsufficientStorage}
	}
	if err != nil && !s.leftToSweep(err) {
		s.removeUpload(kept, u)
	}
	return err
}

// arrivingName is what uploads are called until they are whole.
const arrivingName = "upload-*.part"

// uploadName is what an upload is called where it is kept.
func uploadName(u wire.Upload) string { return u.ID + "." + extension(u.Type) }

// removeUpload removes an upload's file. What is left of it is swept.
func (s *Service) removeUpload(ctx context.Context, u wire.Upload) {
	if err := s.Files.Uploads.Remove(ctx, uploadName(u)); err != nil && ctx.Err() == nil {
		var at *fs.PathError
		if errors.As(err, &at) {
			err = at.Err // the name is an address that nobody else is to know
		}
		s.Logger.Info("an upload's file was not removed", "err", err)
	}
}

// ServeUpload serves an upload by its unguessable name, to whoever has it: a
// gateway has no session.
func (s *Service) ServeUpload(w http.ResponseWriter, r *http.Request, name string) error {
	id, ext, _ := strings.Cut(name, ".")
	u, err := s.Store.Upload(r.Context(), id)
	if err != nil {
		return err
	}
	if ext != extension(u.Type) {
		return notThere()
	}
	f, err := s.Files.Uploads.Open(r.Context(), uploadName(u))
	if err != nil {
		if isNotExist(err) {
			return notThere()
		}
		return err
	}
	defer f.Close()
	serveFile(w, r, f, u.Type, id)
	return nil
}

// fileName is a name as people gave it, without folders and what is not shown.
func fileName(name string) string {
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == utf8.RuneError || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return -1
		}
		return r
	}, name)
	if runes := []rune(name); len(runes) > maxName {
		name = string(runes[:maxName])
	}
	return name
}
