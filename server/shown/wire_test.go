package shown

import (
	"strings"
	"testing"

	"screentest/shared/wire"
)

// A JSON text that is deep within itself grows to thousands of times its size with its
// lines indented: it is shown as it is.
func TestAWireThatIsDeepIsNotIndented(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		most bool // it is more than is shown indented
	}{
		"usual":           {`{"a":[1,2,{"b":"[[[[,,,\"{{"}]}`, false},
		"deep and long":   {strings.Repeat("[", 5000) + strings.Repeat("1,", 50_000) + "1" + strings.Repeat("]", 5000), true},
		"deep in a text":  {`"` + strings.Repeat("[,", 100_000) + `"`, false},
		"nothing to open": {strings.Repeat("}", 100), false},
	} {
		if n := indentedSize(c.body); (n > 2*maxWire) != c.most {
			t.Errorf("%s: %d", name, n)
		}
	}
}

// The wire of an answer is seen while the answer is: not of one that the owner has
// asked for otherwise since.
func TestWireOfWhatIsAskedOtherwise(t *testing.T) {
	w := newWorld(t, Limits{})
	logs := w.asks(1, nil, "with a secret", "vendor/a")
	logs[0].add("data: [DONE]\n\n", true)
	w.ends(1, 0, "canary", nil)
	seen := w.sights[link]
	seen.Wire = true
	w.sights[link] = seen
	if status, body, _ := w.get(link+"/wire/run-1-0", ""); status != 200 {
		t.Fatalf("%d: %s", status, body)
	}
	logs = w.asks(2, []string{""}, "without it", "vendor/a")
	logs[0].add("data: [DONE]\n\n", true)
	w.ends(2, 0, "whole", func(*wire.Run) {})
	if status, body, _ := w.get(link+"/wire/run-2-0", ""); status != 200 {
		t.Errorf("what is shown: %d: %s", status, body)
	}
	if status, body, _ := w.get(link+"/wire/run-1-0", ""); status == 200 {
		t.Errorf("it is shown: %s", body)
	}
}

// Who asks for files and doesn't read them holds so many open, and no more.
func TestFilesThatAreSentAreCounted(t *testing.T) {
	w := newWorld(t, Limits{ViewersOfAddress: 1})
	seen := w.sights[link]
	seen.Kind = wire.ShareClip
	w.sights[link] = seen
	get := func() int {
		status, _, _ := w.get(link+"/media/0/0", "")
		return status
	}
	if first, second := get(), get(); first != 200 || second != 200 {
		t.Errorf("one after the other: %d, %d", first, second)
	}
	leave, ok := w.s.sends("files", "files of "+named, "files to 192.0.2.1")
	if status := get(); !ok || status == 200 {
		t.Errorf("beside one that isn't read: %v, %d", ok, status)
	}
	leave()
	if status := get(); status != 200 {
		t.Errorf("after it: %d", status)
	}
}
