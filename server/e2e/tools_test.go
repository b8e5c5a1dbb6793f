package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// addFunction writes a function in the dialog of tools.
func (p *page) addFunction(name string) {
	p.w.t.Helper()
	p.tool("#open-tools")
	p.click("#add-function")
	p.wait(`document.activeElement?.matches("#function-name") && document.querySelector("#function-parameters").value !== ""`)
	p.must(p.tab.Eval(nil, `document.querySelector("#function-name").select()`))
	p.keys(name)
	p.click("#save-function")
	p.wait(fmt.Sprintf(`[...document.querySelectorAll(".function code")].some(e => e.textContent === %q)`, name))
	p.click("#tools-done")
	p.wait(`!document.querySelector("#tools").open`)
}

// results answers every call with a text and sends them.
func (p *page) results(text string) {
	p.w.t.Helper()
	before := p.count(answers)
	p.wait(`!!document.querySelector(".send-results")`)
	p.must(p.tab.Eval(nil, `document.querySelectorAll(".result").forEach(e => { e.value = ""; })`))
	p.click(".result")
	p.keys(text)
	p.click(".send-results")
	p.wait(fmt.Sprintf("document.querySelectorAll(%q).length > %d", answers, before))
	p.allSettled()
}

// A model calls a function, the person answers for it, the model goes on: in
// the format of either endpoint.
func TestFunctionIsCalledAndAnswered(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ model, call, result string }{
		{"zeta-1", `"tool_calls":[{"id":`, `"role":"tool","content":"<b onclick=alert(1)>14 degrees`},
		{"vendor/epsilon-5.6-core", `Assistant called weather(`, `Tool result [`},
	} {
		t.Run(c.model, func(t *testing.T) {
			sandbox := startSandbox(t)
			w := newWorld(t, sandbox.URL)
			p := w.keyed("/")
			p.choose(c.model)
			p.addFunction("weather")
			p.send("Call weather for Oslo")
			p.settled()
			p.wait(`document.querySelector(".call code")?.textContent === "weather"`)
			// It is the person's turn: the state says so, and the focus is there.
			p.says(`.message:has(.call) .state-name`, "waiting for your result")
			if tone := p.text(`document.querySelector(".message:has(.call) .state-name").dataset.tone`); tone == "good" {
				t.Error("what waits is marked as well ended")
			}
			p.wait(`document.activeElement?.matches(".result")`)
			p.says("#say", "It calls weather and is waiting for your result.")
			if arguments := p.text(`document.querySelector(".call-arguments").textContent`); !strings.Contains(arguments, "\n  \"city\": \"Oslo\"") {
				t.Errorf("the arguments are not laid out: %q", arguments)
			}
			if sample := p.text(`document.querySelector(".result").value`); !strings.Contains(sample, "temperature") {
				t.Errorf("the result begins as %q", sample)
			}
			p.results("<b onclick=alert(1)>14 degrees\u202e</b>")
			if n := p.count(`.tool-result b, .tool-result [onclick]`); n != 0 {
				t.Error("a result was drawn as markup")
			}
			p.wait(last + `.querySelector(".body").textContent.includes("14 degrees")`)
			p.says(`.message:has(.call) .state-name`, "done")
			all := record(t, sandbox)
			body := all[len(all)-1].Body
			if !strings.Contains(body, c.call) || !strings.Contains(body, c.result) {
				t.Errorf("the second request was %s", body)
			}
			// It is all there after a reload, and nothing waits.
			p.reload()
			p.wait(`!!document.querySelector(".tool-result") && !!document.querySelector(".call")`)
			p.wait(last + `.querySelector(".body").textContent.includes("14 degrees")`)
			if p.has(".send-results") {
				t.Error("a result is asked for that was given")
			}
		})
	}
}

// The web search is offered where the model has it; its progress and what it
// found stand with the answer.
func TestWebSearch(t *testing.T) {
	t.Parallel()
	sandbox := startSandbox(t)
	w := newWorld(t, sandbox.URL)
	p := w.keyed("/")
	p.choose("vendor/model-a")
	p.tool("#open-tools")
	p.wait(`document.querySelector("#web-search")?.disabled`)
	p.click("#tools-done")
	p.choose("vendor/epsilon-5.6-core")
	p.tool("#open-tools")
	p.click("#web-search:not(:disabled)")
	p.wait(`document.querySelector("#web-search").checked`)
	p.click("#tools-done")
	p.wait(`document.querySelector("#open-tools").textContent === "Tools · 1"`)
	p.send("What is new about tides?")
	p.settled()
	p.wait(last + `.querySelector(".search")?.textContent.startsWith("Searched the web") && ` + last + `.querySelectorAll(".citations a[href^=http]").length > 0`)
	all := record(t, sandbox)
	if body := all[len(all)-1].Body; !strings.Contains(body, `"tools":[{"type":"web_search"}]`) {
		t.Errorf("sent %s", body)
	}
}

func TestSchemaIsCheckedWhileItIsWritten(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	p := w.tab("/")
	p.tool("#open-tools")
	p.click("#add-function")
	p.wait(`document.querySelector("#function-check")?.textContent === "Valid schema."`)
	p.click("#function-parameters")
	p.must(p.tab.Eval(nil, `document.querySelector("#function-parameters").value = '{\n "type": '`))
	p.keys("oops")
	p.wait(`/^Line 2, column \d+/.test(document.querySelector("#function-check").textContent) && document.querySelector("#save-function").disabled`)
	p.must(p.tab.Eval(nil, `document.querySelector("#function-parameters").select()`))
	p.keys(`{"type":"object","required":["x"]}`)
	p.wait(`document.querySelector("#function-check").textContent.includes("which is no property")`)
	p.keys("\x1b")
	p.wait(`!!document.querySelector("#add-function")`)
	p.keys("\x1b")
	p.wait(`!document.querySelector("#tools").open`)
}

// Prompts with variables and settings are kept, and used in another tab.
func TestLibraryOfPromptsAndSettings(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	p := w.tab("/")
	p.click(composer)
	p.keys("Translate {{text}} into {{language}}")
	p.tool("#open-library")
	p.wait(`!!document.querySelector("#entry-name")`)
	p.click("#entry-name")
	p.keys("Translate\r")
	p.wait(`!!document.querySelector('.function[data-name="Translate"]')`)

	other := w.tab("/")
	other.must(other.tab.Eval(nil, `document.querySelector("#composer").value = ""`))
	other.tool("#open-library")
	other.click(`.function[data-name="Translate"] .library-use`)
	other.wait(`document.activeElement?.matches("#variable-0")`)
	other.keys("\x1b") // back to the list, not out of it
	other.wait(`document.querySelector("#library").open && !!document.querySelector("#entry-name")`)
	other.click(`.function[data-name="Translate"] .library-use`)
	other.wait(`document.activeElement?.matches("#variable-0")`)
	other.keys("hello\tDanish")
	other.click("#insert-prompt")
	other.wait(`document.querySelector("#composer").value.endsWith("Translate hello into Danish")`)

	// Saved anew under its name, it is used as it is now.
	write := func(text string) {
		other.must(other.tab.Eval(nil, `(() => { const e = document.querySelector("#composer"); e.value = `+quoted(text)+`; e.dispatchEvent(new Event("input", {bubbles: true})) })()`))
	}
	write("Sing it")
	other.tool("#open-library")
	other.click("#entry-name")
	other.keys("Translate\r")
	other.wait(`document.querySelector('.function[data-name="Translate"] .faint').textContent === "Sing it"`)
	other.keys("\x1b")
	other.wait(`!document.querySelector("#library").open`)
	write("")
	other.tool("#open-library")
	other.click(`.function[data-name="Translate"] .library-use`)
	other.wait(`document.querySelector("#composer").value === "Sing it"`)

	// It is changed where it stands, and Escape leaves it as it was.
	other.tool("#open-library")
	other.click(`.function[data-name="Translate"] .library-edit`)
	other.wait(`document.activeElement?.id === "library-edit-name"`)
	other.keys(" it")
	other.keys("\x1b")
	other.wait(`document.querySelector("#library").open && !document.querySelector("#library-editing") && !!document.querySelector('.function[data-name="Translate"]')`)
	other.click(`.function[data-name="Translate"] .library-edit`)
	other.wait(`document.activeElement?.id === "library-edit-name"`)
	other.must(other.tab.Eval(nil, `document.querySelector("#library-edit-name").select()`))
	other.keys("Sing")
	other.must(other.tab.Eval(nil, `document.querySelector("#library-edit-text").select()`))
	other.keys("Sing {{what}}")
	other.click("#library-keep")
	other.wait(`document.querySelector('.function[data-name="Sing"] .faint')?.textContent === "Sing {{what}}" && !document.querySelector('.function[data-name="Translate"]')`)
	p.must(p.tab.Front())
	p.wait(`!!document.querySelector('.function[data-name="Sing"]')`)
	other.must(other.tab.Front())
	other.click(`.function[data-name="Sing"] .library-drop`)
	other.wait(`!document.querySelector('.function[data-name="Sing"]')`)
	p.must(p.tab.Front())
	p.wait(`!document.querySelector('.function[data-name="Sing"]')`)
}

// Who writes elsewhere when a call comes goes on writing.
func TestACallLeavesTheFocusToWhoWrites(t *testing.T) {
	t.Parallel()
	proxy, written := newProxy(t, startSandbox(t).URL), make(chan struct{})
	held := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-written:
			proxy.ServeHTTP(w, r)
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(held.Close)
	w := newWorld(t, held.URL)
	p := w.keyed("/")
	p.choose("zeta-1")
	p.addFunction("weather")
	p.send("Call weather for Oslo")
	p.keys("Meanwhile")
	p.wait(`document.querySelector("#composer").value === "Meanwhile"`)
	close(written)
	p.settled()
	p.says(`.message:has(.call) .state-name`, "waiting for your result")
	p.says("#say", "is waiting for your result.")
	if at := p.text(`document.activeElement.id`); at != "composer" {
		t.Errorf("the focus went to %q", at)
	}
}
