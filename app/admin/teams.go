package admin

import (
	"cmp"
	"slices"
	"strings"

	"screentest/app/figure"
	"screentest/shared/wire"
)

// FieldModels is the field of a team's patterns of models.
const FieldModels = "models"

// FieldApprove is the field of the price above which a clip waits for a lead.
const FieldApprove = "approve"

// Teams are those that the person sees, and the one of them that is shown.
type Teams struct {
	desk *Desk

	List    []wire.Team // Everyone first, then by their names
	Came    bool
	Problem *wire.Problem

	New  Form // of a team to be made
	Made string

	At string // the id of the one that is shown; "" shows the list
	// Name, Models, Limits and Approve are forms of that one; Key is its key.
	Name, Models, Limits, Approve Form
	Key                           Key

	// Adding is what is typed to find who comes into the team. Moving is the
	// person whose place is being changed; "" is nobody.
	Adding, Moving string
	Trouble        *wire.Problem // with the people
	Deleting       Form          // is asked about, with the name typed
	Asked          bool          // whether it shall be deleted
}

// Key is what becomes of a key that is entered or removed. The key itself is
// only ever in its field, until it has been sent.
type Key struct {
	Busy    bool
	Done    string
	Wrong   string // with what was entered
	Removal bool   // is asked about
}

// at shows a team, or with "" the list.
func (t *Teams) at(id string) {
	if id != t.At {
		t.show(id)
	}
}

func (t *Teams) show(id string) {
	*t = Teams{desk: t.desk, List: t.List, Came: t.Came, Problem: t.Problem, New: t.New, Made: t.Made, At: id}
}

func (t *Teams) fetch() {
	var list []wire.Team
	t.desk.get("/api/teams", &list, func(p *wire.Problem) {
		if t.Problem = p; p == nil {
			slices.SortStableFunc(list, func(a, b wire.Team) int {
				return cmp.Or(first(a.Everyone, b.Everyone), byName(a.Name, b.Name))
			})
			t.List, t.Came = list, true
		}
	})
}

// first sorts what is so before what isn't.
func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// byName sorts as a person does, whatever is written large.
func byName(a, b string) int { return cmp.Compare(strings.ToLower(a), strings.ToLower(b)) }

// Find returns the team with an id, nil where there is none.
func (t *Teams) Find(id string) *wire.Team {
	for i := range t.List {
		if t.List[i].ID == id {
			return &t.List[i]
		}
	}
	return nil
}

// Shown is the team that is shown. Where there is one only it is that one, and
// the page doesn't speak of teams.
func (t *Teams) Shown() *wire.Team {
	if t.Single() {
		return &t.List[0]
	}
	return t.Find(t.At)
}

// Single says that there is one team only, Everyone.
func (t *Teams) Single() bool { return t.Came && len(t.List) == 1 && t.List[0].Everyone }

// Several says that there is more than Everyone, so that there are teams to
// speak of.
func (t *Teams) Several() bool { return len(t.List) > 1 }

// Led are the teams whose people and key the person may change.
func (t *Teams) Led() []wire.Team {
	var led []wire.Team
	for _, one := range t.List {
		if t.MayLead(one) {
			led = append(led, one)
		}
	}
	return led
}

// MayLead says whether the person may change a team's people and key.
func (t *Teams) MayLead(one wire.Team) bool {
	me := t.desk.Session.Me()
	return one.Lead || me != nil && me.Leads(one.ID)
}

// Names are those of some teams, in words.
func (t *Teams) Names(ids []string) string {
	var names []string
	for _, id := range ids {
		if one := t.Find(id); one != nil && !one.Everyone {
			names = append(names, one.Name)
		}
	}
	return strings.Join(names, ", ")
}

// Make makes a team of the name that is typed.
func (t *Teams) Make() {
	f := &t.New
	f.Wrong = nil
	name := t.named(f, "")
	if t.desk.begin(f) {
		var made wire.Team
		t.desk.do("POST", "/api/teams", wire.TeamChange{Name: &name}, &made, func(p *wire.Problem) {
			f.end(p, FieldName)
			if p == nil {
				t.Made = name
				t.fetch()
			}
		})
	}
	t.desk.Changed()
}

// named reads the name of a form's team.
func (t *Teams) named(f *Form, set string) string {
	name := strings.TrimSpace(f.Value(FieldName, set))
	if name == "" {
		f.wrong(FieldName, "Enter a name.")
	}
	return name
}

// Rename sends the name that is typed.
func (t *Teams) Rename() {
	t.change(&t.Name, func(one wire.Team) (c wire.TeamChange) {
		name := t.named(&t.Name, one.Name)
		c.Name = &name
		return c
	}, FieldName)
}

// SaveModels sends the patterns that are typed.
func (t *Teams) SaveModels() {
	t.change(&t.Models, func(one wire.Team) (c wire.TeamChange) {
		patterns := Patterns(t.Models.Value(FieldModels, strings.Join(one.Models, "\n")))
		c.Models = &patterns
		return c
	}, FieldModels)
}

// SaveLimits sends the limits that are typed.
func (t *Teams) SaveLimits() {
	t.change(&t.Limits, func(one wire.Team) (c wire.TeamChange) {
		l := t.Limits.limits(one.Limits, t.desk.Zone())
		c.Limits = &l
		return c
	}, Day, Month, Warn, Zone)
}

// SaveApprove sends the amount above which a clip waits for a lead.
func (t *Teams) SaveApprove() {
	t.change(&t.Approve, func(one wire.Team) (c wire.TeamChange) {
		nano, wrong := figure.Typed(t.Approve.Value(FieldApprove, ApproveText(one)), "amount", wire.MaxBudgetNanoUSD)
		t.Approve.wrong(FieldApprove, wrong)
		c.ApproveNanoUSD = &nano
		return c
	}, FieldApprove)
}

// ApproveText is a team's amount as one types it.
func ApproveText(one wire.Team) string { return dollars(one.ApproveNanoUSD) }

func (t *Teams) change(f *Form, what func(wire.Team) wire.TeamChange, fields ...string) {
	one := t.Shown()
	if one == nil {
		return
	}
	f.Wrong = nil
	change := what(*one)
	if t.desk.begin(f) {
		t.desk.do("PATCH", "/api/teams/"+one.ID, change, nil, func(p *wire.Problem) {
			f.end(p, fields...)
			t.fetch()
		})
	}
	t.desk.Changed()
}

// Delete deletes the team that is shown, if its name is typed; done is called
// when it is gone.
func (t *Teams) Delete(done func()) {
	one := t.Shown()
	if one == nil || !t.Named() || !t.Deleting.begin() {
		return
	}
	id := one.ID
	t.desk.do("DELETE", "/api/teams/"+id, nil, nil, func(p *wire.Problem) {
		t.Deleting.end(p)
		t.fetch()
		if p == nil && t.At == id {
			t.show("")
			done()
		}
	})
}

// Named says whether the name of the team that is to be deleted is typed.
func (t *Teams) Named() bool {
	one := t.Shown()
	return one != nil && strings.TrimSpace(t.Deleting.Value(FieldName, "")) == one.Name
}

// SetKey sends a key. With "" there is nothing to send; forget empties the field
// once the key is taken.
func (t *Teams) SetKey(key string, forget func()) {
	one := t.Shown()
	if one == nil || t.Key.Busy {
		return
	}
	if key == "" {
		t.Key = Key{Wrong: "Enter the key first."}
		t.desk.Changed()
		return
	}
	t.keyed(one.ID, "POST", map[string]string{"key": key}, "Key saved.", forget)
}

// RemoveKey removes the team's key.
func (t *Teams) RemoveKey() {
	if one := t.Shown(); one != nil && !t.Key.Busy {
		t.keyed(one.ID, "DELETE", nil, "Key removed.", func() {})
	}
}

func (t *Teams) keyed(id, method string, in any, done string, then func()) {
	t.Key = Key{Busy: true}
	t.desk.do(method, "/api/teams/"+id+"/key", in, nil, func(p *wire.Problem) {
		if p != nil {
			t.Key = Key{Wrong: p.Words()}
			return
		}
		t.Key = Key{Done: done}
		then()
		t.fetch()
	})
}
