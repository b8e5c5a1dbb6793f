//go:build js && wasm

package videodesk

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
		app.Ol().Class("shots").Body(app.Range(shots).Slice(func(i int) app.UI { return f.shot(i, shots[i], len(shots)) })),
		f.shotBar(shots),
		app.Button().ID("add-shot").Class("button").Type("button").Disabled(len(shots) >= gateway.MaxScenes).
			OnClick(f.on("add shot", func(app.Event) {
				form.AddShot()
				f.later("#shots-last textarea")
			})).
			Body(kit.Icon(kit.IconPlus, "icon small"), app.Text("Add a shot")),
	)
}

func (f *Form) shot(i int, s video.Shot, n int) app.UI {
	form := f.model()
	place := "multi_prompt[" + strconv.Itoa(i) + "]"
	number := strconv.Itoa(i + 1)
	length := utf8.RuneCountInString(s.Prompt)
	text, seconds := "shot-"+s.ID, "shot-seconds-"+s.ID
	counter := "counter figure"
	if length > gateway.MaxScenePrompt {
		counter += " over"
	}
	move := func(by int, keep string) {
		form.MoveShot(s.ID, i+by)
		f.later("#" + keep)
	}
	dragstart, dragstartScope := f.on("drag "+s.ID, func(e app.Event) {
		f.dragged = s.ID
		e.Get("dataTransfer").Call("setData", "text/plain", s.Prompt)
		e.Get("dataTransfer").Set("effectAllowed", "move")
	})
	dragend, dragendScope := f.on("drag end "+s.ID, func(app.Event) { f.dragged = "" })
	item := app.Li().Class("shot").DataSet("id", s.ID).DataSet("place", place)
	if i == n-1 {
		item = item.ID("shots-last")
	} else {
		item = item.ID("shots-" + number)
	}
	return item.OnKeyDown(f.on("shot-key "+s.ID+number, func(e app.Event) {
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
	})).
		Body(
			app.Div().Class("shot-grip").Draggable(true).Title("Drag to another place").
				On("dragstart", dragstart, dragstartScope).On("dragend", dragend, dragendScope).
				Body(app.Span().Class("figure").Text(number)),
			app.Div().Class("shot-main").Body(
				f.s.Area(text, s.Prompt, func(t string) { form.SetShot(s.ID, t) }).
					Class("field").Rows(2).Placeholder("What this shot shows").
					DataSet("place", place+".prompt").Aria("label", "Shot "+number),
				app.Div().Class("shot-foot").Body(
					app.Span().Class(counter).Text(strconv.Itoa(length)+" / "+strconv.Itoa(gateway.MaxScenePrompt)),
					app.Button().ID("up-"+s.ID).Class("icon-button small up").Type("button").Disabled(i == 0).
						Aria("label", "Move shot "+number+" up").Title("Earlier (Alt ↑)").
						OnClick(f.on("up-"+s.ID+number, func(app.Event) { move(-1, "up-"+s.ID) })).Body(kit.Icon(kit.IconArrow, "icon turned")),
					app.Button().ID("down-"+s.ID).Class("icon-button small").Type("button").Disabled(i == n-1).
						Aria("label", "Move shot "+number+" down").Title("Later (Alt ↓)").
						OnClick(f.on("down-"+s.ID+number, func(app.Event) { move(1, "down-"+s.ID) })).Body(kit.Icon(kit.IconArrow, "icon")),
					app.Button().Class("icon-button small").Type("button").Disabled(n < 2).
						Aria("label", "Remove shot "+number).Title("Remove").
						OnClick(f.on("remove-"+s.ID, func(app.Event) {
							form.RemoveShot(s.ID)
							f.later("#add-shot")
						})).Body(kit.Icon(kit.IconTrash, "icon")),
				),
				f.said(place, false),
			),
			app.Label().Class("shot-seconds").Body(
				f.s.Field(seconds, typed(s.Seconds, s.Typed), func(t string) { form.TypeShotSeconds(s.ID, t) }).Class("field number figure").Type("number").Step(1).
					Min(gateway.MinSceneDuration).Max(gateway.MaxSceneDuration).
					DataSet("place", place+".duration").Aria("label", "Seconds of shot "+number),
				app.Span().Text("s"),
			),
		)
}

// shotBar is the whole clip, each shot as wide as it is long.
func (f *Form) shotBar(shots []video.Shot) app.UI {
	return app.Div().ID("shot-bar").Class("shot-bar").Aria("hidden", true).Body(
		app.Range(shots).Slice(func(i int) app.UI {
			id := "bar-" + shots[i].ID
			f.grow[id] = shots[i].Seconds
			return app.Div().ID(id).Class("shot-part figure").Text(typed(shots[i].Seconds, "–") + " s")
		}),
	)
}
