package share

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"screentest/app/session"
	"screentest/shared/wire"
)

// Choices of when a share ends, in hours; "" is never, and EndsOn a day that is
// chosen.
const (
	EndsNever = ""
	EndsDay   = "24"
	EndsWeek  = "168"
	EndsMonth = "720"
	EndsOn    = "date"
)

// Fields of the dialog that something can be wrong with.
const (
	FieldTo   = "to"
	FieldDate = "date"
)

// Offered is how many people are listed at once.
const Offered = 50

// Mate is somebody to share with.
type Mate struct{ ID, Name string }

// Made is a share that was made a moment ago.
type Made struct{ ID, Link, Audience string }

// Dialog shares a conversation or a clip, and says who sees it already.
type Dialog struct {
	desk *Desk

	Open            bool
	opened          int    // so many times: each time is another dialog
	Kind, ID, Title string // of what is shared

	Audience   string
	Team       string
	Filter     string // what is typed to find somebody
	Live, Wire bool
	Ends       string
	Date       string // 2006-01-02, of EndsOn

	Busy    bool
	Wrong   map[string]string // by field
	Problem *wire.Problem     // with none of them
	Made    *Made

	Came    bool          // the people have
	Missing *wire.Problem // why they haven't
	mates   []Mate
	teams   []wire.Team
	picked  []Mate
}

// Open opens the dialog for a conversation or a clip of the person's.
func (d *Desk) Open(kind, id, title string) {
	if !d.May() {
		return
	}
	d.Dialog = Dialog{desk: d, Open: true, opened: d.Dialog.opened + 1, Kind: kind, ID: id, Title: title, Audience: wire.ShareWithPeople, Live: true,
		Came: d.Dialog.Came, mates: d.Dialog.mates, teams: d.Dialog.teams}
	d.Asked, d.Trouble = "", nil
	d.Dialog.chooseTeam()
	d.Dialog.fetch()
	d.changed()
}

// Close closes it. A link that is shown once is gone with it.
func (g *Dialog) Close() {
	g.Open, g.Made, g.Filter, g.picked = false, nil, "", nil
	g.desk.Asked = ""
	g.desk.changed()
}

// fetch asks who there is to share with.
func (g *Dialog) fetch() {
	d := g.desk
	d.API.Ask("GET", "/api/teams", nil, func(data json.RawMessage, p *wire.Problem) {
		var all []wire.Team
		if g.Missing = session.Read(data, p, &all); g.Missing == nil {
			g.take(all)
		}
		d.changed()
	})
}

// take keeps of all teams those that the person is in, and who is in them.
func (g *Dialog) take(all []wire.Team) {
	me := g.desk.Session.Me()
	if me == nil {
		return
	}
	g.Came, g.teams, g.mates = true, nil, nil
	for _, t := range all {
		if !slices.ContainsFunc(me.Teams, func(m wire.MyTeam) bool { return m.ID == t.ID }) {
			continue // an admin sees those of others too
		}
		if !t.Everyone {
			g.teams = append(g.teams, t)
		}
		for _, m := range t.People {
			if m.ID != me.ID && !slices.ContainsFunc(g.mates, func(one Mate) bool { return one.ID == m.ID }) {
				g.mates = append(g.mates, Mate{m.ID, m.Name})
			}
		}
	}
	slices.SortStableFunc(g.mates, func(a, b Mate) int { return byName(a.Name, b.Name) })
	slices.SortStableFunc(g.teams, func(a, b wire.Team) int { return byName(a.Name, b.Name) })
	g.chooseTeam()
}

// chooseTeam chooses the first team, unless one is chosen that there is.
func (g *Dialog) chooseTeam() {
	if len(g.teams) > 0 && !slices.ContainsFunc(g.teams, func(t wire.Team) bool { return t.ID == g.Team }) {
		g.Team = g.teams[0].ID
	}
}

// byName sorts as a person does, whatever is written large.
func byName(a, b string) int { return cmp.Compare(strings.ToLower(a), strings.ToLower(b)) }

// Links says whether an admin has allowed links for anyone.
func (g *Dialog) Links() bool { return g.desk.Session.Hello.LinkShares }

// Audiences are those to choose from. Of teams is spoken only where the person is
// in one beside Everyone.
func (g *Dialog) Audiences() []string {
	list := []string{wire.ShareWithPeople, wire.ShareWithTeam, wire.ShareWithAll, wire.ShareByLink}
	return slices.DeleteFunc(list, func(a string) bool {
		return a == wire.ShareWithTeam && len(g.teams) == 0 || a == wire.ShareByLink && !g.Links()
	})
}

// AudienceName names an audience that can be chosen.
func AudienceName(audience string) string {
	switch audience {
	case wire.ShareWithTeam:
		return "A team"
	case wire.ShareWithAll:
		return "Everybody"
	case wire.ShareByLink:
		return "By link"
	}
	return "People"
}

// Teams are those of the person beside Everyone.
func (g *Dialog) Teams() []wire.Team { return g.teams }

// Alone says that there is nobody else to share with.
func (g *Dialog) Alone() bool { return g.Came && len(g.mates) == 0 }

// Found are the people who fit what is typed, and how many more there are.
func (g *Dialog) Found() (list []Mate, more int) {
	for _, m := range g.mates {
		if has(m.Name, g.Filter) {
			list = append(list, m)
		}
	}
	if len(list) > Offered {
		return list[:Offered], len(list) - Offered
	}
	return list, 0
}

// Picked are who was chosen, in the order of their names.
func (g *Dialog) Picked() []Mate { return g.picked }

// Has says whether a person was chosen.
func (g *Dialog) Has(id string) bool {
	return slices.ContainsFunc(g.picked, func(m Mate) bool { return m.ID == id })
}

// Pick chooses a person, or not any more.
func (g *Dialog) Pick(id string, on bool) {
	g.picked = slices.DeleteFunc(slices.Clone(g.picked), func(m Mate) bool { return m.ID == id })
	if at := slices.IndexFunc(g.mates, func(m Mate) bool { return m.ID == id }); on && at >= 0 {
		g.picked = append(g.picked, g.mates[at])
		slices.SortStableFunc(g.picked, func(a, b Mate) int { return byName(a.Name, b.Name) })
	}
	delete(g.Wrong, FieldTo)
	g.desk.changed()
}

// PickFirst chooses the first who fits what is typed, and returns whether there
// was one.
func (g *Dialog) PickFirst() bool {
	for _, m := range g.mates {
		if g.Filter != "" && has(m.Name, g.Filter) && !g.Has(m.ID) {
			g.Filter = ""
			g.Pick(m.ID, true)
			return true
		}
	}
	return false
}

// Change changes a choice of the dialog.
func (g *Dialog) Change(change func(*Dialog)) {
	change(g)
	g.Problem, g.Wrong = nil, nil
	g.desk.changed()
}

// Shares are who sees it already, the newest first.
func (g *Dialog) Shares() []wire.Share { return g.desk.Of(g.Kind, g.ID) }

// EndsMS is when the share would end, 0 where it doesn't or where the day isn't
// one.
func (g *Dialog) EndsMS() int64 {
	hours, _ := g.hours()
	if hours == 0 {
		return 0
	}
	return g.desk.Now().Add(time.Duration(hours) * time.Hour).UnixMilli()
}

// hours is how long the share would hold; 0 is for ever. A day that is chosen is
// the last, to its last whole hour from now.
func (g *Dialog) hours() (hours int, wrong string) {
	switch g.Ends {
	case EndsDay:
		return 24, ""
	case EndsWeek:
		return 168, ""
	case EndsMonth:
		return 720, ""
	case EndsOn:
	default:
		return 0, ""
	}
	day, err := time.Parse("2006-01-02", g.Date)
	if err != nil {
		return 0, "Choose the last day."
	}
	left := g.desk.Midnight(day.Year(), day.Month(), day.Day()+1) - g.desk.Now().UnixMilli()
	switch hours = int(left / time.Hour.Milliseconds()); {
	case left <= 0:
		return 0, "That day is in the past. Choose a later one."
	case hours > wire.MaxShareHours:
		return 0, "Sharing lasts a year at most. Choose an earlier day or no end."
	}
	return max(hours, 1), ""
}

// Send shares it as the dialog says.
func (g *Dialog) Send() {
	if g.Busy {
		return
	}
	d := g.desk
	in := wire.NewShare{Kind: g.Kind, ID: g.ID, Audience: g.Audience, Live: g.Live, Wire: g.Wire}
	g.Wrong, g.Problem, g.Made = map[string]string{}, nil, nil
	switch g.Audience {
	case wire.ShareWithPeople:
		for _, m := range g.picked {
			in.To = append(in.To, m.ID)
		}
		switch {
		case len(in.To) == 0:
			g.Wrong[FieldTo] = "Choose who can see it."
		case len(in.To) > wire.MaxSharePeople:
			g.Wrong[FieldTo] = "Too many people for one share. Choose a team or everyone."
		}
	case wire.ShareWithTeam:
		in.To = []string{g.Team}
	}
	hours, wrong := g.hours()
	if in.Hours = hours; wrong != "" {
		g.Wrong[FieldDate] = wrong
	}
	if len(g.Wrong) > 0 {
		d.Mistaken()
		d.changed()
		return
	}
	g.Busy = true
	of := g.opened
	d.API.Ask("POST", address, in, func(data json.RawMessage, p *wire.Problem) {
		var made wire.Share
		p = session.Read(data, p, &made)
		d.Fetch()
		if g.opened != of || !g.Open {
			return // the dialog is another's by now
		}
		g.Busy = false
		switch {
		case p != nil && p.Field == "to":
			g.Wrong = map[string]string{FieldTo: p.Words()}
			d.Mistaken()
		case p != nil && p.Field == "hours":
			g.Wrong = map[string]string{FieldDate: p.Words()}
			d.Mistaken()
		case p != nil:
			g.Problem = p
		default:
			g.Made = &Made{ID: made.ID, Link: made.Link, Audience: in.Audience}
			g.picked, g.Filter = nil, ""
			d.Shared()
		}
		d.changed()
	})
	d.changed()
}
