package sandbox

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"screentest/shared/gateway"
)

// Nothing that can be sent grows without bound: bodies, nesting and counts have
// limits, each with its error.
func TestLimits(t *testing.T) {
	r := start(t, Config{})
	deep := `{"model":"vendor/model-a",` + hi + `,"x":` + strings.Repeat("[", 10000) + strings.Repeat("]", 10000) + `}`
	wide := `{"model":"vendor/model-a",` + hi + `,"x":[` + strings.Repeat("0,", 300_000) + `0]}`
	large := `{"model":"vendor/model-a","messages":[{"role":"user","content":"` + strings.Repeat("x", maxBody) + `"}]}`
	for _, c := range []struct {
		name, body string
		status     int
	}{
		{"too large", large, http.StatusRequestEntityTooLarge},
		{"too deep", deep, http.StatusBadRequest},
		{"too many values", wide, http.StatusBadRequest},
		{"empty", "", http.StatusBadRequest},
		{"not JSON", "hello", http.StatusBadRequest},
		{"an array", "[]", http.StatusBadRequest},
		{"null", "null", http.StatusBadRequest},
		{"not Unicode", "{\"model\":\"\xff\"}", http.StatusBadRequest},
	} {
		for _, ep := range []gateway.Endpoint{gateway.Chat, gateway.Responses, gateway.Video} {
			t.Run(c.name+" on "+string(ep), func(t *testing.T) {
				a := r.do("POST", ep.Path(), c.body, "Content-Type", "application/json")
				p := a.problem(t)
				if a.status != c.status || p.code == "" || p.message == "" || p.flat != (ep == gateway.Video) {
					t.Errorf("%d %.300s", a.status, a.body)
				}
			})
		}
	}
}

// Requests as large as they may be, made to be expensive, are answered: each of
// these would take hours in a reader that goes over the same bytes again and
// again.
func TestExpensiveRequests(t *testing.T) {
	r := start(t, Config{Balance: 1 << 60})
	const size = maxBody - 1000
	chat := func(messages, tools string) string {
		return `{"model":"zeta-1","messages":[` + messages + `],"tools":[` + tools + `]}`
	}
	times := func(s string, limit int) string { return strings.TrimSuffix(strings.Repeat(s, limit/len(s)), ",") }
	for name, c := range map[string]struct {
		ep   gateway.Endpoint
		body string
	}{
		"open brackets":   {gateway.Chat, chat(`{"role":"user","content":"`+times("[[", size)+`"}`, "")},
		"empty words":     {gateway.Chat, chat(`{"role":"user","content":"`+times("[[]]", size)+`"}`, "")},
		"paragraphs":      {gateway.Responses, `{"model":"vendor/beta-4.3","input":"User: ` + times(`\n\n`, size) + `"}`},
		"speakers":        {gateway.Responses, `{"model":"vendor/beta-4.3","input":"` + times(`User: a\n\n`, size) + `"}`},
		"calls":           {gateway.Responses, `{"model":"vendor/beta-4.3","input":"` + times(`Assistant called f() [x]\n\n`, size) + `"}`},
		"system messages": {gateway.Chat, chat(times(`{"role":"system","content":"`+times("x", 300)+`"},`, size), "")},
		"backticks":       {gateway.Chat, chat(`{"role":"user","content":"x"},{"role":"tool","tool_call_id":"c","content":"`+times("`", size)+`"}`, "")},
		"tools and a prompt": {gateway.Chat, chat(`{"role":"user","content":"use `+times("x", size/2)+`"}`,
			times(`{"type":"function","function":{"name":"xxxxxxxxxxxxxxxy","description":"`+times("x", 200)+`"}},`, size/2))},
		"a wide schema": {gateway.Chat, chat(`{"role":"user","content":"use f"}`, `{"type":"function","function":{"name":"f","parameters":`+
			wideSchema(5)+`}}`)},
		"say": {gateway.Chat, chat(`{"role":"user","content":"say `+times(" ", size)+`"}`, "")},
	} {
		t.Run(name, func(t *testing.T) {
			if a := r.post(c.ep, c.body); a.status != http.StatusOK {
				t.Errorf("%d %.300s", a.status, a.body)
			}
		})
	}
}

// wideSchema is a JSON Schema of objects within objects, twelve properties each.
func wideSchema(depth int) string {
	if depth == 0 {
		return `{"type":"string"}`
	}
	var b strings.Builder
	b.WriteString(`{"type":"object","properties":{`)
	for i := range 12 {
		if i > 0 {
			b.WriteByte(',')
		}
		n := depth - 1
		if i > 3 {
			n = 0
		}
		fmt.Fprintf(&b, `"p%d":%s`, i, wideSchema(n))
	}
	return b.String() + "}}"
}
