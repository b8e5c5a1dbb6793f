package session

import (
	"encoding/json"

	"screentest/shared/wire"
)

// Done is given the answer to a call: its data, or what went wrong.
type Done = func(data json.RawMessage, p *wire.Problem)

// Server answers calls. Call repeats itself over a lost connection, Once fails
// with it. done may be nil.
type Server interface {
	Call(op wire.Op, args any, done Done)
	Once(op wire.Op, args any, done Done)
}

// Unanswered says that a call failed for want of a connection, or of a database that
// answers the server: whether what was asked for is done is not known.
func Unanswered(p *wire.Problem) bool { return p.Code == wire.CodeNoAnswer || p.Code == "disconnected" }

// Read reads an answer's data into v, or returns what went wrong.
func Read(data json.RawMessage, p *wire.Problem, v any) *wire.Problem {
	if p != nil {
		return p
	}
	if err := json.Unmarshal(data, v); err != nil {
		return &wire.Problem{Code: "bad_answer", Message: "The server’s answer couldn’t be read: " + err.Error() + ".", Hint: "Reload the page; it may be older than the server."}
	}
	return nil
}
