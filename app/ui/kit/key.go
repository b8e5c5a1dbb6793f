//go:build js && wasm

package kit

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
