package video

import "testing"

func TestMention(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "@": "@", "see @Vid": "@Vid", "(@image1": "@image1", "a@b": "", "@Video1 and": "", "@Video1, @": "@", "@Vi deo": "",
	} {
		if got, _ := Mention(text); got != want {
			t.Errorf("in %q %q is being typed, want %q", text, got, want)
		}
	}
	names := []string{"@Video1", "@Video2", "@Image1"}
	for query, want := range map[string]int{"@": 3, "@v": 2, "@VIDEO2": 0, "@video": 2, "@i": 1, "@x": 0} {
		if got := MentionMatches(names, query); len(got) != want {
			t.Errorf("%q matches %v", query, got)
		}
	}
	for _, c := range [][3]string{
		{"", "", "@Video1 |"}, {"the man of @vi", " walks", "the man of @Video1| walks"}, {"in", "the street", "in @Video1 |the street"}, {"(", ")", "(@Video1|)"},
	} {
		before, after := Complete(c[0], c[1], "@Video1")
		if got := before + "|" + after; got != c[2] {
			t.Errorf("%q|%q becomes %q, want %q", c[0], c[1], got, c[2])
		}
	}
}
