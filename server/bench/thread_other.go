//go:build !linux

package main

import "time"

func sleepExactly() {}

func sleep(d time.Duration) { time.Sleep(d) }

// pinThis and pinned leave it to the system which processor does what.
func pinThis([]int) error { return nil }

func pinned(_ []int, start func() error) error { return start() }
