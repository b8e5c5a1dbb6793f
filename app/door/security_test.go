package door

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"screentest/shared/wire"
)

func newSecurity(t *testing.T, answers map[string]any) (*Security, *server, *device, *[]string) {
	s := &server{t: t, answers: map[string]any{
		"GET /api/security": wire.Security{Password: true, Passkeys: []wire.Passkey{{ID: "k1", Name: "Laptop"}}},
		"GET /api/ways":     allWays,
		"GET /api/sessions": []wire.Session{{ID: "a", SeenMS: 5}, {ID: "b", SeenMS: 9}, {ID: "c", SeenMS: 1, Current: true}},
	}}
	for k, v := range answers {
		s.answers[k] = v
	}
	d, focus := &device{}, []string{}
	sec := NewSecurity(SecurityOptions{Server: s, Passkeys: d, Changed: func() {}, Focus: func(f string) { focus = append(focus, f) }})
	sec.Want()
	sec.Want()
	return sec, s, d, &focus
}

func done(string) any { return nil }

func TestSecurityIsReadOnceAndTheCurrentSessionComesFirst(t *testing.T) {
	sec, s, _, _ := newSecurity(t, nil)
	var ids []string
	for _, x := range sec.Sessions {
		ids = append(ids, x.ID)
	}
	if !sec.Known || !slices.Equal(ids, []string{"c", "b", "a"}) || len(s.asked) != 3 {
		t.Errorf("known %v, %q, asked %q", sec.Known, ids, s.asked)
	}
	sec.Codes = []string{"x"}
	sec.Leave()
	if sec.Codes != nil {
		t.Error("recovery codes are still there after the page was left")
	}
}

func TestChangingThePassword(t *testing.T) {
	sec, s, _, focus := newSecurity(t, map[string]any{"POST /api/password": func(body string) any {
		if !strings.Contains(body, `"old":"right horse"`) {
			return &wire.Problem{Code: wire.CodeWrong, Message: "That is not your password."}
		}
		return nil
	}})
	f := &sec.Password
	f.New = "short"
	sec.ChangePassword()
	if f.Wrong(FieldOld) == "" {
		t.Errorf("without the old one: %+v", f.Problem)
	}
	f.Old = "wrong horse"
	sec.ChangePassword()
	if f.Wrong(FieldNew) == "" || f.Wrong(FieldOld) != "" || len(s.asked) != 3 {
		t.Errorf("a short one: %+v", f.Problem)
	}
	f.New = "long enough"
	sec.ChangePassword()
	if f.Wrong(FieldOld) != "That is not your password." || !slices.Equal(*focus, []string{"old", "new", "old"}) {
		t.Errorf("a wrong one: %+v, focus %q", f.Problem, *focus)
	}
	f.Old = "right horse"
	sec.ChangePassword()
	if out := sec.Said("password"); out.Bad || out.Words == "" || f.Old != "" || f.New != "" {
		t.Errorf("%+v, %+v", out, f)
	}
}

func TestEndingSessions(t *testing.T) {
	sec, s, _, _ := newSecurity(t, map[string]any{"DELETE /api/sessions/a": done, "DELETE /api/sessions": &wire.Problem{Code: "x", Message: "No."}})
	sec.EndSession("a")
	if out := sec.Said("sessions"); out.Bad || out.Words == "" || len(s.asked) != 7 {
		t.Errorf("%+v, asked %q", out, s.asked)
	}
	sec.EndOthers()
	if out := sec.Said("sessions"); !out.Bad || out.Words != "No." {
		t.Errorf("%+v", out)
	}
	if sec.Said("password").Words != "" {
		t.Error("it is said in another part too")
	}
}

// What changes the ways in wants to know that it is still the same person.
func TestAProofIsAskedForWhereTheServerWantsOne(t *testing.T) {
	sec, s, _, _ := newSecurity(t, map[string]any{"DELETE /api/passkeys/k1": func(body string) any {
		switch {
		case strings.Contains(body, "right horse"):
			return nil
		case strings.Contains(body, "password"):
			return &wire.Problem{Code: wire.CodeWrong, Message: "That is not your password."}
		}
		return &wire.Problem{Code: wire.CodeProofNeeded, Message: "Prove it."}
	}})
	sec.RemovePasskey("k1")
	if !sec.Proof.Open || sec.Said("passkeys").Words != "" {
		t.Fatalf("%+v", sec.Proof)
	}
	sec.Prove()
	if sec.Proof.Problem == nil || len(s.asked) != 4 {
		t.Errorf("nothing was entered: %+v", sec.Proof)
	}
	sec.Proof.Password = "wrong horse"
	sec.Prove()
	if !sec.Proof.Open || sec.Proof.Busy || sec.Proof.Problem.Message != "That is not your password." {
		t.Errorf("%+v", sec.Proof)
	}
	sec.Proof.Password = "right horse"
	sec.Prove()
	if sec.Proof.Open || sec.Proof.Password != "" || sec.Said("passkeys").Bad || sec.Said("passkeys").Words == "" {
		t.Errorf("%+v, %+v", sec.Proof, sec.Outcome)
	}
	sec.RemovePasskey("k1")
	sec.DontProve()
	if sec.Proof.Open {
		t.Error("it can't be left")
	}
}

func TestAddingAPasskey(t *testing.T) {
	sec, s, d, _ := newSecurity(t, map[string]any{
		"POST /api/passkeys/begin":  wire.PasskeyBegun{Options: json.RawMessage(`{"challenge":"c"}`)},
		"POST /api/passkeys/finish": wire.PasskeyAdded{Codes: []string{"one", "two"}},
	})
	sec.AddPasskey()
	if sec.Passkey.Problem == nil || len(s.asked) != 3 {
		t.Errorf("without a name: %+v", sec.Passkey)
	}
	sec.Passkey.Name = " My phone "
	d.why = "None was made."
	sec.AddPasskey()
	if out := sec.Said("passkeys"); !out.Bad || out.Words != "None was made." || sec.Passkey.Busy || sec.Passkey.Name == "" {
		t.Errorf("%+v, %+v", out, sec.Passkey)
	}
	d.why = ""
	sec.AddPasskey()
	if out := sec.Said("passkeys"); out.Bad || !slices.Equal(sec.Codes, []string{"one", "two"}) || sec.Passkey.Name != "" ||
		!slices.Contains(s.bodies, `{"name":"My phone","credential":{"id":"k"}}`) {
		t.Errorf("%+v, codes %q, sent %q", out, sec.Codes, s.bodies)
	}
}

func TestSettingUpAnApp(t *testing.T) {
	sec, _, _, focus := newSecurity(t, map[string]any{
		"POST /api/totp/begin": wire.TOTPBegun{Secret: "ABCD", QR: wire.QR{Size: 29, Path: "M0 0h1v1h-1z"}},
		"POST /api/totp/finish": func(body string) any {
			if body != `{"code":"123456"}` {
				return &wire.Problem{Code: wire.CodeWrong, Field: "code", Message: "The code is wrong."}
			}
			return wire.Codes{Codes: []string{"one"}}
		},
		"DELETE /api/totp": done, "POST /api/recovery": wire.Codes{Codes: []string{"new"}},
	})
	sec.BeginApp()
	if sec.App.Begun == nil || sec.App.Begun.Secret != "ABCD" {
		t.Fatalf("%+v", sec.App)
	}
	sec.FinishApp()
	if sec.App.Problem == nil {
		t.Error("without a code it was sent")
	}
	sec.App.Code = "000000"
	sec.FinishApp()
	if sec.App.Problem.Message != "The code is wrong." || sec.App.Busy || sec.App.Begun == nil {
		t.Errorf("%+v", sec.App)
	}
	sec.App.Code = "123 456"
	sec.FinishApp()
	if sec.App.Begun != nil || !slices.Equal(sec.Codes, []string{"one"}) || (*focus)[len(*focus)-1] != "recovery-codes" {
		t.Errorf("%+v, codes %q, focus %q", sec.App, sec.Codes, *focus)
	}
	sec.HideCodes()
	sec.RemoveApp()
	if out := sec.Said("app"); out.Bad || out.Words == "" {
		t.Errorf("%+v", out)
	}
	sec.NewCodes()
	if !slices.Equal(sec.Codes, []string{"new"}) {
		t.Errorf("codes %q", sec.Codes)
	}
}
