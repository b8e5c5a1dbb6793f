package storetest

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"screentest/server/store"
)

// OnPostgres tells whether the suite runs on PostgreSQL.
func OnPostgres() bool { return os.Getenv("SCREENTEST_TEST_ENGINE") == "postgres" }

// sealKey seals what databases of tests hold.
const sealKey = "c2NyZWVudGVzdC1zY3JlZW50ZXN0LXNjcmVlbnRlc3Q="

var databases sync.Map // a folder to its database

var number struct {
	sync.Mutex
	n int
}

func psql(t testing.TB, sql string) {
	t.Helper()
	ctx := context.Background()
	c, err := pgconn.Connect(ctx, "postgres://postgres@127.0.0.1:5499/postgres")
	Must(t, err)
	defer c.Close(ctx)
	if _, err := c.Exec(ctx, sql).ReadAll(); err != nil {
		t.Fatal(err)
	}
}

// databaseOf is the database that stands for the folder dir.
func databaseOf(t testing.TB, dir string) string {
	t.Helper()
	if url, is := databases.Load(dir); is {
		return url.(string)
	}
	number.Lock()
	number.n++
	name := fmt.Sprintf("t%d_%d", os.Getpid(), number.n)
	number.Unlock()
	psql(t, "CREATE DATABASE "+name+" TEMPLATE template0")
	url := "postgres://postgres@127.0.0.1:5499/" + name
	databases.Store(dir, url)
	t.Cleanup(func() {
		databases.Delete(dir)
		psql(t, "DROP DATABASE "+name+" WITH (FORCE)")
	})
	return url
}

// onEngine has o open the database that the suite runs on.
func onEngine(t testing.TB, dir string, o *store.Options) {
	if OnPostgres() && o.Database == "" {
		o.Database = databaseOf(t, dir)
		if o.SealKey == "" {
			o.SealKey = sealKey
		}
	}
}
