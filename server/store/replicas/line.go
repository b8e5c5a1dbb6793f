package replicas

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
	"time"

	"screentest/server/store/postgres"
)

// Bounds of a beat. Together they are less than the time after which one that doesn't
// beat is gone.
const (
	connectWithin = 5 * time.Second
	answerWithin  = 3 * time.Second
)

// A line is one connection on which no answer is waited for long: where none comes in
// time the next question has another one.
type line struct {
	open func() *sql.DB

	mu     sync.Mutex
	pool   *sql.DB // of the one connection; nil: none is open
	closed bool
}

// ask runs a statement without values, and gives its rows as texts.
func (l *line) ask(ctx context.Context, statement string) (rows [][]string, err error) {
	pool, err := l.current()
	if err != nil {
		return nil, err
	}
	connecting, cancel := context.WithTimeout(ctx, connectWithin)
	conn, err := pool.Conn(connecting)
	cancel()
	if err != nil {
		return nil, err
	}
	ctx, cancel = context.WithTimeout(ctx, answerWithin)
	defer cancel()
	type answer struct {
		rows [][]string
		err  error
	}
	answered := make(chan answer, 1)
	go func() {
		rows, err := postgres.Last(conn, statement)
		_ = conn.Close() // it goes back to the pool, or is closed with that
		answered <- answer{rows, err}
	}()
	select {
	case a := <-answered:
		return a.rows, a.err
	case <-ctx.Done():
		l.drop(pool)
		return nil, fmt.Errorf("the database doesn't answer: %w", ctx.Err())
	}
}

func (l *line) current() (*sql.DB, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, sql.ErrConnDone
	}
	if l.pool == nil {
		l.pool = l.open()
	}
	return l.pool, nil
}

// drop lets go of a pool whose connection doesn't answer. That one ends by itself, once
// its answer comes or is no longer waited for.
func (l *line) drop(pool *sql.DB) {
	l.mu.Lock()
	if l.pool == pool {
		l.pool = nil
	}
	l.mu.Unlock()
	_ = pool.Close() // nothing is in it
}

func (l *line) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	if l.pool == nil {
		return nil
	}
	return l.pool.Close()
}
