package session

import (
	"encoding/json"
	"strings"

	"screentest/shared/wire"
)

// API asks the server's addresses in JSON: those of accounts, which have to do
// with cookies and keys and so are no calls over the socket. Paths are this
// server's own, "/api/people".
type API interface {
	// Ask sends in as JSON, nil for nothing. done is given the data of the
	// answer, nil where it has none, or what went wrong. Where nobody is
	// signed in any more the page asks to sign in first, and then asks again.
	Ask(method, path string, in any, done Done)
}

// Answered reads what an address answered; status 0 is no answer at all.
func Answered(status int, body string) (json.RawMessage, *wire.Problem) {
	body = strings.TrimSpace(body)
	switch {
	case status == 0:
		return nil, &wire.Problem{Code: "unreachable", Message: "The server can’t be reached.", Hint: "Try again when it is back."}
	case status >= 200 && status < 300 && body == "":
		return nil, nil
	case status >= 200 && status < 300:
		return json.RawMessage(body), nil
	}
	var p wire.Problem
	if json.Unmarshal([]byte(body), &p) != nil || p.Message == "" {
		p = wire.Problem{Code: "server_error", Message: "The server couldn’t do this.", Hint: "Try again; the server's log has the details."}
	}
	p.Status = status
	return nil, &p
}
