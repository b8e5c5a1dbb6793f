package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// parameters opens the drawer at the parameters of a model.
func (p *page) parameters(model string) {
	p.w.t.Helper()
	p.choose(model)
	if !p.has("#tab-params") {
		p.click("#inspector")
	}
	p.click("#tab-params")
	p.wait(fmt.Sprintf(`document.querySelector(".params-model")?.textContent === %q`, model))
}

// faults waits for what is said below a parameter, "" for nothing.
func (p *page) faults(name, words string) {
	p.w.t.Helper()
	p.wait(fmt.Sprintf(`(() => { const said = document.querySelector("#check-%s").textContent; return %q === "" ? said === "" : said.includes(%q) })()`, name, words, words))
	p.wait(fmt.Sprintf(`document.querySelector("#param-%s").getAttribute("aria-invalid") !== %q`, name, fmt.Sprint(words == "")))
}

// furtherBody is what every further parameter is in a request.
const furtherBody = `"max_tokens":400,"stop":["THE END","a\nb"],"response_format":{"type":"json_schema","json_schema":{"name":"weather",` +
	`"schema":{"type":"object","properties":{"city":{"type":"string"}}},"strict":false}},"reasoning_effort":"low",` +
	`"seed":-7,"presence_penalty":0.5,"frequency_penalty":-1.25,"top_k":40,"logit_bias":{"50256":-100}}`

// setsAll sets every further parameter, as a person does.
func (p *page) setsAll() {
	p.w.t.Helper()
	for name, text := range map[string]string{"max_tokens": "400", "seed": "-7", "presence_penalty": "0,5", "frequency_penalty": "-1.25", "top_k": "40",
		"stop": "THE END\ra\\nb", "extra": `{"logit_bias": {"50256": -100}}`} {
		p.fill("#param-"+name, text)
		p.faults(name, "")
	}
	p.choice("#param-reasoning_effort", "low")
	p.choice("#param-response_format", "json_schema")
	p.wait(`!!document.querySelector("#param-schema")`)
	p.fill("#param-schema-name", "weather")
	p.fill("#param-schema", `{"type": "object", "properties": {"city": {"type": "string"}}}`)
	p.faults("schema", "")
	p.click("#param-strict")
	p.wait(`!document.querySelector("#param-strict").checked`)
}

// A model that is told to take everything is offered everything; what is set is
// in the request to the byte, there and at the gateway, after a reload and from
// saved settings too.
func TestEveryParameterThatAModelIsToldToTake(t *testing.T) {
	t.Parallel()
	sandbox := startSandbox(t)
	w := newWorld(t, sandbox.URL)
	p := w.keyed("/")
	p.parameters("vendor/model-b")
	p.wait(`document.querySelector(".params").textContent.includes("Model B · reads 128")`)
	if p.has("#params-more") {
		t.Error("what is told is folded")
	}
	p.setsAll()
	body := func() {
		t.Helper()
		p.click("#tab-request")
		p.click("#request-exact")
		p.wait(fmt.Sprintf(`document.querySelector("#request-body").textContent.endsWith(%q)`, furtherBody))
	}
	body()
	p.click("#tab-params")
	p.click("#saved-settings")
	p.fill("#entry-name", "All of it\r")
	p.wait(`!!document.querySelector('.function[data-name="All of it"]')`)
	p.keys("\x1b")
	p.wait(`!document.querySelector("#library").open`)
	p.send("[[repeat: 20]] hello")
	p.settled()
	p.reload()
	p.wait(last + `?.dataset.state === "done"`)
	body()
	p.send("[[repeat: 20]] again")
	p.settled()

	// From saved settings, in another conversation.
	p.open("/")
	p.press("#reset-params") // they were kept from the conversation before
	p.parameters("vendor/model-b")
	p.holds("#param-max_tokens", "")
	p.click("#saved-settings")
	p.click(`.function[data-name="All of it"] .library-use`)
	p.holds("#param-max_tokens", "400")
	p.holds("#param-stop", "THE END\na\\nb")
	p.holds("#param-schema-name", "weather")
	body()
	p.send("[[repeat: 20]] third")
	p.settled()
	sent := 0
	for _, r := range record(t, sandbox) {
		if strings.Contains(r.Body, "hello") || strings.Contains(r.Body, "third") {
			sent++
			if r.Status != 200 || !strings.HasSuffix(r.Body, furtherBody) {
				t.Errorf("%d: %s", r.Status, r.Body)
			}
		}
	}
	if sent != 3 {
		t.Errorf("%d requests", sent)
	}
}

// Of a model of which nothing is told they are folded, with a word of doubt; a
// model with a contract has none of them, and is sent none.
func TestParametersThatAModelIsNotKnownToTake(t *testing.T) {
	t.Parallel()
	sandbox := startSandbox(t)
	w := newWorld(t, sandbox.URL)
	p := w.keyed("/")
	p.parameters("vendor/model-a")
	p.wait(`document.querySelector("#params-more:not([open])") && !document.querySelector("#param-max_tokens").checkVisibility()`)
	p.click("#params-more > summary")
	p.wait(`document.querySelector("#params-more").textContent.includes("may not support these")`)
	p.fill("#param-max_tokens", "30")
	p.wait(`document.querySelector("#params-more > summary").textContent === "More parameters1 set"`)
	p.click("#tab-request")
	p.click("#request-exact")
	p.wait(`document.querySelector("#request-body").textContent.endsWith('"max_tokens":30}')`)
	p.writes("#composer", "[[repeat: 20]] hello")
	p.wait(`document.querySelector("#verdict").textContent.includes("isn't known to take max_tokens")`)
	for _, model := range []string{"zeta-1", "vendor/epsilon-5.6-core", "vendor/beta-4.6"} {
		p.parameters(model)
		p.wait(`!document.querySelector("#param-max_tokens") && !document.querySelector("#params-more") && !!document.querySelector("#param-extra")`)
		p.click("#tab-request")
		p.wait(fmt.Sprintf(`(t => t.includes(%q) && !t.includes("max_"))(document.querySelector("#request-body").textContent)`, model))
	}
}

// What can't be sent is said beside its field, and isn't sent.
func TestMistakesInFurtherParameters(t *testing.T) {
	t.Parallel()
	sandbox := startSandbox(t)
	w := newWorld(t, sandbox.URL)
	p := w.keyed("/")
	p.parameters("vendor/model-b")
	for _, c := range []struct{ name, text, want string }{
		{"max_tokens", "many", "This isn’t a number."},
		{"max_tokens", "1.5", "a whole number."},
		{"max_tokens", "0", "It must be at least 1."},
		{"max_tokens", "", ""},
		{"presence_penalty", "3", "It must be from -2 to 2"},
		{"presence_penalty", "", ""},
		{"stop", "a\nb\nc\nd\ne", "These are 5. At most 4 can be sent."},
		{"stop", "", ""},
		{"extra", `{"n": `, "."},
		{"extra", `[]`, "This must be an object in braces"},
		{"extra", `{"model": "x"}`, "The page sends model itself"},
		{"extra", `{"top_k": -1}`, "top_k must be at least 0"},
	} {
		p.writes("#param-"+c.name, c.text)
		p.faults(c.name, c.want)
	}
	// An extra field that can't be sent keeps the draft where it is.
	p.writes("#param-extra", `{"n": `)
	p.writes("#composer", "[[repeat: 20]] hello")
	p.click("#send")
	p.wait(`document.body.textContent.includes("Fix it in Parameters or empty it.")`)
	p.holds("#composer", "[[repeat: 20]] hello")
	p.writes("#param-extra", "")
	p.choice("#param-response_format", "json_schema")
	p.wait(`!!document.querySelector("#param-schema")`)
	p.faults("schema", "Write the JSON Schema the answer must follow.")
	p.writes("#param-schema", "{\n\"type\": \"object\", \"required\": [\"city\"]}")
	p.faults("schema", `Line 2: required names "city", which is no property.`)
	p.writes("#param-schema-name", "two words")
	p.faults("schema-name", "Use up to 64 letters")
	p.writes("#param-schema-name", "")
	p.writes("#param-schema", `{"type": "object"}`)
	p.faults("schema", "")
	p.click("#send")
	p.settled()
	for _, r := range record(t, sandbox) {
		if strings.Contains(r.Body, "hello") && (r.Status != 200 || !strings.Contains(r.Body, `"name":"answer"`) || strings.Contains(r.Body, `"n":`)) {
			t.Errorf("%d: %s", r.Status, r.Body)
		}
	}
}

// A catalogue that tells how much a model reads has the page warn of more; an
// answer's bound is asked for by the model's own name, on responses too.
func TestMoreThanAModelReads(t *testing.T) {
	t.Parallel()
	sandbox := startSandbox(t)
	catalogue := filepath.Join(t.TempDir(), "catalogue.json")
	const models = `{"models": [{"id": "vendor/small", "name": "Small one", "context": 50, "max_output": 20, "takes": ["max_completion_tokens"]},
		{"id": "vendor/flat", "endpoint": "responses", "takes": ["max_output_tokens", "text", "reasoning"]}]}`
	if err := os.WriteFile(catalogue, []byte(models), 0o600); err != nil {
		t.Fatal(err)
	}
	w := newWorldWith(t, sandbox.URL, "-catalog", catalogue)
	p := w.keyed("/")
	p.parameters("vendor/small")
	p.wait(`document.querySelector(".params").textContent.includes("Small one · reads 50 tokens · writes up to 20")`)
	p.writes("#composer", strings.Repeat("word ", 30))
	p.wait(`!document.querySelector("#over-context").checkVisibility() && document.querySelector("#estimate").textContent.includes("tokens in")`)
	p.writes("#composer", strings.Repeat("word ", 60))
	p.wait(`document.querySelector("#over-context").checkVisibility() && document.querySelector("#over-context").textContent.includes("vendor/small reads 50 at most")`)
	p.fill("#param-max_tokens", "30")
	p.wait(`document.querySelectorAll(".params-further .params-number").length === 1`)
	p.click("#tab-request")
	p.click("#request-exact")
	p.wait(`document.querySelector("#request-body").textContent.endsWith('"max_completion_tokens":30}')`)
	p.wait(`(t => t.includes("writes 20 tokens at most") && t.includes("reads 50 at most"))(document.querySelector("#verdict").textContent)`)
	p.writes("#composer", "")
	p.wait(`!document.querySelector("#over-context").checkVisibility()`)

	p.parameters("vendor/flat")
	p.choice("#param-response_format", "json_object")
	p.choice("#param-reasoning_effort", "high")
	p.click("#tab-request")
	p.wait(`document.querySelector("#request-body").textContent.endsWith('"max_output_tokens":30,"text":{"format":{"type":"json_object"}},"reasoning":{"effort":"high"}}')`)
}
