package sandbox

import (
	"net/http"
	"strings"
	"testing"

	"screentest/shared/gateway"
)

// What the sandbox sends for each text fact and decision, accepted and refused.
// Which bodies are refused, and with which code, is the validator's table as
// well: TestSandboxAgreesWithTheValidator holds the two together.

const hi = `"messages":[{"role":"user","content":"Say hello"}]`

// catalogueWithMore is the sample catalogue and a few lines more.
func catalogueWithMore(t testing.TB) *gateway.Catalogue {
	t.Helper()
	sample := string(gateway.SampleCatalogue().JSON())
	more := `{"id":"vendor/beta-4.9","price":{"input":1,"output":1}},{"id":"vendor/beta-items","family":"beta","endpoint":"responses","input_items":true,"price":{"input":1,"output":1}},`
	i := strings.Index(sample, `"models"`)
	i += strings.Index(sample[i:], "[") + 1
	c, err := gateway.ParseCatalogue([]byte(sample[:i] + more + sample[i:]))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestTextFacts(t *testing.T) {
	r := start(t, Config{Catalogue: catalogueWithMore(t)})
	const epsilon, beta = `"model":"vendor/epsilon-5.6-core"`, `"model":"vendor/beta-4.5"`
	const model = `"model":"vendor/model-a"`
	flat := `[{"type":"function","name":"add","parameters":{"type":"object"}}]`
	nested := `[{"type":"function","function":{"name":"add"}}]`
	for _, c := range []struct {
		name string
		ep   gateway.Endpoint
		body string
		want string // "" is accepted, else the code
	}{
		{"F3 chat is served at its path", gateway.Chat, model + `,` + hi, ""},
		{"F4 responses is served at its path", gateway.Responses, beta + `,"input":"Say hello"`, ""},
		{"F11 an ordinary model takes stream, user, temperature and top_p", gateway.Chat, model + `,` + hi + `,"stream":true,"user":"u","temperature":1,"top_p":1`, ""},
		{"F12 epsilon lite", gateway.Responses, `"model":"vendor/epsilon-5.6-lite","stream":true,"input":"Say hello"`, ""},
		{"F12 epsilon core", gateway.Responses, epsilon + `,"stream":true,"input":"Say hello"`, ""},
		{"F12 epsilon max", gateway.Responses, `"model":"vendor/epsilon-5.6-max","stream":true,"input":"Say hello"`, ""},
		{"F13 epsilon on chat", gateway.Chat, epsilon + `,` + hi, "wrong_endpoint"},
		{"F14 epsilon without stream", gateway.Responses, epsilon + `,"input":"x"`, "stream_required"},
		{"F14 epsilon with stream false", gateway.Responses, epsilon + `,"stream":false,"input":"x"`, "stream_required"},
		{"F15 epsilon with user", gateway.Responses, epsilon + `,"stream":true,"input":"x","user":"u"`, "unsupported_parameter"},
		{"F15 epsilon with an empty user", gateway.Responses, epsilon + `,"stream":true,"input":"x","user":""`, "unsupported_parameter"},
		{"F162 user on epsilon is an error", gateway.Responses, epsilon + `,"stream":true,"input":"x","user":"someone"`, "unsupported_parameter"},
		{"G12 epsilon with user null", gateway.Responses, epsilon + `,"stream":true,"input":"x","user":null`, "unsupported_parameter"},
		{"G12 another null is as absent", gateway.Chat, model + `,` + hi + `,"temperature":null,"user":null,"stream":null`, ""},
		{"F16 epsilon with temperature and top_p", gateway.Responses, epsilon + `,"stream":true,"input":"x","temperature":1.5,"top_p":0.5`, ""},
		{"F17 another beta 4.x that the catalogue has", gateway.Responses, `"model":"vendor/beta-4.9","input":"x"`, ""},
		{"F18 beta on chat", gateway.Chat, beta + `,` + hi, "wrong_endpoint"},
		{"F19 beta without stream, with user and sampling", gateway.Responses, beta + `,"input":"x","user":"u","temperature":0.1,"top_p":0.2`, ""},
		{"F19 beta with stream", gateway.Responses, beta + `,"input":"x","stream":true`, ""},
		{"F20 zeta", gateway.Chat, `"model":"zeta-1",` + hi + `,"stream":false`, ""},
		{"F21 no model", gateway.Chat, hi, "invalid_request"},
		{"F21 model a number", gateway.Chat, `"model":1,` + hi, "invalid_request"},
		{"F22 no messages", gateway.Chat, model, "invalid_request"},
		{"F22 messages empty", gateway.Chat, model + `,"messages":[]`, "invalid_request"},
		{"F23 no role", gateway.Chat, model + `,"messages":[{"content":"x"}]`, "invalid_request"},
		{"F24 content a number", gateway.Chat, model + `,"messages":[{"role":"user","content":1}]`, "invalid_request"},
		{"F25 temperature a string", gateway.Chat, model + `,` + hi + `,"temperature":"1"`, "invalid_request"},
		{"F25 temperature 3", gateway.Chat, model + `,` + hi + `,"temperature":3`, ""},
		{"F26 top_p a string", gateway.Chat, model + `,` + hi + `,"top_p":"1"`, "invalid_request"},
		{"F27 stream a string", gateway.Chat, model + `,` + hi + `,"stream":"true"`, "invalid_request"},
		{"F29 user a number", gateway.Chat, model + `,` + hi + `,"user":1`, "invalid_request"},
		{"F30 zeta with tools", gateway.Chat, `"model":"zeta-1",` + hi + `,"tools":` + nested, ""},
		{"F30 an ordinary model with tools", gateway.Chat, model + `,` + hi + `,"tools":` + nested, ""},
		{"F30 tools that are no array", gateway.Chat, `"model":"zeta-1",` + hi + `,"tools":{}`, "invalid_request"},
		{"F32 no model", gateway.Responses, `"input":"x"`, "invalid_request"},
		{"F33 no input", gateway.Responses, beta, "invalid_request"},
		{"F33 input an array", gateway.Responses, beta + `,"input":[{"role":"user","content":"x"}]`, "invalid_request"},
		{"F33 input empty", gateway.Responses, beta + `,"input":""`, "invalid_request"},
		{"G10 input an array, of a model that takes items", gateway.Responses, `"model":"vendor/beta-items","input":[{"type":"message","role":"user","content":"x"}]`, ""},
		{"F34 messages on responses", gateway.Responses, beta + `,"input":"x",` + hi, "invalid_request"},
		{"F35 stream a number", gateway.Responses, beta + `,"input":"x","stream":1`, "invalid_request"},
		{"F36 user on beta", gateway.Responses, beta + `,"input":"x","user":"u"`, ""},
		{"F37 flat tools", gateway.Responses, epsilon + `,"stream":true,"input":"x","tools":` + flat, ""},
		{"F37 nested tools", gateway.Responses, epsilon + `,"stream":true,"input":"x","tools":` + nested, "invalid_request"},
		{"F38 web_search", gateway.Responses, epsilon + `,"stream":true,"input":"x","tools":[{"type":"web_search"}]`, ""},
		{"F39 beta with tools", gateway.Responses, beta + `,"input":"x","tools":` + flat, ""},
		{"F116 a responses-only model on chat", gateway.Chat, beta + `,` + hi, "wrong_endpoint"},
		{"G3 an unknown model", gateway.Chat, `"model":"acme/unheard-of",` + hi, "model_not_found"},
		{"G5 an ordinary model on responses", gateway.Responses, model + `,"input":"x"`, "wrong_endpoint"},
		{"G5 zeta on responses", gateway.Responses, `"model":"zeta-1","input":"x"`, "wrong_endpoint"},
		{"G5 a video model on chat", gateway.Chat, `"model":"beta-video-720p",` + hi, "wrong_endpoint"},
		{"G6 assistant, tool and developer", gateway.Chat, model + `,"messages":[{"role":"developer","content":"x"},{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c","content":"1"}]`, ""},
		{"G6 content null without tool_calls", gateway.Chat, model + `,"messages":[{"role":"assistant","content":null}]`, "invalid_request"},
		{"G6 content an array", gateway.Chat, model + `,"messages":[{"role":"user","content":[]}]`, "invalid_request"},
		{"G8 temperature on responses", gateway.Responses, beta + `,"input":"x","temperature":1`, ""},
		{"G11 a field nobody knows", gateway.Chat, model + `,` + hi + `,"logit_bias":{"a":1}`, ""},
		{"G42 a duplicate key", gateway.Chat, model + `,"stream":false,"stream":true,` + hi, "invalid_request"},
		{"G42 keys that differ in case", gateway.Chat, model + `,"stream":false,"Stream":true,` + hi, "invalid_request"},
		{"G42 a known key in other letters", gateway.Chat, model + `,"STREAM":true,` + hi, "invalid_request"},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := r.account().Charged
			a := r.post(c.ep, `{`+c.body+`}`)
			if c.want == "" {
				if a.status != http.StatusOK || a.err != nil {
					t.Fatalf("refused: %d %s %v", a.status, a.body, a.err)
				}
				return
			}
			p := a.problem(t)
			if p.code != c.want || a.status != gateway.Status(c.want) || p.flat {
				t.Errorf("status %d, %+v; want the code %s", a.status, p, c.want)
			}
			if after := r.account().Charged; after != before {
				t.Errorf("a refused call cost %d", after-before)
			}
		})
	}
}

// F28: the reply's type follows stream. G7: beta too has one JSON reply.
func TestReplyType(t *testing.T) {
	r := start(t, Config{})
	for _, c := range []struct {
		name string
		ep   gateway.Endpoint
		body string
		want string
	}{
		{"F28 chat, stream false", gateway.Chat, `{"model":"vendor/model-a","stream":false,` + hi + `}`, "application/json"},
		{"F28 chat, stream absent", gateway.Chat, `{"model":"vendor/model-a",` + hi + `}`, "application/json"},
		{"F28 chat, stream true", gateway.Chat, `{"model":"vendor/model-a","stream":true,` + hi + `}`, "text/event-stream; charset=utf-8"},
		{"G7 beta, stream false", gateway.Responses, `{"model":"vendor/beta-4.3","stream":false,"input":"x"}`, "application/json"},
		{"F117 beta, stream true", gateway.Responses, `{"model":"vendor/beta-4.3","stream":true,"input":"x"}`, "text/event-stream; charset=utf-8"},
		{"F50 epsilon streams", gateway.Responses, `{"model":"vendor/epsilon-5.6-lite","stream":true,"input":"x"}`, "text/event-stream; charset=utf-8"},
		{"a JSON reply though a stream was asked for", gateway.Chat, `{"model":"vendor/model-a","stream":true,"messages":[{"role":"user","content":"[[json]] hi"}]}`, "application/json"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := r.post(c.ep, c.body).header.Get("Content-Type"); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// F13, F116: the hint says where the model is.
func TestWrongEndpointHint(t *testing.T) {
	r := start(t, Config{})
	p := r.post(gateway.Chat, `{"model":"vendor/epsilon-5.6-core",`+hi+`}`).problem(t)
	if !strings.Contains(p.message, "/v1/responses") || p.param != "model" || p.kind != "invalid_request_error" {
		t.Errorf("%+v does not name /v1/responses", p)
	}
}

// F16: temperature and top_p have no effect on epsilon; on others they may.
func TestEpsilonIgnoresSampling(t *testing.T) {
	r := start(t, Config{})
	text := func(model, more string) string {
		a := r.post(gateway.Responses, `{"model":"`+model+`","stream":true,"input":"Explain tides"`+more+`}`)
		var b strings.Builder
		for _, e := range events(t, a.body) {
			if strings.HasSuffix(e.name, ".delta") {
				b.WriteString(str(field(t, e.data, "delta")))
			}
		}
		return b.String()
	}
	plain := text("vendor/epsilon-5.6-core", "")
	if plain == "" || plain != text("vendor/epsilon-5.6-core", `,"temperature":1.9,"top_p":0.1`) {
		t.Error("epsilon answers differently with temperature and top_p")
	}
	if text("vendor/beta-4.5", "") == text("vendor/beta-4.5", `,"temperature":1.9`) &&
		text("vendor/beta-4.5", "") == text("vendor/beta-4.5", `,"temperature":0.3`) {
		t.Error("beta answers the same whatever the temperature")
	}
}

// F107: nothing is stored; what a model knows of before is in the request.
func TestHistoryArrivesWithTheRequest(t *testing.T) {
	r := start(t, Config{})
	m, _ := gateway.SampleCatalogue().Lookup("vendor/model-b")
	b, _ := gateway.SampleCatalogue().Lookup("vendor/beta-4.6")
	turns := []gateway.Turn{{Role: "user", Text: "Explain volcanoes"}, {Role: "assistant", Text: "They erupt."}, {Role: "user", Text: "Explain glaciers"}}
	for name, a := range map[string]answered{
		"chat":                     r.post(gateway.Chat, string(m.TextBody(turns, gateway.TextParams{System: "You are a geologist"}))),
		"G10 responses transcript": r.post(gateway.Responses, string(b.TextBody(turns, gateway.TextParams{System: "You are a geologist"}))),
	} {
		for _, want := range []string{"volcanoes", "laciers", "geologist"} {
			if !strings.Contains(string(a.body), want) {
				t.Errorf("%s: the answer does not take up %q: %s", name, want, a.body)
			}
		}
	}
	again := r.post(gateway.Chat, string(m.TextBody(turns[2:], gateway.TextParams{})))
	if strings.Contains(string(again.body), "volcanoes") {
		t.Error("an answer knows what was said in an earlier call")
	}
}
