package api

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"reflect"
	"testing"
	"time"

	"screentest/server/people"
	"screentest/shared/wire"
)

// lines are some of the audit, and remember what was asked for.
type lines struct {
	rows  []wire.AuditRow
	err   error
	asked wire.AuditQuery
}

func (l *lines) Each(_ context.Context, q wire.AuditQuery, fn func(wire.AuditRow) error) error {
	l.asked = q
	for _, r := range l.rows {
		if err := fn(r); err != nil {
			return err
		}
	}
	return l.err
}

// ask asks for the audit and gives the lines of the answer.
func ask(t *testing.T, l *lines, address string) (rows []wire.AuditRow, noted []people.Event, h http.Header, err error) {
	t.Helper()
	a := &Audit{Lines: l, Note: func(_ context.Context, e people.Event) { noted = append(noted, e) }}
	w := httptest.NewRecorder()
	err = a.Routes()["GET /api/audit"](w, httptest.NewRequest("GET", address, nil), people.Person{Owner: "1"})
	for s := bufio.NewScanner(w.Body); s.Scan(); {
		var r wire.AuditRow
		if err := json.Unmarshal(s.Bytes(), &r); err != nil {
			t.Fatalf("%q: %v", s.Text(), err)
		}
		rows = append(rows, r)
	}
	return rows, noted, w.Header(), err
}

func TestAuditIsLinesOfJSON(t *testing.T) {
	want := []wire.AuditRow{{N: 2, AtMS: 20, Person: "p", Name: "Ann\n\u2028", Action: "key.set", Object: "o", Detail: json.RawMessage(`{"team":true}`), Address: "10.0.0.1"}, {N: 1, AtMS: 10, Action: "signin.failed"}}
	rows, noted, h, err := ask(t, &lines{rows: want}, "/api/audit")
	if err != nil || !reflect.DeepEqual(rows, want) || h.Get("Content-Type") != "application/x-ndjson; charset=utf-8" || h.Get("Cache-Control") != "no-store" {
		t.Errorf("%+v, %v, %v", rows, h, err)
	}
	if len(noted) != 1 || noted[0].Action != "export.made" {
		t.Errorf("noted %+v of an export", noted)
	}
	if rows, noted, h, err := ask(t, &lines{}, "/api/audit?limit=50"); err != nil || rows != nil || len(noted) != 0 || h.Get("Content-Type") == "" {
		t.Errorf("none: %+v, noted %v, %v", rows, noted, err)
	}
}

func TestAuditFilters(t *testing.T) {
	day := time.Date(2026, 5, 4, 0, 0, 0, 0, time.UTC).UnixMilli()
	for query, want := range map[string]wire.AuditQuery{
		"from=1000&to=2000": {From: 1000, To: 2000},
		"from=2026-05-04&to=2026-05-04T01:00:00%2B01:00": {From: day, To: day},
		"action=signin&person=p":                         {Action: "signin", Person: "p"},
		"before=7&limit=3&from=":                         {Before: 7, Limit: 3},
	} {
		var l lines
		if _, _, _, err := ask(t, &l, "/api/audit?"+query); err != nil || l.asked != want {
			t.Errorf("%s: %+v, %v", query, l.asked, err)
		}
	}
	for query, field := range map[string]string{"from=yesterday": "from", "to=-5": "to", "limit=0": "limit", "limit=x": "limit", "before=x": "before", "sort=up": "sort"} {
		_, noted, _, err := ask(t, &lines{}, "/api/audit?"+query)
		var p *wire.Problem
		if !errors.As(err, &p) || p.Field != field || len(noted) != 0 {
			t.Errorf("%s: %v, noted %v", query, err, noted)
		}
	}
}

// A person who isn't there is said to be; lines that break off don't pass for all.
func TestAuditThatFails(t *testing.T) {
	if _, _, _, err := ask(t, &lines{err: fs.ErrNotExist}, "/api/audit?person=x"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	defer func() {
		if recover() != http.ErrAbortHandler {
			t.Error("half of the lines passed for all")
		}
	}()
	_, _, _, _ = ask(t, &lines{rows: []wire.AuditRow{{N: 1}}, err: errors.New("disk")}, "/api/audit")
}
