// Package e2e tests Screentest as a person uses it: the program that make
// builds, a folder of data, a gateway, and real Chromium in front. A test that
// fails leaves a picture of the page in build/e2e.
package e2e

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"screentest/server/e2e/rig"
)

// What TestMain prepares for all tests.
var (
	bin     string
	browser *rig.Browser
	fast    *rig.Program // a sandbox that answers flat out
)

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	if rig.LeftOut() {
		fmt.Fprintln(os.Stderr, rig.NoBrowser+" is set: nothing is tested end to end")
		return 0
	}
	var err error
	if err = noteSources(); err == nil {
		bin, err = rig.Build(context.Background())
	}
	if err == nil {
		fast, err = rig.Start(context.Background(), bin, nil,
			"sandbox", "-addr", "127.0.0.1:0", "-key", sandboxKey, "-tokens-per-second", "-1")
	}
	if err == nil {
		browser, err = rig.OpenBrowser()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	for what, end := range map[string]func() error{"browser": browser.Close, "sandbox": fast.Stop} {
		if err := end(); err != nil {
			fmt.Fprintf(os.Stderr, "the end of the %s: %v\n", what, err)
			code = 1
		}
	}
	return code
}

// noteSources looks at every source file, so that go test, which keeps a result
// as long as the files that a test looked at are the same, runs these tests
// again when the program has changed.
func noteSources() error {
	root, err := rig.Root()
	if err != nil {
		return err
	}
	for _, folder := range []string{"app", "server", "shared", "web"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), "app.wasm") {
				return err
			}
			_, err = os.Stat(path)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
