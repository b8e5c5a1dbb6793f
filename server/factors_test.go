package main

import (
	"encoding/json"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"screentest/server/account"
	"screentest/server/api"
	"screentest/server/people"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// withApp gives somebody an authenticator app, of the step before this one so that
// the one of now is left.
func (v *visitor) withApp() (secret string, codes []string) {
	v.t.Helper()
	// A test's codes are of one step: not of one that ends in the middle of it.
	if left := 30*time.Second - time.Duration(time.Now().UnixMilli()%30_000)*time.Millisecond; left < 6*time.Second {
		time.Sleep(left)
	}
	var begun wire.TOTPBegun
	if err := json.Unmarshal([]byte(v.want(200, "POST", "/api/totp/begin", nil).body), &begun); err != nil {
		v.t.Fatal(err)
	}
	var got wire.Codes
	if err := json.Unmarshal([]byte(v.want(200, "POST", "/api/totp/finish", wire.TOTPFinish{Code: codeAt(v.t, begun.Secret, -1)}).body), &got); err != nil {
		v.t.Fatal(err)
	}
	return begun.Secret, got.Codes
}

// codeAt is what an authenticator app shows some steps from now.
func codeAt(t *testing.T, secret string, steps int) string {
	t.Helper()
	c, err := totp.GenerateCode(secret, time.Now().Add(time.Duration(steps)*30*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestASecondFactorIsAskedFor(t *testing.T) {
	d := newPlayground(t, asTeam(serveConfig{}))
	ann := d.admin()
	secret, codes := ann.withApp()
	if len(codes) != wire.RecoveryCodes {
		t.Fatalf("%d recovery codes", len(codes))
	}
	// As they were when the app was added, however long signing in takes.
	taken, next := codeAt(t, secret, -1), codeAt(t, secret, 1)
	in := wire.SignIn{Email: "ann@example.com", Password: goodPassword}
	v := d.visitor()
	try := func(password, code string) reply {
		in.Password, in.Code = password, code
		return v.ask("POST", "/api/signin", in)
	}
	for _, step := range []struct{ name, password, code, want string }{
		{"no code", goodPassword, "", wire.CodeCodeNeeded},
		{"a wrong code", goodPassword, "000000", wire.CodeCodeNeeded},
		{"a wrong password", "not the password", next, wire.CodeWrong},
		{"the code that was taken", goodPassword, taken, wire.CodeCodeNeeded},
		{"a right code", goodPassword, next, ""},
		{"the same again", goodPassword, next, wire.CodeCodeNeeded},
		{"a recovery code", goodPassword, codes[0], ""},
		{"the same recovery code", goodPassword, codes[0], wire.CodeCodeNeeded},
	} {
		r := try(step.password, step.code)
		if want := map[bool]int{true: 204, false: 401}[step.want == ""]; r.StatusCode != want || r.problem().Code != step.want {
			t.Errorf("%s: %d %s", step.name, r.StatusCode, r.body)
		}
	}
	var s wire.Security
	v.into("/api/security", &s)
	if !s.Password || !s.TOTP || s.RecoveryCodes != wire.RecoveryCodes-1 || s.OIDC || s.Passkeys == nil {
		t.Errorf("%+v", s)
	}
	lines := ann.audit()
	for _, want := range []string{`"totp.added"`, `"signin.code_failed"`} {
		if !strings.Contains(lines, want) {
			t.Errorf("the audit doesn't say %s:\n%s", want, lines)
		}
	}
	for _, canary := range append(codes, secret, strings.ReplaceAll(codes[1], "-", "")) {
		if found := storetest.FilesWith(t, d.config.data, canary); found != nil || strings.Contains(d.log.String()+lines, canary) {
			t.Errorf("%q is in %v, or said", canary, found)
		}
	}
	v.want(204, "DELETE", "/api/totp", nil)
	if r := try(goodPassword, ""); r.StatusCode != 204 {
		t.Errorf("without a second factor: %d %s", r.StatusCode, r.body)
	}
}

// Guesses at codes run into the limits of signing in.
func TestCodesCannotBeGuessed(t *testing.T) {
	d := newPlayground(t, asTeam(serveConfig{}))
	ann := d.admin()
	ann.withApp()
	for i := range 40 {
		r := d.visitor().ask("POST", "/api/signin", wire.SignIn{Email: "ann@example.com", Password: goodPassword, Code: "000000"})
		if r.StatusCode == 429 && r.Header.Get("Retry-After") != "" {
			return
		}
		if r.problem().Code != wire.CodeCodeNeeded {
			t.Fatalf("%d: %d %s", i, r.StatusCode, r.body)
		}
	}
	t.Error("40 guesses were let through")
}

// A first password wants the same, whatever is given as the one before.
func TestAStolenSessionPlantsNoPassword(t *testing.T) {
	d := newPlayground(t, asTeam(serveConfig{}))
	d.admin()
	ctx, ann := t.Context(), d.people.All()[0].Owner
	sum, err := d.store.Password(ctx, ann)
	storetest.Must(t, err, d.store.SetPassword(ctx, ann, sum, "")) // as after single sign-on
	who, err := d.people.SignInAs(httptest.NewRecorder(), httptest.NewRequest("POST", "/", nil), ann, account.ByOIDC)
	storetest.Must(t, err)
	set := func(after time.Duration, body string) error {
		r := httptest.NewRequest("POST", "/api/password", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		desk := &api.Account{People: d.people, Desk: d.desk, Now: func() time.Time { return time.Now().Add(after) }}
		return desk.Routes()["POST /api/password"](httptest.NewRecorder(), r.WithContext(people.With(ctx, who)), who)
	}
	for _, body := range []string{`{"new":"planted by a stranger"}`, `{"old":"x","new":"planted by a stranger"}`} {
		var p *wire.Problem
		if err := set(10*time.Minute, body); !errors.As(err, &p) || p.Code != wire.CodeProofNeeded {
			t.Errorf("%s: %v", body, err)
		}
		if sum, err := d.store.Password(ctx, ann); err != nil || sum != "" {
			t.Errorf("%s: %q, %v", body, sum, err)
		}
	}
	if err := set(time.Minute, `{"old":"x","new":"a password of one's own"}`); err != nil {
		t.Errorf("just after signing in: %v", err)
	}
}

// A while after signing in, who changes the ways in proves who they are again.
func TestAStolenSessionChangesNoWayIn(t *testing.T) {
	d := newPlayground(t, asTeam(serveConfig{}))
	ann := d.admin()
	secret, codes := ann.withApp()
	who, err := d.people.SignInAs(httptest.NewRecorder(), httptest.NewRequest("POST", "/", nil), d.people.All()[0].Owner, account.ByPassword)
	if err != nil {
		t.Fatal(err)
	}
	later := &api.Security{People: d.people, Factors: d.factors, Store: d.store, Desk: d.desk, Now: func() time.Time { return time.Now().Add(10 * time.Minute) }}
	ask := func(address string, p any) string {
		raw, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		method, path, _ := strings.Cut(address, " ")
		r := httptest.NewRequest(method, path, strings.NewReader(string(raw)))
		r.Header.Set("Content-Type", "application/json")
		err = later.Routes()[address](httptest.NewRecorder(), r.WithContext(people.With(t.Context(), who)), who)
		var problem *wire.Problem
		switch {
		case errors.As(err, &problem):
			return problem.Code
		case err != nil:
			return err.Error()
		}
		return ""
	}
	for _, address := range []string{"POST /api/passkeys/begin", "DELETE /api/passkeys/{id}", "POST /api/totp/begin", "DELETE /api/totp", "POST /api/recovery"} {
		if got := ask(address, wire.Proof{}); got != wire.CodeProofNeeded {
			t.Errorf("%s without a proof: %q", address, got)
		}
		if got := ask(address, wire.Proof{Password: "not the password"}); got != wire.CodeWrong {
			t.Errorf("%s with a wrong password: %q", address, got)
		}
	}
	for _, p := range []wire.Proof{{Password: goodPassword}, {Code: codeAt(t, secret, 1)}, {Code: codes[0]}} {
		if got := ask("POST /api/totp/begin", p); got != "" {
			t.Errorf("%+v: %q", p, got)
		}
	}
	if got := ask("POST /api/totp/begin", wire.Proof{Code: codes[0]}); got != wire.CodeWrong {
		t.Errorf("a code that was used: %q", got)
	}
	if got := ask("DELETE /api/totp", wire.Proof{Password: goodPassword}); got != "" {
		t.Errorf("%q", got)
	}
}

// With the policy an admin without a second factor is a member until they have
// one, at once, in every tab.
func TestAdminsMustHaveTwoFactors(t *testing.T) {
	d := newPlayground(t, asTeam(serveConfig{}))
	ann := d.admin()
	bob := ann.join(wire.RoleAdmin, "bob@example.com")
	ann.withApp()
	ann.instance(func(i *wire.Instance) { i.TwoFactors = true })
	if r := bob.ask("GET", "/api/people", nil); r.StatusCode != 403 || r.problem().Code != wire.CodeFactorNeeded || r.problem().Hint == "" {
		t.Errorf("Bob: %d %s", r.StatusCode, r.body)
	}
	if me := bob.me(); me.Role != wire.RoleAdmin || !me.FactorNeeded {
		t.Errorf("%+v", me)
	}
	var teams []wire.Team
	bob.into("/api/teams", &teams)
	if len(teams) != 1 || teams[0].Lead {
		t.Errorf("Bob leads %+v", teams)
	}
	if r := bob.ask("POST", "/api/teams/"+teams[0].ID+"/key", map[string]string{"key": "sk-1234567890123456"}); r.problem().Code != wire.CodeFactorNeeded {
		t.Errorf("a team's key: %d %s", r.StatusCode, r.body)
	}
	ann.want(200, "GET", "/api/people", nil)
	bob.withApp()
	bob.want(200, "GET", "/api/people", nil)
	if me := bob.me(); me.FactorNeeded {
		t.Errorf("%+v", me)
	}
	bob.want(204, "DELETE", "/api/totp", nil)
	bob.want(403, "GET", "/api/people", nil)
}
