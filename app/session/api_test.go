package session

import (
	"testing"

	"screentest/shared/wire"
)

func TestAnAddressAnswersWithDataOrAProblem(t *testing.T) {
	for _, c := range []struct {
		name   string
		status int
		body   string
		data   string
		code   string
	}{
		{"data", 200, `{"id":"x"}` + "\n", `{"id":"x"}`, ""},
		{"nothing to say", 204, "", "", ""},
		{"a problem", 401, `{"code":"wrong_credentials","message":"No.","field":"password"}`, "", wire.CodeWrong},
		{"a proxy's page", 502, "<html>", "", "server_error"},
		{"JSON that is no problem", 500, `{}`, "", "server_error"},
		{"no answer", 0, "", "", "unreachable"},
	} {
		t.Run(c.name, func(t *testing.T) {
			data, p := Answered(c.status, c.body)
			if string(data) != c.data {
				t.Errorf("data %q, want %q", data, c.data)
			}
			if (p == nil) != (c.code == "") || p != nil && (p.Code != c.code || p.Message == "" || p.Status != c.status) {
				t.Errorf("problem %+v, want %q", p, c.code)
			}
		})
	}
}

func TestWhoIsSignedIn(t *testing.T) {
	s := New("b1")
	if s.Me() != nil || s.Admin() {
		t.Error("somebody is signed in before the greeting")
	}
	for role, admin := range map[string]bool{wire.RoleAdmin: true, wire.RoleMember: false, wire.RoleGuest: false} {
		hear(t, s, wire.EventHello, wire.Hello{Me: &wire.Me{ID: "1", Role: role}, Charges: []wire.Charge{{ID: "t"}}})
		if s.Me() == nil || s.Admin() != admin || len(s.Charges()) != 1 {
			t.Errorf("%s: %+v, admin %v, charges %v", role, s.Me(), s.Admin(), s.Charges())
		}
	}
	hear(t, s, wire.EventHello, wire.Hello{Me: &wire.Me{ID: "1", Role: wire.RoleAdmin, FactorNeeded: true}})
	if s.Admin() {
		t.Error("an admin runs the instance before they have the second factor that it asks for")
	}
	hear(t, s, wire.EventHello, wire.Hello{})
	if s.Me() != nil || s.Admin() {
		t.Error("a person alone is an account")
	}
}
