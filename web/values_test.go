package web

import (
	"errors"
	"io"
	"io/fs"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"
)

// values are what the style sheets say in figures and colours of their own.
// Type, weights, leadings, radii, colours and durations have tokens for all
// there is. Of the measures of single places these are left, and a new one is
// to be one of them, or a token.
var values = map[string]string{
	"type":     "",
	"weight":   "",
	"leading":  "0",
	"radius":   "0",
	"colour":   "Highlight HighlightText currentcolor none transparent",
	"duration": "0.01ms 0s 120ms 240ms",
	"length": "-0.125em -2px -3px -4px 0.25em 0.2em 0.4em 0.5em 1.5em 1em 3em 28em 1px 2px 3px 45deg -45deg 90deg 180deg " +
		"2.25rem 3rem 3.75rem 4.25rem 4.5rem 5rem 7rem 8rem 8.5rem 9rem 10rem 11rem 12rem 13rem 14rem 15rem 16rem 18rem 20rem " +
		"21rem 22rem 24rem 28rem 30rem 34rem 36rem 38rem 40rem 42rem 44rem 60rem 84rem 90rem " +
		"30vw 60vw 86vw 100vw 12dvh 34dvh 25dvh 50dvh 66dvh 70dvh 75dvh 80dvh 90dvh 92dvh 100dvh 40vh 44vh 50vh 100vh",
}

// kinds says by its name what a property has values of; what is not listed has
// lengths.
var kinds = map[string]string{
	"font-size": "type", "font-weight": "weight", "line-height": "leading",
	"transition": "duration", "animation": "duration", "animation-delay": "duration", "animation-duration": "duration", "transition-duration": "duration",
	"color": "colour", "background": "colour", "background-color": "colour", "border-color": "colour", "fill": "colour", "stroke": "colour", "accent-color": "colour",
}

func TestOnlyTokensHaveValues(t *testing.T) {
	names, err := fs.Glob(Files(), "*.css")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]map[string]string{} // by kind and value, the first sheet that has it
	for _, name := range names {
		if name == "tokens.css" {
			continue
		}
		sheet, err := fs.ReadFile(Files(), name)
		if err != nil {
			t.Fatal(err)
		}
		for kind, value := range valuesOf(t, name, string(sheet)) {
			if got[kind] == nil {
				got[kind] = map[string]string{}
			}
			if got[kind][value] == "" {
				got[kind][value] = name
			}
		}
	}
	for kind, allowed := range values {
		list := strings.Fields(allowed)
		for value, sheet := range got[kind] {
			if !slices.Contains(list, value) {
				t.Errorf("%s has a %s of its own, %s: use a token, or one of these: %s", sheet, kind, value, allowed)
			}
		}
		for _, value := range list {
			if got[kind][value] == "" {
				t.Errorf("no sheet has the %s %s any more: take it off the list", kind, value)
			}
		}
		t.Logf("%d of %s: %s", len(got[kind]), kind, strings.Join(slices.Sorted(maps.Keys(got[kind])), " "))
	}
}

// The rule finds what it is to find.
func TestValuesAreFound(t *testing.T) {
	found := map[string]string{}
	for kind, value := range valuesOf(t, "x.css", `@media (max-width: 9rem) { .a { font: 700 13px/1.4 x; border-radius: 3px; color: #fff; padding: 5px var(--s1); transition: all 9ms } }`) {
		found[kind] += value + " "
	}
	want := map[string]string{"weight": "700 ", "type": "13px ", "leading": "1.4 ", "radius": "3px ", "colour": "#fff ", "length": "5px ", "duration": "9ms "}
	if !maps.Equal(found, want) {
		t.Errorf("found %v", found)
	}
}

// valuesOf goes through the values of a sheet that are no tokens, by kind.
func valuesOf(t *testing.T, name, sheet string) iter.Seq2[string, string] {
	t.Helper()
	return func(yield func(kind, value string) bool) {
		for what, property := range grammar(t, name, sheet) {
			if what != css.DeclarationGrammar {
				continue
			}
			slash := false // of a font
			for _, token := range property.Values() {
				text := string(token.Data)
				slash = slash || text == "/"
				if kind := kindOf(property.name, token.TokenType, text, slash); kind != "" && !yield(kind, text) {
					return
				}
			}
		}
	}
}

// part is one of a style sheet: the name of a property, say, and its values.
type part struct {
	name string
	*css.Parser
}

// grammar goes through a style sheet.
func grammar(t *testing.T, name, sheet string) iter.Seq2[css.GrammarType, part] {
	t.Helper()
	return func(yield func(css.GrammarType, part) bool) {
		p := css.NewParser(parse.NewInputString(sheet), false)
		for {
			what, _, data := p.Next()
			if what == css.ErrorGrammar {
				if !errors.Is(p.Err(), io.EOF) {
					t.Errorf("%s: %v", name, p.Err())
				}
				return
			}
			if !yield(what, part{string(data), p}) {
				return
			}
		}
	}
}

func kindOf(property string, token css.TokenType, text string, slash bool) string {
	kind := kinds[property]
	switch token {
	case css.HashToken:
		return "colour"
	case css.FunctionToken:
		if slices.Contains([]string{"rgb(", "rgba(", "hsl(", "hsla(", "color-mix(", "light-dark("}, text) {
			return "colour"
		}
	case css.IdentToken:
		if kind == "colour" && !slices.Contains([]string{"inherit", "important", "in", "srgb"}, text) {
			return kind
		}
	case css.DimensionToken, css.PercentageToken, css.NumberToken:
		number := token == css.NumberToken
		switch {
		case strings.HasSuffix(property, "radius"):
			return "radius"
		case property == "font" && slash:
			return "leading"
		case property == "font" && number:
			return "weight"
		case property == "font":
			return "type"
		case kind == "type" || kind == "weight" || kind == "leading":
			return kind
		case strings.HasSuffix(text, "s") && kind == "duration":
			return kind
		case token == css.DimensionToken && !strings.HasSuffix(text, "fr"):
			return "length"
		}
	}
	return ""
}
