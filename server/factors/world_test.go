package factors_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"screentest/server/account"
	"screentest/server/factors"
	"screentest/server/store"
	"screentest/server/store/engine"
	"screentest/server/store/people"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// world is factors over a real store, with a clock of its own.
type world struct {
	*factors.Factors
	t       *testing.T
	db      *store.DB
	dir     string
	now     time.Time
	ann     account.Account
	cookies []*http.Cookie
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, dir: storetest.Folder(t), now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	now := func() time.Time { return w.now }
	w.db = storetest.Open(t, w.dir, store.Options{Now: now})
	_, err := w.db.EnsureLocalUser(t.Context())
	storetest.Must(t, err)
	hash := account.Hash("set-up")
	storetest.Must(t, w.db.MakeLink(t.Context(), people.LinkSetUp, "", "start", hash, time.Hour))
	owner, err := w.db.SetUp(t.Context(), hash, "Ann", "ann@example.com", "sum")
	storetest.Must(t, err)
	w.ann = account.Account{Owner: owner, Active: true, Me: wire.Me{Name: "Ann", Email: "ann@example.com"}}
	w.Factors = w.instance("http://localhost:8080")
	return w
}

func (w *world) instance(origin string) *factors.Factors {
	return factors.New(factors.Config{Store: w.db, Name: func() string { return "Screentest" }, Origin: origin, CookieName: "passkey", Now: func() time.Time { return w.now }})
}

// asked is a request of the page as it was asked by a name.
func asked(host string) *http.Request {
	r := httptest.NewRequest("POST", "/", nil)
	r.Host = host
	return r
}

// other is a second account.
func (w *world) other() account.Account {
	owner := storetest.AddUser(w.t, w.db, "bob")
	storetest.Must(w.t, w.db.Engine().Write(w.t.Context(), 0, func(t *engine.Tx) error {
		_, err := t.Exec("UPDATE users SET email = 'bob@example.com', password = 'sum' WHERE n = ?", engine.ParseOwner(owner))
		return err
	}))
	return account.Account{Owner: owner, Active: true, Me: wire.Me{Name: "Bob", Email: "bob@example.com"}}
}

func (w *world) authenticator() *authenticator {
	return &authenticator{t: w.t, origin: "http://localhost:8080", rp: "localhost"}
}

// add gives an account the passkey of an authenticator.
func (w *world) add(a account.Account, key *authenticator, name string) (wire.PasskeyAdded, error) {
	w.t.Helper()
	raw, err := w.BeginPasskey(asked("localhost:8080"), a, "s")
	storetest.Must(w.t, err)
	return w.FinishPasskey(asked("localhost:8080"), a, "s", name, key.create(raw))
}

func (w *world) begin() json.RawMessage {
	w.t.Helper()
	rec := httptest.NewRecorder()
	raw, err := w.BeginSignIn(rec, asked("localhost:8080"))
	storetest.Must(w.t, err)
	w.cookies = rec.Result().Cookies()
	return raw
}

func (w *world) finish(credential []byte) (owner string, cloned bool, err error) {
	r := asked("localhost:8080")
	for _, c := range w.cookies {
		r.AddCookie(c)
	}
	owner, _, cloned, err = w.FinishSignIn(httptest.NewRecorder(), r, credential)
	return owner, cloned, err
}

func (w *world) check(code string) bool {
	w.t.Helper()
	right, err := w.Check(context.Background(), w.ann.Owner, code)
	storetest.Must(w.t, err)
	return right
}

func (w *world) needed() bool {
	w.t.Helper()
	needed, err := w.Needed(context.Background(), w.ann.Owner)
	storetest.Must(w.t, err)
	return needed
}

func codeOf(err error) string {
	var p *wire.Problem
	if errors.As(err, &p) {
		return p.Code
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

// isInNoFile looks for secrets in every file of the data folder.
func (w *world) isInNoFile(secrets ...string) {
	w.t.Helper()
	for _, secret := range secrets {
		if found := storetest.FilesWith(w.t, w.dir, secret); len(found) > 0 {
			w.t.Errorf("%q is in %q", secret, found)
		}
	}
}
