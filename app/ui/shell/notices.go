//go:build js && wasm

package shell

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/ui/kit"
)

// Notices are what is said for a while, and what the sections offer to undo.
type Notices struct {
	app.Compo
	p   *page
	Rev int
}

// Render implements app.Composer.
func (t *Notices) Render() (ui app.UI) {
	p := t.p
	defer p.Drawing("the notice", &ui)
	var list []app.UI
	if p.notice != "" {
		list = append(list, kit.El("div", "toast", kit.At{"id", "notice"}, kit.Box("span", "toast-words", p.notice)))
	}
	for _, s := range p.sections {
		if n, ok := s.(kit.Noticing); ok {
			list = append(list, n.Notices()...)
		}
	}
	return kit.El("div", "toasts", kit.At{"role", "status"}, list)
}
