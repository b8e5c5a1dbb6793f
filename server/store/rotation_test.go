package store_test

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"screentest/server/payer"
	"screentest/server/seal"
	"screentest/server/store"
	"screentest/server/store/audit"
	"screentest/server/store/engine"
	"screentest/server/store/folder"
	"screentest/server/store/storetest"
	"screentest/server/store/verify"
	"screentest/shared/wire"
)

const origin = "https://gateway.example.com"

// safe is an instance with something in each column that is sealed.
type safe struct {
	t            *testing.T
	dir          string
	owner, team  string
	older, newer string // sealing keys
	rows         int64
}

func newSafe(t *testing.T) *safe {
	t.Helper()
	s := &safe{t: t, dir: t.TempDir(), older: seal.FormatKey(seal.NewKey()), newer: seal.FormatKey(seal.NewKey())}
	db := s.open(s.older)
	defer s.close(db)
	ctx := t.Context()
	owner, id := storetest.Join(t, db, "ann", wire.RoleAdmin)
	s.owner, s.team = owner, storetest.Team(t, db, "blue", wire.Limits{}, id)
	for n := range 250 { // more than one step
		storetest.Must(t, db.SaveSession(ctx, fmt.Sprint("session ", n), s.owner, fmt.Append(nil, "of session ", n), time.Now().Add(time.Hour)))
	}
	_, _, _, err := db.Videos().Create(ctx, s.owner, 0, "key of a clip", storetest.NewVideo("a fox"), nil)
	storetest.Must(t, err,
		db.SetSecret(ctx, "signing", []byte("a secret")),
		db.SetSecret(ctx, "before", []byte("of before")),
		db.SetTeamKey(ctx, s.owner, s.team, "key of a team", "team", origin),
		db.SetPersonalKey(ctx, s.owner, "key of a person", "rson", origin),
		db.SetSealedSetting(ctx, s.owner, "hook", "https://hook.example.com"),
		db.SetSetting(ctx, s.owner, "plain", `{"a":1}`),
		db.SetSetting(ctx, s.owner, "as if it were sealed", "AgAA"),
		db.KeepBegun(ctx, "enrol", "session 1", s.owner, []byte("of a beginning"), time.Now(), time.Now().Add(time.Hour)),
		storetest.Second(db.SetTOTP(ctx, s.owner, []byte("of an authenticator"), 1, nil)))
	s.makeNameless(db)
	s.goOn(db)
	return s
}

// makeNameless has a secret be sealed as before values named their key.
func (s *safe) makeNameless(db *store.DB) {
	s.t.Helper()
	key, err := seal.ParseKey(s.older)
	storetest.Must(s.t, err)
	block, err := aes.NewCipher(key)
	storetest.Must(s.t, err)
	aead, err := cipher.NewGCMWithRandomNonce(block)
	storetest.Must(s.t, err)
	sum := sha256.Sum256([]byte("before"))
	sealed := aead.Seal([]byte{1}, nil, []byte("of before"), fmt.Appendf(nil, "screentest %d %s %s", len("session"), "session", hex.EncodeToString(sum[:])))
	storetest.Must(s.t, db.Engine().Write(s.t.Context(), 0, func(w *engine.Tx) error {
		_, err := w.Exec("UPDATE secrets SET sealed = ? WHERE name = 'before'", sealed)
		return err
	}))
}

func (s *safe) open(keys ...string) *store.DB {
	s.t.Helper()
	db, err := storetest.TryOpen(s.t, s.dir, store.Options{SealKey: strings.Join(keys, ",")})
	storetest.Must(s.t, err)
	return db
}

func (s *safe) close(db *store.DB) {
	s.t.Helper()
	storetest.Must(s.t, db.Close())
}

// goOn writes what is chained.
func (s *safe) goOn(db *store.DB) {
	s.t.Helper()
	s.rows++
	booked, err := storetest.Book(db, s.owner, storetest.SomeEntry("charge", storetest.MustID(s.t), s.rows))
	if !booked || err != nil {
		s.t.Fatal(booked, err)
	}
	db.Audit().Note(audit.Entry{Person: s.owner, Action: "limits.changed", Object: fmt.Sprint(s.rows)})
}

// refused opens with a key that is not good any more.
func (s *safe) refused(keys ...string) {
	s.t.Helper()
	db, err := storetest.TryOpen(s.t, s.dir, store.Options{SealKey: strings.Join(keys, ",")})
	if err == nil {
		s.close(db)
		s.t.Fatal("it opens")
	}
	if !errors.Is(err, seal.ErrOpen) || !strings.Contains(err.Error(), idOf(s.t, s.newer)) || !strings.Contains(err.Error(), idOf(s.t, keys[0])) || strings.Contains(err.Error(), keys[0]) {
		s.t.Errorf("the sentence is %q", err)
	}
}

func idOf(t *testing.T, key string) string {
	t.Helper()
	b, err := seal.Parse(key)
	storetest.Must(t, err)
	return b.IDs()[0]
}

// reads says that all that is sealed opens.
func (s *safe) reads(db *store.DB) {
	s.t.Helper()
	ctx := s.t.Context()
	for n := range 250 {
		if _, data, err := db.LoadSession(ctx, fmt.Sprint("session ", n)); err != nil || string(data) != fmt.Sprint("of session ", n) {
			s.t.Fatalf("session %d is %q, %v", n, data, err)
		}
	}
	for name, want := range map[string]string{"signing": "a secret", "before": "of before"} {
		if got, err := db.Secret(ctx, name); err != nil || string(got) != want {
			s.t.Errorf("the secret %s is %q, %v", name, got, err)
		}
	}
	_, keys, err := db.Charges(ctx, s.owner, origin)
	if want := map[string]string{s.team: "key of a team", wire.ChargePersonal: "key of a person"}; err != nil || !maps.Equal(keys, want) {
		s.t.Errorf("the keys are %q, %v", keys, err)
	}
	if got, err := db.TOTP(ctx, s.owner); err != nil || string(got) != "of an authenticator" {
		s.t.Errorf("the authenticator's secret is %q, %v", got, err)
	}
	if got, err := db.SealedSetting(ctx, s.owner, "hook"); err != nil || got != "https://hook.example.com" {
		s.t.Errorf("the setting is %q, %v", got, err)
	}
	for name, want := range map[string]string{"plain": `{"a":1}`, "as if it were sealed": "AgAA"} {
		if got, err := db.Setting(ctx, s.owner, name); err != nil || got != want {
			s.t.Errorf("the setting %s is %q, %v", name, got, err)
		}
	}
	clips := 0
	storetest.Must(s.t, db.Videos().EachKey(ctx, func(of payer.Payer, _ int64, _, _ bool) {
		clips++
		if of.Secret != "key of a clip" {
			s.t.Errorf("the key of a clip is %q", of.Secret)
		}
	}), db.ProbeSealKey(ctx))
	if clips != 1 {
		s.t.Errorf("%d keys of clips", clips)
	}
	s.goOn(db)
}

// anew seals anew, and says how many values there were, and how many that was.
func (s *safe) anew(db *store.DB) (values, anew int) {
	s.t.Helper()
	r, err := db.SealAnew(s.t.Context())
	storetest.Must(s.t, err)
	if len(r.Lost) > 0 {
		s.t.Errorf("lost: %v", r.Lost)
	}
	return r.Values, r.Anew
}

// notSealedWith counts the values that name another key, or none.
func (s *safe) notSealedWith(db *store.DB, key string) (others int) {
	s.t.Helper()
	for _, query := range []string{
		"SELECT sealed FROM sessions", "SELECT sealed FROM secrets", "SELECT sealed FROM gateway_keys", "SELECT sealed FROM video_keys", "SELECT sealed FROM begun",
		"SELECT totp FROM users WHERE totp IS NOT NULL", "SELECT value FROM meta WHERE name IN ('seal_check', 'chain:ledger', 'chain:audit')",
	} {
		rows := 0
		storetest.Must(s.t, db.Engine().At(s.t.Context()).Each(query, nil, func(each *sql.Rows) error {
			var v []byte
			if err := each.Scan(&v); err != nil {
				return err
			}
			if rows++; seal.IDOf(v) != idOf(s.t, key) {
				others++
			}
			return nil
		}))
		if rows == 0 {
			s.t.Errorf("%s: none", query)
		}
	}
	return others
}

func TestTheSealingKeyIsReplacedStepByStep(t *testing.T) {
	t.Parallel()
	s := newSafe(t)
	// 250 sessions, 2 secrets, 2 keys, an authenticator, a setting, a clip's key, what
	// somebody has begun, 2 heads; one of the secrets doesn't name its key.
	const all = 260

	db := s.open(s.older) // alone it only looks
	s.reads(db)
	if values, anew := s.anew(db); values != all || anew != 0 || s.notSealedWith(db, s.older) != 1 {
		t.Errorf("with one key: %d values, %d anew", values, anew)
	}
	s.close(db)

	db = s.open(s.older, s.newer) // first, so that all replicas open what the next step seals
	s.reads(db)
	if values, anew := s.anew(db); values != all || anew != 1 || s.notSealedWith(db, s.older) != 0 {
		t.Errorf("with the new one behind: %d values, %d anew", values, anew)
	}
	s.close(db)

	db = s.open(s.newer, s.older)
	s.reads(db)
	s.close(db)
	s.refused(s.older)
	db = s.open(s.older, s.newer) // a replica that is not as far; what it seals is read by all
	s.reads(db)
	s.close(db)
	db = s.open(s.newer, s.older)
	if values, anew := s.anew(db); values != all || anew < all-4 || s.notSealedWith(db, s.newer) != 0 {
		t.Errorf("%d values, %d anew, %d are not", values, anew, s.notSealedWith(db, s.newer))
	}
	s.reads(db)
	if _, anew := s.anew(db); anew != 0 {
		t.Errorf("again %d anew", anew)
	}
	s.close(db)

	db = s.open(s.newer)
	s.reads(db)
	if got, err := db.TakeBegun(t.Context(), "enrol", "session 1", s.owner, time.Now()); err != nil || string(got) != "of a beginning" {
		t.Errorf("what was begun is %q, %v", got, err)
	}
	s.close(db)
	s.refused(s.older)
	s.refused(seal.FormatKey(seal.NewKey()), s.older)
	look := verify.Verify
	where := s.dir
	if storetest.OnPostgres() {
		look, where = verify.VerifyPostgres, storetest.URLOf(t, s.dir)
	}
	for _, keys := range []string{s.newer, s.older + "," + s.newer} {
		r, err := look(t.Context(), where, keys)
		if err != nil || len(r.Wrong) > 0 || r.Ledger.Rows != s.rows {
			t.Errorf("the books: %d of %d rows, %+v, %v", r.Ledger.Rows, s.rows, r.Wrong, err)
		}
	}
}

func TestWhatNoKeyOpensIsCounted(t *testing.T) {
	t.Parallel()
	s := newSafe(t)
	db := s.open(s.newer, s.older)
	defer s.close(db)
	s.anew(db)
	third, err := seal.Parse(seal.FormatKey(seal.NewKey()))
	storetest.Must(t, err)
	storetest.Must(t, db.Engine().Write(t.Context(), 0, func(w *engine.Tx) error {
		_, err := w.Exec("UPDATE secrets SET sealed = ? WHERE name = 'signing'", third.Seal("session", "x", []byte("y")))
		return err
	}))
	r, err := db.SealAnew(t.Context())
	storetest.Must(t, err)
	if want := map[string]int{third.IDs()[0]: 1}; r.Anew != 0 || !maps.Equal(r.Lost, want) {
		t.Errorf("%+v, want lost %v", r, want)
	}
}

// A process that runs on with the old key alone breaks no chain: it writes no more rows.
func TestWhoHasOnlyTheOldKeyBreaksNoChain(t *testing.T) {
	t.Parallel()
	if !storetest.OnPostgres() {
		t.Skip("a folder is one process's: this is about several on PostgreSQL")
	}
	s := newSafe(t)
	late, err := storetest.TryOpen(t, s.dir, store.Options{SealKey: s.older})
	storetest.Must(t, err)
	defer s.close(late)
	other := t.TempDir()
	storetest.SameDatabase(t, s.dir, other)
	db := storetest.Open(t, other, store.Options{SealKey: s.newer + "," + s.older})
	s.anew(db)
	before := s.rows
	booked, err := storetest.Book(late, s.owner, storetest.SomeEntry("charge", storetest.MustID(t), 1))
	if booked || !errors.Is(err, seal.ErrOpen) || !strings.Contains(err.Error(), idOf(t, s.newer)) {
		t.Errorf("booked: %v, %v", booked, err)
	}
	if late.ProbeSealKey(t.Context()) == nil {
		t.Error("it says that its key is good")
	}
	s.reads(db)
	var rows int64
	storetest.Must(t, db.Engine().At(t.Context()).Scan("SELECT count(*) FROM ledger", nil, &rows))
	if rows != before+1 {
		t.Errorf("%d rows, want %d", rows, before+1)
	}
}

func TestAFolderMayHaveSeveralKeysInItsFile(t *testing.T) {
	t.Parallel()
	storetest.OnlySQLite(t)
	dir := storetest.Folder(t)
	db, err := store.Open(t.Context(), dir, store.Options{})
	storetest.Must(t, err)
	first := db.SealKeys()
	storetest.Must(t, db.SetSecret(t.Context(), "x", []byte("y")), db.Close())
	file := filepath.Join(dir, folder.SealKeyFile)
	text, err := os.ReadFile(file)
	storetest.Must(t, err, os.WriteFile(file, fmt.Appendf(nil, "%s\n%s", seal.FormatKey(seal.NewKey()), text), 0o600))
	db = storetest.Open(t, dir, store.Options{})
	if ids := db.SealKeys(); len(ids) != 2 || ids[1] != first[0] {
		t.Errorf("the keys are %q, before %q", ids, first)
	}
	if r, err := db.SealAnew(t.Context()); err != nil || r.Anew == 0 || len(r.Lost) > 0 {
		t.Errorf("%+v, %v", r, err)
	}
	if got, err := db.Secret(t.Context(), "x"); err != nil || string(got) != "y" {
		t.Errorf("%q, %v", got, err)
	}
}
