package shown

import (
	"context"
	"io/fs"
	"slices"
	"strings"

	"screentest/shared/wire"
)

// Bounds of what of a conversation a page holds.
const (
	pageMessages = 120
	pageText     = 512 << 10 // bytes, but for one turn, which is whole
)

// A thread is a stretch of the newest branch of a conversation.
type thread struct {
	title string
	// hidden says that no name of a model may be shown: the owner compares them and
	// has not voted yet.
	hidden  bool
	turns   []turn
	earlier string // id of the question before which there are more; "" for none
	later   bool   // there are more behind it
}

// A turn is a question with what each lane makes of it.
type turn struct {
	id     string // of the question
	text   string
	images []wire.Image
	lanes  []laneTurn
}

// laneTurn are the answers of a lane to a question, and the results of the
// functions that they call.
type laneTurn struct {
	number   int
	messages []wire.Message
}

// A branch is a turn by the places of its messages in an outline.
type branch struct {
	question int
	lanes    []branchLane
}

type branchLane struct {
	number, question int
	answers          []int
}

// newestBranch finds the branch of the newest message, with the other lanes beside
// it as far as the same is asked in them.
func newestBranch(o wire.Outline) []branch {
	if o.Len() == 0 {
		return nil
	}
	leaves := map[int]int{} // the newest message of each lane
	for i, lane := range o.Lanes {
		leaves[lane] = i
	}
	newest := o.Lanes[o.Len()-1]
	lanes := []int{newest}
	for lane := range leaves {
		if lane != newest {
			lanes = append(lanes, lane)
		}
	}
	slices.Sort(lanes[1:])

	var out []branch
	shown := map[int]bool{} // answers that stand somewhere already
	for _, lane := range lanes {
		for at, q := range pathTo(o, leaves[lane]) {
			switch {
			case lane == newest:
				out = append(out, branch{question: q.question})
			case at >= len(out) || q.question != out[at].question && o.Lengths[q.question] != o.Lengths[out[at].question]:
				at = len(out) // another was asked: what follows is another conversation
			}
			if at == len(out) {
				break
			}
			fresh := slices.DeleteFunc(q.answers, func(i int) bool { return shown[i] })
			for _, i := range fresh {
				shown[i] = true
			}
			if len(fresh) > 0 {
				out[at].lanes = append(out[at].lanes, branchLane{lane, q.question, fresh})
			}
		}
	}
	for _, b := range out {
		slices.SortFunc(b.lanes, func(x, y branchLane) int { return x.number - y.number })
	}
	return out
}

// pathTo are the turns from the first message to one, each with its question.
func pathTo(o wire.Outline, leaf int) (turns []branchLane) {
	var path []int
	for i := leaf; i >= 0 && len(path) <= o.Len(); i = o.Parents[i] {
		path = append(path, i)
	}
	slices.Reverse(path)
	for _, i := range path {
		switch role := o.Roles[i]; {
		case role == 'u':
			turns = append(turns, branchLane{question: i})
		case len(turns) > 0 && (role == 'a' || role == 't'):
			last := &turns[len(turns)-1]
			last.answers = append(last.answers, i)
		}
	}
	return turns
}

// at before a message's id asks for the page that it is on.
const at = "at "

// window chooses the turns of a page: the newest, those before the question named,
// or, if from is given, those from there on as long as they are not twice too many.
func window(o wire.Outline, all []branch, before, from string) (turns []branch, end int, err error) {
	end = len(all)
	if before != "" {
		if end = slices.IndexFunc(all, func(b branch) bool { return o.ID(b.question) == before }); end < 0 {
			return nil, 0, fs.ErrNotExist
		}
	}
	count := func(b branch) (messages, text int) {
		messages, text = 1, o.Lengths[b.question]
		for _, l := range b.lanes {
			for _, i := range l.answers {
				messages, text = messages+1, text+o.Lengths[i]
			}
		}
		return messages, text
	}
	start, messages, text := end, 0, 0
	for start > 0 {
		m, t := count(all[start-1])
		if messages, text = messages+m, text+t; start < end && (messages > pageMessages || text > pageText) {
			break
		}
		start--
	}
	if from != "" {
		first := slices.IndexFunc(all, func(b branch) bool { return o.ID(b.question) == from })
		if first >= 0 && first < start {
			messages, text = 0, 0
			for _, b := range all[first:end] {
				m, t := count(b)
				messages, text = messages+m, text+t
			}
			if messages <= 2*pageMessages && text <= 2*pageText {
				start = first
			}
		}
	}
	return all[start:end], start, nil
}

// readThread reads what a page of a conversation shows; see window for before and
// from.
func (s *Service) readThread(ctx context.Context, owner, conversation, before, from string) (thread, error) {
	opened, err := s.Conversations.OpenConversation(ctx, owner, wire.Page{Conversation: conversation, Limit: 1})
	if err != nil {
		return thread{}, err
	}
	o, err := s.Conversations.Outline(ctx, owner, conversation)
	if err != nil {
		return thread{}, err
	}
	fetch := func(ids []string) (map[string]wire.Message, error) {
		got := map[string]wire.Message{}
		for len(ids) > 0 {
			page, err := s.Conversations.Messages(ctx, owner, wire.MessageQuery{Conversation: conversation, IDs: ids[:min(len(ids), wire.MaxOfIDs)]})
			if err != nil {
				return nil, err
			}
			if len(page.Messages) == 0 {
				return got, nil // gone meanwhile
			}
			for _, m := range page.Messages {
				got[m.ID] = m
			}
			ids = slices.DeleteFunc(ids, func(id string) bool { _, there := got[id]; return there })
		}
		return got, nil
	}
	return threadOf(opened.Summary.Title, opened.Lanes, o, before, from, fetch)
}

// has says whether a message is in a turn.
func (b branch) has(o wire.Outline, message string) bool {
	return o.ID(b.question) == message || slices.ContainsFunc(b.lanes, func(l branchLane) bool {
		return o.ID(l.question) == message || slices.ContainsFunc(l.answers, func(i int) bool { return o.ID(i) == message })
	})
}

// upTo is the question before which a page ends that has a message in it, as before
// in window; "" where it is in the newest turn, or on no branch that is shown.
func upTo(o wire.Outline, all []branch, message string) string {
	if i := slices.IndexFunc(all, func(b branch) bool { return b.has(o, message) }); i >= 0 && i+1 < len(all) {
		return o.ID(all[i+1].question)
	}
	return ""
}

// threadOf puts a thread together of an outline and the messages that fetch has.
func threadOf(title string, lanes *wire.Lanes, o wire.Outline, before, from string, fetch func(ids []string) (map[string]wire.Message, error)) (thread, error) {
	all := newestBranch(o)
	if message, is := strings.CutPrefix(before, at); is {
		before = upTo(o, all, message)
	}
	turns, start, err := window(o, all, before, from)
	if err != nil {
		return thread{}, err
	}
	t := thread{title: title, hidden: lanes != nil && lanes.Blind && len(lanes.Lanes) > 1, later: before != ""}
	if start > 0 && len(turns) > 0 {
		t.earlier = o.ID(turns[0].question)
	}
	var ids []string
	for _, b := range turns {
		ids = append(ids, o.ID(b.question))
		for _, l := range b.lanes {
			if l.question != b.question {
				ids = append(ids, o.ID(l.question))
			}
			for _, i := range l.answers {
				ids = append(ids, o.ID(i))
			}
		}
	}
	got, err := fetch(ids)
	if err != nil {
		return thread{}, err
	}
	apart := map[int]bool{} // lanes in which something else was asked
	for _, b := range turns {
		q := got[o.ID(b.question)]
		out := turn{id: o.ID(b.question), text: q.Text, images: q.Images}
		for _, l := range b.lanes {
			if apart[l.number] = apart[l.number] || l.question != b.question && got[o.ID(l.question)].Text != q.Text; apart[l.number] {
				continue
			}
			if asked := got[o.ID(l.question)]; len(out.images) == 0 {
				out.images = asked.Images // another lane's model may take none
			}
			lane := laneTurn{number: l.number}
			for _, i := range l.answers {
				if m, there := got[o.ID(i)]; there {
					lane.messages = append(lane.messages, m)
				}
			}
			out.lanes = append(out.lanes, lane)
		}
		t.turns = append(t.turns, out)
	}
	return t, nil
}
