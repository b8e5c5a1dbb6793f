//go:build js && wasm

package kit

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/shared/wire"
)

// SharedPath is where one sees what is shared with one, and by one.
const SharedPath = "/shared"

// Sharing is how a part of the page says who else sees something, and lets that be
// changed.
type Sharing interface {
	// May says whether the person may share what is theirs.
	May() bool
	// Open opens the dialog for something of the person's: a kind of shared/wire,
	// its id and what it is called.
	Open(kind, id, title string)
	// Mark says who else sees it; "" is nobody.
	Mark(kind, id string) string
	// WithMe is how much is shared with the person.
	WithMe() int
}

// MayShare says whether the person may share what is theirs. Where there are no
// accounts nobody may.
func (h *Host) MayShare() bool { return h.Sharing != nil && h.Sharing.May() }

// ShareMark says who else sees something of the person's, and leads to the dialog.
// Where nobody does it keeps its place.
func (h *Host) ShareMark(id, kind, of, title string) app.UI {
	words := ""
	if h.Sharing != nil {
		words = h.Sharing.Mark(kind, of)
	}
	if words == "" {
		return Nothing()
	}
	return Chip(At{"id", id, "data-shared", true, "title", words, "aria-label", words + ": see and change who sees it"},
		h.Do(id, func() { h.Sharing.Open(kind, of, title) }),
		Icon(IconShare, "icon small"), Box("span", "cut", words))
}

// CopiedFrom says of what another showed a conversation or a clip is a copy, and
// leads there while that can be seen.
func CopiedFrom(id string, c *wire.Copied) app.UI {
	if c == nil {
		return Nothing()
	}
	title := c.Title
	if title == "" {
		title = "Untitled"
	}
	var name any = title
	if share := c.Share; share != "" {
		name = El("a", "", At{"href", wire.SharePath + share}, title)
	}
	return El("p", "copied-from soft", At{"id", id}, "After “", name, "” by "+c.Owner)
}
