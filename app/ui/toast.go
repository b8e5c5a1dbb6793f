//go:build js && wasm

package ui

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/ui/kit"
)

// Toast offers to undo what was just done.
type Toast struct {
	app.Compo
	p   *page
	Rev int
}

// Render implements app.Composer.
func (t *Toast) Render() (ui app.UI) {
	p := t.p
	defer p.Drawing("the notice", &ui)
	return kit.El("div", "toasts", kit.At{"role", "status"},
		kit.If(p.notice != "", func() app.UI {
			return kit.El("div", "toast", kit.At{"id", "notice"}, kit.Box("span", "toast-words", p.notice))
		}),
		kit.If(p.data.outcome != "", func() app.UI {
			return kit.El("div", "toast", kit.At{"id", "import-notice"},
				kit.Box("span", "toast-words", p.data.outcome),
				kit.If(p.data.open != "", func() app.UI {
					return kit.El("a", "button", kit.At{"href", "/c/" + p.data.open,
						"onclick", p.Do("import-show", func() { p.imported(importing{}) })}, "Show")
				}),
				kit.If(!p.data.busy, func() app.UI {
					return kit.El("button", "icon-button", kit.At{"type", "button", "aria-label", "Dismiss",
						"onclick", p.Do("import-dismiss", func() { p.imported(importing{}); p.focusComposer() })},
						kit.Icon(iconShut, "icon small"))
				}),
			)
		}),
		kit.If(p.chat.Closed() != nil, func() app.UI {
			return kit.El("div", "toast", kit.At{"id", "closed"},
				kit.Box("span", "toast-words", p.chat.Closed().Words),
				kit.El("button", "button", kit.At{"id", "undo-close", "type", "button",
					"onclick", p.Do("undo-close", func() { p.threads.stick(); p.chat.UndoClose(); p.focusComposer() })}, "Undo"),
			)
		}),
		kit.If(p.chat.List.Deleted != nil, func() app.UI {
			title := p.chat.List.Deleted.Title
			if title == "" {
				title = "the conversation"
			}
			return kit.Box("div", "toast",
				kit.Box("span", "toast-text", "Deleted “"+title+"”"),
				kit.El("button", "button", kit.At{"id", "undo", "type", "button",
					"onclick", p.On("undo", func(ctx app.Context, _ app.Event) {
						if id := p.chat.List.Undo(); id != "" {
							ctx.Navigate("/c/" + id)
						}
					})}, "Undo"),
			)
		}),
	)
}
