// Package line is the socket as the parts of the page see it: calls that are
// answered, and how an answer is read.
package line

import (
	"encoding/json"

	"screentest/shared/wire"
)

// Done takes the answer of a call: its data, or what went wrong.
type Done = func(data json.RawMessage, p *wire.Problem)

// Line makes calls: Call repeats itself over a lost connection, Once fails
// with it. done may be nil.
type Line interface {
	Call(op wire.Op, args any, done Done)
	Once(op wire.Op, args any, done Done)
}

// Answered reads the data of an answer into v, or returns what went wrong.
func Answered(data json.RawMessage, p *wire.Problem, v any) *wire.Problem {
	if p != nil {
		return p
	}
	if err := json.Unmarshal(data, v); err != nil {
		return &wire.Problem{Code: "bad_answer", Message: "The server's answer could not be read: " + err.Error() + ".", Hint: "Reload the page; it may be older than the server."}
	}
	return nil
}
