package rig

import "syscall"

// DiesWithParent makes a started program end when the test process is killed,
// so that nothing is left behind.
func DiesWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
