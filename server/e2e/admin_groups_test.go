package e2e

import (
	"net"
	"testing"

	"github.com/oauth2-proxy/mockoidc"
)

// The claims that came are shown, with the groups marked; a group that is mapped
// in the page counts at the next sign-in, and what it gave goes with it.
func TestGroupsAreMappedInThePage(t *testing.T) {
	t.Parallel()
	provider, err := mockoidc.NewServer(nil)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := provider.Start(listener, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := provider.Shutdown(); err != nil {
			t.Error(err)
		}
	})
	w := newTeam(t, "", "-oidc-issuer", provider.Issuer(), "-oidc-client-id", provider.ClientID, "-oidc-client-secret", provider.ClientSecret,
		"-oidc-allow-domains", "example.com")
	w.allow = append(w.allow, "400 (Bad Request)") // a group that is mapped twice
	arrive := func(groups ...string) *page {
		t.Helper()
		provider.QueueUser(&mockoidc.MockUser{Subject: "s-ben", Email: benMail, EmailVerified: true, PreferredUsername: "ben", Groups: groups})
		var ben *page
		w.as(w.stranger(), func() {
			ben = w.door("/signin")
			ben.click("#door-oidc")
			ben.wait(ready)
		})
		return ben
	}
	arrive("staff", "lab")

	p := w.tab("/settings/instance")
	p.wait(`document.querySelector("#claims mark")?.innerText.includes("lab")`)
	if words := p.inner("#instance-flags"); words == "" || p.inner("#claims dt") != "groups" {
		t.Errorf("the flags: %q; the claims begin with %q", words, p.inner("#claims dt"))
	}
	p.click("#groups-add")
	p.wait(`document.activeElement.id === "group-0"`)
	p.click("#groups-save")
	p.wait(`document.activeElement.id === "group-0" && !document.querySelector("#group-0-wrong").hidden`)
	p.keys("lab")
	p.chooses("#group-0-role", "admin")
	p.click("#groups-save")
	p.wait(`document.querySelector("#groups-outcome").innerText.includes("next sign-in")`)

	ben := arrive("staff", "lab")
	ben.open("/settings/appearance")
	ben.wait(`!!document.querySelector("#to-people")`)
	ben = arrive("staff")
	ben.open("/settings/appearance")
	ben.wait(`!document.querySelector("#to-people")`)

	// A group twice is told at its row.
	p.must(p.tab.Front())
	p.click("#groups-add")
	p.wait(`document.activeElement.id === "group-1"`)
	p.keys("lab")
	p.click("#groups-save")
	p.wait(`document.activeElement.id === "group-1" && document.querySelector("#group-1-wrong").innerText.includes("twice")`)
	p.click("#group-0-remove")
	p.wait(`!document.querySelector("#group-1") && document.querySelector("#group-0").value === "lab"`)
	p.click("#groups-undo")
	p.wait(`document.querySelector("#group-0-role").value === "admin"`)
}
