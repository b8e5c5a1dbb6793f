//go:build js && wasm

package kit

import "github.com/maxence-charriere/go-app/v10/pkg/app"

// The tones of what is said.
const (
	Info = ""
	Good = "good"
	Warn = "warn"
	Bad  = "bad"
)

// Notice says what is to be known, or what went wrong and what to do. look may
// be strip: across the page, with a button beside the words.
func Notice(tone, look string, at At, kids ...any) app.UI {
	return El("div", and("notice", look), append(At{"data-tone", tone}, at...), kids...)
}

// Empty is what stands where there is nothing yet. look may be page: in the
// middle of all the room there is.
func Empty(look string, kids ...any) app.UI {
	return Box("div", and("empty", look), kids...)
}

// Pill is a word or a figure beside others.
func Pill(at At, kids ...any) app.UI { return El("span", "pill", at, kids...) }

// Outcome is how something went, in a line that is announced; "" leaves it
// empty.
func Outcome(id string, good bool, words string) app.UI {
	tone := Good
	if !good {
		tone = Bad
	}
	return El("p", "outcome "+tone, At{"id", id, "role", "status"}, words)
}

// Labelled is a control under its name, with what else is said of it.
func Labelled(id, name string, note any, control ...any) app.UI {
	if words, is := note.(string); is && words != "" {
		note = Box("span", "faint", words)
	}
	return Box("div", "labelled", El("label", "label", At{"for", id}, name, note), control)
}

// Meter is how much of a bound is used.
func Meter(tone, label string, used, bound int64) app.UI {
	return El("progress", "meter", At{"data-tone", tone, "max", bound, "value", used, "aria-label", label})
}
