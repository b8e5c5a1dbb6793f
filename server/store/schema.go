package store

import (
	"embed"
	"io/fs"
)

// SchemaFiles are the migrations.
//
//go:embed schema/*.sql
var schemaFolder embed.FS

// SchemaFiles is the schema's folder.
var SchemaFiles = must2(fs.Sub(schemaFolder, "schema"))

func must2(f fs.FS, err error) fs.FS {
	if err != nil {
		panic(err)
	}
	return f
}
