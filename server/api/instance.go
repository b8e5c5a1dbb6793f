package api

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"screentest/server/account"
	"screentest/server/people"
	"screentest/shared/wire"
)

// Bounds of the map of groups.
const (
	maxGroups    = 200
	maxGroupName = 200 // bytes
)

// Everybody keeps what all together may spend: with the budgets that people set
// for themselves, whose settings have both.
type Everybody interface {
	Budgets(ctx context.Context, owner string) (wire.Budgets, error)
	SetBudgets(ctx context.Context, owner string, s wire.BudgetSettings) (wire.Budgets, error)
}

// Instance has the address of the instance's settings.
type Instance struct {
	Directory *people.Directory
	Everybody Everybody
	Book      TeamBook
	// Told is what comes with flags; what can be changed in it is not used.
	Told wire.Instance
	// Claims are those that came with the last single sign-ons; nil: there is no
	// single sign-on.
	Claims func(ctx context.Context) ([]wire.Claims, error)
	// LinksOff takes back all shares by link.
	LinksOff func(ctx context.Context) error

	changing sync.Mutex
}

// Routes are the addresses.
func (s *Instance) Routes() map[string]Handler {
	return map[string]Handler{
		"GET /api/instance": s.show,
		"PUT /api/instance": s.change,
	}
}

func (s *Instance) show(w http.ResponseWriter, r *http.Request, who people.Person) error {
	all, p := s.Told, s.Directory.Policies()
	all.Name, all.PersonalKeys, all.TwoFactors, all.LinkShares, all.Groups = p.Name, p.PersonalKeys, p.TwoFactors, p.LinkShares, p.Groups
	if all.Groups == nil {
		all.Groups = []wire.Group{}
	}
	b, err := s.Everybody.Budgets(r.Context(), who.Owner)
	if err != nil {
		return err
	}
	all.Everybody = wire.Limits{
		DayNanoUSD: b.Settings.EverybodyDayNanoUSD, MonthNanoUSD: b.Settings.EverybodyMonthNanoUSD,
		WarnPercent: b.Settings.EverybodyWarnPercent, Zone: b.Settings.EverybodyZone,
	}
	if s.Claims != nil {
		if all.Claims, err = s.Claims(r.Context()); err != nil {
			return err
		}
	}
	return answer(w, http.StatusOK, all)
}

func (s *Instance) change(w http.ResponseWriter, r *http.Request, who people.Person) error {
	var c wire.InstanceChange
	if err := read(w, r, &c); err != nil {
		return err
	}
	if err := s.check(r.Context(), &c); err != nil {
		return err
	}
	if err := s.put(r.Context(), who, c); err != nil {
		return err
	}
	return s.show(w, r, who)
}

// put changes what c has, one after the other.
func (s *Instance) put(ctx context.Context, who people.Person, c wire.InstanceChange) error {
	s.changing.Lock()
	defer s.changing.Unlock()
	if c.Everybody != nil {
		if err := s.putLimits(ctx, who, *c.Everybody); err != nil {
			return err
		}
	}
	p := s.Directory.Policies()
	changed := put(&p.Name, c.Name)
	changed = put(&p.PersonalKeys, c.PersonalKeys) || changed
	changed = put(&p.TwoFactors, c.TwoFactors) || changed
	changed = put(&p.LinkShares, c.LinkShares) || changed
	changed = put(&p.Groups, c.Groups) || changed
	if !changed {
		return nil
	}
	if err := s.Directory.SetPolicies(ctx, p); err != nil {
		return err
	}
	s.Directory.Note(ctx, people.Event{Action: "instance.changed",
		Detail: map[string]any{"personal_keys": p.PersonalKeys, "two_factors": p.TwoFactors, "link_shares": p.LinkShares, "groups": len(p.Groups)}})
	if c.LinkShares != nil && !p.LinkShares { // also if it is off: they may not all have ended then
		return s.LinksOff(ctx)
	}
	return nil
}

// put sets what is there.
func put[T any](set *T, to *T) bool {
	if to != nil {
		*set = *to
	}
	return to != nil
}

// putLimits changes what all together may spend.
func (s *Instance) putLimits(ctx context.Context, who people.Person, to wire.Limits) error {
	b, err := s.Everybody.Budgets(ctx, who.Owner)
	if err != nil {
		return err
	}
	limits := b.Settings
	limits.EverybodyDayNanoUSD, limits.EverybodyMonthNanoUSD = to.DayNanoUSD, to.MonthNanoUSD
	limits.EverybodyWarnPercent, limits.EverybodyZone = to.WarnPercent, to.Zone
	after, err := s.Everybody.SetBudgets(ctx, who.Owner, limits)
	if err == nil && after.Settings != b.Settings {
		s.Directory.Note(ctx, people.Event{Action: "limits.changed", Object: "everybody", Detail: limitsDetail(to)})
	}
	return err
}

// check says what is wrong with a change, and takes the space around the name
// away.
func (s *Instance) check(ctx context.Context, c *wire.InstanceChange) error {
	if c.Name != nil {
		*c.Name = strings.TrimSpace(*c.Name)
		if utf8.RuneCountInString(*c.Name) > wire.MaxInstanceName || strings.ContainsFunc(*c.Name, unicode.IsControl) {
			return invalid("name", fmt.Sprintf("The instance's name has at most %d characters.", wire.MaxInstanceName), "Shorten it.")
		}
	}
	if c.Groups != nil {
		if err := s.checkGroups(ctx, *c.Groups); err != nil {
			return err
		}
	}
	if c.Everybody != nil {
		return checkLimits("everybody", *c.Everybody)
	}
	return nil
}

func (s *Instance) checkGroups(ctx context.Context, groups []wire.Group) error {
	if len(groups) > maxGroups {
		return invalid("groups", fmt.Sprintf("At most %d groups can be mapped.", maxGroups), "")
	}
	there := map[string]bool{}
	if len(groups) > 0 {
		all, err := s.Book.Teams(ctx)
		if err != nil {
			return err
		}
		for _, t := range all {
			there[t.ID] = true
		}
	}
	named := map[string]bool{}
	for i, g := range groups {
		at := fmt.Sprintf("groups[%d].", i)
		switch {
		case g.Group == "" || len(g.Group) > maxGroupName:
			return invalid(at+"group", fmt.Sprintf("A group's name has 1 to %d bytes.", maxGroupName), "It is written as the provider sends it.")
		case named[g.Group]:
			return invalid(at+"group", "This group is mapped twice.", "Put both into one.")
		case g.Lead && len(g.Teams) == 0:
			return invalid(at+"lead", "Who leads needs a team.", "Name the teams that the group leads.")
		}
		named[g.Group] = true
		if g.Role != "" {
			if err := account.Role(g.Role); err != nil {
				return invalid(at+"role", "There is no such role.", "It is one of admin, member and guest, or none.")
			}
		}
		for _, team := range g.Teams {
			if !there[team] {
				return invalid(at+"teams", "There’s no such team.", "It may have been deleted.")
			}
		}
	}
	return nil
}
