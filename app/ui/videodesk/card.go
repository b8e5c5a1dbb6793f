//go:build js && wasm

package videodesk

import (
	"strconv"
	"strings"
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
}

// card returns the card of a task of the list.
func (s *Section) card(id string) app.UI {
	tasks := s.desk.Tasks
	t := tasks.Get(id)
	c := &Card{
		s: s, ID: id, Version: t.Version, Own: t.Title + "\n" + strings.Join(t.Tags, "\n"), Hour: time.Now().Unix() / 3600,
		Menu: s.results.menu == id, Tagging: s.results.tagging == id, Selecting: tasks.Selecting,
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
		return app.Article().Class("card").Hidden(true)
	}
	words, tone := video.StateWords(t)
	return app.Article().Class("card").DataSet("id", t.ID).DataSet("state", string(t.State)).
		DataSet("chosen", c.Chosen > 0).DataSet("menu", c.Menu).Aria("labelledby", cardKey(t.ID, "title")).
		Body(
			c.link(t, words, tone),
			c.overlay(t),
			app.Div().Class("card-body").Body(
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
	a := app.A().ID(cardKey(t.ID, "link")).Class("card-link").Href(Path + "/" + t.ID)
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
		app.Div().Class("card-poster").Body(
			c.poster(t, playable),
			app.Span().Class("card-state").DataSet("tone", string(tone)).Text(words),
			app.Span().Class("card-length figure").Hidden(length == 0 || !playable).Text(video.Clock(length)),
			app.Progress().Class("card-progress").Max(100).Value(percent).Hidden(percent == 0).Aria("label", "Progress, as the gateway tells it"),
		),
		app.Span().ID(cardKey(t.ID, "title")).Class("card-title").Title(title).Text(title),
	)
}

// poster is the picture of a clip in its true ratio: its poster, else its first
// frame, of which the poster is then drawn, else an empty frame.
func (c *Card) poster(t *wire.VideoTask, playable bool) app.UI {
	s := c.s
	n := video.PlayableOutput(t)
	if o, ok := video.OutputOf(t, n); ok && o.Poster {
		return app.Img().Class("card-picture").Src(wire.PosterPathOf(t.ID, n)).Alt("").Attr("loading", "lazy").Attr("decoding", "async")
	}
	if playable {
		return app.Video().Class("card-picture").Src(wire.MediaPathOf(t.ID, n)).Preload("metadata").Muted(true).
			Attr("playsinline", "true").TabIndex(-1).Aria("hidden", true).
			OnLoadedData(s.On("poster", func(ctx app.Context, _ app.Event) {
				ctx.PreventUpdate()
				s.drawPoster(t.ID, n)
			}))
	}
	w, h := video.RatioOf(t)
	const svg = "http://www.w3.org/2000/svg"
	return app.Elem("svg").XMLNS(svg).Class("card-frame").Attr("viewBox", "0 0 "+strconv.Itoa(w*10)+" "+strconv.Itoa(h*10)).
		Aria("hidden", true).Body(app.Elem("rect").XMLNS(svg).Attr("width", strconv.Itoa(w*10)).Attr("height", strconv.Itoa(h*10)))
}

// overlay are the buttons on the poster.
func (c *Card) overlay(t *wire.VideoTask) app.UI {
	s, tasks := c.s, c.s.desk.Tasks
	why := video.NotPlayable(t)
	if c.Selecting {
		place := ""
		if c.Chosen > 0 {
			place = strconv.Itoa(c.Chosen)
		}
		return app.Label().Class("card-choose").Title(why).DataSet("off", why != "").Body(
			app.Input().ID(cardKey(t.ID, "choose")).Type("checkbox").Checked(c.Chosen > 0).Disabled(why != "").
				Aria("label", "Choose "+video.Title(*t)).
				OnChange(s.On("choose", func(app.Context, app.Event) { tasks.Toggle(t.ID) })),
			app.Span().Class("card-place figure").Aria("hidden", true).Text(place),
		)
	}
	label := "Add to favourites"
	if t.Favourite {
		label = "Take out of favourites"
	}
	return app.Button().ID(cardKey(t.ID, "star")).Class("icon-button card-star").Type("button").
		Aria("label", label).Title(label).Aria("pressed", t.Favourite).
		OnClick(s.On("star", func(app.Context, app.Event) { tasks.SetFavourite(t.ID, !tasks.Get(t.ID).Favourite) })).
		Body(kit.Icon(iconStar, "icon"))
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
	price := app.Span().Class("card-price figure").Title(cost.Basis).DataSet("struck", cost.Returned != "" || cost.Free)
	return app.P().Class("card-facts").Body(
		app.Span().Class("mono card-model").Title(t.Model).Text(t.Model),
		app.Span().Class("figure").Hidden(seconds == "").Text(seconds),
		price.Hidden(cost.Amount == "").Text(cost.Amount),
		app.Span().Class("fact").DataSet("tone", "good").Hidden(cost.Returned == "").Text(cost.Returned),
		app.Span().Class("fact").Hidden(!cost.Free).Text("not charged"),
		app.Span().Class("fact").DataSet("tone", string(savedTone)).Hidden(saved == "").Title(archiveTitle(t)).Text(saved),
		app.Span().Class("fact").DataSet("tone", leftTone).Hidden(left == "").
			Title("The gateway deletes its own files 14 days after a clip has finished.").Text(left),
	)
}

func archiveTitle(t *wire.VideoTask) string {
	for _, o := range t.Outputs {
		if o.Problem != nil {
			return strings.TrimSpace(o.Problem.Message + " " + o.Problem.Hint)
		}
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
	return app.Div().Class("card-notes").Body(
		app.If(elapsed != "", func() app.UI {
			return app.P().Class("card-time figure").Body(
				app.Span().DataSet("elapsed", t.ID).Text(elapsed),
				app.Span().Text(usual),
			)
		}),
		app.If(pause != "", func() app.UI {
			return app.P().Class("card-pause").Body(
				app.Text(pause+" "),
				app.If(settings, func() app.UI { return app.A().Href("/settings").Text("Enter the key") }),
			)
		}),
		app.If(t.Problem != nil && t.State.Final(), func() app.UI { return shortProblem(t.Problem) }),
		app.If(t.State == wire.VideoUnknown, func() app.UI { return c.s.settling(t) }),
	)
}

// shortProblem is a problem in a card: what happened and what to do. The rest
// is on the clip's page.
func shortProblem(p *wire.Problem) app.UI {
	return app.Div().Class("card-problem").Body(
		app.P().Text(p.Message),
		app.P().Class("card-todo").Hidden(p.Hint == "").Text(p.Hint),
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
	return app.Form().Class("settling").Aria("label", "How did it end?").
		OnSubmit(s.On("settle", func(_ app.Context, e app.Event) {
			e.PreventDefault()
			s.desk.Tasks.Settle(id, true, s.DOM.ByID(cardKey(id, "remote")).Get("value").String(), outcome)
		})).
		Body(
			app.P().Text("The gateway's answer was lost, so it may be at work and have charged. It is never sent again by itself; its price is held as reserved until you say how it ended. The list of tasks in the gateway's dashboard shows it."),
			app.Label().For(cardKey(id, "remote")).Text("It went through: here is its id"),
			app.Div().Class("settling-row").Body(
				app.Input().ID(cardKey(id, "remote")).Class("field mono").Type("text").Placeholder("task_…").
					Attr("autocomplete", "off").Attr("spellcheck", "false").MaxLength(200).
					Aria("invalid", problem != nil).Aria("describedby", cardKey(id, "settle-problem")),
				app.Button().ID(cardKey(id, "went")).Class("button").Type("submit").Text("Follow it"),
			),
			app.P().ID(cardKey(id, "settle-problem")).Class("outcome bad").Role("status").Hidden(words == "").Text(words),
			app.Button().ID(cardKey(id, "did-not")).Class("button").Type("button").Text("It did not go through").
				OnClick(s.On("did not", func(app.Context, app.Event) { s.desk.Tasks.Settle(id, false, "", outcome) })),
		)
}

// tags are shown, and typed where that was asked for.
func (c *Card) tags(t *wire.VideoTask) app.UI {
	if c.Tagging {
		return c.s.tagForm(t)
	}
	return app.Div().Class("card-tags").Hidden(len(t.Tags) == 0).Body(
		app.Range(t.Tags).Slice(func(i int) app.UI { return c.s.tag(t.Tags[i], cardKey(t.ID, "tag-"+strconv.Itoa(i))) }),
	)
}

// tag is a tag that shows all clips with it.
func (s *Section) tag(tag, id string) app.UI {
	return app.Button().ID(id).Class("badge tag").Type("button").Title("Show the clips with this tag").Text("#" + tag).
		OnClick(s.On("tag "+tag, func(app.Context, app.Event) {
			s.desk.Tasks.Find(video.Filter{Tag: tag})
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
	return app.Form().Class("tag-form").
		OnSubmit(s.On("tags", func(_ app.Context, e app.Event) {
			e.PreventDefault()
			s.desk.Tasks.SetTags(id, s.DOM.ByID(cardKey(id, "tags")).Get("value").String())
			done()
		})).
		Body(
			app.Label().For(cardKey(id, "tags")).Text("Tags, with commas between"),
			app.Input().ID(cardKey(id, "tags")).Class("field").Type("text").Attr("autocomplete", "off"),
			app.Button().Class("button").Type("submit").Text("Save"),
		)
}

// beginTags opens the form for tags, with those that there are.
func (s *Section) beginTags(id string) {
	s.results.menu, s.results.tagging = "", id
	s.redrawResults()
	s.After(40*time.Millisecond, func() {
		t, e := s.desk.Tasks.Get(id), s.DOM.ByID(cardKey(id, "tags"))
		if t != nil && e.Truthy() {
			e.Set("value", strings.Join(t.Tags, ", "))
			e.Call("focus")
		}
	})
}

// actions are what the clip can become, or what to do about its failure.
func (c *Card) actions(t *wire.VideoTask) app.UI {
	s := c.s
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
	list = append(list, app.Button().ID(cardKey(t.ID, "more")).Class("icon-button small card-more").Type("button").
		Aria("label", "More for this clip").Aria("expanded", c.Menu).Title("More").
		OnClick(s.On("more", func(app.Context, app.Event) {
			if s.results.menu == t.ID {
				s.results.menu = ""
			} else {
				s.results.menu = t.ID
			}
			s.redrawResults()
		})).
		Body(kit.Icon(iconMore, "icon")))
	return app.Div().Class("card-actions").Body(list...)
}

// start puts a clip into the form, to make something of it.
func (s *Section) start(t *wire.VideoTask, o video.Offer) {
	if o.Kind == gateway.Upscale {
		s.desk.StartUpscale(*t, o.Model)
	} else {
		s.desk.StartExtend(*t, o.Model)
	}
	s.openForm()
	s.focusSoon("create")
}

// reuse puts a clip's settings into the form.
func (s *Section) reuse(t *wire.VideoTask) {
	if !s.desk.Reuse(*t) {
		s.desk.Tasks.Say("The model of this clip is not in the catalogue any more, so the form can't be filled in with its settings.", video.Bad)
		return
	}
	s.openForm()
	s.focusSoon("prompt")
}

func (s *Section) retry(id string) { s.desk.Tasks.Retry(id, s.newID()) }

// showResults leads to the gallery from anywhere in the section.
func (s *Section) showResults() {
	s.showPane(paneResults)
	if s.view != viewDesk {
		s.Context().Navigate(Path)
	}
}
