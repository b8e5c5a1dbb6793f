package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// cut is a function of the standard library that is replaced, by less or by one
// that is right.
type cut struct {
	pkg, file string
	from      string // how the function begins, up to the brace
	body      string // what takes its place, from there on
}

// cuts are what is replaced, with what for.
var cuts = []cut{
	// Unicode's tables of scripts and categories (\p{Greek}), which no expression
	// in the program names; a \p that some later one has is an error when it is
	// compiled, at the program's start.
	{"regexp/syntax", "parse.go", "func initCategoryAliases() ", "{}"},
	{"regexp/syntax", "parse.go", "func unicodeTable(name string) (tab, fold *unicode.RangeTable, sign int) ", `{
	switch canonicalName(name) {
	case "Any":
		return anyTable, anyTable, +1
	case "Ascii":
		return asciiTable, asciiFoldTable, +1
	}
	return nil, nil, 0
}`},

	// Two ways to be faster that change no match: common beginnings of
	// alternatives are looked for once, and an engine for expressions that never
	// have to go back.
	//
	// The browser's own RegExp in place of the whole package would be 35 kB less to
	// load. It can't read step by step, as goldmark lets Go's at every "<": it
	// would be given the rest of the paragraph each time, and an answer that is
	// one long paragraph of them would take minutes.
	{"regexp/syntax", "parse.go", "func (p *parser) factor(sub []*Regexp) []*Regexp ", "{ return sub }"},
	{"regexp", "onepass.go", "func compileOnePass(prog *syntax.Prog) (p *onePassProg) ", "{ return nil }"},

	// The execution tracer, which nothing can start in a page.
	{"runtime", "trace.go", "func traceAdvance(stopTrace bool) ", "{}"},
	{"runtime", "traceevent.go", "func (e traceEventWriter) event(ev tracev2.EventType, args ...traceArg) ", "{}"},
	{"runtime", "traceevent.go", "func (tl traceLocker) stack(skip int) traceArg ", "{ return 0 }"},
	{"runtime", "traceevent.go", "func (tl traceLocker) startPC(pc uintptr) traceArg ", "{\n\tvar _ sys.NotInHeap // the import stays\n\treturn 0\n}"},

	// What is printed or counted when the environment asks for it in GODEBUG: a
	// page has none.
	{"runtime", "proc.go", "func schedtrace(detailed bool) ", "{}"},
	{"runtime", "mcheckmark.go", "func checkFinalizersAndCleanups() ", "{}"},
	{"runtime", "mgcmark_greenteagc.go", "func dumpScanStats() ", "{}"},
	{"internal/godebug", "godebug.go", "func (s *Setting) register() ", "{}"},

	// A fault of Go's: when there are stopped timers to clear away, it forgets a
	// timer that was set to an earlier time, as go-app's of the next frame is,
	// until another one is due. Elsewhere the timers are looked through once more
	// before the program sleeps; in a browser they are not, and now and then a page
	// was drawn half a second late. Here they are cleared away when one is due, and
	// looking is as cheap as Go's.
	{"runtime", "time.go", "func (ts *timers) check(now int64, bubble *synctestBubble) (rnow, pollUntil int64, ran bool) ", `{
	next := ts.wakeTime()
	if next == 0 {
		return now, 0, false
	}
	if now == 0 {
		now = nanotime()
	}
	if now < next {
		return now, next, false
	}
	ts.lock()
	ts.adjust(now, true)
	for len(ts.heap) > 0 && ts.run(now, bubble) == 0 {
		ran = true
	}
	ts.unlock()
	return now, ts.wakeTime(), ran
}`},
}

// writeOverlay writes the files without what is cut, and the overlay that names
// them.
func writeOverlay(out string) error {
	replace := map[string]string{}
	for _, c := range cuts {
		b, err := exec.Command("go", "list", "-f", "{{.Dir}}", c.pkg).Output()
		if err != nil {
			return fmt.Errorf("find %s: %w", c.pkg, err)
		}
		original := filepath.Join(strings.TrimSpace(string(b)), c.file)
		copied, known := replace[original]
		if !known {
			copied, err = filepath.Abs(filepath.Join(out, strings.ReplaceAll(c.pkg, "/", "_")+"_"+c.file))
			if err != nil {
				return err
			}
			replace[original] = copied
		}
		from := original
		if known {
			from = copied
		}
		text, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		text, err = c.apply(text)
		if err != nil {
			return err
		}
		if err := os.WriteFile(copied, text, 0o644); err != nil {
			return err
		}
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, "overlay.json"), overlay, 0o644)
}

// apply returns the file's text with the function replaced.
func (c cut) apply(text []byte) ([]byte, error) {
	before, rest, ok := strings.Cut(string(text), "\n"+c.from+"{\n")
	if !ok {
		return nil, fmt.Errorf("%s has no %q any more; look at what takes its place", c.pkg, c.from)
	}
	_, after, ok := strings.Cut(rest, "\n}\n")
	if !ok {
		return nil, fmt.Errorf("the end of %q in %s is not found", c.from, c.pkg)
	}
	return []byte(before + "\n" + c.from + c.body + "\n" + after), nil
}
