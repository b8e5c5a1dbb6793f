package engine

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"screentest/server/store/postgres"
	"screentest/shared/wire"
)

// postgresReaders is the number of reading connections to PostgreSQL, which are
// processes there. A query waits for the network too, so more than SQLite's pay.
const postgresReaders = 8

// WithValues begins a query that PostgreSQL plans anew for the values of each time.
const WithValues = postgres.WithValues

// writeLock is the number of the lock that whoever writes holds until the end of
// the transaction, as whoever writes to a file of SQLite's does: what a room reads
// and writes back, a budget or the last row of a chain, is nobody else's meanwhile.
// Commits of a group share it as they share the wait for the disk.
const writeLock = 0x5363726e << 8

// How long a commit whose answer was lost is asked after, and how long it is waited
// between two tries to reach the database.
const (
	askAfterCommit = time.Minute
	betweenTries   = 200 * time.Millisecond
)

// Settled is a process's place among those that write to one database: Query gives
// a row as long as it has one. It is looked for in each transaction, behind the
// lock, so that a process that was stopped for long, and whose place another one
// took, writes nothing.
type Settled struct {
	// Holder is this process's number among them.
	Holder int64
	Query  string // without values of its own
}

// Settle has s looked for in each transaction from now on.
func (e *DB) Settle(s Settled) {
	if k, is := e.kind.(*postgresKind); is {
		k.settled.Store(&s)
	}
}

// Holder is this process's number among the replicas, 0 where it is alone.
func (e *DB) Holder() int64 { return holder(e.kind) }

// ErrUnsettled says that another process took this one's place: to this one the
// database is closed.
var ErrUnsettled = fmt.Errorf("another replica has taken over what this one did: %w", os.ErrClosed)

// postgresKind is a database that several processes may write to, one at a time.
type postgresKind struct {
	settled atomic.Pointer[Settled] // nil: the only one
	writer  int64                   // a number that no other has, in the table commits
	mark    int64                   // of the transaction under way, there; of the writing goroutine
}

func newPostgresKind() *postgresKind { return &postgresKind{writer: rand.Int64()} }

func (k *postgresKind) begin(p *prepared) error {
	ctx := context.Background()
	if err := p.renew(ctx); err != nil {
		return err
	}
	// All in one message. The lock comes first and alone: a statement sees what was
	// committed when it began. The mark is that by which commit knows the transaction
	// again; the server's own number of it may be another's after a crash.
	k.mark++
	where := ""
	if settled := k.settled.Load(); settled != nil {
		where = " FROM (" + settled.Query + ") AS settled"
	}
	rows, err := postgres.Last(p.conn, fmt.Sprintf(`BEGIN; SELECT pg_advisory_xact_lock(%d);
		INSERT INTO commits (writer, mark) VALUES (%d, %d) ON CONFLICT (writer) DO UPDATE SET mark = excluded.mark, at = now();
		SELECT 1%s`, writeLock, k.writer, k.mark, where))
	if err != nil {
		return p.said(err)
	}
	if len(rows) == 0 {
		return ErrUnsettled
	}
	return nil
}

// commit asks what became of the transaction where the answer was lost.
func (k *postgresKind) commit(p *prepared) error {
	ctx := context.Background()
	_, err := p.exec(ctx, "COMMIT")
	if err == nil || !p.lost {
		return err
	}
	// Who has the lock knows that the transaction has come to its end.
	ask := fmt.Sprintf("SELECT pg_advisory_xact_lock(%d); SELECT mark FROM commits WHERE writer = %d", writeLock, k.writer)
	for end := time.Now().Add(askAfterCommit); time.Now().Before(end); time.Sleep(betweenTries) {
		if p.renew(ctx) != nil {
			continue
		}
		switch rows, asked := postgres.Last(p.conn, ask); {
		case asked != nil:
			_ = p.said(asked)
		case len(rows) == 1 && rows[0][0] == strconv.FormatInt(k.mark, 10):
			return nil
		default:
			return errors.Join(errTakenBack, err)
		}
	}
	return errors.Join(ErrUnknown, err)
}

func (*postgresKind) writing() context.Context { return postgres.Later(context.Background()) }

func (*postgresKind) flush(p *prepared) error { return p.said(postgres.Flush(p.conn)) }

func (*postgresKind) takeBack(p *prepared, statement string) error {
	if err := postgres.Forget(p.conn); err != nil {
		return p.said(err)
	}
	_, err := p.exec(context.Background(), statement)
	return err
}

func (*postgresKind) snapshot() string { return "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" }

// insertPostgres runs an INSERT and gives the number n of the new row.
func insertPostgres(p *prepared, query string, args []any) (n int64, err error) {
	err = p.scan(context.Background(), query+" RETURNING n", args, &n)
	return n, err
}

func (*postgresKind) relax(p *prepared) error { return p.setting("SET synchronous_commit = off") }

func (*postgresKind) durable(p *prepared) error { return p.setting("SET synchronous_commit = on") }

// The server vacuums by itself, and when isn't ours to say.
func (*postgresKind) keepsDeleted() bool { return false }

func (*postgresKind) empty(*prepared) (bool, error) { return true, nil }

// OpenPostgres opens the database at url, brings its schema up to date, and starts
// the writer and the readers.
func OpenPostgres(ctx context.Context, url string, o Options) (e *DB, err error) {
	ms, err := ReadMigrations(o.Migrations)
	if err != nil {
		return nil, err
	}
	c, err := connector(url)
	if err != nil {
		return nil, err
	}
	k := newPostgresKind()
	e = &DB{kind: k, pool: c.Open(1), Postgres: c, locks: &Locks{pool: c.Open(lockers)}}
	made := e // which is nil with an error
	defer func() {
		if err != nil {
			made.Close()
		}
	}()
	conn, err := e.pool.Conn(ctx)
	if err != nil {
		return nil, Explain(err)
	}
	if err := migratePostgres(ctx, conn, ms, o.Logger); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	if _, err := conn.ExecContext(ctx, "DELETE FROM commits WHERE at < now() - INTERVAL '1 day'"); err != nil {
		return nil, errors.Join(Explain(err), conn.Close())
	}
	if e.readers, err = openReaders(ctx, k, c.Open(postgresReaders), postgresReaders); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	if o.Committed == nil {
		o.Committed = func(time.Duration) {}
	}
	e.writer, err = startWriter(k, e.pool, conn, o)
	return e, err
}

// connector reads the address of a database.
func connector(url string) (*postgres.Connector, error) {
	c, err := postgres.NewConnector(url)
	if err != nil {
		return nil, &Error{Problem: wire.Problem{Code: "bad_database", Message: "The address of the database can't be read.",
			Hint: "It is like postgres://name:password@host:5432/database."}, Err: errors.New(withoutPassword(err))}
	}
	return c, nil
}

// withoutPassword is what pgconn says of an address; it leaves passwords out by
// itself, but for one that makes the address unreadable.
func withoutPassword(err error) string {
	text, _, _ := strings.Cut(err.Error(), "postgres://")
	return text
}

// leastPostgres is the oldest version that the migrations were written for.
const leastPostgres = 150000

// postgresVersion looks at the server and gives the version of the database, 0 for
// an empty one.
func postgresVersion(ctx context.Context, conn *sql.Conn, newest int) (version int, err error) {
	var server, tables int
	var encoding string
	var schema, meta sql.NullString
	var mayCreate, primary bool
	p := prepare(nil, conn)
	defer func() {
		for _, s := range p.stmts {
			err = errors.Join(err, s.Close())
		}
	}()
	err = p.scan(ctx, `SELECT current_setting('server_version_num')::bigint, current_setting('server_encoding'), current_schema(),
		coalesce(has_schema_privilege(current_schema(), 'CREATE'), false), to_regclass('meta')::text, NOT pg_is_in_recovery(),
		(SELECT count(*) FROM pg_tables WHERE schemaname = current_schema())`, nil, &server, &encoding, &schema, &mayCreate, &meta, &primary, &tables)
	problem := func(code, hint, format string, args ...any) (int, error) {
		return 0, &Error{Problem: wire.Problem{Code: code, Message: fmt.Sprintf(format, args...), Hint: hint}}
	}
	switch {
	case err != nil:
		return 0, Explain(err)
	case server < leastPostgres:
		return problem("database_old", "Bring the server up to date, or give another one.", "PostgreSQL there is of version %d.%d, and 15 is the oldest that will do.", server/10000, server%10000)
	case encoding != "UTF8":
		return problem("database_encoding", "Make one with: createdb --encoding=UTF8 --template=template0 NAME", "The database's encoding is %s, and it must be UTF8.", encoding)
	case !primary:
		return problem("database_read_only", "Give the address of the one that is written to, or both of them with target_session_attrs=read-write.", "This server is a standby that can only be read.")
	case !schema.Valid:
		return problem("database_rights", "Give it the right: GRANT ALL ON SCHEMA public TO name; or make it the database's owner.", "The role of -database has no schema that it may use.")
	case meta.Valid:
		err := p.scan(ctx, "SELECT coalesce((SELECT convert_from(value, 'UTF8')::bigint FROM meta WHERE name = 'version'), 0)", nil, &version)
		if err != nil {
			return 0, Explain(err)
		}
		if version > newest {
			return problem("data_newer", "Start the newer program. Nothing was changed.", "The database is of version %d, written by a newer Screentest; this one knows versions up to %d.", version, newest)
		}
		if version > 0 {
			return version, nil
		}
	}
	switch {
	case tables > 0:
		return problem("data_foreign", "Give an empty one: createdb --encoding=UTF8 --template=template0 NAME", "The database has tables that are not Screentest's.")
	case !mayCreate:
		return problem("database_rights", "Give it the right: GRANT ALL ON SCHEMA "+schema.String+" TO name; or make it the database's owner.", "The role of -database may not make tables in the schema %s.", schema.String)
	}
	return 0, nil
}

// migratePostgres brings the database up to the newest of ms, one process at a time.
func migratePostgres(ctx context.Context, conn *sql.Conn, ms []Migration, log logger) error {
	newest := ms[len(ms)-1].version
	version, err := postgresVersion(ctx, conn, newest)
	if err != nil || version == newest {
		return err
	}
	for _, m := range ms {
		if m.version <= version {
			continue
		}
		from, err := m.applyPostgres(ctx, conn, newest)
		if err != nil {
			return fmt.Errorf("migration %s: %w", m.name, Explain(err))
		}
		if from > 0 && from < m.version {
			log.Info("migrated the database", "to", m.version, "migration", m.name)
		}
	}
	return nil
}

// applyPostgres brings the database to m's version, unless another process has done
// so meanwhile. from is the version that it found.
func (m Migration) applyPostgres(ctx context.Context, conn *sql.Conn, newest int) (from int, err error) {
	if _, err := conn.ExecContext(ctx, fmt.Sprintf("BEGIN; SET LOCAL statement_timeout = 0; SELECT pg_advisory_xact_lock(%d)", writeLock)); err != nil {
		return 0, err
	}
	defer func() {
		if err != nil {
			conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
		}
	}()
	if from, err = postgresVersion(ctx, conn, newest); err != nil {
		return 0, err
	}
	statements := "COMMIT"
	if from < m.version {
		statements = m.sql + fmt.Sprintf(";\nINSERT INTO meta (name, value) VALUES ('version', '%d') ON CONFLICT (name) DO UPDATE SET value = excluded.value; COMMIT", m.version)
	}
	err = postgres.Raw(ctx, conn, func(pc *pgconn.PgConn) error {
		_, err := pc.Exec(ctx, statements).ReadAll() // as long as it takes
		return err
	})
	return from, err
}
