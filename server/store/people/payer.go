package people

import (
	"database/sql"
	"errors"

	"screentest/server/store/engine"
)

// TeamNumber is the row of a team, also of one that was deleted, which what was
// sent in its name is still charged to; 0 for the id "". fs.ErrNotExist: there
// never was such a team.
func TeamNumber(q engine.Scanner, id string) (n int64, err error) {
	if id == "" {
		return 0, nil
	}
	b, _ := engine.ParseID(id)
	err = q.Scan("SELECT n FROM teams WHERE id = ?", []any{b}, &n)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, engine.NotFound("team")
	}
	return n, err
}
