// Command slim copies go-app without its HTTP server, for the browser's build.
//
//	go run ./app/slim -out build/slim
//	GOOS=js GOARCH=wasm go build -modfile build/slim/go.mod ./app
//
// go-app's package is one for both sides: a page that never serves anything
// still carries net/http, crypto/tls and what they need, a sixth of a first
// visit's download. The Go linker can't leave them out, and the go command no
// longer lets an overlay replace a module's files. So the copy is made anew at
// each build from the module that go.mod pins, with the few files below
// replaced; nothing of it is kept in this repository.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const module = "github.com/maxence-charriere/go-app/v10"

// dropped are the files of pkg/app that only a server needs, or that only
// exist because of it.
var dropped = []string{"http.go", "static.go", "resource.go", "crypto.go", "wasm.go"}

// stub is what the rest of the package needs of them.
const stub = `package app

import (
	"errors"
	"strings"
)

func clientResourceResolver(string) func(string) string {
	return func(location string) string { return location }
}

func remoteLocation(location string) bool {
	return strings.HasPrefix(location, "https://") || strings.HasPrefix(location, "http://")
}

var errSlim = errors.New("not in this build")

func encrypt(string, []byte) ([]byte, error) { return nil, errSlim }
func decrypt(string, []byte) ([]byte, error) { return nil, errSlim }
`

func main() {
	out := flag.String("out", "build/slim", "`folder` for the copy and its go.mod; emptied first")
	flag.Parse()
	if err := run(*out); err != nil {
		fmt.Fprintln(os.Stderr, "slim:", err)
		os.Exit(1)
	}
}

func run(out string) error {
	b, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		return fmt.Errorf("find %s: %w", module, err)
	}
	dir := strings.TrimSpace(string(b))
	if dir == "" {
		return fmt.Errorf("%s is not downloaded; run go mod download", module)
	}
	copied := filepath.Join(out, "go-app")
	if err := os.RemoveAll(copied); err != nil {
		return err
	}
	if err := copyPackages(dir, copied); err != nil {
		return err
	}
	for _, name := range dropped {
		err := os.Remove(filepath.Join(copied, "pkg", "app", name))
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s has no pkg/app/%s any more; look at what takes its place", module, name)
		}
		if err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(copied, "pkg", "app", "slim.go"), []byte(stub), 0o644); err != nil {
		return err
	}
	return writeMod(out, copied)
}

// copyPackages copies the Go files of the module but for its tests and tools.
func copyPackages(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		name := d.Name()
		switch {
		case d.IsDir() && (name == "docs" || name == "gen" || strings.HasPrefix(name, ".")):
			return fs.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		case strings.HasSuffix(name, "_test.go") || filepath.Ext(name) != ".go" && name != "go.mod" && name != "LICENSE":
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), b, 0o644)
	})
}

// writeMod writes a go.mod, with its go.sum, that takes go-app from the copy.
// The path is relative, to the repository's root, because it is written into
// the program too: the same sources give the same bytes wherever they lie.
func writeMod(out, copied string) error {
	if filepath.IsAbs(copied) || strings.HasPrefix(filepath.Clean(copied), "..") {
		return fmt.Errorf("-out %s is not inside the repository", out)
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		b, err := os.ReadFile(name)
		if err != nil {
			return fmt.Errorf("run it in the repository's root: %w", err)
		}
		if name == "go.mod" {
			b = fmt.Appendf(b, "\nreplace %s => ./%s\n", module, filepath.ToSlash(filepath.Clean(copied)))
		}
		if err := os.WriteFile(filepath.Join(out, name), b, 0o644); err != nil {
			return err
		}
	}
	return nil
}
