//go:build !race

package main

// operations is how many random operations the ledger is tested with, and
// restarts how often all is started anew meanwhile.
const operations, restarts = 10_000, 20
