//go:build js && wasm

package video

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"syscall/js"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/figure"
	"screentest/app/ui/kit"
	"screentest/app/video"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// Gallery is the results beside the form.
type Gallery struct {
	app.Compo
	s    *Section
	Rev  int
	Said int // that may be of a team's
}

// OnMount implements app.Mounter.
func (g *Gallery) OnMount(app.Context) {
	defer g.s.Guard("the clips")
	g.s.results.mounted = true
	g.s.results.chunks.begin()
}

// OnUpdate implements app.Updater.
func (g *Gallery) OnUpdate(ctx app.Context) {
	ctx.Defer(func(app.Context) {
		defer g.s.Guard("the clips")
		g.s.results.chunks.observe()
		g.s.results.keep()
	})
}

// OnDismount implements app.Dismounter.
func (g *Gallery) OnDismount() { g.s.results.chunks.detach() }

// Render implements app.Composer.
func (g *Gallery) Render() (ui app.UI) {
	s := g.s
	defer s.Drawing("the clips", &ui)
	tasks := s.desk.Tasks
	var list []app.UI
	for n, from := 0, 0; from < len(tasks.List); n, from = n+1, from+chunkSize {
		to := min(from+chunkSize, len(tasks.List))
		list = append(list, &Chunk{s: s, Rev: s.rev.gallery, N: n, From: from, To: to, Near: s.results.chunks.near[n] || n == 0})
	}
	return kit.El("div", "gallery", kit.At{"id", "gallery", "data-selecting", tasks.Selection.On},
		kit.If(s.Reviews != nil && !s.phone(), s.whose),
		kit.If(s.Approvals != nil, func() app.UI { return s.Approvals.Strip(s.reuse) }),
		g.head(),
		g.filters(),
		g.warnings(),
		kit.Box("div", "cards", list),
		g.end(),
		g.selection(),
	)
}

// head are the standings, and the way to choose several.
func (g *Gallery) head() app.UI {
	s, tasks := g.s, g.s.desk.Tasks
	rare := []video.Standing{video.Expired, video.Unsettled, video.Trashed} // shown where there are any
	var list []kit.Choice
	for _, of := range []struct {
		standing video.Standing
		name     string
	}{
		{video.AnyStanding, "All"}, {video.Underway, "Running"}, {video.Finished, "Finished"}, {video.Failed, "Failed"},
		{video.Expired, "Expired"}, {video.Unsettled, "To settle"}, {video.Trashed, "Deleted"},
	} {
		n, on := tasks.StandingCount(of.standing), tasks.Filter.Standing == of.standing
		list = append(list, kit.Choice{
			ID: "standing-" + string(of.standing), Name: of.name, On: on,
			At:   kit.At{"hidden", n == 0 && !on && slices.Contains(rare, of.standing)},
			More: []any{kit.El("span", "faint", kit.At{"hidden", n == 0}, n)},
			Do: s.Do("standing "+of.name, func() {
				f := tasks.Filter
				f.Standing = of.standing
				s.find(f)
			}),
		})
	}
	return kit.Box("div", "line gallery-head",
		kit.Segments("Show clips by state", "", list),
		g.more(),
		kit.Button("wide-only", kit.At{"id", "select-clips", "aria-pressed", tasks.Selection.On,
			"hidden", tasks.Counts.All == 0 && len(tasks.List) == 0},
			s.Do("select", func() { tasks.Selection.Set(!tasks.Selection.On) }), "Select several"),
	)
}

// more opens the filters, which on a phone take no room before the clips.
func (g *Gallery) more() app.UI {
	s := g.s
	n := s.desk.Tasks.Filter.Narrowed()
	label, count := "Filters", ""
	if n > 0 {
		count = strconv.Itoa(n)
		label += ", " + count + " on"
	}
	return kit.Button("narrow-only", kit.At{"id", "clip-filters", "aria-label", label, "aria-expanded", s.results.filtering, "aria-controls", "gallery-filters",
		"hidden", s.desk.Tasks.Counts.All == 0 && !s.desk.Tasks.Filter.Any() && !s.phone()},
		s.Do("filters", func() {
			s.results.filtering = !s.results.filtering
			s.redrawResults()
		}), kit.Icon(kit.IconFilter, "icon small"), count)
}

// filters narrow the list down.
func (g *Gallery) filters() app.UI {
	s, tasks := g.s, g.s.desk.Tasks
	f := tasks.Filter
	text := f.Text
	if s.results.searching != nil {
		text = s.results.query
	}
	var modes, models, tags []kit.Option
	for _, m := range slices.Sorted(maps.Keys(tasks.Counts.Modes)) {
		modes = append(modes, kit.Option{Value: m, Name: video.ModeName(gateway.Mode(m))})
	}
	for _, m := range slices.Sorted(maps.Keys(tasks.Counts.Models)) {
		models = append(models, kit.Option{Value: m, Name: m})
	}
	for _, t := range tasks.Counts.Tags {
		tags = append(tags, kit.Option{Value: t.Tag, Name: "#" + t.Tag + " (" + figure.Count(int64(t.Count)) + ")"})
	}
	return kit.El("div", "line gallery-filters", kit.At{"id", "gallery-filters", "data-open", s.results.filtering,
		"hidden", tasks.Counts.All == 0 && !f.Any() && !s.phone()},
		kit.If(s.phone(), s.whose),
		kit.Box("label", "field field-box gallery-search",
			kit.Icon(kit.IconSearch, "icon small"),
			kit.Box("span", "sr-only", "Search the clips"),
			s.Field("clip-search", "", kit.At{"type", "search", "placeholder", "Search prompts, titles, tags", "maxlength", 200}, text, s.search),
		),
		s.choose("mode", "Any kind", modes, f.Mode, func(f *video.Filter, v string) { f.Mode = v }),
		s.choose("model", "Any model", models, f.Model, func(f *video.Filter, v string) { f.Model = v }),
		s.choose("tag", "Any tag", tags, f.Tag, func(f *video.Filter, v string) { f.Tag = v }),
		kit.Button("", kit.At{"id", "only-favourites", "aria-pressed", f.Favourite}, s.Do("favourites", func() {
			f := tasks.Filter
			f.Favourite = !f.Favourite
			s.find(f)
		}), kit.Icon(iconStar, "icon small"), "Favourites"),
		s.sorts(),
		kit.Button("narrow-only", kit.At{"id", "select-some", "aria-pressed", tasks.Selection.On, "hidden", tasks.Counts.All == 0},
			s.Do("select some", func() { tasks.Selection.Set(!tasks.Selection.On) }), "Select several"),
		kit.Button("plain", kit.At{"id", "clear-filters", "hidden", !f.Any()}, s.Do("clear", s.clearFilters), "Clear"),
	)
}

// sorts is the order of the clips.
func (s *Section) sorts() app.UI {
	options := kit.Options("", "Newest first", string(wire.ClipsOldest), "Oldest first")
	f := s.desk.Tasks.Filter
	if f.Standing != video.Trashed {
		options = append(options, kit.Options(string(wire.ClipsCost), "Highest price first", string(wire.ClipsLength), "Longest first", string(wire.ClipsName), "By name")...)
	}
	return s.Select("clips-sort", "Order", "field fits", nil, string(f.Sort), options, func(chosen string) {
		f := s.desk.Tasks.Filter
		f.Sort = wire.VideoSort(chosen)
		s.find(f)
	})
}

// choose is a list to choose a filter from. It is there as long as there is
// something to choose.
func (s *Section) choose(id, all string, choices []kit.Option, value string, set func(*video.Filter, string)) app.UI {
	options := append(kit.Options("", all), choices...)
	return s.Select("filter-"+id, all, "field fits", kit.At{"hidden", len(choices) == 0 && value == ""}, value, options, func(chosen string) {
		f := s.desk.Tasks.Filter
		set(&f, chosen)
		s.find(f)
	})
}

// search waits until the typing rests.
func (s *Section) search(text string) {
	s.endTyping()
	s.results.query = text
	s.results.searching = s.After(200*time.Millisecond, func() {
		s.results.searching = nil
		f := s.desk.Tasks.Filter
		f.Text = text
		s.find(f)
	})
}

// find shows what a filter asks for, which the address then says. Each is a step
// for the browser's Back, but that words typed one after the other are one.
func (s *Section) find(f video.Filter) {
	tasks := s.desk.Tasks
	typing := f.Text != "" && tasks.Filter.Text != "" && f.Text != tasks.Filter.Text
	tasks.Find(f)
	if typing && s.view == viewDesk {
		js.Global().Get("history").Call("replaceState", nil, "", s.clipsPath())
		return
	}
	s.Context().Navigate(s.clipsPath())
}

// clipsPath is the address of the gallery as it is filtered.
func (s *Section) clipsPath() string { return Path + s.desk.Tasks.Filter.Address() }

// filtered takes the filter from the gallery's address.
func (s *Section) filtered(query url.Values) {
	f, tasks := video.FilterOf(query), s.desk.Tasks
	if query.Has("team") || f == tasks.Filter {
		return // a team's gallery is filtered by itself
	}
	s.endTyping()
	if s.desk.Greeted {
		tasks.Find(f)
	} else {
		tasks.Filter = f // asked for with the greeting
	}
}

// endTyping forgets what was typed into the search and not looked for yet.
func (s *Section) endTyping() {
	if stop := s.results.searching; stop != nil {
		s.results.searching = nil
		stop()
	}
}

func (s *Section) clearFilters() {
	s.endTyping()
	s.find(video.Filter{Sort: s.desk.Tasks.Filter.Sort})
	s.DOM.Focus("#standing-")
}

// warnings are what concerns many clips at once.
func (g *Gallery) warnings() app.UI {
	s, tasks := g.s, g.s.desk.Tasks
	a := &tasks.Archive
	return kit.Box("div", "gallery-warnings",
		kit.If(tasks.Filter.Standing == video.Trashed, func() app.UI { return g.trashNote() }),
		kit.If(tasks.KeyPaused() > 0, func() app.UI {
			return kit.Notice(kit.Bad, "strip", kit.At{"id", "paused", "role", "status"},
				kit.Box("span", "push", figure.Plural(tasks.KeyPaused(), "clip is", "clips are")+" being made, but the gateway refuses the key, or none is entered. Nothing has failed; enter the key to follow along."),
				kit.El("a", "button", kit.At{"href", "/settings"}, "Enter the key"),
			)
		}),
		kit.If(tasks.Archive.Ready && a.Warn, func() app.UI {
			return kit.Notice(kit.Warn, "strip", kit.At{"id", "archive-warning", "role", "status"},
				kit.Box("span", "push", a.Warning()),
				kit.El("a", "button", kit.At{"href", "/settings#settings-archive"}, "Archive settings"),
			)
		}),
		kit.If(s.canAskToNotify() && tasks.StandingCount(video.Underway) > 0, func() app.UI {
			return kit.Notice(kit.Info, "strip", kit.At{"id", "notify-offer"},
				kit.Box("span", "push", "You can leave this page; your clips keep going."),
				kit.Button("", nil, s.Do("notify", s.askToNotify), "Tell me when they finish"),
			)
		}),
	)
}

// end is what stands below the cards: nothing yet, more, or what went wrong.
func (g *Gallery) end() app.UI {
	s, tasks := g.s, g.s.desk.Tasks
	switch {
	case tasks.Problem != nil:
		return kit.Notice(kit.Bad, "", kit.At{"role", "alert"},
			kit.Box("p", "", tasks.Problem.Message),
			kit.SayIf("p", "todo", tasks.Problem.Hint),
			kit.Button("", nil, s.Do("again", tasks.Start), "Try again"),
		)
	case !tasks.Ready && len(tasks.List) == 0:
		return kit.Box("p", "soft", "Loading clips…")
	case tasks.More:
		return kit.Box("div", "gallery-more",
			kit.Button("", kit.At{"id", "gallery-older", "disabled", tasks.Loading}, s.Do("older", tasks.FetchMore), "Show older"),
		)
	case len(tasks.List) > 0:
		return kit.Nothing()
	case tasks.Filter.Any():
		words, f := "No clips match.", tasks.Filter
		if f == (video.Filter{Standing: video.Trashed, Sort: f.Sort}) {
			words = "No deleted clips."
		}
		return kit.Empty("page",
			kit.Box("p", "", words),
			kit.Button("", nil, s.Do("show all", s.clearFilters), "Show all clips"),
		)
	case s.Guest:
		return s.GuestStart()
	}
	return kit.Empty("page",
		kit.SVG("svg", kit.At{"class", "gallery-art", "viewBox", "0 0 160 90", "aria-hidden", "true"},
			kit.SVG("rect", kit.At{"x", "1", "y", "1", "width", "158", "height", "88", "rx", "8"}),
			kit.SVG("path", kit.At{"d", "M70 30v30l26-15z"}),
		),
		kit.Box("p", "", "Your clips appear here, and stay playable after the gateway deletes its own copies."),
		kit.Button("primary", kit.At{"id", "example"}, s.Do("example", s.example), "Try an example video"),
	)
}

// examplePrompt shows what a prompt may say: who, where, the light, the camera.
const examplePrompt = "A paper boat crosses a flooded street at dusk, rain rings on the water, slow push in"

// example puts an example into the form. What it costs stands by the button,
// which gets the focus.
func (s *Section) example() {
	s.desk.Form.Example(examplePrompt)
	s.openForm()
	s.focusSoon("create")
}

// reducedMotion says that the person wants nothing to move unasked.
func reducedMotion() bool {
	return js.Global().Call("matchMedia", "(prefers-reduced-motion: reduce)").Get("matches").Bool()
}
