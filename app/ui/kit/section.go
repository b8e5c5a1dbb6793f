//go:build js && wasm

package kit

import (
	"net/url"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/session"
)

// Section is a part of the program with pages of its own. The Shell lists it in
// the rail, routes to it and draws it; everything is called on the UI
// goroutine.
type Section interface {
	// Item is how the rail shows the section.
	Item() Item
	// Go shows what is at an address, and returns false where that is not the
	// section's. It is called again when only the query or the fragment changes.
	Go(at *url.URL) bool
	// Title is that of the document while the section is shown.
	Title() string
	// Render draws the section's page: the main part of the Shell. Whatever
	// takes work should be a component with a revision among its fields.
	Render() app.UI
	// News takes all that the server tells unasked; what concerns other parts
	// too, the greeting first on every new connection.
	News(n session.News)
}

// Item is a line of the rail.
type Item struct {
	Path  string // where it leads, for example "/video"
	Name  string
	Icon  IconPath
	Count int // of what has happened there unseen; 0 shows none
	// Mark stands under the name, in place of the count, with Why for who asks
	// what it means.
	Mark, Why string
}

// Overlaid is a Section with notices that stand over every page of the
// program, whatever is shown: one component with a revision.
type Overlaid interface {
	Overlay() app.UI
}

// Configurable is a Section with settings. They stand on the settings page,
// among the others.
type Configurable interface {
	Settings() []Setting
}

// Setting is one of the settings: a <section> with an <h2>, and a line of their
// navigation.
type Setting struct {
	Name  string // in the address, /settings/NAME
	ID    string // of its element, which a fragment may lead to; "" is that of a page of its own
	Title string
	Group string // of the navigation; "" is the person's own
	// Apart says that it is a page of its own, and wide: it doesn't stand among
	// the others, at /settings.
	Apart bool
	Draw  func() app.UI
	// Go, if there is one, is told when it is what the address leads to, with
	// the query, and again with every greeting; Leave when it no longer is.
	Go    func(query url.Values)
	Leave func()
}

// A Leaver is told when another part of the program is shown.
type Leaver interface {
	Leave()
}

// Headed is a Section that puts more into the bar than its title.
type Headed interface {
	Head() Head
	// HeadRev counts the changes of the Head.
	HeadRev() int
}

// Head is what a section puts into the bar.
type Head struct {
	Title   []app.UI // in place of the title, with what can be done beside it
	Figures []app.UI // before the gateway
	Tools   []app.UI // at the end
}

// Commanding is a Section with commands for the palette, some with a key.
type Commanding interface {
	Commands() []Command
}

// Command is something that can be done from the palette, and by a key.
type Command struct {
	Name string
	Keys string // "n", "Shift G"; "" where there are none
	When func() bool
	Do   func()
}

// Escaping is a Section that does something on Escape while it is shown and
// nothing is open above it.
type Escaping interface {
	Escape()
}

// Noticing is a Section with notices beside those of the Shell: what can be
// undone, how something goes.
type Noticing interface {
	Notices() []app.UI
}

// Dialogued is a Section with dialogs, which stand outside of its page.
type Dialogued interface {
	Dialogs() []app.UI
}

// Keyed is a Section with keys of its own, for the list of keys.
type Keyed interface {
	Keys() []Key
}

// Key is a line of the list of keys.
type Key struct{ Keys, Name string }
