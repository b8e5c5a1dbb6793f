//go:build js && wasm

// Package kit is what the parts of the page share: the [Host] that they stand
// on, the document, icons, and the [Section] that each of them is to the Shell.
package kit
