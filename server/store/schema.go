package store

import (
	"embed"
	"io/fs"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// newestVersion is that of the databases this program writes.
func newestVersion() (int, error) {
	ms, err := ownMigrations()
	return len(ms), err
}

// ownMigrations are those of this program.
func ownMigrations() ([]migration, error) {
	files, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		return nil, err
	}
	return readMigrations(files)
}
