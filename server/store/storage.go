package store

import (
	"cmp"
	"context"
	"database/sql"
	"io/fs"
	"os"
	"slices"
	"strings"

	"screentest/server/disk"
	"screentest/server/store/engine"
	"screentest/server/store/folder"
	"screentest/shared/wire"
)

// kindOf is the kind of data that a table holds, with its indexes.
func kindOf(table string) string {
	switch table {
	case "conversations", "messages", "runs", "lanes", "votes", "vote_answers", "library", "images", "message_images", "image_drafts":
		return wire.StoredMessages
	case "run_log", "run_requests":
		return wire.StoredWire
	case "ledger", "ledger_chain", "spend_hours":
		return wire.StoredLedger
	case "uploads":
		return wire.StoredVideo
	}
	switch {
	case strings.HasPrefix(table, "search"):
		return wire.StoredSearch
	case strings.HasPrefix(table, "video_"):
		return wire.StoredVideo
	}
	return wire.StoredOther
}

// kindOfFile is the kind of data of a file in the data folder, by its name with
// slashes; "" is the database's, which is looked into.
func kindOfFile(name string) string {
	top, _, _ := strings.Cut(name, "/")
	switch {
	case name == folder.DatabaseFile:
		return ""
	case top == "archive":
		return wire.StoredClips
	case top == "uploads":
		return wire.StoredVideo
	case top == engine.BackupsFolder:
		return wire.StoredBackups
	}
	return wire.StoredOther
}

// Storage tells what the data folder, the database and -files hold, of everybody. It looks at
// every page of SQLite's, a second for a gigabyte, on a connection of its own;
// PostgreSQL knows how large a table is. Of files that are elsewhere it tells what is
// noted of their sizes, which is that of clips and uploads, and not of posters.
func (db *DB) Storage(ctx context.Context) (s wire.Storage, err error) {
	kinds := map[string]*wire.Stored{}
	of := func(kind string) *wire.Stored {
		if kinds[kind] == nil {
			kinds[kind] = &wire.Stored{Kind: kind}
		}
		return kinds[kind]
	}
	inDatabase, err := db.pagesByTable(ctx, func(table string, bytes int64) { of(kindOf(table)).Bytes += bytes })
	if err != nil {
		return s, err
	}
	for kind, query := range map[string]string{
		wire.StoredMessages: "SELECT count(*) FROM messages",
		wire.StoredWire:     "SELECT count(*) FROM run_requests",
		wire.StoredLedger:   "SELECT count(*) FROM ledger",
		wire.StoredVideo:    "SELECT count(*) FROM video_tasks",
		wire.StoredClips:    "SELECT count(DISTINCT sha256) FROM video_outputs WHERE archive = 'saved'",
	} {
		if err := db.engine.At(ctx).Scan(query, nil, &of(kind).Count); err != nil {
			return s, err
		}
	}
	if db.elsewhere {
		for kind, query := range map[string]string{
			wire.StoredClips: "SELECT coalesce(sum(bytes), 0) FROM (SELECT max(bytes) AS bytes FROM video_outputs WHERE archive = 'saved' GROUP BY sha256) AS file",
			wire.StoredVideo: "SELECT coalesce(sum(bytes), 0) FROM uploads",
		} {
			var bytes int64
			if err := db.engine.At(ctx).Scan(query, nil, &bytes); err != nil {
				return s, err
			}
			of(kind).Bytes += bytes
		}
	}
	err = folder.EachFile(db.dir, func(string) bool { return false }, func(name, _ string, info fs.FileInfo) error {
		kind := kindOfFile(name)
		if kind == "" {
			// Pages that hold nothing at the moment.
			of(wire.StoredOther).Bytes += max(info.Size()-inDatabase, 0)
			return nil
		}
		of(kind).Bytes += info.Size()
		if kind == wire.StoredBackups {
			of(kind).Count++
		}
		return nil
	})
	if err != nil {
		return s, err
	}
	s.FreeBytes = max(disk.Free(db.dir), 0)
	for _, k := range kinds {
		s.Kinds = append(s.Kinds, *k)
		s.Bytes += k.Bytes
	}
	slices.SortFunc(s.Kinds, func(a, b wire.Stored) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Kind, b.Kind))
	})
	return s, nil
}

// pagesByTable calls fn with the bytes of the pages of each table and its
// indexes, and gives the sum of those that are in the data folder.
func (db *DB) pagesByTable(ctx context.Context, fn func(table string, bytes int64)) (sum int64, err error) {
	const onPostgres = "SELECT relname::text, pg_total_relation_size(oid) FROM pg_class WHERE relkind = 'r' AND relnamespace = to_regnamespace(current_schema()::text)"
	if db.engine.Postgres != nil {
		return 0, db.engine.At(ctx).Each(onPostgres, nil, func(rows *sql.Rows) error {
			var table string
			var bytes int64
			err := rows.Scan(&table, &bytes)
			fn(table, bytes)
			return err
		})
	}
	if _, err := os.Stat(folder.DatabaseIn(db.dir)); err != nil {
		return 0, err
	}
	pool, err := engine.OpenPool(folder.DatabaseIn(db.dir), engine.ReaderSettings, 1)
	if err != nil {
		return 0, err
	}
	defer pool.Close()
	rows, err := pool.QueryContext(ctx, "SELECT coalesce(s.tbl_name, d.name), d.pgsize FROM dbstat d LEFT JOIN sqlite_schema s ON s.name = d.name WHERE d.aggregate = TRUE")
	if err != nil {
		return 0, engine.Explain(err)
	}
	defer rows.Close()
	for rows.Next() {
		var table string
		var bytes sql.NullInt64
		if err := rows.Scan(&table, &bytes); err != nil {
			return 0, engine.Explain(err)
		}
		fn(table, bytes.Int64)
		sum += bytes.Int64
	}
	return sum, engine.Explain(rows.Err())
}
