//go:build js && wasm

package videodesk

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/figure"
	"screentest/app/ui/kit"
	"screentest/app/video"
	"screentest/shared/gateway"
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
}

// Render implements app.Composer.
func (c *Clip) Render() (ui app.UI) {
	s := c.s
	defer s.Drawing("the clip", &ui)
	clip := s.results.clip
	if clip == nil || clip.ID != c.ID {
		return el("div", "clip", nil)
	}
	t := clip.Task()
	switch {
	case t == nil && clip.Problem != nil:
		return box("div", "middle",
			say("p", "", strings.TrimSpace(clip.Problem.Message+" "+clip.Problem.Hint)),
			s.toClips("button primary", app.Text("All clips")),
		)
	case t == nil:
		return box("div", "middle", say("p", "", "Fetching the clip…"))
	}
	return el("div", "clip", at{"id", "clip", "data-state", string(t.State)},
		box("div", "clip-inner",
			s.toClips("button plain clip-back", kit.Icon(kit.IconBack, "icon small"), app.Text("All clips")),
			app.If(t.Deleted, func() app.UI { return c.deleted(t) }),
			box("div", "clip-stage",
				c.player(t, clip.Output),
				c.outputs(t, clip.Output),
				c.actions(t, clip.Output),
			),
			box("div", "clip-side",
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
		return el("div", "clip-none", at{"data-tone", string(tone)},
			say("p", "clip-none-state", words),
			say("p", "", why),
		)
	}
	if c.s.results.broken == brokenKey(t, n) {
		why := video.NotSaved(t)
		if why == nil {
			why = &wire.Problem{Message: "The browser could not load or read the file."}
		}
		return el("div", "clip-none", at{"id", "clip-broken", "data-tone", string(video.Bad)},
			say("p", "clip-none-state", "The clip does not play"),
			say("p", "", why.Message),
			elem("button", "button", at{"id", "play-again", "type", "button"}, app.Text("Try again")).
				OnClick(c.s.On("play again", func(app.Context, app.Event) {
					c.s.results.broken = ""
					c.s.redrawResults()
				})),
		)
	}
	poster := ""
	if o.Poster {
		poster = wire.PosterPathOf(t.ID, n)
	}
	broke, named := c.s.On("broken", func(app.Context, app.Event) {
		c.s.results.broken = brokenKey(t, n)
		c.s.redrawResults()
	})
	return elem("video", "clip-player", at{"id", "player", "src", wire.MediaPathOf(t.ID, n), "poster", poster,
		"controls", "true", "playsinline", "true", "preload", "metadata", "aria-label", video.Title(*t)}).On("error", broke, named)
}

// brokenKey names an output as it is now: a newer state of its task may play.
func brokenKey(t *wire.VideoTask, n int) string {
	return t.ID + " " + strconv.Itoa(n) + " " + strconv.FormatInt(t.Version, 10)
}

// outputs are all files of a task that has several.
func (c *Clip) outputs(t *wire.VideoTask, shown int) app.UI {
	if len(t.Outputs) < 2 {
		return nothing()
	}
	return el("div", "clip-outputs", at{"role", "group", "aria-label", "Files of this task"},
		app.Range(t.Outputs).Slice(func(i int) app.UI {
			o := t.Outputs[i]
			return elem("button", "button", at{"type", "button", "aria-pressed", yes(o.Index == shown)}, app.Text("File "+strconv.Itoa(o.Index+1))).
				OnClick(c.s.On("output "+strconv.Itoa(o.Index), func(app.Context, app.Event) {
					c.s.results.clip.Output = o.Index
					c.s.redrawResults()
				}))
		}),
	)
}

// actions are what the clip can become, and what else can be done with it.
func (c *Clip) actions(t *wire.VideoTask, n int) app.UI {
	s := c.s
	group := func(name string, list ...app.UI) app.UI {
		return el("div", "clip-actions", at{"role", "group", "aria-label", name}, list...)
	}
	var become, use []app.UI
	gone := ""
	if t.Deleted {
		gone = video.NotDeleted
	}
	if video.CanRetry(t) {
		become = append(become,
			s.gatedAs("clip-edit", "Edit and retry", "Put it into the form, to change it first", gone, func(app.Context) { s.reuse(t) }),
			s.gatedAs("clip-retry", video.RetryLabel(t), "Send the same request again, as a new clip", gone, func(app.Context) { s.retry(t.ID) }))
	} else {
		for i, o := range s.desk.Tasks.Offers(t) {
			name := o.Label
			if o.Kind == gateway.Upscale && o.Enabled {
				name = "Upscale to " + o.Label
			}
			become = append(become, s.gatedAs("clip-"+string(o.Kind)+"-"+strconv.Itoa(i), name, o.Full, o.Reason, func(app.Context) { s.start(t, o) }))
		}
	}
	off := cmp.Or(gone, video.NotPlayable(t))
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
		s.gated("clip-star", star, gone, func(app.Context) { s.star(t.ID) }),
		s.gated("clip-curl", "Copy as curl", gone, func(app.Context) { s.copyCurl(t) }),
	)
	if !t.Deleted {
		use = append(use, s.gatedAs("clip-delete", "Delete", deleteWords(t), s.undeletable(t), func(app.Context) {
			s.remove(t.ID)
			s.showResults()
		}))
	}
	return box("div", "clip-does", group("What the clip can become", become...), group("With this clip", use...))
}

// copyCurl puts the request onto the clipboard, as a command that runs.
func (s *Section) copyCurl(t *wire.VideoTask) {
	text := snippet.Write(snippet.Curl, snippet.Request{BaseURL: s.desk.Gateway.BaseURL, Endpoint: gateway.Video, Body: t.Body})
	s.copy(text, "The command is on the clipboard. Running it creates another task, which is charged.")
}

// about is what a person calls the clip.
func (c *Clip) about(t *wire.VideoTask) app.UI {
	s := c.s
	return box("section", "clip-about",
		say("h2", "clip-title", video.Title(*t)),
		app.If(s.results.tagging == t.ID, func() app.UI {
			return elem("form", "tag-form", nil,
				el("label", "", at{"for", "clip-name"}, app.Text("Name")),
				el("input", "field", at{"id", "clip-name", "type", "text", "maxlength", strconv.Itoa(wire.MaxTaskTitle), "autocomplete", "off"}),
				el("label", "", at{"for", cardKey(t.ID, "tags")}, app.Text("Tags, with commas between")),
				el("input", "field", at{"id", cardKey(t.ID, "tags"), "type", "text", "autocomplete", "off"}),
				el("button", "button", at{"type", "submit"}, app.Text("Save")),
			).OnSubmit(s.On("about", func(_ app.Context, e app.Event) {
				e.PreventDefault()
				s.desk.Tasks.SetTitle(t.ID, s.DOM.ByID("clip-name").Get("value").String())
				s.desk.Tasks.SetTags(t.ID, s.DOM.ByID(cardKey(t.ID, "tags")).Get("value").String())
				s.results.tagging = ""
				s.redrawResults()
				s.focusSoon("clip-name-tags")
			}))
		}).Else(func() app.UI {
			return box("div", "card-tags",
				app.Range(t.Tags).Slice(func(i int) app.UI { return s.tag(t.Tags[i], "clip-tag-"+strconv.Itoa(i)) }),
				elem("button", "button plain", at{"id", "clip-name-tags",
					"type", "button", "hidden", no(t.Deleted)}, kit.Icon(kit.IconPencil, "icon small"), app.Text("Name and tags")).
					OnClick(s.On("name", func(app.Context, app.Event) { s.beginTags(t.ID) })),
			)
		}),
		el("p", "clip-prompt", at{"hidden", no(t.Title == "" || t.Prompt == "")}, app.Text(t.Prompt)),
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
	fact := func(name string, dd app.UI) { facts = append(facts, say("dt", "", name), dd) }
	fact("State", el("dd", "", at{"data-tone", string(tone), "id", "clip-state"}, app.Text(words)))
	if elapsed := video.Elapsed(t, time.Now()); elapsed != "" {
		fact("Time", box("dd", "figure", s.elapsed(t.ID, elapsed), say("span", "", " · "+video.Usual(t))))
	} else if took := video.Took(t); took != "" {
		fact("Took", say("dd", "figure", took+" · "+video.Usual(t)))
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
		fact("Cost", el("dd", "figure", at{"id", "clip-cost", "title", cost.Basis},
			app.Text(paid), say("span", "faint", " · "+t.Basis+" · computed"),
		))
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
			parts = append(parts, figure.Bytes(o.Bytes))
		}
		fact("File", say("dd", "figure", strings.Join(parts, " · ")))
	}
	if left != "" {
		expiry := elem("dd", "", at{"id", "clip-left"}, app.Text(left+", until "+dateOf(t.ExpiresMS)))
		if soon && savedTone != video.Good {
			expiry = expiry.DataSet("tone", "warn")
		}
		fact("At the gateway", expiry)
	} else if t.State == wire.VideoExpired {
		fact("At the gateway", el("dd", "", at{"id", "clip-left"}, app.Text("deleted after 14 days")))
	}
	if saved != "" {
		fact("In the archive", el("dd", "", at{"id", "clip-saved", "data-tone", string(savedTone), "title", archiveTitle(t)}, app.Text(saved)))
	}
	fact("Made", say("dd", "", dateOf(t.CreatedMS)))
	return box("section", "clip-facts",
		box("dl", "facts", facts...),
		app.If(pause != "", func() app.UI {
			return box("p", "card-pause",
				app.Text(pause+" "),
				app.If(settings, func() app.UI { return el("a", "", at{"href", "/settings"}, app.Text("Enter the key")) }),
			)
		}),
		app.If(t.Problem != nil, func() app.UI { return problemBox(t.Problem) }),
		app.If(video.NotSaved(t) != nil, func() app.UI { return problemBox(video.NotSaved(t)) }),
		app.If(t.State == wire.VideoUnknown && !t.Deleted, func() app.UI { return s.settling(t) }),
		app.If(!t.Deleted && t.State != wire.VideoExpired && t.Remote != "" && t.State != wire.VideoFailed && t.State != wire.VideoLost, func() app.UI {
			words := "Ask the gateway now"
			if p := video.NotSaved(t); p != nil && t.State == wire.VideoDone {
				words = "Copy it again"
			}
			return elem("button", "button plain", at{"id", "clip-check", "type", "button",
				"title", "Ask the gateway about this task now, out of turn"}, kit.Icon(kit.IconRetry, "icon small"), app.Text(words)).
				OnClick(s.On("check", func(app.Context, app.Event) { s.desk.Tasks.Check(t.ID) }))
		}),
	)
}

// problemBox says what happened and why, then what to do.
func problemBox(p *wire.Problem) app.UI {
	return box("div", "problem",
		say("p", "problem-what", p.Message),
		sayIf("p", "problem-todo", p.Hint),
	)
}

// raw are the ids, and the task as the server has it.
func (c *Clip) raw(clip *video.Clip, t *wire.VideoTask) app.UI {
	var rows []app.UI
	row := func(name, value string) {
		if value != "" {
			rows = append(rows, say("dt", "", name), say("dd", "mono", value))
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
	return box("section", "clip-raw",
		say("h3", "", "Ids"),
		box("dl", "facts", rows...),
		box("details", "fold",
			box("summary", "", kit.Icon(kit.IconChevron, "icon small turns"), app.Text("The whole task as JSON, "+figure.Count(int64(len(clip.RawTask())))+" characters")),
			el("pre", "", at{"id", "clip-json", "tabindex", "0"}, app.Text(clip.RawTask())),
		),
	)
}

// dateOf writes a time of day and a date in the person's zone.
func dateOf(ms int64) string { return kit.Wall(ms).Format("2 Jan 2006, 15:04") }
