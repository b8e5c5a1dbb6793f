// Package teamlibrary keeps the prompts and settings of teams, with all versions.
//
// A team's people see its library, and nobody else knows of it; that is asked for in
// the transaction of each call. Who changes an entry names the version that they have
// seen, so that nobody's words are lost under somebody else's.
package teamlibrary

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"math"
	"slices"
	"strings"
	"time"

	"screentest/server/store/audit"
	"screentest/server/store/chat"
	"screentest/server/store/engine"
	"screentest/shared/wire"
)

// Library keeps the libraries of all teams.
type Library struct {
	db    *engine.DB
	audit *audit.Log
	now   func() time.Time
}

// New keeps libraries in db.
func New(db *engine.DB, log *audit.Log, now func() time.Time) *Library {
	return &Library{db: db, audit: log, now: now}
}

// An Asker is somebody who asks: the owner, where from, and whether they run the
// instance.
type Asker struct {
	Owner, Address string
	Admin          bool
}

// A mate is somebody in a team.
type mate struct {
	person, team int64
	leads        bool
}

var errNoEntry = engine.NotFound("entry in this library")

// mateOf is the asker in a team. fs.ErrNotExist: they aren't in it, or it isn't there.
func mateOf(q engine.Scanner, who Asker, team string) (m mate, err error) {
	m.person = engine.ParseOwner(who.Owner)
	id, _ := engine.ParseID(team)
	err = q.Scan(`SELECT t.n, p.lead = 1 AND u.role <> 'guest' FROM teams t JOIN team_people p ON p.team = t.n AND p.person = ?2 JOIN users u ON u.n = p.person
		WHERE t.id = ?1 AND t.deleted_ms = 0 AND u.active = 1`, []any{id, m.person}, &m.team, &m.leads)
	if errors.Is(err, sql.ErrNoRows) {
		err = engine.NotFound("team")
	}
	m.leads = m.leads || who.Admin
	return m, err
}

const (
	fields = "e.id, v.rev, v.kind, v.name, v.text, v.family, v.params, v.at_ms, e.deleted_ms > 0, u.name, (SELECT person FROM team_library_versions WHERE entry = e.n AND rev = 1)"

	selectEntries  = "SELECT " + fields + " FROM team_library e CROSS JOIN team_library_versions v ON v.entry = e.n AND v.rev = e.rev CROSS JOIN users u ON u.n = v.person WHERE e.team = ?"
	selectVersions = "SELECT " + fields + " FROM team_library e CROSS JOIN team_library_versions v ON v.entry = e.n CROSS JOIN users u ON u.n = v.person WHERE e.team = ? AND e.id = ? ORDER BY v.rev DESC"
	selectEntry    = "SELECT " + fields + " FROM team_library e CROSS JOIN team_library_versions v ON v.entry = e.n AND v.rev = e.rev CROSS JOIN users u ON u.n = v.person WHERE e.team = ? AND e.id = ?"
)

// each calls a function with each row of a query.
type each func(query string, args []any, fn func(*sql.Rows) error) error

// within is that of a transaction.
func within(w *engine.Tx) each {
	return func(query string, args []any, fn func(*sql.Rows) error) error {
		return w.Each(context.Background(), query, args, fn)
	}
}

// entries reads versions as the mate sees them.
func (m mate) entries(of each, team, query string, args ...any) ([]wire.TeamEntry, error) {
	all := []wire.TeamEntry{}
	err := of(query, args, func(rows *sql.Rows) error {
		e := wire.TeamEntry{Team: team}
		var id, params []byte
		var maker int64
		if err := rows.Scan(&id, &e.Rev, &e.Kind, &e.Name, &e.Text, &e.Family, &params, &e.UpdatedMS, &e.Deleted, &e.By, &maker); err != nil {
			return err
		}
		e.ID, e.Params, e.May = engine.FormatID(id), params, m.leads || maker == m.person
		all = append(all, e)
		return nil
	})
	return all, err
}

// Entries are those of a team by name, the deleted among them.
func (l *Library) Entries(ctx context.Context, who Asker, team string) (lib wire.TeamLibrary, err error) {
	err = l.db.Snapshot(ctx, func(q engine.Reading) error {
		m, err := mateOf(q, who, team)
		if err == nil {
			lib.Entries, err = m.entries(q.Each, team, selectEntries, m.team)
		}
		return err
	})
	slices.SortFunc(lib.Entries, func(a, b wire.TeamEntry) int {
		return cmp.Or(cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), cmp.Compare(a.ID, b.ID))
	})
	return lib, err
}

// Versions are all of an entry, the newest first.
func (l *Library) Versions(ctx context.Context, who Asker, t wire.TeamTarget) (lib wire.TeamLibrary, err error) {
	id, _ := engine.ParseID(t.ID)
	err = l.db.Snapshot(ctx, func(q engine.Reading) error {
		m, err := mateOf(q, who, t.Team)
		if err == nil {
			lib.Entries, err = m.entries(q.Each, t.Team, selectVersions, m.team, id)
		}
		if err == nil && len(lib.Entries) == 0 {
			err = errNoEntry
		}
		return err
	})
	return lib, err
}

// Put keeps a new entry, or the next version of the one with its id. Changed is
// false where that is what stands there already. A Problem CodeChangedSince says
// that somebody else was faster.
func (l *Library) Put(ctx context.Context, who Asker, e wire.TeamEntry) (kept wire.TeamEntry, changed bool, err error) {
	if e.LibraryEntry, err = chat.CheckEntry(e.LibraryEntry); err != nil {
		return wire.TeamEntry{}, false, err
	}
	e.UpdatedMS = l.now().UnixMilli()
	err = l.db.Write(ctx, len(e.Text)+len(e.Params), func(w *engine.Tx) error {
		m, err := mateOf(w, who, e.Team)
		if err != nil {
			return err
		}
		p := put{Library: l, w: w, mate: m, who: who}
		if changed, err = p.put(e); err != nil {
			return err
		}
		id, _ := engine.ParseID(e.ID)
		all, err := m.entries(within(w), e.Team, selectEntry, m.team, id)
		if err == nil {
			kept = all[0]
		}
		return err
	})
	if err != nil {
		return wire.TeamEntry{}, false, err
	}
	return kept, changed, nil
}

// put is one in its transaction.
type put struct {
	*Library
	w *engine.Tx
	mate
	who Asker
}

func (p put) put(e wire.TeamEntry) (changed bool, err error) {
	id, _ := engine.ParseID(e.ID)
	var n, rev int64
	var deleted, mine bool
	err = p.w.Scan(`SELECT e.n, e.rev, e.deleted_ms > 0, v.person = ?3 FROM team_library e JOIN team_library_versions v ON v.entry = e.n AND v.rev = e.rev
		WHERE e.team = ?1 AND e.id = ?2`, []any{p.team, id, p.person}, &n, &rev, &deleted, &mine)
	switch {
	case errors.Is(err, sql.ErrNoRows) && e.Rev > 0:
		return false, errNoEntry
	case err != nil && !errors.Is(err, sql.ErrNoRows):
		return false, err
	case rev > 0 && !deleted:
		same, err := p.stands(n, rev, e)
		// What comes a second time, as the first answer was lost, is kept already.
		if err != nil || same && (e.Rev == rev || mine && e.Rev == rev-1) {
			return false, err
		}
	}
	if e.Rev != rev {
		return false, &engine.Error{Problem: wire.Problem{Code: wire.CodeChangedSince, Field: "rev",
			Message: "Somebody has changed this entry since you opened it.", Hint: "Compare both, and save again."}, Err: fs.ErrExist}
	}
	if err := p.wantRoom(e, n); err != nil {
		return false, err
	}
	if rev == 0 {
		if n, err = p.w.Insert("INSERT INTO team_library (team, id, rev) VALUES (?, ?, 1)", p.team, id); err != nil {
			return false, err
		}
	} else if _, err := p.w.Exec("UPDATE team_library SET rev = ?, deleted_ms = 0 WHERE n = ?", rev+1, n); err != nil {
		return false, err
	}
	if _, err = p.w.Exec("INSERT INTO team_library_versions (entry, rev, kind, name, text, family, params, person, at_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
		n, rev+1, e.Kind, e.Name, e.Text, e.Family, engine.AsText(e.Params), p.person, e.UpdatedMS); err != nil {
		return false, err
	}
	return true, p.note(p.w, p.who, "library.put", e.Team, e.ID, rev+1)
}

// stands says whether a version is what e would make of it.
func (p put) stands(n, rev int64, e wire.TeamEntry) (bool, error) {
	var kind, name, text, family string
	var params []byte
	err := p.w.Scan("SELECT kind, name, text, family, params FROM team_library_versions WHERE entry = ? AND rev = ?", []any{n, rev}, &kind, &name, &text, &family, &params)
	return kind == e.Kind && name == e.Name && text == e.Text && family == e.Family && bytes.Equal(params, e.Params), err
}

// wantRoom refuses what is more than a library, or an entry, holds. n is the
// entry's number, 0 for a new one.
func (p put) wantRoom(e wire.TeamEntry, n int64) error {
	var entries, bytes int
	err := p.w.Scan(`SELECT count(*), coalesce(sum(octet_length(v.text) + coalesce(octet_length(v.params), 0)), 0) FROM team_library e CROSS JOIN team_library_versions v ON v.entry = e.n AND v.rev = e.rev
		WHERE e.team = ? AND e.deleted_ms = 0 AND e.n <> ?`, []any{p.team, n}, &entries, &bytes)
	switch {
	case err != nil:
		return err
	case entries >= wire.MaxEntries:
		return engine.BadField("library_full", "id", "The team's library has %d entries, which is the limit. Delete one first.", wire.MaxEntries)
	case bytes+len(e.Text)+len(e.Params) > wire.MaxLibrary:
		return engine.BadField("library_full", "text", "The team's library holds at most %d MiB of text. Delete something first.", wire.MaxLibrary>>20)
	case e.Rev >= wire.MaxVersions:
		return engine.BadField("too_many_versions", "rev", "This entry has %d versions, which is the limit. Save it as a new one.", wire.MaxVersions)
	}
	return nil
}

// Drop deletes an entry, and gives what it was. It can be brought back by Put.
func (l *Library) Drop(ctx context.Context, who Asker, t wire.TeamTarget) (gone wire.TeamEntry, err error) {
	id, _ := engine.ParseID(t.ID)
	err = l.db.Write(ctx, 0, func(w *engine.Tx) error {
		m, err := mateOf(w, who, t.Team)
		if err != nil {
			return err
		}
		all, err := m.entries(within(w), t.Team, selectEntry, m.team, id)
		switch {
		case err != nil:
			return err
		case len(all) == 0 || all[0].Deleted:
			return errNoEntry
		case !all[0].May:
			return &engine.Error{Problem: wire.Problem{Code: wire.CodeNotAllowed, Message: "Who made an entry deletes it, or who leads the team.", Hint: "Ask a lead of the team."}}
		}
		gone = all[0]
		gone.Deleted = true
		if _, err := w.Exec("UPDATE team_library SET deleted_ms = ? WHERE team = ? AND id = ?", l.now().UnixMilli(), m.team, id); err != nil {
			return err
		}
		if _, err := w.Exec(`DELETE FROM team_library WHERE n IN
			(SELECT n FROM team_library WHERE team = ? AND deleted_ms > 0 ORDER BY deleted_ms DESC, n DESC LIMIT ? OFFSET ?)`, m.team, math.MaxInt32, wire.MaxDropped); err != nil {
			return err
		}
		return l.note(w, who, "library.drop", t.Team, t.ID, gone.Rev)
	})
	if err != nil {
		return wire.TeamEntry{}, err
	}
	return gone, nil
}

func (l *Library) note(w *engine.Tx, who Asker, action, team, id string, rev int64) error {
	return l.audit.Append(w, audit.Entry{Person: who.Owner, Action: action, Object: id, Detail: map[string]any{"team": team, "rev": rev}, Address: who.Address})
}
