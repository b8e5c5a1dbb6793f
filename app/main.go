//go:build js && wasm

// Command app is Screentest's page, compiled to WebAssembly. It has no HTTP
// client in it and prerenders nothing: the server gives it a page with a shell
// that it replaces.
package main

import "screentest/app/ui/shell"

func main() { shell.Run() }
