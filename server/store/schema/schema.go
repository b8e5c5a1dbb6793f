// Package schema has the migrations: what the database looks like, version by
// version, on each of the two engines. A version's number means the same on both;
// PostgreSQL begins with what SQLite has come to be by then.
package schema

import (
	"embed"
	"io/fs"
)

//go:embed sqlite/*.sql postgres/*.sql
var files embed.FS

// Files and Postgres are the migrations of SQLite and of PostgreSQL,
// NNNN_what.sql.
var (
	Files    = sub("sqlite")
	Postgres = sub("postgres")
)

func sub(dir string) fs.FS {
	f, err := fs.Sub(files, dir)
	if err != nil {
		panic(err) // the name is no path
	}
	return f
}
