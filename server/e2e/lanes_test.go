package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"screentest/server/e2e/rig"
	"screentest/server/wiretest"
	"screentest/shared/wire"
)

// six are models of every text family: no two answer alike.
var six = []string{"vendor/model-a", "vendor/model-b", "vendor/epsilon-5.6-core", "vendor/epsilon-5.6-lite", "vendor/beta-4.6", "zeta-1"}

// addLane opens another lane and chooses its model, as a person does.
func (p *page) addLane(model string) {
	p.w.t.Helper()
	n := p.count(".lane")
	p.tool("#add-lane")
	p.wait(`document.activeElement?.matches("#picker[open] #picker-search")`)
	p.keys(model)
	p.wait(fmt.Sprintf(`document.querySelector('#picker [data-active="true"]')?.dataset.model === %q`, model))
	p.keys("\r")
	p.wait(fmt.Sprintf(`document.querySelectorAll(".lane").length === %d && !document.querySelector("#picker").open`, n+1))
	p.wait(fmt.Sprintf(`[...document.querySelectorAll(".model-name")].at(-1).textContent === %q`, model))
}

// compare opens a lane for each model.
func (p *page) compare(models ...string) {
	p.w.t.Helper()
	p.choose(models[0])
	for _, m := range models[1:] {
		p.addLane(m)
	}
}

// sendAll sends a prompt and waits until it stands in every lane.
func (p *page) sendAll(prompt string) {
	p.w.t.Helper()
	before, lanes := p.count(answers), p.count(".lane")
	p.click(composer)
	p.keys(prompt + "\r")
	p.wait(fmt.Sprintf("document.querySelectorAll(%q).length === %d", answers, before+lanes))
}

// allSettled waits until no answer is under way in any lane.
func (p *page) allSettled() {
	p.w.t.Helper()
	p.wait(`!document.querySelector('.message[data-state="running"]')`)
	p.wait(fmt.Sprintf(`!document.querySelector(%q)?.checkVisibility()`, stopButton))
}

// inLane is the newest answer of a lane as a JavaScript expression.
func inLane(i int) string {
	return fmt.Sprintf(`[...document.querySelectorAll(".lane")][%d].querySelector('.messages .message[data-role="assistant"]:not(:has(~ .message[data-role="assistant"]))')`, i)
}

// opened is the page's conversation as the server keeps it.
func (w *world) opened(p *page) wire.Opened {
	w.t.Helper()
	client, err := wiretest.Dial(context.Background(), w.server.URL, wiretest.NewHTTP())
	if err != nil {
		w.t.Fatal(err)
	}
	defer client.Close()
	var o wire.Opened
	if err := client.Call(context.Background(), wire.OpOpen, wire.Page{Conversation: strings.TrimPrefix(p.path(), "/c/")}, &o); err != nil {
		w.t.Fatal(err)
	}
	return o
}

// wholeLanes checks that every lane shows, and the server stores, what the
// sandbox sent to its model, to the byte. There is one answer in each lane.
func (w *world) wholeLanes(p *page, sandbox *rig.Program, models []string) {
	w.t.Helper()
	sent := map[string]string{}
	for _, r := range record(w.t, sandbox) {
		if r.Method != http.MethodPost || !strings.HasPrefix(r.Path, "/v1/") {
			continue
		}
		var body struct{ Model string }
		if err := json.Unmarshal([]byte(r.Body), &body); err != nil {
			w.t.Fatal(err)
		}
		sent[body.Model] = replayOf(w.t, r)
	}
	if len(sent) != len(models) {
		w.t.Fatalf("the sandbox was asked for %d models, want %d", len(sent), len(models))
	}
	stored := map[string]string{}
	for _, m := range w.opened(p).Messages {
		if m.Run != nil {
			stored[m.Run.Model] = m.Text
		}
	}
	seen := map[string]bool{}
	for i, model := range models {
		want := sent[model]
		if seen[want] || len(want) < 200 {
			w.t.Errorf("the sandbox's answer as %s can't be told from others: %.60q", model, want)
		}
		seen[want] = true
		if stored[model] != want {
			w.t.Errorf("%s: stored %d bytes, sent %d: %s", model, len(stored[model]), len(want), difference(stored[model], want))
		}
		if !p.drawn(inLane(i)+`.querySelector(".body").textContent.replace(/\s+/g, "")`, letters(want)) {
			w.t.Errorf("lane %d does not show what was sent to %s", i, model)
		}
	}
}

// A reload and a second tab in the middle of six streams.
func TestSixLanesStreamThroughAReload(t *testing.T) {
	t.Parallel()
	sandbox := startSandbox(t)
	w := newWorld(t, sandbox.URL)
	p := w.keyed("/")
	for words := 240; ; words *= 3 { // a slow machine takes longer than a short answer
		p.compare(six...)
		p.sendAll(fmt.Sprintf("[[repeat: %d]] Tell me of lanes", words))
		for i := range six {
			p.wait(fmt.Sprintf(`(%s?.querySelector(".body").textContent.length ?? 0) > 40`, inLane(i)))
		}
		p.reload()
		p.wait(`document.querySelectorAll(".lane").length === 6`)
		if p.count(`.message[data-state="running"]`) > 0 {
			break
		}
		if words > 5000 {
			t.Fatal("every answer had ended before the reload: nothing was tested")
		}
		p.open("/")
	}
	second := w.tab(p.path())
	second.wait(`document.querySelectorAll(".lane").length === 6`)
	for _, page := range []*page{p, second} {
		page.must(page.tab.Front())
		page.allSettled()
		w.wholeLanes(page, sandbox, six)
	}
	for _, mark := range []string{"fastest", "cheapest"} {
		if marks := p.text(`[...document.querySelectorAll(".rank:not([hidden])")].map(e => e.textContent).join(" ")`); !strings.Contains(marks, mark) {
			t.Errorf("no answer is marked as the %s", mark)
		}
	}
}

func TestNetworkCutWithSixLanes(t *testing.T) {
	t.Parallel()
	sandbox := startSandbox(t)
	w := newWorld(t, sandbox.URL)
	line, err := rig.NewLine(w.server.Host())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(line.Close)
	w.allow = append(w.allow, away...)
	p := w.tabAt(line.URL(), "/settings")
	p.enterKey(sandboxKey)
	p.open("/")
	p.compare(six...)
	p.sendAll("[[repeat: 240]] Tell me of tunnels")
	p.wait(fmt.Sprintf(`(%s?.querySelector(".body").textContent.length ?? 0) > 40`, inLane(5)))
	line.Cut()
	p.wait(`document.querySelector("#link").textContent.trim() !== ""`)
	line.Mend()
	p.allSettled()
	w.wholeLanes(p, sandbox, six)
}

// What one lane does is nothing to the others: a failure, a stop, a retry,
// another version, a message written anew, and going on with one.
func TestLanesAreOnTheirOwn(t *testing.T) {
	t.Parallel()
	sandbox := startSandbox(t)
	w := newWorld(t, sandbox.URL)
	w.allow = append(w.allow, "429")
	p := w.keyed("/")
	p.compare("vendor/model-a", "zeta-1", "vendor/epsilon-5.6-core")
	p.click(composer)
	p.keys("[[repeat: 600]] hello")
	p.wait(`/^≈ \$[\d.]+–[\d.]+ · 3 × \d+ tokens in/.test(document.querySelector("#estimate").textContent)`)
	p.sendAll("")
	p.wait(fmt.Sprintf(`(%s?.querySelector(".body").textContent.length ?? 0) > 40`, inLane(0)))
	p.click("#lane .lane-stop")
	p.wait(inLane(0) + `.dataset.state === "stopped"`)
	if got := p.text(inLane(1) + ".dataset.state"); got == "stopped" { // that it gets done is seen below
		t.Errorf("the stop of lane 1 left lane 2 %s", got)
	}
	// A retry goes at once, while the others are still at it.
	p.click("#lane .retry")
	p.wait(inLane(0) + `.dataset.state !== "stopped"`)
	p.allSettled()
	for i := range 3 {
		if got := p.text(inLane(i) + ".dataset.state"); got != "done" {
			t.Errorf("lane %d is %s", i+1, got)
		}
	}
	if got := p.text(inLane(0) + `.querySelector(".versions").innerText.trim()`); got != "2 of 2" {
		t.Errorf("after the retry: %q", got)
	}

	// Written anew in lane 2 only.
	p.click("#lane-1 .message[data-role=user] .edit")
	p.wait(`document.activeElement?.closest(".editor") !== null`)
	p.keys("\x1b")
	p.wait(`!document.querySelector(".editor")`)
	p.click("#lane-1 .message[data-role=user] .edit")
	p.wait(`document.activeElement?.closest(".editor") !== null`)
	p.keys(" again")
	p.click("#lane-1 .edit-send")
	p.wait(`document.querySelector("#lane-1 .message[data-role=user] .body")?.textContent.endsWith("again")`)
	p.allSettled()
	if got := p.text(`document.querySelector("#lane .message[data-role=user] .body").textContent`); strings.HasSuffix(got, "again") {
		t.Errorf("lane 1 has the edit of lane 2: %q", got)
	}
	p.click(`#lane-1 .message[data-role=user] [aria-label="Earlier version"]`)
	p.wait(`document.querySelector("#lane-1 .message[data-role=user] .body")?.textContent.endsWith("hello")`)

	p.click("#lane-2 .lane-keep")
	p.wait(`document.querySelectorAll(".lane").length === 1 && document.querySelector("#model .model-name").textContent === "vendor/epsilon-5.6-core"`)
	// Another device shows the same one lane.
	other := w.tab(p.path())
	other.wait(`document.querySelectorAll(".lane").length === 1 && document.querySelector("#model .model-name")?.textContent === "vendor/epsilon-5.6-core"`)
	other.send("[[repeat: 110]] and on")
	other.settled()
	p.must(p.tab.Front())
	p.wait(`document.querySelectorAll('.message[data-role="user"]').length === 2`)
}

func TestOneLaneFails(t *testing.T) {
	t.Parallel()
	sandbox := startSandbox(t)
	w := newWorld(t, sandbox.URL)
	w.allow = append(w.allow, "429")
	p := w.keyed("/")
	p.compare("vendor/model-a", "zeta-1")
	// The status is given once, to whichever asks first.
	p.sendAll("[[status: 429]] [[repeat: 110]] hello")
	p.allSettled()
	states := p.text(inLane(0)+".dataset.state") + " " + p.text(inLane(1)+".dataset.state")
	if states != "failed done" && states != "done failed" && states != "failed failed" {
		t.Fatalf("the lanes are %s", states)
	}
	for n := p.count(".retry"); n > 0; n = p.count(".retry") {
		p.click(".retry")
		p.wait(fmt.Sprintf(`document.querySelectorAll(".retry").length < %d`, n))
		p.allSettled()
	}
	for i := range 2 {
		if got := p.text(inLane(i) + ".dataset.state"); got != "done" {
			t.Errorf("lane %d is %s after its retry", i+1, got)
		}
	}
}

// The catalogue says chat, the gateway says responses: one click, and it goes.
func TestWrongEndpointIsOfferedAsASwitch(t *testing.T) {
	t.Parallel()
	sandbox := startSandbox(t)
	catalogue := filepath.Join(t.TempDir(), "catalogue.json")
	const models = `{"models": [{"id": "vendor/beta-4.6", "family": "ordinary", "endpoint": "chat"}]}`
	if err := os.WriteFile(catalogue, []byte(models), 0o600); err != nil {
		t.Fatal(err)
	}
	w := newWorldWith(t, sandbox.URL, "-catalog", catalogue)
	p := w.keyed("/")
	p.send("[[repeat: 110]] hello")
	if state := p.settled(); state != "failed" {
		t.Fatalf("state %q", state)
	}
	p.click(".switch-endpoint")
	p.wait(last + `?.dataset.state === "done"`)
	if got := p.text(`document.querySelector(".lane-head .pill").textContent`); got != "responses" {
		t.Errorf("the lane is at %q", got)
	}
	w.whole(p, sandbox)
}
