package model

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

// Waiting are the calls at a lane's end that the person has yet to answer.
func (d *Desk) Waiting(lane int) []wire.ToolCall {
	c := d.On()
	if lane < 0 || lane >= len(c.Lanes) {
		return nil
	}
	m := c.leaf(lane)
	if m == nil || m.Run == nil || m.Running() || m.Run.State != wire.Done {
		return nil
	}
	return m.Calls()
}

// Awaits says that a lane goes on only once the person has given the results of
// a message's calls.
func (d *Desk) Awaits(lane int, m *Message) bool {
	return len(d.Waiting(lane)) > 0 && d.On().leaf(lane) == m && d.Rounds(lane) <= wire.MaxRounds
}

// Rounds is how often the model of a lane has called functions since the
// person's last message; at most wire.MaxRounds are answered.
func (d *Desk) Rounds(lane int) int {
	path := d.On().Path(lane)
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
func (d *Desk) Result(lane int, message string, call wire.ToolCall) string {
	key := callKey{message, call.ID}
	if text, written := d.results[key]; written {
		return text
	}
	if text := d.storage.Get(key.stored()); text != "" {
		return text
	}
	for _, f := range d.Params(lane).Functions {
		if f.Name == call.Name {
			return f.Sample
		}
	}
	return ""
}

// SetResult keeps what is written as a call's result.
func (d *Desk) SetResult(message, call, text string) {
	key := callKey{message, call}
	d.results[key] = text
	if text == "" {
		d.storage.Remove(key.stored())
	} else {
		d.storage.Set(key.stored(), text)
	}
}

// SendResults answers all calls at a lane's end, and lets the model go on. It
// returns false, with Refusal set, when that can't be.
func (d *Desk) SendResults(lane int) bool {
	calls := d.Waiting(lane)
	c := d.Current
	if len(calls) == 0 || c == nil {
		return false
	}
	d.Refusal = nil
	d.changed(PartComposer)
	if d.Rounds(lane) > wire.MaxRounds {
		d.Refusal = refuse("", "too_many_rounds", "The model has called functions in all 8 rounds that are sent after one message.", "Ask it to answer with what it has.")
		return false
	}
	leaf := c.leaf(lane)
	path := slices.Clone(c.Path(lane))
	var added []*Message
	parent, now := leaf.ID, d.now().UnixMilli()
	for _, call := range calls {
		m := &Message{Message: wire.Message{
			ID: d.newID(), Parent: parent, Lane: c.Lanes[lane].Number, Role: "tool", CreatedMS: now,
			Text: d.Result(lane, leaf.ID, call), ToolCall: call.ID, Tool: call.Name,
		}, Rev: 1}
		added, path, parent = append(added, m), append(path, m), m.ID
	}
	for _, m := range added {
		c.add(m)
	}
	if !d.again(c, lane, added[len(added)-1].Message, path) {
		for i := len(added) - 1; i >= 0; i-- {
			c.drop(added[i])
		}
		return false
	}
	for _, call := range calls {
		key := callKey{leaf.ID, call.ID}
		delete(d.results, key)
		d.storage.Remove(key.stored())
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
