package chat

import (
	"encoding/json"
	"strings"
	"testing"

	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// toldModel is told to take what there is; responsesTold and completionModel have
// other names for it.
const toldModel, responsesTold, completionModel = "vendor/told", "vendor/told-responses", "vendor/completion"

// furtherBench has models of which much is told.
func furtherBench(t *testing.T) *bench {
	t.Helper()
	b := newBench(t)
	c, err := gateway.ParseCatalogue([]byte(`{"models":[{"id":"vendor/model-a","price":{"input":1,"output":2}},{"id":"zeta-1"},
		{"id":"vendor/epsilon-5.6-core"},
		{"id":"vendor/told","context":2000,"max_output":500,"takes":["max_tokens","stop","response_format","reasoning_effort","seed","presence_penalty","frequency_penalty","top_k"],"price":{"input":1,"output":2}},
		{"id":"vendor/told-responses","endpoint":"responses","takes":["max_output_tokens","text","reasoning","seed"]},
		{"id":"vendor/seeing","takes":["images","tools"]},
		{"id":"vendor/completion","takes":["max_completion_tokens"]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	b.session.Catalogue = c
	return b
}

// everything sets every further parameter.
func everything() Params {
	return Params{Further: Further{
		Figures: map[string]float64{MaxTokens: 300, "seed": -7, "presence_penalty": 0.5, "frequency_penalty": -2, "top_k": 40},
		Stop:    []string{"END", "a\nb"}, Effort: "low", Format: Format{Type: "json_schema", Schema: ` {"type": "object"} `},
		Extra: `{"logit_bias": {"5": 1}}`,
	}}
}

// One set of parameters is asked for by each model's own names, and what a model
// isn't to be sent stays with the page.
func TestFurtherParametersByModel(t *testing.T) {
	const figures = `,"seed":-7,"presence_penalty":0.5,"frequency_penalty":-2,"top_k":40`
	const schema = `"name":"answer","schema":{"type":"object"},"strict":true}`
	for _, c := range []struct {
		model, want string // after "stream":true
		warned      int
	}{
		{toldModel, `,"max_tokens":300,"stop":["END","a\nb"],"response_format":{"type":"json_schema","json_schema":{` + schema + `},"reasoning_effort":"low"` + figures, 1},
		{responsesTold, `,"max_output_tokens":300,"text":{"format":{"type":"json_schema",` + schema + `},"reasoning":{"effort":"low"},"seed":-7`, 1},
		{completionModel, `,"max_completion_tokens":300`, 1},
		{"zeta-1", ``, 1},
		{responsesModel, ``, 1},
		{chatModel, `,"max_tokens":300,"stop":["END","a\nb"],"response_format":{"type":"json_schema","json_schema":{` + schema + `},"reasoning_effort":"low"` + figures, 9},
	} {
		b := furtherBench(t)
		b.Lane(0).Choose(c.model)
		b.Lane(0).SetParams(everything())
		ep, body, v := b.Lane(0).Preview("Hi")
		_, rest, _ := strings.Cut(string(body), `"stream":true`)
		rest = strings.TrimPrefix(rest, `,"stream_options":{"include_usage":true}`)
		if want := c.want + `,"logit_bias":{"5":1}}`; rest != want {
			t.Errorf("%s\ngot  %s\nwant %s", c.model, rest, want)
		}
		if !v.OK() || len(v.Warnings) != c.warned {
			t.Errorf("%s: %+v", c.model, v)
		}
		if !b.Send("Hi") {
			t.Fatalf("%s: refused %+v", c.model, b.Shown().Refusal)
		}
		if start := read[wire.Start](t, b.far.take(t, wire.OpStart)); string(start.Body) != string(body) || start.Endpoint != string(ep) {
			t.Errorf("%s: sent %s", c.model, start.Body)
		}
	}
}

func TestFurtherFieldsThatAreOffered(t *testing.T) {
	b := furtherBench(t)
	for model, want := range map[string]string{
		toldModel:       "max_tokens stop response_format reasoning_effort seed presence_penalty frequency_penalty top_k told",
		responsesTold:   "max_tokens response_format reasoning_effort seed told",
		completionModel: "max_tokens told",
		chatModel:       "max_tokens stop response_format reasoning_effort seed presence_penalty frequency_penalty top_k",
		"vendor/seeing": "max_tokens stop response_format reasoning_effort seed presence_penalty frequency_penalty top_k",
		"zeta-1":        "", responsesModel: "",
	} {
		b.Lane(0).Choose(model)
		fields, known := b.Lane(0).Further()
		var got []string
		for _, f := range fields {
			got = append(got, f.Of)
		}
		if known {
			got = append(got, "told")
		}
		if list := strings.Join(got, " "); list != want {
			t.Errorf("%s\ngot  %s\nwant %s", model, list, want)
		}
	}
}

func TestFurtherParametersAreKept(t *testing.T) {
	p := everything()
	b, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var again Params
	if err := json.Unmarshal(b, &again); err != nil {
		t.Fatal(err)
	}
	if second, _ := json.Marshal(again); string(second) != string(b) || again.Set() != 9 {
		t.Errorf("%d set, of %s", again.Set(), second)
	}
	if b, _ := json.Marshal(Params{}); string(b) != "{}" {
		t.Errorf("nothing set is written as %s", b)
	}
	// A copy shares nothing with what it was made of.
	copied := p.clone()
	copied.Figures["seed"], copied.Stop[0] = 1, "other"
	if p.Figures["seed"] != -7 || p.Stop[0] != "END" {
		t.Errorf("%+v", p)
	}
	one := 1.0
	copied.SetFigure("seed", nil)
	copied.SetFigure("top_k", &one)
	if copied.Figure("seed") != nil || *copied.Figure("top_k") != 1 {
		t.Errorf("%+v", copied.Figures)
	}
	var fresh Further
	if fresh.SetFigure("seed", &one); *fresh.Figure("seed") != 1 {
		t.Errorf("%+v", fresh)
	}
}

func TestExtraJSON(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"nothing", " ", ""},
		{"an object", `{"n": 2, "logit_bias": {"A": 1, "b": 2}}`, ""},
		{"other letters within", `{"logit_bias": {"A": 1, "a": 2}}`, `"a" and "A" differ only in case, and a gateway may take one for the other; leave one of them out.`},
		{"half typed", `{"n":`, "The body ends"},
		{"a list", `[1]`, `This must be an object in braces, such as {"user": "me"}, not an array.`},
		{"twice", `{"n": 1, "n": 2}`, `"n" is there twice. Leave one of them out.`},
		{"in other letters", `{"n": 1, "N": 2}`, `"N" is there twice. Leave one of them out.`},
		{"too long", `{"n": "` + strings.Repeat("x", MaxExtra) + `"}`, "This is too long: extra JSON has at most 16 KiB."},
		{"what the page sends", `{"model": "x"}`, "The page sends model itself, so it can’t be here too. Remove one of them."},
		{"what is set above", `{"Seed": 1}`, "The page sends seed itself, so it can’t be here too. Remove one of them."},
		{"a known field with a wrong value", `{"top_k": -1}`, "top_k must be at least 0; it is -1."},
		{"within a field", `{"response_format": {"type": "xml"}}`, "the type of a format is text, json_object or json_schema; it is the string \"xml\"."},
	} {
		b := furtherBench(t)
		b.Lane(0).Choose(toldModel)
		b.Lane(0).SetParams(Params{Further: Further{Figures: map[string]float64{"seed": 5}}})
		got := strings.Join(b.Lane(0).CheckExtra(c.text), " ")
		if c.name == "half typed" {
			if got == "" {
				t.Error("half typed: nothing is said")
			}
		} else if got != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.name, got, c.want)
		}
		// And nothing goes that is refused here.
		b.Lane(0).SetParams(Params{Further: Further{Figures: map[string]float64{"seed": 5}, Extra: c.text}})
		_, _, v := b.Lane(0).Preview("Hi")
		if sent := b.Send("Hi"); sent != (c.want == "") || sent != v.OK() {
			t.Errorf("%s: sent %v, verdict %+v", c.name, sent, v.Errors)
		}
	}
}

// What bounds an answer bounds what it may cost, and what a model can't read is
// warned of.
func TestBoundsOfAnAnswer(t *testing.T) {
	b := furtherBench(t)
	b.Lane(0).Choose(chatModel)
	if e := b.Shown().Estimate(4); !strings.Contains(e.Basis, "answers of 50 to 1\u202f000 tokens") && !strings.Contains(e.Basis, "answers of 50 to 1 000 tokens") {
		t.Errorf("nothing is told: %s", e.Basis)
	}
	b.Lane(0).Choose(toldModel)
	if e := b.Shown().Estimate(4); !strings.Contains(e.Basis, "answers of 50 to 500 tokens") {
		t.Errorf("500 are told: %s", e.Basis)
	}
	for n, want := range map[float64]string{20: "answers of 20 to 20 tokens", 100: "answers of 50 to 100 tokens", 900: "answers of 50 to 500 tokens"} {
		b.Lane(0).SetParams(Params{Further: Further{Figures: map[string]float64{MaxTokens: n}}})
		if e := b.Shown().Estimate(4); !strings.Contains(e.Basis, want) {
			t.Errorf("%v are asked for: %s", n, e.Basis)
		}
	}
	b.Lane(0).SetParams(Params{})
	for n, want := range map[int]string{8000: "", 8100: "and vendor/told reads 2"} {
		if e := b.Shown().Estimate(n); !strings.Contains(e.Over, want) || (e.Over == "") != (want == "") {
			t.Errorf("%d bytes: %q", n, e.Over)
		}
	}
	if _, _, v := b.Lane(0).Preview(strings.Repeat("word ", 1400)); len(v.Warnings) > 0 {
		t.Errorf("a request that fits: %+v", v.Warnings)
	}
	if _, _, v := b.Lane(0).Preview(strings.Repeat("word ", 1700)); len(v.Warnings) != 1 || v.Warnings[0].Fact != "G54" || !v.OK() {
		t.Errorf("a request that doesn't: %+v", v.Warnings)
	}
}

func TestSchemaOfAnAnswer(t *testing.T) {
	for text, want := range map[string]string{
		" ": "Write the JSON Schema the answer must follow.", `{"type": "object"}`: "",
		`{}`: `Line 1: an answer is an object: "type": "object" is missing.`, `{"type": "array"}`: `Line 1: an answer is an object, so the type is "object".`,
	} {
		if got := strings.Join(CheckAnswer(text), " "); got != want {
			t.Errorf("%q: %s", text, got)
		}
	}
}

func TestStopLines(t *testing.T) {
	for text, want := range map[string]string{
		"": `null`, "\n\n": `null`, "END": `["END"]`, "a\n b \r\n": `["a"," b "]`, `a\nb`: `["a\nb"]`, `a\\nb`: `["a\\nb"]`, `\d\t`: `["\\d\t"]`,
	} {
		if got := string(mustJSON(StopLines(text))); got != want {
			t.Errorf("%q: %s", text, got)
		}
	}
	list := []string{"a\nb", `\n`, `\`, "\t", `c:\temp`}
	if got := StopLines(StopText(list)); string(mustJSON(got)) != string(mustJSON(list)) {
		t.Errorf("%q", got)
	}
}
