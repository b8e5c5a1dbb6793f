package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// ways are the settings of a person alone, by their elements.
var ways = []struct{ name, element string }{
	{"gateway", "#settings-gateway"}, {"models", "#settings-models"}, {"key", "#settings-key"}, {"data", "#settings-data"}, {"appearance", "#settings-theme"},
	{"archive", "#settings-archive"}, {"budgets", "#budgets"}, {"storage", "#storage"},
}

// The gateway and its key stand at /settings, and each setting at an address of its
// own, to which the navigation leads; the addresses of old still lead there.
func TestEachSettingHasItsAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	p := w.tab("/settings")
	here := func(element string, n int) {
		t.Helper()
		p.wait(fmt.Sprintf(`!!document.querySelector(%q) && document.querySelectorAll(".settings-inner > section").length === %d`, element, n))
	}
	current := `[...document.querySelectorAll('.settings-nav [aria-current]')].map(e => e.id).join()`
	here("#settings-key", 2)
	if n := p.count(".settings-list a"); n != len(ways) {
		t.Errorf("alone there are ways to %d settings, want %d: %s", n, len(ways), p.text(`document.querySelector(".settings-list").innerText`))
	}
	for _, way := range ways {
		p.click("#to-" + way.name)
		here(way.element, 1)
		if got := p.path(); got != "/settings/"+way.name {
			t.Errorf("the way to %s leads to %s", way.name, got)
		}
		if got := p.text(current); got != "to-"+way.name {
			t.Errorf("at %s the way marked is %q", way.name, got)
		}
		if title := p.text(`document.title`); !strings.HasSuffix(title, " · Settings · Screentest") {
			t.Errorf("the title at %s is %q", way.name, title)
		}
	}
	p.must(p.tab.Back())
	here("#budgets", 1)

	for _, old := range []struct{ address, element string }{
		{"/settings#budgets", "#budgets"}, {"/settings#settings-archive", "#settings-archive"}, {"/settings/budgets", "#budgets"},
	} {
		p.open(old.address)
		here(old.element, 1)
	}
	p.open("/settings#elsewhere")
	here("#settings-key", 2)
	for _, nothing := range []string{"/settings/people", "/settings/nothing"} {
		p.open(nothing)
		p.wait(`document.querySelector(".settings-inner").textContent.includes("nothing at this address")`)
	}

	// What is typed in one and not saved is there when one comes back.
	p.open("/settings/budgets")
	p.wait(`document.querySelector("#budget-save") && !document.querySelector("#budget-save").disabled`)
	p.click("#budget-day")
	p.keys("7")
	p.click("#to-key")
	here("#settings-key", 1)
	p.click("#to-budgets")
	p.wait(`document.querySelector("#budget-day")?.value === "7"`)
}

// On a phone the ways stand above, and a setting alone has the way back; the
// focus goes along.
func TestWaysToSettingsOnAPhone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	p := w.tab("/settings")
	for _, width := range []int64{390, 320} {
		p.looks(width, 844, width == 320)
		p.wait(`document.querySelector("#to-gateway").getBoundingClientRect().bottom < innerHeight && !document.querySelector("#to-all").checkVisibility()`)
		p.must(p.tab.Eval(nil, `document.querySelector("#to-budgets").focus()`))
		p.keys("\r")
		p.wait(`document.activeElement.id === "to-all" && !document.querySelector("#to-budgets").checkVisibility()`)
		p.wait(`document.querySelector("#budgets")?.getBoundingClientRect().top < innerHeight / 4`)
		if sideways := p.number(`document.documentElement.scrollWidth - innerWidth`); sideways > 0 {
			t.Errorf("%d px wide, the page is %.0f px wider", width, sideways)
		}
		p.keys("\r")
		p.wait(`document.activeElement.id === "to-budgets" && !document.querySelector(".settings-inner").checkVisibility()`)
	}
}
