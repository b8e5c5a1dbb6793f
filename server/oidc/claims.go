package oidc

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"

	"screentest/server/account"
	"screentest/shared/wire"
)

// MaxClaims bounds what is kept of a person's claims, in bytes.
const MaxClaims = 16 << 10

// maxGroups bounds the groups of a person that count.
const maxGroups = 1000

// tokenClaims say something of the token and nothing of the person.
var tokenClaims = []string{"nonce", "at_hash", "c_hash", "s_hash", "jti", "sid", "exp", "iat", "nbf"}

// signOn reads the claims.
func (p *Provider) signOn(token *oidc.IDToken, claims map[string]any) account.SignOn {
	s := account.SignOn{
		Issuer: p.Issuer, Subject: token.Subject, Domains: p.AllowDomains,
		Verified: claims["email_verified"] == true || claims["email_verified"] == "true", // some write it as a text
		Claims:   kept(claims, p.GroupsClaim),
	}
	s.Email, _ = claims["email"].(string)
	for _, claim := range []string{"name", "preferred_username", "nickname"} {
		if name, _ := claims[claim].(string); s.Name == "" {
			s.Name = name
		}
	}
	value, _ := lookUp(claims, p.GroupsClaim)
	s.Groups = groupsOf(value)
	return s
}

// lookUp finds a claim by its name, or by a path of names with dots between.
func lookUp(claims map[string]any, name string) (value any, found bool) {
	if name == "" {
		return nil, true // none is wanted
	}
	if value, found = claims[name]; found {
		return value, true
	}
	first, rest, path := strings.Cut(name, ".")
	inner, is := claims[first].(map[string]any)
	if !path || !is {
		return nil, false
	}
	return lookUp(inner, rest)
}

// groupsOf reads a claim of groups: a list of names, or one name.
func groupsOf(value any) (groups []string) {
	switch v := value.(type) {
	case string:
		return []string{v}
	case []any:
		for _, one := range v {
			if s, is := one.(string); is && len(groups) < maxGroups {
				groups = append(groups, s)
			}
		}
	}
	return groups
}

// kept is what is shown of the claims to who makes the map of groups. What is too
// long is left out, the longest claim first, but for the groups' own.
func kept(claims map[string]any, groups string) json.RawMessage {
	first, _, _ := strings.Cut(groups, ".")
	type claim struct {
		name  string
		size  int
		spare bool // it isn't the groups' own
	}
	var all []claim
	shown, size := map[string]json.RawMessage{}, len("{}")
	for name, value := range claims {
		if slices.Contains(tokenClaims, name) {
			continue
		}
		key, err := json.Marshal(name)
		if err != nil {
			continue
		}
		b, err := json.Marshal(value)
		if err != nil {
			continue
		}
		c := claim{name, len(key) + len(":") + len(b) + len(","), name != groups && name != first}
		all, size, shown[name] = append(all, c), size+c.size, b
	}
	slices.SortFunc(all, func(a, b claim) int {
		switch {
		case a.spare != b.spare && a.spare:
			return -1
		case a.spare != b.spare:
			return 1
		}
		return cmp.Or(cmp.Compare(b.size, a.size), strings.Compare(a.name, b.name))
	})
	for _, c := range all {
		if size <= MaxClaims {
			break
		}
		delete(shown, c.name)
		size -= c.size
	}
	raw, err := json.Marshal(shown)
	if err != nil {
		return json.RawMessage("{}")
	}
	return raw
}

// A failure is a problem for the person, and its cause for the log.
type failure struct {
	problem wire.Problem
	cause   error
}

func (f *failure) Error() string { return f.problem.Code + ": " + f.cause.Error() }

func (f *failure) Unwrap() []error { return []error{&f.problem, f.cause} }

func problem(code string, cause error) error {
	p := wire.Problem{Code: code, Message: messages[code]}
	if code == wire.CodeOIDCUnreachable {
		p.Status, p.Hint = http.StatusServiceUnavailable, "Try again in a moment."
	}
	return &failure{p, cause}
}

var messages = map[string]string{
	wire.CodeOIDCRefused:     "The sign-in service let nobody in.",
	wire.CodeOIDCExpired:     "This sign-in took too long, or was used before.",
	wire.CodeOIDCFailed:      "What the sign-in service sent can't be trusted.",
	wire.CodeOIDCUnreachable: "The sign-in service doesn't answer.",
}
