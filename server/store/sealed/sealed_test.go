package sealed_test

import (
	"testing"

	"screentest/server/seal"
	"screentest/server/store"
	"screentest/server/store/engine"
	"screentest/server/store/sealed"
	"screentest/server/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// What was written after a value was read stays.
func TestAValueThatIsAnotherByNowIsNotWrittenOver(t *testing.T) {
	ctx := t.Context()
	db := storetest.Open(t, t.TempDir(), store.Options{})
	older, newer := seal.NewKey(), seal.NewKey()
	box, err := seal.New(append(newer, older...))
	storetest.Must(t, err)
	before, err := seal.New(older)
	storetest.Must(t, err)
	was, now := before.Seal("p", "x", []byte("as it was")), before.Seal("p", "x", []byte("as it is"))
	storetest.Must(t, db.Engine().Write(ctx, 0, func(w *engine.Tx) error {
		for name, value := range map[string][]byte{"read": was, "kept": now} {
			if _, err := w.Exec("INSERT INTO meta (name, value) VALUES (?, ?)", name, value); err != nil {
				return err
			}
		}
		return nil
	}))
	column := sealed.Column{
		Name: "meta", First: []any{""},
		Rows:     "SELECT 'kept' AS name, value FROM meta WHERE name = 'read' AND 'kept' > ? LIMIT ?",
		SetWhere: "UPDATE meta SET value = ? WHERE name = ? AND value = ?",
		As:       func(_, _ []any) (purpose, id string) { return "p", "x" },
	}
	r, err := sealed.Anew(ctx, db.Engine(), box, []sealed.Column{column})
	if err != nil || r.Values != 1 || r.Anew != 0 {
		t.Errorf("%+v, %v", r, err)
	}
	column.Rows = "SELECT name, value FROM meta WHERE name = 'kept' AND name > ? LIMIT ?"
	if r, err = sealed.Anew(ctx, db.Engine(), box, []sealed.Column{column}); err != nil || r.Anew != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	var value []byte
	storetest.Must(t, db.Engine().At(ctx).Scan("SELECT value FROM meta WHERE name = 'kept'", nil, &value))
	if plain, err := box.Open("p", "x", value); err != nil || string(plain) != "as it is" || !box.Newest(value) {
		t.Errorf("it is %q, %v", plain, err)
	}
}
