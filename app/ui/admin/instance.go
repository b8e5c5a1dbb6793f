//go:build js && wasm

package admin

import (
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/admin"
	"screentest/app/ui/kit"
	"screentest/shared/wire"
)

// Instance is the page of what holds for the whole instance.
type Instance struct {
	app.Compo
	s   *Section
	Rev int
}

// OnUpdate implements app.Updater.
func (c *Instance) OnUpdate(ctx app.Context) { c.s.drawn(ctx) }

// Render implements app.Composer.
func (c *Instance) Render() (ui app.UI) {
	s := c.s
	defer s.Drawing("the instance", &ui)
	i := &s.desk.Instance
	if i.Now == nil {
		return kit.Box("section", "", kit.Box("h2", "", "Instance"), waiting(i.Problem))
	}
	return kit.Box("div", "",
		s.policies(*i.Now),
		s.everybody(*i.Now),
		s.singleSignOn(*i.Now),
		kit.If(i.OIDC(), s.groupMap),
		kit.If(i.OIDC(), func() app.UI { return s.claims(*i.Now) }),
	)
}

// policies are the name and what people may do.
func (s *Section) policies(now wire.Instance) app.UI {
	i := &s.desk.Instance
	f := &i.Policies
	return kit.El("section", "", kit.At{"id", "instance"},
		kit.Box("h2", "", "Instance"),
		trouble(i.Problem),
		s.form("instance-form", "form-grid", i.SavePolicies,
			s.field(f, "instance", admin.FieldName, "Name", "shown on the sign-in page", now.Name, "maxlength", wire.MaxInstanceName),
			kit.Box("div", "whole labelled",
				s.toggle(f, "instance", admin.FieldPersonalKeys, "Personal keys", "People may enter a key of their own and charge requests to it.", now.PersonalKeys),
				s.toggle(f, "instance", admin.FieldTwoFactors, "Two factors for admins", "Admins sign in with a passkey, or a password and a code. Those with neither must add one at their next sign-in.", now.TwoFactors),
				s.toggle(f, "instance", admin.FieldLinkShares, "Links for anyone", "People may share by a link that needs no account. Switching this off ends all such links for good.", now.LinkShares)),
			s.saving(f, "instance", "Save", "Saved."),
		),
	)
}

// everybody are the limits of all people together.
func (s *Section) everybody(now wire.Instance) app.UI {
	i := &s.desk.Instance
	return kit.El("section", "", kit.At{"id", "everybody"},
		kit.Box("h2", "", "Limits for everybody together"),
		kit.Box("p", "soft", "They apply in addition to the limits of teams and people. Leave a field empty for no limit."),
		s.form("everybody-form", "form-grid", i.SaveLimits,
			s.limits(&i.Limits, "everybody", now.Everybody),
			s.saving(&i.Limits, "everybody", "Save limits", "Limits saved.")),
	)
}

// singleSignOn tells what the flags say of signing in.
func (s *Section) singleSignOn(now wire.Instance) app.UI {
	var facts []app.UI
	fact := func(flag, words string) {
		facts = append(facts, kit.Box("dt", "", kit.Box("code", "", flag)), kit.Box("dd", "", words))
	}
	password := "yes: by e-mail and password"
	if !now.Password {
		password = "no: by single sign-on and passkeys only"
	}
	fact("-password", password)
	fact("-oidc-issuer", or(now.OIDCIssuer, "none: there is no single sign-on"))
	if now.OIDCIssuer != "" {
		fact("-oidc-allow-domains", or(strings.Join(now.OIDCDomains, ", "), "none: people who aren’t invited need a mapped group"))
		fact("-oidc-groups-claim", now.GroupsClaim)
	}
	fact("-trust-header", or(now.TrustHeader, "none: no proxy says who somebody is"))
	return kit.El("section", "", kit.At{"id", "instance-flags"},
		kit.Box("h2", "", "Signing in"),
		kit.Box("p", "soft", "Set by flags when the server starts; it can’t be changed here."),
		kit.Box("dl", "facts", facts),
	)
}

// groupMap maps groups of single sign-on to a role and teams.
func (s *Section) groupMap() app.UI {
	i := &s.desk.Instance
	list := i.Groups()
	done := ""
	if i.Mapping.Saved && !i.Edited() {
		done = "Groups saved. They apply at everyone’s next sign-in."
	}
	return kit.El("section", "", kit.At{"id", "groups"},
		kit.Box("h2", "", "Groups of single sign-on"),
		kit.Box("p", "soft", "At each sign-in, people get the roles and teams of their groups and lose those that a group no longer gives. Everything else stays as set here."),
		s.form("groups-form", "labelled", i.SaveGroups,
			kit.Times(len(list), func(n int) app.UI { return s.group(n, list[n]) }),
			kit.If(len(list) == 0, func() app.UI { return kit.Box("p", "soft", "No groups mapped yet.") }),
			outcome("groups", i.Mapping.Problem, done),
			kit.Box("div", "line",
				kit.Button("primary", kit.At{"id", "groups-save", "type", "submit", "disabled", i.Mapping.Saving || !i.Edited()}, nil, "Save the map"),
				kit.Button("", kit.At{"id", "groups-add"}, s.Do("groups-add", func() {
					i.AddGroup()
					s.goTo("#group-" + strconv.Itoa(len(list)))
				}), "Add a group"),
				kit.Button("", kit.At{"id", "groups-undo", "hidden", !i.Edited()}, s.Do("groups-undo", i.ResetGroups), "Undo changes"),
			),
		),
	)
}

// group is a row of the map.
func (s *Section) group(n int, g wire.Group) app.UI {
	i := &s.desk.Instance
	id := "group-" + strconv.Itoa(n)
	bad := i.WrongGroup == n+1
	name := or(g.Group, "group "+strconv.Itoa(n+1))
	return kit.El("fieldset", "card mapped", kit.At{"aria-label", name},
		kit.Box("div", "form-grid",
			kit.Labelled(id, "Group", nil,
				s.Field(id, "field", kit.At{"aria-invalid", bad, "aria-describedby", kit.When(bad, id+"-wrong")}, g.Group,
					func(text string) { i.ChangeGroup(n, func(g *wire.Group) { g.Group = text }) }),
				kit.El("p", "outcome bad", kit.At{"id", id + "-wrong", "hidden", !bad}, i.Wrong)),
			kit.Labelled(id+"-role", "Role", nil,
				s.Select(id+"-role", "Role of "+name, "field", nil, g.Role, append(kit.Options("", "No role"), roles()...),
					func(role string) { i.ChangeGroup(n, func(g *wire.Group) { g.Role = role }) })),
		),
		kit.If(s.desk.Teams.Several(), func() app.UI {
			return s.teamChoice(id+"-teams", "Teams", strings.Join(g.Teams, " "), func(ids string) {
				i.ChangeGroup(n, func(g *wire.Group) { g.Teams = strings.Fields(ids) })
			})
		}),
		kit.Box("div", "line",
			kit.If(len(g.Teams) > 0, func() app.UI {
				return kit.Box("label", "check", s.Switch(id+"-lead", "", nil, g.Lead, func(on bool) { i.ChangeGroup(n, func(g *wire.Group) { g.Lead = on }) }), "leads these teams")
			}),
			kit.Box("div", "push"),
			kit.Button("small", kit.At{"id", id + "-remove", "aria-label", "Remove " + name}, s.Do("group-remove", func() { i.RemoveGroup(n) }), "Remove"),
		),
	)
}

// claims are those that came with the last sign-ins.
func (s *Section) claims(now wire.Instance) app.UI {
	i := &s.desk.Instance
	return kit.El("section", "", kit.At{"id", "claims"},
		kit.Box("h2", "", "Recent claims"),
		kit.Box("p", "soft", "What the provider sent at the last sign-ins. Groups are read from ", kit.Box("code", "", now.GroupsClaim), "."),
		kit.If(len(now.Claims) == 0, func() app.UI { return kit.Box("p", "soft", "Nobody has used single sign-on yet.") }),
		kit.Times(len(now.Claims), func(n int) app.UI {
			c := now.Claims[n]
			list := i.ClaimsOf(c)
			return kit.El("details", "fold", kit.At{"open", n == 0},
				kit.Box("summary", "", kit.Icon(kit.IconChevron, "icon small turns"), c.Person+", "+when(c.AtMS)),
				kit.Box("dl", "facts claims", kit.Times(len(list), func(k int) app.UI {
					one := list[k]
					value := kit.Box("code", "", one.Value)
					if one.Groups {
						value = kit.Box("mark", "", one.Value)
					}
					return kit.Box("div", "claim", kit.Box("dt", "mono", one.Name), kit.Box("dd", "", value))
				})),
				kit.If(!hasGroups(list), func() app.UI {
					return kit.Notice(kit.Warn, "", nil, "There is no claim ", kit.Box("code", "", now.GroupsClaim), ": no group counts. The flag ",
						kit.Box("code", "", "-oidc-groups-claim"), " names another, or the provider has to send it.")
				}))
		}),
	)
}

func hasGroups(list []admin.Claim) bool {
	for _, c := range list {
		if c.Groups {
			return true
		}
	}
	return false
}
