package chat

import "screentest/shared/gateway"

// turns is the history as the gateway gets it: it keeps none itself (F107).
// An answer that said nothing is left out, and so are calls without a result,
// which a gateway would refuse.
func turns(path []*Message) []gateway.Turn {
	var ts []gateway.Turn
	for i, m := range path {
		t := gateway.Turn{Role: m.Role, Text: m.Content(), Images: imageLinks(m.Images), ToolCallID: m.ToolCall}
		if m.Role == "assistant" {
			t.ToolCalls = answeredCalls(m, path[i+1:])
			if t.Text == "" && len(t.ToolCalls) == 0 {
				continue
			}
		}
		ts = append(ts, t)
	}
	return ts
}

// answeredCalls are the calls of m, if all of them have a result in what
// follows.
func answeredCalls(m *Message, after []*Message) []gateway.ToolCall {
	calls := m.Calls()
	results := 0
	for _, o := range after {
		if o.Role != "tool" {
			break
		}
		results++
	}
	if len(calls) == 0 || results < len(calls) {
		return nil
	}
	ts := make([]gateway.ToolCall, 0, len(calls))
	for _, c := range calls {
		ts = append(ts, gateway.ToolCall{ID: c.ID, Name: c.Name, Arguments: c.Arguments})
	}
	return ts
}
