package door

import (
	"cmp"
	"encoding/json"
	"screentest/app/session"
	"screentest/shared/wire"
	"slices"
)

// Security is what a person sees and changes of their own ways in and sessions.
// Its texts are the fields.
type Security struct {
	Known    bool          // Ways and Sessions are what the server has
	Ways     wire.Security // how one gets in
	Offered  wire.Ways     // how one may get in here
	Sessions []wire.Session
	Problem  *wire.Problem // why they could not be read

	Password Password
	Passkey  NewPasskey
	App      App
	Codes    []string // recovery codes, shown this once
	Proof    Proof
	Outcome  Outcome // of the last thing that was done to the list of a part

	o     SecurityOptions
	asked bool
}

// Outcome is how something went in a part of the page.
type Outcome struct {
	Part  string // "password", "passkeys", "app", "codes", "sessions"
	Words string
	Bad   bool
}

// SecurityOptions are what a Security works with. All must be given.
type SecurityOptions struct {
	Server   session.API
	Passkeys Passkeys
	// Changed has it drawn; Focus moves the focus to a field once it is.
	Changed func()
	Focus   func(field string)
}

// NewSecurity returns a Security that knows nothing yet.
func NewSecurity(o SecurityOptions) *Security { return &Security{o: o} }

// Want has it read once; it is called with each draw.
func (s *Security) Want() {
	if !s.asked {
		s.asked = true
		s.Read()
	}
}

// Read reads everything anew.
func (s *Security) Read() {
	s.Problem = nil
	var sessions []wire.Session
	left := 3
	for path, v := range map[string]any{"/api/security": &s.Ways, "/api/sessions": &sessions, "/api/ways": &s.Offered} {
		s.o.Server.Ask("GET", path, nil, func(data json.RawMessage, p *wire.Problem) {
			if p = session.Read(data, p, v); p != nil {
				s.unread(p)
				return
			}
			if left--; left == 0 {
				s.Sessions, s.Known = ordered(sessions), true
				s.o.Changed()
			}
		})
	}
}

// ordered has this session first, then those that were seen last.
func ordered(list []wire.Session) []wire.Session {
	slices.SortStableFunc(list, func(a, b wire.Session) int {
		if a.Current != b.Current {
			return map[bool]int{true: -1, false: 1}[a.Current]
		}
		return cmp.Compare(b.SeenMS, a.SeenMS)
	})
	return list
}

func (s *Security) unread(p *wire.Problem) {
	s.Problem = p
	s.o.Changed()
}

// Leave forgets what is shown only once, and what was typed.
func (s *Security) Leave() {
	s.asked, s.Codes, s.App, s.Password, s.Passkey, s.Proof, s.Outcome = false, nil, App{}, Password{}, NewPasskey{}, Proof{}, Outcome{}
}

func (s *Security) say(part, words string, p *wire.Problem) {
	s.Outcome = Outcome{Part: part, Words: words}
	if p != nil {
		s.Outcome = Outcome{Part: part, Words: p.Words(), Bad: true}
	}
	s.o.Changed()
}

// Said is how the last thing went, if that was in this part.
func (s *Security) Said(part string) Outcome {
	if s.Outcome.Part != part {
		return Outcome{}
	}
	return s.Outcome
}

// Password is the form for another one.
type Password struct {
	Old, New string
	Busy     bool
	Problem  *wire.Problem
}

// The fields of the password's form, by the names that the server has for them.
const (
	FieldOld = "old"
	FieldNew = "new"
)

// Wrong says what is wrong with a field; of the form itself where that is "".
func (f *Password) Wrong(field string) string {
	if f.Problem == nil {
		return ""
	}
	at := f.Problem.Field
	if at != FieldOld && at != FieldNew {
		at = ""
	}
	if at != field {
		return ""
	}
	return f.Problem.Words()
}

// ChangePassword sends the form; somebody without a password gets one.
func (s *Security) ChangePassword() {
	f := &s.Password
	if f.Busy {
		return
	}
	f.Problem = badPassword(FieldNew, f.New)
	if s.Ways.Password && f.Old == "" {
		f.Problem = wrong(FieldOld, "Enter your current password.")
	}
	if f.Problem != nil {
		s.o.Focus(f.Problem.Field)
		s.o.Changed()
		return
	}
	f.Busy, s.Outcome = true, Outcome{}
	s.o.Changed()
	s.o.Server.Ask("POST", "/api/password", map[string]string{"old": f.Old, "new": f.New}, func(_ json.RawMessage, p *wire.Problem) {
		f.Busy = false
		if p != nil {
			if p.Code == wire.CodeWrong && p.Field == "" {
				p.Field = FieldOld
			}
			f.Problem = p
			s.o.Focus(p.Field)
			s.o.Changed()
			return
		}
		*f = Password{}
		s.say("password", "Your password has been changed and your other sessions ended.", nil)
		s.Read()
	})
}

// EndSession ends one of the sessions.
func (s *Security) EndSession(id string) {
	s.o.Server.Ask("DELETE", "/api/sessions/"+id, nil, func(_ json.RawMessage, p *wire.Problem) {
		s.say("sessions", "Session ended.", p)
		s.Read()
	})
}

// EndOthers ends all sessions but this one.
func (s *Security) EndOthers() {
	s.o.Server.Ask("DELETE", "/api/sessions", nil, func(_ json.RawMessage, p *wire.Problem) {
		s.say("sessions", "All other sessions ended.", p)
		s.Read()
	})
}
