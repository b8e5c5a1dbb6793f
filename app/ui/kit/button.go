//go:build js && wasm

package kit

import (
	"slices"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Button is an action with its name on it. look adds to its class: primary for
// the one thing to do next, plain, small, wide. At may say that its type is
// submit; then it needs no handler.
func Button(look string, at At, do *Handler, kids ...any) app.UI {
	return El("button", and("button", look), pressed(at, do), kids...)
}

// IconButton is an action with a sign on it; label is for who points at it and
// for who listens.
func IconButton(look, label string, icon IconPath, at At, do *Handler) app.UI {
	sign := "icon"
	if slices.Contains(strings.Fields(look), "small") {
		sign = "icon small"
	}
	at = append(At{"aria-label", label, "title", label}, at...)
	return El("button", and("icon-button", look), pressed(at, do), Icon(icon, sign))
}

// Chip is a small action beside others of its kind.
func Chip(at At, do *Handler, kids ...any) app.UI {
	return El("button", "chip", pressed(at, do), kids...)
}

func pressed(at At, do *Handler) At {
	all := append(At{"type", "button"}, at...)
	if do != nil {
		all = append(all, "onclick", do)
	}
	return all
}

// and adds to a class.
func and(class, more string) string {
	if more == "" {
		return class
	}
	return class + " " + more
}
