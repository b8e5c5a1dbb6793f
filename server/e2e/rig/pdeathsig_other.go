//go:build !linux

package rig

import "syscall"

// DiesWithParent changes nothing where the system has no such wish.
func DiesWithParent() *syscall.SysProcAttr { return nil }
