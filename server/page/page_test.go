package page

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
)

// rawWasm stands for the program, which is there only compressed.
var rawWasm = bytes.Repeat([]byte("\x00asm wasm wasm "), 1000)

func zipped(p []byte) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	_, _ = z.Write(p) // a Buffer takes everything
	_ = z.Close()
	return out.Bytes()
}

// files stand for the built ones.
func files() fstest.MapFS {
	return fstest.MapFS{
		"app.wasm.br": {Data: []byte("brotli")},
		"app.wasm.gz": {Data: zipped(rawWasm)},
		"app.wasm.md": {Data: []byte("not for the browser")},
		"tokens.css":  {Data: []byte(":root{--first:1}")},
		"base.css":    {Data: []byte(".second{}")},
		"a.css":       {Data: []byte(".third{}")},
		"prose.css":   {Data: []byte(".z{}")},
		"shown.css":   {Data: []byte(".shown{}")},
		"shown.js":    {Data: []byte("follow()")},
		"icon.svg":    {Data: []byte("<svg xmlns=\"http://www.w3.org/2000/svg\"></svg>")},
		"embed.go":    {Data: []byte("package web")},
	}
}

func newPage(t *testing.T, files fstest.MapFS) *Page {
	t.Helper()
	p, err := New(files, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// get asks for a file, or for the page at any other address.
func get(t *testing.T, p *Page, address string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	if _, is := p.files[r.URL.Path]; is {
		p.ServeFile(w, r)
	} else {
		p.Serve(w, r)
	}
	return w
}

// address of a file in the page.
func address(t *testing.T, page, path string) string {
	t.Helper()
	m := regexp.MustCompile(regexp.QuoteMeta(path) + `\?v=[0-9a-f]+`).FindString(page)
	if m == "" {
		t.Fatalf("the page does not name %s: %s", path, page)
	}
	return m
}

func TestFilesAreServedCompressedAndKept(t *testing.T) {
	p := newPage(t, files())
	page := get(t, p, "/")
	wasm := address(t, page.Body.String(), "/web/app.wasm")
	raw, gz := string(rawWasm), string(zipped(rawWasm))
	for _, tt := range []struct{ accept, encoding, body string }{
		{"gzip, deflate, br, zstd", "br", "brotli"},
		{"gzip", "gzip", gz},
		{"br;q=0, gzip;q=0.5", "gzip", gz},
		{"BR", "br", "brotli"},
		{"identity", "", raw},
		{"bread", "", raw},
	} {
		res := get(t, p, wasm, "Accept-Encoding", tt.accept)
		if res.Header().Get("Content-Encoding") != tt.encoding || res.Body.String() != tt.body {
			t.Errorf("%q: encoding %q, %d bytes", tt.accept, res.Header().Get("Content-Encoding"), len(res.Body.String()))
		}
		if res.Header().Get("Content-Type") != "application/wasm" || res.Header().Get("Vary") != "Accept-Encoding" ||
			res.Header().Get("Cache-Control") != "public, max-age=31536000, immutable" {
			t.Errorf("%q: %v", tt.accept, res.Header())
		}
		again := get(t, p, wasm, "Accept-Encoding", tt.accept, "If-None-Match", res.Header().Get("ETag"))
		if again.Code != 304 || again.Body.String() != "" {
			t.Errorf("%q: asked again: %d", tt.accept, again.Code)
		}
		other := get(t, p, wasm, "Accept-Encoding", tt.accept, "If-None-Match", `"another", W/"third"`)
		if other.Code != 200 {
			t.Errorf("%q: another tag: %d", tt.accept, other.Code)
		}
	}
	// At the bare address, or with another hash, it must be asked for again.
	for _, path := range []string{"/web/app.wasm", "/web/app.wasm?v=0", "/app.js"} {
		if got := get(t, p, path).Header().Get("Cache-Control"); got != "no-cache" {
			t.Errorf("%s: %q", path, got)
		}
	}
	css := get(t, p, address(t, page.Body.String(), "/web/app.css")).Body.String()
	if !strings.HasPrefix(css, ":root{--first:1}\n.second{}\n.third{}\n.z{}\n") || strings.Contains(css, ".shown") || !strings.Contains(css, ".goapp-app-info") {
		t.Errorf("the styles are %q", css)
	}
}

// go-app's own handler took any tag that is its version for every file.
func TestPageIsAskedForAgainByItsOwnTag(t *testing.T) {
	p := newPage(t, files())
	page := get(t, p, "/")
	if page.Header().Get("Cache-Control") != "no-cache" || page.Header().Get("Content-Type") != "text/html; charset=utf-8" {
		t.Errorf("%v", page.Header())
	}
	tag := page.Header().Get("ETag")
	if res := get(t, p, "/", "If-None-Match", tag); res.Code != 304 {
		t.Errorf("the same page: %d", res.Code)
	}
	if res := get(t, p, "/app.js", "If-None-Match", tag); res.Code != 200 {
		t.Errorf("another file by the page's tag: %d", res.Code)
	}
}

func TestPageShowsItsShellBeforeTheProgramComes(t *testing.T) {
	p := newPage(t, files())
	page := get(t, p, "/").Body.String()
	for _, want := range []string{`<textarea id="composer"`, `class="rail"`, `class="side"`, `id="app-wasm-loader"`, `<title>Screentest</title>`, `lang="en"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	// The policy would block these.
	if m := regexp.MustCompile(`(?i)<script>|<script [^>]*>[^<]|style=|<style|\son[a-z]+=|https?://`).FindString(page); m != "" {
		t.Errorf("the page has %q", m)
	}
}

// One writes where there is a conversation, and nowhere else; the script is ours.
func TestComposerIsWhereOneWrites(t *testing.T) {
	p := newPage(t, files())
	for path, want := range map[string]bool{"/": true, "/c/1": true, "/video": false, "/settings/keys": false} {
		page := get(t, p, path).Body.String()
		if strings.Contains(page, `<textarea id="composer"`) != want {
			t.Errorf("%s: %s", path, page)
		}
		script := get(t, p, address(t, page, "/early.js"))
		if script.Code != 200 || strings.Contains(script.Body.String(), "{{") || !strings.Contains(script.Body.String(), `"/ws"`) {
			t.Errorf("%s: the script is %d", path, script.Code)
		}
	}
	w := httptest.NewRecorder()
	p.ServeReader(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/c/1", nil))
	if strings.Contains(w.Body.String(), "textarea") {
		t.Error("a reader is shown where one writes")
	}
}

// A team's page says that it is one, and where one comes in it has another
// outline; somebody alone has neither.
func TestATeamsPageSaysSo(t *testing.T) {
	for _, team := range []bool{false, true} {
		p, err := New(files(), Options{Team: team})
		if err != nil {
			t.Fatal(err)
		}
		page := get(t, p, "/").Body.String()
		if strings.Contains(page, "data-team") != team {
			t.Errorf("team %v: %.200s", team, page)
		}
		if strings.Contains(page, "door") || !strings.Contains(page, `id="composer"`) {
			t.Errorf("team %v: the page has the outline of the door", team)
		}
		shown := get(t, p, "/web/shown.css").Body.String()
		if (shown == ":root{--first:1}\n.second{}\n.z{}\n.shown{}\n") != team || (get(t, p, "/web/shown.js").Body.String() == "follow()") != team {
			t.Errorf("team %v: the sheet of shared pages is %.100q", team, shown)
		}
		w := httptest.NewRecorder()
		p.ServeDoor(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/signin", nil))
		door := w.Body.String()
		if !strings.Contains(door, `class="door`) || strings.Contains(door, `id="composer"`) || !strings.Contains(door, `id="app-wasm-loader"`) {
			t.Errorf("team %v: the door's outline is %s", team, door)
		}
	}
}

// The program's download shows its progress and is still compiled from the
// response itself: the code cache of Chromium depends on it.
func TestGoAppsScriptsAreChanged(t *testing.T) {
	p := newPage(t, files())
	app := get(t, p, "/app.js").Body.String()
	if !regexp.MustCompile(`goappFetch\("/web/app\.wasm\?v=[0-9a-f]+", showProgress\)`).MatchString(app) {
		t.Error("app.js does not load the program by goappFetch")
	}
	if n := strings.Count(app, "fetchWithProgress("); n != 1 {
		t.Errorf("fetchWithProgress is there %d times: it is defined, and not to be used", n)
	}
	for _, want := range []string{`const goappWasmContentLength = "15000";`, `"SCREENTEST_BUILD":"` + p.Build() + `"`} {
		if !strings.Contains(app, want) {
			t.Errorf("app.js has no %s", want)
		}
	}
	worker := get(t, p, "/app-worker.js").Body.String()
	if !strings.Contains(worker, `request.mode === "navigate"`) || !strings.Contains(worker, `pathname.startsWith("/s/")`) || strings.Contains(worker, "{{") {
		t.Error("app-worker.js is not the changed one")
	}
	// What the worker keeps must be there: it keeps all or nothing.
	list := regexp.MustCompile(`const resourcesToCache = \[([^\]]*)\];`).FindStringSubmatch(worker)
	if list == nil {
		t.Fatal("app-worker.js has no list")
	}
	for _, path := range strings.Split(list[1], ",") {
		path = strings.Trim(path, `"`)
		if res := get(t, p, path); res.Code != 200 {
			t.Errorf("the worker keeps %s: %d", path, res.Code)
		}
	}
	for _, want := range []string{`"/"`, "/web/app.wasm?v=", "/app.js?v=", "/web/app.css?v="} {
		if !strings.Contains(list[1], want) {
			t.Errorf("the worker does not keep %s", want)
		}
	}
}

func TestBinaryWithoutTheProgramSaysSo(t *testing.T) {
	p := newPage(t, fstest.MapFS{"base.css": {Data: []byte("body{}")}})
	res := get(t, p, "/")
	if res.Code != 503 || !strings.Contains(res.Body.String(), "make build") || strings.Contains(res.Body.String(), "<script") {
		t.Errorf("%d: %s", res.Code, res.Body.String())
	}
	if p.Built() {
		t.Error("Built")
	}
}

func TestBuildChangesWithAnyFile(t *testing.T) {
	seen := map[string]string{}
	for _, change := range []string{"", "app.wasm.gz", "base.css", "icon.svg"} {
		f := files()
		switch change {
		case "":
		case "app.wasm.gz":
			f[change] = &fstest.MapFile{Data: zipped([]byte("changed"))}
		default:
			f[change] = &fstest.MapFile{Data: append([]byte("changed "), f[change].Data...)}
		}
		build := newPage(t, f).Build()
		if other, ok := seen[build]; ok {
			t.Errorf("%q and %q give the same build", change, other)
		}
		seen[build] = change
	}
}
