package tokens

import (
	"strings"
	"testing"

	"github.com/tiktoken-go/tokenizer/codec"
)

func TestKnownCounts(t *testing.T) {
	var c Counter
	for text, want := range map[string]int64{
		"":                     0,
		"hello world":          2,
		"hello   world":        3,
		"supercalifragilistic": 7,
		"We know what we are, but know not what we may be.": 14,
		"\xff\xfe": c.Count("\ufffd\ufffd"), // not UTF-8
	} {
		if got := c.Count(text); got != want {
			t.Errorf("%q has %d tokens, want %d", text, got, want)
		}
	}
}

// Cutting a long text into pieces changes next to nothing.
func TestPiecesCountLikeTheWhole(t *testing.T) {
	var c Counter
	text := strings.Repeat("The quick brown fox, ein schneller brauner Fuchs; 敏捷的棕色狐狸 jumps over 1 234 567 lazy dogs.\n", 300)
	whole, err := codec.NewCl100kBase().Count(text)
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Count(text); got < int64(whole) || got > int64(whole)*101/100 {
		t.Errorf("in pieces %d tokens, as a whole %d", got, whole)
	}
	twice := strings.Repeat(text, 2*maxCounted/len(text)+2)
	want := int64(whole) * int64(len(twice)) / int64(len(text))
	if got := c.Count(twice); got < want*99/100 || got > want*102/100 {
		t.Errorf("of a text that is not counted whole: %d tokens, want about %d", got, want)
	}
}

// One word of a megabyte takes no longer than many: its bytes are not joined
// all with all.
func TestALongWordEnds(t *testing.T) {
	var c Counter
	n := c.Count(strings.Repeat("a", 3*maxPiece))
	if n < 100 || n > 3*maxPiece {
		t.Errorf("%d tokens", n)
	}
	for _, s := range []string{"é", "敏", "👩‍👩‍👧"} {
		if n := c.Count(strings.Repeat(s, 3*maxPiece)); n == 0 {
			t.Errorf("%s: nothing was counted", s)
		}
	}
}

func FuzzCount(f *testing.F) {
	f.Add("hello\r\n\t world 123")
	f.Add("\xff\x00\xf0\x9f")
	var c Counter
	f.Fuzz(func(t *testing.T, text string) {
		if n := c.Count(text); n < 0 || n > 3*int64(len(text)) || (n == 0) != (text == "") {
			t.Errorf("%d tokens of %d bytes", n, len(text))
		}
	})
}
