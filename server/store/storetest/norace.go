//go:build !race

package storetest

// Race says whether the race detector is on.
const Race = false
