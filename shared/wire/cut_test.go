package wire

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCutEndsAtACharacter(t *testing.T) {
	for in, want := range map[string]string{"": "", "short": "short", "exactly te": "exactly te", "exactly ten": "exactly…", "日本語です": "日本…", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff": "\ufffd…", "a\xffa\xffa\xffa\xffa\xffa": "a\ufffda…"} {
		if got := Cut(in, 10); got != want || !utf8.ValidString(got) || len(got) > 10 {
			t.Errorf("%q is cut to %q, want %q", in, got, want)
		}
	}
}

// Nothing that is sent back grows with what was sent.
func TestAProblemIsBounded(t *testing.T) {
	long := strings.Repeat("9", 1<<20)
	many := make([]string, 10_000)
	for i := range many {
		many[i] = long[:1000]
	}
	p := Problem{Code: long, Message: long, Hint: long, Field: long, Request: long, Raw: long, Allowed: many, Status: 400}
	out, err := json.Marshal(p.Bounded())
	if err != nil || len(out) > 100_000 {
		t.Errorf("%d bytes, %v", len(out), err)
	}
	if p.Code != long {
		t.Error("the problem itself was changed")
	}
	small := Problem{Code: "a", Message: "b", Field: "c", Allowed: []string{"d"}, Status: 1}
	a, _ := json.Marshal(small)
	if b, _ := json.Marshal(small.Bounded()); string(a) != string(b) {
		t.Errorf("%s became %s", a, b)
	}
}
