package people

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"screentest/server/payer"
	"screentest/shared/wire"
)

// Keys keeps the gateway's keys of teams and people, and what people charged
// last.
type Keys interface {
	// Charges are what a send of an owner's to the gateway at an origin can be
	// charged to: each of their teams, with a key or without, and their own key if
	// they have one; keys are those keys by the charges' ids.
	Charges(ctx context.Context, owner, origin string) (charges []wire.Charge, keys map[string]string, err error)
	SetCharge(ctx context.Context, owner, charge string) error
	SetTeamKey(ctx context.Context, owner, team, key, last4, origin string) error
	DeleteTeamKey(ctx context.Context, team string) error
	SetPersonalKey(ctx context.Context, owner, key, last4, origin string) error
	DeletePersonalKey(ctx context.Context, owner string) error
}

// sandboxLabel names the key of the sandbox in the ledger.
const sandboxLabel = "sandbox"

// Charges are what a send of a person's can be charged to, as they may see it;
// none where there are no accounts.
func (d *Directory) Charges(ctx context.Context, p Person) ([]wire.Charge, error) {
	if p.Me == nil {
		return nil, nil
	}
	charges, _, err := d.charges(ctx, p, d.Gateway())
	return charges, err
}

// charges are Charges and the keys for a gateway. One that has a key of its own has
// it for everybody.
func (d *Directory) charges(ctx context.Context, p Person, g Gateway) ([]wire.Charge, map[string]string, error) {
	charges, keys, err := d.Keys.Charges(ctx, p.Owner, g.Origin)
	if err != nil {
		return nil, nil, fmt.Errorf("read what can be charged: %w", err)
	}
	if !d.Policies().PersonalKeys || g.Key != "" {
		charges = slices.DeleteFunc(charges, func(c wire.Charge) bool { return c.ID == wire.ChargePersonal })
	}
	for i := range charges {
		c := &charges[i]
		if g.Key != "" {
			c.HasKey, c.KeyLast4, keys[c.ID] = true, last4(g.Key), g.Key
		}
		if p.Leads(c.ID) {
			c.ApproveNanoUSD = 0 // who releases asks nobody
		}
		c.KeyRefused = c.HasKey && d.isRefused(g.Name, keys[c.ID])
		if p.Me.Role == wire.RoleGuest {
			c.KeyLast4 = "" // who sends nothing need not know one key from another
		}
	}
	return charges, keys, nil
}

// LinkShares says whether a person may share by a link that needs no account.
func (d *Directory) LinkShares(p Person) bool {
	return p.Me != nil && p.Me.Role != wire.RoleGuest && d.Policies().LinkShares
}

// OwnKeys says whether a person may enter a key of their own, to charge sends to
// beside their teams. The sandbox's key is everybody's, and a guest sends nothing.
func (d *Directory) OwnKeys(p Person) bool {
	return p.Me != nil && p.Me.Role != wire.RoleGuest && d.Gateway().Key == "" && d.Policies().PersonalKeys
}

// Payer is what a send of a person's is charged to. charge is a team's id, or
// wire.ChargePersonal; "" is what they charged last, else the first of their teams
// that has a key, else their own key. Where there are no accounts it is the key of
// the session. What is refused is a *wire.Problem.
func (d *Directory) Payer(ctx context.Context, p Person, charge string) (payer.Payer, error) {
	return d.payer(ctx, p, charge, true)
}

// KeyFor is the key of what was charged before, as Payer finds it, if it is for the
// gateway of that name; nothing is remembered.
func (d *Directory) KeyFor(ctx context.Context, p Person, gateway, charge string) (string, error) {
	by, err := d.payer(ctx, p, charge, false)
	if by.Gateway != gateway {
		return "", err
	}
	return by.Secret, err
}

func (d *Directory) payer(ctx context.Context, p Person, charge string, remember bool) (payer.Payer, error) {
	g := d.Gateway()
	if p.Me == nil {
		key, err := d.keyFor(ctx, p, g)
		return payer.Payer{Owner: p.Owner, Gateway: g.Name, Secret: key}, err
	}
	charges, keys, err := d.charges(ctx, p, g)
	if err != nil {
		return payer.Payer{}, err
	}
	c, err := d.choose(charges, charge)
	if err != nil {
		return payer.Payer{}, err
	}
	if !c.HasKey {
		return payer.Payer{}, &wire.Problem{Code: "key_missing", Field: "charge",
			Message: fmt.Sprintf("The team %s has no key for the gateway.", c.Name), Hint: "Ask " + d.WhomToAsk(c.ID) + " to enter one."}
	}
	if remember && charge != "" && !c.Chosen {
		if err := d.Keys.SetCharge(ctx, p.Owner, c.ID); err != nil {
			return payer.Payer{}, fmt.Errorf("remember what was charged: %w", err)
		}
	}
	by := payer.Payer{Owner: p.Owner, Label: g.label(c), Gateway: g.Name, Secret: keys[c.ID], Models: c.Models, Name: "your own key", Ask: "Ask " + d.WhomToAsk("")}
	if c.ID != wire.ChargePersonal {
		by.Team, by.Name, by.Ask = c.ID, "the team "+c.Name, "Ask "+d.WhomToAsk(c.ID)
		by.AskAbove = c.ApproveNanoUSD
	}
	return by, nil
}

// choose is the charge that is asked for.
func (d *Directory) choose(charges []wire.Charge, charge string) (wire.Charge, error) {
	for _, c := range charges {
		if charge == c.ID || charge == "" && c.Chosen {
			return c, nil
		}
	}
	switch {
	case charge == wire.ChargePersonal && !d.Policies().PersonalKeys:
		return wire.Charge{}, &wire.Problem{Code: wire.CodeNotAllowed, Field: "charge", Message: "This instance has no personal keys.", Hint: "Charge it to a team."}
	case charge == wire.ChargePersonal:
		return wire.Charge{}, &wire.Problem{Code: "key_missing", Field: "charge", Message: "You have entered no key of your own.", Hint: "Enter it in the settings, or charge it to a team."}
	case charge != "":
		return wire.Charge{}, &wire.Problem{Code: wire.CodeNotFound, Field: "charge", Message: "You are in no such team.", Hint: "Choose another one to charge it to."}
	}
	for _, c := range charges {
		if c.HasKey {
			return c, nil
		}
	}
	if len(charges) > 0 {
		return charges[0], nil
	}
	return wire.Charge{}, &wire.Problem{Code: "key_missing", Field: "charge", Message: "You are in no team that has a key for the gateway.", Hint: "Ask " + d.WhomToAsk("") + "."}
}

// label is how the ledger names the key of a charge.
func (g Gateway) label(c wire.Charge) string {
	name := c.Name
	switch {
	case g.sandbox():
		return sandboxLabel
	case g.keyless():
		return name
	case c.ID == wire.ChargePersonal:
		name = wire.ChargePersonal
	}
	if c.KeyLast4 == "" {
		return name
	}
	return name + " …" + c.KeyLast4
}

// maxNamed is how many people are named to ask.
const maxNamed = 3

// WhomToAsk names who may change a team's key and people, three at most: its
// leads, or, if it has none, the admins, who are named of team "" too.
func (d *Directory) WhomToAsk(team string) string {
	var leads, admins []string
	for _, a := range d.All() {
		switch {
		case !a.Active || a.Me.Role == wire.RoleGuest:
		case slices.ContainsFunc(a.Me.Teams, func(t wire.MyTeam) bool { return t.ID == team && t.Lead }):
			leads = append(leads, a.Me.Name)
		case a.Me.Role == wire.RoleAdmin:
			admins = append(admins, a.Me.Name)
		}
	}
	if len(leads) == 0 {
		leads = admins
	}
	return strings.Join(leads[:min(len(leads), maxNamed)], ", ")
}

// In are the owners of who is in a team.
func (d *Directory) In(team string) (owners []string) {
	for _, a := range d.All() {
		if slices.ContainsFunc(a.Me.Teams, func(t wire.MyTeam) bool { return t.ID == team }) {
			owners = append(owners, a.Owner)
		}
	}
	return owners
}

// SetTeamKey gives a team its key for g, "" takes it away, as who asks in ctx wants
// it. Tabs of its people are greeted anew.
func (d *Directory) SetTeamKey(ctx context.Context, g Gateway, team, key string) error {
	if err := g.wantsKeys(); err != nil {
		return err
	}
	var err error
	action := "key.set"
	if key == "" {
		action, err = "key.removed", d.Keys.DeleteTeamKey(ctx, team)
	} else {
		err = d.Keys.SetTeamKey(ctx, Of(ctx).Owner, team, key, last4(key), g.Origin)
	}
	if err != nil {
		return err
	}
	d.Note(ctx, Event{Action: action, Object: team})
	d.tell(d.In(team))
	return nil
}

// SetPersonalKey gives a person a key of their own for g, "" takes it away.
func (d *Directory) SetPersonalKey(ctx context.Context, g Gateway, who Person, key string) error {
	if err := g.wantsKeys(); err != nil {
		return err
	}
	var err error
	action := "key.set"
	switch {
	case key == "":
		action, err = "key.removed", d.Keys.DeletePersonalKey(ctx, who.Owner)
	case !d.Policies().PersonalKeys:
		return &wire.Problem{Code: wire.CodeNotAllowed, Message: "This instance has no personal keys.", Hint: "Sends are charged to a team's key."}
	default:
		err = d.Keys.SetPersonalKey(ctx, who.Owner, key, last4(key), g.Origin)
	}
	if err != nil {
		return err
	}
	d.Note(ctx, Event{Action: action, Object: who.Me.ID, Detail: map[string]any{"personal": true}})
	d.tell([]string{who.Owner})
	return nil
}

// tell has the tabs of owners greeted anew.
func (d *Directory) tell(owners []string) {
	d.team.mu.RLock()
	listeners := slices.Clone(d.team.listeners)
	d.team.mu.RUnlock()
	for _, l := range listeners {
		l.PeopleChanged(owners)
	}
}
