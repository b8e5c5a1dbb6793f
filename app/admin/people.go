package admin

import (
	"slices"
	"strings"
	"time"

	"screentest/app/figure"
	"screentest/shared/wire"
)

// The fields of a person's form, beside those of limits.
const (
	FieldName = "name"
	FieldRole = "role"
)

// step is how many rows of a long list are shown at first, and more each time.
const step = 100

// People are all who have an account, and the one of them that is shown.
type People struct {
	desk *Desk

	List    []wire.Person // by their names
	Came    bool
	Problem *wire.Problem

	Query string // that is searched for
	Most  int    // that are shown

	At string // the id of the one that is shown; "" shows the list
	// Form has the account of that one; Link was made for them, and Leaving is
	// how they go.
	Form    Form
	Link    Link
	Leaving Leaving
}

// Link is one that is shown once, to be handed over.
type Link struct {
	URL     string
	Making  bool
	Problem *wire.Problem
}

// at shows a person, or with "" the list.
func (p *People) at(id string) {
	if p.Most == 0 {
		p.Most = step
	}
	if id != p.At {
		p.At, p.Form, p.Link, p.Leaving = id, Form{}, Link{}, Leaving{}
	}
}

func (p *People) fetch() {
	var list []wire.Person
	p.desk.get("/api/people", &list, func(problem *wire.Problem) {
		if p.Problem = problem; problem == nil {
			slices.SortStableFunc(list, func(a, b wire.Person) int { return byName(a.Name, b.Name) })
			p.List, p.Came = list, true
		}
	})
}

// Find returns the person with an id, nil where there is none.
func (p *People) Find(id string) *wire.Person {
	for i := range p.List {
		if p.List[i].ID == id {
			return &p.List[i]
		}
	}
	return nil
}

// Alone says that nobody but who asks has an account.
func (p *People) Alone() bool { return p.Came && len(p.List) == 1 }

// Found are those who have every word of the query in their name, e-mail, role
// or teams, or in whether they are active.
func (p *People) Found() []wire.Person {
	words := strings.Fields(strings.ToLower(p.Query))
	if len(words) == 0 {
		return p.List
	}
	var found []wire.Person
	for _, one := range p.List {
		text := strings.ToLower(one.Name + "\n" + one.Email + "\n" + one.Role)
		if !one.Active {
			text += "\ndeactivated"
		}
		for _, t := range one.Teams {
			text += "\n" + strings.ToLower(t.Name)
		}
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) }) {
			found = append(found, one)
		}
	}
	return found
}

// Search shows those who are found by a query.
func (p *People) Search(query string) {
	p.Query, p.Most = query, step
	p.desk.Changed()
}

// More shows more of a long list.
func (p *People) More() {
	p.Most += step
	p.desk.Changed()
}

// Save sends what was changed of the person who is shown.
func (p *People) Save() {
	one, f := p.Find(p.At), &p.Form
	if one == nil {
		return
	}
	f.Wrong = nil
	var change wire.PersonChange
	if f.Changed(FieldName) {
		name := strings.TrimSpace(f.Value(FieldName, ""))
		if name == "" {
			f.wrong(FieldName, "Enter a name.")
		}
		change.Name = &name
	}
	if f.Changed(FieldRole) {
		role := f.Value(FieldRole, "")
		change.Role = &role
	}
	if f.limited() {
		l := f.limits(one.Limits, p.desk.Zone())
		change.Limits = &l
	}
	if p.desk.begin(f) {
		p.desk.do("PATCH", "/api/people/"+one.ID, change, nil, func(problem *wire.Problem) {
			f.end(problem, FieldName, FieldRole, Day, Month, Warn, Zone)
			p.fetch()
		})
	}
	p.desk.Changed()
}

// Reset makes a link by which the person sets a new password.
func (p *People) Reset() {
	if p.Link.Making {
		return
	}
	id := p.At
	p.Link = Link{Making: true}
	var made struct {
		Link string `json:"link"`
	}
	p.desk.do("POST", "/api/people/"+id+"/reset", struct{}{}, &made, func(problem *wire.Problem) {
		if p.At == id {
			p.Link = Link{URL: made.Link, Problem: problem}
		}
	})
}

// TeamNames are the teams of a person in words; of Everyone nothing is said.
func (p *People) TeamNames(one wire.Person) string {
	var names []string
	for _, t := range one.Teams {
		if known := p.desk.Teams.Find(t.ID); known != nil && known.Everyone {
			continue
		}
		if t.Lead {
			names = append(names, t.Name+" (lead)")
		} else {
			names = append(names, t.Name)
		}
	}
	return strings.Join(names, ", ")
}

// RoleName is a role as a person reads it.
func RoleName(role string) string {
	switch role {
	case wire.RoleAdmin:
		return "Admin"
	case wire.RoleMember:
		return "Member"
	case wire.RoleGuest:
		return "Guest"
	}
	return role
}

// RoleWords say what who has a role may do.
func RoleWords(role string) string {
	switch role {
	case wire.RoleAdmin:
		return "Manages people, teams, keys, limits and the audit. Can’t read others’ conversations."
	case wire.RoleMember:
		return "Sends requests, within the limits."
	case wire.RoleGuest:
		return "Sees what’s shared with them; can’t send requests."
	}
	return ""
}

// Ago says how long ago somebody was seen in a session that holds; 0: in none.
func Ago(now time.Time, ms int64) string {
	if ms == 0 {
		return "not signed in"
	}
	switch d := now.Sub(time.UnixMilli(ms)); {
	case d < 2*time.Minute:
		return "now"
	case d < time.Hour:
		return figure.Plural(int(d/time.Minute), "minute", "minutes") + " ago"
	case d < 24*time.Hour:
		return figure.Plural(int(d/time.Hour), "hour", "hours") + " ago"
	default:
		return figure.Plural(int(d/(24*time.Hour)), "day", "days") + " ago"
	}
}
