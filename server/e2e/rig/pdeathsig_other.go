//go:build !linux

package rig

import "syscall"

// diesWithParent changes nothing where the system has no such wish.
func diesWithParent() *syscall.SysProcAttr { return nil }
