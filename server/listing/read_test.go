package listing

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"screentest/shared/gateway"
	"screentest/shared/money"
)

// The forms are those that the gateways named were seen to send, cut to a model or
// two.
func TestListsOfManyKinds(t *testing.T) {
	text := func(id string, change func(*gateway.Model)) gateway.Model {
		m := gateway.Model{ID: id, Family: gateway.Ordinary, Endpoint: gateway.Chat, Mode: gateway.TextMode}
		if change != nil {
			change(&m)
		}
		return m
	}
	for _, c := range []struct {
		name, body string
		want       []gateway.Model
	}{
		{"OpenAI", `{"object":"list","data":[{"id":"gpt-4o","object":"model","created":1715367049,"owned_by":"system"},
			{"id":"text-embedding-3-small","object":"model"},{"id":"whisper-1","object":"model"},{"id":"dall-e-3","object":"model"},{"id":"tts-1-hd","object":"model"}]}`,
			[]gateway.Model{text("gpt-4o", nil)}},
		{"OpenRouter", `{"data":[{"id":"openai/gpt-4o","name":"OpenAI: GPT-4o","context_length":128000,
			"architecture":{"input_modalities":["text","image"],"output_modalities":["text"]},
			"pricing":{"prompt":"0.0000025","completion":"0.00001","image":"0.003613","request":"0"},
			"top_provider":{"max_completion_tokens":16384},"supported_parameters":["max_tokens","seed","stop","logit_bias","response_format"]},
			{"id":"openrouter/auto","name":"Auto","pricing":{"prompt":"-1","completion":"-1"},"architecture":{"output_modalities":["text"]}},
			{"id":"google/image-maker","architecture":{"output_modalities":["image"]}}]}`,
			[]gateway.Model{text("openai/gpt-4o", func(m *gateway.Model) {
				m.Name, m.Context, m.MaxOutput = "OpenAI: GPT-4o", 128000, 16384
				m.Takes = []string{"max_tokens", "stop", "response_format", "seed", "images"}
				m.Price = gateway.Price{Known: true, Input: 2_500_000_000, Output: 10_000_000_000, PerImage: 3_613_000}
			}), text("openrouter/auto", func(m *gateway.Model) { m.Name = "Auto" })}},
		{"LiteLLM", `{"data":[{"id":"claude","mode":"chat","max_input_tokens":200000,"max_output_tokens":8192,"input_cost_per_token":3e-06,"output_cost_per_token":1.5e-05,"supports_vision":true,"supported_openai_params":["max_tokens","tools"]},
			{"id":"ada","mode":"embedding"}]}`,
			[]gateway.Model{text("claude", func(m *gateway.Model) {
				m.Context, m.MaxOutput, m.Takes = 200000, 8192, []string{"max_tokens", "tools", "images"}
				m.Price = gateway.Price{Known: true, Input: 3_000_000_000, Output: 15_000_000_000}
			})}},
		{"vLLM", `{"object":"list","data":[{"id":"meta-llama/Llama-3.1-8B-Instruct","object":"model","max_model_len":131072,"permission":[{"id":"x"}]}]}`,
			[]gateway.Model{text("meta-llama/Llama-3.1-8B-Instruct", func(m *gateway.Model) { m.Context = 131072 })}},
		{"Ollama", `{"object":"list","data":[{"id":"llama3.2:latest","object":"model","owned_by":"library"}]}`,
			[]gateway.Model{text("llama3.2:latest", nil)}},
		{"new-api", `{"data":[{"id":"gpt-5-pro","supported_endpoint_types":["openai-response"]},{"id":"gpt-5","supported_endpoint_types":["openai","openai-response"]},
			{"id":"jina","supported_endpoint_types":["jina-rerank"]}],"success":true}`,
			[]gateway.Model{text("gpt-5-pro", func(m *gateway.Model) { m.Endpoint = gateway.Responses }), text("gpt-5", nil)}},
		{"Together", `[{"id":"Qwen/Qwen3","type":"chat","display_name":"Qwen","context_length":32768,"pricing":{"hourly":0,"input":0.2,"output":0.6}},{"id":"x/flux","type":"image"}]`,
			[]gateway.Model{text("Qwen/Qwen3", func(m *gateway.Model) {
				m.Context, m.Price = 32768, gateway.Price{Known: true, Input: 200_000_000, Output: 600_000_000}
			})}},
		{"Mistral", `{"data":[{"id":"mistral-large","max_context_length":131072,"capabilities":{"completion_chat":true,"vision":true}},{"id":"mistral-ocr","capabilities":{"completion_chat":false}}]}`,
			[]gateway.Model{text("mistral-large", func(m *gateway.Model) { m.Context, m.Takes = 131072, []string{"images"} })}},
		{"nothing", `{"data":[]}`, []gateway.Model{}},
		{"what is no id", `{"data":[{"id":7},{"id":""},{"id":"with space"},{"id":"a\u0000b"},{},{"id":"same"},{"id":"same"}]}`, []gateway.Model{text("same", nil)}},
		{"figures that are none", `{"data":[{"id":"a","name":["x"],"context_length":-5,"max_completion_tokens":1e300,"pricing":{"prompt":"1e999","completion":"0.1"}},
			{"id":"b","pricing":{"prompt":"0.1"}},{"id":"c","pricing":{"prompt":"1/3","completion":"0x1"}},{"id":"d","pricing":{"prompt":"99999999","completion":"0"}}]}`,
			[]gateway.Model{text("a", nil), text("b", nil), text("c", nil), text("d", nil)}},
	} {
		got, err := Read([]byte(c.body))
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v\n%+v, want\n%+v", c.name, err, got, c.want)
		}
	}
	for _, none := range []string{"", "{}", "<html>", `{"data":7}`, `"x"`, `{"error":{"message":"no"}}`} {
		if got, err := Read([]byte(none)); err == nil {
			t.Errorf("%q is a list of %v", none, got)
		}
	}
}

// The models of the contract's families keep to it, whatever a list says of them.
func TestFamiliesOfTheContractStayWhatTheyAre(t *testing.T) {
	got, err := Read([]byte(`{"data":[{"id":"vendor/epsilon-5.6-core","supported_parameters":["seed"]},{"id":"gamma-2-720p","name":"Gamma"},{"id":"gamma-2-of-tomorrow"}]}`))
	if err != nil || len(got) != 2 || got[0].Family != gateway.Epsilon || got[0].Takes != nil || got[1].Endpoint != gateway.Video || got[1].Price.Known || got[1].Sample || got[1].Seconds.Any() {
		t.Errorf("%+v, %v", got, err)
	}
	c := gateway.Catalogue{Models: got}
	if _, err := gateway.ReadCatalogue(c.JSON()); err != nil {
		t.Error(err)
	}
}

func TestALongListIsCut(t *testing.T) {
	var ids []string
	for range maxModels + 10 {
		ids = append(ids, `{"id":"m-`+string(json.RawMessage(jsonNumber(len(ids))))+`"}`)
	}
	got, err := Read([]byte(`{"data":[` + strings.Join(ids, ",") + `]}`))
	if err != nil || len(got) != maxModels {
		t.Errorf("%d models, %v", len(got), err)
	}
}

func jsonNumber(n int) string { b, _ := json.Marshal(n); return string(b) }

// Whatever comes, a list that was read is one that a page can read.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"data":[{"id":"a/b","pricing":{"prompt":"0.1","completion":"1"},"name":"x","context_length":5,"supported_parameters":["seed"]}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		models, err := Read(body)
		if err != nil || len(models) == 0 {
			return
		}
		c := gateway.Catalogue{Models: models}
		if _, err := gateway.ReadCatalogue(c.JSON()); err != nil {
			t.Fatalf("%v\n%s", err, c.JSON())
		}
	})
}

// A price is never read as less than it is, and one bad entry takes no other with
// it.
func TestPricesAreNotTakenForLess(t *testing.T) {
	for name, c := range map[string]struct {
		entry string
		known bool
		in    money.NanoUSD
	}{
		"Vercel tells what one token costs": {`{"id":"a","type":"language","context_window":128000,"pricing":{"input":"0.0000025","output":"0.00001","input_cache_read":"0.00000125"}}`, true, 2_500_000_000},
		"Together what a million do":        {`{"id":"a","type":"chat","pricing":{"hourly":0,"input":2.5,"output":10}}`, true, 2_500_000_000},
		"neither's":                         {`{"id":"a","pricing":{"input":2.5,"output":10}}`, false, 0},
		"by the request too":                {`{"id":"a","pricing":{"prompt":"0.000001","completion":"0.000001","request":"0.005"}}`, false, 0},
		"thinking that costs as an answer":  {`{"id":"a","pricing":{"prompt":"0.000001","completion":"0.000002","request":"0","internal_reasoning":"0.000002"}}`, true, 1_000_000_000},
		"thinking that costs more":          {`{"id":"a","pricing":{"prompt":"0.000001","completion":"0.000002","internal_reasoning":"0.000003"}}`, false, 0},
		"more for what is long":             {`{"id":"a","input_cost_per_token":1e-6,"output_cost_per_token":2e-6,"input_cost_per_token_above_200k_tokens":2e-6}`, false, 0},
		"no more for what is long":          {`{"id":"a","input_cost_per_token":1e-6,"output_cost_per_token":2e-6,"input_cost_per_token_above_200k_tokens":null}`, true, 1_000_000_000},
	} {
		models, err := Read([]byte(`{"data":["x",` + c.entry + `]}`))
		if err != nil || len(models) != 1 {
			t.Errorf("%s: %v, %v", name, models, err)
			continue
		}
		if p := models[0].Price; p.Known != c.known || p.Input != c.in {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

// What is not seen makes no name of its own.
func TestNamesAreSeen(t *testing.T) {
	models, err := Read([]byte(`{"data":[{"id":"gpt-4o\u202egnp"},{"id":"a\u200b"},{"id":"b","name":"\u202eevil\u200b"}]}`))
	if err != nil || len(models) != 1 || models[0].Name != "evil" {
		t.Errorf("%+v, %v", models, err)
	}
}
