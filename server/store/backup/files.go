package backup

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"screentest/server/blob"
	"screentest/server/store/engine"
)

// addFiles packs clips, posters and uploads that are not in the data folder, under the
// names that they would have there.
func (m *Manifest) addFiles(ctx context.Context, t *tar.Writer, files *blob.Files) error {
	for below, place := range map[string]blob.Place{"archive/": files.Archive.Place(), "uploads/": files.Uploads} {
		if err := place.Each(ctx, func(name string, _ time.Time) error {
			in, err := place.Open(ctx, name)
			if errors.Is(err, fs.ErrNotExist) {
				m.Gone++
				return nil
			}
			if err != nil {
				return err
			}
			defer in.Close()
			return m.addOpened(ctx, t, below+name, in)
		}); err != nil {
			return err
		}
	}
	return nil
}

// wantClips refuses a backup without any of the clips that its database has: they are
// somewhere else, and would be missed.
func (m *Manifest) wantClips(ctx context.Context, dir, database string) error {
	for _, f := range m.Files {
		if strings.HasPrefix(f.Name, "archive/") {
			return nil
		}
	}
	pool, err := engine.OpenPool(database, engine.ReaderSettings, 1)
	if err != nil {
		return err
	}
	defer pool.Close()
	var clips int
	err = pool.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema WHERE name = 'video_outputs'").Scan(&clips)
	if err == nil && clips > 0 {
		err = pool.QueryRowContext(ctx, "SELECT count(DISTINCT sha256) FROM video_outputs WHERE archive = 'saved'").Scan(&clips)
	}
	if err != nil {
		return engine.Explain(err)
	}
	if clips > 0 {
		return fmt.Errorf("the database knows of %d archived clips, and %s has none of them: give the backup the same -files as the server", clips, dir)
	}
	return nil
}
