package api

import (
	"net/http"

	"screentest/server/people"
)

// Sessions has the addresses of one's own sessions.
type Sessions struct {
	People *people.Directory
}

// Routes are the addresses.
func (s *Sessions) Routes() map[string]Handler {
	return map[string]Handler{
		"GET /api/sessions":         s.list,
		"DELETE /api/sessions":      s.endOthers,
		"DELETE /api/sessions/{id}": s.end,
	}
}

func (s *Sessions) list(w http.ResponseWriter, _ *http.Request, who people.Person) error {
	return answer(w, http.StatusOK, s.People.MySessions(who))
}

func (s *Sessions) end(w http.ResponseWriter, r *http.Request, who people.Person) error {
	id := r.PathValue("id")
	if err := s.People.EndSession(r.Context(), who, id); err != nil {
		return err
	}
	s.note(r, who, id)
	return done(w)
}

func (s *Sessions) endOthers(w http.ResponseWriter, r *http.Request, who people.Person) error {
	if err := s.People.EndOthers(r.Context(), who); err != nil {
		return err
	}
	s.note(r, who, "")
	return done(w)
}

// note has the audit told of a session that ended, or of all others.
func (s *Sessions) note(r *http.Request, who people.Person, id string) {
	e := people.Event{Person: who.Owner, Action: "session.ended", Object: id, Address: s.People.Address(r)}
	if id == "" {
		e.Detail = map[string]any{"which": "all others"}
	}
	s.People.Note(r.Context(), e)
}
