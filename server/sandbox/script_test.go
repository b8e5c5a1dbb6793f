package sandbox

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"screentest/shared/gateway"
)

func TestReadScript(t *testing.T) {
	for _, c := range []struct {
		prompt string
		want   script
		rest   string
	}{
		{"plain text", script{}, "plain text"},
		{"[[slow]] hi", script{slow: true}, "hi"},
		{"a [[fail: no luck]] b [[NO-USAGE]]", script{fail: "no luck", noUsage: true}, "a b"},
		{"[[fail]]", script{fail: "the script asked for it"}, ""},
		{"[[repeat: 5]][[pace:100]]", script{repeat: 5, pace: 100}, ""},
		{"[[repeat: 0]] [[repeat: x]] [[repeat: 1000001]]", script{}, "[[repeat: 0]] [[repeat: x]] [[repeat: 1000001]]"},
		{"[[status: 429]]", script{status: 429}, ""},
		{"[[status: 200]] [[status: 600]]", script{}, "[[status: 200]] [[status: 600]]"},
		{"[[status: 502]]", script{status: 502, statusBody: "html"}, ""},
		{"[[status: 429 empty]]", script{status: 429, statusBody: "empty"}, ""},
		{"[[status: 429 loud]]", script{}, "[[status: 429 loud]]"},
		{"a [[b]] c [[slow", script{}, "a [[b]] c [[slow"},
		{"[[ [[slow]]", script{slow: true}, "[["},
		{"line\n\n[[markdown]]\nline", script{markdown: true}, "line\n\n\nline"},
		{"[[call: f]] [[poll: 500]] [[expire]]", script{call: "f", poll: 500, expire: true}, ""},
		{"[[" + strings.Repeat("x", 10000) + "]]", script{}, "[[" + strings.Repeat("x", 10000) + "]]"},
	} {
		got, rest := readScript(c.prompt)
		if got != c.want || rest != c.rest {
			t.Errorf("%.60q: %+v, %.60q; want %+v, %.60q", c.prompt, got, rest, c.want, c.rest)
		}
	}
}

// said is what a stream or a JSON reply says.
type said struct {
	text, reasoning string
	kinds           []string // of the events, deltas once
	last            string
	finish          string
	usage           bool
}

func (r *rig) say(t *testing.T, model, prompt string, stream bool) (said, answered) {
	t.Helper()
	quoted, err := json.Marshal(prompt)
	if err != nil {
		t.Fatal(err)
	}
	m, _ := gateway.SampleCatalogue().Lookup(model)
	var a answered
	if m.Endpoint == gateway.Chat {
		a = r.post(gateway.Chat, fmt.Sprintf(`{"model":%q,"stream":%v,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":%s}]}`, model, stream, quoted))
	} else {
		a = r.post(gateway.Responses, fmt.Sprintf(`{"model":%q,"stream":%v,"input":%s}`, model, stream, quoted))
	}
	var s said
	if !strings.HasPrefix(a.header.Get("Content-Type"), "text/event-stream") {
		if a.status == http.StatusOK && a.err == nil && json.Valid(a.body) {
			s.text = str(field(t, string(a.body), "choices.0.message.content")) + str(field(t, string(a.body), "output.0.content.0.text")) + str(field(t, string(a.body), "output.1.content.0.text"))
			s.usage = field(t, string(a.body), "usage") != nil
			s.finish = str(field(t, string(a.body), "choices.0.finish_reason")) + str(field(t, string(a.body), "status"))
		}
		return s, a
	}
	body := a.body
	if a.err != nil { // half an event at the end may have been lost
		body = body[:strings.LastIndex(string(body), "\n\n")+2]
	}
	for _, e := range events(t, body) {
		kind := e.name
		if e.data == "[DONE]" {
			kind = "[DONE]"
		} else if kind == "" {
			s.text += str(field(t, e.data, "choices.0.delta.content"))
			s.reasoning += str(field(t, e.data, "choices.0.delta.reasoning_content"))
			if f := str(field(t, e.data, "choices.0.finish_reason")); f != "" {
				s.finish = f
			}
			kind = "chunk"
			if field(t, e.data, "error") != nil {
				kind = "error"
			}
			s.usage = s.usage || field(t, e.data, "usage") != nil
		}
		if kind == "response.output_text.delta" {
			s.text += str(field(t, e.data, "delta"))
		}
		if kind == "response.reasoning_summary_text.delta" {
			s.reasoning += str(field(t, e.data, "delta"))
		}
		if n := len(s.kinds); n == 0 || s.kinds[n-1] != kind {
			s.kinds = append(s.kinds, kind)
		}
		s.last = kind
		s.usage = s.usage || field(t, strings.ReplaceAll(e.data, "[DONE]", "{}"), "response.usage") != nil
	}
	return s, a
}

var styles = []struct{ name, model string }{
	{"chat", "vendor/model-a"}, {"zeta", "zeta-1"}, {"beta", "vendor/beta-4.5"}, {"epsilon", "vendor/epsilon-5.6-core"},
}

// TestTextScript: what each word does to a stream of every style.
func TestTextScript(t *testing.T) {
	r := start(t, Config{})
	for _, style := range styles {
		chat := style.name == "chat" || style.name == "zeta"
		whole, _ := r.say(t, style.model, "Explain tides", true)
		end := map[bool]string{true: "[DONE]", false: "response.completed"}[chat]
		if whole.text == "" || whole.last != end || !whole.usage {
			t.Fatalf("%s: %+v", style.name, whole)
		}
		for _, c := range []struct {
			words      string
			last       string // "" for what is there after half the text
			half, cut  bool   // half of the text; the connection breaks
			cost       bool
			otherwords bool // another text altogether
		}{
			{"[[fail: no luck]] Explain tides", map[bool]string{true: "[DONE]", false: "response.failed"}[chat], true, false, false, false},
			{"[[error]] Explain tides", map[bool]string{true: "error", false: "response.failed"}[chat], true, false, false, false},
			{"[[incomplete]] Explain tides", map[bool]string{true: "[DONE]", false: "response.incomplete"}[chat], true, false, true, false},
			{"[[drop]] Explain tides", "", true, true, true, false},
			{"[[truncate]] Explain tides", "", true, false, true, false},
			{"[[no-usage]] Explain tides", end, false, false, true, false},
			{"[[repeat: 150]]", end, false, false, true, true},
			{"[[markdown]]", end, false, false, true, true},
			{"[[echo]] <script>alert(1)</script>", end, false, false, true, true},
		} {
			t.Run(style.name+" "+c.words, func(t *testing.T) {
				before := r.account()
				got, a := r.say(t, style.model, c.words, true)
				if (a.err != nil) != c.cut {
					t.Fatalf("the connection: %v", a.err)
				}
				switch {
				case c.half && (got.text == "" || len(got.text) >= len(whole.text) || !strings.HasPrefix(whole.text, got.text)):
					t.Errorf("not the first half of the answer: %q", got.text)
				case !c.half && !c.otherwords && got.text != whole.text:
					t.Errorf("another text: %q", got.text)
				}
				if c.last != "" && got.last != c.last {
					t.Errorf("ends with %s, want %s", got.last, c.last)
				}
				if c.last == "" && (got.last == "[DONE]" || got.last == "response.completed" || strings.HasPrefix(got.finish, "stop")) {
					t.Errorf("has an end mark: %+v", got.kinds)
				}
				after := r.account()
				if (after.Charged > before.Charged) != c.cost {
					t.Errorf("charged %d", after.Charged-before.Charged)
				}
				if strings.Contains(c.words, "no-usage") == got.usage && !c.half {
					t.Errorf("usage reported: %v", got.usage)
				}
			})
		}
		if got, _ := r.say(t, style.model, "[[echo]] <script>alert(1)</script>", true); got.text != "<script>alert(1)</script>" {
			t.Errorf("%s [[echo]]: %q", style.name, got.text)
		}
		if got, _ := r.say(t, style.model, "[[repeat: 150]]", true); len(strings.Fields(got.text)) != 150 {
			t.Errorf("%s [[repeat: 150]]: %d words", style.name, len(strings.Fields(got.text)))
		}
		if got, _ := r.say(t, style.model, "[[markdown]] [[repeat: 900]]", true); len(strings.Fields(got.text)) != 900 || strings.Count(got.text, "# Every Markdown feature") < 2 {
			t.Errorf("%s: Markdown of 900 words has %d", style.name, len(strings.Fields(got.text)))
		}
		if got, _ := r.say(t, style.model, "[[reasoning]] Explain tides", true); got.reasoning == "" {
			t.Errorf("%s [[reasoning]]: none", style.name)
		}
		if got, _ := r.say(t, style.model, "Explain tides", true); (got.reasoning != "") != (style.name == "epsilon") {
			t.Errorf("%s reasons unasked: %q", style.name, got.reasoning)
		}
	}
}

// TestTextScriptWhole: the same words where the reply is one piece of JSON.
func TestTextScriptWhole(t *testing.T) {
	r := start(t, Config{})
	for _, style := range styles[:3] {
		chat := style.name != "beta"
		whole, _ := r.say(t, style.model, "Explain tides", false)
		streamed, _ := r.say(t, style.model, "Explain tides", true)
		if whole.text == "" || whole.text != streamed.text {
			t.Errorf("%s: streamed and whole texts differ", style.name)
		}
		if s, a := r.say(t, style.model, "[[fail: no luck]] Explain tides", false); chat {
			if p := a.problem(t); a.status != 500 || p.message != "no luck" {
				t.Errorf("%s [[fail]]: %d %s", style.name, a.status, a.body)
			}
		} else if s.finish != "failed" || str(field(t, string(a.body), "error.message")) != "no luck" {
			t.Errorf("%s [[fail]]: %s", style.name, a.body)
		}
		if _, a := r.say(t, style.model, "[[error]] Explain tides", false); a.status != 500 || a.problem(t).code != "server_error" {
			t.Errorf("%s [[error]]: %d %s", style.name, a.status, a.body)
		}
		if s, _ := r.say(t, style.model, "[[incomplete]] Explain tides", false); s.finish != map[bool]string{true: "length", false: "incomplete"}[chat] || !strings.HasPrefix(whole.text, s.text) {
			t.Errorf("%s [[incomplete]]: %+v", style.name, s)
		}
		if _, a := r.say(t, style.model, "[[drop]] Explain tides", false); a.err == nil {
			t.Errorf("%s [[drop]]: the connection held", style.name)
		}
		if _, a := r.say(t, style.model, "[[truncate]] Explain tides", false); a.err != nil || json.Valid(a.body) || len(a.body) == 0 {
			t.Errorf("%s [[truncate]]: %v %s", style.name, a.err, a.body)
		}
		if s, _ := r.say(t, style.model, "[[no-usage]] Explain tides", false); s.usage || s.text != whole.text {
			t.Errorf("%s [[no-usage]]: %+v", style.name, s)
		}
	}
}

// TestStatusScript: the status comes once for the same body, and again after
// ten minutes.
func TestStatusScript(t *testing.T) {
	r := start(t, Config{})
	body := func(word string) string {
		return `{"model":"vendor/model-a","messages":[{"role":"user","content":"` + word + ` hi"}]}`
	}
	for _, c := range []struct {
		word     string
		status   int
		kind     string
		contains string
	}{
		{"[[status: 400]]", 400, "application/json", "invalid_request"},
		{"[[status: 401]]", 401, "application/json", "Invalid token"},
		{"[[status: 403]]", 403, "application/json", "insufficient_user_quota"},
		{"[[status: 429]]", 429, "application/json", "rate_limit"},
		{"[[status: 429 empty]]", 429, "", ""},
		{"[[status: 500]]", 500, "application/json", "server_error"},
		{"[[status: 501]]", 501, "application/json", "error"},
		{"[[status: 502]]", 502, "text/html", "<h1>502 Bad Gateway</h1>"},
		{"[[status: 503]]", 503, "application/json", "model_not_found"},
		{"[[status: 504]]", 504, "text/html", "Gateway Timeout"},
		{"[[status: 500 html]]", 500, "text/html", "<html>"},
	} {
		a := r.post(gateway.Chat, body(c.word))
		if a.status != c.status || a.header.Get("Content-Type") != c.kind || !strings.Contains(string(a.body), c.contains) {
			t.Errorf("%s: %d %s %s", c.word, a.status, a.header.Get("Content-Type"), a.body)
		}
		if a.status == 429 && a.header.Get("Retry-After") == "" && c.kind != "" {
			t.Errorf("%s: no Retry-After", c.word)
		}
		if a := r.post(gateway.Chat, body(c.word)); a.status != http.StatusOK {
			t.Errorf("%s, the second time: %d", c.word, a.status)
		}
		if a := r.post(gateway.Chat, body(c.word)); a.status != http.StatusOK {
			t.Errorf("%s, the third time: %d", c.word, a.status)
		}
	}
	r.clock.advance(onceFor)
	if a := r.post(gateway.Chat, body("[[status: 500]]")); a.status != 500 {
		t.Errorf("after ten minutes: %d", a.status)
	}
	if n := len(r.account().Entries); n != 22 {
		t.Errorf("%d charges, want one for each call that was answered", n)
	}
}

func TestOnceIsBounded(t *testing.T) {
	var o once
	now := time.Unix(0, 0)
	for i := range 3 * maxOnce {
		if !o.first(now.Add(time.Duration(i)), "/", "k", fmt.Appendf(nil, "%d", i)) {
			t.Fatal("a new body is known")
		}
	}
	if len(o.seen) > maxOnce {
		t.Errorf("%d are remembered", len(o.seen))
	}
	if o.first(now.Add(time.Second), "/", "k", fmt.Appendf(nil, "%d", 3*maxOnce-1)) {
		t.Error("the newest is forgotten")
	}
}

// TestSilent: nothing more comes after half the text, until the client leaves.
func TestSilent(t *testing.T) {
	r := start(t, Config{})
	for _, ep := range []gateway.Endpoint{gateway.Chat, gateway.Responses} {
		body := `{"model":"vendor/model-a","stream":true,"messages":[{"role":"user","content":"[[silent]] [[repeat: 20]]"}]}`
		if ep == gateway.Responses {
			body = `{"model":"vendor/beta-4.5","stream":true,"input":"[[silent]] [[repeat: 20]]"}`
		}
		client := *r.http.Client()
		client.Timeout = 300 * time.Millisecond
		req, err := http.NewRequest("POST", r.http.URL+ep.Path(), strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+DefaultKey)
		req.Header.Set("Content-Type", "application/json")
		reply, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		var n int
		b := make([]byte, 4096)
		for err == nil {
			var k int
			k, err = reply.Body.Read(b)
			n += k
		}
		_ = reply.Body.Close()
		if timeout, ok := err.(interface{ Timeout() bool }); !ok || !timeout.Timeout() || n == 0 {
			t.Errorf("%s: %d bytes, then %v", ep, n, err)
		}
	}
}
