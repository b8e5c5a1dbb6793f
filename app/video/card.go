package video

import (
	"strconv"
	"strings"
	"time"

	"screentest/app/figure"
	"screentest/shared/gateway"
	"screentest/shared/money"
	"screentest/shared/wire"
)

// Tone is how a state is coloured.
type Tone string

// The tones.
const (
	Plain Tone = ""
	Live  Tone = "live"
	Good  Tone = "good"
	Warn  Tone = "warn"
	Bad   Tone = "bad"
)

// StateWords is a task's state as a person reads it.
func StateWords(t *wire.VideoTask) (string, Tone) {
	switch t.State {
	case wire.VideoCreating:
		return "Sending", Live
	case wire.VideoUnknown:
		return "Unknown, may have been billed", Warn
	case wire.VideoQueued, wire.VideoRunning:
		words := "Queued"
		if t.State == wire.VideoRunning {
			words = "In progress"
		}
		switch {
		case t.Pause == wire.PauseKey:
			return words + ", paused", Warn
		case t.Progress > 0 && t.Progress <= 100: // the gateway's own figure
			return words + " · " + strconv.Itoa(t.Progress) + " %", Live
		}
		return words, Live
	case wire.VideoDone, wire.VideoExpired:
		if !Playable(t) && t.State == wire.VideoExpired {
			return "Expired", Warn
		}
		switch gateway.Mode(t.Mode) {
		case gateway.Extend:
			return "Finished · extend", Good
		case gateway.Upscale:
			return "Finished · upscale", Good
		}
		return "Finished", Good
	case wire.VideoFailed:
		return "Failed", Bad
	case wire.VideoRefused:
		return "Not made", Bad
	case wire.VideoLost:
		return "Lost by the gateway", Bad
	}
	return string(t.State), Plain
}

// Elapsed is how long a task has been under way, "" when it is not.
func Elapsed(t *wire.VideoTask, now time.Time) string {
	if t.State != wire.VideoCreating && !t.State.Open() {
		return ""
	}
	from := t.AcceptedMS
	if from == 0 {
		from = t.CreatedMS
	}
	return Span(max(now.UnixMilli()-from, 0)) + " so far"
}

// Usual is how long a model usually takes, "" where it is not known.
func Usual(t *wire.VideoTask) string {
	least, most := t.UsualLeastMS, t.UsualMostMS
	switch {
	case most <= 0:
		return ""
	case least <= 0 || least == most:
		return "usually " + Span(most)
	case least%60_000 == 0 && most%60_000 == 0:
		return "usually " + strconv.FormatInt(least/60_000, 10) + " to " + strconv.FormatInt(most/60_000, 10) + " min"
	}
	return "usually " + Span(least) + " to " + Span(most)
}

// Span writes milliseconds in whole seconds: "12 s", "1 min 12 s", "2 h 5 min".
func Span(ms int64) string {
	s := (ms + 500) / 1000
	switch {
	case s < 60:
		return strconv.FormatInt(s, 10) + " s"
	case s < 3600 && s%60 == 0:
		return strconv.FormatInt(s/60, 10) + " min"
	case s < 3600:
		return strconv.FormatInt(s/60, 10) + " min " + strconv.FormatInt(s%60, 10) + " s"
	}
	return strconv.FormatInt(s/3600, 10) + " h " + strconv.FormatInt(s%3600/60, 10) + " min"
}

// Took is how long a finished task took, "" where it is not known.
func Took(t *wire.VideoTask) string {
	if from := t.AcceptedMS; from > 0 && t.FinishedMS > from && t.State.Final() {
		return Span(t.FinishedMS - from)
	}
	return ""
}

// PauseWords say why the gateway is not asked about a task, what to do, and
// whether the settings are where to do it.
func PauseWords(t *wire.VideoTask) (words string, settings bool) {
	if !t.State.Open() && t.State != wire.VideoCreating {
		return "", false
	}
	switch t.Pause {
	case wire.PauseKey:
		return "The gateway refuses the key, or there is none. The clip goes on being made; enter the key to hear of it.", true
	case wire.PauseGateway:
		return "It was made at another gateway than the one in use, and goes on when the server is started with that one.", false
	case wire.PauseStale:
		return "It has taken more than 30 minutes, so the gateway is asked seldom. Nothing says that it has failed.", false
	case wire.PauseSilent:
		why := ""
		if p := t.PollProblem; p != nil {
			why = " " + p.Message
		}
		return "The gateway does not answer at present; it is asked again." + why, false
	}
	return "", false
}

// Cost is what a task costs, as a person reads it.
type Cost struct {
	Amount   string // "$0.40"; "" where no price is known
	Returned string // "returned $0.40", "" where nothing was
	Held     string // what is not sure about it: "held until it is settled"
	Free     bool   // nothing was charged
	Basis    string // for the tooltip
}

// CostOf is a task's cost.
func CostOf(t *wire.VideoTask) Cost {
	if t.PriceNanoUSD == 0 {
		return Cost{Basis: t.Basis}
	}
	c := Cost{Amount: money.NanoUSD(t.PriceNanoUSD).String(), Basis: t.Basis}
	var notes []string
	if t.Basis != "" {
		notes = append(notes, t.Basis+" = "+c.Amount)
	}
	notes = append(notes, "computed: rate × seconds")
	switch {
	case t.Returned:
		c.Returned = "returned"
		notes = append(notes, "charged, and returned because the task failed")
	case t.State == wire.VideoUnknown:
		c.Held = "may have been billed"
		notes = append(notes, "held as reserved until it is settled")
	case t.State == wire.VideoRefused:
		c.Free = true
		notes = append(notes, "nothing was charged")
	case t.Charged:
		notes = append(notes, "charged when the task was created")
	}
	if t.SamplePrice {
		notes = append(notes, "sample price")
	}
	c.Basis = strings.Join(notes, "; ")
	return c
}

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

// ArchiveWarning says what the archive's warning is about.
func ArchiveWarning(a wire.Archive) string {
	quota := a.Settings.QuotaBytes
	if quota == 0 {
		quota = wire.DefaultQuota
	}
	use := "The archive holds " + figure.Bytes(a.Bytes) + " of its " + figure.Bytes(quota) + "."
	switch {
	case a.Bytes*10 < quota*9: // so it is the disk
		return "The disk of this server is nearly full: " + figure.Bytes(max(a.FreeBytes, 0)) + " are left. New clips are not copied when it is; make room on it."
	case a.Settings.MakeRoom:
		return use + " When it is full, the oldest clips that are not pinned are removed to make room; those that the gateway has deleted too are gone then."
	}
	return use + " When it is full, new clips are not copied, and are gone once the gateway deletes them after 14 days. Raise the quota, or let it make room."
}

// PlayableOutput is the first output that can be played, -1 where there is
// none: while the gateway has its files, and from the archive afterwards.
func PlayableOutput(t *wire.VideoTask) int {
	for _, o := range t.Outputs {
		if OutputPlays(t, o) {
			return o.Index
		}
	}
	return -1
}

// Playable says whether there is something to play.
func Playable(t *wire.VideoTask) bool { return PlayableOutput(t) >= 0 }

// OutputPlays says whether one output can be played.
func OutputPlays(t *wire.VideoTask, o wire.VideoOutput) bool {
	return o.Archive == wire.ArchiveSaved || t.State == wire.VideoDone
}

// OutputOf returns an output by its index, with false where there is none.
func OutputOf(t *wire.VideoTask, index int) (wire.VideoOutput, bool) {
	for _, o := range t.Outputs {
		if o.Index == index {
			return o, true
		}
	}
	return wire.VideoOutput{}, false
}

// Clock writes a length as a player does: "0:08", "1:05".
func Clock(seconds float64) string {
	s := int(seconds + 0.5)
	rest := strconv.Itoa(s % 60)
	if len(rest) == 1 {
		rest = "0" + rest
	}
	return strconv.Itoa(s/60) + ":" + rest
}

// LengthOf is how long a clip is, 0 where that is not known: measured, else as
// it was asked for where the two are the same.
func LengthOf(t *wire.VideoTask) float64 {
	for _, o := range t.Outputs {
		if o.Seconds > 0 {
			return o.Seconds
		}
	}
	switch gateway.Mode(t.Mode) {
	case gateway.TextToVideo, gateway.ImageToVideo, gateway.FirstLastFrame, gateway.MultiShot, gateway.Motion:
		return float64(t.Seconds)
	}
	return 0
}

// RatioOf is a clip's ratio as a width and a height: measured, else as it was
// asked for, else 16:9.
func RatioOf(t *wire.VideoTask) (w, h int) {
	for _, o := range t.Outputs {
		if o.Width > 0 && o.Height > 0 {
			return o.Width, o.Height
		}
	}
	a, b, ok := strings.Cut(BodyField(t.Body, "aspect_ratio"), ":")
	w, err := strconv.Atoi(a)
	if h, err2 := strconv.Atoi(b); ok && err == nil && err2 == nil && w > 0 && h > 0 && w <= 10_000 && h <= 10_000 {
		return w, h
	}
	return 16, 9
}
