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
	onlyKit(t, `app\.Select\(|el(em)?\("select"|\.Checked\(|\.Selected\(|app\.(Input|Textarea)\(\).*\.Value\(`,
		"make it with kit's Select, Switch, Radio, Field or Area",
		`app.Select().ID(id)`, `elem("select", "field")`, `app.Input().Type("checkbox").Checked(on)`, `app.Input().ID(id).Value(text)`)
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
