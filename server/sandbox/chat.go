package sandbox

import (
	"encoding/json"
	"strconv"

	"screentest/shared/gateway"
)

// chatUsage is the usage of a chat reply.
type chatUsage struct {
	Prompt     int64 `json:"prompt_tokens"`
	Completion int64 `json:"completion_tokens"`
	Total      int64 `json:"total_tokens"`
}

// chatToolCall is a function call in a chat reply (F31).
type chatToolCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// chatCompletion is the JSON reply (F28, S).
type chatCompletion struct {
	ID      string       `json:"id"`
	Object  string       `json:"object"`
	Created int64        `json:"created"`
	Model   string       `json:"model"`
	Choices []chatChoice `json:"choices"`
	Usage   *chatUsage   `json:"usage,omitempty"`
}

type chatChoice struct {
	Index   int `json:"index"`
	Message struct {
		Role      string         `json:"role"`
		Content   *string        `json:"content"`
		Reasoning string         `json:"reasoning_content,omitempty"`
		Refusal   *string        `json:"refusal"`
		ToolCalls []chatToolCall `json:"tool_calls,omitempty"`
	} `json:"message"`
	Logprobs     *string `json:"logprobs"`
	FinishReason string  `json:"finish_reason"`
}

// chatJSON answers with stream false (F28).
func (t *textCall) chatJSON(id string) (int64, error) {
	a := t.a
	if err := t.waitWhole(); err != nil {
		return a.out, err
	}
	if a.script.fail != "" || a.script.fault {
		return failed, t.fault()
	}
	text := a.shown()
	var choice chatChoice
	choice.FinishReason = a.finish()
	choice.Message.Role = "assistant"
	choice.Message.Reasoning = a.reasoning
	if choice.Message.Content = &text; len(a.calls) > 0 {
		choice.Message.Content = nil
	}
	for _, call := range a.calls {
		tc := chatToolCall{ID: call.ID, Type: "function"}
		tc.Function.Name, tc.Function.Arguments = call.Name, call.Arguments
		choice.Message.ToolCalls = append(choice.Message.ToolCalls, tc)
	}
	reply := chatCompletion{ID: id, Object: "chat.completion", Created: t.created, Model: a.model.ID, Choices: []chatChoice{choice}}
	if !a.script.noUsage {
		reply.Usage = chatUsageOf(a.usage())
	}
	body, err := json.Marshal(reply)
	if err != nil {
		return failed, err
	}
	return t.wholeReply(body)
}

func chatUsageOf(u gateway.Usage) *chatUsage {
	return &chatUsage{u.InputTokens, u.OutputTokens, u.InputTokens + u.OutputTokens}
}

// chatStream answers with stream true: chunks, one for each token, and [DONE]
// (F41–F43).
func (t *textCall) chatStream(id string) (int64, error) {
	a := t.a
	st := t.s.newStream(t.call, t.s.pace(a.script, a.seed))
	// Only delta and finish_reason differ from chunk to chunk.
	head := []byte(`data: {"id":` + quote(id) + `,"object":"chat.completion.chunk","created":` + strconv.FormatInt(t.created, 10) +
		`,"model":` + quote(a.model.ID) + `,"system_fingerprint":null,"choices":[{"index":0,"delta":`)
	const tail = `,"logprobs":null,"finish_reason":null}]}` + "\n\n"
	chunk := func(delta string) {
		st.buf = append(append(append(st.buf[:0], head...), delta...), tail...)
		st.send(st.buf)
	}
	field := func(name string) func([]byte, string) []byte {
		head := append(append([]byte{}, head...), `{"`+name+`":`...)
		return func(b []byte, token string) []byte {
			b = append(b, head...)
			b = appendString(b, token)
			return append(append(b, '}'), tail...)
		}
	}
	st.ping()
	chunk(`{"role":"assistant","content":""}`)
	ok := st.each(a.reasoning, field("reasoning_content")) && st.each(a.shown(), field("content"))
	for i, call := range a.calls {
		index := strconv.Itoa(i)
		if ok {
			chunk(`{"tool_calls":[{"index":` + index + `,"id":` + quote(call.ID) + `,"type":"function","function":{"name":` + quote(call.Name) + `,"arguments":""}}]}`)
		}
		ok = ok && st.each(call.Arguments, func(b []byte, token string) []byte {
			b = append(append(b, head...), `{"tool_calls":[{"index":`+index+`,"function":{"arguments":`...)
			b = appendString(b, token)
			return append(append(b, `}}]}`...), tail...)
		})
	}
	if !ok {
		return int64(st.tokens), errLeft
	}
	if done, err := t.breakOff(st); done {
		return int64(st.tokens), err
	}
	if a.script.fail != "" || a.script.fault {
		f := t.fault()
		st.send([]byte(`data: {"error":{"message":` + quote(f.message) + `,"type":"server_error","param":"","code":"server_error"}}` + "\n\n"))
		if !a.script.fault {
			st.send([]byte("data: [DONE]\n\n"))
		}
		return failed, nil
	}
	st.buf = append(append(append(st.buf[:0], head...), `{},"logprobs":null,"finish_reason":`...), quote(a.finish())...)
	st.send(append(st.buf, "}]}\n\n"...))
	if t.includeUsage {
		usage, err := json.Marshal(chatUsageOf(a.usage()))
		if err != nil {
			return failed, err
		}
		st.send([]byte(`data: {"id":` + quote(id) + `,"object":"chat.completion.chunk","created":` + strconv.FormatInt(t.created, 10) +
			`,"model":` + quote(a.model.ID) + `,"choices":[],"usage":` + string(usage) + "}\n\n"))
	}
	st.send([]byte("data: [DONE]\n\n"))
	return int64(st.tokens), nil
}

// breakOff does what the script does to a stream after half its text, and says
// whether it did.
func (t *textCall) breakOff(st *stream) (done bool, err error) {
	switch sc := t.a.script; {
	case sc.truncate:
		return true, nil
	case sc.silent:
		st.silence()
		return true, errLeft
	case sc.drop:
		return true, errLeft
	}
	return false, nil
}

// quote is s as a JSON string.
func quote(s string) string { return string(appendString(nil, s)) }
