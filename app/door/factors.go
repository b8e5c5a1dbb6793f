package door

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"screentest/app/session"
	"screentest/shared/wire"
)

// NewPasskey is the form for one.
type NewPasskey struct {
	Name    string
	Busy    bool
	Problem *wire.Problem
}

// Passkeys says whether this browser has them.
func (s *Security) Passkeys() bool { return s.o.Passkeys.There() }

// AddPasskey has the browser make a passkey, and the server keep it.
func (s *Security) AddPasskey() {
	f := &s.Passkey
	if f.Busy {
		return
	}
	name := strings.TrimSpace(f.Name)
	switch {
	case name == "":
		f.Problem = wrong(FieldName, "Give it a name you’ll recognise, such as the device’s.")
	case utf8.RuneCountInString(name) > wire.MaxPasskeyName:
		f.Problem = wrong(FieldName, "The name is too long.")
	default:
		f.Problem = nil
	}
	if f.Problem != nil {
		s.o.Focus("passkey-name")
		s.o.Changed()
		return
	}
	s.proven("POST", "/api/passkeys/begin", "passkeys", func(data json.RawMessage) {
		f.Busy = true
		s.o.Changed()
		keepPasskey(s.o.Server.Ask, s.o.Passkeys, data, name, func(added wire.PasskeyAdded, p *wire.Problem) {
			f.Busy = false
			if p != nil {
				s.say("passkeys", "", p)
				return
			}
			*f = NewPasskey{}
			s.show(added.Codes)
			s.say("passkeys", "The passkey is added. Next time, sign in with it.", nil)
			s.Read()
		})
	})
}

// keepPasskey has the device make a passkey as the server has begun it, and the
// server keep it.
func keepPasskey(ask func(method, path string, in any, done session.Done), device Passkeys, data json.RawMessage, name string, done func(wire.PasskeyAdded, *wire.Problem)) {
	var begun wire.PasskeyBegun
	var added wire.PasskeyAdded
	if p := session.Read(data, nil, &begun); p != nil {
		done(added, p)
		return
	}
	device.Make(begun.Options, func(credential json.RawMessage, why string) {
		if credential == nil {
			done(added, &wire.Problem{Code: "no_passkey", Message: why})
			return
		}
		ask("POST", "/api/passkeys/finish", wire.PasskeyFinish{Name: name, Credential: credential}, func(data json.RawMessage, p *wire.Problem) {
			done(added, session.Read(data, p, &added))
		})
	})
}

// RemovePasskey removes one.
func (s *Security) RemovePasskey(id string) {
	s.proven("DELETE", "/api/passkeys/"+id, "passkeys", func(json.RawMessage) {
		s.say("passkeys", "The passkey is removed. Remove it on the device too.", nil)
		s.Read()
	})
}

// App is an authenticator app on its way to become a second factor.
type App struct {
	Begun   *wire.TOTPBegun // nil before it was begun
	Code    string
	Busy    bool
	Problem *wire.Problem
}

// BeginApp asks for a secret that an authenticator app is to have.
func (s *Security) BeginApp() {
	s.proven("POST", "/api/totp/begin", "app", func(data json.RawMessage) {
		var begun wire.TOTPBegun
		if p := session.Read(data, nil, &begun); p != nil {
			s.say("app", "", p)
			return
		}
		s.App = App{Begun: &begun}
		s.o.Focus("app-code")
		s.o.Changed()
	})
}

// FinishApp shows the server that the app has the secret.
func (s *Security) FinishApp() {
	f := &s.App
	if f.Busy || f.Begun == nil {
		return
	}
	code := strings.ReplaceAll(strings.TrimSpace(f.Code), " ", "")
	if code == "" {
		f.Problem = wrong(FieldCode, "Enter the code from the app.")
		s.o.Focus("app-code")
		s.o.Changed()
		return
	}
	f.Busy, f.Problem = true, nil
	s.o.Changed()
	s.o.Server.Ask("POST", "/api/totp/finish", wire.TOTPFinish{Code: code}, func(data json.RawMessage, p *wire.Problem) {
		f.Busy = false
		var got wire.Codes
		if p == nil && len(data) > 0 {
			p = session.Read(data, nil, &got)
		}
		if p != nil {
			f.Problem = p
			s.o.Focus("app-code")
			s.o.Changed()
			return
		}
		*f = App{}
		s.show(got.Codes)
		s.say("app", "The app is set up. Signing in with your password now asks for its code.", nil)
		s.Read()
	})
}

// CancelApp lets go of a secret that no app has.
func (s *Security) CancelApp() {
	s.App = App{}
	s.o.Changed()
}

// RemoveApp removes the authenticator app.
func (s *Security) RemoveApp() {
	s.proven("DELETE", "/api/totp", "app", func(json.RawMessage) {
		s.say("app", "The authenticator app is removed.", nil)
		s.Read()
	})
}

// NewCodes makes new recovery codes; the old ones hold no more.
func (s *Security) NewCodes() {
	s.proven("POST", "/api/recovery", "codes", func(data json.RawMessage) {
		var got wire.Codes
		if p := session.Read(data, nil, &got); p != nil {
			s.say("codes", "", p)
			return
		}
		s.show(got.Codes)
		s.Read()
	})
}

func (s *Security) show(codes []string) {
	if len(codes) > 0 {
		s.Codes = codes
		s.o.Focus("recovery-codes")
	}
}

// HideCodes is for who has put them by.
func (s *Security) HideCodes() {
	s.Codes = nil
	s.o.Changed()
}
