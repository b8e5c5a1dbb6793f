package shown

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"screentest/server/e2e/rig"
	"screentest/server/page"
	"screentest/shared/wire"
	"screentest/web"
)

// inBrowser is a world with the real files, and a tab of Chromium's.
func inBrowser(t *testing.T) (*world, *rig.Tab) {
	t.Helper()
	if rig.LeftOut() {
		t.Skip("without a browser")
	}
	files, err := page.New(web.Files(), page.Options{Team: true})
	if err != nil {
		t.Fatal(err)
	}
	browser, err := rig.OpenBrowser()
	if err != nil {
		t.Fatal(err)
	}
	profile, err := browser.Profile()
	if err != nil {
		t.Fatal(err)
	}
	tab, err := profile.Tab()
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, Limits{})
	w.s.File = files.URL
	mux := w.http.Config.Handler
	w.http.Config.Handler = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; connect-src 'self'; base-uri 'none'")
		if strings.HasPrefix(r.URL.Path, "/web/") {
			files.ServeFile(rw, r)
			return
		}
		mux.ServeHTTP(rw, r)
	})
	t.Cleanup(func() {
		tab.Close()
		profile.Close()
		if err := browser.Close(); err != nil {
			t.Error(err)
		}
	})
	return w, tab
}

// must fails on an error.
func must(t *testing.T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// shownHTML is what the page shows, without what only the script reads.
const shownHTML = `(() => {
	const m = document.getElementById("main").cloneNode(true);
	m.removeAttribute("data-from");
	for (const e of m.querySelectorAll("[data-html]")) e.removeAttribute("data-html");
	for (const e of m.querySelectorAll("details")) e.open = false;
	m.normalize();
	return m.outerHTML;
})()`

// The script makes of a page that was loaded early the one that is loaded late.
func TestTheScriptFollows(t *testing.T) {
	w, tab := inBrowser(t)
	logs := w.asks(1, nil, "Why <i>otters</i>?", "vendor/a", "vendor/b")
	logs[0].says("content", "Because *they* ")
	must(t, tab.Open(w.http.URL+"/s/"+link), tab.Wait(`document.getElementById("live").textContent === "Live"`))
	logs[1].says("reasoning_content", "thinking <hard>")
	must(t, tab.Wait(`document.querySelector(".thought").checkVisibility() || document.body.textContent.includes("thinking <hard>")`))
	text := everything + "\n\n~~~py\nx = '😀'\n" + strings.Repeat("y = 2\n", 30) + "~~~\n\nthe end 😀 of it"
	for i, r := range text {
		logs[0].says("content", string(r))
		if i%40 == 0 {
			time.Sleep(3 * time.Millisecond)
		}
	}
	must(t, tab.Wait(`document.body.textContent.includes("😀 of it")`))
	compare := func(when string) {
		t.Helper()
		var followed, loaded string
		must(t, tab.Eval(&followed, shownHTML), tab.Reload(), tab.Wait(`document.getElementById("live").textContent === "Live"`), tab.Eval(&loaded, shownHTML))
		if followed != loaded {
			t.Fatalf("%s: followed is\n%s\nloaded\n%s", when, followed, loaded)
		}
	}
	compare("while it grows")
	logs[0].says("content", " and more\n\n```go\nfunc main() {\n")
	must(t, tab.Wait(`document.querySelector(".rest")`))
	logs[0].says("content", "\tprintln(1)\n}\n// still open")
	must(t, tab.Wait(`document.body.textContent.includes("still open")`))
	compare("in open code")
	w.ends(1, 0, text, nil)
	w.ends(1, 1, "other", nil)
	must(t, tab.Wait(`document.querySelectorAll("[data-state=done]").length === 2`))
	compare("at the end")

	w.mu.Lock()
	w.sum.Title = "Another"
	w.mu.Unlock()
	w.asks(2, []string{id(2, 10), id(2, 11)}, "And now?", "vendor/a", "vendor/b")
	must(t, tab.Wait(`document.body.textContent.includes("And now?") && document.title === "Another · Screentest"`))
	compare("the next turn")

	w.revoke(link)
	must(t, tab.Wait(`document.querySelector("h1").textContent === "This is not shared any more"`))
	var left string
	must(t, tab.Eval(&left, `document.documentElement.outerHTML`))
	if strings.Contains(left, "otters") || strings.Contains(left, "Another") || strings.Contains(left, "Ann") {
		t.Errorf("of what was shown is left %s", left)
	}
	for _, line := range tab.Console() {
		t.Errorf("the console: %+v", line)
	}
}

// A page that was away too long, or whose server is another, takes up what there is.
func TestTheScriptComesBack(t *testing.T) {
	w, tab := inBrowser(t)
	logs := w.asks(1, nil, "q", "m")
	must(t, tab.Open(w.http.URL+"/s/"+link), tab.Wait(`document.getElementById("live").textContent === "Live"`))
	w.s.mu.Lock()
	for _, sh := range w.s.shows {
		w.s.drop(sh)
	}
	w.s.mu.Unlock()
	logs[0].says("content", "after the *gap*")
	must(t, tab.Wait(`document.querySelector(".tail em")`))
}

// A link may lead to a message, however long ago it was.
func TestALinkLeadsToAMessage(t *testing.T) {
	w, tab := inBrowser(t)
	w.mu.Lock()
	parent := ""
	for i := range 300 {
		w.all = append(w.all, wire.Message{ID: id(1, i), Parent: parent, Role: "user", Text: fmt.Sprintf("question %d.", i)})
		parent = id(1, i)
	}
	w.mu.Unlock()
	for _, n := range []int{20, 290} {
		must(t, tab.Open("about:blank"), tab.Open(w.http.URL+"/s/"+link+"#"+id(1, n)),
			tab.Wait(fmt.Sprintf(`(() => { const e = document.getElementById("t-%s")?.getBoundingClientRect(); return e && e.bottom > 0 && e.top < innerHeight; })()`, id(1, n))))
	}
}

func TestWithoutAScriptAllIsThere(t *testing.T) {
	w, tab := inBrowser(t)
	compared(w)
	logs := w.asks(2, []string{id(2, 99), id(2, 11)}, "And then?", "vendor/a", "vendor/b")
	logs[0].says("content", "growing *text*")
	must(t, tab.WithoutScripts(), tab.Open(w.http.URL+"/s/"+link))
	var text string
	must(t, tab.Eval(&text, `document.body.textContent`))
	for _, want := range []string{"What time is it?", "It is late.", "12:00 </pre>", "growing text", "loaded again", "[address]", `{"tz":"<UTC>"}`} {
		if !strings.Contains(text, want) {
			t.Errorf("%q isn't shown: %s", want, text)
		}
	}
}

// Pictures for people to look at, in build/screenshots; nothing scrolls sideways.
func TestItLooksRight(t *testing.T) {
	w, tab := inBrowser(t)
	compared(w)
	logs := w.asks(2, []string{id(2, 99), id(2, 11)}, "And a long one?\n"+strings.Repeat("wordwithoutend", 30), "vendor/a", "vendor/b")
	logs[0].says("content", everything+"\n\n| "+strings.Repeat("a column | ", 12)+"\n|"+strings.Repeat("---|", 12)+"\n\n```\n"+strings.Repeat("long line ", 40))
	logs[1].says("reasoning_content", "thinking")
	root, err := rig.Root()
	must(t, err, os.MkdirAll(filepath.Join(root, "build", "screenshots"), 0o755))
	shoot := func(view string) {
		t.Helper()
		for _, size := range []struct {
			name          string
			width, height int64
		}{{"wide", 1440, 900}, {"phone", 390, 844}} {
			for _, dark := range []bool{false, true} {
				must(t, tab.Look(size.width, size.height, dark))
				var sideways float64
				must(t, tab.Eval(&sideways, `document.documentElement.scrollWidth - innerWidth`))
				if sideways > 0 {
					t.Errorf("%s, %s: %v px wider than the window", view, size.name, sideways)
				}
				picture, err := tab.Screenshot()
				must(t, err, os.WriteFile(filepath.Join(root, "build", "screenshots", fmt.Sprintf("shown-%s-%s-%v.png", view, size.name, dark)), picture, 0o644))
			}
		}
	}
	must(t, tab.Open(w.http.URL+"/s/"+link), tab.Wait(`document.getElementById("live").textContent === "Live"`))
	must(t, tab.Eval(nil, `document.getElementById("main").dataset.member = ""`))
	shoot("conversation")
	must(t, tab.Eval(nil, `scrollTo(0, document.body.scrollHeight)`))
	shoot("conversation-end")
	must(t, tab.Open(w.http.URL+"/s/nothing"))
	shoot("nothing")
	for _, line := range tab.Console() {
		if !strings.Contains(fmt.Sprint(line), "404") {
			t.Errorf("the console: %+v", line)
		}
	}
}
