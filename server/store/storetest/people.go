package storetest

import (
	"context"
	"testing"

	"screentest/server/store"
	"screentest/server/store/engine"
	"screentest/shared/wire"
)

// Join makes somebody who may sign in; id is what others see of them.
func Join(t testing.TB, db *store.DB, name, role string) (owner, id string) {
	t.Helper()
	owner = AddUser(t, db, name)
	var b []byte
	Must(t, db.Engine().Write(context.Background(), 0, func(w *engine.Tx) error {
		if _, err := w.Exec("UPDATE users SET id = coalesce(id, randomblob(16)), email = name || '@example.com', role = ? WHERE n = ?", role, engine.ParseOwner(owner)); err != nil {
			return err
		}
		return w.Scan("SELECT id FROM users WHERE n = ?", []any{engine.ParseOwner(owner)}, &b)
	}))
	return owner, engine.FormatID(b)
}

// Team makes a team of people, by their ids, that may spend so much.
func Team(t testing.TB, db *store.DB, name string, may wire.Limits, people ...string) (id string) {
	t.Helper()
	id, err := db.MakeTeam(context.Background(), wire.TeamChange{Name: &name, Limits: &may})
	Must(t, err)
	for _, p := range people {
		Must(t, db.PutInTeam(context.Background(), id, p, false))
	}
	return id
}
