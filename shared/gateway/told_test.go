package gateway

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// What is told of a model decides how the fields stand that no document has.
func TestG43FieldsAsTheyAreTold(t *testing.T) {
	c, err := ParseCatalogue([]byte(`{"models":[{"id":"v/untold"},{"id":"v/told","takes":["stop","max_completion_tokens"]},
		{"id":"v/responses","endpoint":"responses","takes":["seed","text"]},{"id":"zeta-1"},{"id":"v/epsilon-5.6-core"},{"id":"v/beta-4.3"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{
		"v/untold":           "max_tokens? stop? response_format? reasoning_effort? seed? presence_penalty? frequency_penalty? top_k?",
		"v/told":             "max_tokens? max_completion_tokens stop response_format? reasoning_effort? seed? presence_penalty? frequency_penalty? top_k?",
		"v/responses":        "max_output_tokens? text reasoning? seed",
		"zeta-1":             "",
		"v/epsilon-5.6-core": "",
		"v/beta-4.3":         "",
	} {
		m, _ := c.Lookup(id)
		var got []string
		for _, f := range m.Fields(m.Mode) {
			switch {
			case !contains(takeNames, f.Name) || f.Name == "tools" || f.Name == "stream_options":
			case f.Standing == Undocumented:
				got = append(got, f.Name+"?")
			case f.Standing == Optional:
				got = append(got, f.Name)
			default:
				t.Errorf("%s: %s is %s", id, f.Name, f.Standing)
			}
		}
		if list := strings.Join(got, " "); list != want {
			t.Errorf("%s\ngot  %s\nwant %s", id, list, want)
		}
	}
}

func TestFurtherFieldsOfABody(t *testing.T) {
	strict := Format{Type: "json_schema", Name: "answer", Schema: json.RawMessage(`{"type": "object"}`), Strict: true}
	for _, x := range []struct {
		name, model string
		p           TextParams
		want        string // the body's end
	}{
		{"in their order", takesAll, TextParams{More: []Member{{"seed", []byte(`7`)}, {"stop", []byte(`["a < b"]`)}}}, `"stream":false,"seed":7,"stop":["a < b"]}`},
		{"the extra ones last", takesAll, TextParams{More: []Member{{"seed", []byte(`7`)}}, Extra: []byte(" {\n \"logit_bias\": {\"5\": 1e2}, \"n\": 2 }\n")}, `"seed":7,"logit_bias":{"5":1e2},"n":2}`},
		{"an extra object with nothing in it", takesAll, TextParams{Extra: []byte(`{ }`)}, `"stream":false}`},
		{"one that is no object", takesAll, TextParams{Extra: []byte(`["}"]`)}, `"stream":false}`},
		{"one that is half typed", takesAll, TextParams{Extra: []byte(`{"a":`)}, `"stream":false}`},
		{"a value half typed", takesAll, TextParams{More: []Member{{"seed", []byte(`7,`)}}}, `"stream":false,"seed":"7,"}`},
		{"a schema on chat", takesAll, TextParams{More: []Member{strict.Member(Chat)}}, `"response_format":{"type":"json_schema","json_schema":{"name":"answer","schema":{"type":"object"},"strict":true}}}`},
		{"a schema on responses", "vendor/beta-4.3", TextParams{More: []Member{strict.Member(Responses)}}, `"text":{"format":{"type":"json_schema","name":"answer","schema":{"type":"object"},"strict":true}}}`},
		{"no schema yet", takesAll, TextParams{More: []Member{Format{Type: "json_schema", Name: "answer", Schema: json.RawMessage("")}.Member(Chat)}}, `"response_format":{"type":"json_schema","json_schema":{"name":"answer","strict":false}}}`},
		{"JSON on responses", "vendor/beta-4.3", TextParams{More: []Member{Format{Type: "json_object"}.Member(Responses)}}, `"text":{"format":{"type":"json_object"}}}`},
	} {
		m := model(t, x.model)
		body := m.TextBody([]Turn{{Role: "user", Text: "Hi"}}, x.p)
		if !json.Valid(body) || !strings.HasSuffix(string(body), x.want) {
			t.Errorf("%s\ngot  %s\nwant …%s", x.name, body, x.want)
		}
	}
	// What is there already is there twice, and refused.
	m := model(t, takesAll)
	for _, extra := range []string{`{"model":"other"}`, `{"STREAM":true}`, `{"messages":[]}`} {
		body := m.TextBody([]Turn{{Role: "user", Text: "Hi"}}, TextParams{Extra: []byte(extra)})
		if v := SampleCatalogue().Validate(Chat, body, Options{}); v.OK() || v.Errors[0].Fact != "G42" {
			t.Errorf("%s: %+v", extra, v)
		}
	}
}

// Whatever is put beside a request, the body is JSON, and what was in it stands
// as it was.
func TestFurtherFieldsKeepTheBody(t *testing.T) {
	m := model(t, takesAll)
	turns := []Turn{{Role: "user", Text: "Hi"}}
	plain := strings.TrimSuffix(string(m.TextBody(turns, TextParams{})), "}")
	rapid.Check(t, func(t *rapid.T) {
		extra := rapid.OneOf(rapid.String(), rapid.Map(rapid.MapOf(rapid.String(), rapid.String()), func(m map[string]string) string {
			b, _ := json.Marshal(m)
			return string(b)
		})).Draw(t, "extra")
		body := m.TextBody(turns, TextParams{Extra: []byte(extra), More: []Member{{rapid.String().Draw(t, "name"), []byte(rapid.String().Draw(t, "value"))}}})
		if !json.Valid(body) || !strings.HasPrefix(string(body), plain) {
			t.Fatalf("%s", body)
		}
	})
}

func TestG47Bound(t *testing.T) {
	m := model(t, takesAll)
	for body, want := range map[string]int64{
		`{"max_tokens":5}`: 5, `{"max_completion_tokens":6}`: 6, `{"max_output_tokens":7}`: 7, `{"max_tokens":5,"n":3}`: 15, `{"max_tokens":-5,"n":-1}`: 0,
		`{"max_tokens":9000000000000000000,"n":9000000000000000000}`: 1 << 60, `{}`: 0, `{"max_tokens":"5"}`: 0, `x`: 0,
	} {
		got, kept := m.Bound([]byte(body))
		if got != want || kept != (strings.Contains(body, "max_tokens") && want > 0) {
			t.Errorf("%s: %d, %v", body, got, kept)
		}
	}
	if n, kept := model(t, plain).Bound([]byte(`{"max_tokens":5}`)); n != 5 || kept {
		t.Errorf("a model that isn't known to take it: %d, %v", n, kept)
	}
}
