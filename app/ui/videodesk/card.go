//go:build js && wasm

package videodesk

import (
	"strconv"
	"strings"
	"syscall/js"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/ui/kit"
	"screentest/app/video"
	"screentest/shared/gateway"
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
		Menu: s.results.menu == id, Tagging: s.results.tagging == id, Selecting: tasks.Selecting,
		Deleted: t.Deleted, Purging: s.results.purging == id,
	}
	if t.Favourite {
		c.Own += "\n*"
	}
	if t.Pinned {
		c.Own += "\n!"
	}
	for i, chosen := range tasks.Selected {
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
		return el("article", "clip-card", at{"hidden", "true"})
	}
	words, tone := video.StateWords(t)
	return el("article", "clip-card", at{"data-id", t.ID, "data-state", string(t.State), "data-chosen", yes(c.Chosen > 0),
		"data-menu", yes(c.Menu), "aria-labelledby", cardKey(t.ID, "title")},
		c.link(t, words, tone),
		c.overlay(t),
		box("div", "card-body",
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
	a := elem("a", "card-link", at{"id", cardKey(t.ID, "link"), "href", Path + "/" + t.ID})
	if playable {
		play := func(on bool) func(app.Context, app.Event) {
			return func(ctx app.Context, _ app.Event) {
				ctx.PreventUpdate()
				s.preview(t.ID, on)
			}
		}
		a = a.OnMouseEnter(s.On("enter", play(true))).OnMouseLeave(s.On("leave", play(false))).
			OnFocus(s.On("focus", play(true))).OnBlur(s.On("blur", play(false)))
	}
	return a.Body(
		box("div", "card-poster",
			c.poster(t, playable),
			el("span", "card-state", at{"data-tone", string(tone)}, app.Text(words)),
			el("span", "card-length figure", at{"hidden", no(length == 0 || !playable)}, app.Text(video.Clock(length))),
			el("progress", "card-progress", at{"max", "100", "value", strconv.Itoa(percent), "hidden", no(percent == 0),
				"aria-label", "Progress, as the gateway tells it"}),
		),
		el("span", "card-title", at{"id", cardKey(t.ID, "title"), "title", title}, app.Text(title)),
	)
}

// poster is the picture of a clip in its true ratio: its poster, else its first
// frame, of which the poster is then drawn, else an empty frame.
func (c *Card) poster(t *wire.VideoTask, playable bool) app.UI {
	s := c.s
	n := video.PlayableOutput(t)
	if o, ok := video.OutputOf(t, n); ok && o.Poster {
		return el("img", "card-picture", at{"src", wire.PosterPathOf(t.ID, n), "aria-hidden", "true", "loading", "lazy", "decoding", "async"})
	}
	if playable {
		drawn, named := s.On("poster", func(ctx app.Context, _ app.Event) {
			ctx.PreventUpdate()
			s.drawPoster(t.ID, n)
		})
		return elem("video", "card-picture", at{"src", wire.MediaPathOf(t.ID, n), "preload", "metadata",
			"muted", "true", "playsinline", "true", "tabindex", "-1", "aria-hidden", "true"}).On("loadeddata", drawn, named)
	}
	w, h := video.RatioOf(t)
	wide, high := strconv.Itoa(w*10), strconv.Itoa(h*10)
	return svg("svg", at{"class", "card-frame", "viewBox", "0 0 " + wide + " " + high, "aria-hidden", "true"},
		svg("rect", at{"width", wide, "height", high}))
}

// overlay are the buttons on the poster.
func (c *Card) overlay(t *wire.VideoTask) app.UI {
	s := c.s
	if t.Deleted {
		return nothing()
	}
	why := video.NotPlayable(t)
	if c.Selecting {
		place := ""
		if c.Chosen > 0 {
			place = strconv.Itoa(c.Chosen)
		}
		return el("label", "card-choose", at{"title", why, "data-off", yes(why != "")},
			elem("input", "", at{"id", cardKey(t.ID, "choose"), "type", "checkbox", "checked", no(c.Chosen > 0), "disabled", no(why != ""),
				"aria-label", "Choose " + video.Title(*t)}).
				OnChange(s.On("choose", func(app.Context, app.Event) { s.desk.Tasks.Toggle(t.ID) })),
			el("span", "card-place figure", at{"aria-hidden", "true"}, app.Text(place)),
		)
	}
	label := "Add to favourites"
	if t.Favourite {
		label = "Take out of favourites"
	}
	return elem("button", "icon-button card-star", at{"id", cardKey(t.ID, "star"), "type", "button", "aria-label", label, "title", label,
		"aria-pressed", yes(t.Favourite)}, kit.Icon(iconStar, "icon")).
		OnClick(s.On("star", func(app.Context, app.Event) { s.star(t.ID) }))
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
	price := elem("span", "card-price figure", at{"title", cost.Basis, "data-struck", yes(cost.Returned != "" || cost.Free)})
	return box("p", "card-facts",
		el("span", "mono card-model", at{"title", t.Model}, app.Text(t.Model)),
		sayIf("span", "figure", seconds),
		price.Hidden(cost.Amount == "").Text(cost.Amount),
		el("span", "fact", at{"data-tone", "good", "hidden", no(cost.Returned == "")}, app.Text(cost.Returned)),
		el("span", "fact", at{"hidden", no(!cost.Free)}, app.Text("not charged")),
		sayIf("span", "fact", shotsWords(t)),
		el("span", "fact", at{"data-tone", string(savedTone), "hidden", no(saved == ""), "title", archiveTitle(t)}, app.Text(saved)),
		el("span", "fact", at{"data-tone", leftTone, "hidden", no(left == ""), "title", "The gateway deletes its own files 14 days after a clip has finished."},
			app.Text(left)),
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
	return box("div", "card-notes",
		app.If(elapsed != "", func() app.UI {
			return box("p", "card-time figure",
				c.s.elapsed(t.ID, elapsed),
				say("span", "", usual),
			)
		}),
		app.If(pause != "", func() app.UI {
			return box("p", "card-pause",
				app.Text(pause+" "),
				app.If(settings, func() app.UI { return el("a", "", at{"href", "/settings"}, app.Text("Enter the key")) }),
			)
		}),
		app.If(t.Problem != nil && t.State.Final(), func() app.UI { return shortProblem(t.Problem) }),
		app.If(video.NotSaved(t) != nil && t.State != wire.VideoExpired, func() app.UI { return shortProblem(video.NotSaved(t)) }),
		app.If(t.State == wire.VideoExpired && !video.Playable(t), func() app.UI {
			return say("p", "card-pause", video.NotPlayable(t)+" Reuse its settings to make it again.")
		}),
		app.If(t.Deleted, func() app.UI {
			return box("div", "", sayIf("p", "card-pause", video.ChargedOn(t)), say("p", "card-time", video.KeptWords(t, time.Now())+"."))
		}),
		app.If(t.State == wire.VideoUnknown && !t.Deleted, func() app.UI { return c.s.settling(t) }),
	)
}

// shortProblem is a problem in a card: what happened and what to do. The rest
// is on the clip's page.
func shortProblem(p *wire.Problem) app.UI {
	return box("div", "card-problem",
		say("p", "", p.Message),
		sayIf("p", "card-todo", p.Hint),
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
	return elem("form", "settling", at{"aria-label", "How did it end?"},
		say("p", "", "The gateway's answer was lost, so it may be at work and have charged. It is never sent again by itself; its price is held as reserved until you say how it ended. The list of tasks in the gateway's dashboard shows it."),
		el("label", "", at{"for", cardKey(id, "remote")}, app.Text("It went through: here is its id")),
		box("div", "settling-row",
			el("input", "field mono", at{"id", cardKey(id, "remote"), "type", "text", "placeholder", "task_…", "autocomplete", "off",
				"spellcheck", "false", "maxlength", "200", "aria-invalid", yes(problem != nil), "aria-describedby", cardKey(id, "settle-problem")}),
			el("button", "button", at{"id", cardKey(id, "went"), "type", "submit"}, app.Text("Follow it")),
		),
		el("p", "outcome bad", at{"id", cardKey(id, "settle-problem"), "role", "status", "hidden", no(words == "")}, app.Text(words)),
		elem("button", "button", at{"id", cardKey(id, "did-not"), "type", "button"}, app.Text("It did not go through")).
			OnClick(s.On("did not", func(app.Context, app.Event) { s.desk.Tasks.Settle(id, false, "", outcome) })),
	).OnSubmit(s.On("settle", func(_ app.Context, e app.Event) {
		e.PreventDefault()
		s.desk.Tasks.Settle(id, true, s.DOM.ByID(cardKey(id, "remote")).Get("value").String(), outcome)
	}))
}

// tags are shown, and typed where that was asked for.
func (c *Card) tags(t *wire.VideoTask) app.UI {
	if c.Tagging {
		return c.s.tagForm(t)
	}
	return el("div", "card-tags", at{"hidden", no(len(t.Tags) == 0)},
		app.Range(t.Tags).Slice(func(i int) app.UI { return c.s.tag(t.Tags[i], cardKey(t.ID, "tag-"+strconv.Itoa(i))) }),
	)
}

// tag is a tag that shows all clips with it.
func (s *Section) tag(tag, id string) app.UI {
	return elem("button", "badge tag", at{"id", id, "type", "button", "title", "Show the clips with this tag"}, app.Text("#"+tag)).
		OnClick(s.On("tag "+tag, func(app.Context, app.Event) {
			s.desk.Tasks.Find(video.Filter{Tag: tag})
			s.results.chunks.place = 0 // another list
			s.showResults()
		}))
}

// tagForm takes a task's tags.
func (s *Section) tagForm(t *wire.VideoTask) app.UI {
	id := t.ID
	done := func() {
		s.results.tagging = ""
		s.redrawResults()
		s.focusSoon(cardKey(id, "more"))
	}
	return elem("form", "tag-form", nil,
		el("label", "", at{"for", cardKey(id, "tags")}, app.Text("Tags, with commas between")),
		el("input", "field", at{"id", cardKey(id, "tags"), "type", "text", "autocomplete", "off"}),
		el("button", "button", at{"type", "submit"}, app.Text("Save")),
	).OnSubmit(s.On("tags", func(_ app.Context, e app.Event) {
		e.PreventDefault()
		s.desk.Tasks.SetTags(id, s.DOM.ByID(cardKey(id, "tags")).Get("value").String())
		done()
	}))
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
	list = append(list, elem("button", "icon-button small card-more", at{"id", cardKey(t.ID, "more"), "type", "button",
		"aria-label", "More for this clip", "aria-expanded", yes(c.Menu), "title", "More"}, kit.Icon(iconMore, "icon")).
		OnClick(s.On("more", func(app.Context, app.Event) {
			if s.results.menu == t.ID {
				s.results.menu = ""
			} else {
				s.results.menu = t.ID
			}
			s.redrawResults()
		})))
	return box("div", "card-actions", list...)
}

// start puts a clip into the form, to make something of it.
func (s *Section) start(t *wire.VideoTask, o video.Offer) {
	if o.Kind == gateway.Upscale {
		s.desk.StartUpscale(*t, o.Model)
	} else {
		s.desk.StartExtend(*t, o.Model)
	}
	s.writeOn()
}

// reuse puts a clip's settings into the form.
func (s *Section) reuse(t *wire.VideoTask) {
	if !s.desk.Reuse(*t) {
		s.desk.Tasks.Say("The model of this clip is not in the catalogue any more, so the form can't be filled in with its settings.", video.Bad)
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
