//go:build !race

package main

// operations is how many random operations the ledger is tested with.
const operations = 10_000
