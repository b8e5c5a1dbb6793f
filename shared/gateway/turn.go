package gateway

import "encoding/json"

// Turn is one message of a conversation. A tool turn answers the call
// ToolCallID of the assistant turn before it.
type Turn struct {
	Role       string // "system", "user", "assistant", "tool"
	Text       string
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
	// IncludeUsage asks for stream_options.include_usage on a chat stream (G9).
	IncludeUsage bool
}

// TextBody returns the request body for the turns, for the model's endpoint:
// messages for chat, one transcript or the items for responses (G10). The
// same turns give the same bytes.
func (m Model) TextBody(turns []Turn, p TextParams) []byte { return nil }
