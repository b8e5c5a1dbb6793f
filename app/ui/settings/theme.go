//go:build js && wasm

package settings

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/ui/kit"
)

// themeName holds, in the browser's store, "dark" or "light"; without it the
// system decides.
const themeName = "screentest.theme"

// theme is "dark", "light" or, for the system's, "".
func (p *Page) theme() string { return p.o.Storage.Get(themeName) }

// setTheme stores the person's choice; "" leaves it to the system.
func (p *Page) setTheme(theme string) {
	if theme == "" {
		p.o.Storage.Remove(themeName)
	} else {
		p.o.Storage.Set(themeName, theme)
	}
	p.applyTheme()
	p.Redraw()
}

// applyTheme sets the theme that the person chose.
func (p *Page) applyTheme() {
	root := p.DOM.Doc.Get("documentElement")
	if t := p.theme(); t == "dark" || t == "light" {
		root.Get("dataset").Set("theme", t)
	} else {
		root.Call("removeAttribute", "data-theme")
	}
}

func (s *Settings) theme() app.UI {
	p := s.p
	return p.Radios("theme", "Theme", "", p.theme(), kit.Options("", "System", "dark", "Dark", "light", "Light"), p.setTheme)
}
