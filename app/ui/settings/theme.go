//go:build js && wasm

package settings

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/ui/kit"
)

// theme is "dark", "light" or, for the system's, "".
func (p *Page) theme() string { return p.o.Storage.Get(kit.ThemeName) }

// setTheme stores the person's choice; "" leaves it to the system.
func (p *Page) setTheme(theme string) {
	if theme == "" {
		p.o.Storage.Remove(kit.ThemeName)
	} else {
		p.o.Storage.Set(kit.ThemeName, theme)
	}
	kit.ApplyTheme(p.o.Storage)
	p.Redraw()
}

func (p *Page) appearance() app.UI {
	return kit.El("section", "", kit.At{"id", "settings-theme"},
		kit.Box("h2", "", "Appearance"),
		kit.Box("p", "soft", "Kept in this browser."),
		p.Radios("theme", "Theme", "", p.theme(), kit.Options("", "System", "dark", "Dark", "light", "Light"), p.setTheme),
	)
}
