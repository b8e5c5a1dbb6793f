package sandbox

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"screentest/server/sandbox/voice"
	"screentest/shared/gateway"
)

// answer is what a text model says, before it is written in the shape of an
// endpoint.
type answer struct {
	model     gateway.Model
	script    script
	seed      uint64
	reasoning string
	search    *search
	calls     []gateway.ToolCall
	text      string // all of it; see shown
	citations []voice.Citation
	in, out   int64 // tokens
	bounded   bool  // cut off by the tokens that were asked for at most
}

// search is one call of the built-in web search (F38, F48).
type search struct {
	query   string
	sources []voice.Source
}

// finish says how the answer ends, in the words of chat.
func (a *answer) finish() string {
	switch {
	case a.incomplete():
		return "length"
	case len(a.calls) > 0:
		return "tool_calls"
	}
	return "stop"
}

// shown is the text that is sent: half of it where the script stops it.
func (a *answer) shown() string {
	if !a.script.half() {
		return a.text
	}
	return firstTokens(a.text, max(1, countTokens(a.text)/2))
}

// compose works out the answer to a conversation. The same request gives the
// same answer.
func compose(m gateway.Model, c conversation) *answer {
	sc, prompt := readScript(c.prompt())
	a := &answer{model: m, script: sc, in: c.promptTokens()}
	_, system := readScript(c.system())
	earlier := c.earlier()
	for i, e := range earlier {
		_, earlier[i] = readScript(e)
	}
	results := c.results()
	request := voice.Request{Model: m.ID, System: system, Earlier: earlier, Prompt: prompt}
	// Temperature and top_p have no effect on epsilon (F16).
	if m.Family != gateway.Epsilon {
		request.Variant = c.sampling + c.told.variant
	}
	for _, r := range results {
		request.Results = append(request.Results, voice.Result{Name: r.Name, Text: r.Arguments})
	}
	looked := cut(prompt, maxLooked)
	if len(results) == 0 && (sc.call != "" || !forbidPattern.MatchString(looked)) {
		if a.calls = chooseCalls(c.tools, sc, looked); len(a.calls) == 0 && sc.free() {
			a.calls = likelyCall(c.tools, looked, c.called())
		}
	}
	if len(a.calls) == 0 && offersSearch(m, c.tools) {
		a.search = &search{query: voice.Query(prompt), sources: voice.Sources(prompt)}
		request.Sources = a.search.sources
	}
	a.seed = request.Seed()
	for i := range a.calls {
		a.calls[i].ID = "call_" + strconv.FormatUint(a.seed, 36) + strconv.Itoa(i)
	}
	said := voice.Compose(request)
	if sc.reasoning || m.Family == gateway.Epsilon || c.told.effort {
		a.reasoning = said.Reasoning
	}
	switch {
	case len(a.calls) > 0: // no text
	case sc.markdown && sc.repeat > 0:
		a.text = voice.Repeat(voice.Markdown(), sc.repeat)
	case sc.markdown:
		a.text = voice.Markdown()
	case sc.repeat > 0:
		a.text = voice.Words(sc.repeat, a.seed)
	case sc.echo:
		a.text = prompt
	default:
		a.text, a.citations = said.Text, said.Citations
	}
	if a.text == "" && len(a.calls) == 0 {
		a.text = "…" // [[echo]] of nothing
	}
	if sc.half() && len(a.calls) > 0 && (sc.incomplete || sc.fail != "" || sc.fault) {
		// What goes wrong goes wrong in a text.
		a.calls, a.text = nil, said.Text
	}
	c.told.shape(a, prompt)
	a.out = countTokens(a.reasoning) + countTokens(a.shown())
	for _, call := range a.calls {
		a.out += countTokens(call.Arguments)
	}
	return a
}

// usage is what the call is reported and charged as.
func (a *answer) usage() gateway.Usage {
	return gateway.Usage{InputTokens: a.in, OutputTokens: a.out, Reported: true}
}

// offersSearch says whether the model may search the web: epsilon, when the
// tool is offered (F38).
func offersSearch(m gateway.Model, tools []gateway.Tool) bool {
	return m.Family == gateway.Epsilon && slices.ContainsFunc(tools, func(t gateway.Tool) bool { return t.Type == "web_search" })
}

// The bounds of choosing: a request may be megabytes of tools and prompt.
const (
	maxCalls  = 4    // functions called at once
	maxTools  = 128  // looked at
	maxLooked = 4000 // bytes of the prompt
)

// forbidPattern is a prompt that wants no function called.
var forbidPattern = regexp.MustCompile(`(?i)(\b(without|no|not|never)\b|n['’]t\b)[^.!?]{0,20}\b(us(e|ing)|call(ing|s)?|invok(e|ing)|tools?|functions?)\b`)

var askPattern = regexp.MustCompile(`(?i)\b(use|call|invoke|run)\b`)

// chooseCalls decides which functions to call: those that the prompt names, in
// the order they were offered; the first if it says "use" or "call" and names
// none; the one that the script names.
func chooseCalls(tools []gateway.Tool, sc script, prompt string) []gateway.ToolCall {
	var out []gateway.ToolCall
	var first *gateway.Tool
	low := strings.ToLower(prompt)
	for i := range min(len(tools), maxTools) {
		t := &tools[i]
		if t.Type != "function" || t.Name == "" {
			continue
		}
		if first == nil {
			first = t
		}
		name := strings.ToLower(t.Name)
		if t.Name == sc.call || sc.call == "" && (strings.Contains(low, name) || strings.Contains(low, strings.ReplaceAll(name, "_", " "))) {
			if out = append(out, callOf(t, prompt)); len(out) == maxCalls {
				return out
			}
		}
	}
	if len(out) == 0 && sc.call == "" && first != nil && askPattern.MatchString(prompt) {
		out = append(out, callOf(first, prompt))
	}
	return out
}

// likelyCall calls the function that fits the prompt best, for a prompt that
// says nothing of functions: the one whose name and description have the most
// words of it, else the first. The latter only once in a conversation, and not
// where an explanation is asked for.
func likelyCall(tools []gateway.Tool, prompt string, called bool) []gateway.ToolCall {
	need := voice.NeedOf(prompt)
	if need == voice.TextOnly {
		return nil
	}
	asked := wordsOf(prompt)
	var best *gateway.Tool
	most := 0
	for i := range min(len(tools), maxTools) {
		t := &tools[i]
		if t.Type != "function" || t.Name == "" {
			continue
		}
		fits := 0
		for word := range wordsOf(cut(strings.ReplaceAll(t.Name, "_", " ")+" "+t.Description, maxLooked)) {
			if asked[word] {
				fits++
			}
		}
		if best == nil || fits > most {
			best, most = t, fits
		}
	}
	if best == nil || most == 0 && (called || need != voice.Action) {
		return nil
	}
	return []gateway.ToolCall{callOf(best, prompt)}
}

// wordsOf are the words of a text that say what it is about, in lower case.
func wordsOf(text string) map[string]bool {
	out := map[string]bool{}
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if utf8.RuneCountInString(word) > 3 || word[0] >= utf8.RuneSelf {
			out[word] = true
		}
	}
	return out
}

func callOf(t *gateway.Tool, prompt string) gateway.ToolCall {
	var s schema
	// A schema that makes no sense gets no arguments.
	_ = json.Unmarshal(t.Parameters, &s)
	b, err := json.Marshal(s.example("", prompt, 0))
	if err != nil || s.kind() != "object" {
		b = []byte("{}")
	}
	return gateway.ToolCall{Name: t.Name, Arguments: string(b)}
}

// schema is what is read of a JSON Schema.
type schema struct {
	Type       json.RawMessage   `json:"type"`
	Enum       []json.RawMessage `json:"enum"`
	Default    json.RawMessage   `json:"default"`
	Minimum    *float64          `json:"minimum"`
	Properties map[string]schema `json:"properties"`
	Items      *schema           `json:"items"`
}

// kind is the schema's type; of several, the first.
func (s *schema) kind() string {
	var one string
	var many []string
	if json.Unmarshal(s.Type, &one) == nil {
		return one
	}
	if json.Unmarshal(s.Type, &many) == nil && len(many) > 0 {
		return many[0]
	}
	if s.Properties != nil {
		return "object"
	}
	return "string"
}

var numberPattern = regexp.MustCompile(`\d{1,9}`)

// example is a value that fits the schema, taken from the prompt where it can
// be: numbers it holds, a name with a capital, else what it is about.
func (s *schema) example(name, prompt string, depth int) any {
	if len(s.Enum) > 0 {
		for _, e := range s.Enum {
			var text string
			if json.Unmarshal(e, &text) == nil && text != "" && strings.Contains(strings.ToLower(prompt), strings.ToLower(text)) {
				return text
			}
		}
		return s.Enum[0]
	}
	if len(s.Default) > 0 {
		return s.Default
	}
	switch s.kind() {
	case "object":
		out := map[string]any{}
		for key, p := range s.Properties {
			if depth < 3 && len(out) < 20 {
				out[key] = p.example(key, prompt, depth+1)
			}
		}
		return out
	case "array":
		if s.Items == nil || depth > 4 {
			return []any{}
		}
		return []any{s.Items.example(name, prompt, depth+1)}
	case "integer", "number":
		if m := numberPattern.FindString(prompt); m != "" {
			n, _ := strconv.Atoi(m)
			return n
		}
		if s.Minimum != nil {
			return *s.Minimum
		}
		return 1
	case "boolean":
		return true
	case "null":
		return nil
	}
	return textArgument(name, prompt)
}

// textArgument picks a string for a property: something quoted, a word with a
// capital that does not begin the prompt, or what the prompt is about.
func textArgument(name, prompt string) string {
	if name == "tz" || strings.Contains(name, "timezone") || name == "time_zone" {
		return "UTC"
	}
	for _, q := range []string{`"`, "“"} {
		if _, after, ok := strings.Cut(prompt, q); ok {
			if in, _, ok := strings.Cut(after, map[string]string{`"`: `"`, "“": "”"}[q]); ok && in != "" && len(in) < 200 {
				return in
			}
		}
	}
	for i, word := range strings.Fields(prompt) {
		word = strings.TrimFunc(word, func(r rune) bool { return !unicode.IsLetter(r) })
		if r := []rune(word); i > 0 && len(r) > 1 && unicode.IsUpper(r[0]) && unicode.IsLower(r[1]) {
			return word
		}
	}
	return voice.Query(prompt)
}
