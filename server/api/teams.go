package api

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"screentest/server/account"
	"screentest/server/people"
	"screentest/shared/money"
	"screentest/shared/wire"
)

// Bounds of the patterns of a team's allowed models.
const (
	maxPatterns = 200
	maxPattern  = 200 // bytes
)

// TeamBook is where teams are kept. What isn't there is an fs.ErrNotExist.
type TeamBook interface {
	Teams(ctx context.Context) ([]wire.Team, error)
	TeamsOf(ctx context.Context, owner string) ([]wire.Team, error)
	Team(ctx context.Context, id string) (wire.Team, error)
	MakeTeam(ctx context.Context, c wire.TeamChange) (id string, err error)
	ChangeTeam(ctx context.Context, id string, c wire.TeamChange) error
	DeleteTeam(ctx context.Context, id string) error
	PutInTeam(ctx context.Context, team, person string, lead bool) error
	TakeFromTeam(ctx context.Context, team, person string) error
}

// Teams has the addresses of teams and their people.
type Teams struct {
	Directory *people.Directory
	Book      TeamBook
}

// Routes are the addresses.
func (s *Teams) Routes() map[string]Handler {
	return map[string]Handler{
		"GET /api/teams":                         s.list,
		"POST /api/teams":                        s.create,
		"PATCH /api/teams/{id}":                  s.change,
		"DELETE /api/teams/{id}":                 s.remove,
		"PUT /api/teams/{id}/people/{person}":    s.put,
		"DELETE /api/teams/{id}/people/{person}": s.take,
	}
}

// list gives an admin all teams, and others their own: of those that they don't
// lead, who is in it and whether it has a key. A guest sees of people only who
// leads.
func (s *Teams) list(w http.ResponseWriter, r *http.Request, who people.Person) error {
	var all []wire.Team
	var err error
	if who.Role() == wire.RoleAdmin {
		all, err = s.Book.Teams(r.Context())
	} else {
		all, err = s.Book.TeamsOf(r.Context(), who.Owner)
	}
	if err != nil {
		return err
	}
	for i := range all {
		all[i] = seen(all[i], who)
		if t := &all[i]; t.KeyOrigin != s.Directory.Gateway().Origin { // and is of no use now
			t.HasKey, t.KeyLast4, t.KeySetMS = false, "", 0
		}
	}
	return answer(w, http.StatusOK, all)
}

// seen is a team as somebody may see it.
func seen(t wire.Team, who people.Person) wire.Team {
	t.Lead = who.Leads(t.ID)
	if t.Lead {
		return t
	}
	t.KeyLast4, t.KeySetMS, t.Limits = "", 0, wire.Limits{}
	for i := range t.People {
		t.People[i].Mapped = false
	}
	if who.Role() == wire.RoleGuest { // who may come from elsewhere, and asks the leads
		t.People = slices.DeleteFunc(t.People, func(m wire.TeamMate) bool { return !m.Lead && m.ID != who.Me.ID })
	}
	return t
}

func (s *Teams) create(w http.ResponseWriter, r *http.Request, who people.Person) error {
	var c wire.TeamChange
	if err := read(w, r, &c); err != nil {
		return err
	}
	if c.Name == nil {
		c.Name = new(string)
	}
	if err := checkTeam(&c); err != nil {
		return err
	}
	ctx := r.Context()
	id, err := s.Book.MakeTeam(ctx, c)
	if err != nil {
		return err
	}
	s.Directory.Note(ctx, people.Event{Action: "team.made", Object: id})
	return s.answerTeam(w, r, who, id)
}

func (s *Teams) change(w http.ResponseWriter, r *http.Request, who people.Person) error {
	var c wire.TeamChange
	if err := read(w, r, &c); err != nil {
		return err
	}
	if err := checkTeam(&c); err != nil {
		return err
	}
	ctx, id := r.Context(), r.PathValue("id")
	if err := s.Book.ChangeTeam(ctx, id, c); err != nil {
		return err
	}
	if err := s.Directory.Changed(ctx, s.Directory.In(id)...); err != nil {
		return err
	}
	detail := map[string]any{}
	if c.Name != nil {
		detail["name_changed"] = true
	}
	if c.Models != nil {
		detail["models"] = len(*c.Models)
	}
	if c.ApproveNanoUSD != nil {
		detail["approve_nano_usd"] = *c.ApproveNanoUSD
	}
	if len(detail) > 0 {
		s.Directory.Note(ctx, people.Event{Action: "team.changed", Object: id, Detail: detail})
	}
	if c.Limits != nil {
		s.Directory.Note(ctx, people.Event{Action: "limits.changed", Object: id, Detail: limitsDetail(*c.Limits)})
	}
	return s.answerTeam(w, r, who, id)
}

func (s *Teams) answerTeam(w http.ResponseWriter, r *http.Request, who people.Person, id string) error {
	t, err := s.Book.Team(r.Context(), id)
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, seen(t, who))
}

// checkTeam says what is wrong with a team's change, and takes the space around
// names away.
func checkTeam(c *wire.TeamChange) error {
	if c.Name != nil {
		name := strings.TrimSpace(*c.Name)
		switch n := utf8.RuneCountInString(name); {
		case n == 0:
			return invalid("name", "The team has no name.", "Give it one.")
		case n > wire.MaxTeamName:
			return invalid("name", fmt.Sprintf("The name has %d characters, and %d is the most.", n, wire.MaxTeamName), "Shorten it.")
		case strings.ContainsFunc(name, unicode.IsControl):
			return invalid("name", "The name has characters that can't be shown.", "Write it in letters.")
		}
		c.Name = &name
	}
	if c.Models != nil {
		if len(*c.Models) > maxPatterns {
			return invalid("models", fmt.Sprintf("A team has %d patterns of models at most.", maxPatterns), `An asterisk stands for any characters: "openai/*".`)
		}
		for i, p := range *c.Models {
			if p == "" || len(p) > maxPattern || strings.ContainsFunc(p, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
				return invalid(fmt.Sprintf("models[%d]", i), fmt.Sprintf("A pattern has 1 to %d bytes and no space in it.", maxPattern), `It is a model's id, or such as "openai/*".`)
			}
		}
	}
	if n := c.ApproveNanoUSD; n != nil && (*n < 0 || *n > wire.MaxBudgetNanoUSD) {
		return invalid("approve_nano_usd", "The amount above which a clip waits for approval is from $0, which is none, to "+money.NanoUSD(wire.MaxBudgetNanoUSD).String()+".", "Give it in nano-dollars.")
	}
	if c.Limits != nil {
		return checkLimits("limits", *c.Limits)
	}
	return nil
}

func (s *Teams) remove(w http.ResponseWriter, r *http.Request, _ people.Person) error {
	ctx, id := r.Context(), r.PathValue("id")
	of := s.Directory.In(id)
	if err := s.Book.DeleteTeam(ctx, id); err != nil {
		return err
	}
	if err := s.Directory.Changed(ctx, of...); err != nil {
		return err
	}
	s.Directory.Note(ctx, people.Event{Action: "team.deleted", Object: id})
	if p, named := withoutTeam(s.Directory.Policies(), id); named {
		if err := s.Directory.SetPolicies(ctx, p); err != nil {
			return err
		}
	}
	return done(w)
}

// withoutTeam takes a team out of what groups are mapped to, and says whether it
// was there.
func withoutTeam(p account.Policies, team string) (_ account.Policies, named bool) {
	groups := slices.Clone(p.Groups)
	for i, g := range groups {
		if !slices.Contains(g.Teams, team) {
			continue
		}
		named = true
		groups[i].Teams = slices.DeleteFunc(slices.Clone(g.Teams), func(id string) bool { return id == team })
		groups[i].Lead = g.Lead && len(groups[i].Teams) > 0
	}
	p.Groups = groups
	return p, named
}

// put puts somebody into a team, or changes whether they lead it.
func (s *Teams) put(w http.ResponseWriter, r *http.Request, _ people.Person) error {
	ctx, team, person := r.Context(), r.PathValue("id"), r.PathValue("person")
	var as struct {
		Lead bool `json:"lead"`
	}
	if r.ContentLength != 0 { // none: they don't lead
		if err := read(w, r, &as); err != nil {
			return err
		}
	}
	was, err := s.Directory.ByID(person)
	if err != nil {
		return err
	}
	if err := s.Book.PutInTeam(ctx, team, person, as.Lead); err != nil {
		return err
	}
	if err := s.Directory.Changed(ctx, was.Owner); err != nil {
		return err
	}
	before, in := membership(was.Me, team)
	detail := map[string]any{"person": person, "lead": as.Lead}
	switch {
	case !in:
		s.Directory.Note(ctx, people.Event{Action: "team.person_added", Object: team, Detail: detail})
	case before.Lead != as.Lead:
		s.Directory.Note(ctx, people.Event{Action: "team.lead_changed", Object: team, Detail: detail})
	}
	return done(w)
}

func membership(me wire.Me, team string) (wire.MyTeam, bool) {
	for _, t := range me.Teams {
		if t.ID == team {
			return t, true
		}
	}
	return wire.MyTeam{}, false
}

func (s *Teams) take(w http.ResponseWriter, r *http.Request, _ people.Person) error {
	ctx, team, person := r.Context(), r.PathValue("id"), r.PathValue("person")
	was, err := s.Directory.ByID(person)
	if err != nil {
		return err
	}
	if err := s.Book.TakeFromTeam(ctx, team, person); err != nil {
		return err
	}
	if err := s.Directory.Changed(ctx, was.Owner); err != nil {
		return err
	}
	s.Directory.Note(ctx, people.Event{Action: "team.person_removed", Object: team, Detail: map[string]any{"person": person}})
	return done(w)
}
