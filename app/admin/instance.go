package admin

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"screentest/shared/wire"
)

// The fields of the policies, beside the name.
const (
	FieldPersonalKeys = "personal_keys"
	FieldTwoFactors   = "two_factors"
	FieldLinkShares   = "link_shares"
)

// Instance is what holds for the whole instance.
type Instance struct {
	desk *Desk

	Now     *wire.Instance // nil before it came
	Problem *wire.Problem

	// Policies has the name and the policies, Limits those of everybody together,
	// and Mapping tells how saving the groups went.
	Policies, Limits, Mapping Form
	groups                    []wire.Group // as they are typed
	edited                    bool         // they differ from what is set
	// WrongGroup is the row that something is wrong with, from 1, and Wrong what
	// that is; 0 is none.
	WrongGroup int
	Wrong      string
}

func (i *Instance) fetch() {
	var now wire.Instance
	i.desk.get("/api/instance", &now, func(p *wire.Problem) {
		if i.Problem = p; p == nil {
			i.Now = &now
		}
	})
}

// put sends a change, unless something of its form is wrong.
func (i *Instance) put(f *Form, change wire.InstanceChange, done func(*wire.Problem), fields ...string) {
	if i.desk.begin(f) {
		i.desk.do("PUT", "/api/instance", change, nil, func(p *wire.Problem) {
			f.end(p, fields...)
			done(p)
			i.fetch()
		})
	}
	i.desk.Changed()
}

// SavePolicies sends what was changed of the name and the policies.
func (i *Instance) SavePolicies() {
	if i.Now == nil {
		return
	}
	f := &i.Policies
	f.Wrong = nil
	var c wire.InstanceChange
	if f.Changed(FieldName) {
		c.Name = new(strings.TrimSpace(f.Value(FieldName, "")))
	}
	if f.Changed(FieldPersonalKeys) {
		c.PersonalKeys = new(f.On(FieldPersonalKeys, false))
	}
	if f.Changed(FieldTwoFactors) {
		c.TwoFactors = new(f.On(FieldTwoFactors, false))
	}
	if f.Changed(FieldLinkShares) {
		c.LinkShares = new(f.On(FieldLinkShares, false))
	}
	i.put(f, c, func(*wire.Problem) {}, FieldName, FieldPersonalKeys, FieldTwoFactors, FieldLinkShares)
}

// SaveLimits sends the limits of everybody together.
func (i *Instance) SaveLimits() {
	if i.Now == nil {
		return
	}
	f := &i.Limits
	f.Wrong = nil
	limits := f.limits(i.Now.Everybody, i.desk.Zone())
	i.put(f, wire.InstanceChange{Everybody: &limits}, func(*wire.Problem) {}, Day, Month, Warn, Zone)
}

// Groups are the rows of the map, as they are typed.
func (i *Instance) Groups() []wire.Group {
	if i.edited {
		return i.groups
	}
	if i.Now == nil {
		return nil
	}
	return i.Now.Groups
}

// Edited says that the map isn't saved.
func (i *Instance) Edited() bool { return i.edited }

func (i *Instance) edit(change func(list []wire.Group) []wire.Group) {
	i.groups, i.edited = change(slices.Clone(i.Groups())), true
	i.Mapping, i.WrongGroup = Form{}, 0
	i.desk.Changed()
}

// AddGroup adds an empty row to the map.
func (i *Instance) AddGroup() {
	i.edit(func(list []wire.Group) []wire.Group { return append(list, wire.Group{}) })
}

// RemoveGroup takes a row away.
func (i *Instance) RemoveGroup(n int) {
	i.edit(func(list []wire.Group) []wire.Group { return slices.Delete(list, n, n+1) })
}

// ChangeGroup changes a row.
func (i *Instance) ChangeGroup(n int, change func(*wire.Group)) {
	i.edit(func(list []wire.Group) []wire.Group { change(&list[n]); return list })
}

// ResetGroups gives up what is typed of the map.
func (i *Instance) ResetGroups() {
	i.groups, i.edited, i.Mapping, i.WrongGroup = nil, false, Form{}, 0
	i.desk.Changed()
}

// SaveGroups sends the map, unless a row has no group.
func (i *Instance) SaveGroups() {
	list := slices.Clone(i.Groups())
	i.WrongGroup = 0
	for n := range list {
		if list[n].Group = strings.TrimSpace(list[n].Group); list[n].Group == "" {
			i.WrongGroup, i.Wrong = n+1, "Enter the group’s name at the provider."
			i.desk.Mistaken()
			return
		}
	}
	i.put(&i.Mapping, wire.InstanceChange{Groups: &list}, func(p *wire.Problem) {
		if p == nil {
			i.groups, i.edited = nil, false
			return
		}
		row, _ := strings.CutPrefix(p.Field, "groups[")
		row, _, _ = strings.Cut(row, "]")
		if n, err := strconv.Atoi(row); err == nil {
			i.WrongGroup, i.Wrong, i.Mapping.Problem = n+1, p.Words(), nil
		}
	})
}

// OIDC says whether there is single sign-on.
func (i *Instance) OIDC() bool { return i.Now != nil && i.Now.OIDCIssuer != "" }

// Claim is one of the claims that came, with its JSON.
type Claim struct {
	Name, Value string
	Groups      bool // it is the one that the groups are read from
}

// ClaimsOf are the claims of one sign-in, by their names, those with the groups
// first.
func (i *Instance) ClaimsOf(c wire.Claims) []Claim {
	var all map[string]json.RawMessage
	if json.Unmarshal(c.Claims, &all) != nil {
		return nil
	}
	list := make([]Claim, 0, len(all))
	for name, value := range all {
		list = append(list, Claim{name, string(value), i.Now != nil && name == i.Now.GroupsClaim})
	}
	slices.SortFunc(list, func(a, b Claim) int {
		return cmp.Or(first(a.Groups, b.Groups), cmp.Compare(a.Name, b.Name))
	})
	return list
}
