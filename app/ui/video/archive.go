//go:build js && wasm

package video

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/figure"
	"screentest/app/ui/kit"
	"screentest/app/video"
	"screentest/shared/wire"
)

// archiveForm is what is typed and switched in the archive's settings, and what
// became of it.
type archiveForm struct {
	quota   *string // in GB; nil until it is touched
	room    *bool
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
func (s *Section) Settings() []kit.Setting {
	return []kit.Setting{{Name: "archive", ID: "settings-archive", Title: "Archive of clips", Draw: func() app.UI {
		return &Archive{s: s, Rev: s.rev.gallery}
	}}}
}

// OnMount implements app.Mounter.
func (a *Archive) OnMount(app.Context) { a.s.results.mounted = true }

// Render implements app.Composer.
func (a *Archive) Render() (ui app.UI) {
	s := a.s
	defer s.Drawing("the archive's settings", &ui)
	archive := &s.desk.Tasks.Archive
	head := []any{
		kit.Box("h2", "", "Archive of clips"),
		kit.Box("p", "soft", "A gateway deletes its files 14 days after a clip has finished. This server copies each clip as it finishes, with a checksum, so that it stays playable."),
	}
	if !archive.Ready {
		return kit.El("section", "", kit.At{"id", "settings-archive"}, append(head, kit.Box("p", "soft", "Loading…"))...)
	}
	return kit.El("section", "", kit.At{"id", "settings-archive"}, append(head,
		a.use(archive),
		kit.If(archive.Warn, func() app.UI { return a.warning(archive) }),
		a.facts(archive),
		a.form(archive),
		kit.Box("p", "soft", "Pinned clips are never removed to make room; pin a clip in its menu or on its page. You are warned before anything is removed."),
		s.notifySetting(),
	)...)
}

func (a *Archive) use(is *video.Archive) app.UI {
	quota, tone := cmp.Or(is.Settings.QuotaBytes, wire.DefaultQuota), kit.Info
	if is.Warn {
		tone = kit.Warn
	}
	return kit.Box("div", "labelled",
		kit.Meter(tone, "Use of the archive", min(is.Bytes, quota), quota),
		kit.El("p", "figure", kit.At{"id", "archive-use"}, figure.Bytes(is.Bytes)+" of "+figure.Bytes(quota)+" used"),
	)
}

func (a *Archive) warning(is *video.Archive) app.UI {
	return kit.Notice(kit.Warn, "", kit.At{"role", "status"},
		kit.Box("p", "", is.Warning()),
		kit.If(len(is.NextOut) > 0, func() app.UI {
			return kit.Box("p", "", "First to go: ",
				kit.Times(len(is.NextOut), func(i int) app.UI {
					name := "clip " + strconv.Itoa(i+1)
					if t := a.s.desk.Tasks.Get(is.NextOut[i]); t != nil {
						name = video.Title(*t)
					}
					return kit.Box("span", "", kit.When(i > 0, " · "), kit.El("a", "", kit.At{"href", Path + "/" + is.NextOut[i]}, name))
				}),
			)
		}),
	)
}

func (a *Archive) facts(is *video.Archive) app.UI {
	var facts []app.UI
	fact := func(name, words string) {
		facts = append(facts, kit.Box("dt", "", name), kit.Box("dd", "figure", words))
	}
	fact("Clips", figure.Count(is.Files))
	if is.DeletedBytes > 0 {
		fact("Deleted clips", figure.Bytes(is.DeletedBytes)+" more, removed first when room is needed")
	}
	fact("Still to be saved", figure.Count(is.Waiting))
	fact("Uploads", figure.Bytes(is.Uploads)+" of "+figure.Bytes(is.UploadsMax))
	free := "not known"
	if is.FreeBytes >= 0 {
		free = figure.Bytes(is.FreeBytes)
	}
	fact("Free disk space", free)
	return kit.Box("dl", "facts", facts)
}

func (a *Archive) form(is *video.Archive) app.UI {
	s, form := a.s, &a.s.results.archive
	return kit.El("form", "archive-form", kit.At{"onsubmit", s.On("archive", func(_ app.Context, e app.Event) { e.PreventDefault(); s.saveArchive() })},
		kit.Labelled("archive-quota", "Quota, in GB", nil,
			s.Field("archive-quota", "field figure short", kit.At{"inputmode", "decimal",
				"aria-invalid", form.bad, "aria-describedby", "archive-outcome"}, s.archiveQuota(), func(text string) { form.quota = &text })),
		kit.Box("label", "check",
			s.Switch("archive-room", "", nil, s.archiveRoom(), func(on bool) { form.room = &on }),
			kit.Box("span", "", "When it is full, remove the oldest clips that aren’t pinned. Otherwise new clips aren’t saved."),
		),
		kit.Button("primary", kit.At{"id", "archive-save", "type", "submit", "disabled", form.busy}, nil, "Save"),
		kit.Outcome("archive-outcome", !form.bad, form.outcome),
	)
}

// archiveQuota is what the field of the quota has: what is typed, else what is
// set.
func (s *Section) archiveQuota() string {
	if text := s.results.archive.quota; text != nil {
		return *text
	}
	bytes := cmp.Or(s.desk.Tasks.Archive.Settings.QuotaBytes, wire.DefaultQuota)
	return strconv.FormatFloat(float64(bytes)/(1<<30), 'f', -1, 64)
}

func (s *Section) archiveRoom() bool {
	if on := s.results.archive.room; on != nil {
		return *on
	}
	return s.desk.Tasks.Archive.Settings.MakeRoom
}

// notifySetting offers the browser's own notices.
func (s *Section) notifySetting() app.UI {
	n := notification()
	words, ask := "", false
	switch {
	case !n.Truthy():
		words = "This browser has no notifications, or only over https."
	case n.Get("permission").String() == "granted":
		words = "This browser tells you when a clip ends while you are elsewhere."
	case n.Get("permission").String() == "denied":
		words = "Notifications are blocked in this browser; allow them in its site settings."
	default:
		words, ask = "This browser can tell you when a clip ends while you are elsewhere.", true
	}
	return kit.El("div", "line", kit.At{"id", "notify-setting"},
		kit.Box("p", "soft", words),
		kit.If(ask, func() app.UI { return kit.Button("", nil, s.Do("allow", s.askToNotify), "Allow it") }),
	)
}

// saveArchive sends what is in the form.
func (s *Section) saveArchive() {
	form := &s.results.archive
	gb, err := strconv.ParseFloat(strings.ReplaceAll(strings.TrimSpace(s.archiveQuota()), ",", "."), 64)
	bytes := int64(0)
	if err == nil && gb > 0 && gb <= wire.MaxQuota>>30 {
		bytes = int64(gb * (1 << 30))
	}
	if bytes < wire.MinQuota {
		form.outcome, form.bad = "The quota is a number of GB, 0.1 to "+figure.Count(wire.MaxQuota>>30)+".", true
		s.redrawResults()
		s.DOM.Focus("#archive-quota")
		return
	}
	form.busy, form.outcome, form.bad = true, "", false
	s.redrawResults()
	s.desk.Tasks.Archive.Set(wire.ArchiveSettings{QuotaBytes: bytes, MakeRoom: s.archiveRoom()}, func(p *wire.Problem) {
		if p == nil {
			*form = archiveForm{outcome: "Saved."}
		} else {
			form.busy, form.outcome, form.bad = false, strings.TrimSpace(p.Message+" "+p.Hint), true
		}
		s.redrawResults()
	})
}
