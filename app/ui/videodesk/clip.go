//go:build js && wasm

package videodesk

import (
	"strconv"
	"strings"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/figure"
	"screentest/app/ui/kit"
	"screentest/app/video"
	"screentest/shared/gateway"
	"screentest/shared/money"
	"screentest/shared/snippet"
	"screentest/shared/wire"
)

// Clip is the page of one clip.
type Clip struct {
	app.Compo
	s   *Section
	Rev int
	ID  string
}

// CompoID implements app.DismountEnforcer: the player belongs to one clip.
func (c *Clip) CompoID() string { return c.ID }

// OnMount implements app.Mounter.
func (c *Clip) OnMount(app.Context) {
	defer c.s.Guard("the clip")
	c.s.results.mounted = true
	c.s.startTick()
}

// OnDismount implements app.Dismounter.
func (c *Clip) OnDismount() { c.s.stopTick() }

// Render implements app.Composer.
func (c *Clip) Render() (ui app.UI) {
	s := c.s
	defer s.Drawing("the clip", &ui)
	clip := s.results.clip
	if clip == nil || clip.ID != c.ID {
		return app.Div().Class("clip")
	}
	t := clip.Task()
	switch {
	case t == nil && clip.Problem != nil:
		return app.Div().Class("middle").Body(
			app.P().Text(strings.TrimSpace(clip.Problem.Message+" "+clip.Problem.Hint)),
			app.A().Class("button primary").Href(Path).Text("All clips"),
		)
	case t == nil:
		return app.Div().Class("middle").Body(app.P().Text("Fetching the clip…"))
	}
	return app.Div().ID("clip").Class("clip").DataSet("state", string(t.State)).Body(
		app.Div().Class("clip-inner").Body(
			app.A().Class("button plain clip-back").Href(Path).Body(kit.Icon(kit.IconBack, "icon small"), app.Text("All clips")),
			app.Div().Class("clip-stage").Body(
				c.player(t, clip.Output),
				c.outputs(t, clip.Output),
				c.actions(t, clip.Output),
			),
			app.Div().Class("clip-side").Body(
				c.about(t),
				c.state(t),
				c.lineage(clip),
				c.parameters(t),
				c.raw(clip, t),
			),
		),
	)
}

// player plays an output in its true ratio, or says why there is none.
func (c *Clip) player(t *wire.VideoTask, n int) app.UI {
	o, ok := video.OutputOf(t, n)
	if !ok || !video.OutputPlays(t, o) {
		words, tone := video.StateWords(t)
		why := video.NotPlayable(t)
		if ok && video.Playable(t) {
			why = "This file is not there any more; another one of the task is."
		}
		return app.Div().Class("clip-none").DataSet("tone", string(tone)).Body(
			app.P().Class("clip-none-state").Text(words),
			app.P().Text(why),
		)
	}
	v := app.Video().ID("player").Class("clip-player").Src(wire.MediaPathOf(t.ID, n)).Controls(true).
		Attr("playsinline", "true").Preload("metadata").Aria("label", video.Title(*t))
	if o.Poster {
		v = v.Poster(wire.PosterPathOf(t.ID, n))
	}
	return v
}

// outputs are all files of a task that has several.
func (c *Clip) outputs(t *wire.VideoTask, at int) app.UI {
	if len(t.Outputs) < 2 {
		return app.Div().Hidden(true)
	}
	return app.Div().Class("clip-outputs").Role("group").Aria("label", "Files of this task").Body(
		app.Range(t.Outputs).Slice(func(i int) app.UI {
			o := t.Outputs[i]
			return app.Button().Class("button").Type("button").Aria("pressed", o.Index == at).Text("File " + strconv.Itoa(o.Index+1)).
				OnClick(c.s.On("output "+strconv.Itoa(o.Index), func(app.Context, app.Event) {
					c.s.results.clip.Output = o.Index
					c.s.redrawResults()
				}))
		}),
	)
}

// actions are what the clip can become, and what else can be done with it.
func (c *Clip) actions(t *wire.VideoTask, n int) app.UI {
	s, tasks := c.s, c.s.desk.Tasks
	group := func(name string, list ...app.UI) app.UI {
		return app.Div().Class("clip-actions").Role("group").Aria("label", name).Body(list...)
	}
	var become, use []app.UI
	if video.CanRetry(t) {
		become = append(become,
			s.gatedAs("clip-edit", "Edit and retry", "Put it into the form, to change it first", "", func(app.Context) { s.reuse(t) }),
			s.gatedAs("clip-retry", video.RetryLabel(t), "Send the same request again, as a new clip", "", func(app.Context) { s.retry(t.ID) }))
	} else {
		for i, o := range tasks.Offers(t) {
			name := o.Label
			if o.Kind == gateway.Upscale && o.Enabled {
				name = "Upscale to " + o.Label
			}
			become = append(become, s.gatedAs("clip-"+string(o.Kind)+"-"+strconv.Itoa(i), name, o.Full, o.Reason, func(app.Context) { s.start(t, o) }))
		}
	}
	off := video.NotPlayable(t)
	entries := s.entries(t, n)
	for _, e := range entries {
		if e.key == "pin" {
			e.name = "Pin in the archive"
			if t.Pinned {
				e.name = "Unpin from the archive"
			}
		}
		use = append(use, s.gated("clip-"+e.key, e.name, e.why, func(ctx app.Context) { e.do(ctx) }))
		if e.key == "last" {
			use = append(use, s.gated("clip-take", "Take this frame", off, func(app.Context) {
				if v := s.DOM.ByID("player"); v.Truthy() {
					s.useFrame(t, v, "frame at "+strconv.FormatFloat(v.Get("currentTime").Float(), 'f', 2, 64)+" s")
				}
			}))
		}
	}
	star := "Add to favourites"
	if t.Favourite {
		star = "Take out of favourites"
	}
	use = append(use,
		s.gated("clip-star", star, "", func(app.Context) { tasks.SetFavourite(t.ID, !t.Favourite) }),
		app.Button().ID("clip-curl").Class("button").Type("button").Text("Copy as curl").
			OnClick(s.On("curl", func(app.Context, app.Event) { s.copyCurl(t) })),
		s.gated("clip-delete", "Delete", s.undeletable(t), func(ctx app.Context) {
			s.remove(t.ID)
			ctx.Navigate(Path)
		}),
	)
	return app.Div().Class("clip-does").Body(group("What the clip can become", become...), group("With this clip", use...))
}

// copyCurl puts the request onto the clipboard, as a command that runs.
func (s *Section) copyCurl(t *wire.VideoTask) {
	text := snippet.Write(snippet.Curl, snippet.Request{BaseURL: s.desk.Gateway.BaseURL, Endpoint: gateway.Video, Body: t.Body})
	s.copy(text, "The command is on the clipboard. Running it creates another task, which is charged.")
}

// about is what a person calls the clip.
func (c *Clip) about(t *wire.VideoTask) app.UI {
	s := c.s
	title := t.Title
	return app.Section().Class("clip-about").Body(
		app.H2().Class("clip-title").Text(video.Title(*t)),
		app.If(s.results.tagging == t.ID, func() app.UI {
			return app.Form().Class("tag-form").
				OnSubmit(s.On("about", func(_ app.Context, e app.Event) {
					e.PreventDefault()
					s.desk.Tasks.SetTitle(t.ID, s.DOM.ByID("clip-name").Get("value").String())
					s.desk.Tasks.SetTags(t.ID, s.DOM.ByID(cardKey(t.ID, "tags")).Get("value").String())
					s.results.tagging = ""
					s.redrawResults()
					s.focusSoon("clip-name-tags")
				})).
				Body(
					app.Label().For("clip-name").Text("Name"),
					app.Input().ID("clip-name").Class("field").Type("text").MaxLength(wire.MaxTaskTitle).Attr("autocomplete", "off"),
					app.Label().For(cardKey(t.ID, "tags")).Text("Tags, with commas between"),
					app.Input().ID(cardKey(t.ID, "tags")).Class("field").Type("text").Attr("autocomplete", "off"),
					app.Button().Class("button").Type("submit").Text("Save"),
				)
		}).Else(func() app.UI {
			return app.Div().Class("card-tags").Body(
				app.Range(t.Tags).Slice(func(i int) app.UI { return s.tag(t.Tags[i], "clip-tag-"+strconv.Itoa(i)) }),
				app.Button().ID("clip-name-tags").Class("button plain").Type("button").
					Body(kit.Icon(kit.IconPencil, "icon small"), app.Text("Name and tags")).
					OnClick(s.On("name", func(app.Context, app.Event) {
						s.beginTags(t.ID)
						s.After(40*time.Millisecond, func() {
							if e := s.DOM.ByID("clip-name"); e.Truthy() {
								e.Set("value", title)
								e.Call("focus")
							}
						})
					})),
			)
		}),
		app.P().Class("clip-prompt").Hidden(t.Title == "" || t.Prompt == "").Text(t.Prompt),
	)
}

// state is how far the task is, what it cost, and how long it is kept.
func (c *Clip) state(t *wire.VideoTask) app.UI {
	s := c.s
	words, tone := video.StateWords(t)
	cost := video.CostOf(t)
	left, soon := video.LeftWords(t, time.Now())
	saved, savedTone := video.ArchiveWords(t)
	pause, settings := video.PauseWords(t)
	var facts []app.UI
	fact := func(name string, dd app.UI) { facts = append(facts, app.Dt().Text(name), dd) }
	fact("State", app.Dd().DataSet("tone", string(tone)).ID("clip-state").Body(app.Text(words)))
	if elapsed := video.Elapsed(t, time.Now()); elapsed != "" {
		fact("Time", app.Dd().Class("figure").Body(app.Span().DataSet("elapsed", t.ID).Text(elapsed), app.Span().Text(" · "+video.Usual(t))))
	} else if took := video.Took(t); took != "" {
		fact("Took", app.Dd().Class("figure").Text(took+" · "+video.Usual(t)))
	}
	if cost.Amount != "" {
		paid := cost.Amount
		switch {
		case cost.Returned != "":
			paid += ", returned"
		case cost.Free:
			paid += ", not charged"
		case cost.Held != "":
			paid += ", " + cost.Held
		}
		fact("Cost", app.Dd().ID("clip-cost").Class("figure").Title(cost.Basis).Body(
			app.Text(paid), app.Span().Class("faint").Text(" · "+t.Basis+" · computed")))
	}
	if o, ok := video.OutputOf(t, max(video.PlayableOutput(t), 0)); ok && (o.Width > 0 || o.Bytes > 0) {
		var parts []string
		if o.Width > 0 {
			parts = append(parts, strconv.Itoa(o.Width)+" × "+strconv.Itoa(o.Height))
		}
		if o.Seconds > 0 {
			parts = append(parts, strconv.FormatFloat(o.Seconds, 'f', -1, 64)+" s")
		}
		if o.Bytes > 0 {
			parts = append(parts, video.Bytes(o.Bytes))
		}
		fact("File", app.Dd().Class("figure").Text(strings.Join(parts, " · ")))
	}
	if left != "" {
		expiry := app.Dd().ID("clip-left").Text(left + ", until " + dateOf(t.ExpiresMS))
		if soon && savedTone != video.Good {
			expiry = expiry.DataSet("tone", "warn")
		}
		fact("At the gateway", expiry)
	} else if t.State == wire.VideoExpired {
		fact("At the gateway", app.Dd().ID("clip-left").Text("deleted after 14 days"))
	}
	if saved != "" {
		fact("In the archive", app.Dd().ID("clip-saved").DataSet("tone", string(savedTone)).Title(archiveTitle(t)).Text(saved))
	}
	fact("Made", app.Dd().Text(dateOf(t.CreatedMS)))
	return app.Section().Class("clip-facts").Body(
		app.Dl().Class("facts").Body(facts...),
		app.If(pause != "", func() app.UI {
			return app.P().Class("card-pause").Body(
				app.Text(pause+" "),
				app.If(settings, func() app.UI { return app.A().Href("/settings").Text("Enter the key") }),
			)
		}),
		app.If(t.Problem != nil, func() app.UI { return problemBox(t.Problem) }),
		app.If(t.State == wire.VideoUnknown, func() app.UI { return s.settling(t) }),
		app.If(t.State != wire.VideoExpired && t.Remote != "" && t.State != wire.VideoFailed && t.State != wire.VideoLost, func() app.UI {
			return app.Button().ID("clip-check").Class("button plain").Type("button").
				Title("Ask the gateway about this task now, out of turn").
				Body(kit.Icon(kit.IconRetry, "icon small"), app.Text("Ask the gateway now")).
				OnClick(s.On("check", func(app.Context, app.Event) { s.desk.Tasks.Check(t.ID) }))
		}),
	)
}

// problemBox says what happened and why, then what to do.
func problemBox(p *wire.Problem) app.UI {
	return app.Div().Class("problem").Body(
		app.P().Class("problem-what").Text(p.Message),
		app.P().Class("problem-todo").Hidden(p.Hint == "").Text(p.Hint),
	)
}

// lineage is the family of the clip with what it cost together.
func (c *Clip) lineage(clip *video.Clip) app.UI {
	steps := clip.Lineage()
	if steps == nil {
		return app.Div().Hidden(true)
	}
	return app.Section().ID("lineage").Class("clip-lineage").Body(
		app.H3().Text("Where it comes from, and what became of it"),
		app.Ol().Class("lineage").Body(
			app.Range(steps).Slice(func(i int) app.UI {
				st := steps[i]
				cost := video.CostOf(st.Task)
				words, tone := video.StateWords(st.Task)
				if st.Task.Deleted {
					words, tone = "Deleted", video.Plain
				}
				a := app.A().Class("lineage-step").Href(Path + "/" + st.Task.ID)
				if st.Current {
					a = a.Aria("current", "page")
				}
				return app.Li().DataSet("depth", min(st.Depth, 6)).Body(a.Body(
					app.Span().Class("lineage-verb").Text(st.Verb),
					app.Span().Class("mono lineage-model").Text(st.Task.Model),
					app.Span().Class("lineage-state").DataSet("tone", string(tone)).Text(words),
					app.Span().Class("figure").DataSet("struck", cost.Returned != "" || cost.Free).Text(cost.Amount),
				))
			}),
		),
		app.P().Class("lineage-sum figure").ID("lineage-cost").
			Title("Charges less returns: "+money.NanoUSD(clip.LineageNanoUSD()).String()).
			Text("Together "+money.NanoUSD(clip.LineageNanoUSD()).String()),
	)
}

// parameters are the request as it was sent.
func (c *Clip) parameters(t *wire.VideoTask) app.UI {
	var rows []app.UI
	for _, p := range video.Parameters(t) {
		rows = append(rows, app.Dt().Class("mono").Text(p.Name), app.Dd().Class("mono").Text(p.Value))
	}
	return app.Section().Class("clip-parameters").Body(
		app.H3().Text("Prompt and parameters"),
		app.P().Class("clip-prompt").Text(t.Prompt),
		app.Dl().Class("facts").Body(rows...),
	)
}

// raw are the ids, and the task as the server has it.
func (c *Clip) raw(clip *video.Clip, t *wire.VideoTask) app.UI {
	var rows []app.UI
	row := func(name, value string) {
		if value != "" {
			rows = append(rows, app.Dt().Text(name), app.Dd().Class("mono").Text(value))
		}
	}
	row("Task", t.Remote)
	row("Internal id", t.UUID)
	if t.Problem != nil {
		row("Request id", t.Problem.Request)
	}
	for _, o := range t.Outputs {
		row("SHA-256", o.SHA256)
	}
	return app.Section().Class("clip-raw").Body(
		app.H3().Text("Ids"),
		app.Dl().Class("facts").Body(rows...),
		app.Details().Class("fold").Body(
			app.Summary().Body(kit.Icon(kit.IconChevron, "icon small turns"), app.Text("The whole task as JSON, "+figure.Count(int64(len(clip.RawTask())))+" characters")),
			app.Pre().ID("clip-json").TabIndex(0).Text(clip.RawTask()),
		),
	)
}

// dateOf writes a time of day and a date in the person's zone.
func dateOf(ms int64) string { return time.UnixMilli(ms).Format("2 Jan 2006, 15:04") }
