//go:build js && wasm

package kit

// ThemeName holds, in the browser's store, "dark" or "light"; without it the
// system decides.
const ThemeName = "screentest.theme"

// ApplyTheme sets the theme that the person chose.
func ApplyTheme(store interface{ Get(name string) string }) {
	root := NewDOM().Doc.Get("documentElement")
	if t := store.Get(ThemeName); t == "dark" || t == "light" {
		root.Get("dataset").Set("theme", t)
	} else {
		root.Call("removeAttribute", "data-theme")
	}
}
