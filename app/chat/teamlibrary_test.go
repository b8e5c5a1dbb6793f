package chat

import (
	"strings"
	"testing"

	"screentest/shared/wire"
)

func TestCompareTellsWhatChanged(t *testing.T) {
	for _, tt := range []struct{ name, before, after, want string }{
		{"nothing", "one two", "one two", "one two"},
		{"a word", "Sum up the text.", "Sum up this text.", "Sum up -the-+this+ text."},
		{"more at the end", "Sum up", "Sum up, in German", "Sum up+, in German+"},
		{"from nothing", "", "new", "+new+"},
		{"a line taken out", "a\nb\nc", "a\nc", "a\n-b\n-c"},
		{"in the middle of two", "keep this word and that one", "keep a word and those one", "keep -this-+a+ word and -that-+those+ one"},
		{"characters of several bytes", "über 灯台", "über 灯", "über -灯台-+灯+"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got, before, after strings.Builder
			for _, p := range Compare(tt.before, tt.after) {
				mark := map[Piece]string{{Out: true}: "-", {New: true}: "+"}[Piece{Out: p.Out, New: p.New}]
				got.WriteString(mark + p.Text + mark)
				if !p.New {
					before.WriteString(p.Text)
				}
				if !p.Out {
					after.WriteString(p.Text)
				}
			}
			if got.String() != tt.want || before.String() != tt.before || after.String() != tt.after {
				t.Errorf("%q, want %q", got.String(), tt.want)
			}
		})
	}
	long := strings.Repeat("word other ", 5000)
	if got := Compare("a "+long+" b", "b "+strings.ToUpper(long)+" a"); len(got) > 3 {
		t.Errorf("what is too long is compared in %d pieces", len(got))
	}
}

func TestTeamLibrary(t *testing.T) {
	b := newBench(t)
	if len(b.Team.Teams()) != 0 {
		t.Error("alone there are teams")
	}
	b.session.Hello.Me = &wire.Me{Name: "Ann", Role: wire.RoleMember, Teams: []wire.MyTeam{{ID: "all", Name: "Everyone"}}}
	if b.Team.Name("all") != "Everybody’s" {
		t.Errorf("with one team there is talk of %q", b.Team.Name("all"))
	}
	entry := func(rev int64, text, by string) wire.TeamEntry {
		return wire.TeamEntry{Team: "all", Rev: rev, By: by, LibraryEntry: wire.LibraryEntry{ID: "e", Kind: wire.LibraryPrompt, Name: "Sum", Text: text}}
	}
	b.Team.Show("all")
	mine := entry(1, "one", "Ann")
	mine.May = true
	b.far.take(t, wire.OpTeamLibrary).answer(wire.TeamLibrary{Entries: []wire.TeamEntry{mine}})
	b.news(wire.EventTeamEntry, entry(2, "two", "Bob"))
	if e := b.Team.Named(wire.LibraryPrompt, " Sum "); e == nil || e.Rev != 2 || e.By != "Bob" || !e.May {
		t.Errorf("after news it is %+v", e)
	}
	b.news(wire.EventTeamEntry, entry(1, "late", "Bob"))
	other := entry(3, "of another team", "Eve")
	other.Team = "blue"
	b.news(wire.EventTeamEntry, other)
	if e := b.Team.Entry("e"); e.Text != "two" {
		t.Errorf("news that are old or not of the team: %+v", e)
	}

	// Upon a version that isn't the last: what is there now is known before it is told.
	var problem *wire.Problem
	b.Team.Put(entry(1, "mine", ""), func(p *wire.Problem) { problem = p })
	b.far.take(t, wire.OpTeamLibraryPut).refuse(wire.CodeChangedSince)
	if problem != nil {
		t.Error("it is told before it is known")
	}
	b.far.take(t, wire.OpTeamLibraryPast).answer(wire.TeamLibrary{Entries: []wire.TeamEntry{entry(3, "three", "Bob"), entry(2, "two", "Bob"), entry(1, "one", "Ann")}})
	if problem == nil || problem.Code != wire.CodeChangedSince || b.Team.Entry("e").Rev != 3 || len(b.Team.Past) != 3 {
		t.Errorf("%+v, %+v", problem, b.Team.Entry("e"))
	}

	b.Team.Back(b.Team.Past[2], func(p *wire.Problem) { problem = p })
	call := b.far.take(t, wire.OpTeamLibraryPut)
	if sent := read[wire.TeamEntry](t, call); sent.Rev != 3 || sent.Text != "one" {
		t.Errorf("going back sends %+v", sent)
	}
	call.answer(entry(4, "one", "Ann"))
	if problem != nil || len(b.Team.Past) != 4 || b.Team.Past[0].Rev != 4 {
		t.Errorf("%v, %+v", problem, b.Team.Past)
	}
	b.Team.Delete("e", func(p *wire.Problem) { problem = p })
	b.far.take(t, wire.OpTeamLibraryDrop).answer(nil)
	if len(b.Team.Entries(wire.LibraryPrompt, false)) != 0 || len(b.Team.Entries(wire.LibraryPrompt, true)) != 1 {
		t.Errorf("deleted: %+v", b.Team.All)
	}
	b.Team.Put(wire.TeamEntry{}, func(p *wire.Problem) { problem = p })
	if problem == nil || problem.Field != "name" {
		t.Errorf("without a name: %v", problem)
	}

	// Copied to one's own it gets a name that is free.
	b.Library.All = []wire.LibraryEntry{{ID: "own", Kind: wire.LibraryPrompt, Name: "Sum"}}
	b.Library.Copy(entry(1, "one", "Bob").LibraryEntry, func(p *wire.Problem) { problem = p })
	if sent := read[wire.LibraryEntry](t, b.far.take(t, wire.OpLibraryPut)); sent.Name != "Sum 2" || sent.ID == "e" || sent.Text != "one" {
		t.Errorf("copied %+v", sent)
	}
}
