package video

import (
	"archive/zip"
	"fmt"
	"io"
	"net/http"
	"strings"

	"screentest/shared/wire"
)

// ServeZip streams the files of several tasks as one zip, uncompressed: clips
// are compressed already. What can't be had is listed in a text file at its
// end.
func (s *Service) ServeZip(w http.ResponseWriter, r *http.Request, owner string, ids []string) error {
	if len(ids) == 0 || len(ids) > wire.MaxZipTasks {
		return &wire.Problem{Code: "bad_ids", Field: "ids", Message: fmt.Sprintf("Give 1 to %d tasks.", wire.MaxZipTasks), Status: http.StatusBadRequest}
	}
	var tasks []wire.VideoTask
	files := 0
	for _, id := range ids {
		t, err := s.Store.Task(r.Context(), owner, id)
		if err != nil {
			return err
		}
		tasks = append(tasks, t)
		files += len(t.Outputs)
	}
	if files == 0 {
		return &wire.Problem{Code: "no_files", Message: "None of these tasks has a file yet.", Status: http.StatusNotFound}
	}
	h := w.Header()
	mediaHeaders(h, "application/zip", "")
	h.Set("Cache-Control", "private, no-store")
	h.Set("Content-Disposition", `attachment; filename="screentest-clips.zip"`)
	if r.Method == http.MethodHead {
		return nil
	}
	z := zip.NewWriter(w)
	var missing []string
	names := map[string]bool{}
	for _, t := range tasks {
		for _, o := range t.Outputs {
			name := saveName(t, o)
			if names[name] {
				continue // the same task twice
			}
			names[name] = true
			if err := s.zipOne(r, z, name, t, o); err != nil {
				if r.Context().Err() != nil {
					return nil // nobody reads it any more
				}
				s.Logger.Info("a clip is missing in a zip", "task", t.ID, "err", err)
				missing = append(missing, name)
			}
		}
	}
	if len(missing) > 0 {
		if f, err := z.Create("not included.txt"); err == nil {
			fmt.Fprintf(f, "These clips could not be read and are missing or incomplete here:\n%s\n", strings.Join(missing, "\n"))
		}
	}
	if err := z.Close(); err != nil {
		s.Logger.Debug("a zip broke off", "err", err)
	}
	return nil
}

// zipOne adds one file. It is opened first, so that what can't be had leaves
// no empty entry.
func (s *Service) zipOne(r *http.Request, z *zip.Writer, name string, t wire.VideoTask, o wire.VideoOutput) error {
	var from io.ReadCloser
	if f, err := s.Files.Archive.Open(r.Context(), o.SHA256); o.Archive == wire.ArchiveSaved && err == nil {
		from = f
	} else {
		if err == nil {
			f.Close()
		}
		if o.Link == "" {
			return notThere()
		}
		file, err := s.filesOf(t).FetchFile(r.Context(), o.Link, "")
		if err != nil {
			return err
		}
		if _, err := relayKind(file, ""); err != nil {
			file.Body.Close()
			return err
		}
		from = file.Body
	}
	defer from.Close()
	to, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store, Modified: s.Now()})
	if err != nil {
		return err
	}
	_, err = io.CopyBuffer(struct{ io.Writer }{to}, io.LimitReader(from, s.Limits.MaxFile), make([]byte, 64<<10))
	return err
}
