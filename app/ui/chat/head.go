//go:build js && wasm

package chat

import (
	"strconv"
	"strings"
	"syscall/js"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/chat"
	"screentest/app/ui/inspector"
	"screentest/app/ui/kit"
	"screentest/shared/money"
	"screentest/shared/wire"
)

// HeadRev implements kit.Headed.
func (p *Page) HeadRev() int { return p.rev.bar }

// Head implements kit.Headed: the title of the conversation with what can be done
// with it, what it has cost, and the inspector's button.
func (p *Page) Head() kit.Head {
	h := kit.Head{Title: []app.UI{p.title()}, Tools: []app.UI{p.newButton(), p.inspectorButton()}}
	c := p.chat.Current
	if c == nil || c.Phase != chat.Ready {
		return h
	}
	if p.renaming {
		h.Title = []app.UI{p.renameField()}
	} else {
		h.Title = append(h.Title,
			kit.IconButton("wide-only", "Rename this conversation", kit.IconPencil, kit.At{"title", "Rename"}, p.Do("rename", p.beginRename)),
			kit.IconButton("wide-only", "Delete this conversation", kit.IconTrash, kit.At{"id", "delete",
				"title", "Delete"}, p.Do("delete", p.deleteShown)),
			p.more(c.Summary),
			p.ShareMark("shared-mark", wire.ShareConversation, c.ID, c.Summary.Title))
	}
	if c.Summary.CostNanoUSD > 0 {
		h.Figures = []app.UI{kit.El("span", "pill wide-only", kit.At{"title", "This conversation so far: " + money.NanoUSD(c.Summary.CostNanoUSD).String()}, p.cost(c.Summary))}
	}
	return h
}

func (p *Page) title() app.UI {
	title := "New conversation"
	switch c := p.chat.Current; {
	case c == nil:
	case c.Phase == chat.Missing:
		title = "Not found"
	case c.Summary.Title != "":
		title = c.Summary.Title
	default:
		title = "Conversation"
	}
	return kit.El("h1", "bar-title cut written", kit.At{"id", "title", "title", title}, title)
}

// newButton begins a conversation where the list, which has the same, is out of
// sight.
func (p *Page) newButton() app.UI {
	return kit.El("a", "icon-button narrow-only", kit.At{"id", "new-narrow", "href", "/", "aria-label", "New conversation", "title", "New conversation",
		"hidden", p.chat.Current == nil || p.Guest}, kit.Icon(kit.IconPlus, "icon"))
}

// inspectorButton shows what goes over the wire.
func (p *Page) inspectorButton() app.UI {
	return kit.IconButton("", "Request and wire", kit.IconInspect, kit.At{"id", "inspector",
		"title", "Request and wire (Ctrl I)",
		"aria-expanded", p.inspector.IsOpen() && p.inspector.Tab() != inspector.Params, "aria-controls", "drawer"},
		p.Do("inspector", p.inspector.ToggleWire))
}

func (p *Page) renameField() app.UI {
	return p.Field("rename", "field", kit.At{"maxlength", 200, "aria-label", "Title of this conversation",
		"onkeydown", p.On("rename-key", func(_ app.Context, e app.Event) {
			switch key := e.Get("key").String(); {
			case kit.Composing(e.Value):
			case key == "Enter":
				e.PreventDefault()
				p.endRename(true)
			case key == "Escape":
				e.PreventDefault()
				p.endRename(false)
			}
		}),
		"onblur", p.Do("rename-blur", func() { p.endRename(true) })},
		p.newTitle, func(text string) { p.newTitle = text })
}

// more is what else can be done with the conversation.
func (p *Page) more(s wire.Summary) app.UI {
	type item struct {
		id   string
		icon kit.IconPath
		name string
		do   func()
	}
	items := []item{
		{"pin", kit.IconPin, pinWord(s.Pinned), func() { p.chat.List.Pin(s.ID, !s.Pinned) }},
		{"more-rename", kit.IconPencil, "Rename", p.beginRename},
		{"export-markdown", kit.IconExport, "Export as Markdown", func() { p.Download(wire.ExportPath + s.ID + ".md") }},
		{"export-json", kit.IconExport, "Export as JSON", func() { p.Download(wire.ExportPath + s.ID + ".json") }},
		{"more-search", kit.IconSearch, "Search in it", p.search.here},
		{"more-delete", kit.IconTrash, "Delete", p.deleteShown},
	}
	if p.MayShare() {
		items = append([]item{{"share-conversation", kit.IconShare, "Share…", p.share}}, items...)
	}
	return kit.Box("span", "",
		kit.IconButton("", "More for this conversation", kit.IconMore, kit.At{"id", "more-button",
			"title", "More", "popovertarget", "more"},
			p.On("more", func(ctx app.Context, _ app.Event) {
				ctx.PreventUpdate()
				at := p.DOM.ByID("more-button").Call("getBoundingClientRect")
				style := p.DOM.ByID("more").Get("style")
				style.Set("top", strconv.Itoa(at.Get("bottom").Int()+4)+"px")
				style.Set("left", strconv.Itoa(max(8, min(at.Get("left").Int(), js.Global().Get("innerWidth").Int()-240)))+"px")
			})),
		kit.El("div", "menu", kit.At{"id", "more", "popover", "auto", "role", "group", "aria-label", "More for this conversation"},
			kit.Times(len(items), func(i int) app.UI {
				x := items[i]
				return kit.MenuItem(x.id, "", nil, p.Do(x.name+s.ID, func() { p.DOM.ByID("more").Call("hidePopover"); x.do() }),
					kit.Icon(x.icon, "icon small"), x.name)
			}),
		),
	)
}

// share opens the dialog that shares the conversation that is shown.
func (p *Page) share() {
	c := p.chat.Current
	p.Sharing.Open(wire.ShareConversation, c.ID, c.Summary.Title)
}

// deleteShown deletes the conversation that is shown; it can be undone.
func (p *Page) deleteShown() {
	p.chat.List.Delete(p.chat.Current.ID)
	p.Context().Navigate("/")
}

func (p *Page) beginRename() {
	p.renaming, p.newTitle = true, p.chat.Current.Summary.Title
	p.changed(chat.PartBar)
	p.Context().Defer(func(app.Context) {
		if e := p.DOM.ByID("rename"); e.Truthy() {
			p.Settle()
			e.Call("focus")
			e.Call("select")
		}
	})
}

// endRename saves the title, or leaves it as it was.
func (p *Page) endRename(save bool) {
	if !p.renaming {
		return
	}
	p.renaming = false
	title := strings.Join(strings.Fields(p.newTitle), " ")
	if c := p.chat.Current; save && c != nil && title != "" && title != c.Summary.Title {
		p.chat.List.Rename(c.ID, title)
	}
	p.changed(chat.PartBar)
	p.FocusComposer()
}
