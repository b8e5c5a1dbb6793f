package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"screentest/server/e2e/rig"
)

// TestScreenshots keeps pictures of the page in build/screenshots, wide and
// phone, dark and light, and checks on each that nothing scrolls sideways. With
// SCREENTEST_README_SCREENSHOT set it also makes the README's anew.
func TestScreenshots(t *testing.T) {
	t.Parallel()
	root, err := rig.Root()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(root, "build", "screenshots")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, "")
	w.allow = append(w.allow, "429")
	p := w.tab("/")
	empty := p.path()
	converse := func(prompts ...string) string {
		p.click("#new-conversation")
		p.wait(`location.pathname === "/"`)
		for _, prompt := range prompts {
			p.send(prompt)
			p.settled()
		}
		return p.path()
	}
	failed := converse("What happens when there are too many requests? [[status: 429]]")
	markdown := converse("Show everything that an answer can contain. [[markdown]]")
	talk := converse("Show me a small reader in Go.", "And how would I test it?")
	p.choose("vendor/epsilon-5.6-core")
	comparison := converse("Compare server-sent events and WebSocket for streaming answers, as a table.")

	for _, view := range []struct{ name, path string }{
		{"comparison", comparison}, {"chat", talk}, {"markdown", markdown}, {"failed", failed}, {"empty", empty}, {"settings", "/settings"},
	} {
		p.open(view.path)
		if view.path != "/settings" && view.path != empty {
			p.settled()
		}
		if view.path == comparison {
			p.wait(`!!document.querySelector(".message .fold")`) // its reasoning, read again
		}
		for _, size := range []struct {
			name          string
			width, height int64
		}{{"wide", 1440, 900}, {"phone", 390, 844}, {"narrow", 320, 640}} {
			for _, dark := range []bool{true, false} {
				colours := "light"
				if dark {
					colours = "dark"
				}
				p.must(p.tab.Look(size.width, size.height, dark))
				p.wait(fmt.Sprintf(`innerWidth === %d && matchMedia("(prefers-color-scheme: %s)").matches`, size.width, colours))
				p.must(p.tab.Eval(nil, `new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(() => drawn(true))))`))
				var sideways int
				p.must(p.tab.Eval(&sideways, `document.documentElement.scrollWidth - innerWidth`))
				if sideways > 0 {
					t.Errorf("%s, %s: the page is %d px wider than the window", view.name, size.name, sideways)
				}
				picture, err := p.tab.Screenshot()
				if err != nil {
					t.Fatal(err)
				}
				name := fmt.Sprintf("%s-%s-%s.png", view.name, size.name, colours)
				if err := os.WriteFile(filepath.Join(dir, name), picture, 0o644); err != nil {
					t.Fatal(err)
				}
				if os.Getenv("SCREENTEST_README_SCREENSHOT") != "" && name == "comparison-wide-dark.png" {
					if err := os.WriteFile(filepath.Join(root, ".docs", "screenshot.png"), picture, 0o644); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		p.must(p.tab.Look(1440, 900, true))
	}
}
