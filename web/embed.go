// Package web holds what the browser loads – the style sheets, the icons, the script of shared pages and
// the program built from app – inside the binary, so that Screentest is one
// file. Use [Files] to serve it.
//
// The program's compressed forms app.wasm.br and app.wasm.gz are made by make
// (see wasm.mk) and not committed; app.wasm itself stays outside, since it can
// be had from them and would be a quarter of the binary. Without them the
// package still compiles, so that go vet and go test work on a fresh clone,
// and the page says what is missing.
package web

import (
	"embed"
	"io/fs"
)

// app.wasm.md is committed, so the pattern matches before the first build too.
//
//go:embed *.css *.js *.svg *.png app.wasm.*
var files embed.FS

// Files returns the files by the names they have in this folder.
func Files() fs.FS { return files }
