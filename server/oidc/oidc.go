// Package oidc signs people in by OpenID Connect: [Provider.Begin] says where a
// browser goes, and [Provider.Finish] who comes back from there. What they may do
// here is not decided in this package.
//
// Each flow has a state, a nonce and a PKCE verifier of its own, which a cookie
// of the browser that began it carries sealed. The provider is looked up when it
// is first needed and again until it answers, so that a server starts while the
// provider is away.
package oidc

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"screentest/server/account"
	"screentest/server/ticket"
	"screentest/shared/wire"
)

const (
	// timeout bounds each question to the provider.
	timeout = 10 * time.Second
	// maxAnswer bounds each answer of the provider, in bytes.
	maxAnswer = 1 << 20
	// retryAfter is how long a provider that didn't answer is left alone: people
	// who try meanwhile are told so at once.
	retryAfter = 5 * time.Second
)

// Config is what a Provider works with.
type Config struct {
	// Issuer, ClientID and ClientSecret are as the operator registered them.
	Issuer, ClientID, ClientSecret string
	// GroupsClaim names the claim that lists groups: its name, or a path to it
	// with dots, such as realm_access.roles.
	GroupsClaim string
	// AllowDomains are those of addresses whose people get an account.
	AllowDomains []string
	// Redirect is the address of /api/oidc/callback as browsers reach it.
	Redirect string
	// CookieName is that of the flow's cookie, which holds over https only if
	// Secure.
	CookieName string
	Secure     bool
	// Shared are the flows of several processes; nil: there is this one.
	Shared *ticket.Shared
	Now    func() time.Time
	Logger *slog.Logger
}

// Provider is one provider of OpenID Connect. Make one with New.
type Provider struct {
	Config
	client *http.Client
	flows  *ticket.Tickets[flow]

	mu     sync.Mutex
	found  *oidc.Provider
	scopes []string
	failed time.Time // when it was last looked for in vain
}

// New returns a Provider. It asks nobody anything yet.
func New(c Config) *Provider {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	p := &Provider{Config: c, client: &http.Client{Timeout: timeout, Transport: bounded{http.DefaultTransport}}}
	// It comes along when the provider sends the browser back, which Strict would
	// not let it.
	p.flows = ticket.New[flow](ticket.Config{Name: c.CookieName, Secure: c.Secure, SameSite: http.SameSiteLaxMode, Lasts: flowTime, Now: c.Now, Shared: c.Shared})
	return p
}

// Begin starts a flow: it gives the browser the flow's cookie and returns where
// it goes. back is where the person wanted to go, who is signed in as owner, or
// nobody ("").
func (p *Provider) Begin(w http.ResponseWriter, r *http.Request, back, owner string) (address string, err error) {
	config, _, err := p.discover(r.Context())
	if err != nil {
		return "", err
	}
	f := flow{State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier(), Back: wire.OwnPath(back), Owner: owner}
	if err := p.flows.Give(w, f); err != nil {
		return "", err
	}
	return config.AuthCodeURL(f.State, oauth2.S256ChallengeOption(f.Verifier), oidc.Nonce(f.Nonce)), nil
}

// Finish ends the flow that a request comes back from and takes its cookie away:
// whatever comes of it, it was the flow's one try. back is where the person wanted
// to go; "/" where that isn't known.
func (p *Provider) Finish(w http.ResponseWriter, r *http.Request) (s account.SignOn, back string, err error) {
	t, err := p.flows.Take(w, r)
	if err != nil {
		return s, "/", problem(wire.CodeOIDCExpired, err)
	}
	f, q := t.Of, r.URL.Query()
	if subtle.ConstantTimeCompare([]byte(q.Get("state")), []byte(f.State)) != 1 {
		return s, f.Back, problem(wire.CodeOIDCExpired, errors.New("the state is another flow's"))
	}
	if iss := q.Get("iss"); iss != "" && iss != p.Issuer { // RFC 9207
		return s, f.Back, problem(wire.CodeOIDCFailed, errors.New("the answer is another issuer's"))
	}
	if refusal := q.Get("error"); refusal != "" {
		return s, f.Back, problem(wire.CodeOIDCRefused, fmt.Errorf("the provider says %q", wire.Cut(refusal, wire.MaxEchoed)))
	}
	if err := p.flows.Use(r.Context(), t); errors.Is(err, ticket.ErrUsed) {
		return s, f.Back, problem(wire.CodeOIDCExpired, err)
	} else if err != nil {
		return s, f.Back, err
	}
	if s, err = p.redeem(r.Context(), f, q.Get("code")); err != nil {
		if kept := p.flows.Failed(r.Context(), t); kept != nil {
			p.Logger.Error("somebody who came back in vain has to begin again", "err", kept)
		}
	}
	s.As = f.Owner
	return s, f.Back, err
}

// redeem makes of a code whom the provider vouches for.
func (p *Provider) redeem(ctx context.Context, f flow, code string) (s account.SignOn, err error) {
	config, found, err := p.discover(ctx)
	if err != nil {
		return s, err
	}
	ctx = p.context(ctx)
	token, err := config.Exchange(ctx, code, oauth2.VerifierOption(f.Verifier))
	if err != nil {
		var refused *oauth2.RetrieveError
		if !errors.As(err, &refused) {
			return s, problem(wire.CodeOIDCUnreachable, plain(err))
		}
		code := wire.CodeOIDCFailed
		if refused.Response.StatusCode >= 500 {
			code = wire.CodeOIDCUnreachable
		}
		// Its body may repeat what was sent.
		return s, problem(code, fmt.Errorf("the provider doesn't take the code: %s %q", refused.Response.Status, wire.Cut(refused.ErrorCode, wire.MaxEchoed)))
	}
	raw, _ := token.Extra("id_token").(string)
	verified, err := found.Verifier(&oidc.Config{ClientID: p.ClientID, Now: p.Now}).Verify(ctx, raw)
	if err != nil {
		return s, problem(wire.CodeOIDCFailed, err)
	}
	if subtle.ConstantTimeCompare([]byte(verified.Nonce), []byte(f.Nonce)) != 1 {
		return s, problem(wire.CodeOIDCFailed, errors.New("the nonce is another flow's"))
	}
	claims := map[string]any{}
	if err := verified.Claims(&claims); err != nil {
		return s, problem(wire.CodeOIDCFailed, err)
	}
	if azp, _ := claims["azp"].(string); len(verified.Audience) > 1 && azp != p.ClientID {
		return s, problem(wire.CodeOIDCFailed, errors.New("the token was made for another client"))
	}
	if verified.AccessTokenHash != "" {
		if err := verified.VerifyAccessToken(token.AccessToken); err != nil {
			return s, problem(wire.CodeOIDCFailed, err)
		}
	}
	p.complete(ctx, found, token, verified.Subject, claims)
	return p.signOn(verified, claims), nil
}

// complete adds what the provider says only when it is asked: many keep their
// tokens short. What was signed counts more.
func (p *Provider) complete(ctx context.Context, found *oidc.Provider, token *oauth2.Token, subject string, claims map[string]any) {
	_, groups := lookUp(claims, p.GroupsClaim)
	if claims["email"] != nil && groups || found.UserInfoEndpoint() == "" {
		return
	}
	info, err := found.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err == nil && info.Subject != subject {
		err = errors.New("it is of another subject")
	}
	more := map[string]any{}
	if err == nil {
		err = info.Claims(&more)
	}
	if err != nil {
		p.Logger.Warn("the provider's details of a person who signs in were not read", "err", plain(err))
		return
	}
	// An address and whether it was verified are one statement.
	if claims["email"] != nil {
		delete(more, "email_verified")
	}
	for name, value := range more {
		if _, is := claims[name]; !is {
			claims[name] = value
		}
	}
}

// discover looks the provider up, once it answers for good.
func (p *Provider) discover(ctx context.Context) (*oauth2.Config, *oidc.Provider, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.found == nil {
		if now := p.Now(); !p.failed.IsZero() && now.Sub(p.failed) < retryAfter {
			return nil, nil, problem(wire.CodeOIDCUnreachable, errors.New("it didn't answer a moment ago"))
		}
		// The keys are fetched with this context again later: it must not end.
		found, err := oidc.NewProvider(p.context(context.WithoutCancel(ctx)), p.Issuer)
		if err != nil {
			p.failed = p.Now()
			return nil, nil, problem(wire.CodeOIDCUnreachable, plain(err))
		}
		var more struct {
			Scopes []string `json:"scopes_supported"`
		}
		if err := found.Claims(&more); err != nil {
			return nil, nil, problem(wire.CodeOIDCUnreachable, err)
		}
		p.found, p.scopes = found, []string{oidc.ScopeOpenID, "email", "profile"}
		for _, scope := range []string{p.GroupsClaim, "groups"} {
			if scope != "" && slices.Contains(more.Scopes, scope) && !slices.Contains(p.scopes, scope) {
				p.scopes = append(p.scopes, scope)
			}
		}
	}
	endpoint := p.found.Endpoint()
	if p.ClientSecret == "" {
		endpoint.AuthStyle = oauth2.AuthStyleInParams // a public client has only its name
	}
	return &oauth2.Config{ClientID: p.ClientID, ClientSecret: p.ClientSecret, RedirectURL: p.Redirect, Endpoint: endpoint, Scopes: p.scopes}, p.found, nil
}

func (p *Provider) context(ctx context.Context) context.Context {
	return oidc.ClientContext(ctx, p.client)
}

// bounded is a transport whose answers have an end.
type bounded struct{ http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		body := res.Body
		res.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(body, maxAnswer), body}
	}
	return res, err
}

// plain is an error without the address that was asked, and what was sent with it.
func plain(err error) error {
	var asked *url.Error
	if errors.As(err, &asked) {
		return asked.Err
	}
	text, _, _ := strings.Cut(err.Error(), "\n")
	return errors.New(wire.Cut(text, 4*wire.MaxEchoed))
}
