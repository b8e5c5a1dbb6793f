//go:build js && wasm

package door

import (
	"strconv"
	"strings"
	"syscall/js"
	"time"

	"screentest/app/ui/kit"
)

// What the browser keeps of people is in its own store, by these names: drafts
// and choices of the page are the person's, and another one must not find them.
const (
	// Person is whose drafts they are, by the id of the account.
	Person = "screentest.person"
	// Came and Left change when somebody has come in or gone out: other tabs
	// hear of it.
	Came = "screentest.came"
	Left = "screentest.left"
)

// TellOthers has this browser's other tabs hear that somebody came or left.
func TellOthers(what string) {
	(kit.LocalStorage{}).Set(what, strconv.FormatInt(time.Now().UnixMilli(), 10))
}

// Forget removes what the page keeps of a person in this browser; the theme is
// the browser's.
func Forget() {
	defer func() { _ = recover() }() // access itself throws where it is forbidden
	store := js.Global().Get("localStorage")
	keys := js.Global().Get("Object").Call("keys", store)
	for i := range keys.Length() {
		key := keys.Index(i).String()
		if strings.HasPrefix(key, "screentest.") && key != kit.ThemeName && key != Left {
			store.Call("removeItem", key)
		}
	}
}
