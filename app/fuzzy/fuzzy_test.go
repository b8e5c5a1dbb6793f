package fuzzy

import (
	"reflect"
	"strings"
	"testing"
)

func TestMatchFindsLettersInTheirOrder(t *testing.T) {
	for _, c := range []struct {
		name, query, text string
		want              string // the text with its marks in brackets; "" where nothing is found
	}{
		{"letters side by side", "retry", "Retry with jitter", "[Retry] with jitter"},
		{"beginnings of words", "rwj", "Retry with jitter", "[R]etry [w]ith [j]itter"},
		{"a later whole word before scattered letters", "new", "Now every week, new", "Now every week, [new]"},
		{"across spaces in the query", "new conv", "New conversation", "[New] [conv]ersation"},
		{"capitals inside a word", "gm", "getModel", "[g]et[M]odel"},
		{"letters of other scripts", "стр", "Вторая строка", "Вторая [стр]ока"},
		{"a model's parts", "eps5", "vendor/epsilon-5.6-core", "vendor/[eps]ilon-[5].6-core"},
		{"nothing", "xyz", "Retry", ""},
		{"in the wrong order", "yrter", "Retry", ""},
		{"more than there is", "retryy", "Retry", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, marks, ok := Match(c.query, c.text)
			got := ""
			if ok {
				for _, p := range Pieces(c.text, marks) {
					if p.Marked {
						got += "[" + p.Text + "]"
					} else {
						got += p.Text
					}
				}
			}
			if got != c.want {
				t.Errorf("%q in %q: %q, want %q", c.query, c.text, got, c.want)
			}
		})
	}
}

func TestRankKeepsGroupsAndPutsTheBestFirst(t *testing.T) {
	all := []Choice{
		{Group: "Commands", Name: "Renew this conversation"},
		{Group: "Commands", Name: "New conversation", Keys: "n"},
		{Group: "Conversations", Name: "Never again"},
		{Group: "Conversations", Name: "Something new"},
		{Group: "Models", Name: "vendor/model-a", Note: "chat"},
	}
	var got []string
	for _, c := range Rank(all, "new", 5) {
		got = append(got, c.Name)
	}
	if want := []string{"New conversation", "Renew this conversation", "Something new"}; !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := Rank(all, "chat", 5); len(got) != 1 || got[0].Name != "vendor/model-a" {
		t.Errorf("by the note: %+v", got)
	}
	if got := Rank(all, " ", 1); len(got) != 3 || got[0].Name != "Renew this conversation" {
		t.Errorf("of nothing typed, one of each: %+v", got)
	}
}

func TestPiecesLeaveOutMarksThatDoNotFit(t *testing.T) {
	got := Pieces("abcdef", []int{1, 2, 0, 3, 4, 9, 3, 5})
	want := []Piece{{Text: "a"}, {Text: "b", Marked: true}, {Text: "c"}, {Text: "de", Marked: true}, {Text: "f"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func FuzzMatch(f *testing.F) {
	f.Add("new", "New conversation")
	f.Add("é", "\xffÉ")
	f.Add("ﬀ", strings.Repeat("ﬀ", 500))
	f.Fuzz(func(t *testing.T, query, text string) {
		_, marks, ok := Match(query, text)
		if !ok && marks != nil {
			t.Fatal("marks of nothing found")
		}
		whole := ""
		for _, p := range Pieces(text, marks) {
			whole += p.Text
		}
		if whole != text {
			t.Fatalf("%q became %q", text, whole)
		}
	})
}

// What begins with the words that were typed stands above what only has their
// letters somewhere.
func TestWordsBeforeLetters(t *testing.T) {
	all := []Choice{
		{Group: "Commands", Name: "Stop the answers"},
		{Group: "Commands", Name: "Use the dark theme"},
		{Group: "Commands", Name: "Search the outline, park"},
		{Group: "Models", Name: "vendor/beta-4.6"},
		{Group: "Conversations", Name: "Draw a park"},
		{Group: "Conversations", Name: "Better tables"},
		{Group: "Conversations", Name: "Some tips on oil paint"},
	}
	for query, want := range map[string]string{
		"beta":  "vendor/beta-4.6",
		"dark":  "Use the dark theme",
		"stop":  "Stop the answers",
		"table": "Better tables",
		"darw":  "",
	} {
		got := ""
		if found := Rank(all, query, 6); len(found) > 0 {
			got = found[0].Name
		}
		if got != want {
			t.Errorf("%s: first comes %q, want %q", query, got, want)
		}
	}
}
