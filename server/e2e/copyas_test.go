package e2e

import (
	"strings"
	"testing"
)

// A request is copied for OpenAI's own client; what is no object says that it can't be.
func TestARequestIsCopiedForAClient(t *testing.T) {
	t.Parallel()
	p, _ := drawerWorld(t, "-1")
	p.click(composer)
	p.keys("Hello")
	p.click("#inspector")
	p.click("#tab-request")
	p.wait(`document.querySelector("#request-body")?.textContent.includes('"Hello"')`)
	for id, says := range map[string]string{
		"#copy-openai-python":     "stream = client.chat.completions.create(\n    model='",
		"#copy-openai-javascript": "const stream = await client.chat.completions.create({\n  model: '",
	} {
		p.press(id)
		p.wait(`(window.copied ?? "").includes(` + quoted(says) + `)`)
		if strings.Contains(p.text(`window.copied`), sandboxKey) {
			t.Error("the key is in the code")
		}
	}
	p.passes("copy as a client")
	p.click("#request-edit")
	p.wait(`document.activeElement?.id === "request-json"`)
	p.must(p.tab.Eval(nil, `(e => { e.value = "[1"; e.dispatchEvent(new Event("input", {bubbles: true})) })(document.querySelector("#request-json"))`))
	p.press("#copy-openai-python")
	p.says(".copies", "A client takes only a JSON object")
}

// A clip's request is copied as code in every language.
func TestAClipIsCopiedAsCode(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, "", fastClips...)
	m := w.makes()
	p := w.tab("/video")
	clip := m.clip("beta-video-480p", "A gull", "6", nil)
	p.saved(clip.ID)
	p.open("/video/" + clip.ID)
	p.wait(`!!document.querySelector("#clip-more")`)
	p.must(p.tab.Eval(nil, `navigator.clipboard.writeText = text => { window.copied = text; return Promise.resolve() }`))
	for id, says := range map[string]string{"curl": "curl ", "go": "package main", "python": "import urllib.request", "javascript": "await fetch("} {
		p.click("#clip-more")
		p.wait(`!!document.querySelector("#clip-` + id + `")?.checkVisibility()`)
		p.press("#clip-" + id)
		p.wait(`(window.copied ?? "").includes(` + quoted(says) + `) && window.copied.includes("/v1/video/generations")`)
	}
}
