// Package voice writes the sandbox's answers: Markdown that is made of
// templates, is the same for the same request, takes up what was asked, and
// differs from model to model, so that six lanes side by side cannot be
// mistaken for one another. Start with [Compose].
//
// The answers say plainly that they come from the sandbox. They show what an
// answer looks like and claim no facts about their subject.
package voice

import (
	"hash/fnv"
	"io"
	"strings"
	"unicode/utf8"
)

// Request is what is to be answered.
type Request struct {
	Model   string
	System  string   // system prompt
	Earlier []string // the person's earlier messages, oldest first
	Prompt  string   // the last one
	Results []Result // of the functions that were called for it
	Sources []Source // of a web search for it, to be cited
	// Variant separates requests that differ in something else, such as the
	// temperature.
	Variant string
}

// Result is what a function returned.
type Result struct{ Name, Text string }

// Source is a page that a search found.
type Source struct{ Title, URL string }

// Citation is a stretch of the answer that a source stands behind.
type Citation struct {
	Source
	Start, End int // in characters (code points) of the text
}

// Answer is what the model says.
type Answer struct {
	Reasoning string // a summary of it, for models that show one
	Text      string
	Citations []Citation
}

// Seed is a number that depends on everything in the request.
func (r Request) Seed() uint64 {
	h := fnv.New64a()
	add := func(parts ...string) {
		for _, p := range parts {
			_, _ = io.WriteString(h, p)
			_, _ = h.Write([]byte{0})
		}
	}
	add(r.Model, r.System, r.Prompt, r.Variant)
	add(r.Earlier...)
	for _, x := range r.Results {
		add(x.Name, x.Text)
	}
	for _, x := range r.Sources {
		add(x.URL)
	}
	return h.Sum64()
}

// Compose answers the request.
func Compose(r Request) Answer {
	w := &writer{r: r, rng: rng(r.Seed()), p: personaOf(r.Model), subject: subjectOf(r.Prompt), kind: kindOf(r.Prompt)}
	a := Answer{Reasoning: w.reasoning()}
	if text, ok := verbatim(r.Prompt); ok && len(r.Results) == 0 && len(r.Sources) == 0 {
		a.Text = text
		return a
	}
	switch {
	case len(r.Results) > 0:
		w.results()
	case w.kind == hello:
		w.hello()
	case w.kind == self:
		w.self()
	case w.kind == sum:
		w.sum()
	default:
		w.lead()
		w.context()
		for _, part := range w.p.parts[w.kind] {
			part(w)
		}
	}
	w.cite()
	w.close()
	a.Text, a.Citations = w.b.String(), w.citations
	return a
}

// writer builds an answer, block by block.
type writer struct {
	r         Request
	rng       rng
	p         *persona
	subject   string
	kind      kind
	b         strings.Builder
	citations []Citation
}

// block adds a block of Markdown, a blank line before it.
func (w *writer) block(lines ...string) {
	if w.b.Len() > 0 {
		w.b.WriteString("\n\n")
	}
	w.b.WriteString(w.fill(strings.Join(lines, "\n")))
}

// fill puts in what a template leaves open: {s} the subject, {S} the subject
// with a capital, {me} the model's name.
func (w *writer) fill(t string) string {
	return strings.NewReplacer("{s}", w.subject, "{S}", capital(w.subject), "{me}", shortName(w.r.Model)).Replace(t)
}

// cite adds a sentence for each source, and notes where it stands.
func (w *writer) cite() {
	if len(w.r.Sources) == 0 {
		return
	}
	w.block("### What the search found")
	for i, src := range w.r.Sources {
		lead := []string{"One page sets out the ground: ", "A second looks at it from practice: ", "A third collects questions that come up: "}[i%3]
		w.b.WriteString("\n")
		if i == 0 {
			w.b.WriteString("\n")
		}
		w.b.WriteString("- " + lead)
		start := utf8.RuneCountInString(w.b.String())
		w.b.WriteString("[" + src.Title + "](" + src.URL + ")")
		w.citations = append(w.citations, Citation{src, start, utf8.RuneCountInString(w.b.String())})
		w.b.WriteString(".")
	}
}

// rng gives numbers that look random and are not.
type rng uint64

// n returns 0 ≤ x < limit.
func (r *rng) n(limit int) int {
	*r += 0x9e3779b97f4a7c15
	x := uint64(*r)
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	x ^= x >> 31
	return int(x % uint64(limit))
}

func (w *writer) pick(from []string) string { return from[w.rng.n(len(from))] }

// some picks k different ones, in their order in from.
func (w *writer) some(from []string, k int) []string {
	out := make([]string, 0, k)
	for i, s := range from {
		if left := len(from) - i; w.rng.n(left) < k-len(out) {
			out = append(out, s)
		}
	}
	return out
}
