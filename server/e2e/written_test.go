package e2e

import (
	"strings"
	"testing"

	"screentest/shared/wire"
)

// An answer is edited, an example is put before what was said, and a talk begins
// without asking: the model gets all of it, and a reload shows the same.
func TestTurnsAreWrittenByHand(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	p := w.tab("/")
	p.click(composer)
	p.keys("What is 2+2?")
	p.tool("#add-draft")
	p.wait(`location.pathname.startsWith("/c/") && document.querySelectorAll(".message").length === 1 && document.querySelector("#composer").value === ""`)

	p.press(".message .insert")
	p.wait(`document.activeElement?.matches(".editor textarea") && document.querySelector("#insert-role-assistant").checked`)
	p.passes("the editor of an inserted message")
	p.keys("Four, by hand.")
	p.click(".editor .edit-send")
	p.wait(`!document.querySelector(".editor") && document.querySelectorAll(".message").length === 2`)
	p.wait(`document.querySelector(".state").textContent.includes("written by hand") && ` + lastLetters + `.includes("Four,byhand.")`)
	p.passes("an answer that was written by hand")

	p.send("And 3+3? [[repeat: 5]]")
	if state := p.settled(); state != "done" {
		t.Fatalf("the answer is %s: %s", state, p.problem())
	}
	var opened wire.Opened
	var sent wire.RunRequest
	p.call(wire.OpOpen, wire.Page{Conversation: strings.TrimPrefix(p.path(), "/c/")}, &opened)
	p.call(wire.OpRunRequest, wire.Target{ID: opened.Messages[3].Run.ID}, &sent)
	if !strings.Contains(sent.Body, `{"role":"assistant","content":"Four, by hand."}`) {
		t.Errorf("the model got %s", sent.Body)
	}
	p.must(p.tab.Eval(nil, `[...document.querySelectorAll(".message .state .edit")].at(-1).click()`))
	p.wait(`document.activeElement?.matches(".editor textarea") && document.activeElement.value.length > 5`)
	p.over(".editor textarea", "Six, by hand.")
	p.passes("the editor of an answer")
	p.click(".editor .edit-send")
	p.wait(`!document.querySelector(".editor") && document.querySelectorAll(".message").length === 4 && ` + lastLetters + `.includes("Six,byhand.")`)
	p.wait(`[...document.querySelectorAll(".state .versions")].at(-1).textContent.includes("2 of 2")`)
	p.wait(`(list => new Set(list.map(e => e.getBoundingClientRect().top)).size === 1)([...document.querySelectorAll(".state .versions button")])`)
	p.looks(390, 844, true)
	p.wait(`[...document.querySelectorAll(".state button")].every(e => e.getBoundingClientRect().right <= document.querySelector(".thread").clientWidth)`)
	p.looks(1440, 900, false)
	p.reload()
	p.wait(`document.querySelectorAll(".message").length === 4 && ` + lastLetters + `.includes("Six,byhand.")`)

	// Given up, nothing is written.
	p.press(".message .insert")
	p.wait(`document.activeElement?.matches(".editor textarea")`)
	p.keys("never")
	p.keys("\x1b")
	p.wait(`!document.querySelector(".editor") && document.querySelectorAll(".message").length === 4`)
}
