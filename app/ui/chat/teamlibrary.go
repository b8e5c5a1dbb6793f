//go:build js && wasm

package chat

import (
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/chat"
	"screentest/app/ui/kit"
	"screentest/shared/wire"
)

// Views of the dialog while a team's library is shown, beside its list.
const (
	viewEntry = "entry" // one of its entries, with its versions
	viewEdit  = "edit"  // it is being changed
)

// maxSegments is how many libraries stand side by side; of more there is a list.
const maxSegments = 4

// teamState is what the dialog shows of a team's library.
type teamState struct {
	view  string
	of    string         // the entry of a view
	draft wire.TeamEntry // what is being changed, from the version that it says
	seen  int64          // the version of somebody else that was shown beside it
	from  string         // which of one's own is to be copied
}

// whose chooses between one's own library and those of one's teams.
func (l *Library) whose() app.UI {
	p := l.p
	team := &p.chat.Team
	teams := team.Teams()
	if len(teams) == 0 {
		return kit.Nothing()
	}
	show := func(id string) {
		p.library.team, p.library.shelf, p.library.problem, p.library.name = id, teamState{}, "", ""
		team.Show(id)
		p.changed(chat.PartLibrary)
	}
	options := kit.Options("", "Mine")
	for _, t := range teams {
		options = append(options, kit.Option{Value: t.ID, Name: team.Name(t.ID)})
	}
	if len(options) > maxSegments {
		return p.Select("library-whose", "Whose library", "select", nil, p.library.team, options, show)
	}
	var list []kit.Choice
	for _, o := range options {
		id := "library-of-" + o.Value
		if o.Value == "" {
			id = "library-mine"
		}
		list = append(list, kit.Choice{ID: id, Name: o.Name, On: p.library.team == o.Value, Do: p.Do(id, func() { show(o.Value) })})
	}
	return kit.Segments("Whose library", "", list)
}

// teamList is what the team has saved, and what was deleted of it.
func (l *Library) teamList() app.UI {
	p := l.p
	team := &p.chat.Team
	switch {
	case team.Problem != nil:
		return kit.El("p", "outcome bad", kit.At{"role", "alert"}, team.Problem.Words())
	case !team.Ready:
		return kit.Box("p", "soft", "One moment …")
	}
	entries, gone := team.Entries(l.Kind, false), team.Entries(l.Kind, true)
	none := "Nothing here yet. Share prompts your team uses often."
	if l.Kind == wire.LibrarySettings {
		none = "Nothing here yet. Share settings your team uses often."
	}
	return kit.Box("div", "",
		kit.SayIf("p", "soft", kit.When(len(entries) == 0, none)),
		kit.Box("ul", "functions", kit.Times(len(entries), func(i int) app.UI { return l.teamRow(entries[i]) })),
		kit.If(len(gone) > 0, func() app.UI {
			return kit.El("details", "fold", kit.At{"id", "library-gone"},
				kit.Box("summary", "", kit.Icon(kit.IconChevron, "icon turns"), "Deleted: "+strconv.Itoa(len(gone))),
				kit.Box("ul", "functions", kit.Times(len(gone), func(i int) app.UI { return l.teamRow(gone[i]) })))
		}),
	)
}

// changedBy says who made a version, and when.
func changedBy(e wire.TeamEntry) string {
	did := "changed by "
	if e.Rev == 1 {
		did = "made by "
	}
	return did + e.By + ", " + day(e.UpdatedMS)
}

func (l *Library) teamRow(e wire.TeamEntry) app.UI {
	p := l.p
	open := p.Do("team-open "+e.ID, func() { l.view(viewEntry, e.ID, "#team-name") })
	use := p.Do("team-use "+e.ID, func() { l.use(e.ID) })
	if e.Deleted {
		use = open
	}
	about := changedBy(e)
	if e.Kind == wire.LibraryPrompt {
		about = chat.Short(e.Text, 60) + " · " + about
	} else {
		about = "for " + e.Family + " models · " + about
	}
	return kit.El("li", "function", kit.At{"data-name", e.Name},
		kit.El("button", "function-words library-use", kit.At{"type", "button", "title", kit.When(!e.Deleted, "Use"), "onclick", use},
			kit.Box("span", "library-name written", e.Name), kit.Box("span", "faint", about)),
		kit.IconButton("library-more", "About "+e.Name, kit.IconChevron, kit.At{"title", "Versions and more"}, open),
	)
}

// view goes to a view of an entry, "" to the list, and puts the focus there.
func (l *Library) view(view, id, focus string) {
	p := l.p
	p.library.shelf.view, p.library.shelf.of, p.library.problem = view, id, ""
	if view == viewEntry {
		p.chat.Team.Look(id, l.done)
	}
	p.changed(chat.PartLibrary)
	p.Context().Defer(func(app.Context) { p.After(0, func() { p.DOM.Focus(focus) }) })
}

// teamSaving puts something into the team's library: what stands in the composer, a
// lane's parameters, or one of one's own.
func (l *Library) teamSaving() app.UI {
	p := l.p
	var options []kit.Option
	for _, e := range p.chat.Library.Entries(l.Kind) {
		options = append(options, kit.Option{Value: e.ID, Name: e.Name})
	}
	return kit.Box("div", "library-add",
		l.saving(),
		kit.If(len(options) > 0, func() app.UI {
			return kit.El("form", "library-save", kit.At{"onsubmit", p.On("team-copy", func(_ app.Context, e app.Event) { e.PreventDefault(); l.copyToTeam() })},
				kit.El("label", "label", kit.At{"for", "team-from"}, "Or copy one of mine"),
				p.Select("team-from", "One of mine", "select", nil, p.library.shelf.from, append(kit.Options("", "Choose"), options...), func(id string) { p.library.shelf.from = id }),
				kit.Button("", kit.At{"id", "team-copy", "type", "submit"}, nil, "Copy"))
		}))
}

func (l *Library) copyToTeam() {
	p := l.p
	e := own(p.chat.Library.All, p.library.shelf.from)
	if e == nil {
		l.done(&wire.Problem{Message: "Choose one of yours first."})
		return
	}
	l.addToTeam(*e, func() { p.library.shelf.from = "" })
}

// addToTeam makes a new entry of the team's, unless one has its name.
func (l *Library) addToTeam(e wire.LibraryEntry, added func()) {
	team := &l.p.chat.Team
	if team.Named(e.Kind, e.Name) != nil {
		l.done(&wire.Problem{Message: "That name is already taken.", Hint: "Choose another name or edit the existing entry."})
		return
	}
	e.ID, e.UpdatedMS = "", 0
	team.Put(wire.TeamEntry{LibraryEntry: e}, func(problem *wire.Problem) {
		if problem == nil {
			added()
		}
		l.done(problem)
	})
}

func own(all []wire.LibraryEntry, id string) *wire.LibraryEntry {
	for i := range all {
		if all[i].ID == id {
			return &all[i]
		}
	}
	return nil
}

// about is an entry of the team's, with what can be done and all versions.
func (l *Library) about(e wire.TeamEntry) app.UI {
	p := l.p
	team := &p.chat.Team
	var past []wire.TeamEntry
	if team.Of == e.ID {
		past = team.Past
	}
	act := func(id, look, name string, do func()) app.UI {
		return kit.Button(look, kit.At{"id", id}, p.Do(id+" "+e.ID, do), name)
	}
	may := !p.Guest
	return kit.Box("div", "dialog-body",
		kit.Box("div", "line",
			kit.IconButton("", "Back", kit.IconBack, kit.At{"id", "team-back", "title", "Back"}, p.Do("team-back", func() { l.view("", "", "#library-"+l.Kind) })),
			kit.El("h3", "written", kit.At{"id", "team-name", "tabindex", "-1"}, e.Name)),
		kit.Box("p", "faint", kit.When(e.Deleted, "Deleted · ")+"Version "+strconv.FormatInt(e.Rev, 10)+", "+changedBy(e)),
		kit.Box("div", "line",
			kit.Box("span", "push"),
			kit.If(may && e.Deleted, func() app.UI {
				return act("team-restore", "primary", "Bring back", func() { team.Back(e, l.done) })
			}),
			kit.If(may && !e.Deleted && e.May, func() app.UI {
				return act("team-drop", "", "Delete", func() {
					team.Delete(e.ID, func(problem *wire.Problem) {
						if problem == nil {
							l.view("", "", "#library-"+l.Kind)
						}
						l.done(problem)
					})
				})
			}),
			kit.If(may, func() app.UI {
				return act("team-to-mine", "", "Copy to mine", func() {
					p.chat.Library.Copy(e.LibraryEntry, func(problem *wire.Problem) {
						if problem == nil {
							p.Tell("“" + e.Name + "” is in your own library too.")
						}
						l.done(problem)
					})
				})
			}),
			kit.If(may && !e.Deleted, func() app.UI { return act("team-edit", "", "Edit", func() { l.edit(e) }) }),
			kit.If(!e.Deleted, func() app.UI { return act("team-use", "primary", "Use", func() { l.use(e.ID) }) }),
		),
		kit.El("p", "outcome bad", kit.At{"id", "library-problem", "role", "alert"}, l.Problem),
		kit.Box("ol", "entry-versions", kit.Times(len(past), func(i int) app.UI {
			var before *wire.TeamEntry
			if i+1 < len(past) {
				before = &past[i+1]
			}
			return l.version(e, past[i], before)
		})),
	)
}

// version is one of an entry, by what it changed.
func (l *Library) version(now, v wire.TeamEntry, before *wire.TeamEntry) app.UI {
	p := l.p
	rev := strconv.FormatInt(v.Rev, 10)
	renamed, text := "", ""
	if before != nil {
		text = chat.Content(before.LibraryEntry)
		if before.Name != v.Name {
			renamed = "It was called “" + before.Name + "”."
		}
	}
	return kit.El("li", "version", kit.At{"data-rev", rev},
		kit.Box("div", "line",
			kit.Box("strong", "", "Version "+rev),
			kit.Box("span", "faint", v.By+", "+day(v.UpdatedMS)),
			kit.Box("span", "push"),
			kit.If(!p.Guest && v.Rev < now.Rev, func() app.UI {
				return kit.Button("small", kit.At{"aria-label", "Restore version " + rev}, p.Do("back-to "+v.ID+rev, func() { p.chat.Team.Back(v, l.done) }), "Restore")
			})),
		kit.SayIf("p", "soft", renamed),
		compared(text, chat.Content(v.LibraryEntry), before == nil))
}

// compared shows how a text became another; the first of all as it is.
func compared(before, after string, first bool) app.UI {
	if first {
		return kit.Box("p", "prompt-text written", after)
	}
	pieces := chat.Compare(before, after)
	return kit.Box("p", "prompt-text written", kit.Times(len(pieces), func(i int) app.UI {
		tag := "span"
		switch {
		case pieces[i].Out:
			tag = "del"
		case pieces[i].New:
			tag = "ins"
		}
		return kit.Box(tag, "", pieces[i].Text)
	}))
}

func (l *Library) edit(e wire.TeamEntry) {
	l.p.library.shelf.draft, l.p.library.shelf.seen = e, 0
	l.view(viewEdit, e.ID, "#team-edit-name")
}

// editing changes an entry. Whatever somebody else makes of it meanwhile is shown,
// and what one has typed stays.
func (l *Library) editing(now wire.TeamEntry) app.UI {
	p := l.p
	d := &p.library.shelf.draft
	late := now.Rev > d.Rev
	save := "Save"
	if late {
		p.library.shelf.seen = now.Rev
		save = "Save mine over it"
	}
	return kit.El("form", "dialog-body", kit.At{"id", "team-editing", "onsubmit", p.On("team-save", func(_ app.Context, ev app.Event) { ev.PreventDefault(); l.saveDraft() })},
		kit.If(late || now.Deleted, func() app.UI { return l.clash(now, *d) }),
		kit.El("label", "label", kit.At{"for", "team-edit-name"}, kit.When(late, "Your name for it")+kit.When(!late, "Name")),
		p.Field("team-edit-name", "field", kit.At{"maxlength", wire.MaxName}, d.Name, func(text string) { d.Name = text }),
		kit.If(d.Kind == wire.LibraryPrompt, func() app.UI {
			return kit.El("label", "label", kit.At{"for", "team-edit-text"}, kit.When(late, "Yours")+kit.When(!late, "Prompt, with {{variables}}"))
		}),
		kit.If(d.Kind == wire.LibraryPrompt, func() app.UI {
			return p.Area("team-edit-text", "field", kit.At{"rows", 8}, d.Text, func(text string) { d.Text = text })
		}),
		kit.If(d.Kind == wire.LibrarySettings, func() app.UI {
			return kit.Box("p", "prompt-text written", chat.Content(d.LibraryEntry))
		}),
		kit.If(d.Kind == wire.LibrarySettings, func() app.UI {
			return kit.Button("", kit.At{"id", "team-take"}, p.Do("team-take", func() {
				if e, err := p.chat.Library.Settings(p.chat.Focused()); err == nil {
					d.Family, d.Params = e.Family, e.Params
				}
				p.changed(chat.PartLibrary)
			}), "Take the parameters of "+p.chat.Focused().Name())
		}),
		kit.El("p", "outcome bad", kit.At{"id", "library-problem", "role", "alert"}, l.Problem),
		kit.Box("div", "line",
			kit.Box("span", "push"),
			kit.Button("", kit.At{"id", "team-leave"}, p.Do("team-leave", func() { l.view(viewEntry, now.ID, "#team-name") }), kit.When(late, "Take theirs")+kit.When(!late, "Cancel")),
			kit.Button("primary", kit.At{"id", "team-save", "type", "submit"}, nil, save)),
	)
}

// clash says what somebody else has made of an entry since one began to change it.
func (l *Library) clash(now, mine wire.TeamEntry) app.UI {
	did := now.By + " has saved version " + strconv.FormatInt(now.Rev, 10) + " in the meantime. Your text is below: merge what you want and save, or take theirs."
	if now.Deleted {
		did = "It was deleted in the meantime. Saving brings it back."
	}
	before := chat.Content(mine.LibraryEntry)
	for _, v := range l.p.chat.Team.Past {
		if v.ID == mine.ID && v.Rev == mine.Rev {
			before = chat.Content(v.LibraryEntry)
		}
	}
	return kit.El("div", "library-clash", kit.At{"id", "team-clash", "role", "alert"},
		kit.Box("p", "", did),
		kit.If(!now.Deleted, func() app.UI { return kit.Box("p", "label", "Theirs: "+now.Name) }),
		kit.If(!now.Deleted, func() app.UI { return compared(before, chat.Content(now.LibraryEntry), false) }),
	)
}

func (l *Library) saveDraft() {
	p := l.p
	team := &p.chat.Team
	d := p.library.shelf.draft
	d.Rev = max(d.Rev, p.library.shelf.seen)
	team.Put(d, func(problem *wire.Problem) {
		switch {
		case problem == nil:
			l.view(viewEntry, d.ID, "#team-name")
		case problem.Code == wire.CodeChangedSince:
			problem = nil // the form says it, with both
		}
		l.done(problem)
	})
}
