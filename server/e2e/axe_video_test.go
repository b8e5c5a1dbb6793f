package e2e

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"screentest/server/e2e/rig"
	"screentest/shared/wire"
)

// advance moves the clock of a sandbox.
func advance(t *testing.T, sandbox *rig.Program, by string) {
	t.Helper()
	ask(t, sandbox, http.MethodPost, "/sandbox/clock", `{"advance":"`+by+`"}`)
}

// check has the gateway asked about a task now.
func (m *makes) check(id string) {
	m.t.Helper()
	if err := m.c.Call(context.Background(), wire.OpVideoCheck, wire.Target{ID: id}, nil); err != nil {
		m.t.Fatal(err)
	}
}

// The video desk in every state that a clip and the form can be in.
func TestAxeFindsNothingOnTheVideoDesk(t *testing.T) {
	t.Parallel()
	source := axeCore(t)
	// At the pace of life nothing ends by itself while the test looks; the
	// clock is moved for what is to end.
	sandbox := startSandboxAt(t, "127.0.0.1:0", "60", "-speed", "1")
	w := newWorld(t, newLossyGateway(t, sandbox.URL).URL)
	p := w.keyed("/video")
	m := w.makes()

	old := m.clip("beta-video-480p", "A clip of last month", "6", nil)
	p.underway(old.ID)
	advance(t, sandbox, "1h")
	m.check(old.ID)
	p.saved(old.ID)
	advance(t, sandbox, "360h")
	m.check(old.ID)
	p.becomes(old.ID, wire.VideoExpired)
	first := m.clip("beta-video-720p", "Glacier calving, slow push in", "6", nil)
	second := m.clip("beta-video-480p", "Moss growing over stone", "6", nil)
	failed := m.clip("gamma-2-480p", "Crowd of dancers [[fail: refused by the content filter]]", "5", nil)
	gone := m.clip("delta-3.0-720p", "Nobody wants it", "5", nil)
	for _, clip := range []wire.VideoTask{first, second, failed, gone} {
		p.underway(clip.ID)
	}
	advance(t, sandbox, "1h")
	for _, clip := range []wire.VideoTask{first, second, failed, gone} {
		m.check(clip.ID)
	}
	p.saved(first.ID)
	p.saved(second.ID)
	p.saved(gone.ID)
	if err := m.c.Call(context.Background(), wire.OpVideoDelete, wire.Target{ID: gone.ID}, nil); err != nil {
		t.Fatal(err)
	}
	p.becomes(failed.ID, wire.VideoFailed)
	first = m.task(first.ID) // with the id that an extend names
	extend := m.clip("beta-video-720p-extend", "And on it goes", "6", &first)
	unknown := m.clip("beta-video-480p", "early: a windmill", "6", nil)
	p.underway(extend.ID)
	p.becomes(unknown.ID, wire.VideoUnknown)

	gallery := fmt.Sprintf(`document.querySelectorAll(".tile").length === 6 && !!document.querySelector(%q)`, tile(unknown.ID, ".settling"))
	clips := func(p *page) {
		if p.number("innerWidth") < 800 {
			p.press(`#video-tab-results`)
		}
	}
	card := func(id, button, wait string) func(p *page) {
		return func(p *page) {
			clips(p)
			p.press("#card-" + id + "-" + button)
			p.wait(wait)
		}
	}
	views := []axeView{
		{name: "gallery", path: "/video", wait: gallery, do: clips},
		{name: "card menu", path: "/video", wait: gallery, do: card(first.ID, "more", `!!document.querySelector(".tile-menu")`)},
		{name: "card menu of a failure", path: "/video", wait: gallery, do: card(failed.ID, "more", `!!document.querySelector(".tile-menu small:not([hidden])")`)},
		{name: "card tags", path: "/video", wait: gallery, do: func(p *page) {
			card(first.ID, "more", `!!document.querySelector(".tile-menu")`)(p)
			p.press("#card-" + first.ID + "-retag")
			p.wait(`!!document.querySelector(".tag-form")`)
		}},
		{name: "selection", path: "/video", wait: gallery, do: func(p *page) {
			clips(p)
			p.press("#select-clips")
			p.press("#card-" + first.ID + "-choose")
			p.says("#selection", "1 clip chosen")
		}},
		{name: "tags of several", path: "/video", wait: gallery, do: func(p *page) {
			clips(p)
			p.press("#select-clips")
			p.press("#choose-shown")
			p.says("#selection", "6 clips chosen")
			p.press("#tag-chosen")
			p.wait(`document.activeElement?.id === "chosen-tags"`)
		}},
		{name: "several deleted ones", path: "/video?show=deleted", wait: `document.querySelectorAll(".tile").length === 1`, do: func(p *page) {
			clips(p)
			p.press("#select-clips")
			p.press("#choose-shown")
			p.says("#selection", "1 clip chosen")
			p.press("#purge-chosen")
			p.wait(`document.activeElement?.id === "keep-chosen"`)
		}},
		{name: "menu of a clip", path: "/video/" + first.ID, wait: `!!document.querySelector("#clip-more")`, do: func(p *page) {
			p.press("#clip-more")
			p.wait(`document.querySelector("#clip-delete").checkVisibility()`)
		}},
		{name: "frames of a clip", path: "/video/" + first.ID, wait: `!!document.querySelector("#clip-use")`, do: func(p *page) {
			p.press("#clip-use")
			p.wait(`document.querySelector("#clip-take").checkVisibility()`)
		}},
		{name: "no clip is like that", path: "/video", wait: gallery, do: func(p *page) {
			clips(p)
			p.press("#only-favourites")
			p.says("#gallery", "No clips match")
		}},
		{name: "deleted clips", path: "/video", wait: gallery, do: func(p *page) {
			clips(p)
			p.press("#standing-deleted")
			p.press("#card-" + gone.ID + "-purge")
			p.wait(fmt.Sprintf(`!!document.querySelector("#card-%s-keep")`, gone.ID))
		}},
		{name: "the same on several models", path: "/video", wait: gallery, do: func(p *page) {
			p.mode("text-to-video")
			for _, id := range []string{"gamma-2-480p", "beta-video-480p"} {
				p.must(p.tab.Eval(nil, `(s => { s.value = "`+id+`"; s.dispatchEvent(new Event("change", {bubbles: true})) })(document.getElementById("also-model"))`))
				p.wait(`!!document.querySelector('#also [data-model="` + id + `"]')`)
			}
		}},
		{name: "clips for a slot", path: "/video", wait: gallery, do: func(p *page) {
			p.mode("image-to-video")
			p.press(`[id="pick-clips-image_urls[0]"]`)
			p.wait(`!!document.querySelector("#slot-picker li")`)
		}},
		{name: "compare", path: "/video/compare?ids=" + first.ID + "," + second.ID, wait: `[...document.querySelectorAll(".compare-clip")].filter(v => v.readyState >= 1).length === 2`},
		{name: "archive settings", path: "/settings/archive", wait: `!!document.querySelector("#archive-use")`, do: func(p *page) {
			p.must(p.tab.Eval(nil, `(e => { e.value = "a lot"; e.dispatchEvent(new Event("input", {bubbles: true})) })(document.querySelector("#archive-quota"))`))
			p.press("#archive-save")
			p.wait(`!!document.querySelector("#archive-outcome.bad")`)
		}},
		{name: "no such clip", path: "/video/00000000-0000-4000-8000-000000000000", wait: `!!document.querySelector(".empty a[href='/video']")`},
	}
	for name, clip := range map[string]wire.VideoTask{"finished": first, "failed": failed, "unknown": unknown, "expired": old, "running": extend, "deleted": gone} {
		views = append(views, axeView{name: "clip, " + name, path: "/video/" + clip.ID, wait: `!!document.querySelector("#clip-state")`})
	}
	// The form of each mode: something is typed, and the button names what is
	// missing and has led there.
	for _, mode := range []string{"text-to-video", "image-to-video", "first-last-frame", "reference-video", "multi-shot", "motion-control", "extend", "upscale"} {
		views = append(views, axeView{name: "form, " + mode, path: "/video", wait: `!!document.querySelector("#form")`, do: func(p *page) {
			if p.number("innerWidth") < 800 {
				p.press(`#video-tab-form`)
			}
			p.mode(mode)
			p.must(p.tab.Eval(nil, `document.querySelector("#request-fold").open = true`))
			p.press("#create")
			p.wait(`document.querySelector("#create").dataset.ready === undefined || document.querySelector("#create").classList.contains("missing")`)
			p.wait(`document.activeElement?.closest(".form-fields") !== null`)
		}})
	}
	p.axeFindsNothing(source, views)
}
