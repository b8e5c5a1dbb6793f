//go:build !linux

package postgres

import "syscall"

// giveUpSoon leaves the bound of a connection that has fallen silent to the system.
func giveUpSoon(string, string, syscall.RawConn) error { return nil }
