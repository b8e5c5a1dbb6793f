package gateway

import (
	"encoding/json"
	"strings"
)

// Turn is one message of a conversation. A tool turn answers the call
// ToolCallID of the assistant turn before it.
type Turn struct {
	Role       string // "system", "user", "assistant", "tool"
	Text       string
	Images     []string // of a user turn, beside its text: see [ImageLink]
	ToolCalls  []ToolCall
	ToolCallID string
}

// ToolCall is a function call that a model asked for.
type ToolCall struct {
	ID        string
	Name      string
	Arguments string // JSON as the model wrote it
}

// Tool is something a model may call.
type Tool struct {
	Type        string          // "function" or "web_search" (F38)
	Name        string          // of a function
	Description string          // of a function
	Parameters  json.RawMessage // of a function: JSON Schema
}

// TextParams is what a text request carries besides its turns. What is nil or
// empty is not sent.
type TextParams struct {
	System      string // put before the turns
	Temperature *float64
	TopP        *float64
	Stream      bool
	User        *string
	Tools       []Tool
	// More are further fields in their order, Extra is an object with others, which
	// come after all. What is no object is left out, and a field that is there
	// already is written twice: for Validate to say (G42).
	More  []Member
	Extra json.RawMessage
	// IncludeUsage asks for stream_options.include_usage on a chat stream (G9).
	IncludeUsage bool
}

// TextBody returns the request body for the turns, for the model's endpoint:
// messages for chat; for responses one transcript, or items where the model
// takes them (G10). The same turns give the same bytes. Images go as parts of a
// turn's content, and into items; a transcript has no room for them, and a model
// that has only that can't take any: ask [Model.CanTake].
//
// Of p it sends what it is given: which fields the model takes is for
// [Model.Fields] and Validate to say.
func (m Model) TextBody(turns []Turn, p TextParams) []byte {
	if p.System != "" {
		turns = append([]Turn{{Role: "system", Text: p.System}}, turns...)
	}
	if m.Endpoint == Responses {
		return p.further(ResponsesRequest{
			Model: m.ID, Input: m.input(turns), Temperature: p.Temperature, TopP: p.TopP,
			Stream: &p.Stream, User: p.User, Tools: responsesTools(p.Tools),
		}.Body())
	}
	r := ChatRequest{
		Model: m.ID, Messages: messages(turns), Temperature: p.Temperature, TopP: p.TopP,
		Stream: &p.Stream, User: p.User, Tools: chatTools(p.Tools),
	}
	if p.Stream && p.IncludeUsage {
		r.StreamOptions = &StreamOptions{IncludeUsage: true}
	}
	return p.further(r.Body())
}

// messages writes the turns as chat messages.
func messages(turns []Turn) []Message {
	list := make([]Message, 0, len(turns))
	for _, t := range turns {
		msg := Message{Role: t.Role, Content: &t.Text, ToolCallID: t.ToolCallID}
		for _, c := range t.ToolCalls {
			call := MessageToolCall{ID: c.ID, Type: "function"}
			call.Function.Name, call.Function.Arguments = c.Name, c.Arguments
			msg.ToolCalls = append(msg.ToolCalls, call)
		}
		if t.Text == "" && len(t.ToolCalls) > 0 {
			msg.Content = nil // G6
		}
		if len(t.Images) > 0 {
			msg.Parts = chatParts(t)
		}
		list = append(list, msg)
	}
	return list
}

// input writes the turns as the field input.
func (m Model) input(turns []Turn) json.RawMessage {
	if m.InputItems {
		return marshal(items(turns))
	}
	return marshal(Transcript(turns))
}

// Transcript writes a conversation as the one string that input is (F33, G10):
// a lone question as it stands, more as "User: …", "Assistant: …",
// "Assistant called f(args) [call id]" and "Tool result [call id]: …", with a
// blank line between.
func Transcript(turns []Turn) string {
	if len(turns) == 1 && turns[0].Role == "user" {
		return turns[0].Text
	}
	var parts []string
	for _, t := range turns {
		switch {
		case t.Role == "tool":
			parts = append(parts, "Tool result ["+t.ToolCallID+"]: "+t.Text)
			continue
		case t.Text != "" || len(t.ToolCalls) == 0:
			parts = append(parts, speaker(t.Role)+": "+t.Text)
		}
		for _, c := range t.ToolCalls {
			parts = append(parts, speaker(t.Role)+" called "+c.Name+"("+c.Arguments+") ["+c.ID+"]")
		}
	}
	return strings.Join(parts, "\n\n")
}

// speaker is a role as the transcript names it.
func speaker(role string) string {
	switch role {
	case "user":
		return "User"
	case "assistant":
		return "Assistant"
	case "system":
		return "System"
	}
	return role
}

// An inputItem is one item of input where a model takes them (G10).
type inputItem struct {
	Type      string  `json:"type"` // "message", "function_call", "function_call_output"
	Role      string  `json:"role,omitempty"`
	Content   any     `json:"content,omitempty"` // a string, or parts where there are images
	CallID    string  `json:"call_id,omitempty"`
	Name      string  `json:"name,omitempty"`
	Arguments *string `json:"arguments,omitempty"`
	Output    *string `json:"output,omitempty"`
}

func items(turns []Turn) []inputItem {
	list := make([]inputItem, 0, len(turns))
	for _, t := range turns {
		switch {
		case t.Role == "tool":
			list = append(list, inputItem{Type: "function_call_output", CallID: t.ToolCallID, Output: &t.Text})
			continue
		case len(t.Images) > 0:
			list = append(list, inputItem{Type: "message", Role: t.Role, Content: inputParts(t)})
		case t.Text != "" || len(t.ToolCalls) == 0:
			list = append(list, inputItem{Type: "message", Role: t.Role, Content: &t.Text})
		}
		for _, c := range t.ToolCalls {
			list = append(list, inputItem{Type: "function_call", CallID: c.ID, Name: c.Name, Arguments: &c.Arguments})
		}
	}
	return list
}

// function is a function tool: nested in chat format (F30), flat in that of
// responses (F37).
type function struct {
	Type        string          `json:"type,omitempty"`
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
}

type chatTool struct {
	Type     string    `json:"type"`
	Function *function `json:"function,omitempty"`
}

type builtinTool struct {
	Type string `json:"type"`
}

func chatTools(tools []Tool) json.RawMessage {
	if len(tools) == 0 {
		return nil
	}
	list := make([]chatTool, 0, len(tools))
	for _, t := range tools {
		tool := chatTool{Type: t.Type}
		if t.Type == "function" {
			tool.Function = &function{Name: t.Name, Description: t.Description, Parameters: whole(t.Parameters)}
		}
		list = append(list, tool)
	}
	return marshal(list)
}

func responsesTools(tools []Tool) json.RawMessage {
	if len(tools) == 0 {
		return nil
	}
	list := make([]any, 0, len(tools))
	for _, t := range tools {
		if t.Type == "function" {
			list = append(list, function{Type: t.Type, Name: t.Name, Description: t.Description, Parameters: whole(t.Parameters)})
		} else {
			list = append(list, builtinTool{Type: t.Type})
		}
	}
	return marshal(list)
}
