//go:build js && wasm

package kit

import (
	"syscall/js"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// HasAccounts says whether there are accounts, which the server writes on the
// page.
func HasAccounts() bool {
	return js.Global().Get("document").Get("documentElement").Call("hasAttribute", "data-team").Bool()
}

// GuestNote stands where others send from.
func GuestNote() app.UI {
	return Notice(Info, "guest-note", nil,
		Box("p", "", "You’re a guest here: you can see what’s shared with you but not send requests."),
		Box("p", "todo", "Ask an admin of this instance to make you a member."),
	)
}

// GuestStart stands where a guest has nothing of their own: it leads to what is
// shared with them.
func (h *Host) GuestStart() app.UI {
	if h.Sharing == nil || h.Sharing.WithMe() == 0 {
		return Empty("page", Box("p", "", "Nothing has been shared with you yet. You’ll find it under Shared."))
	}
	return Empty("page",
		Box("p", "", "What others share with you appears under Shared."),
		El("a", "button primary", At{"href", SharedPath}, "See what is shared with you"))
}
