package engine

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"screentest/shared/wire"
)

// What meta says of moves from one engine to another: in what is moved, and in what
// it is moved to. Each is there while a move is under way, and the first for good
// once it is done.
const (
	MovedName     = "moved"      // a [Moved]: from here, for good
	MovingOutName = "moving_out" // the move's id; whoever opens it to serve it takes it away
	MovingInName  = "moving_in"  // how far the move is
)

// Moved says where all of a database was moved to. From then on it can only be
// read: what would be written here would be missed there.
type Moved struct {
	ID   string `json:"id"`   // of the move
	What string `json:"what"` // was moved: "folder" or "database"
	To   string `json:"to"`   // as people read it
	AtMS int64  `json:"at_ms"`
}

// Problem is what whoever wants to write is told.
func (m Moved) Problem() wire.Problem {
	return wire.Problem{Code: "data_read_only",
		Message: fmt.Sprintf("This %s was moved to %s on %s; it can only be read.", m.What, m.To, time.UnixMilli(m.AtMS).UTC().Format("2 January 2006")),
		Hint:    "Work where it was moved to."}
}

// MovedOf reads whether a database was moved; nil: it wasn't.
func MovedOf(q Scanner) (*Moved, error) {
	var text []byte
	err := q.Scan("SELECT value FROM meta WHERE name = ?", []any{MovedName}, &text)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	var m Moved
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err != nil {
		return nil, fmt.Errorf("read whether the database was moved: %w", err)
	}
	return &m, nil
}

// refusal is the error of each write to a database that was moved; nil where it may
// be written.
func refusal(q Scanner) error {
	m, err := MovedOf(q)
	if err != nil || m == nil {
		return err
	}
	return &Error{Problem: m.Problem()}
}

// ReadOnly is nil, or why nothing may be written: the error of each write.
func (e *DB) ReadOnly() error { return e.writer.refused }
