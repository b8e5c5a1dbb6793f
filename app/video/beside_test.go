package video

import "testing"

func TestBeside(t *testing.T) {
	g := &Tasks{List: []string{"c", "b", "a"}}
	for id, want := range map[string]struct {
		prev, next string
		at         int
	}{"c": {"", "b", 1}, "b": {"c", "a", 2}, "a": {"b", "", 3}, "elsewhere": {}} {
		if prev, next, at := g.Beside(id); prev != want.prev || next != want.next || at != want.at {
			t.Errorf("beside %s: %q, %q, %d", id, prev, next, at)
		}
	}
	if n := g.FoundCount(); n != 3 {
		t.Errorf("%d are found", n)
	}
}
