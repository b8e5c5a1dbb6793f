package oidc

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func TestGroups(t *testing.T) {
	var claims map[string]any
	if err := json.Unmarshal([]byte(`{"groups":["a",1,"b"],"one":"c","realm_access":{"roles":["d"]},"https://example.com/groups":["e"],"a.b":["f"],"n":7,"none":[]}`), &claims); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]string{
		"groups": {"a", "b"}, "one": {"c"}, "realm_access.roles": {"d"}, "https://example.com/groups": {"e"}, "a.b": {"f"}, "n": nil, "none": nil, "not.there": nil,
	} {
		value, _ := lookUp(claims, name)
		if got := groupsOf(value); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// However much a provider says, what is kept is bounded, and has the groups.
func TestKeptClaimsAreBounded(t *testing.T) {
	claims := map[string]any{"email": "a@example.com", "exp": 1, "groups": []string{"ops"}}
	for i := range 100 {
		claims[fmt.Sprint("more", i)] = strings.Repeat("x", 1000)
	}
	raw := kept(claims, "groups")
	var got map[string]any
	if err := json.Unmarshal(raw, &got); err != nil || len(raw) > MaxClaims || len(raw) < MaxClaims/2 || got["email"] == nil || got["groups"] == nil || got["exp"] != nil {
		t.Errorf("%d bytes, %v: %.200s", len(raw), err, raw)
	}
	claims["groups"] = strings.Repeat("g", 2*MaxClaims)
	if raw := kept(claims, "groups"); string(raw) != "{}" {
		t.Errorf("%d bytes", len(raw))
	}
}
