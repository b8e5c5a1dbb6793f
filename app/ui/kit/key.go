//go:build js && wasm

package kit

import "github.com/maxence-charriere/go-app/v10/pkg/app"

// keyEvent is a key's event: go-app's, or the browser's own.
type keyEvent[V any] interface {
	Get(name string) V
	Truthy() bool
	Int() int
}

// processKey is the keyCode of a key that an input method took for itself.
const processKey = 229

// Composing says that a key is the input method's and not the page's: the Enter
// that takes a Japanese word sends nothing, the Escape that drops it closes
// nothing. Safari tells of that Enter only when the composition has ended;
// there its keyCode alone is left to know it by.
func Composing[V keyEvent[V]](ev V) bool {
	code := ev.Get("keyCode")
	return ev.Get("isComposing").Truthy() || code.Truthy() && code.Int() == processKey
}

// Sends says that a key sends what is written: Enter, with Ctrl or without; with
// Shift it is a new line. Where a finger types there is no Shift, so there Enter
// is a new line, and the button sends.
func (d DOM) Sends(ev app.Value) bool {
	if ev.Get("key").String() != "Enter" || Composing(ev) || ev.Get("shiftKey").Bool() || ev.Get("altKey").Bool() {
		return false
	}
	return ev.Get("ctrlKey").Bool() || ev.Get("metaKey").Bool() || !d.Coarse()
}
