package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// go-app drops a value that is "" and writes none that is as it was in the draw
// before, so a filter that is set by it can't be taken back. app/ui/kit makes
// the lists, switches and fields, and what they show is written there.
func TestOnlyKitWritesWhatControlsShow(t *testing.T) {
	onlyKit(t, `kit\.(El|Box)\("(select|option)"|kit\.El\("(input|textarea)".*"(value|selected)"|"checkbox", "checked".*"on|"radio"`,
		"make it with kit's Select, Switch, Radio, Field or Area",
		`kit.Box("select", "field")`, `kit.El("input", "", kit.At{"type", "checkbox", "checked", on, "onchange", f})`,
		`kit.El("input", "field", kit.At{"id", id, "value", text})`, `kit.At{"type", "radio"}`)
}

// go-app's calls for an element, one for each tag and each attribute, are long
// where they are made and add code for each that is used: 55 KB of the download.
func TestOnlyKitMakesElements(t *testing.T) {
	onlyKit(t, `\bapp\.(A|Article|Aside|Audio|Button|Canvas|Code|D[dlt]|Details|Dialog|Div|Elem\w*|FieldSet|Form|H[1-6]|Header|HTML\w+|Iframe|If\w*|Img|Input|Kbd|Label|Li|Main|Nav|Ol|Opt\w+|P|Pre|Progress|Range|Raw|Section|Select|Span|Strong|Su\w+|T[a-z]|T[A-Z]\w+|Table|Text\w*|Ul|Video)(\(|\b)`,
		"make it with kit's El or Box",
		`app.Div().Class("bar")`, `app.Text(words)`, `app.If(open, draw)`, `app.Elem("figure")`, `func row() app.HTMLTr {`, `app.THead().Body(rows...)`)
}

// In the browser Go's local zone is the offset of the moment at which the page
// was loaded: on the other side of a clock change it is an hour out.
func TestOnlyKitKnowsTheTimeOfDay(t *testing.T) {
	onlyKit(t, `\.Local\(\)|time\.Local\b|UnixMilli\([^()]*\)\.(Format|Date|Clock|Hour)|\.Now\(\)\.(Format|Date|Clock|Hour)`,
		"write kit.Wall of it",
		`time.UnixMilli(ms).Format("15:04")`, `t.In(time.Local)`, `time.UnixMilli(ms).Local()`)
}

// onlyKit wants no line like this in the page's sources but in app/ui/kit. The
// examples are lines that it has to find.
func onlyKit(t *testing.T, like, instead string, examples ...string) {
	t.Helper()
	written := regexp.MustCompile(like)
	for _, line := range examples {
		if !written.MatchString(line) {
			t.Errorf("the rule lets %s pass", line)
		}
	}
	seen := 0
	err := filepath.WalkDir("../app", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || filepath.Base(filepath.Dir(path)) == "kit" {
			return err
		}
		seen++
		source, err := os.ReadFile(path)
		for n, line := range strings.Split(string(source), "\n") {
			if written.MatchString(line) {
				t.Errorf("%s:%d: %s: %s", path, n+1, strings.TrimSpace(line), instead)
			}
		}
		return err
	})
	if err != nil || seen < 50 {
		t.Errorf("%d files were looked at: %v", seen, err)
	}
}
