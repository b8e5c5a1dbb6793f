package voice

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"
	"unicode/utf8"
)

var models = []string{
	"vendor/model-a", "vendor/model-b", "vendor/epsilon-5.6-lite", "vendor/epsilon-5.6-core", "vendor/epsilon-5.6-max",
	"vendor/beta-4.3", "vendor/beta-4.5", "vendor/beta-4.6", "zeta-1",
}

var prompts = []string{
	"Explain tides to a ten-year-old", "Write a Go function that reverses a string", "Compare tea and coffee", "5 ideas for a garden",
	"How do I plan a trip?", "Write a poem about rain", "What is the difference between TCP and UDP?", "日本の歴史について教えて", "?", "",
	"fix this SQL query", "in python please", "in typescript", "in javascript", "in rust", "a bash script",
}

// Every model answers every prompt in its own way, and the same each time.
func TestModelsDiffer(t *testing.T) {
	for _, p := range prompts {
		seen := map[string]string{}
		for _, m := range append(models, "acme/unheard-of") {
			a, again := Compose(Request{Model: m, Prompt: p}), Compose(Request{Model: m, Prompt: p})
			if a.Text != again.Text || a.Reasoning != again.Reasoning {
				t.Errorf("%s: %q is answered differently the second time", m, p)
			}
			if other, ok := seen[a.Text]; ok && p != "" {
				t.Errorf("%q: %s and %s answer the same", p, m, other)
			}
			seen[a.Text] = m
			if len(a.Text) < 40 || a.Reasoning == "" || !utf8.ValidString(a.Text) {
				t.Errorf("%s: %q: %q", m, p, a.Text)
			}
			for _, left := range []string{"{s}", "{S}", "{me}", "{id}", "%!", "%s"} {
				if strings.Contains(a.Text+a.Reasoning, left) && !strings.Contains(a.Text, "printf '%s") {
					t.Errorf("%s: %q: %q is left in %q", m, p, left, a.Text)
				}
			}
		}
	}
}

// Answers take up what was asked, what was asked before, and the system prompt.
func TestAnswersTakeUpTheRequest(t *testing.T) {
	for _, m := range models {
		a := Compose(Request{Model: m, System: "You are a pirate", Earlier: []string{"Explain volcanoes"}, Prompt: "Explain glaciers"})
		for _, want := range []string{"laciers", "volcanoes", "pirate"} {
			if !strings.Contains(a.Text, want) {
				t.Errorf("%s does not mention %q: %s", m, want, a.Text)
			}
		}
	}
}

// Over all models and kinds of prompt there is something of every feature.
func TestAnswersAreWorthLookingAt(t *testing.T) {
	var all strings.Builder
	for _, m := range models {
		for _, p := range prompts {
			all.WriteString(Compose(Request{Model: m, Prompt: p}).Text + "\n\n")
		}
	}
	for _, want := range []string{"\n## ", "\n### ", "\n- ", "\n1. ", "| --- |", "```go", "```python", "```typescript", "```javascript", "```rust", "```sql", "```bash", "$$", "](https://", "\n> ", "- [ ] ", "~~", "**"} {
		if !strings.Contains(all.String(), want) {
			t.Errorf("no answer has %q", want)
		}
	}
}

func TestSums(t *testing.T) {
	for prompt, want := range map[string]string{
		"What is 17 × 23?":                "391",
		"what is 5 + 6":                   "11",
		"5+6":                             "11",
		"10 minus 12.5":                   "-2.5",
		"1 / 8":                           "0.125",
		"1 / 3":                           "0.333333",
		"999999999999999999 * 1000000000": "999999999999999999000000000",
		"7 / 0":                           "no answer",
	} {
		if a := Compose(Request{Model: "vendor/model-a", Prompt: prompt}); !strings.Contains(a.Text, want) {
			t.Errorf("%q: %q", prompt, a.Text)
		}
	}
	for _, prompt := range []string{"from 2025-2026", "on 24/7", "in 5-10 minutes"} {
		if kindOf(prompt) == sum {
			t.Errorf("%q is taken for a sum", prompt)
		}
	}
}

func TestVerbatim(t *testing.T) {
	for prompt, want := range map[string]string{
		"Say hello":                                "hello",
		"Please say \"good morning\".":             "good morning",
		"Reply with OK":                            "OK",
		"reply only with the word yes":             "yes",
		"Repeat exactly: one **two**\n\n- three":   "one **two**\n\n- three",
		"answer with “ja”":                         "ja",
		"Respond with just `code`":                 "code",
		"What would you say about verbatim words?": "",
	} {
		got, ok := verbatim(prompt)
		if got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v; want %q", prompt, got, ok, want)
		}
	}
}

// A subject is one safe line, whatever the prompt is.
// What an answer is about is named so that it fits into its sentences.
func TestSubjects(t *testing.T) {
	for prompt, want := range map[string]string{
		"How does back-pressure keep a stream honest?": "back-pressure",
		"How does the internet work?":                  "internet",
		"How do signs of spring differ by country?":    "signs of spring",
		"How do I bake bread at home?":                 "bake bread at home",
		"How do you fold a paper boat?":                "fold a paper boat",
		"Explain tides to a ten-year-old":              "tides to a ten-year-old",
		"How does it?":                                 "it",
	} {
		if got := subjectOf(prompt); got != want {
			t.Errorf("%q is about %q, want %q", prompt, got, want)
		}
	}
}

func FuzzSubject(f *testing.F) {
	for _, p := range append(prompts, "<script>alert(1)</script>", "[x](javascript:alert(1))", "a\u202eb", strings.Repeat("long ", 1000), "\xff\xfe") {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, p string) {
		s := subjectOf(p)
		if s == "" || len(s) > 300 || strings.ContainsAny(s, "\n\r`*_[]<>|#\\$") {
			t.Fatalf("%q: %q", p, s)
		}
		a := Compose(Request{Model: "vendor/model-b", Prompt: p, Results: []Result{{"f", p}}, Sources: Sources(p)})
		for _, c := range a.Citations {
			if part := string([]rune(a.Text)[c.Start:c.End]); part != "["+c.Title+"]("+c.URL+")" {
				t.Fatalf("%q: a citation covers %q", p, part)
			}
		}
	})
}

// The result of a function is in the answer: fields by name, other text as it
// stands in a fence that it cannot leave.
func TestResults(t *testing.T) {
	a := Compose(Request{Model: "zeta-1", Prompt: "x", Results: []Result{{"get_weather", `{"sky":"clear","degrees":21.5}`}}})
	for _, want := range []string{"`get_weather` says:", "- **degrees**: 21.5", "- **sky**: clear"} {
		if !strings.Contains(a.Text, want) {
			t.Errorf("no %q in %s", want, a.Text)
		}
	}
	a = Compose(Request{Model: "zeta-1", Prompt: "x", Results: []Result{{"f", "one\n```\n# two"}}})
	if !strings.Contains(a.Text, "````\none\n```\n# two\n````") {
		t.Errorf("%s", a.Text)
	}
}

func TestWords(t *testing.T) {
	for _, n := range []int{1, 2, 11, 12, 13, 60, 61, 5000} {
		text := Words(n, 7)
		if got := len(strings.Fields(text)); got != n {
			t.Errorf("%d words, want %d", got, n)
		}
		for w := range strings.FieldsSeq(text) {
			if utf8.RuneCountInString(w) > 8 {
				t.Errorf("%q is more than one token", w)
			}
		}
		if got := len(strings.Fields(Repeat(Markdown(), n))); got != n {
			t.Errorf("Markdown: %d words, want %d", got, n)
		}
	}
	if one, again, two := Words(50, 1), Words(50, 1), Words(50, 2); one != again || one == two {
		t.Error("the seed does not decide")
	}
	if Repeat("", 5) != "" {
		t.Error("nothing cannot be repeated")
	}
}

// The Go example is Go, whatever the subject is called.
func TestGoExampleParses(t *testing.T) {
	for _, p := range []string{"Write a Go function that reverses a string", "golang: range func type", "go", "日本 go"} {
		_, code, ok := strings.Cut(Compose(Request{Model: "zeta-1", Prompt: p}).Text, "```go\n")
		if !ok {
			t.Fatalf("%q: no Go", p)
		}
		code, _, _ = strings.Cut(code, "```")
		if _, err := parser.ParseFile(token.NewFileSet(), "x.go", code, 0); err != nil {
			t.Errorf("%q: %v\n%s", p, err, code)
		}
	}
}

func BenchmarkCompose(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Compose(Request{Model: "vendor/epsilon-5.6-max", Prompt: "Explain tides to a ten-year-old"})
	}
}
