package oidc

import (
	"slices"
	"testing"

	"github.com/oauth2-proxy/mockoidc"
)

// What only the details of a person say is read there, if they are of the same
// person; what was signed counts more.
func TestDetailsOfAPerson(t *testing.T) {
	for _, test := range []struct {
		name, details string
		email         string
		verified      bool
		groups        []string
	}{
		{"of the same", `{"sub":"s","email":"a@example.com","email_verified":true,"groups":["g"]}`, "a@example.com", true, []string{"g"}},
		{"of another", `{"sub":"x","email":"a@example.com","email_verified":true,"groups":["g"]}`, "", false, nil},
		{"of nobody", `{"email":"a@example.com","email_verified":true,"groups":["g"]}`, "", false, nil},
		{"no JSON", `<html>`, "", false, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			v := newVisit(t)
			v.provider.QueueUser(&detailed{details: test.details, MockUser: &mockoidc.MockUser{Subject: "s"}})
			s, _, err := v.finish(v.begin("/"))
			if err != nil || s.Email != test.email || s.Verified != test.verified || !slices.Equal(s.Groups, test.groups) {
				t.Errorf("%+v, %v", s, err)
			}
		})
	}
	t.Run("an unverified address stays one", func(t *testing.T) {
		v := newVisit(t)
		v.provider.QueueUser(&detailed{details: `{"sub":"s","email":"b@example.com","email_verified":true}`, MockUser: &mockoidc.MockUser{Subject: "s", Email: "a@example.com"}})
		if s, _, err := v.finish(v.begin("/")); err != nil || s.Email != "a@example.com" || s.Verified {
			t.Errorf("%+v, %v", s, err)
		}
	})
}

type detailed struct {
	*mockoidc.MockUser
	details string
}

func (d *detailed) Userinfo([]string) ([]byte, error) { return []byte(d.details), nil }
