package engine

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"time"
)

const (
	// lockers is how many locks a process holds or waits for at a time.
	lockers = 4
	// lockWithin bounds the wait for a lock.
	lockWithin = 10 * time.Second
	// lockHeld is how long a lock is held by a process that says nothing: one that was
	// stopped in the middle. What it does under a lock is to take less; where that isn't
	// sure, it asks whether it still has it.
	lockHeld = 45 * time.Second
)

// Locks are held by one process at a time of all those that have a database, each by
// a name. They go with the connection that holds them: a process that dies leaves
// none behind.
type Locks struct{ pool *sql.DB }

// Locks returns the database's; nil where it is a file, which is one process's.
func (e *DB) Locks() *Locks { return e.locks }

// Lock waits for the lock of a name, not much longer than lockWithin. still fails where
// it isn't held any more.
func (l *Locks) Lock(ctx context.Context, name []byte) (still func(context.Context) error, unlock func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, lockWithin)
	defer cancel()
	key := lockKey(name)
	for tries := range 2 {
		var conn *sql.Conn
		if conn, err = l.pool.Conn(ctx); err != nil {
			break
		}
		// At once, and the lock last: what the settings are if it isn't had is no matter.
		_, err = conn.ExecContext(ctx, fmt.Sprintf(`SELECT set_config('lock_timeout', '%d', false), set_config('idle_session_timeout', '%d', false),
			set_config('tcp_keepalives_idle', '5', false), set_config('tcp_keepalives_interval', '2', false), set_config('tcp_keepalives_count', '3', false);
			SELECT pg_advisory_lock(%d)`, lockWithin.Milliseconds(), lockHeld.Milliseconds(), key))
		if err == nil {
			return func(ctx context.Context) error { return holds(ctx, conn, key) }, func() { giveBack(conn, key) }, nil
		}
		drop(conn)
		if tries > 0 || !isLost(err) {
			break // but for a connection that broke off while it wasn't used
		}
	}
	return nil, nil, Explain(err)
}

// holds asks a connection whether it has a lock. It is asked itself: what ended it, such
// as its silence, has ended the lock.
func holds(ctx context.Context, conn *sql.Conn, key int64) error {
	var n int
	err := conn.QueryRowContext(ctx, fmt.Sprintf(`SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted AND pid = pg_backend_pid()
		AND classid::bigint = %d AND objid::bigint = %d`, uint64(key)>>32, uint32(key))).Scan(&n)
	if err == nil && n == 0 {
		err = errLockGone
	}
	return Explain(err)
}

// errLockGone says of a lock that it isn't held any more.
var errLockGone = errors.New("the lock has gone: nothing was heard of its holder for too long")

// lockKey is the number of a lock. Those of names are below 0, and [writeLock] is above.
func lockKey(name []byte) int64 {
	sum := sha256.Sum256(name)
	return int64(binary.BigEndian.Uint64(sum[:]) | 1<<63)
}

func giveBack(conn *sql.Conn, key int64) {
	_, err := conn.ExecContext(context.Background(), fmt.Sprintf("SELECT pg_advisory_unlock(%d), set_config('idle_session_timeout', '0', false)", key))
	if err != nil {
		drop(conn)
		return
	}
	_ = conn.Close() // it goes back to the pool
}

// drop ends a connection, with the lock that it may hold.
func drop(conn *sql.Conn) {
	_ = conn.Raw(func(any) error { return driver.ErrBadConn })
	_ = conn.Close()
}
