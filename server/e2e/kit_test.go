package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/server/e2e/rig"
)

// builtGallery compiles the gallery of app/ui/kit beside the program's style
// sheets, once for all tests, and returns the folder.
var builtGallery = sync.OnceValues(func() (string, error) {
	root, err := rig.Root()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(root, "build", "gallery")
	if err := os.MkdirAll(filepath.Join(dir, "web"), 0o755); err != nil {
		return "", err
	}
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", filepath.Join(dir, "web", "app.wasm"), "./app/ui/kit/gallery")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the gallery: %w\n%s", err, out)
	}
	icon, err := os.ReadFile(filepath.Join(root, "web", "icon.svg"))
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, "web", "icon.svg"), icon, 0o644); err != nil {
		return "", err
	}
	app.Route("/", func() app.Composer { return &beforehand{} })
	var all []byte
	for _, name := range []string{"tokens", "base", "kit", "shell", "forced"} {
		sheet, err := os.ReadFile(filepath.Join(root, "web", name+".css"))
		if err != nil {
			return "", err
		}
		all = append(all, sheet...)
	}
	return dir, os.WriteFile(filepath.Join(dir, "web", "app.css"), all, 0o644)
})

// beforehand is what the page has until the gallery runs.
type beforehand struct{ app.Compo }

func (b *beforehand) Render() app.UI { return app.Main() }

// gallery opens the page on which every component of kit is drawn.
func gallery(t *testing.T) *page {
	t.Helper()
	dir, err := builtGallery()
	if err != nil {
		t.Fatal(err)
	}
	const icon = "/web/icon.svg"
	mux := http.NewServeMux()
	mux.Handle("/web/", http.FileServer(http.Dir(dir)))
	mux.Handle("/", &app.Handler{Name: "Kit", Title: "Kit", Lang: "en", Styles: []string{"/web/app.css"},
		Icon: app.Icon{Default: icon, Large: icon, Maskable: icon, SVG: icon}})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	profile, err := browser.Profile()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(profile.Close)
	tab, err := profile.Tab()
	if err != nil {
		t.Fatal(err)
	}
	p := &page{w: &world{t: t}, tab: tab, base: server.URL}
	p.must(tab.Front())
	p.must(tab.Open(server.URL))
	p.wait(`!!document.querySelector("main.settings #said")`)
	t.Cleanup(func() {
		for _, e := range tab.Errors() {
			t.Errorf("the console says: %s", e)
		}
	})
	return p
}

const arrowRight = "\u0303" // as chromedp's kb has it

// said waits for what the gallery says was done.
func (p *page) said(words string) {
	p.w.t.Helper()
	p.wait(fmt.Sprintf(`document.querySelector("#said").textContent === %q`, words))
}

// holds waits until a control shows a value.
func (p *page) holds(selector, value string) {
	p.w.t.Helper()
	p.wait(fmt.Sprintf(`document.querySelector(%q).value === %q`, selector, value))
}

func TestKitButton(t *testing.T) {
	t.Parallel()
	p := gallery(t)
	for _, id := range []string{"primary", "usual", "plain", "small", "sign", "chip"} {
		p.click("#" + id)
		p.said(id)
	}
	p.must(p.tab.Eval(nil, `document.querySelector("#off").click()`))
	p.click("#usual")
	p.said("usual")
	p.must(p.tab.Eval(nil, `document.querySelector("#primary").focus()`))
	p.keys("\r")
	p.said("primary")
	p.click("#held")
	p.wait(`document.querySelector("#held").getAttribute("aria-pressed") === "true"`)
	if name := p.text(`document.querySelector("#sign").getAttribute("aria-label") + document.querySelector("#sign").title`); name != "SearchSearch" {
		t.Errorf("the button with a sign is called %q", name)
	}
	if kind := p.text(`[...document.querySelectorAll("button")].map(b => b.type).filter(t => t !== "button").join()`); kind != "" {
		t.Errorf("buttons that would submit a form: %s", kind)
	}
}

func TestKitField(t *testing.T) {
	t.Parallel()
	p := gallery(t)
	p.click(`label[for="name"]`)
	p.wait(`document.activeElement.id === "name"`)
	p.must(p.tab.Eval(nil, `document.querySelector("#name").setSelectionRange(9, 9)`))
	p.keys(" L.")
	p.said("name Ada L.")
	p.click("#louder")
	p.holds("#name", "ADA L.")
	p.click("#empty") // go-app by itself would leave the text
	p.holds("#name", "")
	p.click("#name")
	p.keys("ab\bc")
	p.said("name ac")
	p.holds("#name", "ac")
}

func TestKitFixed(t *testing.T) {
	t.Parallel()
	p := gallery(t)
	p.click("#fixed")
	p.wait(`document.activeElement.id === "fixed"`)
	p.keys("x")
	p.click("#louder")
	p.said("louder")
	p.holds("#fixed", "can be copied")
}

func TestKitArea(t *testing.T) {
	t.Parallel()
	p := gallery(t)
	p.holds("#text", "One\nTwo")
	p.click("#louder")
	p.holds("#text", "ONE\nTWO")
	p.click("#empty")
	p.holds("#text", "")
	p.click("#text")
	p.keys("x")
	p.said("text x")
}

func TestKitSelect(t *testing.T) {
	t.Parallel()
	p := gallery(t)
	p.holds("#colour", "red")
	p.entry("#colour", 2)
	p.said("colour green")
	p.entry("#colour", 0)
	p.said("colour ")
	p.holds("#colour", "")
	p.entry("#colour", 1) // twice before anything is drawn
	p.entry("#colour", 2)
	p.said("colour green")
	p.holds("#colour", "green")
	p.click("#empty")
	p.shows("#colour", 0)
	// What is chosen has an entry even if the list has none of it.
	p.holds("#unit", "fathom")
	if groups := p.text(`[...document.querySelectorAll("#unit optgroup")].map(g => g.label + " " + g.children.length).join()`); groups != "SI 2,Imperial 1" {
		t.Errorf("the groups are %s", groups)
	}
	p.entry("#unit", 1)
	p.said("unit kg")
}

// Who pays says which key is missing.
func TestKitChargeChoice(t *testing.T) {
	t.Parallel()
	p := gallery(t)
	p.holds("#charge", "t1")
	if names := p.text(`[...document.querySelectorAll("#charge option")].map(o => o.textContent).join()`); names != "Everyone,My own key (no key)" {
		t.Errorf("one may choose from %s", names)
	}
	p.entry("#charge", 1)
	p.said("charge personal")
	p.holds("#charge", "personal")
}

func TestKitSwitch(t *testing.T) {
	t.Parallel()
	p := gallery(t)
	on := func(id string, want bool) {
		t.Helper()
		p.wait(fmt.Sprintf(`document.querySelector("#%s").checked === %v`, id, want))
	}
	p.click("#switch")
	on("switch", true)
	on("check", true) // they show the same
	p.must(p.tab.Eval(nil, `document.querySelector("#check").focus()`))
	p.keys(" ")
	on("switch", false)
	p.must(p.tab.Eval(nil, `(e => { e.click(); e.click(); e.click() })(document.querySelector("#switch"))`))
	on("switch", true)
	on("check", true)
	p.click("#frozen") // the page does not have it: it is taken back
	p.said("frozen")
	on("frozen", true)
}

func TestKitRadios(t *testing.T) {
	t.Parallel()
	p := gallery(t)
	p.wait(`document.querySelector("#size-m").checked`)
	p.must(p.tab.Eval(nil, `document.querySelector("#size-m").focus()`))
	p.keys(arrowRight)
	p.said("size l")
	p.must(p.tab.Eval(nil, `document.querySelector("#size-s").click(); document.querySelector("#size-m").click()`))
	p.said("size m")
	p.wait(`[...document.querySelectorAll("[name=size]")].map(r => r.checked).join() === "false,true,false"`)
}

func TestKitSegments(t *testing.T) {
	t.Parallel()
	p := gallery(t)
	pressed := `[...document.querySelectorAll('[aria-label="View"] .segment')].map(b => b.getAttribute("aria-pressed")).join()`
	p.wait(pressed + ` === "true,false,false"`)
	p.click("#view-map")
	p.wait(pressed + ` === "false,false,true"`)
	if current := p.text(`[...document.querySelectorAll('[aria-label="Days"] a')].map(a => a.getAttribute("aria-current") + a.getAttribute("href")).join()`); current != "true#week,null#month" {
		t.Errorf("the links are %s", current)
	}
	look := `getComputedStyle(document.querySelector(%q)).backgroundColor`
	p.wait(fmt.Sprintf(look, "#view-map") + " !== " + fmt.Sprintf(look, "#view-list"))
}

func TestKitTabs(t *testing.T) {
	t.Parallel()
	p := gallery(t)
	p.click("#tab-two")
	p.wait(`document.querySelector("#panel").textContent === "Panel two" && document.querySelector("#tab-two").getAttribute("aria-selected") === "true" && document.querySelector("#tab-one").getAttribute("aria-selected") === "false"`)
	p.keys(arrowRight)
	p.wait(`document.activeElement.id === "tab-one" && document.querySelector("#panel").textContent === "Panel one"`)
	p.keys(arrowRight)
	p.wait(`document.activeElement.id === "tab-two" && document.querySelector("#panel").textContent === "Panel two"`)
	if order := p.text(`[...document.querySelectorAll("[role=tab]")].map(t => t.tabIndex).join()`); order != "-1,0" {
		t.Errorf("the Tab key goes to tabs %s", order)
	}
}

func TestKitMenu(t *testing.T) {
	t.Parallel()
	p := gallery(t)
	p.click("#more")
	p.wait(`document.querySelector("#menu").checkVisibility()`)
	p.click("#barred")
	p.click("#item")
	p.said("item")
	if why := p.text(`document.querySelector("#barred").title`); why != "Not today" {
		t.Errorf("the barred entry says %q", why)
	}
	p.keys("\x1b")
	p.wait(`!document.querySelector("#menu").checkVisibility() && document.activeElement.id !== "barred"`)
}

func TestKitDialog(t *testing.T) {
	t.Parallel()
	p := gallery(t)
	p.click("#open")
	p.wait(`document.querySelector("#dialog").open && document.activeElement.closest("#dialog") !== null`)
	p.click("#in-dialog")
	p.keys("!")
	p.said("in it open!")
	p.keys("\x1b")
	p.said("cancelled")
	p.wait(`!document.querySelector("#dialog").open && document.activeElement.id === "open" && !document.querySelector("#in-dialog")`)
	p.click("#open")
	p.click("#close-dialog")
	p.said("closed")
	p.wait(`!document.querySelector("#dialog").open`)
}

func TestKitSays(t *testing.T) {
	t.Parallel()
	p := gallery(t)
	notices := p.text(`[...document.querySelectorAll("#notices .notice")].map(n => (n.dataset.tone ?? "") + getComputedStyle(n).backgroundColor).join(";")`)
	parts := strings.Split(notices, ";")
	if len(parts) != 3 || parts[0] == parts[1] || parts[1] == parts[2] || !strings.HasPrefix(parts[2], "bad") {
		t.Errorf("the notices are %s", notices)
	}
	// Nothing said takes no room.
	p.wait(`document.querySelector("#outcome").textContent === "" && !document.querySelector("#outcome").checkVisibility()`)
	p.click("#frozen")
	p.wait(`document.querySelector("#outcome").matches(".bad") && document.querySelector("#outcome").checkVisibility()`)
	p.click("#empty")
	p.wait(`document.querySelector("#outcome").matches(".good") && document.querySelector("#notices > .soft").hidden`)
	if meter := p.text(`(m => m.value + " of " + m.max + " " + m.getAttribute("aria-label"))(document.querySelector(".meter"))`); meter != "80 of 100 Used" {
		t.Errorf("the meter shows %s", meter)
	}
}

// Every component, in both colours, wide and narrow: nothing for axe to find,
// and nothing wider than the window.
func TestKitForEverybody(t *testing.T) {
	t.Parallel()
	source := axeCore(t)
	p := gallery(t)
	for _, width := range []int64{1440, 320} {
		for _, dark := range []bool{true, false} {
			p.looks(width, 900, dark)
			p.must(p.tab.Eval(nil, source+"; true"))
			for _, open := range []string{"", "#more", "#open"} {
				if open != "" {
					p.click(open)
				}
				for _, found := range p.axe() {
					t.Errorf("%d px, dark %v, %s: %s", width, dark, open, found)
				}
				p.keys("\x1b")
			}
			if wide := p.text(sideways); wide != "" {
				t.Errorf("%d px, dark %v: %s", width, dark, wide)
			}
			p.picture(fmt.Sprintf("kit-%d-%v", width, dark))
		}
	}
}
