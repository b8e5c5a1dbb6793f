package video

import (
	"strconv"
	"time"

	"screentest/shared/gateway"
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
	return Span(elapsedMS(t, now)) + " so far"
}

// elapsedMS counts from when the gateway took the task, before that from when it
// was made.
func elapsedMS(t *wire.VideoTask, now time.Time) int64 {
	from := t.AcceptedMS
	if from == 0 {
		from = t.CreatedMS
	}
	return max(now.UnixMilli()-from, 0)
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
		return "The gateway refuses the key, or none is entered. The clip keeps going; enter the key to follow it.", true
	case wire.PauseGateway:
		return "It is being made at another gateway; connect that one to follow it.", false
	case wire.PauseStale:
		return "It has taken over 30 minutes, so the gateway is asked less often. Nothing says it has failed.", false
	case wire.PauseSilent:
		why := ""
		if p := t.PollProblem; p != nil {
			why = " " + p.Message
		}
		return "The gateway isn’t answering; trying again." + why, false
	}
	return "", false
}
