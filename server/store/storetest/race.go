//go:build race

package storetest

import (
	"flag"

	_ "pgregory.net/rapid" // has the flag
)

// Race says whether the race detector is on: it makes SQLite some ten times
// slower.
const Race = true

// A quarter of the usual.
func init() {
	if err := flag.Set("rapid.checks", "25"); err != nil {
		panic(err)
	}
}
