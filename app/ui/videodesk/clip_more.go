//go:build js && wasm

package videodesk

import (
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/video"
	"screentest/shared/gateway"
	"screentest/shared/money"
	"screentest/shared/wire"
)

// lineage is the family of the clip with what it cost together.
func (c *Clip) lineage(clip *video.Clip) app.UI {
	steps := clip.Lineage()
	if steps == nil {
		return nothing()
	}
	shown, others := clip.LineageNanoUSD()
	sum, more := money.NanoUSD(shown).String(), ""
	if others != 0 {
		more = "Other clips that were made of the original: " + money.NanoUSD(others).String()
	}
	return el("section", "clip-lineage", at{"id", "lineage"},
		say("h3", "", "Where it comes from, and what became of it"),
		box("ol", "lineage",
			app.Range(steps).Slice(func(i int) app.UI {
				st := steps[i]
				cost := video.CostOf(st.Task)
				words, tone := video.StateWords(st.Task)
				words, _, _ = strings.Cut(words, " · ") // what it is stands before
				if st.Task.Deleted {
					words, tone = "Deleted", video.Plain
				}
				a := elem("a", "lineage-step", at{"href", Path + "/" + st.Task.ID})
				if st.Current {
					a = a.Aria("current", "page")
				}
				return el("li", "", at{"data-depth", strconv.Itoa(min(st.Depth, 6))}, a.Body(
					say("span", "lineage-verb", st.Verb),
					say("span", "mono lineage-model", st.Task.Model),
					el("span", "lineage-state", at{"data-tone", string(tone)}, app.Text(words)),
					el("span", "figure", at{"data-struck", yes(cost.Returned != "" || cost.Free)}, app.Text(cost.Amount)),
				))
			}),
		),
		el("p", "lineage-sum figure", at{"id", "lineage-cost", "title", "Charges less returns: " + sum}, app.Text("Together "+sum)),
		sayIf("p", "lineage-others figure", more),
	)
}

// parameters are the request as it was sent.
func (c *Clip) parameters(t *wire.VideoTask) app.UI {
	var rows []app.UI
	for _, p := range video.Parameters(t) {
		rows = append(rows, say("dt", "mono", p.Name), say("dd", "mono", p.Value))
	}
	shots := video.Shots(t)
	return box("section", "clip-parameters",
		say("h3", "", "Prompt and parameters"),
		app.If(len(shots) > 0, func() app.UI { return c.shots(t, shots) }).
			Else(func() app.UI { return say("p", "clip-prompt", t.Prompt) }),
		box("dl", "facts", rows...),
	)
}

// shots are the prompts of a clip of several shots, and the one of the whole,
// which the model does not read.
func (c *Clip) shots(t *wire.VideoTask, shots []gateway.Scene) app.UI {
	return box("div", "clip-shots",
		app.If(video.BodyField(t.Body, "prompt") != "", func() app.UI {
			return box("p", "clip-prompt", say("span", "faint", "For the whole (the model reads the shots): "), app.Text(t.Prompt))
		}),
		el("ol", "", at{"id", "clip-shots"},
			app.Range(shots).Slice(func(i int) app.UI {
				return box("li", "",
					say("span", "figure faint", strconv.Itoa(shots[i].Duration)+" s "),
					say("span", "clip-prompt", shots[i].Prompt))
			})),
	)
}
