package chat

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"screentest/app/session"
	"screentest/shared/wire"
)

// TeamLibrary is what the people of a team saved: prompts and settings, each with
// all versions.
type TeamLibrary struct {
	chat *Chat

	Team    string           // the one that is shown; "" before
	Ready   bool             // what it has is known
	Problem *wire.Problem    // why it isn't
	All     []wire.TeamEntry // by name, the deleted among them

	Of   string           // the entry whose versions are known; "" for none
	Past []wire.TeamEntry // those, the newest first
}

// Teams are those that the person is in; none where nobody signs in.
func (l *TeamLibrary) Teams() []wire.MyTeam {
	if me := l.chat.session.Me(); me != nil {
		return me.Teams
	}
	return nil
}

// Name is how a team is called: with one alone there is no talk of teams.
func (l *TeamLibrary) Name(team string) string {
	teams := l.Teams()
	if len(teams) < 2 {
		return "Everybody’s"
	}
	for _, t := range teams {
		if t.ID == team {
			return t.Name
		}
	}
	return ""
}

// Show asks for what a team has saved.
func (l *TeamLibrary) Show(team string) {
	if l.Team != team {
		*l = TeamLibrary{chat: l.chat, Team: team}
	}
	if team == "" {
		return
	}
	l.chat.o.Server.Call(wire.OpTeamLibrary, wire.Target{ID: team}, func(data json.RawMessage, p *wire.Problem) {
		var saved wire.TeamLibrary
		p = session.Read(data, p, &saved)
		if l.Team != team {
			return
		}
		if l.Problem = p; p == nil {
			l.All, l.Ready = saved.Entries, true
			l.sort()
		}
		l.chat.o.Changed(PartLibrary)
	})
}

func (l *TeamLibrary) sort() {
	slices.SortStableFunc(l.All, func(a, b wire.TeamEntry) int {
		return cmp.Or(cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), cmp.Compare(a.ID, b.ID))
	})
}

// Entries are those of a kind, by name; or those that were deleted.
func (l *TeamLibrary) Entries(kind string, deleted bool) (list []wire.TeamEntry) {
	for _, e := range l.All {
		if e.Kind == kind && e.Deleted == deleted {
			list = append(list, e)
		}
	}
	return list
}

// Entry is one of them as it is now; nil: it isn't there.
func (l *TeamLibrary) Entry(id string) *wire.TeamEntry {
	for i := range l.All {
		if l.All[i].ID == id {
			return &l.All[i]
		}
	}
	return nil
}

// Named is the entry of a kind that a name stands for; nil: none does.
func (l *TeamLibrary) Named(kind, name string) *wire.TeamEntry {
	for i := range l.All {
		if e := &l.All[i]; e.Kind == kind && !e.Deleted && e.Name == strings.TrimSpace(name) {
			return e
		}
	}
	return nil
}

// Put saves an entry, or its next version upon e.Rev. done gets what went wrong, or
// nil: CodeChangedSince says that somebody else was faster, and what they made of it is
// known by then.
func (l *TeamLibrary) Put(e wire.TeamEntry, done func(*wire.Problem)) {
	if e.Name = strings.TrimSpace(e.Name); e.Name == "" {
		done(&wire.Problem{Code: "no_name", Field: "name", Message: "Enter a name."})
		return
	}
	if e.ID == "" {
		e.ID = l.chat.o.NewID()
	}
	e.Team, e.Deleted = l.Team, false
	l.chat.o.Server.Call(wire.OpTeamLibraryPut, e, func(data json.RawMessage, p *wire.Problem) {
		var saved wire.TeamEntry
		if p = session.Read(data, p, &saved); p == nil {
			l.put(saved)
		}
		if p != nil && p.Code == wire.CodeChangedSince {
			l.Look(e.ID, func(*wire.Problem) { done(p) })
			return
		}
		done(p)
	})
}

// Look asks for the versions of an entry. done gets what went wrong, or nil.
func (l *TeamLibrary) Look(id string, done func(*wire.Problem)) {
	if l.Of != id {
		l.Of, l.Past = id, nil
	}
	team := l.Team
	l.chat.o.Server.Call(wire.OpTeamLibraryPast, wire.TeamTarget{Team: team, ID: id}, func(data json.RawMessage, p *wire.Problem) {
		var past wire.TeamLibrary
		p = session.Read(data, p, &past)
		if p == nil && len(past.Entries) > 0 && l.Team == team && l.Of == id { // else another is looked at by now
			l.Past = past.Entries
			l.put(past.Entries[0])
		}
		done(p)
	})
}

// Back makes a version of an entry its next one.
func (l *TeamLibrary) Back(e wire.TeamEntry, done func(*wire.Problem)) {
	if now := l.Entry(e.ID); now != nil {
		e.Rev = now.Rev
	}
	l.Put(e, done)
}

// Delete deletes an entry, which can be brought back. done gets what went wrong, or nil.
func (l *TeamLibrary) Delete(id string, done func(*wire.Problem)) {
	l.chat.o.Server.Call(wire.OpTeamLibraryDrop, wire.TeamTarget{Team: l.Team, ID: id}, func(_ json.RawMessage, p *wire.Problem) {
		if e := l.Entry(id); p == nil && e != nil {
			gone := *e
			gone.Deleted = true
			l.put(gone)
		}
		done(p)
	})
}

// put takes a version that is not older than the one that is known.
func (l *TeamLibrary) put(e wire.TeamEntry) {
	if e.Team != l.Team {
		return
	}
	if old := l.Entry(e.ID); old != nil {
		if old.Rev > e.Rev {
			return
		}
		e.May = e.May || old.May // news say it to nobody
		*old = e
	} else {
		l.All = append(l.All, e)
	}
	if me := l.chat.session.Me(); me != nil && me.Leads(e.Team) {
		l.Entry(e.ID).May = true
	}
	if l.Of == e.ID && len(l.Past) > 0 && l.Past[0].Rev < e.Rev {
		l.Past = slices.Insert(l.Past, 0, e)
	}
	l.sort()
	l.chat.o.Changed(PartLibrary)
}

// Settings are the parameters of a lane as an entry.
func (l *Library) Settings(lane *Lane) (e wire.LibraryEntry, err error) {
	params, err := json.Marshal(lane.Params())
	return wire.LibraryEntry{Kind: wire.LibrarySettings, Params: params, Family: string(l.chat.session.Model(lane.Model()).Family)}, err
}

// UseParams gives the lane saved parameters.
func (l *Lane) UseParams(params json.RawMessage) {
	var p Params
	if json.Unmarshal(params, &p) == nil {
		l.SetParams(p)
	}
}

// Content is what an entry says, as people read and compare it.
func Content(e wire.LibraryEntry) string {
	if e.Kind == wire.LibraryPrompt {
		return e.Text
	}
	var b strings.Builder
	if e.Family != "" {
		b.WriteString("for " + e.Family + " models\n")
	}
	var params map[string]json.RawMessage
	if json.Unmarshal(e.Params, &params) != nil {
		return b.String() + string(e.Params)
	}
	names := make([]string, 0, len(params))
	for name := range params {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		value := string(params[name])
		var text string
		if json.Unmarshal(params[name], &text) == nil {
			value = text
		}
		b.WriteString(name + ": " + value + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}
