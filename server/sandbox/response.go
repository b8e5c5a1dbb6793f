package sandbox

import (
	"encoding/json"
	"unicode/utf8"

	"screentest/server/sandbox/voice"
	"screentest/shared/gateway"
)

// response is the object of a responses reply and of the events that frame a
// stream (S).
type response struct {
	ID                string         `json:"id"`
	Object            string         `json:"object"`
	CreatedAt         int64          `json:"created_at"`
	Status            string         `json:"status"`
	Background        bool           `json:"background"`
	Error             *responseError `json:"error"`
	IncompleteDetails *incomplete    `json:"incomplete_details"`
	Instructions      *string        `json:"instructions"`
	MaxOutputTokens   *int           `json:"max_output_tokens"`
	Model             string         `json:"model"`
	Output            []any          `json:"output"`
	ParallelToolCalls bool           `json:"parallel_tool_calls"`
	PreviousID        *string        `json:"previous_response_id"`
	Reasoning         struct {
		Effort  *string `json:"effort"`
		Summary *string `json:"summary"`
	} `json:"reasoning"`
	Store       bool            `json:"store"`
	Temperature json.RawMessage `json:"temperature"`
	Text        struct {
		Format struct {
			Type string `json:"type"`
		} `json:"format"`
	} `json:"text"`
	ToolChoice string             `json:"tool_choice"`
	Tools      []any              `json:"tools"`
	TopP       json.RawMessage    `json:"top_p"`
	Truncation string             `json:"truncation"`
	Usage      *responsesUsage    `json:"usage"`
	User       *string            `json:"user"`
	Metadata   map[string]*string `json:"metadata"`
}

type responseError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

type incomplete struct {
	Reason string `json:"reason"`
}

type responsesUsage struct {
	Input        int64 `json:"input_tokens"`
	InputDetails struct {
		Cached     int64 `json:"cached_tokens"`
		CacheWrite int64 `json:"cache_write_tokens"`
	} `json:"input_tokens_details"`
	Output        int64 `json:"output_tokens"`
	OutputDetails struct {
		Reasoning int64 `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
	Total int64 `json:"total_tokens"`
}

// The items of an output.
type (
	reasoningItem struct {
		ID      string        `json:"id"`
		Type    string        `json:"type"`
		Summary []summaryPart `json:"summary"`
	}
	summaryPart struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	searchItem struct {
		ID     string       `json:"id"`
		Type   string       `json:"type"`
		Status string       `json:"status"`
		Action searchAction `json:"action"`
	}
	searchAction struct {
		Type    string      `json:"type"`
		Query   string      `json:"query"`
		Queries []string    `json:"queries,omitempty"`
		Sources []searchURL `json:"sources,omitempty"`
	}
	searchURL struct {
		Type string `json:"type"`
		URL  string `json:"url"`
	}
	functionItem struct {
		ID        string `json:"id"`
		Type      string `json:"type"`
		Status    string `json:"status"`
		CallID    string `json:"call_id"`
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}
	messageItem struct {
		ID      string     `json:"id"`
		Type    string     `json:"type"`
		Status  string     `json:"status"`
		Role    string     `json:"role"`
		Content []textPart `json:"content"`
	}
	textPart struct {
		Type        string     `json:"type"`
		Text        string     `json:"text"`
		Annotations []citation `json:"annotations"`
		Logprobs    []any      `json:"logprobs"`
	}
	citation struct {
		Type  string `json:"type"`
		Start int    `json:"start_index"` // in characters
		End   int    `json:"end_index"`
		URL   string `json:"url"`
		Title string `json:"title"`
	}
)

// response is the reply's frame, with no output yet.
func (t *textCall) response(id, status string) response {
	r := response{ID: id, Object: "response", CreatedAt: t.created, Status: status, Model: t.a.model.ID,
		Output: []any{}, ParallelToolCalls: true, Temperature: json.RawMessage("1.0"), ToolChoice: "auto",
		Tools: []any{}, TopP: json.RawMessage("1.0"), Truncation: "disabled", Metadata: map[string]*string{}}
	r.Text.Format.Type = "text"
	return r
}

// ended is the reply when it is over: completed, or incomplete.
func (t *textCall) ended(id string, output []any) response {
	r := t.response(id, "completed")
	if t.a.incomplete() {
		r.Status, r.IncompleteDetails = "incomplete", &incomplete{"max_output_tokens"}
	}
	r.Output = output
	if !t.a.script.noUsage {
		r.Usage = responsesUsageOf(t.a.usage(), countTokens(t.a.reasoning))
	}
	return r
}

func responsesUsageOf(u gateway.Usage, reasoning int64) *responsesUsage {
	out := &responsesUsage{Input: u.InputTokens, Output: u.OutputTokens, Total: u.InputTokens + u.OutputTokens}
	out.OutputDetails.Reasoning = reasoning
	return out
}

func (t *textCall) failedResponse(id string) response {
	f := t.fault()
	r := t.response(id, "failed")
	r.Error = &responseError{f.code, f.message}
	return r
}

// items are the output in its order, each complete.
func (t *textCall) items() []any {
	a := t.a
	var out []any
	if a.reasoning != "" {
		out = append(out, reasoningItem{newID("rs_"), "reasoning", []summaryPart{{"summary_text", a.reasoning}}})
	}
	if a.search != nil {
		item := searchItem{ID: newID("ws_"), Type: "web_search_call", Status: "completed",
			Action: searchAction{Type: "search", Query: a.search.query, Queries: []string{a.search.query}}}
		for _, s := range a.search.sources {
			item.Action.Sources = append(item.Action.Sources, searchURL{"url", s.URL})
		}
		out = append(out, item)
	}
	for _, c := range a.calls {
		out = append(out, functionItem{newID("fc_"), "function_call", "completed", c.ID, c.Name, c.Arguments})
	}
	if len(a.calls) > 0 {
		return out
	}
	m := messageItem{newID("msg_"), "message", "completed", "assistant", []textPart{textPartOf(a.shown(), a.citations)}}
	if a.incomplete() {
		m.Status = "incomplete"
	}
	return append(out, m)
}

// textPartOf is a text with those citations that lie within it.
func textPartOf(text string, cs []voice.Citation) textPart {
	p := textPart{Type: "output_text", Text: text, Annotations: []citation{}, Logprobs: []any{}}
	length := utf8.RuneCountInString(text)
	for _, c := range cs {
		if c.End <= length {
			p.Annotations = append(p.Annotations, citationOf(c))
		}
	}
	return p
}

func citationOf(c voice.Citation) citation {
	return citation{"url_citation", c.Start, c.End, c.URL, c.Title}
}
