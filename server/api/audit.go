package api

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"screentest/server/people"
	"screentest/shared/wire"
)

// AuditLines are what happened on the instance.
type AuditLines interface {
	// Each calls fn for every line that q asks for, the newest first.
	Each(ctx context.Context, q wire.AuditQuery, fn func(wire.AuditRow) error) error
}

// Audit has the address of the audit. Both must be given.
type Audit struct {
	Lines AuditLines
	// Note has the audit told of an event.
	Note func(ctx context.Context, e people.Event)
}

// Routes are its addresses.
func (a *Audit) Routes() map[string]Handler {
	return map[string]Handler{"GET /api/audit": a.read}
}

// lineWithin is how long a reader may take for what is buffered of the lines.
const lineWithin = 30 * time.Second

// read answers with lines of JSON. All of them are an export, which is noted; a
// page of them, with limit, is looking, and isn't.
func (a *Audit) read(w http.ResponseWriter, r *http.Request, _ people.Person) error {
	q, err := auditQuery(r.URL.Query())
	if err != nil {
		return err
	}
	if q.Limit == 0 && r.Method == http.MethodGet {
		a.Note(r.Context(), people.Event{Action: "export.made", Detail: map[string]any{"what": "audit"}})
	}
	begun := false
	begin := func() {
		begun = true
		w.Header().Set("Content-Type", "application/x-ndjson; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
	}
	deadline := http.NewResponseController(w)
	out := bufio.NewWriterSize(w, 32<<10)
	err = a.Lines.Each(r.Context(), q, func(row wire.AuditRow) error {
		if !begun {
			begin()
		}
		line, err := json.Marshal(row)
		if err != nil {
			return err
		}
		if out.Available() <= len(line) {
			_ = deadline.SetWriteDeadline(time.Now().Add(lineWithin)) // where it can't be set, who asks is an admin
		}
		_, _ = out.Write(line) // the error comes with the next
		return out.WriteByte('\n')
	})
	if err != nil && !begun {
		return err
	}
	if !begun {
		begin()
	}
	if err == nil {
		err = out.Flush()
	}
	_ = deadline.SetWriteDeadline(time.Time{}) // the connection's next request has none
	if err != nil {
		panic(http.ErrAbortHandler) // what was sent must not pass for all of it
	}
	return nil
}

// auditQuery reads a query from the parameters of an address.
func auditQuery(v url.Values) (q wire.AuditQuery, err error) {
	for name := range v {
		value := v.Get(name)
		if value == "" {
			continue
		}
		switch name {
		case "action":
			q.Action = value
		case "person":
			q.Person = value
		case "from":
			q.From, err = moment(value)
		case "to":
			q.To, err = moment(value)
		case "before":
			q.Before, err = strconv.ParseInt(value, 10, 64)
		case "limit":
			if q.Limit, err = strconv.Atoi(value); err == nil && q.Limit < 1 {
				err = strconv.ErrRange
			}
		default:
			return q, &wire.Problem{Code: "unknown_filter", Field: name, Message: fmt.Sprintf("The audit has no filter %q.", wire.Cut(name, wire.MaxEchoed)),
				Allowed: []string{"from", "to", "action", "person", "before", "limit"}}
		}
		var p *wire.Problem
		if errors.As(err, &p) {
			p.Field = name
			return q, p
		}
		if err != nil {
			return q, &wire.Problem{Code: "invalid_filter", Field: name, Message: name + " must be a whole number above 0."}
		}
	}
	return q, nil
}

// moment reads a time: milliseconds since 1970, a day in UTC, or RFC 3339.
func moment(s string) (ms int64, err error) {
	if ms, err := strconv.ParseInt(s, 10, 64); err == nil && ms >= 0 {
		return ms, nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UnixMilli(), nil
		}
	}
	return 0, &wire.Problem{Code: "invalid_filter", Message: "A time is milliseconds since 1970, a day such as 2026-05-04, or a time such as 2026-05-04T12:00:00Z."}
}
