//go:build js && wasm

package video

import (
	"strconv"
	"strings"
	"syscall/js"
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
	Own       string // what a person has added: name, tags, marks
	Hour      int64  // since days go by
	Menu      bool
	Tagging   bool
	Selecting bool
	Chosen    int    // place among the chosen, from 1
	Problem   string // of settling it
	Deleted   bool
	Purging   bool // is asked about
}

// card returns the card of a task of the list.
func (s *Section) card(id string) app.UI {
	tasks := s.desk.Tasks
	t := tasks.Get(id)
	c := &Card{
		s: s, ID: id, Version: t.Version, Own: t.Title + "\n" + strings.Join(t.Tags, "\n"), Hour: time.Now().Unix() / 3600,
		Menu: s.results.menu == id, Tagging: s.results.tagging == id, Selecting: tasks.Selection.On,
		Deleted: t.Deleted, Purging: s.results.purging == id,
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
	if p := s.results.settle[id]; p != nil {
		c.Problem = p.Message
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
		return kit.El("article", "clip-card", kit.At{"hidden", "true"})
	}
	words, tone := video.StateWords(t)
	return kit.El("article", "clip-card", kit.At{"data-id", t.ID, "data-state", string(t.State), "data-chosen", c.Chosen > 0,
		"data-menu", c.Menu, "aria-labelledby", cardKey(t.ID, "title")},
		c.link(t, words, tone),
		c.overlay(t),
		kit.Box("div", "card-body",
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
	percent := 0
	if t.State.Open() {
		percent = max(t.Progress, 0)
	}
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
	return kit.El("a", "card-link", at,
		kit.Box("div", "card-poster",
			c.poster(t, playable),
			kit.El("span", "card-state", kit.At{"data-tone", string(tone)}, words),
			kit.El("span", "card-length figure", kit.At{"hidden", length == 0 || !playable}, video.Clock(length)),
			kit.El("progress", "card-progress", kit.At{"max", "100", "value", strconv.Itoa(percent), "hidden", percent == 0,
				"aria-label", "Progress, as the gateway tells it"}),
		),
		kit.El("span", "card-title", kit.At{"id", cardKey(t.ID, "title"), "title", title}, title),
	)
}

// poster is the picture of a clip in its true ratio: its poster, else its first
// frame, of which the poster is then drawn, else an empty frame.
func (c *Card) poster(t *wire.VideoTask, playable bool) app.UI {
	s := c.s
	n := video.PlayableOutput(t)
	if o, ok := video.OutputOf(t, n); ok && o.Poster {
		return kit.El("img", "card-picture", kit.At{"src", wire.PosterPathOf(t.ID, n), "aria-hidden", "true", "loading", "lazy", "decoding", "async"})
	}
	if playable {
		drawn := s.On("poster", func(ctx app.Context, _ app.Event) {
			ctx.PreventUpdate()
			s.drawPoster(t.ID, n)
		})
		return kit.El("video", "card-picture", kit.At{"src", wire.MediaPathOf(t.ID, n), "preload", "metadata",
			"muted", "true", "playsinline", "true", "tabindex", "-1", "aria-hidden", "true", "onloadeddata", drawn})
	}
	w, h := video.RatioOf(t)
	wide, high := strconv.Itoa(w*10), strconv.Itoa(h*10)
	return kit.SVG("svg", kit.At{"class", "card-frame", "viewBox", "0 0 " + wide + " " + high, "aria-hidden", "true"},
		kit.SVG("rect", kit.At{"width", wide, "height", high}))
}

// overlay are the buttons on the poster.
func (c *Card) overlay(t *wire.VideoTask) app.UI {
	s := c.s
	if t.Deleted {
		return kit.Nothing()
	}
	why := video.NotPlayable(t)
	if c.Selecting {
		place := ""
		if c.Chosen > 0 {
			place = strconv.Itoa(c.Chosen)
		}
		return kit.El("label", "card-choose", kit.At{"title", why, "data-off", why != ""},
			s.Switch(cardKey(t.ID, "choose"), "", kit.At{"disabled", why != "", "aria-label", "Choose " + video.Title(*t)},
				c.Chosen > 0, func(bool) { s.desk.Tasks.Selection.Toggle(t.ID) }),
			kit.El("span", "card-place figure", kit.At{"aria-hidden", "true"}, place),
		)
	}
	label := "Add to favourites"
	if t.Favourite {
		label = "Take out of favourites"
	}
	return kit.El("button", "icon-button card-star", kit.At{"id", cardKey(t.ID, "star"), "type", "button", "aria-label", label, "title", label,
		"aria-pressed", t.Favourite,
		"onclick", s.Do("star", func() { s.star(t.ID) })}, kit.Icon(iconStar, "icon"))
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
	return kit.Box("p", "card-facts",
		kit.El("span", "mono card-model", kit.At{"title", t.Model}, t.Model),
		kit.SayIf("span", "figure", seconds),
		kit.El("span", "card-price figure", kit.At{"title", cost.Basis, "data-struck", cost.Returned != "" || cost.Free, "hidden", cost.Amount == ""},
			cost.Amount),
		kit.El("span", "fact", kit.At{"data-tone", "good", "hidden", cost.Returned == ""}, cost.Returned),
		kit.El("span", "fact", kit.At{"hidden", !cost.Free}, "not charged"),
		kit.SayIf("span", "fact", shotsWords(t)),
		kit.El("span", "fact", kit.At{"data-tone", string(savedTone), "hidden", saved == "", "title", archiveTitle(t)}, saved),
		kit.El("span", "fact", kit.At{"data-tone", leftTone, "hidden", left == "", "title", "The gateway deletes its own files 14 days after a clip has finished."},
			left),
	)
}

func archiveTitle(t *wire.VideoTask) string {
	if p := video.NotSaved(t); p != nil {
		return strings.TrimSpace(p.Message + " " + p.Hint)
	}
	return "Whether this server has a copy that stays playable."
}

// notes are what is to be said about the state: times, pauses, failures, and
// the questions that only a person can answer.
func (c *Card) notes(t *wire.VideoTask) app.UI {
	elapsed, usual := video.Elapsed(t, time.Now()), video.Usual(t)
	if usual != "" {
		usual = " · " + usual
	}
	pause, settings := video.PauseWords(t)
	return kit.Box("div", "card-notes",
		kit.If(elapsed != "", func() app.UI {
			return kit.Box("p", "card-time figure",
				c.s.elapsed(t.ID, elapsed),
				kit.Box("span", "", usual),
			)
		}),
		kit.If(pause != "", func() app.UI {
			return kit.Box("p", "card-pause",
				pause+" ",
				kit.If(settings, func() app.UI { return kit.El("a", "", kit.At{"href", "/settings"}, "Enter the key") }),
			)
		}),
		kit.If(t.Problem != nil && t.State.Final(), func() app.UI { return shortProblem(t.Problem) }),
		kit.If(video.NotSaved(t) != nil && t.State != wire.VideoExpired, func() app.UI { return shortProblem(video.NotSaved(t)) }),
		kit.If(t.State == wire.VideoExpired && !video.Playable(t), func() app.UI {
			return kit.Box("p", "card-pause", video.NotPlayable(t)+" Reuse its settings to make it again.")
		}),
		kit.If(t.Deleted, func() app.UI {
			return kit.Box("div", "", kit.SayIf("p", "card-pause", video.ChargedOn(t)), kit.Box("p", "card-time", video.KeptWords(t, time.Now())+"."))
		}),
		kit.If(t.State == wire.VideoUnknown && !t.Deleted, func() app.UI { return c.s.settling(t) }),
	)
}

// shortProblem is a problem in a card: what happened and what to do. The rest
// is on the clip's page.
func shortProblem(p *wire.Problem) app.UI {
	return kit.Box("div", "card-problem",
		kit.Box("p", "", p.Message),
		kit.SayIf("p", "card-todo", p.Hint),
	)
}

// settling asks the person how a creation ended whose answer was lost (G35).
func (s *Section) settling(t *wire.VideoTask) app.UI {
	id := t.ID
	problem := s.results.settle[id]
	outcome := func(p *wire.Problem) {
		if p == nil {
			delete(s.results.settle, id)
		} else {
			s.results.settle[id] = p
			s.focusSoon(cardKey(id, "remote"))
		}
		s.redrawResults()
	}
	words := ""
	if problem != nil {
		words = strings.TrimSpace(problem.Message + " " + problem.Hint)
	}
	return kit.El("form", "settling", kit.At{"aria-label", "How did it end?", "onsubmit", s.On("settle", func(_ app.Context, e app.Event) {
		e.PreventDefault()
		s.desk.Tasks.Settle(id, true, s.DOM.ByID(cardKey(id, "remote")).Get("value").String(), outcome)
	})},
		kit.Box("p", "", "The gateway's answer was lost, so it may be at work and have charged. It is never sent again by itself; its price is held as reserved until you say how it ended. The list of tasks in the gateway's dashboard shows it."),
		kit.El("label", "", kit.At{"for", cardKey(id, "remote")}, "It went through: here is its id"),
		kit.Box("div", "settling-row",
			kit.El("input", "field mono", kit.At{"id", cardKey(id, "remote"), "type", "text", "placeholder", "task_…", "autocomplete", "off",
				"spellcheck", "false", "maxlength", "200", "aria-invalid", problem != nil, "aria-describedby", cardKey(id, "settle-problem")}),
			kit.El("button", "button", kit.At{"id", cardKey(id, "went"), "type", "submit"}, "Follow it"),
		),
		kit.El("p", "outcome bad", kit.At{"id", cardKey(id, "settle-problem"), "role", "status", "hidden", words == ""}, words),
		kit.El("button", "button", kit.At{"id", cardKey(id, "did-not"), "type", "button",
			"onclick", s.Do("did not", func() { s.desk.Tasks.Settle(id, false, "", outcome) })}, "It did not go through"),
	)
}

// tags are shown, and typed where that was asked for.
func (c *Card) tags(t *wire.VideoTask) app.UI {
	if c.Tagging {
		return c.s.tagForm(t)
	}
	return kit.El("div", "card-tags", kit.At{"hidden", len(t.Tags) == 0},
		kit.Times(len(t.Tags), func(i int) app.UI { return c.s.tag(t.Tags[i], cardKey(t.ID, "tag-"+strconv.Itoa(i))) }),
	)
}

// tag is a tag that shows all clips with it.
func (s *Section) tag(tag, id string) app.UI {
	return kit.El("button", "badge tag", kit.At{"id", id, "type", "button", "title", "Show the clips with this tag",
		"onclick", s.Do("tag "+tag, func() {
			s.desk.Tasks.Find(video.Filter{Tag: tag})
			s.results.chunks.place = 0 // another list
			s.showResults()
		})}, "#"+tag)
}

// tagForm takes a task's tags.
func (s *Section) tagForm(t *wire.VideoTask) app.UI {
	id := t.ID
	done := func() {
		s.results.tagging = ""
		s.redrawResults()
		s.focusSoon(cardKey(id, "more"))
	}
	return kit.El("form", "tag-form", kit.At{"onsubmit", s.On("tags", func(_ app.Context, e app.Event) {
		e.PreventDefault()
		s.desk.Tasks.SetTags(id, s.DOM.ByID(cardKey(id, "tags")).Get("value").String())
		done()
	})},
		kit.El("label", "", kit.At{"for", cardKey(id, "tags")}, "Tags, with commas between"),
		kit.El("input", "field", kit.At{"id", cardKey(id, "tags"), "type", "text", "autocomplete", "off"}),
		kit.El("button", "button", kit.At{"type", "submit"}, "Save"),
	)
}

// beginTags opens the form for tags, with those that there are; on the clip's
// page the name is there too, and comes first.
func (s *Section) beginTags(id string) {
	s.results.menu, s.results.tagging = "", id
	s.redrawResults()
	s.soon(cardKey(id, "tags"), func(e js.Value) {
		t := s.desk.Tasks.Get(id)
		if t == nil {
			return
		}
		e.Set("value", strings.Join(t.Tags, ", "))
		if name := s.DOM.ByID("clip-name"); name.Truthy() {
			name.Set("value", t.Title)
			e = name
		}
		e.Call("focus")
	})
}

// actions are what the clip can become, or what to do about its failure.
func (c *Card) actions(t *wire.VideoTask) app.UI {
	s := c.s
	if t.Deleted {
		return s.trashActions(t, cardKey(t.ID, ""))
	}
	var list []app.UI
	switch {
	case video.CanRetry(t):
		list = append(list,
			s.gatedAs(cardKey(t.ID, "edit"), "Edit and retry", "Put it into the form, to change it first", "", func(app.Context) { s.reuse(t) }),
			s.gatedAs(cardKey(t.ID, "retry"), video.RetryLabel(t), "Send the same request again, as a new clip", "", func(app.Context) { s.retry(t.ID) }))
	case video.Playable(t) || t.State.Final():
		for i, o := range s.desk.Tasks.Offers(t) {
			key := cardKey(t.ID, string(o.Kind)+"-"+strconv.Itoa(i))
			list = append(list, s.gatedAs(key, o.Label, o.Full, o.Reason, func(app.Context) { s.start(t, o) }))
		}
	}
	list = append(list, kit.El("button", "icon-button small card-more", kit.At{"id", cardKey(t.ID, "more"), "type", "button",
		"aria-label", "More for this clip", "aria-expanded", c.Menu, "title", "More",
		"onclick", s.Do("more", func() {
			if s.results.menu == t.ID {
				s.results.menu = ""
			} else {
				s.results.menu = t.ID
			}
			s.redrawResults()
		})}, kit.Icon(iconMore, "icon")))
	return kit.Box("div", "card-actions", list)
}

// start puts a clip into the form, to make something of it.
func (s *Section) start(t *wire.VideoTask, o video.Offer) {
	s.desk.Start(o.Kind, *t, o.Model)
	s.writeOn()
}

// reuse puts a clip's settings into the form.
func (s *Section) reuse(t *wire.VideoTask) {
	if !s.desk.Reuse(*t) {
		s.desk.Tasks.Notices.Say("The model of this clip is not in the catalogue any more, so the form can't be filled in with its settings.", video.Bad)
		return
	}
	s.writeOn()
}

func (s *Section) retry(id string) { s.desk.Tasks.Retry(id, s.newID()) }

// showResults leads to the gallery from anywhere in the section.
func (s *Section) showResults() {
	s.showPane(paneResults)
	if s.view != viewDesk {
		s.Context().Navigate(Path)
	}
}
