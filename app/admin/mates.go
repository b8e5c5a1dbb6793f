package admin

import (
	"cmp"
	"slices"
	"strings"

	"screentest/shared/wire"
)

// candidates is how many are offered at once to come into a team.
const candidates = 8

// Mates are the people of a team, its leads first.
func Mates(one wire.Team) []wire.TeamMate {
	list := slices.Clone(one.People)
	slices.SortStableFunc(list, func(a, b wire.TeamMate) int {
		return cmp.Or(first(a.Lead, b.Lead), byName(a.Name, b.Name))
	})
	return list
}

// Candidate is who may come into a team.
type Candidate struct{ ID, Name, Email string }

// Candidates are those whose name or e-mail has what is typed and who aren't in
// the team that is shown. A lead, who doesn't see the accounts, finds them by
// their names among Everyone.
func (t *Teams) Candidates() []Candidate {
	one, query := t.Shown(), strings.ToLower(strings.TrimSpace(t.Adding))
	if one == nil || query == "" {
		return nil
	}
	var all []Candidate
	if t.desk.Session.Admin() {
		for _, p := range t.desk.People.List {
			if p.Active {
				all = append(all, Candidate{p.ID, p.Name, p.Email})
			}
		}
	} else if len(t.List) > 0 && t.List[0].Everyone {
		for _, m := range t.List[0].People {
			all = append(all, Candidate{ID: m.ID, Name: m.Name})
		}
	}
	var found []Candidate
	for _, c := range all {
		in := slices.ContainsFunc(one.People, func(m wire.TeamMate) bool { return m.ID == c.ID })
		if !in && strings.Contains(strings.ToLower(c.Name+"\n"+c.Email), query) && len(found) < candidates {
			found = append(found, c)
		}
	}
	return found
}

// Offer offers who may come into the team.
func (t *Teams) Offer(query string) {
	t.Adding = query
	t.desk.Changed()
}

// Put puts a person into the team that is shown, as a lead or not.
func (t *Teams) Put(person string, lead bool) {
	t.move("PUT", person, map[string]bool{"lead": lead}, func() { t.Adding = "" })
}

// Remove takes a person out of it.
func (t *Teams) Remove(person string) { t.move("DELETE", person, nil, func() {}) }

func (t *Teams) move(method, person string, in any, done func()) {
	one := t.Shown()
	if one == nil || t.Moving != "" {
		return
	}
	t.Moving = person
	t.desk.do(method, "/api/teams/"+one.ID+"/people/"+person, in, nil, func(p *wire.Problem) {
		t.Moving = ""
		if t.Trouble = p; p == nil {
			done()
		}
		t.fetch()
	})
}
