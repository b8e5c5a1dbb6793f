package shown

import (
	"bytes"
	"io/fs"
	"net/http"
	"strconv"

	"screentest/server/picture"
	"screentest/shared/wire"
)

// images writes the images of a question. Their addresses are the page's own with
// another query, since who looks by another share has the same page.
func (h *html) images(list []wire.Image) {
	if len(list) == 0 {
		return
	}
	h.raw(`<ul class="images">`)
	for n, i := range list {
		address := "?image=" + i.ID
		h.raw("<li><a")
		h.attr("href", address)
		h.raw("><img")
		h.attr("src", address)
		h.attr("alt", "Image "+strconv.Itoa(n+1)+" of "+strconv.Itoa(len(list)))
		h.attr("width", strconv.Itoa(i.Width))
		h.attr("height", strconv.Itoa(i.Height))
		h.raw(` loading="lazy"></a></li>`)
	}
	h.raw("</ul>")
}

// serveImage answers with an image of what is shared. Of a conversation as it was, that
// is one which it had then.
func (s *Service) serveImage(w http.ResponseWriter, r *http.Request, v Viewer, id string) error {
	if wait := s.limits.take(v.who(), true, s.Now()); wait > 0 {
		s.tooMany(w, r, wait)
		return nil
	}
	made, err := s.making(r.Context())
	if err != nil {
		return err
	}
	seen, err := s.Sights.See(r.Context(), r.PathValue("key"), v.Owner)
	there := seen.Kind == wire.ShareConversation && (seen.Live || bytes.Contains(seen.Snapshot, []byte(`"`+id+`"`)))
	seen.Snapshot = nil
	made()
	if err != nil {
		return err
	}
	if !there {
		return fs.ErrNotExist
	}
	leave, ok := s.sends("files", "files of "+seen.Share, "files to "+Viewer{Address: v.Address}.who())
	if !ok {
		return &wire.Problem{Code: "too_many_viewers", Status: http.StatusServiceUnavailable, RetryAfterMS: 30_000,
			Message: "Too many files of shared pages are being sent at the moment.", Hint: "Try again in a while."}
	}
	defer leave()
	i, data, err := s.Conversations.ImageOfConversation(r.Context(), seen.Owner, seen.Subject, id)
	if err != nil {
		return err
	}
	private(w.Header())
	picture.Serve(w, r, i, data)
	return nil
}
