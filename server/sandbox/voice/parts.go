package voice

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

var pointPool = []string{
	"**Purpose.** Ask what {s} is *for* before asking how it works.",
	"**Parts.** Most of {s} is two or three parts that depend on each other.",
	"**Limits.** It helps to know where {s} stops being the right answer.",
	"**Cost.** Whatever {s} gives, it takes time, money or attention somewhere.",
	"**Evidence.** One observation that could prove you wrong is worth ten that agree.",
	"**Order.** Do the part of {s} first that is hardest to undo.",
	"**Scale.** What holds for one case of {s} may not hold for a thousand.",
	"**Names.** Half the disagreements about {s} are about words.",
	"**History.** {S} looks as it does because of what came before it.",
	"**Feedback.** Small steps tell you sooner whether you have understood {s}.",
}

func points(w *writer) {
	w.block("- " + strings.Join(w.some(pointPool, 3+w.rng.n(2)), "\n- "))
}

func claims(w *writer) {
	var lines []string
	against := []string{"true until it is measured", "this costs more than it looks", "there is an exception for small cases", "it depends on who pays"}
	for i, p := range w.some(pointPool, 3) {
		head, _, _ := strings.Cut(strings.TrimPrefix(p, "**"), ".")
		lines = append(lines, fmt.Sprintf("%d. %s *Against it:* %s.", i+1, p, against[(i+len(head))%len(against)]))
	}
	w.block(lines...)
}

func example(w *writer) {
	w.block("### An example", "", w.pick([]string{
		"Take a single afternoon. Write down what you know about {s}, mark what you only assume, and test *one* assumption. Most people stop after the first surprise, which is the useful part.",
		"Say you explain {s} to a neighbour. The moment they ask “why?”, you have found the sentence that carries the rest. Keep that one.",
	}))
}

func tale(w *writer) {
	w.block(w.pick([]string{
		"A watchmaker once kept a drawer for parts that were left over. Every clock ran without them, so she thought little of it, until a customer asked what the drawer was for. That is **{s}** in a nutshell: what seems left over is often what it was about.",
		"Two sisters inherited one map. The elder followed it to the letter, the younger walked and corrected it. After a year only one map was worth copying. With **{s}** it is the same.",
	}))
}

func table(w *writer) {
	rows := w.some([]string{
		"| What is it for? | to make one thing about {s} easier | ask who would miss it |",
		"| What does it need? | a clear start and a way to stop | try it without |",
		"| Where does it fail? | at the edges, quietly | look at the smallest case |",
		"| Who decides? | whoever bears the cost | follow the bill |",
		"| How long does it last? | as long as someone looks after it | come back in a month |",
	}, 3)
	w.block(append([]string{"| Question | Short answer | How to check |", "| :-- | :-- | :-- |"}, rows...)...)
}

func formula(w *writer) {
	w.block(w.pick([]string{
		"If each of $n$ parts works with probability $p$, all of them work with $p^n$; for $p = 0.99$ and $n = 70$ that is already below one half:\n\n$$0.99^{70} \\approx 0.495$$",
		"The gain shrinks while the effort grows. With effort $x$ and a saturation $k$:\n\n$$g(x) = \\frac{x}{x + k}, \\qquad g'(x) = \\frac{k}{(x+k)^2}$$",
		"Averages hide the tail. For $n$ independent tries the chance of at least one miss is\n\n$$1 - (1 - q)^n \\approx nq \\quad (nq \\ll 1)$$",
	}))
}

func checklist(w *writer) {
	w.block("**Checklist**", "", "- [x] the question is written down", "- [ ] "+w.pick([]string{"one thing about {s} is measured", "someone else has read it"}),
		"- [ ] the smallest case works", "- [ ] I know what would change my mind")
}

func numbered(w *writer) {
	steps := w.some([]string{
		"Say in one sentence what *done* means for {s}.",
		"Collect what you already have. It is usually more than half.",
		"Choose the smallest version of {s} that someone could use.",
		"Do it once by hand, from start to end.",
		"Write down what was tedious; that is what to automate.",
		"Show it to somebody and say nothing.",
		"Fix the first thing they stumbled over, and only that.",
	}, 4+w.rng.n(2))
	for i := range steps {
		steps[i] = fmt.Sprintf("%d. %s", i+1, steps[i])
	}
	w.block(steps...)
}

func ideas(w *writer) {
	adjectives := []string{"quiet", "bright", "patient", "portable", "borrowed", "upside-down", "Sunday", "pocket"}
	nouns := []string{"version of {s}", "start for {s}", "mistake worth making with {s}", "question about {s}", "tool for {s}", "rule that {s} breaks"}
	var lines []string
	a, n := w.rng.n(len(adjectives)), w.rng.n(len(nouns))
	for i := range 5 {
		lines = append(lines, fmt.Sprintf("%d. **The %s %s**", i+1, adjectives[(a+i*3)%len(adjectives)], nouns[(n+i)%len(nouns)]))
	}
	w.block(lines...)
}

func versus(w *writer) {
	a, b := sides(w.r.Prompt)
	rows := w.some([]string{
		"| First impression | %s feels direct | %s feels complete |",
		"| Effort to begin | low for %s | higher for %s |",
		"| Effort to keep | grows with %s | stays level with %s |",
		"| When it goes wrong | %s fails loudly | %s fails late |",
		"| Best for | trying things out: %s | living with them: %s |",
	}, 4)
	for i := range rows {
		rows[i] = fmt.Sprintf(rows[i], a, b)
	}
	w.block(append([]string{"| | " + capital(a) + " | " + capital(b) + " |", "| --- | --- | --- |"}, rows...)...)
}

func verdict(w *writer) {
	w.block(w.pick([]string{
		"**Verdict:** begin with the one you can stop using tomorrow.",
		"**Verdict:** if nobody can say what would be lost, take the simpler one.",
		"**Verdict:** both, in this order: the quick one to learn, the sound one to keep.",
	}))
}

func questions(w *writer) {
	w.block("Some questions to sharpen it:", "", "- What would make {s} a success for *you*?", "- Who else has to agree?", "- What is the part you would rather not look at?")
}

func notes(w *writer) {
	w.block("A few notes:", "", "- "+strings.Join(w.some([]string{
		"Names first: a good name for {s} saves a comment.",
		"The empty case is handled, the enormous one is not.",
		"Nothing here needs a package from elsewhere.",
		"Change one line, run it, look.",
	}, 2), "\n- "))
}

func complexity(w *writer) {
	w.block(w.pick([]string{
		"It runs in $O(n)$ time and $O(1)$ extra space; sorting first would cost $O(n \\log n)$ for nothing.",
		"Each element is looked at once, so the time is $\\Theta(n)$. Memory stays flat.",
	}))
}

func reading(w *writer) {
	q := url.QueryEscape(w.subject)
	w.block("Further reading: [{s} in an encyclopedia](https://en.wikipedia.org/w/index.php?search=" + q + "), " +
		w.pick([]string{"[how to write Markdown](https://commonmark.org/help/)", "[a tour of Go](https://go.dev/tour/)"}) + ".")
}

func piece(w *writer) {
	w.block(w.pick([]string{
		"> *{S}*\n>\n> A lamp, a table, and the rain outside;\n> a word that will not come, a word that tried.\n> You turn the page, and there, before you knew,\n> the thing you looked for looks straight back at you.",
		"> *Lines on {s}*\n>\n> First light on the sill,\n> {s}, and nobody\n> in a hurry yet.",
		"> *{S}, a small story*\n>\n> On Monday it was impossible. On Tuesday it was merely difficult. On Wednesday somebody asked what it was for, and by Thursday it was done. On Friday they argued about the name.",
	}))
}

// results puts what functions returned into words.
func (w *writer) results() {
	w.block(w.pick([]string{"I have what I needed for **{s}**.", "The answer for **{s}** is in."}))
	w.context()
	for _, r := range w.r.Results {
		name := "The function"
		if r.Name != "" {
			name = "`" + r.Name + "`"
		}
		var object map[string]any
		if len(r.Text) < 100_000 && json.Unmarshal([]byte(r.Text), &object) == nil && len(object) > 0 && len(object) <= 20 {
			keys := make([]string, 0, len(object))
			for k := range object {
				keys = append(keys, k)
			}
			slices.Sort(keys)
			lines := []string{name + " says:", ""}
			for _, k := range keys {
				v, _ := json.Marshal(object[k])
				lines = append(lines, "- **"+plain(k)+"**: "+plain(strings.Trim(string(v), `"`)))
			}
			w.raw(strings.Join(lines, "\n"))
			continue
		}
		text := strings.TrimRight(cut(r.Text, 4000), "\n")
		fence := strings.Repeat("`", max(3, longestRun(text, '`')+1))
		w.raw(name + " returned:\n\n" + fence + "\n" + text + "\n" + fence)
	}
}

// longestRun is the most times in a row that c is in s.
func longestRun(s string, c byte) (longest int) {
	run := 0
	for i := range len(s) {
		if s[i] != c {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

// raw adds a block in which nothing is filled in.
func (w *writer) raw(block string) {
	w.b.WriteString("\n\n")
	w.b.WriteString(block)
}

// plain takes out of s what would mean something in Markdown.
func plain(s string) string {
	s = strings.Map(func(r rune) rune {
		if strings.ContainsRune("`*_[]<>|\\\n\r", r) {
			return -1
		}
		return r
	}, s)
	return cut(s, 300)
}
