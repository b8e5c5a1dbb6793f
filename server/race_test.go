//go:build race

package main

// operations is how many random operations the ledger is tested with: the race
// detector makes each some ten times dearer.
const operations = 1_000
