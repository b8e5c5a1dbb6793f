package web

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"github.com/tdewolff/parse/v2/css"
)

// No rule asks what holds the whole page whether it has something: with every
// element that comes, the browser would look through all of the page for that. One
// such rule took a tenth of the page's time while six answers grew.
func TestNothingIsLookedForInTheWholePage(t *testing.T) {
	names, err := fs.Glob(Files(), "*.css")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		sheet, err := fs.ReadFile(Files(), name)
		if err != nil {
			t.Fatal(err)
		}
		for _, selector := range wholePage(t, name, string(sheet)) {
			t.Errorf("%s: %s: let the element that changes say it, by an attribute of its own", name, selector)
		}
	}
}

func TestLookingThroughTheWholePageIsFound(t *testing.T) {
	const sheet = `.app:has(.a) .b, .c { color: red } :is(html, body):has(.a) { color: red } .d:has(.a) { color: red }
		@media (max-width: 5rem) { .app[data-view="x"]:has(.a) { color: red } } @media print { .app:has(.a) { color: red } }`
	// The parser parts selectors at every comma.
	got := strings.Join(wholePage(t, "a test's", sheet), " | ")
	if want := `.app:has(.a) .b | body):has(.a) | .app[data-view="x"]:has(.a)`; got != want {
		t.Errorf("found %s, want %s", got, want)
	}
}

// ofWholePage is a selector that asks what everything else is in.
var ofWholePage = regexp.MustCompile(`(:root|html|body|\.app|#app|\.main|#main)(\[[^]]*\]|\))*:has\(`)

// wholePage are the selectors of a sheet that ask what holds the whole page for what
// it has, but those for paper: nothing changes there.
func wholePage(t *testing.T, name, sheet string) (list []string) {
	t.Helper()
	var within []string // at-rules
	for what, p := range grammar(t, name, sheet) {
		switch what {
		case css.BeginAtRuleGrammar:
			within = append(within, textOf(p))
		case css.EndAtRuleGrammar:
			within = within[:len(within)-1]
		case css.QualifiedRuleGrammar, css.BeginRulesetGrammar:
			if s := textOf(p); ofWholePage.MatchString(s) && !strings.Contains(strings.Join(within, " "), "print") {
				list = append(list, s)
			}
		}
	}
	return list
}

func textOf(p part) string {
	var text strings.Builder
	for _, token := range p.Values() {
		text.Write(token.Data)
	}
	return strings.TrimSpace(text.String())
}
