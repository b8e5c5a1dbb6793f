//go:build race

package main

// operations is how many random operations the ledger is tested with, and
// restarts how often all is started anew meanwhile. The race detector makes each
// some ten times dearer, and what it looks for shows in few.
const operations, restarts = 300, 5
