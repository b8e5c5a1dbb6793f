package e2e

import "testing"

// What the gallery shows is in its address: a reload, Back, and the way back from
// a clip keep it.
func TestFiltersOfTheGalleryAreInItsAddress(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, "", fastClips...)
	m := w.makes()
	m.clip("beta-video-480p", "Dunes at noon", "6", nil)
	clip := m.clip("beta-video-480p", "A harbour at night", "6", nil)
	p := w.tab("/video")
	p.saved(clip.ID)
	shown := func(n, query string) {
		t.Helper()
		p.wait(`String(document.querySelectorAll(".tile").length) === "` + n + `" && location.pathname + location.search === "/video` + query + `"`)
	}
	shown("2", "")
	p.press("#standing-finished")
	shown("2", "?show=finished")
	p.click("#clip-search")
	p.keys("harb")
	shown("1", "?q=harb&show=finished")
	p.keys("our")
	shown("1", "?q=harbour&show=finished")
	p.reload()
	shown("1", "?q=harbour&show=finished")
	p.wait(`document.querySelector("#clip-search").value === "harbour" && document.querySelector("#standing-finished").ariaPressed === "true"`)

	p.click("#card-" + clip.ID + "-link")
	p.wait(`location.pathname === "/video/` + clip.ID + `" && document.querySelector("#clip-place")?.textContent === "1 of 1"`)
	p.click(".clip-back")
	shown("1", "?q=harbour&show=finished")
	p.press("#only-favourites")
	shown("0", "?favourites=1&q=harbour&show=finished")
	p.must(p.tab.Eval(nil, `history.back()`))
	shown("1", "?q=harbour&show=finished")
	p.wait(`document.querySelector("#only-favourites").ariaPressed === "false"`)
	p.press("#clear-filters")
	shown("2", "")
	p.must(p.tab.Eval(nil, `history.back()`))
	shown("1", "?q=harbour&show=finished")
	p.wait(`document.querySelector("#clip-search").value === "harbour"`)
	p.click(`.rail a[href="/video"]`)
	shown("2", "")
	p.wait(`document.querySelector("#clip-search").value === ""`)
}

// The order of the gallery is in its address too, and is that of the way through
// the pages of clips.
func TestOrderOfTheGallery(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, "", fastClips...)
	m := w.makes()
	long := m.clip("beta-video-480p", "Zebra", "10", nil)
	short := m.clip("beta-video-480p", "Anchor", "6", nil)
	p := w.tab("/video")
	p.saved(short.ID)
	first := func(id, query string) {
		t.Helper()
		p.wait(`document.querySelector(".tile")?.dataset.id === "` + id + `" && document.querySelectorAll(".tile").length === 2 && location.search === "` + query + `"`)
	}
	first(short.ID, "")
	for n, want := range []struct{ id, query string }{
		{short.ID, ""}, {long.ID, "?sort=oldest"}, {long.ID, "?sort=cost"}, {long.ID, "?sort=length"}, {short.ID, "?sort=name"},
	} {
		p.entry("#clips-sort", n)
		first(want.id, want.query)
	}
	p.entry("#clips-sort", 3)
	first(long.ID, "?sort=length")
	p.reload()
	first(long.ID, "?sort=length")
	p.shows("#clips-sort", 3)
	p.wait(`document.querySelector("#clear-filters").hidden`)
	p.click("#card-" + long.ID + "-link")
	p.wait(`document.querySelector("#clip-place")?.textContent === "1 of 2"`)
	p.click("#clip-next")
	p.wait(`location.pathname === "/video/` + short.ID + `"`)
}
