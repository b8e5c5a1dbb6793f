// Package postgres lets database/sql speak to PostgreSQL in the words of our
// statements, which are SQLite's: it writes each statement as PostgreSQL has it
// ([Translate]), gives values the type that the server asks for, and gives back
// whole numbers for truths, as SQLite does. It knows no table.
//
// A text of PostgreSQL's can't hold a zero byte, nor bytes that are no UTF-8, and
// what people and gateways send can. Such bytes are escaped on the way in and come
// back as they were.
package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// answerWithin bounds the wait for the answer to one statement, also where the
// network drops what is sent without a word.
const answerWithin = 30 * time.Second

// graceAfter is how much longer than its context lasts an answer is waited for, so
// that one that comes late doesn't cost the connection.
const graceAfter = time.Second

// A Connector opens connections to one database.
type Connector struct {
	config *pgconn.Config
}

// NewConnector reads the address of a database, postgres://….
func NewConnector(url string) (*Connector, error) {
	c, err := pgconn.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	if c.ConnectTimeout == 0 {
		c.ConnectTimeout = 5 * time.Second
	}
	dialer := &net.Dialer{
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 5 * time.Second, Interval: 2 * time.Second, Count: 3},
		Control:         giveUpSoon,
	}
	c.DialFunc = dialer.DialContext
	set := func(name, value string) {
		if _, given := c.RuntimeParams[name]; !given {
			c.RuntimeParams[name] = value
		}
	}
	set("application_name", "screentest")
	set("timezone", "UTC")
	set("client_encoding", "UTF8")
	// A process that was stopped in the middle of a transaction holds nobody up.
	set("idle_in_transaction_session_timeout", "5000")
	set("statement_timeout", "25000")
	return &Connector{config: c}, nil
}

// Open returns a pool of n connections.
func (c *Connector) Open(n int) *sql.DB {
	pool := sql.OpenDB(c)
	pool.SetMaxOpenConns(n)
	pool.SetMaxIdleConns(n)
	return pool
}

// Address is where the database is, without who asks and their password.
func (c *Connector) Address() string {
	return fmt.Sprintf("%s:%d/%s", c.config.Host, c.config.Port, c.config.Database)
}

// Connect is for database/sql.
func (c *Connector) Connect(ctx context.Context) (driver.Conn, error) {
	pc, err := pgconn.ConnectConfig(ctx, c.config)
	if err != nil {
		return nil, err
	}
	return &conn{pc: pc}, nil
}

// Listen hears what is told on channel ([Notify]) until ctx ends or the
// connection does, which is its error. It calls ready once it hears.
func (c *Connector) Listen(ctx context.Context, channel string, ready func(), fn func(payload string)) error {
	first := true
	return c.Hear(ctx, channel, listenFor, func(time.Time) {
		if first {
			first = false
			ready()
		}
	}, fn)
}

// Hear is Listen for who wants to know that it still hears: after every such silence
// the connection is asked, and each answer is told alive, with when it was asked for.
// What was told on the channel before then has been given to fn.
func (c *Connector) Hear(ctx context.Context, channel string, every time.Duration, alive func(asked time.Time), fn func(payload string)) error {
	config := c.config.Copy()
	config.OnNotification = func(_ *pgconn.PgConn, n *pgconn.Notification) { fn(n.Payload) }
	delete(config.RuntimeParams, "statement_timeout")
	pc, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		pc.Close(ctx)
	}()
	asked := time.Now()
	if err := ask(ctx, pc, "LISTEN "+channel); err != nil {
		return err
	}
	alive(asked)
	for next := asked.Add(every); ; {
		// A connection that was cut without a word is found by asking.
		wait, cancel := context.WithDeadline(ctx, next)
		err := pc.WaitForNotification(wait)
		cancel()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil && (!pgconn.Timeout(err) || pc.IsClosed()) {
			return err
		}
		if time.Now().Before(next) {
			continue
		}
		asked = time.Now()
		if err := ask(ctx, pc, "SELECT 1"); err != nil {
			return err
		}
		alive(asked)
		next = asked.Add(every)
	}
}

// ask is for a statement that is answered at once, or never.
func ask(ctx context.Context, pc *pgconn.PgConn, statement string) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	_, err := pc.Exec(ctx, statement).ReadAll()
	return err
}

// listenFor is how long silence is believed.
const listenFor = 3 * time.Second

// Driver is for database/sql.
func (c *Connector) Driver() driver.Driver { return noDriver{} }

type noDriver struct{}

func (noDriver) Open(string) (driver.Conn, error) { return nil, errors.New("open it by its connector") }

// conn is one connection.
type conn struct {
	pc    *pgconn.PgConn
	made  int // statements
	later []*asked
	bytes int // that the values of later have
}

// bounded is the time that one answer may take: answerWithin, or what is left of ctx.
// It isn't under ctx otherwise: where that ends in the middle of an answer the
// connection is lost with it.
func bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	end := time.Now().Add(answerWithin)
	if of, has := ctx.Deadline(); has && of.Add(graceAfter).Before(end) {
		end = of.Add(graceAfter)
	}
	return context.WithDeadline(context.Background(), end)
}

func (c *conn) Prepare(query string) (driver.Stmt, error) {
	return c.PrepareContext(context.Background(), query)
}

// PrepareContext waits with the server's part until the first values are known.
func (c *conn) PrepareContext(_ context.Context, query string) (driver.Stmt, error) {
	return &stmt{c: c, query: Translate(query)}, nil
}

// prepare has the server prepare s for values like args. A whole number is a BIGINT
// as all of our columns are, which the server wouldn't make of "? - 1".
func (s *stmt) prepare(ctx context.Context, args []driver.NamedValue) error {
	hints := make([]uint32, len(args))
	for i, a := range args {
		if _, is := a.Value.(int64); is {
			hints[i] = oidInt8
		} else if !mentions(s.query, i+1) {
			hints[i] = oidText // of a place that this form of the statement leaves out
		}
	}
	ctx, cancel := bounded(ctx)
	defer cancel()
	s.c.made++
	name := fmt.Sprintf("s%d", s.c.made)
	d, err := s.c.pc.Prepare(ctx, name, s.query, hints)
	if err != nil {
		return s.c.said(err)
	}
	s.name, s.params, s.columns, s.oids, s.formats = name, d.ParamOIDs, make([]string, len(d.Fields)), make([]uint32, len(d.Fields)), make([]int16, len(d.Fields))
	for i, f := range d.Fields {
		s.columns[i], s.oids[i], s.formats[i] = f.Name, f.DataTypeOID, formatOf(f.DataTypeOID)
	}
	return nil
}

// ExecContext runs statements without values: several, as a migration has them.
func (c *conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if len(args) > 0 {
		return nil, driver.ErrSkip
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := c.flush(ctx); err != nil {
		return nil, err
	}
	ctx, cancel := bounded(ctx)
	defer cancel()
	results, err := c.pc.Exec(ctx, query).ReadAll()
	if err != nil {
		return nil, c.said(err)
	}
	var n int64
	if len(results) > 0 {
		n = results[len(results)-1].CommandTag.RowsAffected()
	}
	return driver.RowsAffected(n), nil
}

func (c *conn) said(err error) error { return said(c.pc, err) }

// said marks what ended the connection, for database/sql.
func said(pc *pgconn.PgConn, err error) error {
	if pc.IsClosed() {
		return &LostError{Err: err}
	}
	return err
}

// A LostError says that the connection broke off: whether a statement was carried
// out isn't known.
type LostError struct{ Err error }

func (e *LostError) Error() string { return e.Err.Error() }

func (e *LostError) Unwrap() error { return e.Err }

// Close is for database/sql.
func (c *conn) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	return c.pc.Close(ctx)
}

// IsValid is for database/sql.
func (c *conn) IsValid() bool { return !c.pc.IsClosed() }

// Begin is for database/sql; who begins a transaction says so in SQL.
func (c *conn) Begin() (driver.Tx, error) { return nil, errors.New("a transaction is begun in SQL") }

// Raw calls fn with the connection of pgx, for what database/sql has no words for.
func Raw(ctx context.Context, c *sql.Conn, fn func(*pgconn.PgConn) error) error {
	return c.Raw(func(d any) error {
		c := d.(*conn)
		if err := c.flush(ctx); err != nil {
			return err
		}
		return fn(c.pc)
	})
}

// Last runs statements without values in one message, and gives the rows of the last
// one as texts.
func Last(c *sql.Conn, statements string) (rows [][]string, err error) {
	ctx := context.Background()
	err = Raw(ctx, c, func(pc *pgconn.PgConn) error {
		ctx, cancel := bounded(ctx)
		defer cancel()
		results, err := pc.Exec(ctx, statements).ReadAll()
		if err != nil {
			return said(pc, err)
		}
		if len(results) == 0 {
			return nil
		}
		for _, values := range results[len(results)-1].Rows {
			row := make([]string, len(values))
			for i, v := range values {
				row[i] = string(v)
			}
			rows = append(rows, row)
		}
		return nil
	})
	return rows, err
}

// stmt is a prepared statement.
type stmt struct {
	c       *conn
	query   string
	name    string // "" before it is prepared
	params  []uint32
	columns []string
	oids    []uint32
	formats []int16
}

// WithValues begins a statement that is planned anew for the values of each time: a
// plan that doesn't know them is right for most, and planning costs more than most
// take, but which words are looked for, say, is all that matters.
const WithValues = "/* with its values */ "

func (s *stmt) anew() bool { return strings.HasPrefix(s.query, WithValues) }

func (s *stmt) NumInput() int { return -1 } // ?1 may stand twice, and the server says what it lacks

func (s *stmt) Close() error {
	if s.name == "" || s.c.pc.IsClosed() {
		return nil
	}
	ctx, cancel := bounded(context.Background())
	defer cancel()
	return s.c.said(s.c.pc.Deallocate(ctx, s.name))
}

func (s *stmt) Exec([]driver.Value) (driver.Result, error) { return nil, errors.ErrUnsupported }

func (s *stmt) Query([]driver.Value) (driver.Rows, error) { return nil, errors.ErrUnsupported }

// CheckNamedValue is for database/sql: a value is made out when it is sent.
func (s *stmt) CheckNamedValue(v *driver.NamedValue) (err error) {
	if valuer, is := v.Value.(driver.Valuer); is {
		v.Value, err = valuer.Value()
		return err
	}
	v.Value, err = plain(v.Value)
	return err
}

// asks is s with args, ready to be sent.
func (s *stmt) asks(ctx context.Context, args []driver.NamedValue) (*asked, error) {
	if s.name == "" {
		if err := s.prepare(ctx, args); err != nil {
			return nil, err
		}
	}
	if len(args) != len(s.params) {
		return nil, fmt.Errorf("the statement has %d values, and %d are given", len(s.params), len(args))
	}
	a := &asked{c: s.c, s: s, values: make([][]byte, len(args)), formats: make([]int16, len(args))}
	for i, arg := range args {
		var err error
		if a.values[i], a.formats[i], err = encode(arg.Value, s.params[i]); err != nil {
			return nil, fmt.Errorf("value %d: %w", i+1, err)
		}
	}
	return a, nil
}

func (s *stmt) run(ctx context.Context, args []driver.NamedValue) (*pgconn.Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	a, err := s.asks(ctx, args)
	if err != nil {
		return nil, err
	}
	return s.c.send(ctx, a)
}

func (s *stmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	if isLater(ctx) {
		a, err := s.asks(ctx, args)
		if err != nil {
			return nil, err
		}
		return a, s.c.keep(a)
	}
	r, err := s.run(ctx, args)
	if err != nil {
		return nil, err
	}
	return driver.RowsAffected(r.CommandTag.RowsAffected()), nil
}

// QueryContext reads all rows at once: whoever goes through them may ask more of
// the same connection meanwhile.
func (s *stmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	r, err := s.run(ctx, args)
	if err != nil {
		return nil, err
	}
	return &rows{s: s, list: r.Rows}, nil
}

type rows struct {
	s    *stmt
	list [][][]byte
}

func (r *rows) Columns() []string { return r.s.columns }

func (r *rows) Close() error { r.list = nil; return nil }
