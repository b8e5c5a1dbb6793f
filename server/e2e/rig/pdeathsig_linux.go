package rig

import "syscall"

// diesWithParent makes a started program end when the test process is killed,
// so that nothing is left behind.
func diesWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
