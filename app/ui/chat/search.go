//go:build js && wasm

package chat

import (
	"strconv"
	"strings"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/chat"
	"screentest/app/figure"
	"screentest/app/ui/kit"
	"screentest/shared/money"
	"screentest/shared/wire"
)

// searchForm is what the search in the list's head asks for.
type searchForm struct {
	query string
	kind  string
	model string
	state string
	cost  string // least dollars; "0" is what cost nothing
	days  string // "1" is today
	here  bool   // in the conversation shown
	open  bool   // the filters are shown
}

// search is the search in the list's head.
type search struct {
	p      *Page
	form   searchForm
	finder *chat.Finder
}

// query is the form as the server understands it.
func (s *search) query(f searchForm) wire.Search {
	p := s.p
	q := wire.Search{Query: f.query, Model: f.model, State: wire.RunState(f.state), Limit: 30}
	if f.kind != "" {
		q.Kinds = []string{f.kind}
	}
	if f.cost == "0" {
		q.MaxNanoUSD = new(int64)
	} else if least, err := money.ParseUSD(f.cost); err == nil {
		q.MinNanoUSD = (*int64)(&least)
	}
	if days, err := strconv.Atoi(f.days); err == nil && days > 0 {
		q.FromMS = kit.Midnight(days - 1).UnixMilli()
	}
	if f.here && p.chat.Current != nil {
		q.Conversation = p.chat.Current.ID
	}
	return q
}

// set searches for what the form says, which is drawn with it.
func (s *search) set(f searchForm) {
	s.form = f
	s.p.Put("search", f.query) // it may have the focus
	s.ask()
}

// ask searches for what the form says now.
func (s *search) ask() { s.finder.Ask(s.query(s.form)) }

// focus goes to the search field, where the list is shown.
func (s *search) focus() {
	p := s.p
	if p.DOM.ByID("search").Call("checkVisibility", map[string]any{"visibilityProperty": true}).Bool() {
		p.DOM.Focus("#search")
		p.DOM.ByID("search").Call("select")
		return
	}
	p.o.ShowList(true) // a phone
	if !p.shown {
		p.Context().Navigate(p.Item().Path)
	}
	p.After(200*time.Millisecond, func() { p.DOM.Focus("#search") })
}

// here searches in the conversation shown.
func (s *search) here() {
	s.set(searchForm{here: true, open: true})
	s.focus()
}

// moved asks anew when a search in the conversation shown would show
// what was found in the one before.
func (s *search) moved() {
	if f := s.form; f.here {
		f.here = s.p.chat.Current != nil
		s.set(f)
	}
}

// searchBox is the head of the list: the field and its filters.
func (s *Side) searchBox() app.UI {
	p := s.p
	f := p.search.form
	return kit.El("div", "search", kit.At{"role", "search"},
		kit.Box("div", "field field-box",
			kit.Icon(kit.IconSearch, "icon small"),
			p.Field("search", "", kit.At{"type", "search", "placeholder", "Search", "aria-label", "Search everything", "maxlength", 200,
				"onkeydown", p.On("search-key", s.onSearchKey)}, f.query, func(text string) {
				p.search.form.query = text
				p.search.ask()
			}),
			kit.El("button", "search-keys", kit.At{"type", "button", "aria-label", "Ctrl K: find anything", "title", "Find anything",
				"onclick", p.Do("palette", func() { p.o.OpenPalette() })},
				kit.Box("kbd", "", "Ctrl K")),
			kit.IconButton("small", "Filters", kit.IconFilter, kit.At{"id", "filters",
				"aria-expanded", f.open, "aria-controls", "search-filters"},
				p.Do("filters", func() {
					p.search.form.open = !p.search.form.open
					p.changed(chat.PartList)
				})),
		),
		kit.El("div", "search-filters", kit.At{"id", "search-filters", "hidden", !f.open},
			s.filter("search-kind", "Kind", f.kind, kit.Options(
				"", "Everything", wire.HitQuestion, "Questions", wire.HitAnswer, "Answers", wire.HitTool, "Function calls",
				wire.HitError, "Errors", wire.HitVideo, "Videos", wire.HitTitle, "Titles",
			), func(f *searchForm, v string) { f.kind = v }),
			s.filter("search-model", "Model", f.model, p.modelOptions(), func(f *searchForm, v string) { f.model = v }),
			s.filter("search-state", "State", f.state, kit.Options(
				"", "Any state", "done", "Done", "stopped", "Stopped", "failed", "Failed",
				"incomplete", "Incomplete", "interrupted", "Interrupted",
			), func(f *searchForm, v string) { f.state = v }),
			s.filter("search-cost", "Cost", f.cost, kit.Options(
				"", "Any cost", "0", "Nothing", "0.001", "$0.001 and more", "0.01", "1 cent and more",
				"0.1", "10 cents and more", "1", "$1 and more",
			), func(f *searchForm, v string) { f.cost = v }),
			s.filter("search-days", "Time", f.days, kit.Options(
				"", "Any time", "1", "Today", "7", "7 days", "30", "30 days", "365", "A year",
			), func(f *searchForm, v string) { f.days = v }),
			kit.Box("label", "check",
				p.Switch("search-here", "", kit.At{"disabled", p.chat.Current == nil}, f.here, func(on bool) {
					p.search.form.here = on
					p.search.ask()
				}),
				kit.Box("span", "", "In this conversation"),
			),
		),
	)
}

func (p *Page) modelOptions() []kit.Option {
	all := kit.Options("", "Any model")
	for _, id := range p.session.AllModels() {
		all = append(all, kit.Option{Value: id, Name: id})
	}
	return all
}

func (s *Side) filter(id, label, value string, options []kit.Option, set func(*searchForm, string)) app.UI {
	p := s.p
	return p.Select(id, label, "field", nil, value, options, func(chosen string) {
		set(&p.search.form, chosen)
		p.search.ask()
	})
}

func (s *Side) onSearchKey(ctx app.Context, e app.Event) {
	ctx.PreventUpdate()
	p := s.p
	switch key := e.Get("key").String(); {
	case kit.Composing(e.Value):
	case key == "Escape":
		if p.search.finder.On() || p.search.form.open {
			e.PreventDefault()
			p.search.set(searchForm{})
		}
	case key == "ArrowDown":
		e.PreventDefault()
		p.DOM.Focus(".side-list a")
	case key == "Enter":
		e.PreventDefault()
		if hits := p.search.finder.Shown(); len(hits) > 0 && p.search.finder.Ready {
			p.OpenHit(hits[0])
		}
	}
}

// hits is the list of what was found.
func (s *Side) hits() app.UI {
	p := s.p
	f := p.search.finder
	hits := f.Shown()
	words := ""
	switch {
	case f.Problem != nil, f.Busy && len(hits) == 0:
	case len(hits) == 0:
		words = "Nothing found. All words must match; try fewer words or filters."
	case f.More():
		words = "The newest " + figure.Count(int64(len(hits)))
	case len(hits) == 1:
		words = "1 result"
	default:
		words = figure.Count(int64(len(hits))) + " results"
	}
	if f.Behind && words != "" {
		words = strings.TrimSuffix(words, ".") + ". The newest messages aren’t searchable yet."
	}
	return kit.El("section", "hits", kit.At{"id", "hits", "aria-label", "Search results", "aria-busy", f.Busy},
		kit.Box("div", "hits-head",
			kit.El("span", "", kit.At{"id", "hits-count", "role", "status"}, words),
			kit.El("button", "link", kit.At{"id", "search-clear", "type", "button",
				"onclick", p.Do("search-clear", func() { p.search.set(searchForm{}); p.DOM.Focus("#search") })}, "Clear"),
		),
		kit.If(f.Problem != nil, func() app.UI {
			return kit.Notice(kit.Bad, "side-problem", kit.At{"role", "alert"},
				kit.Box("p", "", "Search failed. "+f.Problem.Message+" "+f.Problem.Hint),
				kit.Button("", nil, p.Do("search-again", func() { f.Again() }), "Search again"),
			)
		}),
		kit.If(f.Problem == nil && f.Busy && len(hits) == 0, func() app.UI {
			return kit.Empty("", "Searching…")
		}),
		kit.Times(len(hits), func(i int) app.UI { return s.hit(hits[i]) }),
		kit.If(f.More(), func() app.UI {
			return kit.Button("wide", kit.At{"disabled", f.Busy}, p.Do("search-more", func() { f.FetchMore() }), "Show older")
		}),
	)
}

func (s *Side) hit(h wire.Hit) app.UI {
	p := s.p
	about := []string{kindName(h)}
	if h.Model != "" && h.Kind != wire.HitQuestion {
		about = append(about, h.Model)
	}
	switch h.State {
	case "", wire.Done:
	default:
		about = append(about, string(h.State))
	}
	shown := p.place.reached == h.Message && h.Message != ""
	return kit.El("a", "hit", kit.At{"href", hitPath(h), "title", TitleOf(h.Title), "aria-current", kit.When(shown, "true"),
		"onclick", p.On("hit "+h.Conversation+h.Share+h.Message+h.Kind, func(_ app.Context, e app.Event) {
			if e.Get("ctrlKey").Bool() || e.Get("metaKey").Bool() {
				return
			}
			e.PreventDefault()
			e.Call("stopPropagation")
			p.OpenHit(h)
		})},
		kit.If(h.Title != "" || h.Kind != wire.HitVideo, func() app.UI { return kit.Box("span", "hit-title cut written", TitleOf(h.Title)) }),
		kit.Box("span", "hit-text written", kit.Marked(h.Snippet, h.Marks)),
		kit.Box("span", "row-sub",
			kit.If(h.Share != "", func() app.UI { return sharedBy(h) }),
			kit.Box("span", "row-models cut", strings.Join(about, " · ")),
			kit.Box("span", "figure", day(h.CreatedMS)),
		),
	)
}

// sharedBy says of what was found whose it is, where it is another's.
func sharedBy(h wire.Hit) app.UI {
	return kit.El("span", "hit-shared cut", kit.At{"title", "Shared by " + h.By}, kit.Icon(kit.IconShare, "icon small"), kit.Box("span", "sr-only", "Shared by "), h.By)
}

func kindName(h wire.Hit) string {
	switch h.Kind {
	case wire.HitQuestion:
		return "Question"
	case wire.HitAnswer:
		return "Answer"
	case wire.HitTool:
		return "Function"
	case wire.HitError:
		return "Error"
	case wire.HitVideo:
		return "Video"
	}
	if h.Video != "" {
		return "Video"
	}
	return "Title"
}

// day is a time as short as it can be told: the hour today, else the day.
func day(ms int64) string {
	t, now := kit.Wall(ms), kit.Wall(time.Now().UnixMilli())
	switch {
	case t.Year() == now.Year() && t.YearDay() == now.YearDay():
		return t.Format("15:04")
	case t.Year() == now.Year():
		return t.Format("2 Jan")
	}
	return t.Format("2 Jan 2006")
}

// TitleOf is how a title is shown.
func TitleOf(title string) string {
	if title == "" {
		return "Untitled"
	}
	return title
}
