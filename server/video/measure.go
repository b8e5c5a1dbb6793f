package video

import (
	"bufio"
	"context"
	"errors"
	"image"
	_ "image/gif" // these three, and webp, so that their sizes can be read
	_ "image/jpeg"
	_ "image/png"
	"io"
	"strings"

	_ "golang.org/x/image/webp"

	"screentest/server/mp4"
	"screentest/shared/wire"
)

// maxSide bounds an image's width and height, in pixels.
const maxSide = 16384

// measure reads a file's type and measures from its bytes, keeping none of
// them. Type is "" for what is no clip and no image.
func measure(r io.Reader) (wire.Measured, error) {
	in := bufio.NewReaderSize(r, 4096)
	head, err := in.Peek(512)
	if err != nil && !errors.Is(err, io.EOF) {
		return wire.Measured{}, err
	}
	m := wire.Measured{Type: kindOf(head)}
	switch m.Type {
	case "video/mp4", "video/quicktime":
		info, err := mp4.Measure(in)
		if err != nil {
			return m, err
		}
		m.Seconds, m.Width, m.Height = info.Seconds, info.Width, info.Height
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		c, _, err := image.DecodeConfig(in)
		if err != nil {
			return m, errors.New("the image can't be read")
		}
		m.Width, m.Height = c.Width, c.Height
	}
	if strings.HasPrefix(m.Type, "image/") && (m.Width < 1 || m.Height < 1 || m.Width > maxSide || m.Height > maxSide) {
		return m, errors.New("the image has no usable width and height")
	}
	return m, nil
}

// Measure fetches a link and tells its type and measures: for videos that the
// browser can't read. It connects to public addresses, the gateway's and our
// own uploads only, and reads 100 MB at most.
func (s *Service) Measure(ctx context.Context, link string) (m wire.Measured, err error) {
	base, _ := s.Uploads()
	if name, own := strings.CutPrefix(link, base+wire.UploadedPath); own {
		id, _, _ := strings.Cut(name, ".")
		u, err := s.Store.Upload(ctx, id)
		return u.Measured, err
	}
	file, err := s.Gateway.FetchFile(ctx, link, "")
	if err != nil {
		p := *problemIn(err)
		if p.Code == "server_error" { // not a usable address
			p = wire.Problem{Code: "bad_url", Message: "This isn’t a web address.", Hint: "Begin it with https:// or http://."}
		}
		p.Field = "url"
		return m, &p
	}
	defer file.Body.Close()
	limited := &io.LimitedReader{R: file.Body, N: wire.MaxUploadVideo + 1}
	m, err = measure(limited)
	read := wire.MaxUploadVideo + 1 - limited.N
	if file.Length > wire.MaxUploadVideo || read > wire.MaxUploadVideo {
		return m, &wire.Problem{Code: "file_too_large", Field: "url", Message: "The file behind the link is larger than 100 MB."}
	}
	if err != nil || m.Type == "" {
		return m, &wire.Problem{Code: "not_media", Field: "url", Message: "There is no video or image behind the link that can be measured.",
			Hint: "It must lead to the file itself, not to a page that shows it."}
	}
	if m.Bytes = file.Length; m.Bytes < 0 {
		m.Bytes = read
	}
	return m, nil
}
