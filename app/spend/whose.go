package spend

import (
	"cmp"

	"screentest/shared/wire"
)

// Whose is somebody whose spend may be shown.
type Whose struct {
	Name string
	View View
	On   bool // it is shown
}

// Whose are those whose spend one may look at: one's own, that of the teams that
// one leads, or everybody's. There is nothing to choose from where it is one.
func (d *Desk) Whose() []Whose {
	as := func(name string, of wire.Of) Whose {
		v := d.View
		on := v.Everybody == of.Everybody && (v.Team == of.Team || v.Everybody) && (v.Person == "" || v.Others())
		v.Of = of
		return Whose{name, v, on}
	}
	mine := as("Mine", wire.Of{})
	mine.On = !d.View.Others()
	list := []Whose{mine}
	switch {
	case d.Spend != nil && d.Spend.MayEverybody:
		if d.Spend.Alone && !d.View.Everybody {
			return nil
		}
		all := as("Everybody’s", wire.Of{Everybody: true})
		all.On = d.View.Others()
		list = append(list, all)
	case d.Me != nil:
		for _, t := range d.Me.Teams {
			if t.Lead {
				list = append(list, as(t.Name, wire.Of{Team: t.ID}))
			}
		}
	}
	if len(list) == 1 {
		return nil
	}
	return list
}

// Narrowing is something that the spend shown is narrowed to beside its days.
type Narrowing struct {
	Name    string
	Without View
}

// Narrowings are the person, the team and the key that are shown alone. A team
// whose spend one chose to see is no narrowing.
func (d *Desk) Narrowings() []Narrowing {
	v := d.View
	var list []Narrowing
	add := func(name string, change func(*View)) {
		without := v
		change(&without)
		list = append(list, Narrowing{name, without})
	}
	if v.Person != "" {
		add(cmp.Or(d.nameOf(v.Person, people), "one person"), func(v *View) { v.Person = "" })
	}
	if v.Team != "" && v.Everybody {
		add(cmp.Or(d.nameOf(v.Team, teams), "one team"), func(v *View) { v.Team = "" })
	}
	if v.PaidBy != "" {
		add(v.PaidBy, func(v *View) { v.PaidBy = "" })
	}
	return list
}

func people(s *wire.Spend) []wire.SpendGroup { return s.People }
func teams(s *wire.Spend) []wire.SpendGroup  { return s.Teams }

// nameOf is the name of a person or a team of the figures.
func (d *Desk) nameOf(id string, groups func(*wire.Spend) []wire.SpendGroup) string {
	if d.Spend != nil {
		for _, g := range groups(d.Spend) {
			if g.ID == id {
				return g.Key
			}
		}
	}
	return ""
}

// Splits are what the bars may be split by: by person where they are of several,
// by team and key where several have paid.
func (d *Desk) Splits() []string {
	list := []string{wire.SplitByKind, wire.SplitByModel}
	add := func(split string, several bool) {
		if several || d.View.Split == split {
			list = append(list, split)
		}
	}
	if s := d.Spend; s != nil {
		add(wire.SplitByPerson, len(s.People) > 1)
		add(wire.SplitByTeam, len(s.Teams) > 1)
		add(wire.SplitByPaidBy, len(s.PaidBy) > 1)
	}
	return list
}

// SplitName is what a split is called.
func SplitName(split string) string {
	if split == wire.SplitByPaidBy {
		return "By key"
	}
	return "By " + split
}
