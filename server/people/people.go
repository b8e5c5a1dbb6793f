// Package people knows who is asking: the person and the browser's session that
// a request comes with, and the gateway's key that the session holds. [With] puts
// it into a request's context and [Of] reads it there. Today there is one person,
// who everybody on this machine is; accounts and roles belong here.
package people

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// Person is who is asking.
type Person struct {
	Owner   string // of the rows that are read and written
	Session string // of the browser; "" before it has one
}

type contextKey struct{}

// With returns ctx with who is asking.
func With(ctx context.Context, p Person) context.Context {
	return context.WithValue(ctx, contextKey{}, p)
}

// Of returns who is asking: nobody, who owns nothing, if With was not called.
func Of(ctx context.Context) Person {
	p, _ := ctx.Value(contextKey{}).(Person)
	return p
}

// Sessions keeps the sealed sessions, and the secret that signs their cookies.
// One that is not there is an fs.ErrNotExist.
type Sessions interface {
	SaveSession(ctx context.Context, id, owner string, data []byte, expires time.Time) error
	LoadSession(ctx context.Context, id string) (owner string, data []byte, err error)
	DeleteSession(ctx context.Context, id string) error
	Secret(ctx context.Context, name string) (data []byte, err error)
	SetSecret(ctx context.Context, name string, data []byte) error
}

// Config is what a Directory works with. Sessions, Owner and Addr must be given.
type Config struct {
	Sessions Sessions
	// Owner is the one local user, whom everybody on loopback is.
	Owner string
	// Addr is the address that the server listens on, host:port.
	Addr string
	// Secure says that browsers reach the server by https.
	Secure bool
	// SandboxKey is the key of the sandbox, which everybody has then; "" with
	// any other gateway.
	SandboxKey string
	// KeyChanged is told that what is known of a key is another. It must not
	// wait. nil: nobody is told.
	KeyChanged func()
	Now        func() time.Time
}

// Directory knows people by their sessions. Make one with New.
type Directory struct {
	Config
	sessions *sessionStore
	refused  refusedKeys
}

// New returns a Directory. ctx bounds only the preparation.
func New(ctx context.Context, c Config) (*Directory, error) {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.KeyChanged == nil {
		c.KeyChanged = func() {}
	}
	d := &Directory{Config: c}
	var err error
	if d.sessions, err = newSessionStore(ctx, c); err != nil {
		return nil, fmt.Errorf("prepare sessions: %w", err)
	}
	return d, nil
}

// Asking returns who a request comes from. A cookie that is missing, forged or
// too old is a person without a session.
func (d *Directory) Asking(r *http.Request) (Person, error) {
	session, err := d.sessions.Get(r, d.sessions.name)
	return Person{Owner: d.Owner, Session: session.ID}, err
}

// Admit returns who a request comes from, and gives a session to who has none.
func (d *Directory) Admit(w http.ResponseWriter, r *http.Request) (Person, error) {
	session, err := d.sessions.Get(r, d.sessions.name)
	if err == nil && session.IsNew {
		err = session.Save(r, w)
	}
	return Person{Owner: d.Owner, Session: session.ID}, err
}
