//go:build js && wasm

package video

import (
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/ui/kit"
	"screentest/app/video"
	"screentest/shared/gateway"
)

// mention is the list of names that opens when an @ is typed.
type mention struct {
	names  []string // none: it is closed
	active int
}

// chips insert the names of the references where the caret is.
func (f *Form) chips() app.UI {
	names := f.model().Names()
	return kit.El("div", "line", kit.At{"role", "group", "aria-label", "Name a reference in the prompt", "hidden", len(names) == 0},
		kit.Times(len(names), func(i int) app.UI {
			return kit.Chip(kit.At{"title", "Insert " + names[i]}, f.on("chip "+names[i], func(app.Event) { f.insert(names[i]) }),
				kit.Box("span", "mono", names[i]))
		}),
	)
}

// mentions are what the prompt has beside a list of names.
func (f *Form) mentions() kit.At {
	m := f.mention
	return kit.At{"aria-autocomplete", "list", "aria-haspopup", "listbox", "aria-controls", "mentions",
		"aria-activedescendant", kit.When(len(m.names) > 0, "mention-"+strconv.Itoa(m.active)),
		"onkeydown", f.on("mention-key", f.mentionKey),
		"onblur", f.on("mention-blur", func(app.Event) { f.closeMentions() })}
}

// mentionBox is the prompt with the list under it.
func (f *Form) mentionBox(area app.UI) app.UI {
	m := f.mention
	return kit.Box("div", "mention-box",
		area,
		kit.El("div", "menu mentions", kit.At{"id", "mentions", "role", "listbox", "aria-label", "References", "hidden", len(m.names) == 0},
			kit.Times(len(m.names), func(i int) app.UI {
				name := m.names[i]
				return kit.El("div", "menu-item mono", kit.At{"id", "mention-" + strconv.Itoa(i), "role", "option",
					"aria-selected", i == m.active,
					"onmousedown", f.on("mention "+name, func(e app.Event) {
						e.PreventDefault() // the prompt keeps the focus
						f.insert(name)
					})}, name)
			}),
		),
		kit.El("div", "sr-only", kit.At{"aria-live", "polite"},
			kit.When(len(m.names) > 0, strconv.Itoa(len(m.names))+" references to choose from with the arrow keys")),
	)
}

// mentionTyped opens the list while a name is being typed.
func (f *Form) mentionTyped() {
	if f.model().Mode != gateway.Reference {
		return
	}
	before, _ := f.aroundCaret()
	query, typing := video.Mention(before)
	f.mention = mention{}
	if typing {
		f.mention.names = video.MentionMatches(f.model().Names(), query)
	}
	f.s.changed(video.PartForm)
}

func (f *Form) closeMentions() {
	if len(f.mention.names) > 0 {
		f.mention = mention{}
		f.s.changed(video.PartForm)
	}
}

func (f *Form) mentionKey(e app.Event) {
	m := &f.mention
	if len(m.names) == 0 || kit.Composing(e.Value) || e.Get("ctrlKey").Bool() || e.Get("metaKey").Bool() {
		return
	}
	switch e.Get("key").String() {
	case "ArrowDown":
		m.active = (m.active + 1) % len(m.names)
	case "ArrowUp":
		m.active = (m.active + len(m.names) - 1) % len(m.names)
	case "Enter", "Tab":
		f.insert(m.names[m.active])
	case "Escape":
		f.mention = mention{}
	default:
		return
	}
	e.PreventDefault()
	e.Call("stopPropagation")
	f.s.changed(video.PartForm)
}

// insert puts a name into the prompt where the caret is.
func (f *Form) insert(name string) {
	area := f.s.DOM.ByID("f-prompt")
	before, after := f.aroundCaret()
	before, after = video.Complete(before, after, name)
	f.mention = mention{}
	area.Set("value", before+after)
	f.model().SetPrompt(before + after)
	caret := app.Window().Get("String").New(before).Get("length").Int()
	area.Call("focus")
	area.Call("setSelectionRange", caret, caret)
}

// aroundCaret is the prompt before and after the caret.
func (f *Form) aroundCaret() (before, after string) {
	area := f.s.DOM.ByID("f-prompt")
	text := area.Get("value")
	value := app.Window().Get("String").New(text)
	return value.Call("slice", 0, area.Get("selectionStart").Int()).String(), value.Call("slice", area.Get("selectionEnd").Int()).String()
}
