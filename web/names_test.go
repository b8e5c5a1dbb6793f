package web

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tdewolff/parse/v2/css"
)

// general are the sheets that say something of what others lay out, and the one of
// a page of its own.
var general = []string{"tokens.css", "base.css", "kit.css", "prose.css", "forced.css", "shown.css"}

// A class is laid out in one sheet: of two the later would change what is none of
// its business.
func TestAClassIsOfOneSheet(t *testing.T) {
	names, err := fs.Glob(Files(), "*.css")
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]string{} // by class and property, the sheet
	for _, name := range names {
		if slices.Contains(general, name) {
			continue
		}
		sheet, err := fs.ReadFile(Files(), name)
		if err != nil {
			t.Fatal(err)
		}
		for _, set := range layouts(t, name, string(sheet)) {
			if first := of[set]; first != "" && first != name {
				t.Errorf("%s and %s both set %s: give one of them a name of its own", first, name, set)
			}
			of[set] = name
		}
	}
	if len(of) < 100 {
		t.Errorf("only %d rules were found", len(of))
	}
}

// The rule finds what it is to find.
func TestLayoutsAreFound(t *testing.T) {
	got := layouts(t, "x.css", `.a, .b .c, :is(.d, .e) { gap: 0 } @media (max-width: 9rem) { .f { margin: 0; display: flex } .g:hover { gap: 0 } }`)
	if want := []string{"gap of .a", "margin of .f", "display of .f"}; !slices.Equal(got, want) {
		t.Errorf("found %q", got)
	}
}

var (
	inBrackets = regexp.MustCompile(`\([^()]*\)`)
	aClass     = regexp.MustCompile(`^\.[\w-]+$`)
)

// layouts are the properties that a sheet sets of all that has a class.
func layouts(t *testing.T, name, sheet string) (list []string) {
	t.Helper()
	var selector strings.Builder // of the rule that is open, in pieces
	var classes []string         // that it is for
	for what, p := range grammar(t, name, sheet) {
		switch what {
		case css.QualifiedRuleGrammar, css.BeginRulesetGrammar:
			for _, token := range p.Values() {
				selector.Write(token.Data)
			}
			if what == css.QualifiedRuleGrammar {
				selector.WriteByte(',')
				continue
			}
			text := selector.String()
			for inBrackets.MatchString(text) {
				text = inBrackets.ReplaceAllString(text, "")
			}
			classes = nil
			for one := range strings.SplitSeq(text, ",") {
				if one = strings.TrimSpace(one); aClass.MatchString(one) {
					classes = append(classes, one)
				}
			}
			selector.Reset()
		case css.DeclarationGrammar:
			for _, class := range classes {
				list = append(list, p.name+" of "+class)
			}
		}
	}
	return list
}
