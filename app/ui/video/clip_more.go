//go:build js && wasm

package video

import (
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/ui/kit"
	"screentest/app/video"
	"screentest/shared/gateway"
	"screentest/shared/money"
	"screentest/shared/wire"
)

// lineage is the family of the clip with what it cost together.
func (c *Clip) lineage(clip *video.Clip) app.UI {
	steps := clip.Lineage()
	if steps == nil {
		return kit.Nothing()
	}
	shown, others := clip.LineageNanoUSD()
	sum, more := money.NanoUSD(shown).String(), ""
	if others != 0 {
		more = "Other clips made from the original: " + money.NanoUSD(others).String()
	}
	return kit.El("section", "", kit.At{"id", "lineage"},
		kit.Box("h3", "", "Lineage"),
		kit.Box("ol", "lineage",
			kit.Times(len(steps), func(i int) app.UI {
				st := steps[i]
				cost := video.CostOf(st.Task)
				words, tone := video.StateWords(st.Task)
				words, _, _ = strings.Cut(words, " · ") // what it is stands before
				if st.Task.Deleted {
					words, tone = "Deleted", video.Plain
				}
				return kit.El("li", "", kit.At{"data-depth", strconv.Itoa(min(st.Depth, 6))}, kit.El("a", "lineage-step", kit.At{"href", Path + "/" + st.Task.ID, "aria-current", kit.When(st.Current, "page")},
					thumb(st.Task),
					kit.Box("span", "", st.Verb),
					kit.Box("span", "mono cut lineage-model", st.Task.Model),
					kit.El("span", "soft", kit.At{"data-tone", string(tone)}, words),
					kit.El("span", "figure", kit.At{"data-struck", cost.Returned != "" || cost.Free}, cost.Amount),
				))
			}),
		),
		kit.El("p", "figure lineage-sum", kit.At{"id", "lineage-cost", "title", "Charges less returns: " + sum}, "Together "+sum),
		kit.SayIf("p", "soft figure lineage-others", more),
	)
}

// thumb is the poster of a clip, small, or its frame.
func thumb(t *wire.VideoTask) app.UI {
	n := video.PlayableOutput(t)
	if o, ok := video.OutputOf(t, n); ok && o.Poster {
		return kit.El("img", "lineage-thumb", kit.At{"src", wire.PosterPathOf(t.ID, n), "width", 48, "height", 27, "aria-hidden", "true", "loading", "lazy"})
	}
	return emptyFrame("lineage-thumb", t)
}

// parameters are the request as it was sent.
func (c *Clip) parameters(t *wire.VideoTask) app.UI {
	var rows []app.UI
	for _, p := range video.Parameters(t) {
		rows = append(rows, kit.Box("dt", "mono", p.Name), kit.Box("dd", "mono", p.Value))
	}
	shots := video.Shots(t)
	return kit.Box("section", "clip-parameters",
		kit.Box("h3", "", "Prompt and parameters"),
		kit.Either(len(shots) > 0, func() app.UI { return c.shots(t, shots) },
			func() app.UI { return kit.Box("p", "clip-prompt written", t.Prompt) }),
		kit.Box("dl", "facts", rows),
	)
}

// shots are the prompts of a clip of several shots, and the one of the whole,
// which the model does not read.
func (c *Clip) shots(t *wire.VideoTask, shots []gateway.Scene) app.UI {
	return kit.Box("div", "",
		kit.If(video.BodyField(t.Body, "prompt") != "", func() app.UI {
			return kit.Box("p", "clip-prompt written", kit.Box("span", "faint", "General prompt (the model reads only the shots): "), t.Prompt)
		}),
		kit.El("ol", "clip-shots", kit.At{"id", "clip-shots"},
			kit.Times(len(shots), func(i int) app.UI {
				return kit.Box("li", "",
					kit.Box("span", "figure faint", strconv.Itoa(shots[i].Duration)+" s "),
					kit.Box("span", "soft", shots[i].Prompt))
			})),
	)
}
