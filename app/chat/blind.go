package chat

import (
	"encoding/json"
	"strings"

	"screentest/app/session"
	"screentest/shared/wire"
)

// SetBlind hides the names of the models from the first message of the next
// conversation on until the vote on its answers.
func (ch *Chat) SetBlind(on bool) {
	ch.fresh.Blind = on
	ch.storeFresh()
	ch.o.Changed(PartThread | PartLanes | PartComposer | PartBar)
}

// Hidden says that no name of a model may be shown.
func (c *Conversation) Hidden() bool { return c.begun() && c.Blind && len(c.Lanes) > 1 }

// shuffle deals the models to the lanes anew, with their parameters, so that
// their order tells nothing: each is put where a fresh id falls among the
// others.
func (c *Conversation) shuffle() {
	for i := len(c.Lanes) - 1; i > 0; i-- {
		id := c.chat.o.NewID()
		n := 0
		for _, b := range []byte(id) {
			n = (n*31 + int(b)) & 0xffffff
		}
		j := n % (i + 1)
		a, b := c.Lanes[i], c.Lanes[j]
		a.model, b.model = b.model, a.model
		a.params, b.params = b.params, a.params
	}
}

// CanVote says that the answers of a blind comparison have all ended, and that
// no vote on them is under way.
func (c *Conversation) CanVote() bool { return c.Hidden() && c.roundEnded() && !c.voting }

// Tie is the vote for none.
const Tie = -1

// Vote says which lane's answer was the best, or Tie. The names are shown once
// the vote is stored: one that is refused can be given again, as blindly.
func (c *Conversation) Vote(lane int) {
	if !c.CanVote() || lane >= len(c.Lanes) {
		return
	}
	v := wire.Vote{Conversation: c.ID, Message: c.Lanes[max(lane, 0)].question(), VoteMS: c.chat.o.Now().UnixMilli()}
	for _, l := range c.Lanes {
		v.Models = append(v.Models, l.Model())
	}
	if lane != Tie {
		v.Winner = c.Lanes[lane].Leaf
	}
	c.voting, c.Refusal = true, nil
	c.chat.o.Server.Call(wire.OpVote, v, func(data json.RawMessage, p *wire.Problem) {
		c.voting = false
		var stored wire.Vote
		if p = session.Read(data, p, &stored); p != nil {
			c.Refusal = refuse("", p.Code, "The vote was not kept: "+p.Message, strings.TrimSpace(p.Hint+" Vote again."))
			c.changed(PartThread | PartComposer)
			return
		}
		c.Blind = false
		for _, l := range c.Lanes {
			if m := l.last(); m != nil {
				m.Rev++
			}
		}
		c.hearVote(stored)
		c.lanesChanged()
	})
	c.changed(PartThread | PartComposer)
}

func (c *Conversation) hearVote(v wire.Vote) {
	c.Votes[v.Message] = v
	if m := c.messages[v.Winner]; m != nil {
		m.Rev++
	}
	c.changed(PartThread | PartComposer)
}

// Verdict is the vote on the answers that the lanes show, in words; "" where
// there was none.
func (c *Conversation) Verdict() string {
	if len(c.Lanes) < 2 {
		return ""
	}
	for _, l := range c.Lanes {
		v, voted := c.Votes[l.question()]
		if !voted {
			continue
		}
		if v.Winner == "" {
			return "You found the answers equally good."
		}
		for i, o := range c.Lanes {
			if o.Leaf == v.Winner {
				return "You voted for " + Letter(i) + ", which is " + o.Model() + "."
			}
		}
	}
	return ""
}
