package main

import (
	"path/filepath"
	"strings"
	"testing"

	"screentest/web/build/nodetest"
)

func TestACutReplacesOneFunction(t *testing.T) {
	const file = "package p\n\nfunc a() {\n\tif true {\n\t}\n}\n\nfunc b() int {\n\treturn 1\n}\n"
	for _, tt := range []struct {
		name string
		cut  cut
		want string // of the text, or of the error
	}{
		{"the first", cut{"p", "p.go", "func a() ", "{}"}, "package p\n\nfunc a() {}\n\nfunc b() int {\n\treturn 1\n}\n"},
		{"the last", cut{"p", "p.go", "func b() int ", "{ return 2 }"}, "package p\n\nfunc a() {\n\tif true {\n\t}\n}\n\nfunc b() int { return 2 }\n"},
		{"another result", cut{"p", "p.go", "func b() ", "{}"}, `p has no "func b() " any more`},
		{"none of the name", cut{"p", "p.go", "func c() ", "{}"}, `p has no "func c() " any more`},
	} {
		text, err := tt.cut.apply([]byte(file))
		if got := string(text); got != tt.want && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %q, %v; want %q", tt.name, got, err, tt.want)
		}
	}
}

// The page's next frame is a timer that is set to an earlier time.
func TestATimerSetEarlierIsNotForgotten(t *testing.T) {
	out := t.TempDir()
	if err := writeOverlay(out); err != nil {
		t.Fatal(err)
	}
	program := nodetest.Build(t, "./testdata/timers", "-overlay", filepath.Join(out, "overlay.json"))
	if said, complaints, err := nodetest.Run(t, program); err != nil || said != "in time\n" {
		t.Errorf("it was %s%v\n%s", said, err, complaints)
	}
}
