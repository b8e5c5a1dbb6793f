//go:build !unix

package pgtest

import "syscall"

func notRoot() *syscall.SysProcAttr { return nil }

func own(string) error { return nil }
