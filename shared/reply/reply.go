// Package reply reads what a gateway answers, in every shape that gateways
// really send: use a [Reader] for the reply to a text call, streamed or not,
// [ReadProblem] for an HTTP error, [ReadCreated] and [ReadTask] for video. The
// server and the browser read with the same code, from the same bytes.
//
// It is tolerant where the contract's client must be: what is unknown is
// ignored, what is missing is done without, what is malformed becomes a
// [wire.Problem] that says so to a person. Text that has come is never lost.
// Nothing that a gateway can send makes it panic or hold more than the limits
// below.
package reply

import (
	"strings"

	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// Limits of one reply. A reply that passes one of the first two ends with the
// problem CodeTooLong and keeps what came before.
const (
	// MaxBody bounds a JSON reply and one line of a stream, in bytes. The
	// events that end a responses stream repeat the whole answer, so a line
	// may be longer than what the stream decoder takes by default.
	MaxBody = 16 << 20
	// MaxAnswer bounds text, reasoning and arguments together, in bytes.
	MaxAnswer = 8 << 20
	// maxItems bounds the output items, calls, searches and citations, each.
	// More are ignored.
	maxItems = 1024
	// maxID bounds an id, name or reason, in bytes; longer ones are cut.
	maxID = 256
)

// State is how far an answer is.
type State string

// The states. All but Streaming are final.
const (
	Streaming  State = "streaming"
	Done       State = "done"
	Incomplete State = "incomplete" // ended by a limit of the model; see Answer.Finish
	Failed     State = "failed"     // see Answer.Problem; the text so far is kept
	// The end mark is missing (F43, F49), and nothing else said that the answer
	// was at its end; the text so far is kept.
	Truncated State = "truncated"
)

// An Answer is what a reply holds, as far as it has come. It grows while its
// Reader is pushed on; a [Reader] owns it, and nobody else writes to it.
type Answer struct {
	ID    string // of the reply
	Model string // that the reply names
	// Revision grows with every change, so that a page knows when to draw.
	Revision int
	// Replaced grows when text or reasoning that had been given is no longer
	// the beginning of what is given: then what was drawn must be drawn anew.
	// That happens at most at the end of an item and of the answer, where a
	// gateway's final text differs from its fragments.
	Replaced  int
	ToolCalls []*ToolCall
	Searches  []*Search
	Citations []Citation
	Usage     *gateway.Usage // nil while none is reported
	// Finish is the gateway's reason, in its words: "stop", "length",
	// "tool_calls", "content_filter", "max_output_tokens"; "" if it gave none.
	Finish  string
	Refused bool // the text, or part of it, is a refusal
	State   State
	// Problem says why State is Failed or Truncated. After another end it is a
	// remark: the answer is whole, the reply was not quite.
	Problem *wire.Problem

	text      strings.Builder
	reasoning strings.Builder
	size      int // bytes of text, reasoning and arguments, for the limit
	pieces    int // that these came in
	// stale says that text is to be put together again from the items.
	stale bool
	items []*item
}

// Text is the answer's text so far. It copies nothing.
func (a *Answer) Text() string {
	a.join()
	return a.text.String()
}

// TextLen is the length of Text in bytes.
func (a *Answer) TextLen() int {
	a.join()
	return a.text.Len()
}

// Reasoning is the model's reasoning so far, as far as the gateway shows it.
func (a *Answer) Reasoning() string { return a.reasoning.String() }

// Tokens estimates how many tokens have come so far, while no usage is
// reported. A gateway that streams sends a token at a time as a rule, so its
// pieces are counted as long as they are as short as tokens are; longer ones
// are taken for a token in four bytes, as is usual for English.
func (a *Answer) Tokens() int64 {
	const longest = 8 // bytes of a token, on average over an answer
	if a.size <= longest*a.pieces {
		return int64(a.pieces)
	}
	return int64(a.size+3) / 4
}

// Began says whether anything of the answer has come: text, reasoning, a call
// or a search.
func (a *Answer) Began() bool {
	return a.text.Len() > 0 || a.stale || a.reasoning.Len() > 0 || len(a.ToolCalls) > 0 || len(a.Searches) > 0
}

// A ToolCall is a function that the model wants called (F31, F47).
type ToolCall struct {
	ID   string // to name in the result
	Name string
	// Complete says that the arguments are whole.
	Complete bool

	args  strings.Builder
	index int64 // chat: its place in tool_calls; -1 where there was none
	item  string
}

// Arguments is what the function is to be called with: JSON text, unchecked,
// as far as it has come.
func (c *ToolCall) Arguments() string { return c.args.String() }

// A Search is a web search that the gateway makes for the model (F48).
type Search struct {
	ID      string
	Status  string   // "in_progress", "searching", "completed", "failed"
	Queries []string // empty while unknown
	Sources []string // http and https addresses

	index int64
}

// A Citation is a source that the answer names.
type Citation struct {
	URL   string // http or https
	Title string // may be empty
	// Start and End are places in the text of its message, in characters as
	// the gateway counts them: a hint, which may be out of range.
	Start, End int64
}
