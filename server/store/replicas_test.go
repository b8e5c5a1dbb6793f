package store_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"screentest/server/seal"
	"screentest/server/store"
	"screentest/server/store/storetest"
)

// Replicas that are started at once on a new database all open it, with one local
// user, one note of the sealing key and one first line of the audit; a key of another's
// opens nothing.
func TestReplicasStartAtOnce(t *testing.T) {
	url := storetest.Database(t)
	var starting sync.WaitGroup
	dbs, owners, secrets := make([]*store.DB, 4), make([]string, 4), make([]string, 4)
	for i := range dbs {
		dir := t.TempDir()
		starting.Go(func() {
			db, err := store.Open(context.Background(), dir, store.Options{Database: url, SealKey: storetest.SealKey})
			if err != nil {
				t.Error(err)
				return
			}
			dbs[i] = db
			var secret []byte
			owner, e1 := db.EnsureLocalUser(context.Background())
			secret, e2 := db.KeepSecret(context.Background(), "cookie-signing-key", []byte{byte(i)})
			if err := errors.Join(e1, e2); err != nil {
				t.Error(err)
			}
			owners[i], secrets[i] = owner, string(secret)
		})
	}
	starting.Wait()
	for _, db := range dbs {
		if db != nil {
			defer db.Close()
		}
	}
	if t.Failed() {
		return
	}
	for i := range dbs {
		if owners[i] != owners[0] || secrets[i] != secrets[0] || len(secrets[i]) != 1 {
			t.Errorf("the owners %q, the secrets %q", owners, secrets)
		}
	}
	var users, notes, chained int
	storetest.Must(t, dbs[0].Engine().At(t.Context()).Scan("SELECT (SELECT count(*) FROM users), (SELECT count(*) FROM meta WHERE name LIKE 'seal%'), (SELECT count(*) FROM audit WHERE action = 'ledger.chained')", nil, &users, &notes, &chained))
	if users != 1 || notes != 1 || chained != 1 {
		t.Errorf("%d users, %d notes of the key, %d times chained", users, notes, chained)
	}
	if _, err := store.Open(t.Context(), t.TempDir(), store.Options{Database: url, SealKey: seal.FormatKey(seal.NewKey())}); !errors.Is(err, seal.ErrOpen) {
		t.Errorf("with another key: %v", err)
	}
}
