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

// Votes for none: the answers are equally good, or none is good enough.
const (
	Tie    = -1
	AllBad = -2
)

// Vote says which lane's answer was the best, or Tie, or AllBad. The names are shown
// once the vote is stored: one that is refused can be given again, as blindly.
func (c *Conversation) Vote(lane int) {
	if !c.CanVote() || lane >= len(c.Lanes) {
		return
	}
	v := wire.Vote{
		Conversation: c.ID, Message: c.Lanes[max(lane, 0)].question(), Answers: c.answersCompared(),
		Bad: lane == AllBad, VoteMS: c.chat.o.Now().UnixMilli(),
	}
	if c.chat.Tagging() {
		v.Tags = c.chat.VoteTags()
	}
	for _, l := range c.Lanes {
		v.Models = append(v.Models, l.Model())
	}
	if lane >= 0 {
		v.Winner = c.Lanes[lane].Leaf
	}
	c.voting, c.Refusal = true, nil
	c.chat.o.Server.Call(wire.OpVote, v, func(data json.RawMessage, p *wire.Problem) {
		c.voting = false
		var stored wire.Vote
		if p = session.Read(data, p, &stored); p != nil {
			c.Refusal = refuse("", p.Code, "Your vote wasn’t saved: "+p.Message, strings.TrimSpace(p.Hint+" Vote again."))
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

// answersCompared are the ids of the answers that the lanes show; none where the
// server hasn't taken one of them.
func (c *Conversation) answersCompared() (ids []string) {
	for _, l := range c.Lanes {
		if l.last().unsent != nil {
			return nil
		}
		ids = append(ids, l.Leaf)
	}
	return ids
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
		if v.Bad {
			return "You found " + noneOf(len(c.Lanes)) + " good enough."
		}
		if v.Winner == "" {
			return "You called it a tie."
		}
		for i, o := range c.Lanes {
			if o.Leaf == v.Winner {
				return "You voted for " + Letter(i) + ", which is " + o.Model() + "."
			}
		}
	}
	return ""
}

func noneOf(answers int) string {
	if answers == 2 {
		return "neither answer"
	}
	return "none of the answers"
}

// Ranked is the id of the team in whose ranking the vote on what the lanes show
// counts; "" where there is none.
func (c *Conversation) Ranked() string {
	for _, l := range c.Lanes {
		if v, voted := c.Votes[l.question()]; voted && v.Blind && len(c.Lanes) > 1 {
			return v.Team
		}
	}
	return ""
}

// Tagging says whether votes have tags: where teams have rankings.
func (ch *Chat) Tagging() bool { return ch.o.Session.Me() != nil }

// VoteTags are the tags of the next vote, which are those of the last one until
// others are typed.
func (ch *Chat) VoteTags() []string {
	tags, _ := wire.CleanTags(strings.Split(ch.TypedTags(), ","))
	return tags
}

// TypedTags are they as they were typed, with commas between.
func (ch *Chat) TypedTags() string { return ch.o.Storage.Get(tagsName) }

// TypeTags has the next vote have other tags, and says what is wrong with them.
func (ch *Chat) TypeTags(typed string) (wrong string) {
	if _, p := wire.CleanTags(strings.Split(typed, ",")); p != nil {
		return p.Message + " " + p.Hint
	}
	store(ch.o.Storage, tagsName, strings.TrimSpace(typed))
	return ""
}
