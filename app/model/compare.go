package model

import (
	"encoding/json"
	"strconv"
	"strings"

	"screentest/app/figure"
	"screentest/app/session"
	"screentest/shared/wire"
)

// Marks say how an answer did beside those of the other lanes.
type Marks struct {
	Fastest  bool // shortest from sending to the end, as Figures.Total shows it
	Cheapest bool
	Best     bool // the person voted for it
}

// Marks compares a lane's last answer with those of the others. Nothing is
// marked before all have ended, nor where all are alike; an answer that waits for
// a call's result has not.
func (d *Desk) Marks(lane int, m *Message) Marks {
	c := d.On()
	marks := Marks{}
	for _, v := range c.Votes {
		marks.Best = marks.Best || v.Winner == m.ID
	}
	if len(c.Lanes) < 2 || d.Hidden() || c.Lanes[lane].Leaf != m.ID || !c.roundEnded() {
		return marks
	}
	type span struct{ least, most int64 }
	var time, cost span
	timed, priced := 0, 0
	widen := func(s *span, n *int, v int64) {
		if *n == 0 {
			s.least, s.most = v, v
		}
		s.least, s.most = min(s.least, v), max(s.most, v)
		*n++
	}
	for i := range c.Lanes {
		r := c.leaf(i).Run
		if d.Awaits(i, c.leaf(i)) {
			return marks
		}
		if r.State != wire.Done {
			continue
		}
		if r.DurationMS > 0 {
			widen(&time, &timed, r.DurationMS)
		}
		if r.CostSource != "" {
			widen(&cost, &priced, r.CostNanoUSD)
		}
	}
	if r := m.Run; r.State == wire.Done {
		least, most := figure.Milliseconds(time.least), figure.Milliseconds(time.most)
		marks.Fastest = timed > 1 && least != most && figure.Milliseconds(r.DurationMS) == least
		marks.Cheapest = priced > 1 && cost.least < cost.most && r.CostSource != "" && r.CostNanoUSD == cost.least
	}
	return marks
}

// leaf is the last message of a lane, or nil.
func (c *Conversation) leaf(lane int) *Message { return c.messages[c.Lanes[lane].Leaf] }

// roundEnded says that each lane has an answer of its own at its end, and none
// is under way.
func (c *Conversation) roundEnded() bool {
	seen := map[string]bool{}
	for i := range c.Lanes {
		m := c.leaf(i)
		if m == nil || m.Run == nil || m.Running() || seen[m.ID] {
			return false
		}
		seen[m.ID] = true
	}
	return true
}

// compare lets the answers be drawn again when the last of a round has ended:
// only then is it known which did best.
func (c *Conversation) compare() {
	if len(c.Lanes) < 2 || !c.roundEnded() {
		return
	}
	for i := range c.Lanes {
		c.leaf(i).Rev++
	}
}

// SetBlind hides the names of the models from the first message on until the
// vote on its answers. It can be set before a conversation begins.
func (d *Desk) SetBlind(on bool) {
	d.fresh.Blind = on
	d.keepFresh()
	d.changed(PartThread | PartComposer | PartBar)
}

// Hidden says that no name of a model may be shown.
func (d *Desk) Hidden() bool {
	c := d.Current
	return c != nil && c.Blind && len(c.Lanes) > 1
}

// ListedModels are the models of a conversation in the list: none while its
// names are hidden.
func (d *Desk) ListedModels(s wire.Summary) string {
	if c := d.conversations[s.ID]; c != nil && c.Phase == Ready {
		s.Blind = c.Blind
		if many := c.wireLanes(); len(many.Lanes) > 1 {
			s.Models = many.Models()
		}
	}
	if s.Blind {
		return "blind comparison"
	}
	if n := strings.Count(s.Models, ", ") + 1; n > 2 {
		return strconv.Itoa(n) + " models"
	}
	return s.Models
}

// Letter names a lane: A, B, …
func Letter(lane int) string { return string(rune('A' + lane)) }

// LaneName is what a lane is called: its model, or a letter while the names are
// hidden.
func (d *Desk) LaneName(lane int) string {
	if d.Hidden() {
		return "Model " + Letter(lane)
	}
	return d.LaneModel(lane)
}

// shuffle deals the models to the lanes anew, with their parameters, so that
// their order tells nothing: each is put where a fresh id falls among the
// others.
func (d *Desk) shuffle(c *Conversation) {
	for i := len(c.Lanes) - 1; i > 0; i-- {
		id := d.newID()
		n := 0
		for _, b := range []byte(id) {
			n = (n*31 + int(b)) & 0xffffff
		}
		j := n % (i + 1)
		a, b := &c.Lanes[i], &c.Lanes[j]
		a.Model, b.Model = b.Model, a.Model
		a.Params, b.Params = b.Params, a.Params
	}
}

// CanVote says that the answers of a blind comparison have all ended, and that
// no vote on them is under way.
func (d *Desk) CanVote() bool { return d.Hidden() && d.Current.roundEnded() && !d.Current.voting }

// Tie is the vote for none.
const Tie = -1

// Vote says which lane's answer was the best, or Tie. The names are shown once
// the vote is kept: one that is refused can be given again, as blindly.
func (d *Desk) Vote(lane int) {
	if !d.CanVote() || lane >= len(d.Current.Lanes) {
		return
	}
	c := d.Current
	v := wire.Vote{Conversation: c.ID, Message: c.question(max(lane, 0)), VoteMS: d.now().UnixMilli()}
	for i := range c.Lanes {
		v.Models = append(v.Models, d.LaneModel(i))
	}
	if lane != Tie {
		v.Winner = c.Lanes[lane].Leaf
	}
	c.voting, d.Refusal = true, nil
	d.server.Call(wire.OpVote, v, func(data json.RawMessage, p *wire.Problem) {
		c.voting = false
		var kept wire.Vote
		if p = session.Read(data, p, &kept); p != nil {
			d.Refusal = refuse("", p.Code, "The vote was not kept: "+p.Message, strings.TrimSpace(p.Hint+" Vote again."))
			d.drawn(c, PartThread|PartComposer)
			return
		}
		c.Blind = false
		for i := range c.Lanes {
			if m := c.leaf(i); m != nil {
				m.Rev++
			}
		}
		d.hearVote(kept)
		d.lanesChanged(c)
	})
	d.changed(PartComposer)
}

func (d *Desk) hearVote(v wire.Vote) {
	if c := d.conversations[v.Conversation]; c != nil {
		c.Votes[v.Message] = v
		if m := c.messages[v.Winner]; m != nil {
			m.Rev++
		}
		d.drawn(c, PartThread|PartComposer)
	}
}

// question is the person's message that a lane answered last, with or without
// rounds of functions between.
func (c *Conversation) question(lane int) string {
	path := c.Path(lane)
	for i := len(path) - 1; i >= 0; i-- {
		if path[i].Role == "user" {
			return path[i].ID
		}
	}
	return ""
}

// Verdict is the vote on the answers that the lanes show, in words; "" where
// there was none.
func (d *Desk) Verdict() string {
	c := d.Current
	if c == nil || len(c.Lanes) < 2 {
		return ""
	}
	for i := range c.Lanes {
		v, voted := c.Votes[c.question(i)]
		if !voted {
			continue
		}
		if v.Winner == "" {
			return "You found the answers equally good."
		}
		for j := range c.Lanes {
			if c.Lanes[j].Leaf == v.Winner {
				return "You voted for " + Letter(j) + ", which is " + d.LaneModel(j) + "."
			}
		}
	}
	return ""
}
