package people

import (
	"database/sql"
	"errors"

	"screentest/server/store/sqlite"
)

// TeamNumber is the row of a team, also of one that was deleted, which what was
// sent in its name is still charged to; 0 for the id "". fs.ErrNotExist: there
// never was such a team.
func TeamNumber(q sqlite.Scanner, id string) (n int64, err error) {
	if id == "" {
		return 0, nil
	}
	b, _ := sqlite.ParseID(id)
	err = q.Scan("SELECT n FROM teams WHERE id = ?", []any{b}, &n)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, sqlite.NotFound("team")
	}
	return n, err
}
