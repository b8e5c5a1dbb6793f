package chat

import (
	"slices"
	"strings"
	"testing"
	"time"

	"screentest/shared/wire"
)

func TestGroupsFollowTheViewersDays(t *testing.T) {
	// In Santiago clocks went from midnight to one o'clock on 6 September 2026.
	zone, err := time.LoadLocation("America/Santiago")
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t)
	if g := b.List.Groups(); len(g) != 0 {
		t.Errorf("groups of nothing: %v", g)
	}
	at := func(d, h, m int) int64 { return time.Date(2026, 9, d, h, m, 0, 0, zone).UnixMilli() }
	b.days = []time.Time{time.UnixMilli(at(6, 1, 0)), time.UnixMilli(at(5, 0, 0))}
	b.List.Rows = []wire.Summary{
		{ID: "old", UpdatedMS: at(4, 23, 59)},
		{ID: "today", UpdatedMS: at(6, 1, 0)},
		{ID: "late yesterday", UpdatedMS: at(5, 23, 59)},
		{ID: "early yesterday", UpdatedMS: at(5, 0, 0)},
		{ID: "now", UpdatedMS: at(6, 9, 30)},
	}
	var got []string
	for _, g := range b.List.Groups() {
		got = append(got, "# "+g.Name)
		for _, s := range g.Rows {
			got = append(got, s.ID)
		}
	}
	want := []string{"# Today", "now", "today", "# Yesterday", "late yesterday", "early yesterday", "# Earlier", "old"}
	if !slices.Equal(got, want) {
		t.Errorf("groups %q, want %q", got, want)
	}
}

func TestAnnouncerSpeaksInSentences(t *testing.T) {
	text := "## Waves\n\nThe **sea** is [wide](https://x.example). It rolls\non. Then:\n\n```go\nfmt.Println(1)\n```\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nThe end"
	var a Announcer
	var said []string
	for n := range len(text) + 1 {
		if s := a.Next(text[:n], n == len(text)); s != "" {
			said = append(said, s)
		}
	}
	want := []string{"Waves", "The sea is wide.", "It rolls", "on.", "Then:", "Code block.", "one", "two", "a b", "1 2", "The end"}
	if !slices.Equal(said, want) {
		t.Errorf("said %q\nwant %q", said, want)
	}
	if s := a.Next(text, true); s != "" {
		t.Errorf("said again %q", s)
	}
}

func TestAnnouncerTakesABurstAtOnce(t *testing.T) {
	var a Announcer
	if got := a.Next("One. Two. Thr", false); got != "One. Two." {
		t.Errorf("said %q", got)
	}
	if got := a.Next("One. Two. Three", true); got != "Three" {
		t.Errorf("said %q", got)
	}
	if got := a.Next("New", true); got != "New" {
		t.Errorf("after a replacement said %q", got)
	}
}

func TestFigures(t *testing.T) {
	b := newBench(t)
	for _, c := range []struct {
		name string
		run  wire.Run
		want Figures
	}{
		{
			"done, reported",
			wire.Run{State: wire.Done, Model: "x/y", FirstTokenMS: 212, DurationMS: 1617, InputTokens: 31, OutputTokens: 118, CostNanoUSD: 1_300_000, CostSource: "reported", Basis: "31 in × $0.50/M"},
			Figures{State: "done", FirstToken: "212 ms", Total: "1.6 s", Speed: "84 tok/s", Tokens: "31 in · 118 out", Cost: "$0.0013", Basis: "31 in × $0.50/M = $0.0013; tokens reported by the gateway"},
		},
		{
			"estimated, another model answered",
			wire.Run{State: wire.Done, Model: "x/y", Answered: "x/z", FirstTokenMS: 1400, DurationMS: 1400, InputTokens: 1200, OutputTokens: 5, CostNanoUSD: 42_000, CostSource: "estimated"},
			Figures{State: "done", FirstToken: "1.4 s", Total: "1.4 s", Tokens: "≈ 1\u202f200 in · 5 out", Cost: "≈ $0.000042", Basis: "$0.000042; tokens estimated: the gateway reported none", Answered: "x/z"},
		},
		{"cut", wire.Run{State: wire.Incomplete, Finish: "length"}, Figures{State: "cut off at the length limit"}},
		{"cut for a reason of its own", wire.Run{State: wire.Incomplete, Finish: "tired"}, Figures{State: "incomplete: tired"}},
		{"failed before anything", wire.Run{State: wire.Failed}, Figures{State: "failed"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := b.Figures(&Message{Message: wire.Message{Run: &c.run}}); got != c.want {
				t.Errorf("figures\n%+v, want\n%+v", got, c.want)
			}
		})
	}
}

func TestFirstLineIsCutAtAWholeCharacter(t *testing.T) {
	got := firstLine(strings.Repeat("ä", 100) + "\nmore")
	if r := []rune(got); len(r) != 60 || r[59] != '…' {
		t.Errorf("title %q", got)
	}
}

// A prompt of 54 Chinese characters was once cut at a byte, and beyond its end.
func TestShortCountsCharacters(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{strings.Repeat("译", 54), strings.Repeat("译", 54)},
		{strings.Repeat("译", 100), strings.Repeat("译", 100)},
		{strings.Repeat("译", 101), strings.Repeat("译", 99) + "…"},
		{strings.Repeat("a", 98) + " and more", strings.Repeat("a", 98) + "…"},
		{"", ""},
	} {
		if got := Short(c.text, 100); got != c.want {
			t.Errorf("%q is cut to %q", c.text, got)
		}
	}
}

func TestPinnedStandAboveAndAreTakenBackWhenRefused(t *testing.T) {
	b := newBench(t)
	b.List.Fetch()
	b.far.take(t, wire.OpConversations).answer(wire.ConversationPage{
		Conversations: []wire.Summary{{ID: "new", UpdatedMS: 30}, {ID: "old", UpdatedMS: 10}},
		Pinned:        []wire.Summary{{ID: "oldest", UpdatedMS: 1, Pinned: true}},
	})
	rows := func() (ids []string) {
		for _, g := range b.List.Groups() {
			for _, s := range g.Rows {
				ids = append(ids, s.ID)
			}
		}
		return ids
	}
	if got := rows(); !slices.Equal(got, []string{"oldest", "new", "old"}) {
		t.Errorf("%v", got)
	}
	b.List.Pin("old", true)
	if got := rows(); !slices.Equal(got, []string{"old", "oldest", "new"}) {
		t.Errorf("at once %v", got)
	}
	b.far.take(t, wire.OpPin).refuse("too_many_pinned")
	if got := rows(); !slices.Equal(got, []string{"oldest", "new", "old"}) || b.told == "" {
		t.Errorf("refused: %v, notice %q", got, b.told)
	}
	// Another tab lets one go.
	b.List.Fetch()
	b.far.take(t, wire.OpConversations).answer(wire.ConversationPage{
		Conversations: []wire.Summary{{ID: "new", UpdatedMS: 30}, {ID: "old", UpdatedMS: 10}, {ID: "oldest", UpdatedMS: 1}},
	})
	if got := rows(); !slices.Equal(got, []string{"new", "old", "oldest"}) {
		t.Errorf("unpinned elsewhere: %v", got)
	}
}

func TestNeighboursFollowTheList(t *testing.T) {
	b := newBench(t)
	b.List.Fetch()
	b.far.take(t, wire.OpConversations).answer(wire.ConversationPage{Conversations: []wire.Summary{{ID: "b", UpdatedMS: 2}, {ID: "a", UpdatedMS: 1}}})
	if b.List.Neighbour(1) != "b" || b.List.Neighbour(-1) != "" {
		t.Errorf("from a new conversation: %q, %q", b.List.Neighbour(1), b.List.Neighbour(-1))
	}
	b.Show("b")
	if b.List.Neighbour(1) != "a" || b.List.Neighbour(-1) != "" || b.List.Neighbour(2) != "" {
		t.Errorf("from the first: %q, %q", b.List.Neighbour(1), b.List.Neighbour(-1))
	}
}

func TestAnnouncerDoesNotReadWhatNobodyCouldListenTo(t *testing.T) {
	text := strings.Repeat("One more **line**.\n", 10_000) + "```\ncode\n"
	var a Announcer
	said := a.Next(text, false)
	if len(said) > atOnce || !strings.HasSuffix(said, "One more line. Code block.") {
		t.Errorf("%d bytes, ending %q", len(said), said[max(0, len(said)-60):])
	}
	if said := a.Next(text+"more code\n```\nAfter it.\n", true); said != "After it." {
		t.Errorf("said %q, want what follows the code", said)
	}
}

func TestCarriedTextAndKeptDraft(t *testing.T) {
	for _, c := range []struct{ draft, typed, want string }{
		{"", "t", "t"},
		{"kept", "t", "kept\n\nt"},
		{"kept", "kept", "kept"},
		{"kept", "kept and more", "kept and more"}, // the browser had put it there
	} {
		if got := Carry(c.draft, c.typed); got != c.want {
			t.Errorf("%q and %q: %q, want %q", c.draft, c.typed, got, c.want)
		}
	}
}

// A prompt that is put into a draft is set apart by a blank line, and by no more
// than one.
func TestGapBesideADraft(t *testing.T) {
	for _, c := range []struct{ before, after, want string }{
		{"", "", "P"},
		{"draft", "", "draft\n\nP"},
		{"draft\n", "more", "draft\n\nP\n\nmore"},
		{"draft\n\n", "\n\nmore", "draft\n\nP\n\nmore"},
		{"  ", "\nmore", "  P\n\nmore"},
	} {
		if got := c.before + Gap(c.before, false) + "P" + Gap(c.after, true) + c.after; got != c.want {
			t.Errorf("%q and %q: %q, want %q", c.before, c.after, got, c.want)
		}
	}
}

// What is sent beside an answer under way is refused with words, stays, and the
// words go when the answer has ended.
func TestSentWhileAnAnswerIsMade(t *testing.T) {
	b := newBench(t)
	b.Lane(0).Choose(chatModel)
	_, run := b.sent(t, "one")
	if b.Send("two") || b.Shown().Refused() == nil || !strings.Contains(b.Shown().Refused().Issues[0].Hint, "Esc") {
		t.Fatalf("sent, or refused by %+v", b.Shown().Refused())
	}
	b.says(run, "x")
	if b.Shown().Refused() != nil {
		t.Errorf("still refused: %+v", b.Shown().Refused())
	}
	if !b.Send("two") {
		t.Errorf("refused by %+v", b.Shown().Refusal)
	}
}
