package engine_test

import (
	"context"
	"testing"

	"screentest/server/account"
	"screentest/server/store"
	"screentest/server/store/engine"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// everyLeavingCall makes those of the audit, and of people who leave: one to an
// heir, and one to nobody.
func everyLeavingCall(t *testing.T, db *store.DB) (errs []error) {
	ctx := context.Background()
	add := func(err error) { errs = append(errs, err) }
	add(db.BindKeys(ctx, "https://gateway.example.com"))
	add(db.Audit().Each(ctx, wire.AuditQuery{Limit: 5}, func(wire.AuditRow) error { return nil }))
	heir := storetest.AddUser(t, db, "heir")
	add(db.Engine().Write(ctx, 0, func(w *engine.Tx) error {
		_, err := w.Exec("UPDATE users SET email = name || '@example.com', id = randomblob(16) WHERE n = ?", engine.ParseOwner(heir))
		return err
	}))
	for _, to := range []string{heir, ""} {
		leaver := storetest.AddUser(t, db, "leaver of "+to)
		s := storetest.NewStart("", "x")
		add(storetest.StartTurn(db, leaver, s))
		add(db.FinishRun(ctx, leaver, storetest.Ended(storetest.RunOf(s), 1), "text", nil, nil, nil))
		add(storetest.Second(db.PutLibrary(ctx, leaver, wire.LibraryEntry{ID: storetest.NewID(), Kind: wire.LibraryPrompt, Name: "a", Text: "b"})))
		clip := storetest.Taken(t, db.Videos(), leaver, storetest.NewVideo("x"))
		clip.State, clip.FinishedMS = wire.VideoFailed, 1
		_, _, err := db.Videos().End(ctx, leaver, clip, nil, 1)
		add(err)
		_, _, err = db.Videos().AddUpload(ctx, leaver, wire.Upload{ID: "up" + to, Measured: wire.Measured{Bytes: 5}}, 1, 100, 0)
		add(err)
		v := account.Leaving{Person: leaver, Heir: to, Erase: true}
		add(storetest.Second(db.Leavings().Count(ctx, leaver)))
		e, err := db.Leavings().Begin(ctx, v, "")
		add(err)
		add(storetest.Second(db.Leavings().Unfinished(ctx)))
		for more := true; more && err == nil; {
			_, _, more, err = db.Leavings().Step(ctx, v)
			add(err)
		}
		add(storetest.Second(db.Leavings().Finish(ctx, v, e)))
	}
	return errs
}
