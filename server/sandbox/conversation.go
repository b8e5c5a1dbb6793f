package sandbox

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"screentest/shared/gateway"
	"screentest/shared/strictjson"
)

// conversation is what a text request says, whichever endpoint it came to.
type conversation struct {
	systems  []string       // system and developer messages
	turns    []gateway.Turn // without system turns
	tools    []gateway.Tool
	stream   bool
	usage    bool   // stream_options.include_usage (G9)
	sampling string // temperature and top_p as they were written
	told     told
}

// readConversation reads a body that was found valid. Fields are taken by
// their exact names: "Stream" is not "stream" (G42).
func readConversation(ep gateway.Endpoint, root *strictjson.Value) conversation {
	var c conversation
	text := func(v *strictjson.Value, name string) string {
		if f, ok := v.Get(name); ok && f.Kind == strictjson.String {
			return f.Text
		}
		return ""
	}
	isTrue := func(v *strictjson.Value, name string) bool {
		f, ok := v.Get(name)
		return ok && f.Kind == strictjson.Bool && f.Text == "true"
	}
	c.stream = isTrue(root, "stream")
	if o, ok := root.Get("stream_options"); ok {
		c.usage = isTrue(o, "include_usage")
	}
	for _, name := range []string{"temperature", "top_p"} {
		if f, ok := root.Get(name); ok && f.Kind == strictjson.Number {
			c.sampling += name + "=" + f.Text + " "
		}
	}
	if tools, ok := root.Get("tools"); ok {
		for i := range tools.Items {
			c.tools = append(c.tools, readTool(&tools.Items[i], text))
		}
	}
	if ep == gateway.Chat {
		if list, ok := root.Get("messages"); ok {
			c.readMessages(list.Items, text)
		}
		return c
	}
	switch input, _ := root.Get("input"); {
	case input == nil:
	case input.Kind == strictjson.Array:
		c.readItems(input.Items, text)
	default:
		c.readTranscript(input.Text)
	}
	return c
}

// system is all system messages together.
func (c *conversation) system() string { return strings.TrimSpace(strings.Join(c.systems, "\n")) }

type textField func(v *strictjson.Value, name string) string

// add puts a turn at the end; system and developer messages go before all.
func (c *conversation) add(t gateway.Turn) {
	if t.Role == "system" || t.Role == "developer" {
		c.systems = append(c.systems, t.Text)
		return
	}
	c.turns = append(c.turns, t)
}

// readMessages reads chat messages (F22–F24, G6).
func (c *conversation) readMessages(list []strictjson.Value, text textField) {
	for i := range list {
		m := &list[i]
		t := gateway.Turn{Role: text(m, "role"), Text: text(m, "content"), ToolCallID: text(m, "tool_call_id")}
		readParts(&t, m, text)
		if calls, ok := m.Get("tool_calls"); ok {
			for j := range calls.Items {
				call := gateway.ToolCall{ID: text(&calls.Items[j], "id")}
				if f, ok := calls.Items[j].Get("function"); ok {
					call.Name, call.Arguments = text(f, "name"), text(f, "arguments")
				}
				t.ToolCalls = append(t.ToolCalls, call)
			}
		}
		c.add(t)
	}
}

// readItems reads input items, of a model that takes them (G10).
func (c *conversation) readItems(list []strictjson.Value, text textField) {
	for i := range list {
		switch v := &list[i]; text(v, "type") {
		case "function_call":
			c.add(gateway.Turn{Role: "assistant", ToolCalls: []gateway.ToolCall{{
				ID: text(v, "call_id"), Name: text(v, "name"), Arguments: text(v, "arguments")}}})
		case "function_call_output":
			c.add(gateway.Turn{Role: "tool", ToolCallID: text(v, "call_id"), Text: text(v, "output")})
		default:
			t := gateway.Turn{Role: text(v, "role"), Text: text(v, "content")}
			readParts(&t, v, text)
			c.add(t)
		}
	}
}

// readParts adds the parts of a content that is an array (G44).
func readParts(t *gateway.Turn, message *strictjson.Value, text textField) {
	parts, ok := message.Get("content")
	if !ok {
		return
	}
	for i := range parts.Items {
		part := &parts.Items[i]
		t.Text += text(part, "text")
		link := text(part, "image_url") // of an input item
		if image, ok := part.Get("image_url"); ok && link == "" {
			link = text(image, "url")
		}
		if link != "" {
			t.Images = append(t.Images, link)
		}
	}
}

// The heads of a transcript's paragraphs (G10).
var (
	headPattern   = regexp.MustCompile(`^(System|User|Assistant): ?`)
	calledPattern = regexp.MustCompile(`(?s)^Assistant called (\S+?)\((.*)\) \[([^\]\n]*)\]$`)
	resultPattern = regexp.MustCompile(`^Tool result \[([^\]\n]*)\]: ?`)
)

// readTranscript reads the one string that input is (F33). A text that begins
// with no speaker is one question. A turn goes on until a paragraph begins the
// next one.
func (c *conversation) readTranscript(input string) {
	var open *gateway.Turn // whose text goes on
	begin := 0             // of that text, in input
	finish := func(end int) {
		if open != nil {
			open.Text = input[begin:max(begin, end)]
			c.add(*open)
			open = nil
		}
	}
	at := 0
	for p := range strings.SplitSeq(input, "\n\n") {
		start := at
		at += len(p) + 2
		turn, head := readHead(p)
		switch {
		case turn == nil && start == 0:
			c.add(gateway.Turn{Role: "user", Text: input})
			return
		case turn == nil:
			continue
		}
		finish(start - 2)
		if begin, open = start+head, turn; len(turn.ToolCalls) > 0 {
			c.add(*turn) // has no text
			open = nil
		}
	}
	finish(len(input))
}

// readHead reads the head of a paragraph that begins a turn, and how long it is.
func readHead(p string) (*gateway.Turn, int) {
	switch {
	case strings.HasPrefix(p, "Assistant called "):
		if m := calledPattern.FindStringSubmatch(p); m != nil {
			return &gateway.Turn{Role: "assistant", ToolCalls: []gateway.ToolCall{{ID: m[3], Name: m[1], Arguments: m[2]}}}, 0
		}
	case strings.HasPrefix(p, "Tool result ["):
		if m := resultPattern.FindStringSubmatch(p); m != nil {
			return &gateway.Turn{Role: "tool", ToolCallID: m[1]}, len(m[0])
		}
	default:
		if m := headPattern.FindStringSubmatch(p); m != nil {
			return &gateway.Turn{Role: strings.ToLower(m[1])}, len(m[0])
		}
	}
	return nil, 0
}

// readTool reads a tool in chat format (nested) or responses format (flat).
func readTool(v *strictjson.Value, text textField) gateway.Tool {
	t := gateway.Tool{Type: text(v, "type")}
	f := v
	if nested, ok := v.Get("function"); ok && nested.Kind == strictjson.Object {
		f = nested
	}
	t.Name, t.Description = text(f, "name"), text(f, "description")
	if p, ok := f.Get("parameters"); ok {
		t.Parameters = appendValue(nil, p)
	}
	return t
}

// appendValue writes a value as JSON.
func appendValue(b []byte, v *strictjson.Value) json.RawMessage {
	switch v.Kind {
	case strictjson.String:
		return appendString(b, v.Text)
	case strictjson.Array:
		b = append(b, '[')
		for i := range v.Items {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendValue(b, &v.Items[i])
		}
		return append(b, ']')
	case strictjson.Object:
		b = append(b, '{')
		for i := range v.Members {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendString(b, v.Members[i].Name)
			b = append(b, ':')
			b = appendValue(b, &v.Members[i].Value)
		}
		return append(b, '}')
	case strictjson.Null:
		return append(b, "null"...)
	}
	return append(b, v.Text...)
}

// prompt is the last user message.
func (c *conversation) prompt() string {
	for i := len(c.turns) - 1; i >= 0; i-- {
		if c.turns[i].Role == "user" {
			return c.turns[i].Text
		}
	}
	return c.system()
}

// results are the function results that came after the last user message, as
// the model sees them: with the name of the function that was called.
func (c *conversation) results() []gateway.ToolCall {
	names := map[string]string{}
	var out []gateway.ToolCall
	for _, t := range c.turns {
		if t.Role == "user" {
			out = nil
		}
		for _, call := range t.ToolCalls {
			names[call.ID] = call.Name
		}
		if t.Role == "tool" {
			out = append(out, gateway.ToolCall{ID: t.ToolCallID, Name: names[t.ToolCallID], Arguments: t.Text})
		}
	}
	return out
}

// called says whether a function was called in the conversation.
func (c *conversation) called() bool {
	return slices.ContainsFunc(c.turns, func(t gateway.Turn) bool { return len(t.ToolCalls) > 0 })
}

// earlier are the user messages before the last one, oldest first.
func (c *conversation) earlier() []string {
	var out []string
	for _, t := range c.turns {
		if t.Role == "user" {
			out = append(out, t.Text)
		}
	}
	if len(out) > 0 {
		out = out[:len(out)-1]
	}
	return out
}

// promptTokens counts what the call sent, by the rule of tokens: every
// message, call and result, and the system prompt. Tools are not counted.
func (c *conversation) promptTokens() int64 {
	n := int64(0)
	for _, text := range c.systems {
		n += countTokens(text)
	}
	for _, t := range c.turns {
		n += countTokens(t.Text)
		for _, call := range t.ToolCalls {
			n += countTokens(call.Name) + countTokens(call.Arguments)
		}
	}
	return n
}
