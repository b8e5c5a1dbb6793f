//go:build js && wasm

package settings

import (
	"net/url"
	"slices"
	"strings"
	"syscall/js"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/ui/kit"
)

// settings are all there are, in the order of the navigation.
func (p *Page) settings() []kit.Setting {
	return append([]kit.Setting{
		{Name: "gateway", ID: "settings-gateway", Title: "Gateway", Draw: p.gateway},
		{Name: "models", ID: "settings-models", Title: "Models", Draw: p.modelSettings},
		{Name: "key", ID: "settings-key", Title: "Key", Draw: p.keySettings},
		{Name: "data", ID: "settings-data", Title: "Export and import", Draw: p.dataSettings},
		{Name: "appearance", ID: "settings-theme", Title: "Appearance", Draw: p.appearance},
	}, p.o.Others()...)
}

// Apart are the settings that are pages of their own, for the palette.
func (p *Page) Apart() (list []kit.Item) {
	for _, s := range p.settings() {
		if s.Apart {
			list = append(list, kit.Item{Path: Path + "/" + s.Name, Name: s.Title})
		}
	}
	return list
}

// find returns the setting with a name.
func find(list []kit.Setting, name string) (s kit.Setting, is bool) {
	for _, s := range list {
		if s.Name == name {
			return s, true
		}
	}
	return kit.Setting{}, false
}

// Go implements kit.Section. An address leads to one of the settings by its name
// or, as links of old do, by its element. What a name stands for may not be
// known before the greeting.
func (p *Page) Go(at *url.URL) bool {
	name, is := strings.CutPrefix(strings.TrimSuffix(at.Path, "/"), Path)
	if !is || name != "" && name[0] != '/' {
		return false
	}
	name = strings.TrimPrefix(name, "/")
	if name == "" && at.Fragment != "" {
		for _, s := range p.settings() {
			if s.ID == at.Fragment {
				name = s.Name
			}
		}
	}
	if p.here && name != p.at {
		p.turned, p.left = true, p.at
	}
	if name != p.at {
		p.leave()
	}
	p.at, p.here, p.query = name, true, at.Query()
	p.lead()
	return true
}

// lead tells the setting that is shown alone what the address asks for.
func (p *Page) lead() {
	if s, is := find(p.settings(), p.at); is && s.Go != nil {
		s.Go(p.query)
	}
}

func (p *Page) leave() {
	if s, is := find(p.settings(), p.at); is && s.Leave != nil {
		s.Leave()
	}
}

// Leave implements kit.Leaver.
func (p *Page) Leave() {
	p.leave()
	p.here, p.turned = false, false
}

// OnUpdate implements app.Updater: another setting may be drawn now.
func (s *Settings) OnUpdate(ctx app.Context) {
	if s.p.turned {
		s.p.turned = false
		ctx.Defer(func(app.Context) {
			defer s.p.Guard("the settings")
			s.p.turn()
		})
	}
}

// turn shows another setting from its top. On a phone the line that was pressed
// is out of sight then, so the focus goes to the way back, or back to that line.
func (p *Page) turn() {
	if e := p.DOM.Find(".settings"); e.Truthy() {
		e.Set("scrollTop", 0)
	}
	if !js.Global().Call("matchMedia", "(max-width: 50rem)").Get("matches").Bool() {
		return
	}
	if p.at != "" {
		p.DOM.Focus("#to-all")
	} else {
		p.DOM.Focus("#to-" + p.left)
	}
}

// Title implements kit.Section.
func (p *Page) Title() string {
	if s, is := find(p.settings(), p.at); is {
		return s.Title + " · Settings"
	}
	return "Settings"
}

// navigation are the ways to the settings, by their groups.
func (p *Page) navigation(list []kit.Setting) app.UI {
	var lines []app.UI
	group := ""
	for _, s := range list {
		if s.Group != group {
			group = s.Group
			lines = append(lines, kit.Box("li", "settings-group", group))
		}
		lines = append(lines, kit.Box("li", "", p.way(s.Name, Path+"/"+s.Name, s.Title, kit.IconChevron)))
	}
	return kit.El("nav", "settings-nav", kit.At{"aria-label", "Settings"},
		p.way("", Path, "Settings", kit.IconBack),
		kit.Box("ul", "settings-list", lines))
}

func (p *Page) way(name, to, title string, icon kit.IconPath) app.UI {
	id := "to-" + name
	if name == "" {
		id = "to-all"
	}
	return kit.El("a", "settings-way", kit.At{"id", id, "href", to, "aria-current", kit.When(name == p.names()[0], "page")},
		kit.Icon(icon, "icon small"), kit.Box("span", "", title))
}

// names are those of the settings that are shown: the one that the address names,
// else the gateway with its key.
func (p *Page) names() []string {
	if p.at != "" {
		return []string{p.at}
	}
	return []string{"gateway", "key"}
}

// shown are the settings with these names.
func (p *Page) shown(list []kit.Setting) []app.UI {
	var parts []app.UI
	for _, s := range list {
		if slices.Contains(p.names(), s.Name) {
			parts = append(parts, &Part{p: p, Name: s.Name, Rev: p.Draws()})
		}
	}
	switch {
	case len(parts) > 0:
		return parts
	case !p.session.Greeted:
		return []app.UI{kit.Box("p", "soft", "Loading…")}
	}
	return []app.UI{kit.Empty("", kit.Box("p", "", "There’s nothing at this address."))}
}

// Part is one of the settings. Another one gets elements of its own: what was
// typed in one field never stands in another.
type Part struct {
	app.Compo
	p    *Page
	Name string
	Rev  int
}

// CompoID implements app.DismountEnforcer.
func (c *Part) CompoID() string { return c.Name }

// Render implements app.Composer.
func (c *Part) Render() (ui app.UI) {
	defer c.p.Drawing("the settings", &ui)
	if s, is := find(c.p.settings(), c.Name); is {
		return s.Draw()
	}
	return kit.Nothing()
}
