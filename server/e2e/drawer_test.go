package e2e

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"screentest/shared/snippet"
)

// drawerWorld is a page in front of a sandbox at that pace, with the drawer open.
func drawerWorld(t *testing.T, tokensPerSecond string) (*page, func() []request) {
	t.Helper()
	sandbox := startSandboxAt(t, "127.0.0.1:0", tokensPerSecond)
	w := newWorld(t, sandbox.URL)
	w.allow = append(w.allow, "401")
	p := w.tab("/settings")
	p.enterKey(sandboxKey)
	p.open("/")
	// What is copied is read by the test.
	p.must(p.tab.Eval(nil, `navigator.clipboard.writeText = text => { window.copied = text; return Promise.resolve() }`))
	return p, func() []request { return record(t, sandbox) }
}

// lastText is the newest text request of a record.
func lastText(t *testing.T, record []request) request {
	t.Helper()
	for i := len(record) - 1; i >= 0; i-- {
		if record[i].Method == http.MethodPost && strings.HasPrefix(record[i].Path, "/v1/") {
			return record[i]
		}
	}
	t.Fatal("the sandbox has no record of a text request")
	return request{}
}

const verdictSays = `document.querySelector("#verdict").innerText`

// The request stands in the drawer as it is typed, with the validator's
// verdict, and then as it was sent: the same bytes as the sandbox got, and as
// curl sends when the copied command is run.
func TestDrawerShowsWhatIsSent(t *testing.T) {
	t.Parallel()
	p, record := drawerWorld(t, "-1")
	p.click("#lane-params")
	p.wait(`document.activeElement?.id === "tab-params"`)
	p.must(p.tab.Eval(nil, `document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true}))`))
	p.wait(`document.activeElement?.id === "tab-request" && document.activeElement.getAttribute("aria-selected") === "true"`)
	p.wait(`document.querySelectorAll('[role="tab"][tabindex="0"]').length === 1`)
	p.click("#request-exact")

	const prompt = "It's <a> \"test\" & `more` of $HOME – 你好"
	p.click(composer)
	p.keys("It")
	p.wait(`document.querySelector("#request-body").textContent.includes('"It"')`)
	p.keys("'s <a>")
	p.wait(`document.querySelector("#request-body").textContent.includes("It's <a>")`)
	p.must(p.tab.Eval(nil, `(() => { const e = document.querySelector("#composer"); e.value = `+quoted(prompt)+`; e.dispatchEvent(new Event("input", {bubbles: true})) })()`))
	p.wait(`document.querySelector("#request-body").textContent.includes("你好")`)
	p.wait(verdictSays + `.includes("Valid request")`)
	shown := p.text(`document.querySelector("#request-body").textContent`)

	p.keys("\r")
	p.settled()
	sent := lastText(t, record())
	if sent.Body != shown {
		t.Errorf("shown before:\n%s\nsent:\n%s", shown, sent.Body)
	}
	p.click("#request-sent")
	p.wait(`document.querySelector("#request-body").textContent === ` + quoted(sent.Body))
	p.wait(`document.querySelector(".request").innerText.includes("HTTP 200")`)

	p.must(p.tab.Eval(nil, `{
		const places = () => [...document.querySelectorAll(".copy-row button")].map(b => Math.round(b.getBoundingClientRect().left)).join(), before = places();
		const b = document.querySelector("#copy-curl");
		new MutationObserver(() => { if (b.matches(".copied")) window.moved = places() === before ? "no" : before + " to " + places() }).observe(b, {attributes: true, childList: true, subtree: true});
	}`))
	p.click("#copy-curl")
	p.wait(`!!window.moved`)
	if moved := p.text(`window.moved`); moved != "no" {
		t.Errorf("what says that it was copied moves the buttons beside it from %s", moved)
	}
	p.wait(`!!window.copied`)
	command := p.text(`window.copied`)
	if strings.Contains(command, sandboxKey) {
		t.Error("the key is in the command")
	}
	if _, err := exec.LookPath("curl"); err != nil {
		if os.Getenv("SCREENTEST_NO_CURL") != "" {
			t.Skip("NOT RUN: there is no curl")
		}
		t.Fatal("this test runs the copied command (.ci/install curl)")
	}
	before := len(record())
	cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
	cmd.Env = append(os.Environ(), snippet.KeyEnv+"="+sandboxKey, "no_proxy=*")
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("[DONE]")) {
		t.Fatalf("%v\n%s\n%s", err, command, out)
	}
	all := record()
	if again := lastText(t, all); len(all) != before+1 || again.Body != sent.Body || again.Path != sent.Path {
		t.Errorf("curl sent %d requests, the last to %s with\n%s\nwant\n%s", len(all)-before, again.Path, again.Body, sent.Body)
	}

	// The drawer and its tab are as they were after a reload.
	p.reload()
	p.wait(`document.querySelector("#tab-request")?.getAttribute("aria-selected") === "true"`)
	p.must(p.tab.Eval(nil, `document.dispatchEvent(new KeyboardEvent("keydown", {key: "i", ctrlKey: true, bubbles: true}))`))
	p.wait(`document.querySelector("#drawer").hidden`)
}

// A request is edited as JSON with the validator watching, outlives a reload,
// and is sent as it stands.
func TestDrawerSendsJSONAsItStands(t *testing.T) {
	t.Parallel()
	p, record := drawerWorld(t, "-1")
	p.click(composer)
	p.keys("Hello")
	p.click("#inspector")
	p.click("#tab-request")
	p.wait(`document.querySelector("#request-body")?.textContent.includes('"Hello"')`)
	p.click("#request-edit")
	p.wait(`document.activeElement?.id === "request-json"`)
	write := func(text string) {
		t.Helper()
		p.must(p.tab.Eval(nil, `(() => { const e = document.querySelector("#request-json"); e.value = `+quoted(text)+`; e.dispatchEvent(new Event("input", {bubbles: true})) })()`))
	}
	const broken = "{ \"model\": \"vendor/epsilon-5.6-core\",\n\t\"input\": \"Written by <hand>\",\n\t\"stream\": true, \"user\": \"me\" }"
	write(broken)
	p.wait(verdictSays + `.includes("POST /v1/responses")`)
	p.click("#request-other") // the endpoint that serves the model
	p.wait(verdictSays + `.includes("unsupported_parameter") && ` + verdictSays + `.includes("F15")`)
	p.wait(`document.querySelector("#request-send").disabled`)

	p.reload()
	p.wait(`document.querySelector("#request-json")?.value === ` + quoted(broken))
	p.wait(`document.querySelector("#request-endpoint").value === "responses"`)
	if got := p.text(`document.querySelector("#composer").value`); got != "Hello" {
		t.Errorf("the composer has %q", got)
	}

	const right = "{ \"model\": \"vendor/epsilon-5.6-core\",\n\t\"input\": \"Written by <hand>\",\n\t\"stream\": true }"
	write("\n" + right + "\n ")
	p.wait(verdictSays + `.includes("Valid request")`)
	n := len(record())
	p.click("#request-send")
	p.wait(`location.pathname.startsWith("/c/")`)
	p.wait(`[...document.querySelectorAll('.message[data-role="user"] .body')].some(e => e.innerText === "Written by <hand>")`)
	p.settled()
	all := record()
	if sent := lastText(t, all); len(all) != n+1 || sent.Body != right || sent.Path != "/v1/responses" || sent.Status != 200 {
		t.Errorf("%d requests; the last, to %s, answered %d:\n%q, want\n%q", len(all)-n, sent.Path, sent.Status, sent.Body, right)
	}
	p.wait(`document.querySelector("#request-sent").getAttribute("aria-pressed") === "true"`)
	p.click("#request-exact")
	p.wait(`document.querySelector("#request-body").textContent === ` + quoted(right))
}

// Every event stands in the Wire tab, live, with its time and place; few
// elements show many; the download is the log to the byte; the replay asks
// nobody and gives the same text.
func TestDrawerShowsEveryEvent(t *testing.T) {
	t.Parallel()
	p, record := drawerWorld(t, "500") // some seconds: the rows have to come while it streams
	p.click("#inspector")
	p.click("#tab-wire")
	p.must(p.tab.Eval(nil, `window.saved = null; URL.createObjectURL = blob => { window.saved = blob; return "#" }`))
	p.send("Tell me about the sea. [[repeat: 4000]]")
	p.wait(`document.querySelectorAll(".wire-row:not([hidden])").length > 5 && !!document.querySelector("#stop:not([hidden])")`)
	p.settled()
	answer := p.text(last + `.querySelector(".body").textContent`)
	asked := record()

	res := ask(t, fast, http.MethodPost, lastText(t, asked).Path, lastText(t, asked).Body)
	var log bytes.Buffer
	if _, err := log.ReadFrom(res.Body); err != nil {
		t.Fatal(err)
	}
	events := bytes.Count(log.Bytes(), []byte("\n\n"))
	if events < 1000 {
		t.Fatalf("%d events are too few for this test", events)
	}
	number := func(js string) (n int) {
		t.Helper()
		p.must(p.tab.Eval(&n, js))
		return n
	}
	count := `parseInt(document.querySelector("#wire-count").textContent.split(" events")[0].replace(/\D/g, ""))`
	p.wait(`document.querySelector("#wire-count").textContent.includes(" events") && !document.querySelector("#wire-replay").hidden`)
	p.wait(count + ` >= 1000`)
	if rows := number(`document.querySelectorAll(".wire-row").length`); rows > 120 {
		t.Errorf("%d rows are in the document", rows)
	}

	p.click("#wire-save")
	p.wait(`!!window.saved`)
	raw := p.text(`window.saved.text()`)
	if n := strings.Count(raw, "\n\n"); n != number(count) {
		t.Errorf("%d events are shown, the log has %d", number(count), n)
	}
	if n := strings.Count(raw, "\n\n"); n != events {
		t.Errorf("the log has %d events, the same request brings %d", n, events)
	}

	// The newest is in view; the oldest comes with Home, and is read with it.
	p.must(p.tab.Eval(nil, `document.querySelector("#wire-list").focus()`))
	p.must(p.tab.Eval(nil, `document.querySelector("#wire-list").dispatchEvent(new KeyboardEvent("keydown", {key: "Home", bubbles: true}))`))
	p.wait(`document.querySelector('.wire-row[data-event="0"][aria-selected="true"]')?.checkVisibility()`)
	p.must(p.tab.Eval(nil, `document.querySelector("#wire-list").dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowDown", bubbles: true}))`))
	p.wait(`document.querySelector('.wire-row[data-event="1"][aria-selected="true"]')?.checkVisibility()`)
	p.wait(`document.querySelector("#wire-detail").textContent.includes("chat.completion.chunk")`)
	p.wait(`/^\d/.test(document.querySelector('.wire-row[data-event="0"] .wire-ms').textContent)`)
	second := strings.SplitAfter(raw, "\n\n")[1]
	p.click("#wire-copy")
	p.wait(`window.copied?.trim() === ` + quoted(strings.TrimSpace(second)))

	// Of one type, and with a text.
	p.must(p.tab.Eval(nil, `(() => { const e = document.querySelector("#wire-type"); e.value = "[DONE]"; e.dispatchEvent(new Event("change", {bubbles: true})) })()`))
	p.wait(`document.querySelector("#wire-count").textContent.startsWith("1 of ") && document.querySelectorAll(".wire-row:not([hidden])").length === 1`)
	p.must(p.tab.Eval(nil, `(() => { const e = document.querySelector("#wire-type"); e.value = ""; e.dispatchEvent(new Event("change", {bubbles: true})) })()`))

	p.click("#wire-replay")
	p.wait(`document.querySelector("#replay-state").textContent.startsWith("Replay")`)
	p.click("#replay-0")
	p.wait(`document.querySelector("#replay-state").textContent.startsWith("Replay finished")`)
	if got := p.text(`document.querySelector("#replay-text").textContent`); got != answer {
		t.Errorf("the replay gives %d bytes, the answer has %d", len(got), len(answer))
	}
	p.click("#replay-stop")
	p.wait(`document.querySelector("#wire-list").checkVisibility()`)
	if n := len(record()); n != len(asked) {
		t.Errorf("looking and replaying made %d requests", n-len(asked))
	}
}

// An answer that failed before it began shows the body of the error.
func TestDrawerShowsTheRawError(t *testing.T) {
	t.Parallel()
	p, _ := drawerWorld(t, "-1")
	p.w.allow = append(p.w.allow, "429")
	p.send("What happens? [[status: 429]]")
	p.settled()
	p.click(`.message[data-role="assistant"] .inspect`)
	p.wait(`document.querySelector("#tab-wire")?.getAttribute("aria-selected") === "true"`)
	p.wait(`document.querySelector("#wire-raw").checkVisibility() && document.querySelector("#wire-raw").textContent.includes("rate_limit")`)
	p.wait(`document.querySelector("#wire-facts").textContent.includes("HTTP 429")`)
}

func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}
