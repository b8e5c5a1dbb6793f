package ranking

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"screentest/app/session"
	"screentest/shared/wire"
)

// bench is a Desk with a server that answers when it is told to, and a clock that
// stands still.
type bench struct {
	*Desk
	t     *testing.T
	asked []wire.RankingQuery
	done  []func(json.RawMessage, *wire.Problem)
	later []func()
}

func (b *bench) Call(op wire.Op, args any, done func(json.RawMessage, *wire.Problem)) {
	if op != wire.OpRanking {
		b.t.Errorf("%s is called", op)
	}
	b.asked, b.done = append(b.asked, args.(wire.RankingQuery)), append(b.done, done)
}

func (b *bench) Once(op wire.Op, args any, done func(json.RawMessage, *wire.Problem)) {
	b.Call(op, args, done)
}

// answer answers the n-th call.
func (b *bench) answer(n int, r wire.Ranking) {
	b.t.Helper()
	raw, err := json.Marshal(r)
	if err != nil {
		b.t.Fatal(err)
	}
	b.done[n](raw, nil)
}

var day = time.Date(2026, 5, 4, 0, 0, 0, 0, time.UTC)

func newBench(t *testing.T, greet ...session.Greeting) *bench {
	b := &bench{t: t}
	b.Desk = NewDesk(Options{
		Server: b, Changed: func() {},
		After:    func(_ time.Duration, f func()) func() { b.later = append(b.later, f); return func() {} },
		Midnight: func(back int) time.Time { return day.AddDate(0, 0, -back) },
	})
	for _, g := range greet {
		b.News(g)
	}
	return b
}

func inTeams(charge string, teams ...string) session.Greeting {
	me := &wire.Me{}
	for _, id := range teams {
		me.Teams = append(me.Teams, wire.MyTeam{ID: id, Name: "Team " + id})
	}
	return session.Greeting{Me: me, Charge: wire.Charge{ID: charge}}
}

func TestWhichTeamIsShown(t *testing.T) {
	for name, tt := range map[string]struct {
		greeting session.Greeting
		asked    string // in the address
		want     string
	}{
		"what sends are charged to":    {inTeams("b", "a", "b"), "", "b"},
		"the first with one's own key": {inTeams(wire.ChargePersonal, "a", "b"), "", "a"},
		"the address's":                {inTeams("b", "a", "b"), "a", "a"},
		"one that isn't one's own":     {inTeams("b", "a", "b"), "x", "x"},
		"none":                         {inTeams(""), "", ""},
	} {
		b := newBench(t, tt.greeting)
		b.Go(View{Team: tt.asked, Time: Ever})
		if got := b.Team().ID; got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
		if asked := len(b.asked) == 1 && b.asked[0].Team == tt.want; asked != (tt.want != "") {
			t.Errorf("%s: asked %+v", name, b.asked)
		}
	}
}

// The page may be there before the greeting, and is asked for anew after a connection
// was lost.
func TestAGreetingAsks(t *testing.T) {
	b := newBench(t)
	b.Go(View{Time: Days7, Tag: "code"})
	if len(b.asked) != 0 {
		t.Fatalf("asked for the team of nobody: %+v", b.asked)
	}
	b.News(inTeams("a", "a"))
	b.News(inTeams("a", "a"))
	want := wire.RankingQuery{Team: "a", Tag: "code", From: day.AddDate(0, 0, -6).UnixMilli()}
	if !slices.Equal(b.asked, []wire.RankingQuery{want, want}) {
		t.Errorf("asked %+v, want %+v twice", b.asked, want)
	}
	b.answer(1, wire.Ranking{Votes: 2})
	b.answer(0, wire.Ranking{Votes: 1})
	if b.Ranking.Votes != 2 {
		t.Error("an older answer took the newer one's place")
	}
	b.Leave()
	if b.News(inTeams("a", "a")); len(b.asked) != 2 {
		t.Error("asked while another page is shown")
	}
}

// Votes are told one by one, and are one question; those of another team are none.
func TestVotesOfOthers(t *testing.T) {
	b := newBench(t, inTeams("a", "a", "b"))
	b.Go(View{Time: Ever})
	b.answer(0, wire.Ranking{Votes: 1, Tags: []string{"mail"}})
	for _, team := range []string{"b", "a", "a", "a"} {
		b.News(wire.RankingChanged{Team: team})
	}
	if len(b.later) != 1 || b.Ranking == nil {
		t.Fatalf("%d questions are planned, and it shows %+v", len(b.later), b.Ranking)
	}
	b.later[0]()
	if len(b.asked) != 2 || b.Ranking == nil {
		t.Fatalf("asked %d times; shown meanwhile: %+v", len(b.asked), b.Ranking)
	}
	b.answer(1, wire.Ranking{Votes: 4, Tags: []string{"code", "mail"}})
	if b.Ranking.Votes != 4 || !slices.Equal(b.Tags, []string{"mail", "code"}) {
		t.Errorf("%+v, tags %q; want each tag at its place", b.Ranking, b.Tags)
	}
	b.News(wire.RankingChanged{Team: "a"})
	b.Leave()
	b.later[1]()
	if len(b.asked) != 2 {
		t.Error("asked while another page is shown")
	}
	b.Go(View{Team: "b", Time: Ever})
	if b.Ranking != nil || len(b.Tags) != 0 {
		t.Errorf("of another team it shows %+v and the tags %q", b.Ranking, b.Tags)
	}
}

func TestAViewIsInItsAddress(t *testing.T) {
	for _, v := range []View{{Time: Ever}, {Team: "a b", Tag: "c#&d", Time: Days30}, {Time: Days7}, {Team: "x", Time: Days90}} {
		u, err := url.Parse(v.Address())
		if err != nil || ParseView(u.Query()) != v {
			t.Errorf("%+v: %s, %v", v, v.Address(), err)
		}
	}
	if v := ParseView(url.Values{"time": {"never"}}); v.Time != Ever {
		t.Errorf("%+v", v)
	}
}

func model(name string, low, score, high float64) wire.Ranked {
	return wire.Ranked{Model: name, Low: low, Score: score, High: high, Loose: score == 0}
}

func TestChart(t *testing.T) {
	r := &wire.Ranking{Models: []wire.Ranked{model("a", 1050, 1100, 1150), model("b", 850, 900, 950), model("c", 0, 0, 0)}}
	c := NewChart(r)
	if len(c.Rows) != 2 || c.Rows[0].Words != "1100, between 1050 and 1150" || c.Rows[0].Points != "1100" {
		t.Errorf("%+v", c.Rows)
	}
	if !slices.Equal(c.Ticks, []string{"800", "900", "1000", "1100", "1200"}) || c.Mean != 500 {
		t.Errorf("ticks %q, the mean at %d", c.Ticks, c.Mean)
	}
	if a := c.Rows[0]; a.Low != 625 || a.Score != 750 || a.High != 875 {
		t.Errorf("%+v", a)
	}
	for _, wide := range []float64{5, 60, 333, 1000, 2600, 9000} {
		c := NewChart(&wire.Ranking{Models: []wire.Ranked{model("a", 1000-wide/2, 1000, 1000+wide/2)}})
		if n := len(c.Ticks); n < 3 || n > 8 || c.Rows[0].Low < 0 || c.Rows[0].High > 1000 {
			t.Errorf("%.0f wide: ticks %q, %+v", wide, c.Ticks, c.Rows)
		}
	}
	if NewChart(&wire.Ranking{Models: r.Models[2:]}) != nil {
		t.Error("there is a chart without a score")
	}
}

func TestWhatARankingSays(t *testing.T) {
	r := &wire.Ranking{Votes: 1200, Ties: 1, Bad: 300}
	if got, want := Basis(r, "Lab", View{Tag: "code", Time: Days30}),
		"Based on 1\u202f200 votes by Lab, blind, on #code, in the last 30 days. Of these 1 was a tie; by 300 (25 %) no answer was good enough."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := Basis(&wire.Ranking{Votes: 1}, "Lab", View{Time: Ever}), "Based on 1 vote by Lab, blind."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for name, tt := range map[string]struct {
		second wire.Ranked
		want   bool
	}{"far below": {model("b", 800, 850, 900), false}, "near": {model("b", 1000, 1040, 1080), true}, "loose": {model("b", 0, 0, 0), false}} {
		if got := Unclear(&wire.Ranking{Models: []wire.Ranked{model("a", 1050, 1100, 1150), tt.second}}); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestRankingAsCSV(t *testing.T) {
	a := model(`=cmd "x"`, 1050.25, 1100, 1150)
	a.Votes, a.Wins, a.Answer = 3, 2, wire.Figures{CostNanoUSD: 12, TokensASec: 5}
	got := CSV(&wire.Ranking{Models: []wire.Ranked{a, model("b", 0, 0, 0)}})
	want := strings.Join([]string{
		"model,score,low,high,votes,wins,ties,bad,cost_nano_usd,first_token_ms,duration_ms,tokens_a_second",
		`"'=cmd ""x""",1100.0,1050.2,1150.0,3,2,0,0,12,0,0,5`,
		`"b",,,,0,0,0,0,0,0,0,0`, "",
	}, "\r\n")
	if got != want {
		t.Errorf("%q\nwant\n%q", got, want)
	}
}
