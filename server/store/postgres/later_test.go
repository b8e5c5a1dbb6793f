package postgres

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"strings"
	"testing"
)

// inTransaction is a connection with a transaction begun, and statements under Later.
func inTransaction(t *testing.T) (conn *sql.Conn, later func(query string, args ...any) sql.Result) {
	t.Helper()
	_, pool := open(t)
	conn, err := pool.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	exec(t, conn, "BEGIN")
	ctx := Later(context.Background())
	return conn, func(query string, args ...any) sql.Result {
		t.Helper()
		s, err := conn.PrepareContext(ctx, query)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		res, err := s.ExecContext(ctx, args...)
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		return res
	}
}

func exec(t *testing.T, conn *sql.Conn, query string) {
	t.Helper()
	if _, err := conn.ExecContext(t.Context(), query); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

// kept is how many statements wait on a connection.
func kept(t *testing.T, c *sql.Conn) (n int) {
	t.Helper()
	if err := c.Raw(func(d any) error { n = len(d.(*conn).later); return nil }); err != nil {
		t.Fatal(err)
	}
	return n
}

// Statements wait for the next answer, are carried out in their order, and with the
// values that they were given.
func TestLater(t *testing.T) {
	conn, later := inTransaction(t)
	value := []byte("first")
	one := later("INSERT INTO a (number, bytes) VALUES (?, ?)", 1, value)
	copy(value, "other")
	two := later("UPDATE a SET number = number + 1")
	if n := kept(t, conn); n != 2 {
		t.Errorf("%d statements wait, want 2", n)
	}
	var number int64
	var stored []byte
	if err := conn.QueryRowContext(t.Context(), "SELECT number, bytes FROM a WHERE number > ?", 0).Scan(&number, &stored); err != nil || number != 2 || string(stored) != "first" {
		t.Errorf("read %d and %q, %v", number, stored, err)
	}
	for i, res := range []sql.Result{one, two} {
		if n, err := res.RowsAffected(); n != 1 || err != nil {
			t.Errorf("statement %d: %d rows, %v", i, n, err)
		}
	}
	// Who asks what became of one has it sent.
	if n, err := later("DELETE FROM a WHERE number = ?", 2).RowsAffected(); n != 1 || err != nil || kept(t, conn) != 0 {
		t.Errorf("%d rows, %v; %d wait", n, err, kept(t, conn))
	}
	// What has no values is sent behind them, too.
	later("INSERT INTO a (number) VALUES (?)", 7)
	exec(t, conn, "UPDATE a SET number = 8")
	later("INSERT INTO a (number) VALUES (?)", 9)
	if rows, err := Last(conn, "SELECT 1; SELECT sum(number) FROM a"); err != nil || rows[0][0] != "17" {
		t.Errorf("the sum is %v, %v", rows, err)
	}
}

// However many wait, and however much, they are sent in bounded messages.
func TestLaterIsBounded(t *testing.T) {
	conn, later := inTransaction(t)
	for n := range 3*maxLater + 5 {
		later("INSERT INTO a (number) VALUES (?)", n)
	}
	if n := kept(t, conn); n != 5 {
		t.Errorf("%d statements wait, want 5", n)
	}
	later("INSERT INTO a (bytes) VALUES (?)", bytes.Repeat([]byte{7}, maxLaterBytes))
	if n := kept(t, conn); n != 0 {
		t.Errorf("%d statements wait behind a large one", n)
	}
	var count int
	if err := conn.QueryRowContext(t.Context(), "SELECT count(*) FROM a WHERE number >= ? OR bytes IS NOT NULL", 0).Scan(&count); err != nil || count != 3*maxLater+6 {
		t.Errorf("%d rows, %v", count, err)
	}
}

// What is wrong with a statement is the next one's error, which tells them apart.
func TestLaterFails(t *testing.T) {
	conn, later := inTransaction(t)
	later("INSERT INTO a (number) VALUES (?)", 1)
	wrong := later("INSERT INTO a (number) SELECT 1 / CAST(? AS bigint)", 0)
	after := later("INSERT INTO a (number) VALUES (?)", 2)
	var late *LateError
	if _, err := conn.ExecContext(t.Context(), "INSERT INTO a (number) VALUES (?)", 3); !errors.As(err, &late) || !strings.Contains(err.Error(), "zero") {
		t.Errorf("the next statement says %v", err)
	}
	for _, res := range []sql.Result{wrong, after} {
		if n, err := res.RowsAffected(); n != 0 || err == nil {
			t.Errorf("%d rows, %v", n, err)
		}
	}
	exec(t, conn, "ROLLBACK")

	exec(t, conn, "BEGIN")
	later("INSERT INTO a (number) VALUES (?)", 1)
	if _, err := conn.ExecContext(t.Context(), "INSERT INTO a (number) SELECT 1 / CAST(? AS bigint)", 0); err == nil || errors.As(err, &late) {
		t.Errorf("its own error is %v", err)
	}
	exec(t, conn, "ROLLBACK")

	exec(t, conn, "BEGIN")
	gone := later("INSERT INTO a (number) VALUES (?)", 1)
	if err := Forget(conn); err != nil {
		t.Fatal(err)
	}
	if n, err := gone.RowsAffected(); n != 0 || !errors.Is(err, errForgotten) {
		t.Errorf("one that was dropped: %d rows, %v", n, err)
	}
	exec(t, conn, "COMMIT")
	var count int
	if err := conn.QueryRowContext(t.Context(), "SELECT count(*) FROM a").Scan(&count); err != nil || count != 0 {
		t.Errorf("%d rows, %v", count, err)
	}
}
