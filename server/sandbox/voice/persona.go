package voice

import (
	"hash/fnv"
	"strings"
)

// part writes one section.
type part func(*writer)

// persona is how a model talks: its first and last words, and which sections
// it writes for which kind of prompt.
type persona struct {
	model  string // the end of the ids that it belongs to
	manner string // what it says of itself
	leads  []string
	closes []string
	parts  map[kind][]part
}

// personas are the voices. A model that is none of these takes one by the hash
// of its id.
var personas = []*persona{
	{
		model:  "model-a",
		manner: "I keep it short and practical.",
		leads: []string{
			"Short answer on **{s}**: start small, look at what happens, and only then add more.",
			"**{S}**, in brief: there is one idea to hold on to, and the rest follows from it.",
			"Here is what I would do about **{s}** if I had ten minutes.",
		},
		closes: []string{"That is the short version. Ask for more on any line.", "Say which point matters to you and I will go deeper.", "Good enough to start with."},
		parts: map[kind][]part{
			explain: {points, example}, code: {snippet, notes}, compare: {versus, verdict},
			steps: {numbered}, list: {ideas}, write: {piece},
		},
	},
	{
		model:  "model-b",
		manner: "I like structure: headings, a table, a formula where one helps.",
		leads: []string{
			"## {S}\n\nLet us take **{s}** apart in order: what it is, what it depends on, and how one would know that it works.",
			"## On {s}\n\nThree questions settle most of **{s}**. I take them in turn.",
			"## {S}, set out\n\nBefore the details, the frame: **{s}** is easier to judge once its parts have names.",
		},
		closes: []string{"> In one sentence: name the parts, measure one of them, and change one thing at a time.", "> The table is the answer; the rest explains it."},
		parts: map[kind][]part{
			explain: {points, table, formula, reading}, code: {snippet, complexity, notes}, compare: {versus, points, verdict},
			steps: {numbered, table, reading}, list: {ideas, table}, write: {piece, notes},
		},
	},
	{
		model:  "epsilon-5.6-lite",
		manner: "I think for a moment, then answer in bullets.",
		leads:  []string{"**{S}**:", "On **{s}**, quickly:", "What matters about **{s}**:"},
		closes: []string{"Done. *({me}, least words wins)*", "*End of list.*"},
		parts: map[kind][]part{
			explain: {points}, code: {snippet}, compare: {versus}, steps: {numbered}, list: {ideas}, write: {piece},
		},
	},
	{
		model:  "epsilon-5.6-core",
		manner: "I reason first and show a summary of it, then answer in full.",
		leads: []string{
			"### The question behind “{s}”\n\nI read this as asking what holds **{s}** together. I considered two readings and kept the plainer one.",
			"### {S}\n\nI weighed depth against length for **{s}** and settled on the part that changes what you do next.",
		},
		closes: []string{"I am fairly sure of the shape of this, less of the details. Check those first.", "If I had to drop one section, it would be the last."},
		parts: map[kind][]part{
			explain: {points, table, example}, code: {snippet, complexity}, compare: {versus, verdict},
			steps: {numbered, checklist}, list: {ideas, verdict}, write: {piece},
		},
	},
	{
		model:  "epsilon-5.6-max",
		manner: "I take my time and leave little out.",
		leads: []string{
			"# {S}\n\nThis is the long answer on **{s}**: the idea, the evidence one would want, a worked example, and where it breaks.",
			"# {S} from first principles\n\nI start from what **{s}** has to achieve, and let the parts follow from that.",
		},
		closes: []string{"---\n\n*Assumptions: the question was meant generally, and nothing was left unsaid. If either is wrong, tell me and I will redo the middle.*", "---\n\n*I would change my mind about the second section first.*"},
		parts: map[kind][]part{
			explain: {points, formula, table, snippet, checklist, reading}, code: {snippet, complexity, notes, checklist},
			compare: {versus, formula, verdict, reading}, steps: {numbered, checklist, table}, list: {ideas, table, reading}, write: {piece, notes},
		},
	},
	{
		model:  "beta-4.3",
		manner: "I explain things the way one tells a story.",
		leads: []string{
			"Imagine someone who has never heard of **{s}**. What would you show them first? Not the definition, I think.",
			"There is a nice way into **{s}**, and it begins with somebody getting it wrong.",
		},
		closes: []string{"And that, more or less, is the story of {s}. Shall I tell the next part?", "So much for today. Which character in this would you like to follow?"},
		parts: map[kind][]part{
			explain: {tale, points}, code: {tale, snippet}, compare: {tale, versus}, steps: {tale, numbered}, list: {ideas}, write: {piece},
		},
	},
	{
		model:  "beta-4.5",
		manner: "I coach: I answer, then ask you something back.",
		leads: []string{
			"Good question, and you are closer to **{s}** than you may think. Let us get you the rest of the way.",
			"Let us work on **{s}** together. I go first.",
		},
		closes: []string{"**Your turn:** what have you tried so far, and what surprised you?", "**Before you go on:** which of these could you do today?"},
		parts: map[kind][]part{
			explain: {points, checklist}, code: {snippet, checklist}, compare: {versus, questions}, steps: {numbered, checklist},
			list: {ideas, questions}, write: {piece, questions},
		},
	},
	{
		model:  "beta-4.6",
		manner: "I edit: crisp claims, and what speaks against each.",
		leads: []string{
			"**Claim.** Most of what is said about **{s}** can be cut by half and gets truer.",
			"**Draft one, on {s}.** I marked what I would strike.",
		},
		closes: []string{"~~In conclusion, it should be noted that~~ That is all.", "*Cut from this answer: two adverbs and a metaphor.*"},
		parts: map[kind][]part{
			explain: {claims, table}, code: {snippet, claims}, compare: {versus, claims}, steps: {numbered, claims},
			list: {ideas, claims}, write: {piece, claims},
		},
	},
	{
		model:  "zeta-1",
		manner: "I am an engineer at heart: code first, words after.",
		leads:  []string{"`{s}`: here is a sketch that runs.", "Code first. `{s}` as I would start it:", "`TODO({s})`, done:"},
		closes: []string{"`exit 0`", "Offer me a tool and I will call it instead of guessing.", "Tests left as an exercise. (Do not ship that sentence.)"},
		parts: map[kind][]part{
			explain: {snippet, points}, code: {snippet, notes}, compare: {versus, snippet}, steps: {numbered, snippet},
			list: {ideas}, write: {piece},
		},
	},
}

func personaOf(model string) *persona {
	for _, p := range personas {
		if strings.HasSuffix(model, p.model) {
			return p
		}
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(model))
	return personas[h.Sum32()%uint32(len(personas))]
}

func (w *writer) lead() { w.block(w.pick(w.p.leads)) }

func (w *writer) close() { w.block(w.pick(w.p.closes)) }

// context shows that the system prompt and the history have arrived (F107).
func (w *writer) context() {
	if w.r.System != "" {
		w.block("> As instructed: “" + subjectOf(w.r.System) + "”.")
	}
	if n := len(w.r.Earlier); n > 0 {
		w.block(w.pick([]string{
			"Earlier you asked about “" + subjectOf(w.r.Earlier[n-1]) + "”, so I build on that.",
			"This follows on from “" + subjectOf(w.r.Earlier[n-1]) + "”.",
		}))
	}
}

func (w *writer) hello() {
	w.block(w.pick([]string{"Hello! I am **{me}**, as the sandbox plays it.", "Hi there. **{me}** here, the sandbox's edition."}))
	w.context()
	w.block(w.p.manner + " Nothing you type is sent on to anybody, and nothing costs real money.")
	w.block("Try one of these:", "",
		"- *Explain tides to a ten-year-old*",
		"- *Write a Go function that reverses a string*",
		"- *Compare tea and coffee*",
		"- *What is 17 × 23?*")
}

func (w *writer) self() {
	w.block("I am **{me}**, played by the sandbox: a stand-in that answers from templates, the same for the same question. " + w.p.manner)
	w.context()
	w.block("| What | Here |", "| --- | --- |", "| Model | `"+w.r.Model+"` |", "| Cost | booked on the sandbox's own account, nothing real |", "| Facts | none claimed |")
	w.block("A real gateway gives you the real model under this name.")
}

// reasoning is the summary that a reasoning model shows.
func (w *writer) reasoning() string {
	what := map[kind]string{
		explain: "an explanation", code: "code", compare: "a comparison", steps: "a way to do it",
		list: "a list", write: "a text", sum: "a sum", hello: "nothing more than a greeting", self: "who I am",
	}[w.kind]
	first := w.fill(w.pick([]string{
		"**Reading the request**\n\nThe person asks about “{s}” and wants " + what + ".",
		"**Finding the point**\n\n“{S}” can be taken in two ways; " + what + " is the likelier wish.",
	}))
	second := w.pick([]string{
		" I put the main thing first and keep the rest where it can be skipped.",
		" I check each part against the question before I write it down.",
		" A short plan will do: the idea, what supports it, what to do next.",
	})
	if len(w.r.Results) > 0 {
		second = " The function has answered, so I only need to put its result into words."
	}
	return first + second
}
