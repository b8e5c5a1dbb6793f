package chat

import (
	"bytes"
	"encoding/json"
	"slices"

	"screentest/shared/wire"
)

// A model that calls a function is answered by the person, who stands for the
// function: the results are messages with the role tool, and the model goes on
// from them. What is written and not sent yet is kept by call, over a reload too.

type callKey struct{ message, call string }

// stored names it in the Storage.
func (k callKey) stored() string { return "screentest.result." + k.message + "." + k.call }

// Waiting are the calls at the lane's end that the person has yet to answer.
func (l *Lane) Waiting() []wire.ToolCall {
	m := l.last()
	if m == nil || m.Run == nil || m.Running() || m.Run.State != wire.Done {
		return nil
	}
	return m.Calls()
}

// Awaits says that the lane goes on only once the person has given the results
// of a message's calls.
func (l *Lane) Awaits(m *Message) bool {
	return len(l.Waiting()) > 0 && l.last() == m && l.Rounds() <= wire.MaxRounds
}

// Rounds is how often the lane's model has called functions since the person's
// last message; at most wire.MaxRounds are answered.
func (l *Lane) Rounds() int {
	path := l.Path()
	n := 0
	for i := len(path) - 1; i >= 0 && path[i].Role != "user"; i-- {
		if path[i].Role == "assistant" {
			n++
		}
	}
	return n
}

// Result is what the person has written as a call's result: at first the
// function's sample.
func (l *Lane) Result(message string, call wire.ToolCall) string {
	ch := l.of.chat
	key := callKey{message, call.ID}
	if text, written := ch.results[key]; written {
		return text
	}
	if text := ch.o.Storage.Get(key.stored()); text != "" {
		return text
	}
	for _, f := range l.params.Functions {
		if f.Name == call.Name {
			return f.Sample
		}
	}
	return ""
}

// SetResult stores what is written as a call's result.
func (ch *Chat) SetResult(message, call, text string) {
	key := callKey{message, call}
	ch.results[key] = text
	store(ch.o.Storage, key.stored(), text)
}

// SendResults answers all calls at the lane's end, and lets the model go on. It
// returns false, with Refusal set, when that can't be.
func (l *Lane) SendResults() bool {
	c, ch := l.of, l.of.chat
	calls := l.Waiting()
	if len(calls) == 0 || !c.begun() {
		return false
	}
	c.Refusal = nil
	c.changed(PartComposer)
	if l.Rounds() > wire.MaxRounds {
		c.Refusal = refuse("", "too_many_rounds", "The model has called functions in all 8 rounds allowed after one message.", "Ask it to answer with what it has.")
		return false
	}
	leaf := l.last()
	path := slices.Clone(l.Path())
	var added []*Message
	parent, now := leaf.ID, ch.o.Now().UnixMilli()
	for _, call := range calls {
		m := &Message{Message: wire.Message{
			ID: ch.o.NewID(), Parent: parent, Lane: l.Number, Role: "tool", CreatedMS: now,
			Text: l.Result(leaf.ID, call), ToolCall: call.ID, Tool: call.Name,
		}, Rev: 1}
		added, path, parent = append(added, m), append(path, m), m.ID
	}
	for _, m := range added {
		c.add(m)
	}
	if !l.again(added[len(added)-1].Message, path) {
		for i := len(added) - 1; i >= 0; i-- {
			c.drop(added[i])
		}
		return false
	}
	for _, call := range calls {
		key := callKey{leaf.ID, call.ID}
		delete(ch.results, key)
		ch.o.Storage.Remove(key.stored())
	}
	return true
}

// before are the results that stand directly before the last message of path,
// itself one: they are sent with it.
func before(path []*Message) []wire.Message {
	if len(path) == 0 || path[len(path)-1].Role != "tool" {
		return nil
	}
	at := len(path) - 1
	for at > 0 && path[at-1].Role == "tool" {
		at--
	}
	var ms []wire.Message
	for _, m := range path[at : len(path)-1] {
		ms = append(ms, m.Message)
	}
	return ms
}

// Pretty writes JSON over several lines; what is no JSON stays as it is.
func Pretty(text string) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(text), "", "  ") != nil {
		return text
	}
	return b.String()
}
