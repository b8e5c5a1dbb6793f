//go:build js && wasm

package review

import (
	"cmp"
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/figure"
	"screentest/app/review"
	"screentest/app/ui/kit"
	"screentest/shared/wire"
)

// Panel is what is said of the clip that is played, with all that can be done
// about it.
type Panel struct {
	app.Compo
	s   *Section
	Rev int
}

// Panel draws it; nothing where nothing is looked at.
func (s *Section) Panel() app.UI { return &Panel{s: s, Rev: s.Rev()} }

// OnUpdate implements app.Updater.
func (p *Panel) OnUpdate(ctx app.Context) {
	ctx.Defer(func(app.Context) {
		defer p.s.Guard("the comments")
		p.s.keepFocus()
	})
}

// Render implements app.Composer.
func (p *Panel) Render() (ui app.UI) {
	s := p.s
	defer s.Drawing("the review", &ui)
	t := s.thread()
	switch {
	case t == nil:
		return kit.Nothing()
	case t.Phase == review.Loading:
		return s.section(kit.Box("p", "soft", "Loading comments…"))
	case t.Phase == review.Gone && t.At.Clip != "":
		return kit.Nothing() // of a clip that can't be reviewed
	case t.Phase != review.Ready:
		return s.section(s.failed(t))
	}
	return s.section(
		s.state(t),
		s.versions(t),
		s.tools(t),
		s.list(t),
		s.form(t),
	)
}

func (s *Section) section(kids ...any) app.UI {
	return kit.El("section", "review-panel", kit.At{"id", "review", "aria-label", "Review"}, kids...)
}

// failed says why there is nothing.
func (s *Section) failed(t *review.Thread) app.UI {
	p := t.Problem
	if p == nil {
		return kit.Nothing()
	}
	return kit.Notice(kit.Bad, "", kit.At{"role", "alert"},
		kit.Box("p", "", p.Message), kit.SayIf("p", "todo", p.Hint),
		kit.Button("", nil, s.Do("again", t.Again), "Try again"))
}

// state is that of the version, who gave it, and what one may give it.
func (s *Section) state(t *review.Thread) app.UI {
	v := t.Played()
	if v == nil {
		return kit.Nothing()
	}
	name, tone := review.StateWords(v.State)
	history := t.History(v.Version)
	return kit.Box("div", "review-state",
		kit.Box("div", "line",
			kit.Box("h2", "review-title", "Review"),
			kit.Pill(kit.At{"id", "review-state", "data-tone", tone, "role", "status"}, name),
		),
		kit.If(len(history) > 0, func() app.UI {
			return kit.Box("details", "fold review-history",
				kit.Box("summary", "", kit.Icon(kit.IconChevron, "icon small turns"), s.step(history[0])),
				kit.If(history[0].Note != "" || len(history) > 1, func() app.UI {
					return kit.Box("ol", "", kit.Times(len(history)-1, func(i int) app.UI {
						return kit.Box("li", "", s.step(history[i+1]), kit.SayIf("p", "written", history[i+1].Note))
					}))
				}),
			)
		}),
		kit.If(len(history) > 0 && history[0].Note != "", func() app.UI {
			return kit.Box("p", "review-note written", history[0].Note)
		}),
		s.moves(t),
	)
}

// step says who gave which state, and when.
func (s *Section) step(step wire.ReviewStep) app.UI {
	return kit.Box("span", "", step.By+" "+review.Did(step.State)+" · "+dateOf(step.AtMS))
}

// moves are the states that one may give, with a note.
func (s *Section) moves(t *review.Thread) app.UI {
	list := t.Moves()
	if len(list) == 0 {
		return kit.Nothing()
	}
	draft := t.Draft(review.Note)
	return kit.El("div", "review-moves", kit.At{"role", "group", "aria-label", "State of this version"},
		kit.El("label", "sr-only", kit.At{"for", "review-note"}, "Note with the new state"),
		s.Area("review-note", "field", kit.At{"rows", "1", "placeholder", "Add a note (optional)"}, draft.Text, func(text string) { t.Type(review.Note, text) }),
		kit.Box("div", "line", kit.Times(len(list), func(i int) app.UI {
			m := list[i]
			return kit.Button(kit.When(m.Next, "primary"), kit.At{"id", "review-move-" + m.State, "disabled", t.Step.Busy},
				s.Do(m.Name, func() { t.Give(m.State) }), m.Name)
		})),
		s.problem(t.Step.Problem),
	)
}

// problem says what went wrong; nil nothing.
func (s *Section) problem(p *wire.Problem) app.UI {
	if p == nil {
		return kit.Nothing()
	}
	return kit.Notice(kit.Bad, "", kit.At{"role", "alert"}, kit.Box("p", "", p.Message), kit.SayIf("p", "todo", p.Hint))
}

// versions lead to each other, and two of them side by side.
func (s *Section) versions(t *review.Thread) app.UI {
	if len(t.Review.Versions) < 2 {
		return kit.Nothing()
	}
	var list []kit.Choice
	for _, v := range t.Review.Versions {
		name, _ := review.StateWords(v.State)
		at := kit.At{"title", "Version " + strconv.Itoa(v.Version) + ": " + name, "data-version", strconv.Itoa(v.Version)}
		list = append(list, kit.Choice{Name: "v" + strconv.Itoa(v.Version), On: v.Version == t.Version, To: s.pathOf(v), At: at,
			More: []any{kit.Box("span", "faint", name)}})
	}
	return kit.Box("div", "line",
		kit.Segments("Versions", "", list),
		kit.If(s.comparePath(t) != "", func() app.UI {
			return kit.El("a", "button", kit.At{"id", "review-compare", "href", s.comparePath(t)}, "Compare")
		}),
	)
}

// pathOf is where a version is played.
func (s *Section) pathOf(v wire.ReviewVersion) string {
	if s.share == "" && v.Clip != "" {
		return videos + "/" + v.Clip
	}
	return versionPath(s.share, v.Version)
}

// comparePath puts the version that is played beside the one before it, or the one
// after it; "" where there is none that plays.
func (s *Section) comparePath(t *review.Thread) string {
	var before, after *wire.ReviewVersion
	played := t.Played()
	for i := range t.Review.Versions {
		v := &t.Review.Versions[i]
		switch {
		case played == nil || len(review.Files(*v)) == 0 || len(review.Files(*played)) == 0:
		case v.Version < played.Version:
			before = v
		case v.Version > played.Version && after == nil:
			after = v
		}
	}
	one, two := before, played
	if before == nil {
		one, two = played, after
	}
	switch {
	case one == nil || two == nil:
		return ""
	case s.share == "":
		if one.Clip == "" || two.Clip == "" {
			return ""
		}
		return videos + "/compare?ids=" + one.Clip + "," + two.Clip
	}
	return Path + s.share + "?compare=" + strconv.Itoa(one.Version) + "," + strconv.Itoa(two.Version)
}

// tools choose which comments are shown, and take all of them out.
func (s *Section) tools(t *review.Thread) app.UI {
	all, open := t.Count()
	if all == 0 && len(t.Review.Steps) == 0 {
		return kit.Nothing()
	}
	show := func(openOnly bool, only int) *kit.Handler { return s.Do("show", func() { t.Show(openOnly, only) }) }
	export := exportPath + cmp.Or(s.share, t.Review.ID)
	return kit.Box("div", "line review-tools",
		kit.Segments("Which comments", "", []kit.Choice{
			{ID: "review-all", Name: "All", On: !t.OpenOnly, Do: show(false, t.Only), More: []any{kit.El("span", "faint", nil, all)}},
			{ID: "review-open", Name: "Open", On: t.OpenOnly, Do: show(true, t.Only), More: []any{kit.El("span", "faint", nil, open)}},
		}),
		kit.If(len(t.Review.Versions) > 1, func() app.UI {
			return kit.Button("", kit.At{"id", "review-only", "aria-pressed", t.Only != 0}, s.Do("only this version", func() {
				if t.Only != 0 {
					t.Show(t.OpenOnly, 0)
				} else {
					t.Show(t.OpenOnly, t.Version)
				}
			}), "Only v"+strconv.Itoa(t.Version))
		}),
		kit.Box("div", "push"),
		kit.Box("span", "review-export", kit.El("a", "link", kit.At{"id", "review-md", "href", export + ".md", "download", "review.md", "title", "All comments as Markdown"}, "Markdown"),
			kit.El("a", "link", kit.At{"id", "review-html", "href", export + ".html", "download", "review.html", "title", "All comments as a printable page"}, "HTML")),
	)
}

// exportPath is followed by a review's or a share's id and what the file is.
const exportPath = "/api/reviews/"

// dateOf writes a time of day and a date in the person's zone.
func dateOf(ms int64) string { return kit.Wall(ms).Format("2 Jan, 15:04") }

// saidCount is how many comments there are, in words.
func saidCount(all, open int) string {
	if all == 0 {
		return "No comments"
	}
	return figure.Plural(all, "comment", "comments") + ", " + strconv.Itoa(open) + " open"
}
