package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// renewal has an element keep its listener when it is drawn again, and call the
// handler of the newest draw. go-app keeps the handler of the first draw where it
// takes the two for equal, with the values that it closed over, and else takes the
// listener off and adds another: drawing a form again for a key that was pressed did
// that for each of its elements.
var renewal = []struct{ file, from, to string }{
	{"event.go", "\tjsHandler Func\n", "\tjsHandler Func\n\tlatest    *EventHandler // that the listener calls\n"},
	{"node.go", "\tevent := handler.event\n", "\tevent, latest := handler.event, &handler.goHandler\n"},
	// What was drawn when it happened counts, though it is handled a moment later.
	{"node.go", "\t\tif len(args) != 0 {\n", "\t\tif len(args) != 0 {\n\t\t\thandle := *latest\n"},
	{"node.go", "\thandler.goHandler(ctx, event)\n", "\thandle(ctx, event)\n"},
	{"node.go", "\t\tjsHandler: jsHandler,\n", "\t\tjsHandler: jsHandler,\n\t\tlatest:    latest,\n"},
	{"node.go", "\t\tif handler.Equal(newHandler) {\n", "\t\tif handler.Equal(newHandler) {\n\t\t\t*handler.latest = newHandler.goHandler\n"},
}

// renewListeners changes the copy of go-app in dir.
func renewListeners(dir string) error {
	for _, r := range renewal {
		path := filepath.Join(dir, r.file)
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if n := strings.Count(string(b), r.from); n != 1 {
			return fmt.Errorf("%s has %q %d times, not once: look at how it handles events now", path, r.from, n)
		}
		if err := os.WriteFile(path, []byte(strings.Replace(string(b), r.from, r.to, 1)), 0o644); err != nil {
			return err
		}
	}
	return nil
}
