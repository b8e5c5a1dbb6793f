package bff

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"net/http"
)

const description = "A self-hosted playground for a model gateway: chat, compare, and make clips."

// The page before its program has arrived: the same at every address, with the
// outline of what will be there and a box that can already be typed in. The
// program takes over its text.
var (
	//go:embed shell.html
	shellHTML string
	//go:embed shell.css
	shellCSS string
)

// makePage fills in the addresses of the files.
func (a *assets) makePage() ([]byte, error) {
	t, err := template.New("page").Parse(shellHTML)
	if err != nil {
		return nil, fmt.Errorf("parse the page: %w", err)
	}
	var b bytes.Buffer
	err = t.Execute(&b, map[string]any{
		"Description": description,
		"Styles":      a.url("/web/app.css"),
		"Manifest":    a.url("/manifest.webmanifest"),
		"Icon":        a.optional("/web/icon.svg"),
		"TouchIcon":   a.optional("/web/icon-192.png"),
		"WasmExec":    a.url("/wasm_exec.js"),
		"App":         a.url("/app.js"),
		"Wasm":        a.url("/web/app.wasm"),
		"Built":       a.built,
	})
	if err != nil {
		return nil, fmt.Errorf("make the page: %w", err)
	}
	return b.Bytes(), nil
}

// optional is the address of a file, "" if it is not there.
func (a *assets) optional(path string) string {
	if _, ok := a.files[path]; !ok {
		return ""
	}
	return a.url(path)
}

// handleElsewhere answers where there is nothing: a person who went there gets
// the page, which says so and leads on, and a program the same in JSON.
func (s *Server) handleElsewhere(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet || r.Header.Get("Sec-Fetch-Mode") != "navigate" || !s.assets.built {
		handleNotFound(w, r)
		return
	}
	s.assets.page.serve(w, r, http.StatusNotFound, "no-store")
}

// handlePage answers with the page. What it shows is up to its program; an
// address that names no conversation of the person's is told by it.
func (s *Server) handlePage(w http.ResponseWriter, r *http.Request) {
	status := http.StatusOK
	if !s.assets.built {
		status = http.StatusServiceUnavailable
	}
	s.assets.page.serve(w, r, status, "no-cache")
}
