package page

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/shared/wire"
)

// immutable is the caching of an address that carries the hash of its content.
const immutable = "public, max-age=31536000, immutable"

// asset is one file in the encodings there are of it.
type asset struct {
	kind  string // Content-Type
	hash  string // of its bytes as they are there
	forms []form // the best first; the last is the raw one
}

// form is a file in one encoding: made here and in memory, or one of the files,
// from where it is sent without a copy of it being kept.
type form struct {
	encoding string // of Accept-Encoding; "" is none
	p        []byte
	open     func() (fs.File, error) // where p is nil
	inflate  bool                    // it is compressed with gzip, and is sent as what it was
	size     int                     // of what is sent, in bytes
}

// writeTo sends it.
func (f form) writeTo(w io.Writer) (n int64, err error) {
	if f.open == nil {
		n, err := w.Write(f.p)
		return int64(n), err
	}
	file, err := f.open()
	if err != nil {
		return 0, err
	}
	defer file.Close()
	if !f.inflate {
		return io.Copy(w, file)
	}
	z, err := gzip.NewReader(file)
	if err != nil {
		return 0, err
	}
	return io.Copy(w, z)
}

// readFiles takes what is not a style sheet: the program and the icons. A file
// that is there only compressed is served raw too, out of its .gz: the program
// is large, and hardly a browser asks for it so.
func (p *Page) readFiles(files fs.FS) error {
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := strings.TrimSuffix(strings.TrimSuffix(e.Name(), ".gz"), ".br")
		kind := contentType(name)
		if e.IsDir() || kind == "" || path.Ext(name) == ".css" || p.files["/web/"+name] != nil {
			continue
		}
		as := &asset{kind: kind}
		for _, f := range []struct{ ext, encoding string }{{".br", "br"}, {".gz", "gzip"}, {"", ""}} {
			info, err := fs.Stat(files, name+f.ext)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return err
			}
			open := func() (fs.File, error) { return files.Open(name + f.ext) }
			as.forms = append(as.forms, form{encoding: f.encoding, open: open, size: int(info.Size())})
		}
		if err := as.finish(); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		p.files["/web/"+name] = as
	}
	return nil
}

// finish sees to it that the last form is the raw one, and hashes it as it is
// there: to inflate the program at every start would take longer than the rest of it.
func (a *asset) finish() error {
	raw := &a.forms[len(a.forms)-1]
	if raw.encoding == "br" {
		return errors.New("is there as .br only: make builds the .gz too")
	}
	var there bytes.Buffer
	if _, err := raw.writeTo(&there); err != nil {
		return err
	}
	a.hash = shortHash(there.Bytes())
	if raw.encoding != "gzip" {
		return nil
	}
	if there.Len() < gzipTrailer {
		return errors.New("its .gz is cut off: make builds it again")
	}
	size := binary.LittleEndian.Uint32(there.Bytes()[there.Len()-4:]) // what is in the .gz, RFC 1952 2.3.1
	a.forms = append(a.forms, form{open: raw.open, inflate: true, size: int(size)})
	return nil
}

// gzipTrailer is how many bytes come behind what is compressed: its checksum and size.
const gzipTrailer = 8

// sheet and script are those of the page of what is shared, which is no program.
// (See package shown.)
const (
	sheet  = "shown.css"
	script = "shown.js"
)

// addShown makes the files of a shared page: its sheet, with those of the page's that
// it stands on, and its script.
func (p *Page) addShown(files fs.FS) error {
	var all bytes.Buffer
	for _, name := range []string{"tokens.css", "base.css", "prose.css", sheet} {
		part, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		all.Write(part)
		all.WriteByte('\n')
	}
	p.files["/web/"+sheet] = newAsset("text/css; charset=utf-8", all.Bytes())
	code, err := fs.ReadFile(files, script)
	if err != nil {
		return err
	}
	p.files["/web/"+script] = newAsset("text/javascript; charset=utf-8", code)
	return nil
}

// addStyles joins the style sheets into one, so that the page waits for one
// answer and not for ten. The tokens, the elements and the kit come first, then
// the parts by name; the parts do not depend on each other's order.
func (p *Page) addStyles(files fs.FS) error {
	names, err := fs.Glob(files, "*.css")
	if err != nil {
		return err
	}
	rank := func(name string) int { return slices.Index([]string{"kit.css", "base.css", "tokens.css"}, name) }
	slices.SortFunc(names, func(x, y string) int {
		return cmp.Or(cmp.Compare(rank(y), rank(x)), cmp.Compare(x, y))
	})
	var all bytes.Buffer
	for _, name := range names {
		if name == sheet {
			continue
		}
		part, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		all.Write(part)
		all.WriteByte('\n')
	}
	all.WriteString(shellCSS)
	p.files["/web/app.css"] = newAsset("text/css; charset=utf-8", all.Bytes())
	return nil
}

// addEarly makes the script that the page runs before its program has come.
func (p *Page) addEarly() {
	code := strings.NewReplacer("{{.Socket}}", wire.Path, "{{.Failed}}", failed).Replace(earlyJS)
	p.files[early] = newAsset("text/javascript; charset=utf-8", []byte(code))
}

// hash identifies the files there are so far and what the rest is made of.
func (p *Page) hash() string {
	h := sha256.New()
	for _, url := range p.urls() {
		fmt.Fprintln(h, url)
	}
	fmt.Fprintln(h, shellHTML, app.DefaultAppWorkerJS, changes, pageFromServer, notShared)
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// URL is the address of a file with the hash of its content.
func (p *Page) URL(path string) string {
	if as, ok := p.files[path]; ok {
		return path + "?v=" + as.hash
	}
	return path
}

func shortHash(p []byte) string {
	sum := sha256.Sum256(p)
	return hex.EncodeToString(sum[:8])
}

// newAsset makes an asset of bytes, with a gzip form if that is smaller.
func newAsset(kind string, p []byte) *asset {
	a := &asset{kind: kind, hash: shortHash(p)}
	var packed bytes.Buffer
	z, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression) // the level is a right one
	_, _ = z.Write(p)                                          // a Buffer takes everything
	_ = z.Close()
	if packed.Len() < len(p) {
		a.forms = append(a.forms, form{encoding: "gzip", p: packed.Bytes(), size: packed.Len()})
	}
	a.forms = append(a.forms, form{p: p, size: len(p)})
	return a
}

// contentType is the type of a file that the browser may have, "" for others.
func contentType(name string) string {
	// Not by package mime: it reads the machine's tables, which differ, and
	// keeps them in memory.
	switch path.Ext(name) {
	case ".wasm":
		return "application/wasm"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".png":
		return "image/png"
	}
	return ""
}

func (a *asset) serve(w http.ResponseWriter, r *http.Request, status int, caching string) {
	f := a.pick(r.Header.Values("Accept-Encoding"))
	h := w.Header()
	h.Set("Content-Type", a.kind)
	h.Set("Cache-Control", caching)
	h.Set("Vary", "Accept-Encoding")
	tag := `"` + a.hash + f.encoding + `"`
	h.Set("ETag", tag)
	if f.encoding != "" {
		h.Set("Content-Encoding", f.encoding)
	}
	if status == http.StatusOK && matches(r.Header.Values("If-None-Match"), tag) {
		h.Del("Content-Encoding")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Length", strconv.Itoa(f.size))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = f.writeTo(w) // an error means that the browser is gone: the files are the program's own
	}
}

// pick chooses the best form that the request accepts.
func (a *asset) pick(accept []string) form {
	for _, f := range a.forms {
		if f.encoding == "" || accepts(accept, f.encoding) {
			return f
		}
	}
	return a.forms[len(a.forms)-1]
}

// accepts says whether Accept-Encoding names an encoding, with a weight above
// 0.
func accepts(lines []string, encoding string) bool {
	for part := range strings.SplitSeq(strings.Join(lines, ","), ",") {
		name, params, _ := strings.Cut(part, ";")
		if !strings.EqualFold(strings.TrimSpace(name), encoding) {
			continue
		}
		q, ok := strings.CutPrefix(strings.ReplaceAll(strings.ToLower(params), " ", ""), "q=")
		if !ok {
			return true
		}
		weight, err := strconv.ParseFloat(q, 64)
		return err == nil && weight > 0
	}
	return false
}

// matches says whether If-None-Match names a tag.
func matches(lines []string, tag string) bool {
	for part := range strings.SplitSeq(strings.Join(lines, ","), ",") {
		part = strings.TrimSpace(part)
		if part == "*" || strings.TrimPrefix(part, "W/") == tag {
			return true
		}
	}
	return false
}
