package video

import (
	"encoding/json"
	"strconv"
	"time"

	"screentest/app/figure"
	"screentest/app/session"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// LeftWords say how long the gateway keeps a clip, and whether that is soon
// over. They are "" for what has no clip.
func LeftWords(t *wire.VideoTask, now time.Time) (words string, soon bool) {
	if t.State != wire.VideoDone || t.ExpiresMS == 0 {
		return "", false
	}
	left := time.UnixMilli(t.ExpiresMS).Sub(now)
	soon = left <= gateway.Retention-gateway.RetentionWarn
	switch days := int((left + 12*time.Hour) / (24 * time.Hour)); {
	case left <= 0:
		return "past the gateway's 14 days", true
	case days > 1:
		return strconv.Itoa(days) + " days left", soon
	case left >= 24*time.Hour:
		return "1 day left", soon
	case left >= 2*time.Hour:
		return strconv.Itoa(int(left/time.Hour)) + " hours left", soon
	}
	return "about an hour left", soon
}

// ArchiveWords say where the copy of a task's clips stands, and in which tone.
func ArchiveWords(t *wire.VideoTask) (string, Tone) {
	if t.State != wire.VideoDone && t.State != wire.VideoExpired {
		return "", Plain
	}
	count := map[wire.ArchiveState]int{}
	var got, all int64
	for _, o := range t.Outputs {
		count[o.Archive]++
		got, all = got+o.Got, all+o.Bytes
	}
	switch {
	case len(t.Outputs) == 0:
		return "", Plain
	case count[wire.ArchiveSaved] == len(t.Outputs):
		return "saved", Good
	case count[wire.ArchiveFailed] > 0:
		return "could not be saved", Bad
	case count[wire.ArchiveFull] > 0:
		return "not saved: the archive is full", Warn
	case count[wire.ArchiveRemoved] > 0:
		return "removed from the archive", Warn
	case count[wire.ArchiveCopying] > 0 && all > 0 && got > 0:
		return "saving, " + figure.Bytes(got) + " of " + figure.Bytes(all), Plain
	case count[wire.ArchiveCopying] > 0:
		return "saving", Plain
	}
	return "to be saved", Plain
}

// NotSaved is why a file of a task was not copied; nil where none was given up.
func NotSaved(t *wire.VideoTask) *wire.Problem {
	for _, o := range t.Outputs {
		if o.Problem != nil && (o.Archive == wire.ArchiveFailed || o.Archive == wire.ArchiveFull) {
			return o.Problem
		}
	}
	return nil
}

// Archive is how the archive stands, and its settings.
type Archive struct {
	wire.Archive
	Ready bool // it has come

	o *TasksOptions
}

func (a *Archive) fetch() { a.o.Call(wire.OpArchive, nil, a.answered(nil)) }

// Set changes the archive's settings. done gets what is wrong with them, or nil.
func (a *Archive) Set(s wire.ArchiveSettings, done func(*wire.Problem)) {
	a.o.Call(wire.OpSetArchive, s, a.answered(done))
}

func (a *Archive) answered(done func(*wire.Problem)) session.Done {
	return func(data json.RawMessage, problem *wire.Problem) {
		var now wire.Archive
		if problem = session.Read(data, problem, &now); problem == nil {
			a.Archive, a.Ready = now, true
		}
		if done != nil {
			done(problem)
		}
		a.o.Changed()
	}
}

// Warning says what the archive's warning is about.
func (a *Archive) Warning() string {
	quota := a.Settings.QuotaBytes
	if quota == 0 {
		quota = wire.DefaultQuota
	}
	use := "The archive holds " + figure.Bytes(a.Bytes) + " of its " + figure.Bytes(quota) + "."
	switch {
	case a.Bytes*10 < quota*9: // so it is the disk
		return "This server’s disk is nearly full: " + figure.Bytes(max(a.FreeBytes, 0)) + " left. Once it is full, new clips aren’t saved; free some space."
	case a.Settings.MakeRoom:
		return use + " Once it is full, the oldest clips that aren’t pinned are removed; those the gateway has deleted too are then gone for good."
	}
	return use + " Once it is full, new clips aren’t saved, and are gone when the gateway deletes them after 14 days. Raise the quota, or let it make room."
}
