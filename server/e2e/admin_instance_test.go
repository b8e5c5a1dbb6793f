package e2e

import (
	"strings"
	"testing"
)

func TestTheInstanceIsSet(t *testing.T) {
	t.Parallel()
	w := newTeam(t, "")
	p := w.tab("/settings/instance")
	p.wait(`!!document.querySelector("#instance-name")`)
	p.over("#instance-name", "Acme research")
	p.click("#instance-personal_keys")
	p.click("#instance-save")
	p.wait(`document.querySelector("#instance-outcome").innerText === "Saved."`)
	p.fill("#everybody-day", "1000000000")
	p.click("#everybody-save")
	p.wait(`document.activeElement.id === "everybody-day" && document.querySelector("#everybody-day-wrong").innerText.includes("at most")`)
	p.over("#everybody-day", "100")
	p.click("#everybody-save")
	p.wait(`document.querySelector("#everybody-outcome").innerText.includes("saved")`)
	p.reload()
	p.wait(`document.querySelector("#instance-name")?.value === "Acme research" && document.querySelector("#everybody-day").value === "100"`)
	if flags := p.inner("#instance-flags"); !strings.Contains(flags, "-oidc-issuer") || !strings.Contains(flags, "by e-mail and password") {
		t.Errorf("the flags are told as %q", flags)
	}
	if p.has("#groups") || p.has("#claims") {
		t.Error("without single sign-on there are groups and claims")
	}

	// What is typed and not saved outlasts what comes anew.
	p.over("#instance-name", "Acme rese")
	p.must(p.tab.Eval(nil, `fetch("/api/teams", {method: "POST", headers: {"Content-Type": "application/json"}, body: '{"name":"Lab"}'})
		.then(() => fetch("/api/teams")).then(r => r.json()).then(l => fetch("/api/teams/" + l.find(t => !t.everyone).id + "/people/" + l.find(t => t.everyone).people[0].id,
		{method: "PUT", headers: {"Content-Type": "application/json"}, body: '{"lead":true}'}))`))
	p.wait(`document.querySelector("#to-teams").innerText === "Teams"`) // greeted anew
	if name := p.text(`document.querySelector("#instance-name").value`); name != "Acme rese" {
		t.Errorf("the name that is typed is %q now", name)
	}
	p.click("#instance-undo")
	p.wait(`document.querySelector("#instance-name").value === "Acme research"`)
}

func TestTheAuditIsRead(t *testing.T) {
	t.Parallel()
	w := newTeam(t, "")
	p := w.tab("/settings/people?invitations")
	w.join(p.invited("guest"), "Gus", benMail)
	p.must(p.tab.Front())
	p.open("/settings/audit")
	lines := `[...document.querySelectorAll("#audit-table tbody tr")].map(e => e.dataset.action).join()`
	p.wait(lines + `.includes("invite.made")`)
	for _, action := range []string{"setup.claimed", "invite.made", "invite.used"} {
		if all := p.text(lines); !strings.Contains(all, action) {
			t.Errorf("there is no line of %s: %s", action, all)
		}
	}
	if words := p.inner("#audit-table"); !strings.Contains(words, "Ana Lima made the invitation") || !strings.Contains(words, "Gus joined by the invitation") {
		t.Errorf("the lines say %q", words)
	}
	p.chooses("#audit-action", "invite.used")
	p.wait(`location.search === "?action=invite.used" && ` + lines + ` === "invite.used"`)
	p.click("#to-audit")
	p.wait(`location.search === "" && ` + lines + `.includes("invite.made")`)
	p.must(p.tab.Eval(nil, `(e => { e.value = "2001-01-01"; e.dispatchEvent(new Event("input", {bubbles: true})) })(document.querySelector("#audit-to"))`))
	p.wait(`document.querySelector("#audit").innerText.includes("No line fits")`)
	p.click("#audit .empty a")
	p.wait(lines + `.includes("invite.made")`)
	file := p.text(`fetch(document.querySelector("#audit-download").href).then(r => r.text())`)
	if n := strings.Count(file, "\n"); n < 3 || !strings.Contains(file, `"action":"setup.claimed"`) {
		t.Errorf("the file has %d lines: %s", n, file)
	}
}

// Where the instance allows it, a person sends with a key of their own.
func TestAKeyOfOnesOwn(t *testing.T) {
	t.Parallel()
	sandbox := startSandbox(t)
	w := newTeam(t, sandbox.URL)
	p := w.tab("/settings/instance")
	ben := w.join(p.invited("member"), "Ben", benMail)
	ben.open("/settings/key")
	ben.wait(`document.querySelector("#settings-key").innerText.includes("none yet")`)
	if ben.has("#key") || ben.has("#shared-keys") {
		t.Error("a member is asked for a key that the instance doesn't allow")
	}
	p.must(p.tab.Front())
	p.click("#instance-personal_keys")
	p.click("#instance-save")
	p.wait(`document.querySelector("#instance-outcome").innerText === "Saved."`)
	ben.wait(`!!document.querySelector("#key")`) // greeted anew
	ben.must(ben.tab.Front())
	ben.fill("#key", sandboxKey)
	ben.keys("\r")
	ben.wait(`document.querySelector("#key-outcome").innerText.includes("saved") && document.querySelector("label[for=key]").innerText.includes("` + sandboxKey[len(sandboxKey)-4:] + `")`)
	ben.mustNotHold(sandboxKey)
	ben.click("#forget-key")
	ben.wait(`document.querySelector("label[for=key]").innerText === "A key of your own"`)
}
