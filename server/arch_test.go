package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// The arrows between packages, each with its reason. A rule is a function over
// the import graph that returns the arrows which break it; its example is a
// graph with one such arrow, so that a rule that can't fail is found out.

const module = "screentest"

// parts are the packages that only main puts together: each declares the small
// interface it wants of the others and never names them.
var parts = []string{
	"api",
	"approval",
	"bff",
	"budget",
	"bus",
	"factors",
	"gateway",
	"heard",
	"hook",
	"listing",
	"notices",
	"oidc",
	"ops",
	"ranking",
	"retention",
	"review",
	"run",
	"share",
	"shown",
	"signin",
	"video",
	"store",
	"sandbox",
}

type archRule struct {
	name, why string
	js        bool // looks at the browser's build
	breaks    func(graph) []string
	example   graph
}

func archRules() []archRule {
	return []archRule{
		{
			name: "shared imports only shared and the standard library, but for the parser of Markdown",
			why:  "it is compiled into the browser and the server: every dependency is paid for twice, and in download size; an answer is to look the same on the page and on a shared one, which the server writes",
			breaks: func(g graph) []string {
				return g.arrows(within("shared"), func(from, to string) bool {
					parser := from == module+"/shared/markdown" && strings.HasPrefix(to, "github.com/yuin/goldmark")
					return !within("shared")(to) && !g[to].Standard && !parser
				})
			},
			example: graph{
				"screentest/shared/sse": {Imports: []string{"example.org/x"}},
				"example.org/x":         {},
			},
		},
		{
			name: "shared doesn't depend on net/http",
			why:  "net/http would be 0.86 MB of the browser's program, and a request is the server's business",
			breaks: func(g graph) []string {
				return g.reaches(within("shared"), "net/http")
			},
			example: graph{"screentest/shared/sse": {Deps: []string{"net/http"}}},
		},
		{
			name: "app imports nothing of server or web",
			why:  "they meet only in shared, so what crosses the wire is written down in one place",
			js:   true,
			breaks: func(g graph) []string {
				return g.arrows(within("app"), func(_, to string) bool { return within("server")(to) || within("web")(to) })
			},
			example: graph{"screentest/app/ui": {Imports: []string{"screentest/server/store"}}},
		},
		{
			name: "server and web import nothing of app",
			why:  "they meet only in shared; the server knows the browser's program only as a file",
			breaks: func(g graph) []string {
				return g.arrows(either(within("server"), within("web")), func(_, to string) bool { return within("app")(to) })
			},
			example: graph{"screentest/server/bff": {Imports: []string{"screentest/app/chat"}}},
		},
		{
			name: "only main puts the parts together",
			why:  "a part that names another can't be tested, read or replaced without it; the consumer declares the interface it wants",
			breaks: func(g graph) []string {
				return g.arrows(within("server"), func(from, to string) bool {
					of, is := part(to), part(from)
					return from != module+"/server" && of != "" && of != is && !within("server/e2e")(from)
				})
			},
			example: graph{"screentest/server/run": {Imports: []string{"screentest/server/store"}}},
		},
		{
			name: "page, news, people and rights know nothing of the parts nor of each other",
			why:  "a bus between several servers, or another way to sign in, then changes one room alone; bff, api and main put them to use",
			breaks: func(g graph) []string {
				return append(g.arrows(rooms, func(_, to string) bool { return ours(to) && !within("shared")(to) && !ground(to) }),
					g.arrows(ours, func(from, to string) bool {
						return rooms(to) && from != module+"/server" && !within("server/bff")(from) && !within("server/api")(from)
					})...)
			},
			example: graph{"screentest/server/run": {Imports: []string{"screentest/server/news"}}},
		},
		{
			name: "what several parts stand on names none of them",
			why:  "archived files may lie in an object store one day, and a gateway's answers come from another client: only what they stand on changes then",
			breaks: func(g graph) []string {
				return g.arrows(ground, func(_, to string) bool { return ours(to) && !within("shared")(to) && !ground(to) })
			},
			example: graph{"screentest/server/blob": {Imports: []string{"screentest/server/video"}}},
		},
		{
			name: "what replicas say to each other names none of the parts",
			why:  "who is there, how they reach each other and what one keeps for another is the same whatever it is about; main puts them together",
			breaks: func(g graph) []string {
				return g.arrows(between, func(_, to string) bool { return ours(to) && !within("shared")(to) })
			},
			example: graph{"screentest/server/tails": {Imports: []string{"screentest/server/run"}}},
		},
		{
			name: "sandbox and gateway know nothing of each other",
			why:  "they are the two ends of one contract: shared code between them would hide a mistake from every test that lets them talk",
			breaks: func(g graph) []string {
				return append(g.reaches(within("server/sandbox"), module+"/server/gateway"),
					g.reaches(within("server/gateway"), module+"/server/sandbox")...)
			},
			example: graph{"screentest/server/sandbox": {Deps: []string{"screentest/server/gateway"}}},
		},
		{
			name: "only main imports web",
			why:  "the files are handed to whoever serves them, so a test can hand over others",
			breaks: func(g graph) []string {
				return g.arrows(ours, func(from, to string) bool { return to == module+"/web" && from != module+"/server" })
			},
			example: graph{"screentest/server/bff": {Imports: []string{"screentest/web"}}},
		},
		{
			name: "only blob speaks to an object store",
			why:  "what is asked of one, how long it is waited for and what its errors mean hold only for those who go through it",
			breaks: func(g graph) []string {
				return g.arrows(ours, func(from, to string) bool {
					return strings.HasPrefix(to, "github.com/minio/minio-go") && from != module+"/server/blob"
				})
			},
			example: graph{"screentest/server/video": {Imports: []string{"github.com/minio/minio-go/v7"}}},
		},
		{
			name: "only store speaks SQL",
			why:  "that a query asks for the owner can be seen to only where all of them are in one place",
			breaks: func(g graph) []string {
				return g.arrows(ours, func(from, to string) bool {
					return to == "database/sql" && !within("server/store")(from)
				})
			},
			example: graph{"screentest/server/bff": {Imports: []string{"database/sql"}}},
		},
		{
			name: "only the store's engine opens a database",
			why:  "one writing connection, its settings and what its errors mean hold only for those who go through it; the driver of PostgreSQL's is the engine's own, and tests look at a database beside it",
			breaks: func(g graph) []string {
				const store = module + "/server/store/"
				return append(g.arrows(ours, func(from, to string) bool {
					return strings.HasPrefix(to, "modernc.org/sqlite") && from != store+"engine"
				}), g.arrows(ours, func(from, to string) bool {
					return strings.HasPrefix(to, "github.com/jackc/pgx") && from != store+"engine" && from != store+"postgres" && from != store+"storetest" && from != module+"/server/pgtest"
				})...)
			},
			example: graph{"screentest/server/store/chat": {Imports: []string{"modernc.org/sqlite"}}, "screentest/server/people": {Imports: []string{"github.com/jackc/pgx/v5/pgconn"}}},
		},
		{
			name: "the driver knows nothing of ours",
			why:  "how a statement is written for PostgreSQL can then be read and tested without any table of ours",
			breaks: func(g graph) []string {
				return g.arrows(within("server/store/postgres"), func(_, to string) bool { return ours(to) })
			},
			example: graph{"screentest/server/store/postgres": {Imports: []string{"screentest/server/store/schema"}}},
		},
		{
			name: "a PostgreSQL of pgtest's is made without us",
			why:  "what the store is tested on must not be what the store makes; and it is there for tests alone",
			breaks: func(g graph) []string {
				const pgtest = module + "/server/pgtest"
				return append(g.arrows(within("server/pgtest"), func(_, to string) bool { return ours(to) && to != module+"/server/freeport" }),
					g.arrows(ours, func(from, to string) bool {
						return to == pgtest && from != module+"/server/store/storetest" && from != module+"/server/clustertest"
					})...)
			},
			example: graph{"screentest/server/pgtest": {Imports: []string{"screentest/server/store"}}, "screentest/server/ops": {Imports: []string{"screentest/server/pgtest"}}},
		},
		{
			name: "a room of the store knows those below it alone",
			why:  "each can then be read, and put on another engine, without those beside it; only store puts them together",
			breaks: func(g graph) []string {
				const store = module + "/server/store/"
				below := map[string][]string{
					"engine": {"postgres"}, // the driver under it, which only it speaks to
					"audit":  {"chain", "engine"}, "notices": {"engine"}, "chain": {"engine", "sealed"}, "ledger": {"chain", "engine"}, "search": {"engine", "text"}, "people": {"engine", "sealed"},
					"ranking":   {"engine"},
					"replicas":  {"engine"},
					"review":    {"engine"},
					"chat":      {"ledger", "pack", "people", "search", "engine", "text"},
					"share":     {"pack", "people", "engine"},
					"approvals": {"audit", "people", "engine", "video"},
					"video":     {"ledger", "people", "review", "search", "sealed", "engine", "text"},
					"leaving":   {"audit", "people", "search", "engine"},
					"sealed":    {"engine"},
					"transfer":  {"chat", "engine"}, "backup": {"folder", "schema", "engine"}, "verify": {"chain", "folder", "schema", "engine"}, "move": {"folder", "pack", "replicas", "search", "verify", "engine"}, "teamlibrary": {"audit", "chat", "engine"},
				}
				return g.arrows(ours, func(from, to string) bool {
					room, inside := strings.CutPrefix(from, store)
					other, is := strings.CutPrefix(to, store)
					return inside && is && room != "storetest" && !slices.Contains(below[room], other)
				})
			},
			example: graph{"screentest/server/store/ledger": {Imports: []string{"screentest/server/store/chat"}}},
		},
		{
			name: "the program carries nothing that only tests use",
			why:  "a browser driver or another client has no business in what people install",
			breaks: func(g graph) []string {
				var out []string
				for _, tool := range []string{
					"testing", "github.com/chromedp/chromedp", "github.com/openai/openai-go/v3", "pgregory.net/rapid",
					"go.uber.org/goleak", "github.com/oauth2-proxy/mockoidc", "github.com/letsencrypt/pebble/v2/wfe", module + "/server/e2e/rig", module + "/server/wiretest",
					module + "/server/freeport", module + "/server/pgtest", module + "/server/s3test", module + "/server/clustertest", module + "/server/store/storetest",
				} {
					out = append(out, g.reaches(func(p string) bool { return p == module+"/server" }, tool)...)
				}
				return out
			},
			example: graph{"screentest/server": {Deps: []string{"testing"}}},
		},
		{
			name: "in the browser only go-app uses net/http",
			why:  "go-app's own use is 0.35 MB that a patched copy could save one day; anybody else's would make that impossible",
			js:   true,
			breaks: func(g graph) []string {
				return g.arrows(anywhere, func(from, to string) bool {
					return to == "net/http" && !g[from].Standard && !strings.HasPrefix(from, "github.com/maxence-charriere/go-app/")
				})
			},
			example: graph{"screentest/app/socket": {Imports: []string{"net/http"}}},
		},
		{
			name: "in the browser only app/ui and main see go-app",
			why:  "what a lane, a draft or a stream is can then be tested without a browser",
			js:   true,
			breaks: func(g graph) []string {
				return g.arrows(ours, func(from, to string) bool {
					return strings.HasPrefix(to, "github.com/maxence-charriere/go-app/") && !within("app/ui")(from) && from != module+"/app"
				})
			},
			example: graph{"screentest/app/inspect": {Imports: []string{"github.com/maxence-charriere/go-app/v10/pkg/app"}}},
		},
		{
			name: "only the shell puts the sections of the page together",
			why:  "a section that names another can't be read, or left out, without it; what they share is in kit",
			js:   true,
			breaks: func(g graph) []string {
				return g.arrows(within("app"), func(from, to string) bool {
					return section(to) != "" && section(to) != section(from) && !within("app/ui/shell")(from) && from != module+"/app"
				})
			},
			example: graph{"screentest/app/ui/spend": {Imports: []string{"screentest/app/ui/video"}}},
		},
	}
}

func TestArrowsBetweenPackages(t *testing.T) {
	native := list(t, nil, "./...")
	js := list(t, []string{"GOOS=js", "GOARCH=wasm"}, "./app/...", "./shared/...")
	for _, r := range archRules() {
		t.Run(r.name, func(t *testing.T) {
			g := native
			if r.js {
				g = js
			}
			for _, arrow := range r.breaks(g) {
				t.Errorf("%s.\nThe rule: %s, because %s.", arrow, r.name, r.why)
			}
			if len(r.breaks(r.example)) == 0 {
				t.Errorf("the rule doesn't find its own example: %v", r.example)
			}
		})
	}
}

// A machine may have no table of time zones: a budget's days are those of its
// zone there too.
func TestTimeZonesAreInTheBinary(t *testing.T) {
	if _, in := list(t, nil, "./server")["time/tzdata"]; !in {
		t.Error("the server does not import time/tzdata")
	}
}

// The top level is fixed, so that a newcomer reads it at a glance.
func TestTopLevel(t *testing.T) {
	want := []string{
		"CHANGELOG.md", "LICENSE", "Makefile", "README.md", "app", "go.mod", "go.sum", "server", "shared", "wasm.mk", "web",
	}
	made := []string{"bin", "build", "data"} // by make and by running it; not committed
	entries, err := os.ReadDir("..")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") && !slices.Contains(made, e.Name()) {
			got = append(got, e.Name())
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("the top level has\n\t%q, want\n\t%q", got, want)
	}
}

// graph is the import graph by import path.
type graph map[string]node

type node struct {
	ImportPath    string
	Standard      bool
	Imports, Deps []string
	// Error is set when the package could not be loaded.
	Error *struct{ Err string }
}

// list asks the go command for the packages and all they depend on.
func list(t *testing.T, env []string, patterns ...string) graph {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-deps", "-json=ImportPath,Standard,Imports,Deps,Error"}, patterns...)...)
	cmd.Dir = ".."
	cmd.Env = append(os.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.Bytes())
	}
	g := graph{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var n node
		err := d.Decode(&n)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if n.Error != nil {
			t.Fatalf("%s: %s", n.ImportPath, n.Error.Err)
		}
		g[n.ImportPath] = n
	}
	return g
}

// arrows returns the direct imports of the packages in from that are bad.
func (g graph) arrows(from func(string) bool, bad func(from, to string) bool) []string {
	var out []string
	for path, n := range g {
		if !from(path) {
			continue
		}
		for _, to := range n.Imports {
			if bad(path, to) {
				out = append(out, path+" imports "+to)
			}
		}
	}
	slices.Sort(out)
	return out
}

// reaches returns the packages in from that depend on the package to, directly
// or not.
func (g graph) reaches(from func(string) bool, to string) []string {
	var out []string
	for path, n := range g {
		if from(path) && slices.Contains(n.Deps, to) {
			out = append(out, path+" depends on "+to)
		}
	}
	slices.Sort(out)
	return out
}

func anywhere(string) bool { return true }

// ours tells whether a package is of this module.
func ours(path string) bool { return path == module || strings.HasPrefix(path, module+"/") }

// within tells whether a package is the folder or below it.
func within(folder string) func(string) bool {
	return func(path string) bool {
		return path == module+"/"+folder || strings.HasPrefix(path, module+"/"+folder+"/")
	}
}

// rooms are those of the browser's side beside bff.
func rooms(path string) bool {
	return within("server/page")(path) || within("server/news")(path) || within("server/people")(path) || within("server/rights")(path)
}

// between is what replicas have to do with each other.
func between(path string) bool {
	return within("server/peer")(path) || within("server/replica")(path) || within("server/tails")(path)
}

// ground is what several parts stand on.
func ground(path string) bool {
	return slices.ContainsFunc([]string{"account", "blob", "disk", "mp4", "password", "payer", "picture", "seal", "sight", "ticket", "tokens", "upstream"}, func(name string) bool { return within("server/" + name)(path) })
}

func either(a, b func(string) bool) func(string) bool {
	return func(path string) bool { return a(path) || b(path) }
}

// part names the part of the server that a package belongs to, or "".
func part(path string) string {
	for _, p := range parts {
		if within("server/" + p)(path) {
			return p
		}
	}
	return ""
}

// sections are the parts of the page, by the folders that make each up.
var sections = map[string][]string{
	"chat":     {"app/chat", "app/inspect", "app/ui/chat", "app/ui/inspector"},
	"video":    {"app/video", "app/ui/video"},
	"review":   {"app/review", "app/ui/review"},
	"share":    {"app/share", "app/ui/share"},
	"spend":    {"app/spend", "app/ui/spend"},
	"ranking":  {"app/ranking", "app/ui/ranking"},
	"settings": {"app/ui/settings"},
	"notices":  {"app/notices", "app/ui/notices"},
	"door":     {"app/door", "app/ui/door"},
	"admin":    {"app/admin", "app/ui/admin"},
	"shell":    {"app/ui/shell"},
}

// section names the part of the page that a package belongs to, or "".
func section(path string) string {
	for name, folders := range sections {
		for _, f := range folders {
			if within(f)(path) {
				return name
			}
		}
	}
	return ""
}
