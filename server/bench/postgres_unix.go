//go:build unix

package main

import (
	"os"
	"os/user"
	"strconv"
	"syscall"

	"screentest/server/e2e/rig"
)

// asPostgres has a program run as who may have a PostgreSQL, which refuses to be
// root's. What interrupts this program is not to reach it: it is ended in order.
func asPostgres() *syscall.SysProcAttr {
	a := rig.DiesWithParent()
	if a == nil {
		a = &syscall.SysProcAttr{}
	}
	a.Setpgid = true
	if os.Getuid() == 0 {
		uid, gid := postgresUser()
		a.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	return a
}

// givePostgres makes a folder theirs.
func givePostgres(dir string) error {
	if os.Getuid() != 0 {
		return nil
	}
	uid, gid := postgresUser()
	return os.Chown(dir, uid, gid)
}

func postgresUser() (uid, gid int) {
	u, err := user.Lookup("postgres")
	if err != nil {
		return 65534, 65534 // nobody
	}
	uid, _ = strconv.Atoi(u.Uid) // numbers on unix
	gid, _ = strconv.Atoi(u.Gid)
	return uid, gid
}
