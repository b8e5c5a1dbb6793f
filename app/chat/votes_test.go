package chat

import (
	"slices"
	"strings"
	"testing"

	"screentest/shared/wire"
)

// votable has two answers to choose from, their names hidden.
func (b *bench) votable(t *testing.T) (answers []string) {
	t.Helper()
	b.Show("")
	b.lanes(chatModel, "zeta-1")
	b.SetBlind(true)
	starts, runs := b.sentAll(t, "q")
	for i, r := range runs {
		b.says(r, "x")
		answers = append(answers, starts[i].Answer)
	}
	return answers
}

// A vote names the answers that it compares, and in a team what it is about, which is
// remembered.
func TestWhatAVoteSays(t *testing.T) {
	b := newBench(t)
	b.TypeTags("Mail")
	answers := b.votable(t)
	b.Shown().Vote(0)
	if v := read[wire.Vote](t, b.far.take(t, wire.OpVote)); len(v.Tags) != 0 || !slices.Equal(v.Answers, answers) || v.Bad {
		t.Errorf("alone: %+v", v)
	}

	b = newBench(t)
	b.session.Hello.Me = &wire.Me{Role: wire.RoleMember}
	if wrong := b.TypeTags(" Mail, code,, mail "); wrong != "" || !slices.Equal(b.VoteTags(), []string{"code", "mail"}) || b.TypedTags() != "Mail, code,, mail" {
		t.Errorf("%q: %q, typed %q", wrong, b.VoteTags(), b.TypedTags())
	}
	for _, typed := range []string{"a,b,c,d,e,f", strings.Repeat("x", 31)} {
		if wrong := b.TypeTags(typed); !strings.Contains(wrong, "at most") || !slices.Equal(b.VoteTags(), []string{"code", "mail"}) {
			t.Errorf("%q: %q; the tags are %q", typed, wrong, b.VoteTags())
		}
	}
	for _, tt := range []struct {
		vote    int
		bad     bool
		winner  int // among the answers, -1 for none
		verdict string
	}{
		{1, false, 1, "You voted for B"},
		{Tie, false, -1, "You called it a tie."},
		{AllBad, true, -1, "You found neither answer good enough."},
	} {
		answers := b.votable(t)
		winner := ""
		if tt.winner >= 0 {
			winner = answers[tt.winner]
		}
		b.Shown().Vote(tt.vote)
		call := b.far.take(t, wire.OpVote)
		v := read[wire.Vote](t, call)
		if v.Bad != tt.bad || v.Winner != winner || !slices.Equal(v.Answers, answers) || !slices.Equal(v.Tags, []string{"code", "mail"}) {
			t.Errorf("vote %d: %+v", tt.vote, v)
		}
		v.Blind, v.Team = true, "lab"
		call.answer(v)
		if got := b.Shown().Verdict(); !strings.HasPrefix(got, tt.verdict) {
			t.Errorf("vote %d: verdict %q", tt.vote, got)
		}
		if got := b.Shown().Ranked(); got != "lab" {
			t.Errorf("vote %d: it counts for %q", tt.vote, got)
		}
	}
	b.TypeTags("")
	if b.VoteTags() != nil || b.storeHas("mail") {
		t.Error("tags that were taken away are remembered")
	}
}
