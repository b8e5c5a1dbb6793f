//go:build js && wasm

package video

import (
	"strconv"
	"unicode/utf8"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/ui/kit"
	"screentest/app/video"
	"screentest/shared/gateway"
)

// shotsField is the shots of a multi-shot clip: cards that are put in order by
// dragging, by buttons, or with Alt and the arrow keys, and below them a bar of
// the whole.
func (f *Form) shotsField() app.UI {
	form := f.model()
	shots := form.Draft().Shots
	return f.field("multi_prompt", "Shots", "up to "+strconv.Itoa(gateway.MaxScenes)+", each 1 to 12 seconds",
		kit.Box("ol", "shots", kit.Times(len(shots), func(i int) app.UI { return f.shot(i, shots[i], len(shots)) })),
		f.shotBar(shots),
		kit.Button("", kit.At{"id", "add-shot", "disabled", len(shots) >= gateway.MaxScenes}, f.on("add shot", func(app.Event) {
			form.AddShot()
			f.later("#shots-last textarea")
		}), kit.Icon(kit.IconPlus, "icon small"), "Add a shot"),
	)
}

func (f *Form) shot(i int, s video.Shot, n int) app.UI {
	form := f.model()
	place := "multi_prompt[" + strconv.Itoa(i) + "]"
	number := strconv.Itoa(i + 1)
	length := utf8.RuneCountInString(s.Prompt)
	text, seconds := "shot-"+s.ID, "shot-seconds-"+s.ID
	counter := "faint figure push"
	if length > gateway.MaxScenePrompt {
		counter = "bad figure push"
	}
	move := func(by int, keep string) {
		form.MoveShot(s.ID, i+by)
		f.later("#" + keep)
	}
	dragstart := f.on("drag "+s.ID, func(e app.Event) {
		f.dragged = s.ID
		e.Get("dataTransfer").Call("setData", "text/plain", s.Prompt)
		e.Get("dataTransfer").Set("effectAllowed", "move")
	})
	dragend := f.on("drag end "+s.ID, func(app.Event) { f.dragged = "" })
	id := "shots-" + number
	if i == n-1 {
		id = "shots-last"
	}
	onKey := f.on("shot-key "+s.ID+number, func(e app.Event) {
		if !e.Get("altKey").Bool() {
			return
		}
		switch e.Get("key").String() {
		case "ArrowUp":
			e.PreventDefault()
			move(-1, text)
		case "ArrowDown":
			e.PreventDefault()
			move(1, text)
		}
	})
	return kit.El("li", "shot", kit.At{"id", id, "data-id", s.ID, "data-place", place, "onkeydown", onKey},
		kit.El("div", "shot-grip", kit.At{"draggable", true, "title", "Drag to another place",
			"ondragstart", dragstart, "ondragend", dragend},
			kit.Box("span", "figure", number)),
		kit.Box("div", "shot-main",
			f.s.Area(text, "field", kit.At{"rows", 2, "placeholder", "What this shot shows",
				"data-place", place + ".prompt", "aria-label", "Shot " + number}, s.Prompt, func(t string) { form.SetShot(s.ID, t) }),
			kit.Box("div", "line shot-foot",
				kit.Box("span", counter, strconv.Itoa(length)+" / "+strconv.Itoa(gateway.MaxScenePrompt)),
				kit.IconButton("small", "Move shot "+number+" up", kit.IconArrow, kit.At{"id", "up-" + s.ID, "disabled", i == 0, "title", "Earlier (Alt ↑)"},
					f.on("up-"+s.ID+number, func(app.Event) { move(-1, "up-"+s.ID) })),
				kit.IconButton("small", "Move shot "+number+" down", kit.IconArrow, kit.At{"id", "down-" + s.ID, "disabled", i == n-1, "title", "Later (Alt ↓)"},
					f.on("down-"+s.ID+number, func(app.Event) { move(1, "down-"+s.ID) })),
				kit.IconButton("small", "Remove shot "+number, kit.IconTrash, kit.At{"disabled", n < 2, "title", "Remove"}, f.on("remove-"+s.ID, func(app.Event) {
					form.RemoveShot(s.ID)
					f.later("#add-shot")
				})),
			),
			f.said(place, false),
		),
		kit.Box("label", "shot-seconds",
			f.s.Field(seconds, "field figure number", kit.At{"type", "number", "step", 1,
				"min", gateway.MinSceneDuration, "max", gateway.MaxSceneDuration,
				"data-place", place + ".duration", "aria-label", "Seconds of shot " + number}, typed(s.Seconds, s.Typed), func(t string) { form.TypeShotSeconds(s.ID, t) }),
			kit.Box("span", "faint", "s"),
		),
	)
}

// shotBar is the whole clip, each shot as wide as it is long.
func (f *Form) shotBar(shots []video.Shot) app.UI {
	return kit.El("div", "shot-bar", kit.At{"id", "shot-bar", "aria-hidden", true},
		kit.Times(len(shots), func(i int) app.UI {
			id := "bar-" + shots[i].ID
			f.grow[id] = shots[i].Seconds
			return kit.El("div", "shot-part figure", kit.At{"id", id}, typed(shots[i].Seconds, "–")+" s")
		}),
	)
}
