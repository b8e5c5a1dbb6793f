package review

import (
	"encoding/json"

	"screentest/app/session"
	"screentest/shared/wire"
)

// page is how many clips are asked for at once.
const page = 24

// Gallery are the clips that a team shows itself.
type Gallery struct {
	d       *Desk
	Team    string // "" shows none
	State   string // of the review; "" shows all
	Clips   []wire.TeamClip
	Ready   bool
	More    bool
	Loading bool
	Problem *wire.Problem

	before string
	asked  int
}

// Show shows the clips of a team, as they are now; "" shows none.
func (g *Gallery) Show(team, state string) {
	if g.Team != team || g.State != state {
		g.Team, g.State = team, state
		g.Clips, g.Ready, g.More, g.Problem = nil, false, false, nil
	}
	g.again()
}

// again asks for the newest, which take the place of what is there.
func (g *Gallery) again() {
	g.asked++
	g.Loading = false
	if g.Team != "" {
		g.fetch("")
	}
}

// Again tries once more what has failed.
func (g *Gallery) Again() {
	g.Problem = nil
	g.again()
	g.d.o.Changed()
}

// FetchMore asks for older ones, if there are any and they aren't asked for.
func (g *Gallery) FetchMore() {
	if g.More && !g.Loading {
		g.fetch(g.before)
	}
}

func (g *Gallery) fetch(before string) {
	asked := g.asked
	limit := page
	if before == "" {
		limit = min(max(page, len(g.Clips)), 4*page) // what was there stays in sight
	}
	g.Loading = true
	g.d.o.Server.Call(wire.OpTeamClips, wire.TeamClipQuery{Team: g.Team, State: g.State, Before: before, Limit: limit}, func(data json.RawMessage, p *wire.Problem) {
		if asked != g.asked {
			return
		}
		var got wire.TeamClips
		g.Loading = false
		if g.Problem = session.Read(data, p, &got); g.Problem == nil {
			if before == "" {
				g.Clips = nil
			}
			g.Clips = append(g.Clips, got.Clips...)
			g.before, g.More, g.Ready = got.Before, got.Before != "", true
		} else if g.Problem.Code == "not_found" {
			g.Clips, g.More = nil, false
		}
		g.d.o.Changed()
	})
	g.d.o.Changed()
}
