// Package transfer is the one door through which conversations and the library
// leave the store and come back: [Transfer] exports them to a file of JSON and
// imports that. It knows the file and what may be in it; the rows are chat's.
package transfer

import (
	"screentest/shared/wire"
)

// The format of exported files.
const (
	exportFormat  = "screentest.conversations"
	exportVersion = 1
)

// Bounds of an import beside those of wire.
const (
	maxImportedConversations = 20_000
	maxImportedText          = 8 << 20             // bytes of one message, the arguments of its calls included, as in an answer that is read
	maxImportedProblem       = 64 << 10            // bytes of an answer's problem
	maxCalls                 = 1024                // of one answer
	maxModels                = 4096                // bytes of wire.Summary.Models
	maxBasis                 = 1000                // bytes of how a cost came about
	maxTime                  = 253_402_300_799_999 // the last millisecond of the year 9999
)

// A file is an exported file, version 1:
//
//	{
//	  "format": "screentest.conversations", "version": 1, "exported_ms": …,
//	  "conversations": [{
//	    "id": UUID, "title": …, "pinned": true, "models": …, "created_ms": …, "updated_ms": …,
//	    "lanes": {"blind": true, "lanes": [{"model": …, "params": {…}, "leaf": UUID}]},
//	    "messages": [{
//	      "id": UUID, "parent": UUID, "lane": 0, "role": "user"|"assistant"|"tool", "text": …,
//	      "created_ms": …, "tool_call": …, "tool": …, "images": [{"id": SHA-256, "type": …, "width": …, "height": …, "bytes": …}],
//	      "run": {"id": UUID, "endpoint": "chat"|"responses", "model": …, "answered": …,
//	        "state": "done"|"stopped"|"failed"|"incomplete"|"interrupted", "finish": …, "problem": {…},
//	        "started_ms": …, "first_token_ms": …, "duration_ms": …, "input_tokens": …, "output_tokens": …,
//	        "cost_nano_usd": …, "basis": …, "cost_source": …, "calls": [{"id": …, "name": …, "arguments": …}]}
//	    }],
//	    "votes": [{"message": UUID, "winner": UUID, "models": […], "bad": true, "tags": […], "blind": true, "vote_ms": …}],
//	    "images": [{"id": SHA-256, "data": base64}]
//	  }],
//	  "library": [{"id": UUID, "kind": "prompt"|"settings", "name": …, "text": …, "family": …, "params": {…}, "updated_ms": …}]
//	}
//
// Times are Unix milliseconds, costs nano-USD. Messages stand in their order,
// so that a parent comes before its children; an answer has its newest run, but
// for one that a person wrote, and one that is being written counts as interrupted. What is empty may be
// left out; lanes, votes and library may be missing. There is no key in it, and
// neither the gateway's bytes nor the requests: those are in a backup.
//
// Importing gives the ids anew to a conversation of which one is in use, and
// books nothing: what a run is said to have cost is shown, and is in no total. A
// vote that is imported is in no team's ranking. Of an image its id and data count.
type file struct {
	Format        string                 `json:"format"`
	Version       int                    `json:"version"`
	ExportedMS    int64                  `json:"exported_ms,omitempty"`
	Conversations []transferConversation `json:"conversations"`
	Library       []wire.LibraryEntry    `json:"library,omitempty"`
}

// transferConversation has messages last but for votes: they are written one
// page at a time.
type transferConversation struct {
	ID        string            `json:"id"`
	Title     string            `json:"title"`
	Pinned    bool              `json:"pinned,omitempty"`
	Models    string            `json:"models,omitempty"`
	CreatedMS int64             `json:"created_ms"`
	UpdatedMS int64             `json:"updated_ms"`
	Lanes     *transferLanes    `json:"lanes,omitempty"`
	Messages  []transferMessage `json:"messages"`
	Votes     []transferVote    `json:"votes,omitempty"`
	Images    []transferImage   `json:"images,omitempty"`
}

// transferImage is an image with its bytes, once in a conversation.
type transferImage struct {
	ID   string `json:"id"`
	Data []byte `json:"data"`
}

type transferLanes struct {
	Blind bool        `json:"blind,omitempty"`
	Lanes []wire.Lane `json:"lanes"`
}

type transferMessage struct {
	ID        string       `json:"id"`
	Parent    string       `json:"parent,omitempty"`
	Lane      int          `json:"lane,omitempty"`
	Role      string       `json:"role"`
	Text      string       `json:"text,omitempty"`
	CreatedMS int64        `json:"created_ms"`
	ToolCall  string       `json:"tool_call,omitempty"`
	Tool      string       `json:"tool,omitempty"`
	Images    []wire.Image `json:"images,omitempty"`
	Run       *transferRun `json:"run,omitempty"`
}

type transferRun struct {
	ID           string          `json:"id"`
	Lane         int             `json:"lane,omitempty"`
	Endpoint     string          `json:"endpoint"`
	Model        string          `json:"model"`
	Answered     string          `json:"answered,omitempty"`
	State        wire.RunState   `json:"state"`
	Finish       string          `json:"finish,omitempty"`
	Problem      *wire.Problem   `json:"problem,omitempty"`
	StartedMS    int64           `json:"started_ms"`
	FirstTokenMS int64           `json:"first_token_ms,omitempty"`
	DurationMS   int64           `json:"duration_ms,omitempty"`
	InputTokens  int64           `json:"input_tokens,omitempty"`
	OutputTokens int64           `json:"output_tokens,omitempty"`
	CostNanoUSD  int64           `json:"cost_nano_usd,omitempty"`
	Basis        string          `json:"basis,omitempty"`
	CostSource   string          `json:"cost_source,omitempty"`
	Calls        []wire.ToolCall `json:"calls,omitempty"`
}

type transferVote struct {
	Message string   `json:"message"`
	Winner  string   `json:"winner,omitempty"`
	Models  []string `json:"models"`
	Bad     bool     `json:"bad,omitempty"`
	Tags    []string `json:"tags,omitempty"`
	Blind   bool     `json:"blind,omitempty"`
	VoteMS  int64    `json:"vote_ms"`
}

// exportedMessage is m as the file has it.
func exportedMessage(m wire.Message) transferMessage {
	out := transferMessage{ID: m.ID, Parent: m.Parent, Lane: m.Lane, Role: m.Role, Text: m.Text, CreatedMS: m.CreatedMS, ToolCall: m.ToolCall, Tool: m.Tool, Images: m.Images}
	if r := m.Run; r != nil {
		out.Run = &transferRun{ID: r.ID, Lane: r.Lane, Endpoint: r.Endpoint, Model: r.Model, Answered: r.Answered, State: r.State, Finish: r.Finish,
			Problem: r.Problem, StartedMS: r.StartedMS, FirstTokenMS: r.FirstTokenMS, DurationMS: r.DurationMS,
			InputTokens: r.InputTokens, OutputTokens: r.OutputTokens, CostNanoUSD: r.CostNanoUSD, Basis: r.Basis, CostSource: r.CostSource, Calls: r.Calls}
		if r.State == wire.Running {
			out.Run.State = wire.Interrupted
		}
	}
	return out
}

// message is m as it was exported, its ids by their names here.
func (m transferMessage) message(name func(string) string) wire.Message {
	out := wire.Message{ID: name(m.ID), Lane: m.Lane, Role: m.Role, Text: m.Text, CreatedMS: m.CreatedMS, ToolCall: m.ToolCall, Tool: m.Tool, Images: m.Images}
	if m.Parent != "" {
		out.Parent = name(m.Parent)
	}
	if r := m.Run; r != nil {
		out.Run = &wire.Run{ID: name(r.ID), Lane: r.Lane, Endpoint: r.Endpoint, Model: r.Model, Answered: r.Answered, State: r.State, Finish: r.Finish,
			Problem: r.Problem, StartedMS: r.StartedMS, FirstTokenMS: r.FirstTokenMS, DurationMS: r.DurationMS,
			InputTokens: r.InputTokens, OutputTokens: r.OutputTokens, CostNanoUSD: r.CostNanoUSD, Basis: r.Basis, CostSource: r.CostSource, Calls: r.Calls}
	}
	return out
}
