//go:build js && wasm

package video

import (
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/ui/kit"
	"screentest/app/video"
	"screentest/shared/wire"
)

func archiveTitle(t *wire.VideoTask) string {
	if p := video.NotSaved(t); p != nil {
		return p.Words()
	}
	return "Whether this server has its own copy, which stays playable."
}

// notes are what is to be said about the state: times, pauses, failures, and
// the questions that only a person can answer.
func (c *Card) notes(t *wire.VideoTask) app.UI {
	pause, settings := video.PauseWords(t)
	return kit.Box("div", "tile-notes",
		c.s.paceWords(t, "soft figure tile-time"),
		kit.If(pause != "", func() app.UI {
			return kit.Box("p", "live tile-pause",
				pause+" ",
				kit.If(settings, func() app.UI { return kit.El("a", "", kit.At{"href", "/settings"}, "Enter the key") }),
			)
		}),
		kit.If(t.Problem != nil && t.State.Final(), func() app.UI { return shortProblem(t.Problem) }),
		kit.If(video.NotSaved(t) != nil && t.State != wire.VideoExpired, func() app.UI { return shortProblem(video.NotSaved(t)) }),
		kit.If(t.State == wire.VideoExpired && !video.Playable(t), func() app.UI {
			return kit.Box("p", "live tile-pause", video.NotPlayable(t)+" Reuse its settings to make it again.")
		}),
		kit.If(t.Deleted, func() app.UI {
			return kit.Box("div", "", kit.SayIf("p", "live tile-pause", video.ChargedOn(t)), kit.Box("p", "soft tile-time", video.KeptWords(t, time.Now())+"."))
		}),
		kit.If(t.State == wire.VideoUnknown && !t.Deleted, func() app.UI { return c.s.settleForm(t) }),
	)
}

// shortProblem is a problem in a card: what happened and what to do. The rest
// is on the clip's page.
func shortProblem(p *wire.Problem) app.UI {
	return kit.Box("div", "soft tile-problem",
		kit.Box("p", "bad", p.Message),
		kit.SayIf("p", "", p.Hint),
	)
}
