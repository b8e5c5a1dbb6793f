// Command slim copies go-app without its HTTP server, for the browser's build.
//
//	go run ./web/build/slim -out build/slim
//	GOOS=js GOARCH=wasm go build -modfile build/slim/go.mod ./app
//
// go-app's package is one for both sides: a page that never serves anything
// still carries net/http, crypto/tls and what they need, a sixth of a first
// visit's download. The Go linker can't leave them out, and the go command no
// longer lets an overlay replace a module's files. So the copy is made anew at
// each build from the module that go.mod pins, with the few files below
// replaced; nothing of it is kept in this repository.
//
// Of what is left one thing is made otherwise: see renewal.
//
// The same is done to google/uuid, of which the page needs one function: with
// it come md5, sha1, Go's own random numbers and what they are made of, and
// database/sql, 2 % of the download. The browser has random bytes itself.
//
// And of the standard library a few functions are replaced that no page needs:
// see cuts. That is an overlay, which the standard library may have:
// OUT/overlay.json.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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

// uuidModule is replaced by uuidSource.
const uuidModule = "github.com/google/uuid"

const uuidSource = `// Package uuid makes random UUIDs with the browser's random bytes.
package uuid

import "syscall/js"

// NewString returns a random UUID (version 4).
func NewString() string {
	bytes := js.Global().Get("Uint8Array").New(16)
	js.Global().Get("crypto").Call("getRandomValues", bytes)
	var b [16]byte
	js.CopyBytesToGo(b[:], bytes)
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	const digits = "0123456789abcdef"
	s := make([]byte, 0, 36)
	for i, c := range b {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			s = append(s, '-')
		}
		s = append(s, digits[c>>4], digits[c&15])
	}
	return string(s)
}
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
	dir, err := download(module)
	if err != nil {
		return err
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
	if err := renewListeners(filepath.Join(copied, "pkg", "app")); err != nil {
		return err
	}
	if err := writeUUID(filepath.Join(out, "uuid")); err != nil {
		return err
	}
	if err := writeOverlay(out); err != nil {
		return err
	}
	return writeMod(out, map[string]string{module: copied, uuidModule: filepath.Join(out, "uuid")})
}

// download returns the folder of a module that go.mod requires, which is
// fetched first where the module cache has it not yet.
func download(module string) (string, error) {
	b, err := exec.Command("go", "mod", "download", "-json", module).Output()
	var found struct{ Dir, Error string }
	if jsonErr := json.Unmarshal(b, &found); err == nil {
		err = jsonErr
	}
	if found.Error != "" {
		err = errors.New(found.Error)
	} else if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		err = fmt.Errorf("%w: %s", err, exit.Stderr)
	}
	if err != nil {
		return "", fmt.Errorf("download %s: %w", module, err)
	}
	return found.Dir, nil
}

// writeUUID writes the module that takes google/uuid's place.
func writeUUID(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module "+uuidModule+"\n\ngo 1.26\n"), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "uuid.go"), []byte(uuidSource), 0o644)
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

// writeMod writes a go.mod, with its go.sum, that takes modules from copies.
// The paths are relative, to the repository's root, because they are written
// into the program too: the same sources give the same bytes wherever they lie.
func writeMod(out string, copies map[string]string) error {
	if filepath.IsAbs(out) || strings.HasPrefix(filepath.Clean(out), "..") {
		return fmt.Errorf("-out %s is not inside the repository", out)
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		b, err := os.ReadFile(name)
		if err != nil {
			return fmt.Errorf("run it in the repository's root: %w", err)
		}
		if name == "go.mod" {
			for _, m := range slices.Sorted(maps.Keys(copies)) {
				b = fmt.Appendf(b, "\nreplace %s => ./%s\n", m, filepath.ToSlash(filepath.Clean(copies[m])))
			}
		}
		if err := os.WriteFile(filepath.Join(out, name), b, 0o644); err != nil {
			return err
		}
	}
	return nil
}
