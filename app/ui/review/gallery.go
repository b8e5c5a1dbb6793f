//go:build js && wasm

package review

import (
	"net/url"
	"strconv"
	"syscall/js"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/review"
	"screentest/app/ui/kit"
	"screentest/shared/wire"
)

// Team shows the gallery of a team that an address of the gallery names, or none.
func (s *Section) Team(query url.Values) { s.desk.Gallery.Show(query.Get("team"), query.Get("state")) }

// Shows says that a team's gallery is shown in place of one's own.
func (s *Section) Shows() bool { return s.desk.Gallery.Team != "" }

// Whose chooses between one's own clips and those of the teams that one is in.
func (s *Section) Whose() app.UI {
	me := s.o.Session.Me()
	if me == nil || len(me.Teams) == 0 {
		return kit.Nothing()
	}
	shown := s.desk.Gallery.Team
	list := []kit.Choice{{ID: "clips-mine", Name: "Mine", On: shown == "", To: videos}}
	for _, t := range me.Teams {
		list = append(list, kit.Choice{ID: "clips-" + t.ID, Name: t.Name, On: shown == t.ID, To: galleryPath(t.ID, "")})
	}
	return kit.Segments("Whose clips", "", list)
}

func galleryPath(team, state string) string {
	q := url.Values{"team": {team}}
	if state != "" {
		q.Set("state", state)
	}
	return videos + "?" + q.Encode()
}

// Gallery are the clips that a team shows itself.
type Gallery struct {
	app.Compo
	s   *Section
	Rev int
}

// Gallery draws them.
func (s *Section) Gallery() app.UI { return &Gallery{s: s, Rev: s.Rev()} }

// more asks for older clips as one gets near to the end.
type more struct {
	s        *Section
	observer js.Value
	onSeen   js.Func
}

// observe looks at the button for older clips.
func (m *more) observe() {
	if !m.observer.Truthy() {
		m.onSeen = js.FuncOf(func(_ js.Value, args []js.Value) any {
			entries := args[0]
			m.s.Post(func() {
				for i := range entries.Length() {
					if entries.Index(i).Get("isIntersecting").Bool() {
						m.s.desk.Gallery.FetchMore()
					}
				}
			})
			return nil
		})
		m.observer = js.Global().Get("IntersectionObserver").New(m.onSeen, map[string]any{
			"root": m.s.DOM.ByID("video-results"), "rootMargin": "900px 0px",
		})
	}
	m.observer.Call("disconnect") // so that it looks again at one that stayed in sight
	if el := m.s.DOM.ByID("team-older"); el.Truthy() {
		m.observer.Call("observe", el)
	}
}

func (m *more) end() {
	if m.observer.Truthy() {
		m.observer.Call("disconnect")
		m.onSeen.Release()
	}
	m.observer = js.Undefined()
}

// OnMount implements app.Mounter.
func (g *Gallery) OnMount(ctx app.Context) { g.observe(ctx) }

// OnUpdate implements app.Updater.
func (g *Gallery) OnUpdate(ctx app.Context) { g.observe(ctx) }

// OnDismount implements app.Dismounter.
func (g *Gallery) OnDismount() { g.s.more.end() }

func (g *Gallery) observe(ctx app.Context) {
	ctx.Defer(func(app.Context) {
		defer g.s.Guard("the clips of a team")
		g.s.more.observe()
	})
}

// Render implements app.Composer.
func (g *Gallery) Render() (ui app.UI) {
	s := g.s
	defer s.Drawing("the clips of a team", &ui)
	of := &s.desk.Gallery
	states := []kit.Choice{{ID: "state-all", Name: "All", On: of.State == "", To: galleryPath(of.Team, "")}}
	for _, st := range review.States {
		states = append(states, kit.Choice{ID: "state-" + st.State, Name: st.Name, On: of.State == st.State, To: galleryPath(of.Team, st.State)})
	}
	return kit.El("div", "gallery", kit.At{"id", "team-gallery"},
		s.Whose(),
		kit.Segments("Show clips by the state of their review", "", states),
		kit.Box("div", "cards", kit.Box("div", "chunk", kit.Times(len(of.Clips), func(i int) app.UI { return s.card(of.Clips[i]) }))),
		g.end(of),
	)
}

// card leads to a clip.
func (s *Section) card(c wire.TeamClip) app.UI {
	to := Path + c.Share
	if c.Clip != "" {
		to = videos + "/" + c.Clip
	}
	name, tone := review.StateWords(c.State)
	id := "shared-" + c.Share
	return kit.El("article", "tile", kit.At{"data-share", c.Share, "data-review", c.State, "aria-labelledby", id},
		kit.El("a", "tile-link", kit.At{"href", to},
			kit.Box("div", "tile-poster",
				s.picture(c),
				kit.El("span", "tile-state cut", kit.At{"data-tone", tone}, name),
				kit.El("span", "tile-length figure", kit.At{"hidden", c.Seconds == 0}, review.Length(c.Seconds)),
			),
			kit.El("span", "tile-title cut written", kit.At{"id", id, "title", c.Title}, c.Title),
		),
		kit.Box("div", "tile-body",
			kit.Box("div", "tile-facts",
				kit.Box("span", "cut written", owner(c)),
				kit.Box("span", "mono cut", c.Model),
				kit.If(c.Version > 1, func() app.UI { return kit.Box("span", "", "v"+strconv.Itoa(c.Version)) }),
			),
			kit.Box("span", "figure", saidCount(c.Comments, c.Open)),
		),
	)
}

func owner(c wire.TeamClip) string {
	if c.Clip != "" {
		return "Yours"
	}
	return c.Owner
}

// picture is the poster of a clip, else its first frame, else an empty frame.
func (s *Section) picture(c wire.TeamClip) app.UI {
	files := review.Files(c.ReviewVersion)
	switch {
	case len(files) > 0 && files[0].Poster != "":
		return kit.El("img", "tile-picture", kit.At{"src", files[0].Poster, "aria-hidden", "true", "loading", "lazy", "decoding", "async"})
	case len(files) > 0:
		return kit.El("video", "tile-picture", kit.At{"src", files[0].Media, "preload", "metadata", "muted", "true", "playsinline", "true", "tabindex", "-1", "aria-hidden", "true"})
	}
	return kit.SVG("svg", kit.At{"class", "tile-frame", "viewBox", "0 0 160 90", "aria-hidden", "true"},
		kit.SVG("rect", kit.At{"x", "1", "y", "1", "width", "158", "height", "88", "rx", "8"}))
}

// end is what stands below the cards.
func (g *Gallery) end(of *review.Gallery) app.UI {
	s := g.s
	switch {
	case of.Problem != nil:
		return kit.Notice(kit.Bad, "", kit.At{"role", "alert"},
			kit.Box("p", "", of.Problem.Message), kit.SayIf("p", "todo", of.Problem.Hint),
			kit.Button("", nil, s.Do("again", of.Again), "Try again"))
	case !of.Ready:
		return kit.Box("p", "soft", "Loading clips…")
	case of.More:
		return kit.Box("div", "gallery-more",
			kit.Button("", kit.At{"id", "team-older", "disabled", of.Loading}, s.Do("older", of.FetchMore), "Show older"))
	case len(of.Clips) > 0:
		return kit.Nothing()
	case of.State != "":
		return kit.Empty("page", kit.Box("p", "", "No clips match."),
			kit.El("a", "button", kit.At{"href", galleryPath(of.Team, "")}, "Show all clips"))
	}
	return kit.Empty("page",
		kit.Box("p", "", "No clips here yet. Share one of yours with the team and comments appear beside its player."),
		kit.El("a", "button primary", kit.At{"href", videos}, "My clips"))
}
