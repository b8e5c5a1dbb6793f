//go:build js && wasm

package video

import (
	"strconv"
	"strings"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/figure"
	"screentest/app/ui/kit"
	"screentest/app/video"
	"screentest/shared/wire"
)

// Clip is the page of one clip.
type Clip struct {
	app.Compo
	s    *Section
	Rev  int
	Said int // of it, so far
	ID   string
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
		return kit.Box("div", "clip")
	}
	t := clip.Task()
	switch {
	case t == nil && clip.Problem != nil:
		return kit.Empty("page",
			kit.Box("p", "", strings.TrimSpace(clip.Problem.Message+" "+clip.Problem.Hint)),
			s.toClips("button primary", "All clips"),
		)
	case t == nil:
		return kit.Empty("page", kit.Box("p", "", "Loading the clip…"))
	}
	return kit.El("div", "clip", kit.At{"id", "clip", "data-state", string(t.State)},
		kit.Box("div", "clip-inner",
			c.head(t),
			kit.If(t.Deleted, func() app.UI { return c.deleted(t) }),
			kit.Box("div", "clip-stage",
				c.player(t, clip.Output),
				c.outputs(t, clip.Output),
				c.about(t),
				c.actions(t, clip.Output),
				kit.If(s.phone(), s.panel),
			),
			kit.Box("div", "clip-side",
				kit.If(!s.phone(), s.panel),
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
			why = "This file is gone; another file of this clip is still here."
		}
		return kit.El("div", "empty clip-none", kit.At{"data-tone", string(tone)},
			kit.Box("p", "clip-none-state", words),
			kit.Either(video.Elapsed(t, time.Now()) == "", func() app.UI { return kit.Box("p", "", why) }, func() app.UI {
				return kit.El("div", "clip-pace", kit.At{"id", "clip-pace"}, c.s.paceBar(t, ""), c.s.paceWords(t, "soft figure"))
			}),
		)
	}
	if c.s.results.broken == brokenKey(t, n) {
		why := video.NotSaved(t)
		if why == nil {
			why = &wire.Problem{Message: "The browser couldn’t load the file."}
		}
		return kit.El("div", "empty clip-none", kit.At{"id", "clip-broken", "data-tone", string(video.Bad)},
			kit.Box("p", "clip-none-state", "The clip doesn’t play"),
			kit.Box("p", "", why.Message),
			kit.Button("", kit.At{"id", "play-again"}, c.s.Do("play again", func() {
				c.s.results.broken = ""
				c.s.redrawResults()
			}), "Try again"),
		)
	}
	poster := ""
	if o.Poster {
		poster = wire.PosterPathOf(t.ID, n)
	}
	broke := c.s.Do("broken", func() {
		c.s.results.broken = brokenKey(t, n)
		c.s.redrawResults()
	})
	w, h := video.RatioOf(t)
	return c.s.reviewed(kit.El("video", "clip-player", kit.At{"id", "player", "src", wire.MediaPathOf(t.ID, n), "poster", poster,
		"width", w, "height", h, "loop", c.s.results.loop, // the room is kept before the clip is there
		"controls", "true", "playsinline", "true", "preload", "metadata", "aria-label", video.Title(*t), "onerror", broke}))
}

// brokenKey names an output as it is now: a newer state of its task may play.
func brokenKey(t *wire.VideoTask, n int) string {
	return t.ID + " " + strconv.Itoa(n) + " " + strconv.FormatInt(t.Version, 10)
}

// outputs are all files of a task that has several.
func (c *Clip) outputs(t *wire.VideoTask, shown int) app.UI {
	if len(t.Outputs) < 2 {
		return kit.Nothing()
	}
	var files []kit.Choice
	for _, o := range t.Outputs {
		name := "File " + strconv.Itoa(o.Index+1)
		files = append(files, kit.Choice{Name: name, On: o.Index == shown, Do: c.s.Do(name, func() {
			c.s.results.clip.Output = o.Index
			c.s.redrawResults()
		})})
	}
	return kit.Segments("Files of this task", "", files)
}

// about is what a person calls the clip.
func (c *Clip) about(t *wire.VideoTask) app.UI {
	s := c.s
	return kit.Box("section", "clip-about",
		kit.El("h2", "clip-title written", kit.At{"id", "title-" + t.ID, "title", video.Title(*t)}, video.Title(*t)),
		kit.Either(s.results.naming.task == t.ID && !t.Deleted, func() app.UI { return s.nameForm(t, true) }, func() app.UI {
			return kit.Box("div", "line",
				s.tagsOf(t, "clip-tag-"),
				s.ShareMark("clip-shared", wire.ShareClip, t.ID, video.Title(*t)),
				kit.Button("plain", kit.At{"id", "clip-name-tags", "hidden", t.Deleted},
					s.Do("name", func() { s.beginNaming(t.ID) }), kit.Icon(kit.IconPencil, "icon small"), "Name and tags"),
			)
		}),
		kit.CopiedFrom("clip-copied", t.Copied),
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
	fact := func(name string, dd app.UI) { facts = append(facts, kit.Box("dt", "", name), dd) }
	fact("State", kit.El("dd", "", kit.At{"data-tone", string(tone), "id", "clip-state"}, words))
	if took := video.Took(t); took != "" {
		if usual := s.desk.Tasks.Usual(t); usual != "" {
			took += " · " + usual
		}
		fact("Took", kit.Box("dd", "figure", took))
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
		fact("Cost", kit.El("dd", "figure", kit.At{"id", "clip-cost", "title", cost.Basis},
			paid, kit.Box("span", "faint", " · "+t.Basis+" · computed"),
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
		fact("File", kit.Box("dd", "figure", strings.Join(parts, " · ")))
	}
	if left != "" {
		tone := kit.When(soon && savedTone != video.Good, "warn")
		fact("At the gateway", kit.El("dd", "", kit.At{"id", "clip-left", "data-tone", tone}, left+", until "+dateOf(t.ExpiresMS)))
	} else if t.State == wire.VideoExpired {
		fact("At the gateway", kit.El("dd", "", kit.At{"id", "clip-left"}, "deleted after 14 days"))
	}
	if saved != "" {
		fact("In the archive", kit.El("dd", "", kit.At{"id", "clip-saved", "data-tone", string(savedTone), "title", archiveTitle(t)}, saved))
	}
	fact("Made", kit.Box("dd", "", dateOf(t.CreatedMS)))
	return kit.Box("section", "clip-facts",
		kit.Box("dl", "facts", facts),
		kit.If(pause != "", func() app.UI {
			return kit.Box("p", "live",
				pause+" ",
				kit.If(settings, func() app.UI { return kit.El("a", "", kit.At{"href", "/settings"}, "Enter the key") }),
			)
		}),
		kit.If(t.Problem != nil, func() app.UI { return problemNotice(t.Problem) }),
		kit.If(video.NotSaved(t) != nil, func() app.UI { return problemNotice(video.NotSaved(t)) }),
		kit.If(t.State == wire.VideoUnknown && !t.Deleted, func() app.UI { return s.settleForm(t) }),
		kit.If(!t.Deleted && t.State != wire.VideoExpired && t.Remote != "" && t.State != wire.VideoFailed && t.State != wire.VideoLost, func() app.UI {
			words := "Check now"
			if p := video.NotSaved(t); p != nil && t.State == wire.VideoDone {
				words = "Save it again"
			}
			return kit.Button("plain", kit.At{"id", "clip-check", "title", "Ask the gateway about this clip now"},
				s.Do("check", func() { s.desk.Tasks.Check(t.ID) }), kit.Icon(kit.IconRetry, "icon small"), words)
		}),
	)
}

// problemNotice says what happened and why, then what to do.
func problemNotice(p *wire.Problem) app.UI {
	return kit.Notice(kit.Bad, "", nil, kit.Box("p", "", p.Message), kit.SayIf("p", "todo", p.Hint))
}

// raw are the ids, and the task as the server has it.
func (c *Clip) raw(clip *video.Clip, t *wire.VideoTask) app.UI {
	var rows []app.UI
	row := func(name, value string) {
		if value != "" {
			rows = append(rows, kit.Box("dt", "", name), kit.Box("dd", "mono", value))
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
	return kit.Box("section", "clip-raw",
		kit.Box("details", "fold",
			kit.Box("summary", "", kit.Icon(kit.IconChevron, "icon small turns"), "IDs and the task as JSON"),
			kit.Box("dl", "facts", rows),
			kit.El("pre", "json", kit.At{"id", "clip-json", "tabindex", "0"}, clip.RawTask()),
		),
	)
}

// dateOf writes a time of day and a date in the person's zone.
func dateOf(ms int64) string { return kit.Wall(ms).Format("2 Jan 2006, 15:04") }
