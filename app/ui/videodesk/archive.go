//go:build js && wasm

package videodesk

import (
	"strconv"
	"strings"
	"syscall/js"

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
	s   *Section
	Rev int
}

// Settings implements kit.Configurable.
func (s *Section) Settings() []app.UI { return []app.UI{&Archive{s: s, Rev: s.rev.gallery}} }

// OnMount implements app.Mounter.
func (a *Archive) OnMount(ctx app.Context) {
	a.s.results.mounted = true
	ctx.Defer(func(ctx app.Context) {
		ctx.PreventUpdate()
		defer a.s.Guard("the archive's settings")
		a.fill()
		if js.Global().Get("location").Get("hash").String() == "#settings-archive" {
			a.s.DOM.ByID("settings-archive").Call("scrollIntoView")
		}
	})
}

// fill puts the quota that there is into its field.
func (a *Archive) fill() {
	if e := a.s.DOM.ByID("archive-quota"); e.Truthy() && e.Get("value").String() == "" && a.s.desk.Tasks.ArchiveReady {
		e.Set("value", gigabytes(a.s.desk.Tasks.Archive.Settings.QuotaBytes))
	}
}

// OnUpdate implements app.Updater.
func (a *Archive) OnUpdate(ctx app.Context) {
	ctx.Defer(func(ctx app.Context) {
		ctx.PreventUpdate()
		defer a.s.Guard("the archive's settings")
		a.fill()
	})
}

// Render implements app.Composer.
func (a *Archive) Render() (ui app.UI) {
	s := a.s
	defer s.Drawing("the archive's settings", &ui)
	tasks := s.desk.Tasks
	is := tasks.Archive
	section := app.Section().ID("settings-archive")
	about := app.P().Class("about").Text("A gateway deletes its files 14 days after a clip has finished. This server copies each clip as it finishes, with a checksum, so that it stays playable.")
	if !tasks.ArchiveReady {
		return section.Body(app.H2().Text("Archive of clips"), about, app.P().Class("about").Text("Waiting for the server…"))
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
		free = video.Bytes(is.FreeBytes)
	}
	return section.Body(
		app.H2().Text("Archive of clips"),
		about,
		app.Div().Class("archive-use").Body(
			app.Progress().ID("archive-bar").Class("archive-bar").DataSet("warn", is.Warn).Max(1000).
				Value(int(min(is.Bytes*1000/quota, 1000))).Aria("label", "Use of the archive"),
			app.P().ID("archive-use").Class("figure").Text(video.Bytes(is.Bytes)+" of "+video.Bytes(quota)+" used"),
		),
		app.If(is.Warn, func() app.UI {
			return app.Div().Class("note warn").Role("status").Body(
				app.P().Text(video.ArchiveWarning(is)),
				app.If(len(is.NextOut) > 0, func() app.UI {
					return app.P().Body(
						app.Text("First to go: "),
						app.Range(is.NextOut).Slice(func(i int) app.UI {
							name := "clip " + strconv.Itoa(i+1)
							if t := tasks.Get(is.NextOut[i]); t != nil {
								name = video.Title(*t)
							}
							if i > 0 {
								return app.Span().Body(app.Text(" · "), app.A().Href(Path+"/"+is.NextOut[i]).Text(name))
							}
							return app.A().Href(Path + "/" + is.NextOut[i]).Text(name)
						}),
					)
				}),
			)
		}),
		app.Dl().Class("facts").Body(
			app.Dt().Text("Files"), app.Dd().Class("figure").Text(figure.Count(is.Files)),
			app.Dt().Text("Still to be copied"), app.Dd().Class("figure").Text(figure.Count(is.Waiting)),
			app.Dt().Text("Uploads"), app.Dd().Class("figure").Text(video.Bytes(is.Uploads)+" of "+video.Bytes(is.UploadsMax)),
			app.Dt().Text("Free on the disk"), app.Dd().Class("figure").Text(free),
		),
		app.Form().Class("archive-form").
			OnSubmit(s.On("archive", func(_ app.Context, e app.Event) { e.PreventDefault(); s.saveArchive() })).
			Body(
				app.Label().For("archive-quota").Text("Quota, in GB"),
				app.Input().ID("archive-quota").Class("field figure").Type("text").Attr("inputmode", "decimal").Attr("autocomplete", "off"),
				app.Label().Class("check").Body(
					app.Input().ID("archive-room").Type("checkbox").Checked(is.Settings.MakeRoom),
					app.Span().Text("When it is full, make room: the oldest clips that are not pinned go first. Without this nothing more is copied then."),
				),
				app.Button().ID("archive-save").Class("button primary").Type("submit").Disabled(form.busy).Text("Save"),
				app.P().ID("archive-outcome").Class(outcome).Role("status").Text(form.outcome),
			),
		app.P().Class("about").Text("A pinned clip is never removed for want of room: pin it in its menu or on its page. A warning comes before anything is removed."),
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
	return app.P().ID("notify-setting").Class("about notify-setting").Body(
		app.Span().Text(words),
		app.If(ask, func() app.UI {
			return app.Button().Class("button").Type("button").Text("Allow it").
				OnClick(s.On("allow", func(app.Context, app.Event) { s.askToNotify() }))
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
		*form = archiveForm{outcome: "The quota is a number of GB, from 0.1 on.", bad: true}
		s.redrawResults()
		s.DOM.Focus("#archive-quota")
		return
	}
	*form = archiveForm{busy: true}
	s.redrawResults()
	room := s.DOM.ByID("archive-room").Get("checked").Bool()
	s.desk.Tasks.SetArchive(wire.ArchiveSettings{QuotaBytes: bytes, MakeRoom: room}, func(p *wire.Problem) {
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
