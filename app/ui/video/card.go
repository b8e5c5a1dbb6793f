//go:build js && wasm

package video

import (
	"strconv"
	"strings"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/ui/kit"
	"screentest/app/video"
	"screentest/shared/wire"
)

// Card is one task in the gallery. Its fields are all that its look depends on.
type Card struct {
	app.Compo
	s         *Section
	ID        string
	Version   int64
	Progress  int
	Own       string // what a person has added: name, tags, marks
	Hour      int64  // since days go by
	Menu      bool
	Naming    bool
	Selecting bool
	Chosen    int    // place among the chosen, from 1
	Problem   string // of settling it
	Deleted   bool
	Purging   bool // is asked about
	Shared    string
}

// card returns the card of a task of the list.
func (s *Section) card(id string) app.UI {
	tasks := s.desk.Tasks
	t := tasks.Get(id)
	c := &Card{
		s: s, ID: id, Version: t.Version, Progress: t.Progress, Own: t.Title + "\n" + strings.Join(t.Tags, "\n"), Hour: time.Now().Unix() / 3600,
		Menu: s.results.menu == id, Naming: s.results.naming.task == id, Selecting: tasks.Selection.On,
		Deleted: t.Deleted, Purging: s.results.purging == id,
	}
	if s.Sharing != nil {
		c.Shared = s.Sharing.Mark(wire.ShareClip, id)
	}
	if t.Favourite {
		c.Own += "\n*"
	}
	if t.Pinned {
		c.Own += "\n!"
	}
	for i, chosen := range tasks.Selection.IDs {
		if chosen == id {
			c.Chosen = i + 1
		}
	}
	if say := s.results.settling[id]; say != nil && say.problem != nil {
		c.Problem = say.problem.Message
	}
	return c
}

// CompoID implements app.DismountEnforcer: a card's clip and fields belong to
// its task and no other.
func (c *Card) CompoID() string { return c.ID }

// Render implements app.Composer.
func (c *Card) Render() (ui app.UI) {
	s := c.s
	defer s.Drawing("a clip", &ui)
	t := s.desk.Tasks.Get(c.ID)
	if t == nil {
		return kit.El("article", "tile", kit.At{"hidden", "true"})
	}
	words, tone := video.StateWords(t)
	return kit.El("article", "tile", kit.At{"data-id", t.ID, "data-state", string(t.State), "data-chosen", c.Chosen > 0,
		"data-menu", c.Menu, "aria-labelledby", cardKey(t.ID, "title")},
		c.link(t, words, tone),
		c.overlay(t),
		kit.Box("div", "tile-body",
			c.facts(t),
			c.notes(t),
			c.tags(t),
			c.actions(t),
		),
		c.menu(t),
	)
}

// link is the poster and the name, which lead to the clip's page.
func (c *Card) link(t *wire.VideoTask, words string, tone video.Tone) app.UI {
	s := c.s
	playable := video.Playable(t)
	length := video.LengthOf(t)
	title := video.Title(*t)
	at := kit.At{"id", cardKey(t.ID, "link"), "href", Path + "/" + t.ID}
	if playable {
		play := func(on bool) func(app.Context, app.Event) {
			return func(ctx app.Context, _ app.Event) {
				ctx.PreventUpdate()
				s.preview(t.ID, on)
			}
		}
		at = append(at, "onmouseenter", s.On("enter", play(true)), "onmouseleave", s.On("leave", play(false)),
			"onfocus", s.On("focus", play(true)), "onblur", s.On("blur", play(false)))
	}
	return kit.El("a", "tile-link", at,
		kit.Box("div", "tile-poster",
			c.poster(t, playable),
			kit.El("span", "tile-state cut", kit.At{"data-tone", string(tone)}, words),
			kit.El("span", "tile-length figure", kit.At{"hidden", length == 0 || !playable}, video.Clock(length)),
			s.paceBar(t, "tile-progress"),
		),
		kit.El("span", "tile-title cut written", kit.At{"id", cardKey(t.ID, "title"), "title", title}, title),
	)
}

// poster is the picture of a clip in its true ratio: its poster, else its first
// frame, of which the poster is then drawn, else an empty frame.
func (c *Card) poster(t *wire.VideoTask, playable bool) app.UI {
	s := c.s
	n := video.PlayableOutput(t)
	if o, ok := video.OutputOf(t, n); ok && o.Poster {
		return kit.El("img", "tile-picture", kit.At{"src", wire.PosterPathOf(t.ID, n), "aria-hidden", "true", "loading", "lazy", "decoding", "async"})
	}
	if playable {
		drawn := s.On("poster", func(ctx app.Context, _ app.Event) {
			ctx.PreventUpdate()
			s.drawPoster(t.ID, n)
		})
		return kit.El("video", "tile-picture", kit.At{"src", wire.MediaPathOf(t.ID, n), "preload", "metadata",
			"muted", "true", "playsinline", "true", "tabindex", "-1", "aria-hidden", "true", "onloadeddata", drawn})
	}
	return emptyFrame("tile-frame", t)
}

// emptyFrame stands in a clip's ratio for a picture that there is none of.
func emptyFrame(class string, t *wire.VideoTask) app.UI {
	w, h := video.RatioOf(t)
	wide, high := strconv.Itoa(w*10), strconv.Itoa(h*10)
	return kit.SVG("svg", kit.At{"class", class, "viewBox", "0 0 " + wide + " " + high, "aria-hidden", "true"},
		kit.SVG("rect", kit.At{"width", wide, "height", high}))
}

// overlay are the buttons on the poster.
func (c *Card) overlay(t *wire.VideoTask) app.UI {
	s := c.s
	if c.Selecting {
		place := ""
		if c.Chosen > 0 {
			place = strconv.Itoa(c.Chosen)
		}
		return kit.El("label", "tile-choose", nil,
			s.Switch(cardKey(t.ID, "choose"), "", kit.At{"aria-label", "Choose " + video.Title(*t)},
				c.Chosen > 0, func(bool) { s.desk.Tasks.Selection.Toggle(t.ID) }),
			kit.El("span", "tile-place figure", kit.At{"aria-hidden", "true"}, place),
		)
	}
	if t.Deleted {
		return kit.Nothing()
	}
	label := "Add to favourites"
	if t.Favourite {
		label = "Remove from favourites"
	}
	return kit.IconButton("tile-star", label, iconStar, kit.At{"id", cardKey(t.ID, "star"), "aria-pressed", t.Favourite},
		s.Do("star", func() { s.star(t.ID) }))
}

// facts are the model, the price, and how long the clip is kept.
func (c *Card) facts(t *wire.VideoTask) app.UI {
	cost := video.CostOf(t)
	left, soon := video.LeftWords(t, time.Now())
	saved, savedTone := video.ArchiveWords(t)
	if soon {
		soon = savedTone != video.Good // nothing is lost any more
	}
	seconds := ""
	if t.Seconds > 0 {
		seconds = strconv.Itoa(t.Seconds) + " s"
	}
	leftTone := ""
	if soon {
		leftTone = string(video.Warn)
	}
	return kit.Box("p", "tile-facts",
		kit.El("span", "mono cut", kit.At{"title", t.Model}, t.Model),
		kit.SayIf("span", "figure", seconds),
		kit.El("span", "tile-price figure", kit.At{"title", cost.Basis, "data-struck", cost.Returned != "" || cost.Free, "hidden", cost.Amount == ""},
			cost.Amount),
		kit.El("span", "fact", kit.At{"hidden", !t.SamplePrice || cost.Amount == "", "title", "A sample price, not your gateway’s own"}, "sample"),
		kit.El("span", "fact", kit.At{"data-tone", "good", "hidden", cost.Returned == ""}, cost.Returned),
		kit.El("span", "fact", kit.At{"hidden", !cost.Free}, "not charged"),
		kit.SayIf("span", "fact", shotsWords(t)),
		kit.El("span", "fact", kit.At{"data-tone", string(savedTone), "hidden", saved == "", "title", archiveTitle(t)}, saved),
		kit.El("span", "fact", kit.At{"data-tone", leftTone, "hidden", left == "", "title", "The gateway deletes its own files 14 days after a clip has finished."},
			left),
	)
}
