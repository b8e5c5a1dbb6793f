//go:build js && wasm

// Package door draws the door: the pages that one comes in by ([Entry]), the
// dialog that asks to sign in again over what is there ([Again]), and one's own
// ways in and sessions in the settings ([Security]). What they do is in
// screentest/app/door. Nobody alone sees any of it.
package door
