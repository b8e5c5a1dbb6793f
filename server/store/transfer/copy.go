package transfer

import (
	"context"
	"encoding/json"
	"slices"

	"screentest/server/sight"
	"screentest/server/store/engine"
	"screentest/shared/wire"
)

// Snapshot is a conversation of an owner's as a file of the export, for others to
// see: without answers that are still being written, and without what the gateway
// said word for word of what failed, which may name a key. title is what it is
// called.
func (t *Transfer) Snapshot(ctx context.Context, owner, id string) (snapshot []byte, title string, err error) {
	c, err := t.whole(ctx, owner, id)
	if err != nil {
		return nil, "", err
	}
	snapshot, err = json.Marshal(file{Format: exportFormat, Version: exportVersion, ExportedMS: t.now().UnixMilli(), Conversations: []transferConversation{c}})
	return snapshot, c.Title, err
}

// A Source is what a conversation is copied from, and what is noted of it.
type Source struct {
	Owner    string // whose it is
	Subject  string // its id, where Snapshot is nil
	Snapshot []byte
	Share    string // what shows it, "" for a link
	Title    string
}

// Copy makes a conversation of an owner's own of another's: up to and with a
// message, "" for all of it; with all lanes, or one. What it has cost is told, and
// booked nowhere.
func (t *Transfer) Copy(ctx context.Context, owner string, from Source, what wire.CopyShare) (id string, err error) {
	c, err := t.source(ctx, from)
	if err != nil {
		return "", err
	}
	if c, err = cut(c, what); err != nil {
		return "", err
	}
	name, now := renaming(), t.now()
	s, err := t.chat.Stage(ctx, owner)
	if err != nil {
		return "", err
	}
	defer s.Close() // undoes what was not published
	s.ImagesOf(from.Owner)
	for i := range c.Votes {
		c.Votes[i].Blind = false // it was somebody else's, and counts once
	}
	c.CreatedMS, c.UpdatedMS, c.Pinned = now.UnixMilli(), now.UnixMilli(), false
	if err := stageAs(s, c, name, &wire.Imported{}); err != nil {
		return "", err
	}
	if err := s.CopiedFrom(from.Share, from.Title, from.Owner); err != nil {
		return "", err
	}
	_, err = s.Publish(nil)
	return name(c.ID), err
}

func (t *Transfer) source(ctx context.Context, from Source) (transferConversation, error) {
	if from.Snapshot == nil {
		return t.whole(ctx, from.Owner, from.Subject)
	}
	var f file
	if err := json.Unmarshal(from.Snapshot, &f); err != nil || len(f.Conversations) != 1 {
		return transferConversation{}, engine.NotFound("conversation") // never: we wrote it
	}
	return f.Conversations[0], nil
}

// whole reads all of a conversation that others may see.
func (t *Transfer) whole(ctx context.Context, owner, id string) (c transferConversation, err error) {
	size, gone := 0, map[string]string{} // what is left out, with what is above it
	for from := int64(0); ; {
		page, err := t.chat.ReadOn(ctx, owner, id, from)
		if err != nil {
			return c, err
		}
		if from == 0 {
			s := page.Summary
			c = transferConversation{ID: id, Title: s.Title, Models: s.Models, CreatedMS: s.CreatedMS, UpdatedMS: s.UpdatedMS}
			if l := page.Lanes; l != nil {
				c.Lanes = &transferLanes{l.Blind, slices.Clone(l.Lanes)}
			}
		}
		for _, m := range page.Messages {
			_, without := gone[m.Parent]
			if without || m.Run != nil && m.Run.State == wire.Running {
				gone[m.ID] = m.Parent
				continue
			}
			e := exportedMessage(m)
			if e.Run != nil && e.Run.Problem != nil {
				p := *e.Run.Problem
				p.Raw, p.Request, p.Hint = "", "", ""
				p.Message = sight.NoAddresses(p.Message)
				e.Run.Problem = &p
			}
			c.Messages = append(c.Messages, e)
			if size += len(e.Text) + callsSize(e.Run); size > wire.MaxSnapshot {
				return c, &engine.Error{Problem: wire.Problem{Code: "too_large", Message: "This conversation has more than 32 MiB of text, which is the most that can be copied.",
					Hint: "Share it live."}}
			}
		}
		for _, v := range page.Votes {
			c.Votes = append(c.Votes, transferVote{v.Message, v.Winner, v.Models, v.Bad, v.Tags, v.Blind, v.VoteMS})
		}
		if from = page.Last; from == 0 {
			break
		}
	}
	if c.Lanes != nil {
		for i, l := range c.Lanes.Lanes {
			for above, out := gone[l.Leaf]; out; above, out = gone[l.Leaf] {
				l.Leaf = above
			}
			c.Lanes.Lanes[i] = l
		}
	}
	c.keepNewest()
	return c.withVotesOnly(), nil
}

// keepNewest leaves what leads to the newest message of each lane. What its owner
// asked otherwise before stays with the owner.
func (c *transferConversation) keepNewest() {
	if len(c.Messages) == 0 {
		return
	}
	t := treeOf(*c)
	newest := map[int]string{c.Messages[len(c.Messages)-1].Lane: ""}
	for k := range lanesOf(*c) {
		newest[k] = ""
	}
	for _, m := range c.Messages {
		if _, there := newest[m.Lane]; there {
			newest[m.Lane] = m.ID
		}
	}
	kept := map[int]bool{}
	for _, leaf := range newest {
		for _, i := range t.path(leaf) {
			kept[i] = true
		}
	}
	var messages []transferMessage
	for i, m := range c.Messages {
		if kept[i] {
			messages = append(messages, m)
		}
	}
	c.Messages = messages
	if c.Lanes == nil {
		return
	}
	for k, l := range c.Lanes.Lanes {
		if i, there := t.at[l.Leaf]; l.Leaf != "" && (!there || !kept[i]) {
			c.Lanes.Lanes[k].Leaf = newest[k]
		}
	}
}

func callsSize(r *transferRun) (n int) {
	if r != nil {
		for _, c := range r.Calls {
			n += len(c.Arguments)
		}
	}
	return n
}

// withVotesOnly is c without votes on what isn't in it.
func (c transferConversation) withVotesOnly() transferConversation {
	there := map[string]bool{"": true}
	for _, m := range c.Messages {
		there[m.ID] = true
	}
	c.Votes = slices.DeleteFunc(slices.Clone(c.Votes), func(v transferVote) bool { return !there[v.Message] || !there[v.Winner] })
	return c
}

// A tree finds its way in a conversation.
type tree struct {
	at   map[string]int // of messages, by their ids
	list []transferMessage
}

func treeOf(c transferConversation) tree {
	t := tree{at: make(map[string]int, len(c.Messages)), list: c.Messages}
	for i, m := range c.Messages {
		t.at[m.ID] = i
	}
	return t
}

// path is what leads to a message, itself included, from the first on; none for "".
func (t tree) path(id string) (path []int) {
	for i, is := t.at[id]; is; i, is = t.at[t.list[i].Parent] {
		path = append(path, i)
	}
	slices.Reverse(path)
	return path
}

// turns counts the questions on a path.
func (t tree) turns(path []int) (n int) {
	for _, i := range path {
		if t.list[i].Role == "user" {
			n++
		}
	}
	return n
}

// until is as much of another lane's path as has so many turns; of the last one only
// the question, where answered is false.
func (t tree) until(path []int, turns int, answered bool) []int {
	n := 0
	for k, i := range path {
		if t.list[i].Role == "user" {
			n++
		}
		if n > turns || n == turns && !answered && t.list[i].Role != "user" {
			return path[:k]
		}
	}
	return path
}

// laneOf is the lane that has a message: in what it shows, else by its number.
func (t tree) laneOf(lanes []wire.Lane, message int) int {
	for k, l := range lanes {
		if slices.Contains(t.path(l.Leaf), message) {
			return k
		}
	}
	return min(t.list[message].Lane, len(lanes)-1)
}

// cut is what is copied of a conversation.
func cut(c transferConversation, what wire.CopyShare) (transferConversation, error) {
	t := treeOf(c)
	last := len(c.Messages)
	if what.Message != "" {
		i, is := t.at[what.Message]
		if !is {
			return c, engine.BadField("bad_message", "message", "There is no such message in what is shared, or its answer is still being written.")
		}
		last = i
	}
	if what.Message == "" && what.Lane == nil {
		return c, nil
	}
	lanes := lanesOf(c)
	if what.Lane != nil && (*what.Lane < 0 || *what.Lane >= len(lanes)) {
		return c, engine.BadField("bad_lane", "lane", "There is no such lane: it is a number from 0 to %d.", len(lanes)-1)
	}
	if what.Lane != nil && c.Lanes != nil && c.Lanes.Blind && len(lanes) > 1 {
		return c, engine.BadField("blind", "lane", "Which model this is isn't to be known before there was a vote: go on with all lanes.")
	}
	var own []int // what leads to the message
	of := -1      // the lane that has it
	if last < len(c.Messages) {
		own, of = t.path(what.Message), t.laneOf(lanes, last)
	}
	kept := map[int]bool{}
	for k := range lanes {
		if what.Lane != nil && *what.Lane != k {
			continue
		}
		path := t.path(lanes[k].Leaf)
		switch {
		case own == nil:
		case k == of || slices.Contains(path, last):
			path = own
		default:
			path = t.until(path, t.turns(own), t.list[last].Role != "user")
		}
		lanes[k].Leaf = ""
		for _, i := range path {
			kept[i], lanes[k].Leaf = true, t.list[i].ID
		}
	}
	out := c
	out.Messages = nil
	for i, m := range c.Messages {
		if !kept[i] {
			continue
		}
		if what.Lane != nil {
			if m.Lane = 0; m.Run != nil {
				r := *m.Run
				r.Lane, m.Run = 0, &r
			}
		}
		out.Messages = append(out.Messages, m)
	}
	switch {
	case c.Lanes == nil:
	case what.Lane != nil:
		out.Lanes, out.Models = &transferLanes{Lanes: lanes[*what.Lane : *what.Lane+1]}, lanes[*what.Lane].Model
	default:
		out.Lanes = &transferLanes{c.Lanes.Blind, lanes}
	}
	return out.withVotesOnly(), nil
}

// lanesOf are a conversation's lanes; of one that never had any, the one of its
// newest message.
func lanesOf(c transferConversation) []wire.Lane {
	if c.Lanes != nil {
		return slices.Clone(c.Lanes.Lanes)
	}
	var l wire.Lane
	if n := len(c.Messages); n > 0 {
		l.Leaf = c.Messages[n-1].ID
	}
	return []wire.Lane{l}
}
