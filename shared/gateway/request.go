package gateway

import (
	"encoding/json"
	"fmt"
	"math"
)

// ChatRequest is the body of POST /v1/chat/completions (F21–F31). What is nil
// or empty is not sent.
type ChatRequest struct {
	Model         string          `json:"model"`
	Messages      []Message       `json:"messages"`
	Temperature   *float64        `json:"temperature,omitempty"`
	TopP          *float64        `json:"top_p,omitempty"`
	Stream        *bool           `json:"stream,omitempty"`
	User          *string         `json:"user,omitempty"`
	Tools         json.RawMessage `json:"tools,omitempty"`
	StreamOptions *StreamOptions  `json:"stream_options,omitempty"`
}

// StreamOptions is undocumented, and sent only to gateways set to take it (G9).
type StreamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// Message is one of a chat request's messages.
type Message struct {
	Role       string            `json:"role"`
	Content    *string           `json:"content"` // nil only with ToolCalls (G6)
	Parts      []ContentPart     `json:"-"`       // written as content instead, where there are any (G44)
	ToolCalls  []MessageToolCall `json:"tool_calls,omitempty"`
	ToolCallID string            `json:"tool_call_id,omitempty"`
}

// MessageToolCall is a function call as a chat message carries it.
type MessageToolCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"` // "function"
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// ResponsesRequest is the body of POST /v1/responses (F32–F39). Input is a
// JSON string, or an array of items where the model takes them (G10).
type ResponsesRequest struct {
	Model       string          `json:"model"`
	Input       json.RawMessage `json:"input"`
	Temperature *float64        `json:"temperature,omitempty"`
	TopP        *float64        `json:"top_p,omitempty"`
	Stream      *bool           `json:"stream,omitempty"`
	User        *string         `json:"user,omitempty"`
	Tools       json.RawMessage `json:"tools,omitempty"`
}

// VideoRequest is the body of POST /v1/video/generations (F53–F90). What is
// nil or empty is not sent.
type VideoRequest struct {
	Model                string   `json:"model"`
	Prompt               string   `json:"prompt"`
	Seconds              string   `json:"seconds"`
	AspectRatio          string   `json:"aspect_ratio,omitempty"`
	ImageURLs            URLs     `json:"image_urls,omitempty"`
	TaskID               string   `json:"task_id,omitempty"`
	Seeds                *int     `json:"seeds,omitempty"`
	Watermark            *bool    `json:"watermark,omitempty"`
	ReferenceVideoURLs   []string `json:"reference_video_urls,omitempty"`
	MultiShots           *bool    `json:"multi_shots,omitempty"`
	MultiPrompt          []Scene  `json:"multi_prompt,omitempty"`
	VideoURL             string   `json:"video_url,omitempty"`
	CharacterOrientation string   `json:"character_orientation,omitempty"`
	BackgroundSource     string   `json:"background_source,omitempty"`
}

// Scene is one shot of a multi-shot clip (F83–F86).
type Scene struct {
	Prompt   string `json:"prompt"`   // 1 to 500 characters
	Duration int    `json:"duration"` // seconds, 1 to 12
}

// Scenes are the shots of a request for a video, nil where it has none or is
// no such request.
func Scenes(body []byte) []Scene {
	var r struct {
		MultiShots  bool    `json:"multi_shots"`
		MultiPrompt []Scene `json:"multi_prompt"`
	}
	if json.Unmarshal(body, &r) != nil || !r.MultiShots {
		return nil
	}
	return r.MultiPrompt
}

// URLs is a list of links that may also be read from a single string (F64). It
// is written as an array.
type URLs []string

// UnmarshalJSON reads one string or an array of strings.
func (u *URLs) UnmarshalJSON(b []byte) error {
	var one string
	if err := json.Unmarshal(b, &one); err == nil {
		*u = URLs{one}
		return nil
	}
	var list []string
	if err := json.Unmarshal(b, &list); err != nil {
		return fmt.Errorf("image_urls: %w", err)
	}
	*u = list
	return nil
}

// Body returns the request as JSON; the same request gives the same bytes.
func (r ChatRequest) Body() []byte {
	r.Temperature, r.TopP = finite(r.Temperature), finite(r.TopP)
	r.Tools = whole(r.Tools)
	return marshal(r)
}

// Body returns the request as JSON; the same request gives the same bytes.
func (r ResponsesRequest) Body() []byte {
	r.Temperature, r.TopP = finite(r.Temperature), finite(r.TopP)
	r.Input, r.Tools = whole(r.Input), whole(r.Tools)
	return marshal(r)
}

// Body returns the request as JSON; the same request gives the same bytes.
func (r VideoRequest) Body() []byte { return marshal(r) }

// finite leaves out what JSON can't write.
func finite(n *float64) *float64 {
	if n != nil && (math.IsNaN(*n) || math.IsInf(*n, 0)) {
		return nil
	}
	return n
}

// whole returns raw if it is JSON. What a person has half typed goes as a
// string, so that there is always a body and Validate can point at it.
func whole(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || json.Valid(raw) {
		return raw
	}
	return marshal(string(raw))
}
