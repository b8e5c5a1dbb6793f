package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The README's tables are what -h prints: every flag with its environment
// variable and its default, and no flag that isn't there.
func TestReadmeListsEveryFlag(t *testing.T) {
	raw, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile("(?m)^\\| `(-[a-z-]+)` \\| `([A-Z_]+)` \\| (?:`([^`]*)`)? ?\\|")
	var got []string
	for _, m := range row.FindAllStringSubmatch(string(raw), -1) {
		got = append(got, fmt.Sprintf("%s %s %q", m[1], m[2], m[3]))
	}

	var want []string
	add := func(prefix string, flags func(*flag.FlagSet)) {
		fs := flag.NewFlagSet("", flag.ContinueOnError)
		flags(fs)
		fs.VisitAll(func(f *flag.Flag) {
			name := strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
			want = append(want, fmt.Sprintf("-%s %s_%s %q", f.Name, prefix, name, f.DefValue))
		})
	}
	add("SCREENTEST", new(serveConfig).flags)
	add("SCREENTEST_SANDBOX", new(sandboxConfig).flags)
	add("SCREENTEST_CHECK", new(checkConfig).flags)

	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the README's tables have\n\t%s\nbut the program has\n\t%s",
			strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// The two commands of the README are targets of the Makefile, and CI makes
// lint and test.
func TestReadmeCommands(t *testing.T) {
	files := map[string]string{}
	for _, name := range []string{"README.md", "Makefile", ".ci/run"} {
		raw, err := os.ReadFile("../" + name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(raw)
	}
	for _, m := range regexp.MustCompile("(?m)(?:^|`)make ([a-z]+)").FindAllStringSubmatch(files["README.md"], -1) {
		if !strings.Contains(files["Makefile"], "\n"+m[1]+":") {
			t.Errorf("the README names make %s, which the Makefile has not", m[1])
		}
	}
	for _, target := range []string{"lint", "test"} {
		made := regexp.MustCompile(`(?m)^[^#\n]*(\bmake\b.*\b` + target + `\b|\b` + target + `\b.*\bmake\b)`)
		if !made.MatchString(files[".ci/run"]) {
			t.Errorf(".ci/run doesn't make %s", target)
		}
	}
	for _, c := range (&program{}).commands()[1:] {
		if !strings.Contains(files["README.md"], "`screentest "+c.name) {
			t.Errorf("the README doesn't name screentest %s", c.name)
		}
	}
}

// The README's example of a catalogue is one, as it stands.
func TestReadmeCatalogueStarts(t *testing.T) {
	raw, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```json\n(.*?)```").FindAllSubmatch(raw, -1)
	if len(blocks) == 0 {
		t.Fatal("the README shows no JSON")
	}
	for _, block := range blocks {
		file := filepath.Join(t.TempDir(), "models.json")
		if err := os.WriteFile(file, block[1], 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := readCatalogue(file); err != nil {
			t.Errorf("%v\n%s", err, block[1])
		}
	}
}

// The layout names every folder that there is, and none that isn't; the four
// ways through the code lead past files.
func TestReadmeLayout(t *testing.T) {
	raw, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, layout, _ := strings.Cut(string(raw), "## How the code is laid out\n")
	layout, _, _ = strings.Cut(layout, "\n## ")
	blocks := strings.Split(layout, "```\n")
	if len(blocks) != 11 {
		t.Fatalf("the layout has %d parts, want the folders and four ways", len(blocks))
	}
	named := map[string]bool{}
	top := ""
	for line := range strings.Lines(blocks[1]) {
		for _, folder := range regexp.MustCompile(`\b([a-z0-9]+)/`).FindAllStringSubmatch(line, -1) {
			if !strings.HasPrefix(line, " ") {
				top = folder[1]
				continue
			}
			named[top+"/"+folder[1]] = true
		}
	}
	for _, top := range []string{"app", "server", "shared", "web"} {
		entries, err := os.ReadDir("../" + top)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			folder := top + "/" + e.Name()
			if e.IsDir() && e.Name() != "testdata" && !named[folder] {
				t.Errorf("the layout doesn't name %s", folder)
			}
			delete(named, folder)
		}
	}
	for folder := range named {
		t.Errorf("the layout names %s, which is not there", folder)
	}
	for _, way := range []string{blocks[3], blocks[5], blocks[7], blocks[9]} {
		hops := 0
		for line := range strings.Lines(way) {
			file := strings.Fields(line)[0]
			if info, err := os.Stat("../" + file); err != nil || info.IsDir() {
				t.Errorf("a way leads to the file %s: %v", file, err)
			}
			hops++
		}
		if hops < 8 {
			t.Errorf("a way has only %d hops:\n%s", hops, way)
		}
	}
}
