package oidc

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/oauth2-proxy/mockoidc"

	"screentest/server/account"
	"screentest/shared/wire"
)

// visit is a browser, a provider in this process, and our side of it.
type visit struct {
	t        *testing.T
	provider *mockoidc.MockOIDC
	us       *Provider
	log      bytes.Buffer
	cookies  []*http.Cookie
	now      time.Time
}

func newVisit(t *testing.T, middleware ...func(http.Handler) http.Handler) *visit {
	t.Helper()
	v := &visit{t: t, now: time.Now()}
	server := httptest.NewUnstartedServer(nil)
	var err error
	if v.provider, err = mockoidc.NewServer(nil); err != nil {
		t.Fatal(err)
	}
	for _, m := range middleware {
		if err := v.provider.AddMiddleware(m); err != nil {
			t.Fatal(err)
		}
	}
	if err := v.provider.Start(server.Listener, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { v.provider.Shutdown() })
	v.us = New(Config{
		Issuer: v.provider.Issuer(), ClientID: v.provider.ClientID, ClientSecret: v.provider.ClientSecret,
		GroupsClaim: "groups", AllowDomains: []string{"example.com"}, Redirect: "http://localhost/api/oidc/callback", CookieName: "flow",
		Now: func() time.Time { return v.now }, Logger: slog.New(slog.NewTextHandler(&v.log, nil)),
	})
	return v
}

// keep takes the cookies of an answer over, as a browser does.
func (v *visit) keep(rec *httptest.ResponseRecorder) {
	for _, c := range rec.Result().Cookies() {
		v.cookies = slices.DeleteFunc(v.cookies, func(old *http.Cookie) bool { return old.Name == c.Name })
		if c.MaxAge >= 0 {
			v.cookies = append(v.cookies, c)
		}
	}
}

// begin goes to the provider and returns the address that it leads back to.
func (v *visit) begin(back string) (callback *url.URL) {
	v.t.Helper()
	rec := httptest.NewRecorder()
	address, err := v.us.Begin(rec, httptest.NewRequest("GET", "/api/oidc/start", nil), back, "7")
	if err != nil {
		v.t.Fatal(err)
	}
	v.keep(rec)
	return v.visit(address)
}

func (v *visit) visit(address string) *url.URL {
	v.t.Helper()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Get(address)
	if err != nil {
		v.t.Fatal(err)
	}
	defer res.Body.Close()
	callback, err := res.Location()
	if err != nil {
		v.t.Fatalf("the provider doesn't lead back: %s", res.Status)
	}
	return callback
}

func (v *visit) finish(callback *url.URL) (account.SignOn, string, error) {
	rec := httptest.NewRecorder()
	r := httptest.NewRequest("GET", callback.String(), nil)
	for _, c := range v.cookies {
		r.AddCookie(c)
	}
	s, back, err := v.us.Finish(rec, r)
	v.keep(rec)
	return s, back, err
}

func codeOf(err error) string {
	var p *wire.Problem
	if errors.As(err, &p) {
		return p.Code
	}
	return ""
}

func TestSomebodyComesBack(t *testing.T) {
	v := newVisit(t)
	v.provider.QueueUser(&mockoidc.MockUser{Subject: "s-1", Email: "Jane@Example.com", EmailVerified: true, PreferredUsername: "jane", Groups: []string{"ops", "dev"}})
	s, back, err := v.finish(v.begin("/c/abc?x=1#y"))
	if err != nil {
		t.Fatal(err)
	}
	if s.Issuer != v.provider.Issuer() || s.Subject != "s-1" || s.Email != "Jane@Example.com" || !s.Verified || s.Name != "jane" ||
		!slices.Equal(s.Groups, []string{"ops", "dev"}) || s.As != "7" || !slices.Equal(s.Domains, []string{"example.com"}) {
		t.Errorf("%+v", s)
	}
	if back != "/c/abc?x=1#y" {
		t.Errorf("back to %q", back)
	}
	var claims map[string]any
	if err := json.Unmarshal(s.Claims, &claims); err != nil || claims["email"] != "Jane@Example.com" || claims["nonce"] != nil || claims["iat"] != nil {
		t.Errorf("claims %s, %v", s.Claims, err)
	}
	if len(v.cookies) > 0 {
		t.Errorf("the browser still has %v", v.cookies)
	}
}

// The address that the browser is led to, and the cookie that it gets.
func TestWhatAFlowIsGuardedBy(t *testing.T) {
	v := newVisit(t)
	v.us.flows.Secure = true
	rec := httptest.NewRecorder()
	address, err := v.us.Begin(rec, httptest.NewRequest("GET", "/api/oidc/start", nil), "/", "")
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	if len(q.Get("state")) < 26 || len(q.Get("nonce")) < 26 || q.Get("code_challenge_method") != "S256" || len(q.Get("code_challenge")) < 43 {
		t.Errorf("%s", address)
	}
	if scope := q.Get("scope"); !strings.Contains(scope, "openid") || !strings.Contains(scope, "email") || !strings.Contains(scope, "groups") {
		t.Errorf("scope %q", scope)
	}
	c := rec.Result().Cookies()[0]
	if !c.HttpOnly || !c.Secure || c.SameSite != http.SameSiteLaxMode || c.MaxAge != 600 || c.Path != "/" {
		t.Errorf("%+v", c)
	}
	for _, secret := range []string{q.Get("state"), q.Get("nonce"), v.provider.ClientSecret} {
		if strings.Contains(c.Value, secret) {
			t.Error("the cookie can be read")
		}
	}
	if strings.Contains(address, v.provider.ClientSecret) {
		t.Error("the secret is in the address")
	}
}

func TestWhoIsNotLetIn(t *testing.T) {
	set := func(name, value string) func(*visit, *url.URL) {
		return func(_ *visit, u *url.URL) {
			q := u.Query()
			q.Set(name, value)
			u.RawQuery = q.Encode()
		}
	}
	for _, test := range []struct {
		name   string
		change func(*visit, *url.URL)
		code   string
	}{
		{"another state", set("state", "x"), wire.CodeOIDCExpired},
		{"no state", set("state", ""), wire.CodeOIDCExpired},
		{"another code", set("code", "x"), wire.CodeOIDCFailed},
		{"no code", set("code", ""), wire.CodeOIDCFailed},
		{"another issuer", set("iss", "https://evil.example"), wire.CodeOIDCFailed},
		{"the provider refuses", set("error", "access_denied"), wire.CodeOIDCRefused},
		{"another browser", func(v *visit, _ *url.URL) { v.cookies = nil }, wire.CodeOIDCExpired},
		{"a cookie that was made up", func(v *visit, _ *url.URL) { v.cookies[0].Value = "x" + v.cookies[0].Value }, wire.CodeOIDCExpired},
		{"ten minutes later", func(v *visit, _ *url.URL) { v.now = v.now.Add(10 * time.Minute) }, wire.CodeOIDCExpired},
		{"the code of another flow: PKCE", func(v *visit, u *url.URL) {
			cookies := slices.Clone(v.cookies)
			other := v.begin("/")
			v.cookies = cookies
			set("code", other.Query().Get("code"))(v, u)
		}, wire.CodeOIDCFailed},
		{"a token that has expired", func(v *visit, _ *url.URL) { v.provider.FastForward(-time.Hour) }, wire.CodeOIDCFailed},
		{"a token for another client", func(v *visit, _ *url.URL) { v.us.ClientID = "another"; v.us.found = nil }, wire.CodeOIDCFailed},
		{"another nonce", func(v *visit, u *url.URL) {
			session, err := v.provider.SessionStore.GetSessionByID(u.Query().Get("code"))
			if err != nil {
				v.t.Fatal(err)
			}
			session.OIDCNonce = "x"
		}, wire.CodeOIDCFailed},
	} {
		t.Run(test.name, func(t *testing.T) {
			v := newVisit(t)
			if _, _, err := v.finish(v.begin("/")); err != nil {
				t.Fatal("before anything is wrong:", err)
			}
			u := v.begin("/spend")
			test.change(v, u)
			s, _, err := v.finish(u)
			if codeOf(err) != test.code || s.Subject != "" {
				t.Errorf("%q %v, want %q", s.Subject, err, test.code)
			}
			for _, secret := range []string{v.provider.ClientSecret, u.Query().Get("code")} {
				if len(secret) > 1 && err != nil && strings.Contains(err.Error(), secret) {
					t.Errorf("the error has a secret: %v", err)
				}
			}
		})
	}
}

// A token that another key signed than those the provider names.
func TestAForgedToken(t *testing.T) {
	var keys []byte // as they were first
	v := newVisit(t, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != mockoidc.JWKSEndpoint {
				next.ServeHTTP(w, r)
				return
			}
			if keys == nil {
				rec := httptest.NewRecorder()
				next.ServeHTTP(rec, r)
				keys = rec.Body.Bytes()
			}
			w.Header().Set("Content-Type", "application/json")
			w.Write(keys)
		})
	})
	if _, _, err := v.finish(v.begin("/")); err != nil {
		t.Fatal(err)
	}
	kid, err := v.provider.Keypair.KeyID()
	if err != nil {
		t.Fatal(err)
	}
	other, err := mockoidc.RandomKeypair(2048)
	if err != nil {
		t.Fatal(err)
	}
	other.Kid = kid
	v.provider.Keypair = other
	if s, _, err := v.finish(v.begin("/")); codeOf(err) != wire.CodeOIDCFailed || s.Subject != "" {
		t.Errorf("%q, %v", s.Subject, err)
	}
}

// A token for others beside us names whom it was made for.
func TestATokenForSeveral(t *testing.T) {
	for azp, want := range map[string]string{"": wire.CodeOIDCFailed, "other": wire.CodeOIDCFailed, "us": ""} {
		v := newVisit(t)
		if azp == "us" {
			azp = v.provider.ClientID
		}
		v.provider.QueueUser(&several{MockUser: mockoidc.DefaultUser(), audience: []string{v.provider.ClientID, "other"}, azp: azp})
		if _, _, err := v.finish(v.begin("/")); codeOf(err) != want || (want == "") != (err == nil) {
			t.Errorf("azp %q: %v, want %q", azp, err, want)
		}
	}
}

type several struct {
	*mockoidc.MockUser
	audience []string
	azp      string
}

func (s *several) Claims(_ []string, base *mockoidc.IDTokenClaims) (jwt.Claims, error) {
	return jwt.MapClaims{"iss": base.Issuer, "sub": s.Subject, "aud": s.audience, "azp": s.azp, "exp": base.ExpiresAt.Unix(), "iat": base.IssuedAt.Unix(), "nonce": base.Nonce}, nil
}

// Who comes back twice with the same address and the same cookie is let in once.
func TestAFlowIsUsedOnce(t *testing.T) {
	v := newVisit(t)
	u := v.begin("/")
	cookies := slices.Clone(v.cookies)
	if _, _, err := v.finish(u); err != nil {
		t.Fatal(err)
	}
	v.cookies = cookies
	session, err := v.provider.SessionStore.GetSessionByID(u.Query().Get("code"))
	if err != nil {
		t.Fatal(err)
	}
	session.Granted = false // a provider that would take the code again
	if _, _, err := v.finish(u); codeOf(err) != wire.CodeOIDCExpired {
		t.Errorf("again: %v", err)
	}
}

// A provider that is away at first: the server has started, people are told so,
// and it is asked again.
func TestTheProviderIsAway(t *testing.T) {
	away := true
	asked := 0
	v := newVisit(t, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if asked++; away {
				http.Error(w, "later", http.StatusBadGateway)
				return
			}
			next.ServeHTTP(w, r)
		})
	})
	try := func() error {
		_, err := v.us.Begin(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil), "/", "")
		return err
	}
	for range 3 {
		if err := try(); codeOf(err) != wire.CodeOIDCUnreachable {
			t.Fatalf("while it is away: %v", err)
		}
	}
	if asked != 1 {
		t.Errorf("it was asked %d times within moments", asked)
	}
	away = false
	v.now = v.now.Add(retryAfter)
	if err := try(); err != nil {
		t.Errorf("when it is back: %v", err)
	}
}

// A provider that fails at the end says nothing of what was sent to it.
func TestTheProviderFailsAtTheEnd(t *testing.T) {
	v := newVisit(t, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != mockoidc.TokenEndpoint {
				next.ServeHTTP(w, r)
				return
			}
			r.ParseForm()
			http.Error(w, "cannot handle "+r.Form.Encode()+r.Header.Get("Authorization"), http.StatusBadGateway)
		})
	})
	u := v.begin("/")
	_, _, err := v.finish(u)
	if codeOf(err) != wire.CodeOIDCUnreachable || strings.Contains(err.Error(), u.Query().Get("code")) || strings.Contains(err.Error(), v.provider.ClientSecret) {
		t.Errorf("%v", err)
	}
}
