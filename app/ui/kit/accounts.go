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
		Box("p", "", "You are a guest here: you see what is shared with you, and send nothing."),
		Box("p", "todo", "Ask an admin of this instance to make you a member."),
	)
}

// NothingShared stands where a guest has nothing to see yet.
func NothingShared() app.UI {
	return Empty("page", Box("p", "", "Nothing is shared with you yet. What others share with you is found here."))
}
