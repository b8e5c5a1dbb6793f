// Package listing knows which models the gateway that is connected has, where it
// lists them. [Read] takes a list as gateways send it, [Service] asks for it and
// keeps it, so that a gateway that is away for a while still has models.
//
// A list comes from elsewhere: its length, its names and its figures are bounded,
// and what can't be read is left out.
package listing

import (
	"encoding/json"
	"errors"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"screentest/shared/gateway"
	"screentest/shared/money"
)

// Bounds of a list.
const (
	maxModels = 5000
	maxTokens = 100_000_000
)

// errNoList is what is no list of models.
var errNoList = errors.New("this is no list of models")

// Read reads a list of models: that of OpenAI, and what others add to it. What is
// known to be no model for text or clips is left out, as is what has no usable id.
// Prices are exact; one that is told in part is unknown.
func Read(body []byte) ([]gateway.Model, error) {
	var entries []json.RawMessage
	if json.Unmarshal(body, &entries) != nil { // Together sends a bare array
		var list struct{ Data, Models []json.RawMessage }
		if err := json.Unmarshal(body, &list); err != nil || list.Data == nil && list.Models == nil {
			return nil, errNoList
		}
		if entries = list.Data; entries == nil {
			entries = list.Models
		}
	}
	models := make([]gateway.Model, 0, min(len(entries), maxModels))
	sample := gateway.SampleCatalogue()
	known := map[string]bool{}
	for _, raw := range entries {
		if len(models) == maxModels {
			break
		}
		var e entry
		if json.Unmarshal(raw, &e) != nil {
			continue
		}
		id := e.text("id")
		if !usable(id) || known[id] || e.other(id) {
			continue
		}
		m := e.model(id)
		if !m.Family.Text() {
			// A list tells nothing of clips. What the contract names is as it says there,
			// but for the price.
			if m, _ = sample.Lookup(id); m.Seconds.Any() {
				continue
			}
			m.Price, m.Sample = gateway.Price{}, false
		}
		known[id] = true
		models = append(models, m)
	}
	return models, nil
}

func usable(id string) bool {
	return gateway.IsModelID(id) && !strings.ContainsFunc(id, unseen)
}

// unseen says that a character shows as nothing, or turns those around it: one
// name could pass for another by it.
func unseen(c rune) bool { return unicode.IsControl(c) || unicode.Is(unicode.Cf, c) }

// entry is a model of the list, each field as it came: gateways differ in their
// types too.
type entry map[string]json.RawMessage

func (e entry) text(name string) (s string) {
	if json.Unmarshal(e[name], &s) != nil {
		return ""
	}
	return s
}

func (e entry) inner(name string) (in entry) {
	if json.Unmarshal(e[name], &in) != nil {
		return nil
	}
	return in
}

// texts is a list of texts; nil where there is none, and for one text that alone.
func (e entry) texts(name string) (list []string) {
	if json.Unmarshal(e[name], &list) != nil {
		if s := e.text(name); s != "" {
			return []string{s}
		}
		return nil
	}
	return list
}

// no says that a field is there and false.
func (e entry) no(name string) bool {
	var yes bool
	return json.Unmarshal(e[name], &yes) == nil && !yes
}

func (e entry) yes(name string) bool {
	var yes bool
	return json.Unmarshal(e[name], &yes) == nil && yes
}

// tokens is the first of some fields that is a number of tokens; 0: none is.
func (e entry) tokens(names ...string) int {
	for _, name := range names {
		var n float64
		if json.Unmarshal(e[name], &n) == nil && n >= 1 && n <= maxTokens {
			return int(n)
		}
	}
	return 0
}

// others are words in the ids of models that are for something else, for lists that
// tell nothing but the ids.
var others = regexp.MustCompile(`(?i)(^|[^a-z])(embed(ding)?s?|e5|bge|rerank(er)?|whisper|tts|dall-e|moderation|transcribe|gpt-image|imagen)([^a-z]|$)`)

// other says that a model is known to be for something else than text or clips:
// embeddings, speech, images.
func (e entry) other(id string) bool {
	if out := e.inner("architecture").texts("output_modalities"); out != nil {
		return !slices.Contains(out, "text")
	}
	if kinds := e.texts("supported_endpoint_types"); len(kinds) > 0 { // new-api
		return !slices.ContainsFunc(kinds, func(k string) bool {
			return k == "openai" || k == "openai-response" || k == "anthropic" || k == "gemini" || strings.Contains(k, "video")
		})
	}
	if kind := e.kind(); kind != "" {
		return kind != "chat" && kind != "language" && kind != "completion" && kind != "responses" && kind != "llm" && kind != "text" && kind != "code" && kind != "vlm"
	}
	if e.inner("capabilities").no("completion_chat") { // Mistral
		return true
	}
	return others.MatchString(id)
}

// kind is what a gateway says that the model is for: Together's type, LiteLLM's mode.
func (e entry) kind() string {
	for _, name := range []string{"mode", "type"} {
		if kind := e.text(name); kind != "" && kind != "model" {
			return strings.ToLower(kind)
		}
	}
	return ""
}

// model is what the list tells of a model, over what its id tells.
func (e entry) model(id string) gateway.Model {
	var nothing gateway.Catalogue
	m, _ := nothing.Lookup(id)
	if m.Family == gateway.Unknown {
		m.Family = gateway.Ordinary
	}
	if name := strings.Join(strings.Fields(e.text("name")), " "); name != id && utf8.RuneCountInString(name) <= gateway.MaxModelID {
		m.Name = strings.Map(func(c rune) rune {
			if unseen(c) {
				return -1
			}
			return c
		}, name)
	}
	if !m.Family.Text() {
		return m
	}
	if kinds := e.texts("supported_endpoint_types"); m.Family == gateway.Ordinary && slices.Contains(kinds, "openai-response") && !slices.Contains(kinds, "openai") {
		m.Endpoint = gateway.Responses
	}
	m.Context = e.tokens("context_length", "max_model_len", "context_window", "max_context_length", "max_input_tokens", "inputTokenLimit")
	m.MaxOutput = e.tokens("max_completion_tokens", "max_output_tokens", "outputTokenLimit")
	if m.MaxOutput == 0 {
		m.MaxOutput = e.inner("top_provider").tokens("max_completion_tokens")
	}
	if m.Family == gateway.Ordinary {
		m.Takes = e.takes()
	}
	m.Price = e.price()
	return m
}

// takes is what the list tells of what the model takes, of what is known.
func (e entry) takes() (takes []string) {
	told := append(e.texts("supported_parameters"), e.texts("supported_openai_params")...)
	if slices.Contains(e.inner("architecture").texts("input_modalities"), "image") || e.yes("supports_vision") || e.inner("capabilities").yes("vision") {
		told = append(told, gateway.TakesImages)
	}
	for _, name := range gateway.TakeNames() {
		if slices.Contains(told, name) {
			takes = append(takes, name)
		}
	}
	return takes
}

// price is what a million tokens cost. OpenRouter tells what one token does, as text;
// so does Vercel, under the names under which Together tells what a million do, as
// numbers; LiteLLM tells it as numbers. What also costs by the call, or more from some
// length on, has no price that a million tokens could tell.
func (e entry) price() gateway.Price {
	token, million := big.NewRat(1_000_000, 1), big.NewRat(1, 1)
	pricing := e.inner("pricing")
	if e.tiered() || pricing.costs("request", nil) || pricing.costs("internal_reasoning", pricing["completion"]) {
		return gateway.Price{}
	}
	for _, p := range []struct {
		of      entry
		in, out string
		of1     *big.Rat
		is      bool
	}{
		{pricing, "prompt", "completion", token, true},
		{pricing, "input", "output", token, pricing.text("input") != "" && e["context_window"] != nil},
		{pricing, "input", "output", million, pricing.text("input") == "" && (pricing["hourly"] != nil || pricing["base"] != nil || pricing["finetune"] != nil)},
		{e, "input_cost_per_token", "output_cost_per_token", token, true},
	} {
		in, okIn := p.of.nano(p.in, p.of1)
		out, okOut := p.of.nano(p.out, p.of1)
		if p.is && okIn && okOut {
			price := gateway.Price{Known: true, Input: in, Output: out}
			if image, ok := p.of.nano("image", million); ok {
				price.PerImage = image
			}
			return price
		}
	}
	return gateway.Price{}
}

// costs says that a field is a price, and another one than that of instead.
func (e entry) costs(name string, instead json.RawMessage) bool {
	raw := e[name]
	if raw == nil || string(raw) == "null" || string(raw) == string(instead) {
		return false
	}
	n, ok := e.nano(name, big.NewRat(1_000_000, 1))
	return !ok || n != 0
}

// tiered says that LiteLLM tells prices of their own from some length on.
func (e entry) tiered() bool {
	for name, raw := range e {
		if strings.Contains(name, "_cost_per_token_above_") && string(raw) != "null" {
			return true
		}
	}
	return false
}

// mostPrice bounds a price, in nano-dollars.
const mostPrice = 1_000_000_000_000_000

// nano is an amount in dollars, for so many, in nano-dollars, rounded half up.
func (e entry) nano(name string, of *big.Rat) (money.NanoUSD, bool) {
	text := e.text(name)
	if text == "" {
		text = string(e[name])
	}
	if len(text) == 0 || len(text) > 40 || strings.ContainsAny(text, "/xXpP_") || strings.Contains(text, "e") && len(text) > 20 {
		return 0, false
	}
	if at := strings.IndexAny(text, "eE"); at >= 0 && len(text)-at > 4 {
		return 0, false // an exponent of four digits is no price
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok || r.Sign() < 0 {
		return 0, false
	}
	r.Mul(r, of).Mul(r, big.NewRat(1_000_000_000, 1)).Add(r, big.NewRat(1, 2))
	n := new(big.Int).Quo(r.Num(), r.Denom())
	if !n.IsInt64() || n.Int64() > mostPrice {
		return 0, false
	}
	return money.NanoUSD(n.Int64()), true
}
