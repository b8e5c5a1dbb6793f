package bff

import (
	"cmp"
	"context"

	"screentest/server/people"
	"screentest/server/rights"
	"screentest/shared/wire"
)

// whose says whether a person asks for more than their own rows, and may: an
// admin for everybody's, who leads a team for what it pays. What is left in q
// then is asked of everybody's rows, else of the person's own. A person or team
// that one may not ask about is not found.
func whose(who people.Person, q *wire.Of) (others bool, err error) {
	if who.Me == nil { // everybody is the one local person
		if q.Person != "" || q.Team != "" {
			return false, noSuch("person or team")
		}
		return q.Everybody, nil
	}
	if who.Role() == wire.RoleAdmin {
		return q.Everybody || q.Team != "" || q.Person != "" && q.Person != who.Me.ID, nil
	}
	switch {
	case q.Everybody:
		return false, &wire.Problem{Code: wire.CodeNotAllowed, Field: "everybody", Message: "You may see only what you spent yourself.",
			Hint: "Ask who runs this server."}
	case q.Team != "" && who.Leads(q.Team):
		return true, nil
	case q.Person != "" && q.Person != who.Me.ID:
		return false, noSuch("person")
	}
	return false, nil
}

// statesSeen are the budgets that a person may see: a guest, who may come from
// elsewhere and sends nothing, sees none of what others spend together.
func statesSeen(who people.Person, all []wire.BudgetState) []wire.BudgetState {
	if who.Role() != wire.RoleGuest {
		return all
	}
	own := []wire.BudgetState{}
	for _, s := range all {
		if s.Scope == wire.ScopePerson || s.Scope == wire.ScopeLimit {
			own = append(own, s)
		}
	}
	return own
}

// setBudgets changes what a person lets themself spend, and everybody's if they may.
// To the store an admin who lacks the second factor that admins must have is one
// nevertheless: that they may not change everybody's is said here.
func (s *Server) setBudgets(ctx context.Context, who people.Person, want wire.BudgetSettings) (wire.Budgets, error) {
	was, err := s.Budgets.Budgets(ctx, who.Owner)
	if err != nil {
		return was, err
	}
	if who.MustAddFactor() {
		all := ofEverybody(want)
		all.WarnPercent, all.Zone = cmp.Or(all.WarnPercent, was.Settings.EverybodyWarnPercent), cmp.Or(all.Zone, was.Settings.EverybodyZone)
		if all != ofEverybody(was.Settings) {
			return was, rights.Refuse(who, rights.Rule, "")
		}
	}
	now, err := s.Budgets.SetBudgets(ctx, who.Owner, want)
	if err != nil {
		return now, err
	}
	s.noteBudgets(ctx, who, was.Settings, now.Settings)
	now.States = statesSeen(who, now.States)
	return now, nil
}

func ofEverybody(s wire.BudgetSettings) wire.Limits {
	return wire.Limits{DayNanoUSD: s.EverybodyDayNanoUSD, MonthNanoUSD: s.EverybodyMonthNanoUSD, WarnPercent: s.EverybodyWarnPercent, Zone: s.EverybodyZone}
}

func ofOneself(s wire.BudgetSettings) wire.Limits {
	return wire.Limits{DayNanoUSD: s.DayNanoUSD, MonthNanoUSD: s.MonthNanoUSD, WarnPercent: s.WarnPercent, Zone: s.Zone}
}

func noSuch(what string) *wire.Problem {
	return &wire.Problem{Code: wire.CodeNotFound, Message: "There is no such " + what + "."}
}

// spend is the Spend page of a person, or of those whom they may ask about.
func (s *Server) spend(ctx context.Context, who people.Person, q wire.SpendQuery) (wire.Spend, error) {
	others, err := whose(who, &q.Of)
	if err != nil {
		return wire.Spend{}, err
	}
	b, err := s.Budgets.Budgets(ctx, who.Owner)
	if err != nil {
		return wire.Spend{}, err
	}
	if q.Everybody && !b.MayEverybody {
		return wire.Spend{}, &wire.Problem{Code: wire.CodeNotAllowed, Field: "everybody", Message: "You may see only what you spent yourself.",
			Hint: "Ask who runs this server."}
	}
	// First: what is booked meanwhile may count twice, but never not at all.
	reserved, err := s.reserved(ctx, who, q, others)
	if err != nil {
		return wire.Spend{}, err
	}
	var page wire.Spend
	if others {
		page, err = s.Ledger.SpendOfEverybody(ctx, q)
	} else {
		page, err = s.Ledger.Spend(ctx, who.Owner, q)
	}
	if err != nil {
		return page, err
	}
	page.MayEverybody, page.Alone, page.Budgets = b.MayEverybody, b.Alone, statesSeen(who, b.States)
	page.ReservedNanoUSD = reserved
	if others && q.Person == "" && q.PaidBy == "" && q.Team != "" {
		page.Budgets, err = s.Budgets.TeamBudgets(ctx, q.Team)
	}
	return page, err
}

// reserved is what is set aside for whom the Spend page is about.
func (s *Server) reserved(ctx context.Context, who people.Person, q wire.SpendQuery, others bool) (int64, error) {
	switch {
	case !others && q.Team == "" && q.PaidBy == "":
		return s.Budgets.Reserved(ctx, who.Owner)
	case !others || q.Person != "" || q.PaidBy != "": // it is known of people, teams and everybody only
		return 0, nil
	case q.Team != "":
		return s.Budgets.ReservedByTeam(ctx, q.Team)
	}
	return s.Budgets.ReservedByEverybody(ctx)
}

// ledger is a page of the ledger, of a person or of those whom they may ask
// about.
func (s *Server) ledger(ctx context.Context, who people.Person, q wire.LedgerQuery) (wire.LedgerPage, error) {
	others, err := whose(who, &q.Of)
	switch {
	case err != nil:
		return wire.LedgerPage{}, err
	case others && who.Me != nil:
		return s.Ledger.LedgerOfEverybody(ctx, who.Owner, q)
	}
	return s.Ledger.Ledger(ctx, who.Owner, q)
}

// eachLedger calls fn for every row that a person asks for, as ledger finds them.
func (s *Server) eachLedger(ctx context.Context, who people.Person, q wire.LedgerQuery, fn func(wire.LedgerRow) error) error {
	others, err := whose(who, &q.Of)
	switch {
	case err != nil:
		return err
	case others && who.Me != nil:
		return s.Ledger.EachLedgerOfEverybody(ctx, who.Owner, q, fn)
	}
	return s.Ledger.EachLedger(ctx, who.Owner, q, fn)
}

// correct books what something really cost: of who asks, or of the person whom c
// names. Who may is for the table of rights. Of somebody else's row it doesn't
// tell what it is about.
func (s *Server) correct(ctx context.Context, who people.Person, c wire.Correction) (wire.LedgerRow, error) {
	owner := who.Owner
	if c.Person != "" && (who.Me == nil || c.Person != who.Me.ID) {
		a, err := s.People.ByID(c.Person)
		if err != nil {
			return wire.LedgerRow{}, noSuch("person")
		}
		owner = a.Owner
	}
	row, err := s.Ledger.Correct(ctx, owner, c)
	if err != nil {
		return row, err
	}
	s.Budgets.Booked(owner, row.TeamID)
	if row.Conversation != "" {
		s.News.ConversationChanged(owner, row.Conversation)
	}
	if owner != who.Owner {
		row.Title, row.Conversation, row.Message = "", "", ""
	}
	return row, nil
}
