package audit_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	"screentest/server/store"
	"screentest/server/store/audit"
	"screentest/server/store/engine"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// lines are those that q asks for, once all that was noted is written, but for
// the first of every folder.
func lines(t *testing.T, db *store.DB, q wire.AuditQuery) (all []wire.AuditRow) {
	t.Helper()
	storetest.Must(t, db.Engine().Write(t.Context(), 0, func(*engine.Tx) error { return nil }))
	storetest.Must(t, db.Audit().Each(t.Context(), q, func(r wire.AuditRow) error {
		if r.Action != "ledger.chained" {
			all = append(all, r)
		}
		return nil
	}))
	return all
}

func actions(rows []wire.AuditRow) (list []string) {
	for _, r := range rows {
		list = append(list, r.Action)
	}
	return list
}

func TestLinesAreReadNewestFirst(t *testing.T) {
	now := time.UnixMilli(1000)
	db := storetest.Open(t, storetest.Folder(t), store.Options{Now: func() time.Time { now = now.Add(time.Second); return now }})
	ann := storetest.AddUser(t, db, "Ann")
	id := storetest.NewID()
	storetest.Must(t, db.Engine().Write(t.Context(), 0, func(w *engine.Tx) error {
		b, _ := engine.ParseID(id)
		_, err := w.Exec("UPDATE users SET id = ? WHERE n = ?", b, engine.ParseOwner(ann))
		return err
	}))
	db.Audit().Note(audit.Entry{Person: ann, Action: "invite.made", Object: "o-1", Detail: map[string]any{"uses": 3}, Address: "10.0.0.1"})
	db.Audit().Note(audit.Entry{Action: "setup.claimed"})
	db.Audit().Note(audit.Entry{Person: ann, Action: "invites.looked"})
	db.Audit().Note(audit.Entry{Person: ann, Action: "signout"})

	all := lines(t, db, wire.AuditQuery{})
	if got := actions(all); !slices.Equal(got, []string{"signout", "invites.looked", "setup.claimed", "invite.made"}) {
		t.Fatalf("%v", got)
	}
	first := all[3]
	if first.Person != id || first.Name != "Ann" || first.Object != "o-1" || string(first.Detail) != `{"uses":3}` || first.Address != "10.0.0.1" || first.AtMS == 0 {
		t.Errorf("%+v", first)
	}
	if nobody := all[2]; nobody.Person != "" || nobody.Name != "" || nobody.Detail != nil {
		t.Errorf("%+v", nobody)
	}
	for name, c := range map[string]struct {
		q    wire.AuditQuery
		want []string
	}{
		"an action":           {wire.AuditQuery{Action: "signout"}, []string{"signout"}},
		"those that begin so": {wire.AuditQuery{Action: "invite"}, []string{"invite.made"}},
		"a person":            {wire.AuditQuery{Person: id}, []string{"signout", "invites.looked", "invite.made"}},
		"a time":              {wire.AuditQuery{From: all[2].AtMS, To: all[0].AtMS}, []string{"invites.looked", "setup.claimed"}},
		"a page":              {wire.AuditQuery{Limit: 2}, []string{"signout", "invites.looked"}},
		"the next":            {wire.AuditQuery{Limit: 2, Before: all[1].N}, []string{"setup.claimed", "invite.made"}},
		"nothing":             {wire.AuditQuery{Action: "inv"}, nil},
	} {
		if got := actions(lines(t, db, c.q)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	err := db.Audit().Each(t.Context(), wire.AuditQuery{Person: storetest.NewID()}, func(wire.AuditRow) error { return nil })
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a person who isn't there: %v", err)
	}
}

// More lines than are read at a time, and a reader who stops.
func TestManyLines(t *testing.T) {
	db, owner := storetest.OpenLocal(t)
	const n = 1234
	for i := range n {
		db.Audit().Note(audit.Entry{Person: owner, Action: "key.set", Object: fmt.Sprint(i)})
	}
	all := lines(t, db, wire.AuditQuery{})
	if len(all) != n || all[0].Object != "1233" || all[n-1].Object != "0" {
		t.Fatalf("%d lines", len(all))
	}
	stop := errors.New("enough")
	if err := db.Audit().Each(t.Context(), wire.AuditQuery{}, func(wire.AuditRow) error { return stop }); err != stop {
		t.Errorf("%v", err)
	}
}

// What is too long is cut, what is no action is refused, and neither holds up
// what comes behind it.
func TestBoundsOfALine(t *testing.T) {
	db, owner := storetest.OpenLocal(t)
	for _, bad := range []string{"", "Made", "a b", "a.b.c", strings.Repeat("a", 31)} {
		err := db.Engine().Write(t.Context(), 0, func(w *engine.Tx) error { return db.Audit().Append(w, audit.Entry{Action: bad}) })
		if err == nil {
			t.Errorf("%q was taken", bad)
		}
		db.Audit().Note(audit.Entry{Action: bad})
	}
	db.Audit().Note(audit.Entry{Person: owner, Action: "key.set", Object: strings.Repeat("ä", 100), Detail: map[string]any{"x": strings.Repeat("y", 5000)}, Address: strings.Repeat("1", 100)})
	all := lines(t, db, wire.AuditQuery{})
	if len(all) != 1 || len(all[0].Object) > 110 || len(all[0].Address) > 70 || !strings.Contains(string(all[0].Detail), "left_out_bytes") || !json.Valid(all[0].Detail) {
		t.Errorf("%+v", all)
	}
}

// A stranger who tries passwords fills no disk: each kind has its line, and one
// more with how often it came again.
func TestFailedSignInsAreCounted(t *testing.T) {
	dir := storetest.Folder(t)
	db, err := storetest.TryOpen(t, dir, store.Options{})
	storetest.Must(t, err)
	for i := range 5000 {
		db.Audit().Note(audit.Entry{Action: "signin.failed", Address: fmt.Sprintf("10.0.0.%d", i%3)})
	}
	for i := range 1000 { // from everywhere
		db.Audit().Note(audit.Entry{Action: "signin.failed", Address: fmt.Sprintf("10.1.%d.%d", i/250, i%250)})
	}
	db.Audit().Note(audit.Entry{Action: "signin.ok"})
	if got := lines(t, db, wire.AuditQuery{}); len(got) != 101 || got[0].Action != "signin.ok" {
		t.Errorf("%d lines at once, want 100 and the one that is none of them", len(got))
	}
	storetest.Must(t, db.Close()) // writes what was counted
	db = storetest.Open(t, dir, store.Options{})
	var times int
	all := lines(t, db, wire.AuditQuery{Action: "signin.failed"})
	for _, r := range all {
		var d struct{ Times int }
		if r.Detail != nil {
			storetest.Must(t, json.Unmarshal(r.Detail, &d))
		} else {
			d.Times = 1
		}
		times += d.Times
	}
	if times != 6000 || len(all) > 110 {
		t.Errorf("%d failures in %d lines, want 6000 in few", times, len(all))
	}
}
