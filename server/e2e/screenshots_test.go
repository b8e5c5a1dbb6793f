package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"screentest/server/e2e/rig"
	"screentest/shared/wire"
)

// readmePictures are the pictures of build/screenshots that the README shows;
// with SCREENTEST_README_SCREENSHOT set they are kept in .docs.
var readmePictures = map[string]bool{"lanes-wide-dark.png": true, "video-wide-dark.png": true}

// album keeps pictures of pages in build/screenshots.
type album struct {
	p    *page
	root string
}

func newAlbum(p *page) album {
	p.w.t.Helper()
	root, err := rig.Root()
	p.must(err)
	p.must(os.MkdirAll(filepath.Join(root, "build", "screenshots"), 0o755))
	return album{p, root}
}

// add takes the page as it stands, wide, phone and narrow, dark and light, and
// checks on each that nothing scrolls sideways.
func (a album) add(view string) {
	p := a.p
	p.w.t.Helper()
	for _, size := range []struct {
		name          string
		width, height int64
	}{{"wide", 1440, 900}, {"phone", 390, 844}, {"narrow", 320, 640}} {
		for _, colours := range []string{"light", "dark"} {
			p.looks(size.width, size.height, colours == "dark")
			if sideways := p.number(`document.documentElement.scrollWidth - innerWidth`); sideways > 0 {
				p.w.t.Errorf("%s, %s: the page is %.0f px wider than the window", view, size.name, sideways)
			}
			picture, err := p.tab.Screenshot()
			p.must(err)
			name := fmt.Sprintf("%s-%s-%s.png", view, size.name, colours)
			p.must(os.WriteFile(filepath.Join(a.root, "build", "screenshots", name), picture, 0o644))
			if os.Getenv("SCREENTEST_README_SCREENSHOT") != "" && readmePictures[name] {
				p.must(os.WriteFile(filepath.Join(a.root, ".docs", name), picture, 0o644))
			}
		}
	}
	p.must(p.tab.Look(1440, 900, true))
}

func TestScreenshots(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.allow = append(w.allow, "429")
	p := w.tab("/")
	pictures := newAlbum(p)
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
	for _, view := range []struct{ name, path string }{
		{"chat", talk}, {"markdown", markdown}, {"failed", failed}, {"empty", "/"}, {"settings", "/settings/data"},
	} {
		p.open(view.path)
		switch view.name {
		case "settings":
			p.wait(`!!document.querySelector("#settings-data")`)
		case "empty":
			p.wait(`!!document.querySelector(".example")`)
		default:
			p.settled()
		}
		pictures.add(view.name)
	}

	p.open("/")
	p.compare("vendor/model-a", "vendor/epsilon-5.6-core", "vendor/beta-4.6")
	p.sendAll("How does back-pressure keep a stream honest?")
	p.allSettled()
	p.wait(`document.querySelectorAll(".rank:not([hidden])").length > 1`)
	pictures.add("lanes")

	p.open("/spend")
	p.wait(`!!document.querySelector("main h1") && document.querySelectorAll("tbody tr").length > 2`)
	pictures.add("spend")
}

func TestScreenshotsOfVideo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	p := w.tab("/video")
	pictures := newAlbum(p)
	p.wait(`!!document.querySelector("#f-prompt")`)
	pictures.add("video-empty")

	m := w.makes()
	m.clip("gamma-2-480p", "A crowd of dancers under paper lanterns [[fail: refused by the content filter]]", "5", nil)
	clips := []wire.VideoTask{
		m.clip("beta-video-480p", "Moss growing over stone, time-lapse", "6", nil),
		m.clip("gamma-2-720p", "A paper boat drifts down a rainy street, dusk, shallow focus", "8", nil),
		m.clip("delta-3.0-720p", "Slow pan over a mountain lake at first light", "5", nil),
		m.clip("alpha-3.1-fast", "A lighthouse in a storm, seen from the sea", "8", nil),
	}
	for _, c := range clips {
		p.saved(c.ID)
		p.wait(fmt.Sprintf(`document.querySelector(%q)?.naturalWidth > 0`, tile(c.ID, "img.tile-picture")))
	}
	p.must(p.tab.Eval(nil, `document.querySelector("#f-prompt").focus()`))
	p.keys("A kite above the dunes, wide lens, golden hour")
	m.clip("beta-video-720p", "Fireflies over a summer meadow", "10", nil) // under way for some seconds only
	p.wait(`!!document.querySelector('.tile:is([data-state="queued"], [data-state="running"])')`)
	pictures.add("video")

	p.open("/video/" + clips[1].ID)
	p.wait(`(document.querySelector("main video")?.readyState ?? 0) >= 2`)
	pictures.add("clip")
}
