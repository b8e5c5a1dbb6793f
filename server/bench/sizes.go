package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// sizes prints what a first visit loads and what is installed.
func sizes(_ context.Context, bin string) error {
	root := filepath.Dir(filepath.Dir(bin))
	fmt.Println("\n## Sizes, bytes")
	for _, f := range []struct{ path, aim string }{
		{filepath.Join(root, "web", "app.wasm"), ""},
		{filepath.Join(root, "web", "app.wasm.gz"), ""},
		{filepath.Join(root, "web", "app.wasm.br"), "the build has a limit for it (wasm.mk)"},
		{bin, ""},
	} {
		info, err := os.Stat(f.path)
		if err != nil {
			return err
		}
		fmt.Printf("%-14s %10d  %s\n", filepath.Base(f.path), info.Size(), f.aim)
	}
	return nil
}
