//go:build !unix

package pgtest

import "syscall"

func apart() *syscall.SysProcAttr { return nil }

func own(string) error { return nil }
