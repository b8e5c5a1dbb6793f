//go:build unix

package pgtest

import (
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// PostgreSQL refuses to be root's: there it is its own user's, whom the packages
// make.
func postgresUser() (uid, gid int) {
	u, err := user.Lookup("postgres")
	if err != nil {
		return 65534, 65534 // nobody
	}
	uid, _ = strconv.Atoi(u.Uid)
	gid, _ = strconv.Atoi(u.Gid)
	return uid, gid
}

// apart has a program run as a user who may have a server, and in a group of its
// own: what interrupts the tests is not to reach who cleans up behind them.
func apart() *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Setpgid: true}
	if os.Getuid() == 0 {
		uid, gid := postgresUser()
		a.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	return a
}

func own(dir string) error {
	if os.Getuid() != 0 {
		return nil
	}
	uid, gid := postgresUser()
	return os.Chown(dir, uid, gid)
}
