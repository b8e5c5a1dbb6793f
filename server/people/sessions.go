package people

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"time"

	"github.com/gorilla/securecookie"
	"github.com/gorilla/sessions"
)

const (
	// sessionDays is how long a key is kept after it was entered.
	sessionDays = 180
	// signingSecret is the secret that signs the cookies.
	signingSecret = "cookie-signing-key"
	keyValue      = "key"
	originValue   = "origin" // of the gateway that the key is for
)

// sessionStore is the gorilla/sessions Store over the sealed sessions: the
// cookie carries an id and its signature, nothing else. A session without a
// key has no row; its id only tells which sockets belong to one browser.
type sessionStore struct {
	db      Sessions
	owner   string
	name    string // of the cookie
	codec   *securecookie.SecureCookie
	signing []byte // the codec's key
	options sessions.Options
	now     func() time.Time
}

func newSessionStore(ctx context.Context, c Config) (*sessionStore, error) {
	signing, err := signingKey(ctx, c)
	if err != nil {
		return nil, err
	}
	days := sessionDays
	if c.Team {
		days = int(signedInFor / (24 * time.Hour))
	}
	s := &sessionStore{
		db: c.Sessions, owner: c.Owner, now: c.Now,
		signing: signing,
		codec:   securecookie.New(signing, nil).MaxAge(days * 24 * 3600),
		options: sessions.Options{
			Path:   "/",
			MaxAge: days * 24 * 3600,
			// No script needs it.
			HttpOnly: true,
			// It is read only by the socket and /api, which our own page asks:
			// it never has to come along from another site.
			SameSite: http.SameSiteStrictMode,
			Secure:   c.Secure,
		},
		name: "__Host-screentest",
	}
	if !c.Secure {
		// Cookies do not tell ports apart: two servers on one machine would
		// overwrite each other's.
		_, port, err := net.SplitHostPort(c.Addr)
		if err != nil {
			return nil, fmt.Errorf("address %q: %w", c.Addr, err)
		}
		s.name = "screentest-" + port
	}
	return s, nil
}

func signingKey(ctx context.Context, c Config) ([]byte, error) {
	const size = 32
	key, err := c.Sessions.Secret(ctx, signingSecret)
	if err == nil && len(key) == size {
		return key, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the key that signs cookies: %w", err)
	}
	key = make([]byte, size)
	rand.Read(key) // never fails
	if err != nil {
		key, err = c.Sessions.KeepSecret(ctx, signingSecret, key) // of several who start at once, all sign with one
	} else {
		err = c.Sessions.SetSecret(ctx, signingSecret, key)
	}
	if err != nil {
		return nil, fmt.Errorf("keep the key that signs cookies: %w", err)
	}
	return key, nil
}

// id is what the request's cookie carries, "" if it is missing, forged or too old.
func (s *sessionStore) id(r *http.Request) (id string) {
	cookie, err := r.Cookie(s.name)
	if err != nil || s.codec.Decode(s.name, cookie.Value, &id) != nil {
		return ""
	}
	return id
}

// setCookie sends the cookie of a session; of "" it has the browser forget its.
func (s *sessionStore) setCookie(w http.ResponseWriter, id string) error {
	options, value := s.options, ""
	if id == "" {
		options.MaxAge = -1
	} else {
		var err error
		if value, err = s.codec.Encode(s.name, id); err != nil {
			return fmt.Errorf("sign the cookie: %w", err)
		}
	}
	http.SetCookie(w, sessions.NewCookie(s.name, value, &options))
	return nil
}

// Get returns the request's session, the same one for the whole request.
func (s *sessionStore) Get(r *http.Request, name string) (*sessions.Session, error) {
	return sessions.GetRegistry(r).Get(s, name)
}

// New reads the session that the request's cookie names. A cookie that is
// missing, forged or too old gives a new session and no error.
func (s *sessionStore) New(r *http.Request, name string) (*sessions.Session, error) {
	session := sessions.NewSession(s, name)
	options := s.options
	session.Options = &options
	session.IsNew = true
	if session.ID = s.id(r); session.ID == "" {
		return session, nil
	}
	session.IsNew = false
	held, err := s.read(r.Context(), Person{Owner: s.owner, Session: SessionSum(session.ID)})
	if err != nil {
		return session, err
	}
	if held.Key != "" {
		session.Values[keyValue], session.Values[originValue] = held.Key, held.Origin
	}
	return session, nil
}

// Save sets the cookie of a session. What it holds is stored by move.
func (s *sessionStore) Save(_ *http.Request, w http.ResponseWriter, session *sessions.Session) error {
	if session.ID == "" {
		session.ID = newSessionID()
	}
	return s.setCookie(w, session.ID)
}

func newSessionID() string { return rand.Text() } // 130 bits

// SessionSum is by what a session is known where no accounts are: the SHA-256 of its id,
// which the cookie carries, in hexadecimal digits; "" of none.
func SessionSum(id string) string {
	if id == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:])
}

// values is what a stored session holds.
type values struct {
	Key    string `json:"key"`
	Origin string `json:"origin,omitempty"` // of the gateway that it is for
}

// move stores what a session holds under another id, in the place of one if there is
// one. One without a key holds nothing.
func (s *sessionStore) move(ctx context.Context, from string, v values) (id string, err error) {
	var data []byte
	if v.Key != "" {
		if data, err = json.Marshal(v); err != nil {
			return from, err
		}
	}
	id = newSessionID()
	expires := s.now().AddDate(0, 0, sessionDays)
	switch {
	case from != "":
		err = s.db.MoveSession(ctx, from, id, s.owner, data, expires)
	case data != nil:
		err = s.db.SaveSession(ctx, id, s.owner, data, expires)
	}
	if err != nil {
		return from, err
	}
	return id, nil
}

// key returns the key that a person's session holds for a gateway, "" if it holds
// none.
func (s *sessionStore) key(ctx context.Context, p Person, g Gateway) (string, error) {
	v, err := s.read(ctx, p)
	if v.Origin != g.Origin && (v.Origin != "" || !g.Fixed) {
		return "", err
	}
	return v.Key, err
}

func (s *sessionStore) read(ctx context.Context, p Person) (v values, err error) {
	if p.Session == "" {
		return v, nil
	}
	owner, data, err := s.db.LoadSessionBy(ctx, p.Session)
	if errors.Is(err, fs.ErrNotExist) || err == nil && owner != p.Owner {
		return v, nil
	}
	if err != nil {
		return v, fmt.Errorf("read session: %w", err)
	}
	if err := json.Unmarshal(data, &v); err != nil {
		return values{}, errors.New("read session: it is damaged") // the data holds the key
	}
	return v, nil
}
