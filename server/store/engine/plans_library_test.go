package engine_test

import (
	"context"
	"testing"

	"screentest/server/store"
	"screentest/server/store/engine"
	"screentest/server/store/storetest"
	"screentest/server/store/teamlibrary"
	"screentest/shared/wire"
)

// everyLibraryCall makes those of a team's library.
func everyLibraryCall(t *testing.T, db *store.DB) (errs []error) {
	ctx := context.Background()
	add := func(err error) { errs = append(errs, err) }
	owner, id := storetest.Join(t, db, "librarian", "member")
	team := storetest.Team(t, db, "readers", wire.Limits{}, id)
	who, target := teamlibrary.Asker{Owner: owner}, wire.TeamTarget{Team: team, ID: storetest.NewID()}
	e := wire.TeamEntry{Team: team, LibraryEntry: wire.LibraryEntry{ID: target.ID, Kind: wire.LibraryPrompt, Name: "a", Text: "b"}}
	for rev := range int64(2) {
		e.Rev, e.Text = rev, e.Text+"b"
		_, _, err := db.TeamLibrary().Put(ctx, who, e)
		add(err)
	}
	add(storetest.Second(db.TeamLibrary().Entries(ctx, who, team)))
	add(storetest.Second(db.TeamLibrary().Versions(ctx, who, target)))
	add(storetest.Second(db.TeamLibrary().Drop(ctx, who, target)))

	// Search looks through what others show, once there is something.
	of := storetest.AddUser(t, db, "shows")
	start := storetest.NewStart("", "shown")
	add(storetest.StartTurn(db, of, start))
	add(db.Engine().Write(ctx, 0, func(w *engine.Tx) error {
		_, err := w.Exec("INSERT INTO shares (id, owner, conversation, audience, live, wire, created_ms) SELECT randomblob(16), owner, n, 'everyone', 1, 0, 1 FROM conversations WHERE owner = ?", engine.ParseOwner(of))
		return err
	}))
	add(storetest.Second(db.Search(ctx, owner, wire.Search{Query: "shown"})))
	return errs
}
