package people_test

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"time"

	"screentest/server/seal"
	"screentest/server/store"
	"screentest/server/store/engine"
	"screentest/server/store/people"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

func TestSessions(t *testing.T) {
	ctx := context.Background()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	db := storetest.Open(t, t.TempDir(), store.Options{Now: func() time.Time { return now }})
	owner, err := db.EnsureLocalUser(ctx)
	storetest.Must(t, err)
	save := func(id, data string, hours int) {
		storetest.Must(t, db.SaveSession(ctx, id, owner, []byte(data), now.Add(time.Duration(hours)*time.Hour)))
	}
	save("a", "one", 1)
	save("b", "other", 3)
	save("a", "two", 2)
	if who, data, err := db.LoadSession(ctx, "a"); err != nil || who != owner || string(data) != "two" {
		t.Fatalf("a = %q %q, %v", who, data, err)
	}
	if _, _, err := db.LoadSession(ctx, "c"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("none: %v", err)
	}
	now = now.Add(2 * time.Hour)
	if _, _, err := db.LoadSession(ctx, "a"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("expired: %v", err)
	}
	if n, err := db.SweepSessions(ctx); err != nil || n != 1 {
		t.Errorf("swept %d, %v; want 1", n, err)
	}
	move := func(from, to string, data []byte) {
		storetest.Must(t, db.MoveSession(ctx, from, to, owner, data, now.Add(time.Hour)))
	}
	move("b", "d", []byte("three"))
	move("b", "e", nil) // it is there no more
	if _, data, err := db.LoadSession(ctx, "d"); err != nil || string(data) != "three" {
		t.Errorf("moved: %q, %v", data, err)
	}
	move("d", "f", nil)
	for _, id := range []string{"b", "d", "e", "f"} {
		if _, _, err := db.LoadSession(ctx, id); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", id, err)
		}
	}
}

// A sealed session moved to another id does not open there.
func TestSessionIsBoundToItsID(t *testing.T) {
	ctx := context.Background()
	db, owner := storetest.OpenLocal(t)
	later := time.Now().Add(time.Hour)
	storetest.Must(t, db.SaveSession(ctx, "a", owner, []byte("key of a"), later), db.SaveSession(ctx, "b", owner, []byte("key of b"), later))
	storetest.Must(t, db.Engine().Write(ctx, 0, func(w *engine.Tx) error {
		a, _ := people.HashSession("a")
		b, _ := people.HashSession("b")
		_, err := w.Exec("UPDATE sessions SET sealed = (SELECT sealed FROM sessions WHERE id_hash = ?) WHERE id_hash = ?", a, b)
		return err
	}))
	if _, data, err := db.LoadSession(ctx, "b"); !errors.Is(err, seal.ErrOpen) || data != nil {
		t.Errorf("b = %q, %v; want it not to open", data, err)
	}
	if _, data, err := db.LoadSession(ctx, "a"); err != nil || string(data) != "key of a" {
		t.Errorf("a = %q, %v", data, err)
	}
}

// The gateway's key, and the id that would open its session, are in no file of
// the data folder, neither while the server runs, nor after it ended, nor
// after it was killed.
func TestKeyIsInNoFile(t *testing.T) {
	ctx := context.Background()
	const key, id = "sk-canary-7f3a9c51e8d24b60", "session-canary-5a1bb0c2d97e4f83"
	dir := t.TempDir()
	for name, end := range map[string]func(*store.DB) error{
		"while it runs": func(*store.DB) error { return nil },
		"after its end": (*store.DB).Close,
	} {
		t.Run(name, func(t *testing.T) {
			db, err := storetest.TryOpen(t, dir, store.Options{})
			storetest.Must(t, err)
			defer db.Close()
			owner, err := db.EnsureLocalUser(ctx)
			storetest.Must(t, err)
			for range 20 { // over itself, as a key is replaced
				storetest.Must(t, db.SaveSession(ctx, id, owner, []byte(`{"key":"`+key+`"}`), time.Now().Add(time.Hour)))
			}
			storetest.Must(t, end(db))
			for _, secret := range []string{key, id} {
				if found := storetest.FilesWith(t, dir, secret); found != nil {
					t.Errorf("%q is in %v", secret, found)
				}
			}
		})
	}
	// That the search finds what is there: a title is not sealed.
	db := storetest.Open(t, dir, store.Options{})
	owner, err := db.EnsureLocalUser(ctx)
	storetest.Must(t, err)
	storetest.StartAt(t, db, owner, "title-canary", 1)
	if found := storetest.FilesWith(t, dir, "title-canary"); found == nil {
		t.Error("the search did not find a title")
	}
}

// What was deleted is gone from the files, and not only from the tables.
func TestDeletedTextIsGoneFromTheFiles(t *testing.T) {
	ctx := context.Background()
	const canary = "deleted-canary-41d8"
	dir := t.TempDir()
	db := storetest.Open(t, dir, store.Options{})
	owner, err := db.EnsureLocalUser(ctx)
	storetest.Must(t, err)
	s := storetest.NewStart("", canary+" asked")
	storetest.Must(t, storetest.StartTurn(db, owner, s))
	storetest.Must(t, storetest.AppendLog(db, owner, s.Run, 0, []byte(canary+" logged"), nil))
	storetest.Must(t, db.FinishRun(ctx, owner, storetest.Ended(storetest.RunOf(s), 1), canary+" answered"+strings.Repeat(".", 10_000), []byte(canary+" logged"), nil, nil))
	if storetest.FilesWith(t, dir, canary) == nil {
		t.Fatal("the canary is nowhere to begin with")
	}
	storetest.Must(t, db.DeleteConversation(ctx, owner, s.Conversation))
	for storetest.FilesWith(t, dir, canary) != nil { // until the test's own time is up
		storetest.Must(t, db.SetSetting(ctx, owner, "turn", "of the writer"))
	}
	if page, err := db.Conversations(ctx, owner, wire.Page{}); err != nil || len(page.Conversations) != 0 {
		t.Errorf("%+v, %v", page, err)
	}
}
