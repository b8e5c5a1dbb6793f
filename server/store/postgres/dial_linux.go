package postgres

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// silentFor is how long what was sent may stay without the other end's word that it
// has come: the connection is lost then, as one that nothing is sent on is by its
// keepalives. A statement that takes long is another thing.
const silentFor = 10 * time.Second

// giveUpSoon is the Control of a dialer for silentFor.
func giveUpSoon(_, _ string, c syscall.RawConn) error {
	return c.Control(func(fd uintptr) {
		// Without it the system's own bound is the one: a quarter of an hour.
		_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(silentFor.Milliseconds()))
	})
}
