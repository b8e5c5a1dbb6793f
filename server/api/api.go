// Package api has the addresses of accounts: signing in and out, people, teams,
// invitations, sessions, keys, audit. Each takes and gives JSON; what is wrong
// is a [wire.Problem]. Who may use an address is not said here but in package
// rights, and was asked before a handler of this package is called.
package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"

	"screentest/server/people"
	"screentest/shared/wire"
)

// A Handler answers a request of who asks. An error that it returns came before
// anything was written.
type Handler = func(w http.ResponseWriter, r *http.Request, who people.Person) error

// maxBody bounds the body of a request, in bytes.
const maxBody = 64 << 10

// read reads a request's body into v.
func read(w http.ResponseWriter, r *http.Request, v any) error {
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/json" {
		return &wire.Problem{Code: "invalid_request", Status: http.StatusUnsupportedMediaType, Message: "The request's body is sent as application/json."}
	}
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(v)
	var large *http.MaxBytesError
	var kind *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &large):
		return &wire.Problem{Code: "body_too_large", Message: fmt.Sprintf("The request is longer than %d bytes.", large.Limit)}
	case errors.As(err, &kind):
		return &wire.Problem{Code: "invalid_request", Field: kind.Field, Message: fmt.Sprintf("%s is not of the type that it must have, %s.", kind.Field, kind.Type)}
	}
	return &wire.Problem{Code: "invalid_request", Message: "The request's body is not the JSON object that this address takes."}
}

// invalid is what is wrong with a field of a request.
func invalid(field, message, hint string) error {
	return &wire.Problem{Code: "invalid_request", Field: field, Message: message, Hint: hint}
}

// answer answers with JSON.
func answer(w http.ResponseWriter, status int, v any) error {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // an error means that nobody reads it any more
	return nil
}

// done answers that something was done.
func done(w http.ResponseWriter) error {
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusNoContent)
	return nil
}
