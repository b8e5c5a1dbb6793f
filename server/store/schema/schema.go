// Package schema has the migrations: what the database looks like, version by
// version.
package schema

import "embed"

// Files are the migrations, NNNN_what.sql.
//
//go:embed *.sql
var Files embed.FS
