//go:build js && wasm

package video

import (
	"strconv"
	"strings"
	"syscall/js"

	"screentest/app/ui/kit"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/figure"
	"screentest/app/video"
	"screentest/shared/wire"
)

// archiveForm is the state of the archive's settings.
type archiveForm struct {
	busy    bool
	outcome string
	bad     bool
}

// Archive are the settings of the archive: its use, its bound, and what makes
// room.
type Archive struct {
	app.Compo
	s      *Section
	Rev    int
	filled string // what was put into the field of the quota
}

// Settings implements kit.Configurable.
func (s *Section) Settings() []app.UI { return []app.UI{&Archive{s: s, Rev: s.rev.gallery}} }

// OnMount implements app.Mounter.
func (a *Archive) OnMount(ctx app.Context) {
	a.s.results.mounted = true
	ctx.Defer(func(app.Context) {
		defer a.s.Guard("the archive's settings")
		a.fill()
		if js.Global().Get("location").Get("hash").String() == "#settings-archive" {
			a.s.DOM.ByID("settings-archive").Call("scrollIntoView")
		}
	})
}

// fill puts the quota that there is into its field, unless a person has
// changed what is in it; emptied is changed too.
func (a *Archive) fill() {
	e := a.s.DOM.ByID("archive-quota")
	if !e.Truthy() || !a.s.desk.Tasks.Archive.Ready || e.Get("value").String() != a.filled {
		return
	}
	a.filled = gigabytes(a.s.desk.Tasks.Archive.Settings.QuotaBytes)
	e.Set("value", a.filled)
}

// OnUpdate implements app.Updater.
func (a *Archive) OnUpdate(ctx app.Context) {
	ctx.Defer(func(app.Context) {
		defer a.s.Guard("the archive's settings")
		a.fill()
	})
}

// Render implements app.Composer.
func (a *Archive) Render() (ui app.UI) {
	s := a.s
	defer s.Drawing("the archive's settings", &ui)
	tasks := s.desk.Tasks
	is := &tasks.Archive
	about := kit.Box("p", "about", "A gateway deletes its files 14 days after a clip has finished. This server copies each clip as it finishes, with a checksum, so that it stays playable.")
	if !tasks.Archive.Ready {
		return kit.El("section", "", kit.At{"id", "settings-archive"}, kit.Box("h2", "", "Archive of clips"), about, kit.Box("p", "about", "Waiting for the server…"))
	}
	quota := is.Settings.QuotaBytes
	if quota == 0 {
		quota = wire.DefaultQuota
	}
	form := &s.results.archive
	outcome := "outcome good"
	if form.bad {
		outcome = "outcome bad"
	}
	free := "not known"
	if is.FreeBytes >= 0 {
		free = figure.Bytes(is.FreeBytes)
	}
	return kit.El("section", "", kit.At{"id", "settings-archive"},
		kit.Box("h2", "", "Archive of clips"),
		about,
		kit.Box("div", "archive-use",
			kit.El("progress", "archive-bar", kit.At{"id", "archive-bar",
				"data-warn", is.Warn, "max", "1000", "value", strconv.Itoa(int(min(is.Bytes*1000/quota, 1000))), "aria-label", "Use of the archive"}),
			kit.El("p", "figure", kit.At{"id", "archive-use"}, figure.Bytes(is.Bytes)+" of "+figure.Bytes(quota)+" used"),
		),
		kit.If(is.Warn, func() app.UI {
			return kit.El("div", "note warn", kit.At{"role", "status"},
				kit.Box("p", "", is.Warning()),
				kit.If(len(is.NextOut) > 0, func() app.UI {
					return kit.Box("p", "",
						"First to go: ",
						kit.Times(len(is.NextOut), func(i int) app.UI {
							name := "clip " + strconv.Itoa(i+1)
							if t := tasks.Get(is.NextOut[i]); t != nil {
								name = video.Title(*t)
							}
							if i > 0 {
								return kit.Box("span", "", " · ", kit.El("a", "", kit.At{"href", Path + "/" + is.NextOut[i]}, name))
							}
							return kit.El("a", "", kit.At{"href", Path + "/" + is.NextOut[i]}, name)
						}),
					)
				}),
			)
		}),
		kit.Box("dl", "facts",
			kit.Box("dt", "", "Clips"), kit.Box("dd", "figure", figure.Count(is.Files)),
			kit.If(is.DeletedBytes > 0, func() app.UI { return kit.Box("dt", "", "Deleted clips") }),
			kit.If(is.DeletedBytes > 0, func() app.UI {
				return kit.Box("dd", "figure", figure.Bytes(is.DeletedBytes)+" besides, which give way to new clips")
			}),
			kit.Box("dt", "", "Still to be copied"), kit.Box("dd", "figure", figure.Count(is.Waiting)),
			kit.Box("dt", "", "Uploads"), kit.Box("dd", "figure", figure.Bytes(is.Uploads)+" of "+figure.Bytes(is.UploadsMax)),
			kit.Box("dt", "", "Free on the disk of the archive"), kit.Box("dd", "figure", free),
		),
		kit.El("form", "archive-form", kit.At{"onsubmit", s.On("archive", func(_ app.Context, e app.Event) { e.PreventDefault(); s.saveArchive() })},
			kit.El("label", "", kit.At{"for", "archive-quota"}, "Quota, in GB"),
			kit.El("input", "field figure", kit.At{"id", "archive-quota", "type", "text", "inputmode", "decimal", "autocomplete", "off",
				"aria-invalid", form.bad, "aria-describedby", "archive-outcome"}),
			kit.Box("label", "check",
				kit.El("input", "", kit.At{"id", "archive-room", "type", "checkbox", "checked", is.Settings.MakeRoom}),
				kit.Box("span", "", "When it is full, make room: the oldest clips that are not pinned go first. Without this nothing more is copied then."),
			),
			kit.El("button", "button primary", kit.At{"id", "archive-save", "type", "submit", "disabled", form.busy}, "Save"),
			kit.El("p", outcome, kit.At{"id", "archive-outcome", "role", "status"}, form.outcome),
		),
		kit.Box("p", "about", "A pinned clip is never removed for want of room: pin it in its menu or on its page. A warning comes before anything is removed."),
		s.notifySetting(),
	)
}

// notifySetting offers the browser's own notices.
func (s *Section) notifySetting() app.UI {
	n := notification()
	words, ask := "", false
	switch {
	case !n.Truthy():
		words = "This browser has no notifications, or allows them only over https."
	case n.Get("permission").String() == "granted":
		words = "This browser tells you when a clip ends while you are elsewhere."
	case n.Get("permission").String() == "denied":
		words = "This browser was told not to notify you; its site settings change that."
	default:
		words, ask = "This browser can tell you when a clip ends while you are elsewhere.", true
	}
	return kit.El("p", "about notify-setting", kit.At{"id", "notify-setting"},
		kit.Box("span", "", words),
		kit.If(ask, func() app.UI {
			return kit.El("button", "button", kit.At{"type", "button",
				"onclick", s.Do("allow", func() { s.askToNotify() })}, "Allow it")
		}),
	)
}

// saveArchive sends what is in the fields.
func (s *Section) saveArchive() {
	form := &s.results.archive
	typed := strings.ReplaceAll(strings.TrimSpace(s.DOM.ByID("archive-quota").Get("value").String()), ",", ".")
	gb, err := strconv.ParseFloat(typed, 64)
	bytes := int64(0)
	if err == nil && gb > 0 && gb <= wire.MaxQuota>>30 {
		bytes = int64(gb * (1 << 30))
	}
	if bytes < wire.MinQuota {
		*form = archiveForm{outcome: "The quota is a number of GB, 0.1 to " + figure.Count(wire.MaxQuota>>30) + ".", bad: true}
		s.redrawResults()
		s.DOM.Focus("#archive-quota")
		return
	}
	*form = archiveForm{busy: true}
	s.redrawResults()
	room := s.DOM.ByID("archive-room").Get("checked").Bool()
	s.desk.Tasks.Archive.Set(wire.ArchiveSettings{QuotaBytes: bytes, MakeRoom: room}, func(p *wire.Problem) {
		*form = archiveForm{outcome: "Saved."}
		if p != nil {
			*form = archiveForm{outcome: strings.TrimSpace(p.Message + " " + p.Hint), bad: true}
		}
		s.redrawResults()
	})
}

func gigabytes(bytes int64) string {
	if bytes == 0 {
		bytes = wire.DefaultQuota
	}
	return strconv.FormatFloat(float64(bytes)/(1<<30), 'f', -1, 64)
}
