package chat

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"screentest/server/store/engine"
	"screentest/server/store/people"
	"screentest/server/store/text"
	"screentest/shared/wire"
)

// Library returns the owner's saved prompts and settings, by name.
func (c *Chat) Library(ctx context.Context, owner string) (wire.Library, error) {
	lib := wire.Library{Entries: []wire.LibraryEntry{}}
	err := c.db.At(ctx).Each("SELECT id, kind, name, text, family, params, updated_ms FROM library WHERE owner = ?", []any{engine.ParseOwner(owner)}, func(rows *sql.Rows) error {
		var e wire.LibraryEntry
		var id, params []byte
		if err := rows.Scan(&id, &e.Kind, &e.Name, &e.Text, &e.Family, &params, &e.UpdatedMS); err != nil {
			return err
		}
		e.ID, e.Params = engine.FormatID(id), params
		lib.Entries = append(lib.Entries, e)
		return nil
	})
	slices.SortFunc(lib.Entries, func(a, b wire.LibraryEntry) int {
		return cmp.Or(cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), cmp.Compare(a.ID, b.ID))
	})
	return lib, err
}

// PutLibrary keeps an entry, in place of the one with its id.
func (c *Chat) PutLibrary(ctx context.Context, owner string, e wire.LibraryEntry) (wire.LibraryEntry, error) {
	e.UpdatedMS = c.now().UnixMilli()
	e, err := CheckEntry(e)
	if err != nil {
		return wire.LibraryEntry{}, err
	}
	err = c.db.Write(ctx, len(e.Text)+len(e.Params), func(w *engine.Tx) error {
		who := engine.ParseOwner(owner)
		if err := people.WantUser(w, who); err != nil {
			return err
		}
		return putEntry(w, who, e)
	})
	if err != nil {
		return wire.LibraryEntry{}, err
	}
	return e, nil
}

// CheckEntry looks at an entry and gives it with a clean name.
func CheckEntry(e wire.LibraryEntry) (wire.LibraryEntry, error) {
	e.Name = text.OneLine(e.Name)
	e.Deleted = false
	_, err := engine.WantID("id", e.ID)
	switch {
	case err != nil:
		return e, err
	case !utf8.ValidString(e.Name) || e.Name == "" || utf8.RuneCountInString(e.Name) > wire.MaxName:
		return e, engine.BadField("bad_name", "name", "A name has 1 to %d characters.", wire.MaxName)
	case e.Kind != wire.LibraryPrompt && e.Kind != wire.LibrarySettings:
		return e, engine.BadField("bad_kind", "kind", "An entry is a %q or %q.", wire.LibraryPrompt, wire.LibrarySettings)
	case e.Kind == wire.LibraryPrompt && (e.Text == "" || len(e.Text) > wire.MaxPrompt || !utf8.ValidString(e.Text)):
		return e, engine.BadField("bad_prompt", "text", "A prompt has 1 to %d bytes.", wire.MaxPrompt)
	case e.Kind == wire.LibraryPrompt && (e.Family != "" || len(e.Params) > 0):
		return e, engine.BadField("bad_prompt", "params", "A prompt is text alone.")
	case e.Kind == wire.LibrarySettings && (e.Text != "" || len(e.Params) == 0):
		return e, engine.BadField("bad_params", "params", "Settings are parameters, and no text.")
	case len(e.Family) > MaxModel || !utf8.ValidString(e.Family):
		return e, engine.BadField("bad_family", "family", "The name of a family has at most %d bytes.", MaxModel)
	}
	if err := checkParams("params", e.Params); err != nil || len(e.Params) == 0 {
		return e, err
	}
	// As every later encoding writes it, so that it can be compared.
	e.Params, err = json.Marshal(e.Params)
	return e, err
}

func putEntry(w *engine.Tx, owner int64, e wire.LibraryEntry) error {
	id, _ := engine.ParseID(e.ID)
	var entries, bytes int
	err := w.Scan("SELECT count(*), coalesce(sum(octet_length(text) + coalesce(octet_length(params), 0)), 0) FROM library WHERE owner = ? AND id <> ?", []any{owner, id}, &entries, &bytes)
	switch {
	case err != nil:
		return err
	case entries >= wire.MaxEntries:
		return engine.BadField("library_full", "id", "The library has %d entries, which is the limit. Delete one first.", wire.MaxEntries)
	case bytes+len(e.Text)+len(e.Params) > wire.MaxLibrary:
		return engine.BadField("library_full", "text", "The library holds at most %d MiB of text. Delete something first.", wire.MaxLibrary>>20)
	}
	_, err = w.Exec(`INSERT INTO library (owner, id, kind, name, text, family, params, updated_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (owner, id) DO UPDATE SET kind = excluded.kind, name = excluded.name, text = excluded.text, family = excluded.family, params = excluded.params, updated_ms = excluded.updated_ms`,
		owner, id, e.Kind, e.Name, e.Text, e.Family, engine.AsText(e.Params), e.UpdatedMS)
	return err
}

// DeleteLibrary deletes an entry.
func (c *Chat) DeleteLibrary(ctx context.Context, owner, id string) error {
	b, _ := engine.ParseID(id)
	err := c.db.Write(ctx, 0, func(w *engine.Tx) error {
		res, err := w.Exec("DELETE FROM library WHERE owner = ? AND id = ?", engine.ParseOwner(owner), b)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return errors.Join(err, engine.NotFound("library entry"))
		}
		return nil
	})
	return err
}
