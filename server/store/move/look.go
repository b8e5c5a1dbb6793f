package move

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"screentest/server/seal"
	"screentest/server/store/engine"
	"screentest/server/store/folder"
	"screentest/shared/wire"
)

// A Counted is how much of something there is to move.
type Counted struct {
	What        string
	Rows, Bytes int64
}

// Count counts the rows of each table, and the files. Nothing is changed.
func Count(ctx context.Context, q engine.Reading, f Files) (all []Counted, err error) {
	tables, err := tablesOf(q)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		c := Counted{What: "table " + name}
		if err := q.Scan(`SELECT count(*) FROM "`+name+`" WHERE `+tables[name].where(), nil, &c.Rows); err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	list, err := f.list(ctx, true)
	if err != nil {
		return nil, err
	}
	for _, place := range []string{archive, uploads} {
		c := Counted{What: "files of " + place}
		for _, f := range list {
			if f.place == place {
				c.Rows, c.Bytes = c.Rows+1, c.Bytes+f.bytes
			}
		}
		all = append(all, c)
	}
	return all, nil
}

// WantSource refuses a database that was moved already, unless to is where that move
// was broken off at its very end, and one that box is not of the key of.
func WantSource(q engine.Reading, box *seal.Box, begun string) error {
	moved, err := engine.MovedOf(q)
	if err != nil {
		return err
	}
	if moved != nil && moved.ID != begun {
		return &engine.Error{Problem: moved.Problem()}
	}
	if _, in, err := stateOf(q); err != nil || in {
		return cmp.Or(err, error(&engine.Error{Problem: wire.Problem{Code: "half_moved", Message: "What is to be moved is half a move itself.", Hint: "Finish that one first: call screentest move as it was called then."}}))
	}
	sealed, err := metaOf(q, folder.SealCheck)
	if err != nil || sealed == nil {
		return err
	}
	if _, err := box.Open(folder.SealCheck, "", sealed); err != nil {
		return &engine.Error{Problem: wire.Problem{Code: "seal_key_other", Message: "SCREENTEST_SEAL_KEY is not the key that what is to be moved was sealed with.",
			Hint: "Give the right one. Nothing was changed."}, Err: err}
	}
	return nil
}

// WantTarget refuses a database that somebody has used. begun is the id of the move
// that was broken off there, "" for none. name and what it is are for people.
func WantTarget(q engine.Reading, version int, what, name string) (begun string, err error) {
	if version == 0 {
		return "", nil
	}
	s, in, err := stateOf(q)
	if err != nil || in {
		return s.ID, err
	}
	return "", wantFresh(q, what, name)
}
