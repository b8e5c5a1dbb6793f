package e2e

import (
	"fmt"
	"strings"
	"testing"
)

func TestAxeFindsNothingOnTheChatDesk(t *testing.T) {
	t.Parallel()
	source := axeCore(t)
	p := newWorld(t, "").tab("/")
	p.axeFindsNothing(source, chatViews(p))
}

// chatViews are the states of the chat desk. It makes the conversations that
// they show.
func chatViews(p *page) []axeView {
	p.w.t.Helper()
	begun := func(blind bool, models ...string) (path string) {
		p.w.t.Helper()
		p.open("/")
		p.compare(models...)
		if blind {
			p.tool("#blind")
			p.wait(`document.querySelector("#blind").getAttribute("aria-pressed") === "true"`)
		}
		p.sendAll("Compare yourselves [[repeat: 60]]")
		p.allSettled()
		return p.path()
	}
	lanes := begun(false, "vendor/model-a", "vendor/epsilon-5.6-core")
	secret := begun(true, "vendor/model-a", "zeta-1", "vendor/beta-4.6")
	told := begun(true, "vendor/model-a", "zeta-1", "vendor/beta-4.6")
	p.click("#vote-B")
	p.wait(`document.querySelector("#ballot").textContent.includes("You voted for B")`)
	p.open("/")
	p.choose("zeta-1")
	p.addFunction("weather")
	p.send("Call weather for Oslo")
	p.settled()
	call := p.path()

	two := `document.querySelectorAll(".lane").length === 2 && document.querySelectorAll(".message .state-name").length === 2`
	escape := func(p *page) {
		for p.has("dialog[open]") {
			p.keys("\x1b")
		}
	}
	views := []axeView{
		{name: "two lanes", path: lanes, wait: two},
		{name: "edit and resend", path: lanes, wait: two,
			do: func(p *page) {
				p.click(`.lane[data-focused="true"] .message[data-role=user] .edit`)
				p.wait(`document.activeElement?.closest(".editor") !== null`)
			}},
		{name: "menu of a conversation", path: lanes, wait: two,
			do:   func(p *page) { p.click("#more-button"); p.wait(`document.querySelector("#more").checkVisibility()`) },
			undo: func(p *page) { p.keys("\x1b") }},
		{name: "tools", path: call, wait: `!!document.querySelector(".send-results")`,
			do:   func(p *page) { p.tool("#open-tools"); p.wait(`!!document.querySelector("#tools[open] .function")`) },
			undo: escape},
		{name: "tools editor", path: call, wait: `!!document.querySelector(".send-results")`,
			do: func(p *page) {
				p.tool("#open-tools")
				p.click("#add-function")
				p.wait(`document.activeElement?.matches("#function-name") && document.querySelector("#function-parameters").value !== ""`)
			},
			undo: escape},
		{name: "library", path: "/",
			do: func(p *page) {
				p.click(composer)
				p.keys("Translate {{text}}")
				p.tool("#open-library")
				p.wait(`!!document.querySelector("#entry-name")`)
				if !p.has(`.function[data-name="Translate"]`) {
					p.click("#entry-name")
					p.keys("Translate\r")
				}
				p.wait(`!!document.querySelector('.function[data-name="Translate"]')`)
			},
			undo: func(p *page) {
				escape(p)
				p.must(p.tab.Eval(nil, `(() => { const e = document.querySelector("#composer"); e.value = ""; e.dispatchEvent(new Event("input", {bubbles: true})) })()`))
			}},
		{name: "variables of a prompt", path: "/",
			do: func(p *page) {
				p.tool("#open-library")
				p.click(`.function[data-name="Translate"] .library-use`)
				p.wait(`document.activeElement?.matches("#variable-0")`)
			},
			undo: escape},
		{name: "blind before the vote", path: secret, wait: `!!document.querySelector("#vote-B:not([disabled])")`},
		{name: "blind after the vote", path: told, wait: `document.querySelectorAll(".model-name").length === 3 && document.querySelector("#ballot").textContent.includes("You voted for B")`},
		{name: "a call that waits", path: call, wait: `!!document.querySelector(".send-results")`},
	}
	for _, model := range []string{"vendor/model-a", "vendor/model-b"} {
		views = append(views, axeView{name: "every parameter of " + strings.TrimPrefix(model, "vendor/"), path: "/",
			do: func(p *page) {
				p.parameters(model)
				if p.has("#params-more:not([open])") {
					p.click("#params-more > summary")
				}
				p.choice("#param-response_format", "json_schema")
				p.wait(`!!document.querySelector("#param-schema")`)
				p.writes("#param-schema", "{}")
				p.writes("#param-extra", "[]")
				p.writes("#param-max_tokens", "none")
				p.faults("extra", "This must be an object")
			},
			undo: func(p *page) {
				p.choice("#param-response_format", "")
				p.writes("#param-extra", "")
				p.click("#drawer-close")
			}})
	}
	for _, tab := range []struct{ id, wait string }{
		{"params", `!!document.querySelector("#param-system")`},
		{"request", `document.querySelector("#request-body")?.textContent.includes("model")`},
		{"wire", `document.querySelectorAll(".wire-row:not([hidden])").length > 3`},
	} {
		views = append(views, axeView{name: "drawer " + tab.id, path: lanes, wait: two,
			do: func(p *page) {
				p.click("#inspector")
				p.click("#tab-" + tab.id)
				p.wait(fmt.Sprintf(`document.querySelector("#tab-%s").getAttribute("aria-selected") === "true" && %s`, tab.id, tab.wait))
				if tab.id == "wire" {
					p.must(p.tab.Eval(nil, `(() => { const list = document.querySelector("#wire-list"); list.focus(); list.dispatchEvent(new KeyboardEvent("keydown", {key: "Home", bubbles: true})) })()`))
					p.wait(`document.querySelector("#wire-detail").checkVisibility()`)
				}
			},
			undo: func(p *page) { p.click("#drawer-close") }})
	}
	return views
}
