package markdown

import (
	"net/url"
	"strings"
	"unicode"
)

// maxAddress bounds, in bytes, an address that becomes a link, and shownAddress,
// in characters, what is shown of one that does not.
const (
	maxAddress   = 4 << 10
	shownAddress = 120
)

// LinkAddress returns the address to set as a link's href, and false when the
// destination must not be a link: anything but an absolute http or https
// address with a host and no user name in it (https://bank.example@evil.example
// reads as the bank), or mailto. The test is for what is allowed, on the text
// as the browser would get it, after escapes and references were resolved, so
// that no spelling of javascript: can pass; white space and control characters,
// which browsers drop from addresses, are refused outright. An answer's sources
// go by the same rule.
func LinkAddress(dest string) (string, bool) {
	if len(dest) > maxAddress || strings.ContainsFunc(dest, dropped) {
		return "", false
	}
	scheme, _, _ := strings.Cut(dest, ":")
	switch strings.ToLower(scheme) {
	case "http", "https":
	case "mailto":
		u, err := url.Parse(dest)
		return dest, err == nil && u.Opaque != ""
	default:
		return "", false
	}
	u, err := url.Parse(dest)
	if err != nil || u.User != nil || u.Hostname() == "" || strings.Contains(dest, `\`) {
		return "", false
	}
	return u.String(), true
}

func dropped(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || showsItsName(r, true) || r == unicode.ReplacementChar
}

// link draws kids as a link to dest or, where that may not be one, as text
// with the address beside it, so that nothing the author wrote is lost.
func link(class, dest, title string, kids []Node) Node {
	href, ok := LinkAddress(dest)
	if !ok {
		if dest != "" {
			kids = coalesce(appendText(kids, " ("+shorten(dest)+")", false))
		}
		return el("span", "md-no-link", kids...)
	}
	a := el("a", class, kids...).with("href", href).with("rel", "noopener noreferrer").with("target", "_blank")
	if title != "" {
		a = a.with("title", flatText(title, true))
	}
	return a
}

func shorten(s string) string {
	n := 0
	for i := range s {
		if n++; n > shownAddress {
			return s[:i] + "…"
		}
	}
	return s
}
