package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/shared/wire"
)

// buildEnv is where the page finds the build that it is of, by go-app's Getenv.
const buildEnv = "SCREENTEST_BUILD"

// The changes to go-app's scripts. Each replaces a text that must be there
// exactly once; a go-app in which it is not makes New fail, and so every test.
var (
	// go-app counts the download's progress by wrapping the response, and for
	// a wrapped one Chromium keeps no compiled code: each visit compiles the
	// program anew. The response itself goes to the compiler here, and the
	// progress is counted on a copy of its stream, where there is time to see
	// it: to read the copy costs a near or known page some 50 ms of its start.
	loadPlainly = patch{
		old: `fetchWithProgress("{{.Wasm}}", showProgress)`,
		new: `goappFetch("{{.Wasm}}", showProgress)`,
	}
	// Content-Length is that of the compressed file, while the stream gives
	// decoded bytes: the page knows the size of those.
	countCopy = patch{
		old: "async function fetchWithProgress(url, progess) {",
		new: `async function goappFetch(url, progress) {
  const response = await fetch(url);
  if (!response.ok) {
    throw new Error("the program could not be loaded: HTTP status " + response.status);
  }
  if (goappIsFar()) {
    goappCount(response.clone(), progress).catch(() => { });
  }
  return response;
}

function goappIsFar() {
  const [page] = performance.getEntriesByType("navigation");
  return !navigator.serviceWorker?.controller && page?.responseStart - page?.requestStart > 50;
}

async function goappCount(response, progress) {
  const reader = response.body.getReader();
  let loaded = 0, shown = 0;
  for (; ;) {
    const { done, value } = await reader.read();
    if (done) {
      return;
    }
    loaded += value.byteLength;
    const percent = Math.min(100, Math.floor((loaded * 100) / goappWasmContentLength));
    if (percent > shown) {
      shown = percent;
      progress(percent);
    }
  }
}

async function fetchWithProgress(url, progess) {`,
	}
	// The percentage is shown as soon as there is one.
	noZero = patch{old: "    showProgress(0);\n", new: ""}
	// The service worker is for the next visit, and what it fetches and keeps
	// would be in this one's way: it waits until the program runs.
	workerLater = patch{old: "goappInitServiceWorker();\ngoappWatchForUpdate();", new: "goappWatchForUpdate();"}
	workerNow   = patch{
		old: "    go.run(wasm.instance);\n    loader.remove();\n",
		new: "    go.run(wasm.instance);\n    loader.remove();\n    setTimeout(goappInitServiceWorker, 1000);\n",
	}
	// What was typed meanwhile isn't lost with the program.
	sayFailed = patch{
		old: "    loaderLabel.innerText = err;\n",
		new: "    loaderLabel.innerText = \"" + failed + " (\" + (err.message || err) + \")\";\n    globalThis.screentestEarly?.failed();\n",
	}
	changes = []patch{countCopy, loadPlainly, noZero, workerLater, workerNow, sayFailed}

	// go-app's service worker answers from its cache first, so the first visit
	// after an update shows the old page, and a reload may show it again. Here
	// a page comes from the server whenever that answers; the files it names
	// carry their hash and may come from the cache.
	pageFromServer = patch{
		old: "async function fetchWithCache(request) {\n",
		new: `async function fetchWithCache(request) {
  if (request.mode === "navigate") {
    try {
      return await fetch(request);
    } catch (err) {
      const kept = await caches.match("/");
      if (kept) {
        return kept;
      }
      throw err;
    }
  }
`,
	}
)

// What is shared has a page of its own, which the worker leaves alone: to the server
// what a worker asks for doesn't come from another site's link, and it would stand
// between a stream and its page.
var notShared = patch{
	old: "self.addEventListener(\"fetch\", (event) => {\n",
	new: `self.addEventListener("fetch", (event) => {
  if (new URL(event.request.url).pathname.startsWith("` + wire.SharePath + `")) {
    return;
  }
`,
}

// failed says that the program doesn't run.
const failed = "The program could not be loaded. What you typed stays here; reload the page to try again."

type patch struct{ old, new string }

// at puts the program's address into a patch.
func (p patch) at(url string) patch {
	return patch{strings.ReplaceAll(p.old, "{{.Wasm}}", url), strings.ReplaceAll(p.new, "{{.Wasm}}", url)}
}

func applied(s []byte, patches ...patch) ([]byte, error) {
	for _, p := range patches {
		if n := bytes.Count(s, []byte(p.old)); n != 1 {
			return nil, fmt.Errorf("go-app's script has %q %d times instead of once", p.old, n)
		}
		s = bytes.Replace(s, []byte(p.old), []byte(p.new), 1)
	}
	return s, nil
}

// addGoApp takes the scripts from go-app. Its handler never answers a request
// itself: it takes POST for GET, any If-None-Match for its own, and fetches
// three addresses from whatever host a request names.
func (p *Page) addGoApp() error {
	const script = "text/javascript; charset=utf-8"
	h := &app.Handler{
		LoadingLabel:      "Loading {progress} %",
		Version:           p.build,
		WasmContentLength: strconv.Itoa(p.size("/web/app.wasm")),
		Env:               map[string]string{buildEnv: p.build},
		Resources:         resolver{p},
	}
	p.files["/wasm_exec.js"] = newAsset(script, ask(h, "/wasm_exec.js"))
	// go-app has put the program's address in by now.
	var to []patch
	for _, c := range changes {
		to = append(to, c.at(p.URL("/web/app.wasm")))
	}
	load, err := applied(ask(h, "/app.js"), to...)
	if err != nil {
		return fmt.Errorf("app.js: %w", err)
	}
	p.files["/app.js"] = newAsset(script, load)

	manifest, err := p.manifest()
	if err != nil {
		return fmt.Errorf("manifest: %w", err)
	}
	p.files["/manifest.webmanifest"] = newAsset("application/manifest+json", manifest)

	// The worker keeps the files by their addresses, so it comes last.
	keep, err := json.Marshal(append([]string{"/"}, p.urls()...))
	if err != nil {
		return err
	}
	worker, err := applied([]byte(app.DefaultAppWorkerJS), pageFromServer, notShared,
		patch{"const resourcesToCache = {{.ResourcesToCache}};", "const resourcesToCache = " + string(keep) + ";"})
	if err != nil {
		return fmt.Errorf("app-worker.js: %w", err)
	}
	p.files["/app-worker.js"] = newAsset(script, bytes.ReplaceAll(worker, []byte("{{.Version}}"), []byte(p.build)))
	return nil
}

// ask returns what go-app answers at a path.
func ask(h http.Handler, path string) []byte {
	rec := recorder{header: http.Header{}}
	h.ServeHTTP(&rec, &http.Request{Method: http.MethodGet, URL: &url.URL{Path: path}, Header: http.Header{}})
	return rec.body.Bytes()
}

// manifest is what a browser needs to install the page as a program.
func (p *Page) manifest() ([]byte, error) {
	type icon struct {
		Src   string `json:"src"`
		Type  string `json:"type"`
		Sizes string `json:"sizes"`
	}
	icons := []icon{}
	for _, i := range []struct{ path, sizes string }{
		{"/web/icon.svg", "any"}, {"/web/icon-192.png", "192x192"}, {"/web/icon-512.png", "512x512"},
	} {
		if as, ok := p.files[i.path]; ok {
			icons = append(icons, icon{p.URL(i.path), as.kind, i.sizes})
		}
	}
	return json.Marshal(map[string]any{
		"name": "Screentest", "short_name": "Screentest", "description": description,
		"start_url": "/", "scope": "/", "display": "standalone",
		"background_color": "#0f1115", "theme_color": "#0f1115", "icons": icons,
	})
}

// urls are the addresses of all files.
func (p *Page) urls() []string {
	paths := slices.Sorted(maps.Keys(p.files))
	for i, path := range paths {
		paths[i] = p.URL(path)
	}
	return paths
}

func (p *Page) size(path string) int {
	if as, ok := p.files[path]; ok {
		return as.forms[len(as.forms)-1].size
	}
	return 0
}

// resolver gives go-app the addresses of our files.
type resolver struct{ p *Page }

func (r resolver) Resolve(location string) string { return r.p.URL(location) }

// recorder is a ResponseWriter that keeps the body.
type recorder struct {
	header http.Header
	body   bytes.Buffer
}

func (r *recorder) Header() http.Header         { return r.header }
func (r *recorder) WriteHeader(int)             {}
func (r *recorder) Write(p []byte) (int, error) { return r.body.Write(p) }
