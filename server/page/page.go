// Package page is the page as browsers get it: its first HTML, the style sheets
// joined into one, the program, the icons, and go-app's scripts with our changes
// (goapp.go), each in the encodings there are of it and under the hash of its
// content. Make a [Page] with [New].
package page

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io/fs"
	"maps"
	"net/http"
	"slices"
	"strings"
)

const description = "A self-hosted playground for a model gateway: chat, compare, and make clips."

// The page before its program has arrived: the outline of what will be there and,
// where one writes, the composer itself, in the place that it keeps. Its script lets
// it take a message and a send, which the program takes over.
var (
	//go:embed shell.html
	shellHTML string
	//go:embed shell.css
	shellCSS string
	//go:embed early.js
	earlyJS string
)

// early is where the script is.
const early = "/early.js"

// An outline is what an address shows before the program has arrived.
type outline string

const (
	newChat      outline = "chat"
	conversation outline = "conversation"
	section      outline = "page" // anything else: nothing is written there
	entrance     outline = "door"
)

// chips are what stands under the text in the composer, in the order and words of
// the program's: they may need two rows.
var chips = []string{"Add a model", "Image", "Tools", "Add only", "Prompts"}

// Page is the page and its files, ready to be sent.
type Page struct {
	build string // hash over all of them
	built bool   // app.wasm is there
	files map[string]*asset
	html  map[outline]*asset
}

// Options say whose page it is.
type Options struct {
	// Team says that there are accounts. The page learns it from its first
	// line, so that somebody alone is asked for nothing.
	Team bool
}

// New reads the browser's files (app.wasm, style sheets, icons, each with .br
// and .gz beside it where that was made) and makes those that go-app needs.
func New(files fs.FS, o Options) (*Page, error) {
	p := &Page{files: map[string]*asset{}, html: map[outline]*asset{}}
	if err := p.readFiles(files); err != nil {
		return nil, err
	}
	_, p.built = p.files["/web/app.wasm"]
	if err := p.addStyles(files); err != nil {
		return nil, err
	}
	if o.Team {
		if err := p.addShown(files); err != nil {
			return nil, err
		}
	}
	p.addEarly()
	p.build = p.hash()
	if err := p.addGoApp(); err != nil {
		return nil, err
	}
	for _, of := range []outline{newChat, conversation, section, entrance} {
		html, err := p.makeHTML(o, of)
		if err != nil {
			return nil, err
		}
		p.html[of] = newAsset("text/html; charset=utf-8", html)
	}
	return p, nil
}

// Build identifies the files: it changes when any of them does.
func (p *Page) Build() string { return p.build }

// Built says whether the browser's program is there.
func (p *Page) Built() bool { return p.built }

// Paths are the addresses that ServeFile answers.
func (p *Page) Paths() []string { return slices.Sorted(maps.Keys(p.files)) }

// ServeFile answers with a file. At the address that names its content it may
// be kept for ever; at the bare one it is asked for again each time.
func (p *Page) ServeFile(w http.ResponseWriter, r *http.Request) {
	a := p.files[r.URL.Path]
	caching := "no-cache"
	if r.URL.Query().Get("v") == a.hash {
		caching = immutable
	}
	a.serve(w, r, http.StatusOK, caching)
}

// Serve answers with the page. What it shows is up to its program; an address
// that names no conversation of the person's is told by it.
func (p *Page) Serve(w http.ResponseWriter, r *http.Request) {
	of := section
	switch {
	case r.URL.Path == "/":
		of = newChat
	case strings.HasPrefix(r.URL.Path, "/c/"):
		of = conversation
	}
	p.serve(p.html[of], w, r)
}

// ServeReader is Serve for somebody who may not send: there is no composer.
func (p *Page) ServeReader(w http.ResponseWriter, r *http.Request) {
	p.serve(p.html[section], w, r)
}

// ServeDoor answers with the page where one signs in, sets up, joins or chooses
// a new password: the same program, under the outline of that.
func (p *Page) ServeDoor(w http.ResponseWriter, r *http.Request) {
	p.serve(p.html[entrance], w, r)
}

func (p *Page) serve(html *asset, w http.ResponseWriter, r *http.Request) {
	status := http.StatusOK
	if !p.built {
		status = http.StatusServiceUnavailable
	}
	html.serve(w, r, status, "no-cache")
}

// ServeNotFound answers with the page where there is nothing: it says so and
// leads on.
func (p *Page) ServeNotFound(w http.ResponseWriter, r *http.Request) {
	p.html[section].serve(w, r, http.StatusNotFound, "no-store")
}

// makeHTML fills in the addresses of the files.
func (p *Page) makeHTML(o Options, of outline) ([]byte, error) {
	t, err := template.New("page").Parse(shellHTML)
	if err != nil {
		return nil, fmt.Errorf("parse the page: %w", err)
	}
	var b bytes.Buffer
	err = t.Execute(&b, map[string]any{
		"Description": description,
		"Styles":      p.URL("/web/app.css"),
		"Manifest":    p.URL("/manifest.webmanifest"),
		"Icon":        p.optional("/web/icon.svg"),
		"TouchIcon":   p.optional("/web/icon-192.png"),
		"WasmExec":    p.URL("/wasm_exec.js"),
		"App":         p.URL("/app.js"),
		"Wasm":        p.URL("/web/app.wasm"),
		"Built":       p.built,
		"Team":        o.Team,
		"Outline":     string(of),
		"Early":       p.URL(early),
		"Chips":       chips,
	})
	if err != nil {
		return nil, fmt.Errorf("make the page: %w", err)
	}
	return b.Bytes(), nil
}

// optional is the address of a file, "" if it is not there.
func (p *Page) optional(path string) string {
	if _, ok := p.files[path]; !ok {
		return ""
	}
	return p.URL(path)
}
