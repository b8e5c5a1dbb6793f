package wire

import (
	"encoding/json"
	"slices"
	"strings"
)

// The calls of chat, with what they take and give. Whatever changes
// something tells the owner's other tabs by the event named behind it.
const (
	OpPin           Op = "pin"            // Pin → Summary; EventConversation
	OpMessages      Op = "messages"       // MessageQuery → Messages
	OpOutline       Op = "outline"        // Target, a conversation → Outline
	OpLanes         Op = "lanes"          // Lanes → Lanes; EventLanes
	OpWrite         Op = "write"          // Written → Summary; EventConversation
	OpVote          Op = "vote"           // Vote → Vote; EventVote
	OpSearch        Op = "search"         // Search → SearchPage
	OpLibrary       Op = "library"        // nothing → Library
	OpLibraryPut    Op = "library_put"    // LibraryEntry → LibraryEntry; EventLibrary
	OpLibraryDelete Op = "library_delete" // Target → nothing; EventLibrary
	OpRunRequest    Op = "run_request"    // Target, a run → RunRequest
	OpRunTimes      Op = "run_times"      // Target, a run → RunTimes
)

// The news of chat. They go to all tabs of the owner, the one that
// made the change among them.
const (
	EventLanes    Event = "lanes"    // Lanes
	EventVote     Event = "vote"     // Vote
	EventLibrary  Event = "library"  // LibraryEntry; Deleted says that it is gone
	EventImported Event = "imported" // Imported: load the lists again
)

// Addresses of conversations as files: GET, and POST for the last. A
// conversation is at ExportPath + id + ".json" or ".md". Import takes one of
// the JSON files as the request's body (application/json, at most MaxImport),
// or as the part "file" of a multipart form, and answers with Imported or a
// Problem.
const (
	ExportPath    = "/api/conversations/"
	ExportAllPath = "/api/export.json"
	ImportPath    = "/api/import"
)

// Bounds of chat. What passes one is refused with a Problem that says
// so.
const (
	MaxLanes    = 6
	MaxParams   = 64 << 10 // bytes of the parameters of a lane, or of saved settings
	MaxBefore   = 128      // messages in Start.Before
	MaxRounds   = 8        // function results sent back after one message of the person's
	MaxToolName = 256      // bytes of a call's id or a function's name
	MaxPinned   = 100      // conversations
	MaxQuery    = 1 << 10  // bytes of Search.Query
	MaxHits     = 100      // on a page
	MaxOfIDs    = 500      // ids in a MessageQuery
	MaxName     = 100      // characters of a library entry's name
	MaxPrompt   = 100 << 10
	MaxEntries  = 1000    // in a library
	MaxLibrary  = 4 << 20 // bytes of texts and parameters in a library
	MaxImport   = 64 << 20
	MaxImported = 100_000 // messages in an import
	MaxRunTimes = 200_000 // entries of RunTimes; of more, neighbours are joined
	uuidLen     = 36
)

// CodeNoRequest is the Problem of an OpRunRequest whose request is not kept.
const CodeNoRequest = "no_request"

// Pin pins a conversation or lets it go.
type Pin struct {
	ID     string `json:"id"`
	Pinned bool   `json:"pinned"`
}

// MessageQuery asks for messages of a conversation by their ids, in any order.
// Those that are not there are left out of the answer.
type MessageQuery struct {
	Conversation string   `json:"conversation"`
	IDs          []string `json:"ids"`
}

// Messages are those asked for, in the order of the conversation. There may be
// fewer than asked for: an answer has at most some 4 MiB of text, and at least
// one message. Ask again for the rest.
type Messages struct {
	Messages []Message `json:"messages"`
}

// Outline is the shape of a whole conversation without its text: one entry a
// message in each of its lists, in the order of the conversation. 10 000
// messages are some 500 KB.
type Outline struct {
	Conversation string `json:"conversation"`
	IDs          string `json:"ids"`     // 36 characters each; see ID
	Parents      []int  `json:"parents"` // places in these lists; -1: none
	Roles        string `json:"roles"`   // a letter each: u(ser), a(ssistant), t(ool), s(ystem)
	Lanes        []int  `json:"lanes"`
	Lengths      []int  `json:"lengths"` // of the texts, in bytes; of a running answer 0
}

// Len is how many messages there are.
func (o Outline) Len() int { return len(o.Parents) }

// ID is the id of the message at place i.
func (o Outline) ID(i int) string { return o.IDs[i*uuidLen : (i+1)*uuidLen] }

// Written is a message that a person puts into the history themselves: as theirs,
// or as an answer, which then has no run. No model is asked, and nothing is booked.
// Written twice it is one message. Other tabs find it by the lanes that lead to it.
type Written struct {
	Conversation string `json:"conversation"` // made if it is new
	// Message has the role "user" or "assistant" and a text of 1 to MaxBody bytes.
	// Its Parent is a message of the conversation that is not being written.
	Message Message `json:"message"`
}

// Lanes are what a conversation is shown in, kept by the server so that all
// tabs and devices show the same. The last change counts.
type Lanes struct {
	Conversation string `json:"conversation"`
	Lanes        []Lane `json:"lanes"`           // 1 to MaxLanes
	Blind        bool   `json:"blind,omitempty"` // names are hidden until a vote
	// Rev counts the changes and is set by the server: of two news the one
	// with the higher Rev is the later.
	Rev int64 `json:"rev"`
}

// Models are the models of the lanes, each once, as Summary has them.
func (l Lanes) Models() string {
	var models []string
	for _, lane := range l.Lanes {
		if lane.Model != "" && !slices.Contains(models, lane.Model) {
			models = append(models, lane.Model)
		}
	}
	return strings.Join(models, ", ")
}

// Listed are the models that the list has of a conversation with these lanes.
// Those of several lanes are compared, whichever was asked last. With one lane
// they are those that were asked, now, unless others were compared before.
func (l Lanes) Listed(now string) string {
	if models := l.Models(); models != "" && (len(l.Lanes) > 1 || strings.Contains(now, ", ")) {
		return models
	}
	return now
}

// Lane is one of them.
type Lane struct {
	Model string `json:"model"`
	// Params are the lane's parameters, a JSON object of at most MaxParams
	// that only the browser reads.
	Params json.RawMessage `json:"params,omitempty"`
	// Leaf is the id of the last message of the branch that is shown, "" for
	// none yet. It need not be stored yet.
	Leaf string `json:"leaf,omitempty"`
}

// Vote says which answer to a message was the best. A message has one vote;
// another replaces it.
type Vote struct {
	Conversation string `json:"conversation"`
	Message      string `json:"message"` // the person's, whose answers were compared
	Winner       string `json:"winner"`  // id of the best answer, "" for a tie
	// Models are the models compared, 2 to MaxLanes, in the order of the lanes.
	Models []string `json:"models"`
	// Answers are the ids of the answers compared, in the order of the lanes. They
	// are asked with, and not told again; without them a vote is in no ranking.
	Answers []string `json:"answers,omitempty"`
	Bad     bool     `json:"bad,omitempty"`  // there is no winner, because no answer was good enough
	Tags    []string `json:"tags,omitempty"` // see CleanTags
	// Set by the server: whether the names of the models were hidden, the id of the
	// team that paid for all answers, if one did, and when, in Unix milliseconds.
	Blind  bool   `json:"blind,omitempty"`
	Team   string `json:"team,omitempty"`
	VoteMS int64  `json:"vote_ms"`
}

// Kinds of what a search finds.
const (
	HitQuestion = "question" // a message of the person's
	HitAnswer   = "answer"
	HitTool     = "tool"  // a call's name and arguments, or its result
	HitError    = "error" // what went wrong with an answer
	HitTitle    = "title" // of a conversation
	HitVideo    = "video" // a video task, by its prompt, title, tags or model
)

// Search looks through everything that was sent and received: questions,
// answers, function calls and results, names of models, errors and titles, and
// videos by their prompts, titles and tags. Reasoning is not looked through.
//
// The words of Query must all occur in what is found, in any order and with
// any accents and capitals. The last one may be a beginning, unless something
// follows it: where it fills a page as a whole word, beginnings are not looked
// for. Words in double quotes must stand together. With no word in it
// everything that passes the filters is found. An empty filter passes all.
// Of a text the first MiB is looked through.
type Search struct {
	Query        string   `json:"query"`
	Kinds        []string `json:"kinds,omitempty"` // HitQuestion, …; none means all
	Conversation string   `json:"conversation,omitempty"`
	// Model is the one asked for and State that of the answer's run, or of the
	// video's task (Failed finds all that did not come to a clip): both, and a
	// cost, leave only answers with their calls and errors, and videos.
	Model  string   `json:"model,omitempty"`
	State  RunState `json:"state,omitempty"`
	FromMS int64    `json:"from_ms,omitempty"`
	ToMS   int64    `json:"to_ms,omitempty"` // up to but not including
	// MinNanoUSD and MaxNanoUSD bound what an answer or a video cost, both
	// inclusive; returns are subtracted.
	MinNanoUSD *int64 `json:"min_nano_usd,omitempty"`
	MaxNanoUSD *int64 `json:"max_nano_usd,omitempty"`
	// Rank puts the best of the newest 500 first instead of the newest; there
	// is one page then.
	Rank   bool   `json:"rank,omitempty"`
	Before string `json:"before,omitempty"` // SearchPage.Before of the page before
	Limit  int    `json:"limit,omitempty"`  // 0: 20; at most MaxHits
}

// SearchPage is what was found, the newest first. Before is empty at the end:
// a page may be short, even empty, before it, where a filter passes little.
// Behind says that what was written last can't be found yet: there is very much
// of it, or the disk is full.
type SearchPage struct {
	Hits   []Hit  `json:"hits"`
	Before string `json:"before,omitempty"`
	Behind bool   `json:"behind,omitempty"`
}

// Hit is one thing that was found, at most one for a message. Open it with
// OpOpen and Page.Around; of a video there is only the task.
type Hit struct {
	Kind         string   `json:"kind"`
	Conversation string   `json:"conversation,omitempty"`
	Video        string   `json:"video,omitempty"` // a VideoTask's id; State is then that of the task
	Title        string   `json:"title"`
	Message      string   `json:"message,omitempty"` // "" for a title
	Run          string   `json:"run,omitempty"`
	Role         string   `json:"role,omitempty"`
	Lane         int      `json:"lane,omitempty"`
	Model        string   `json:"model,omitempty"` // "" while the names are hidden
	State        RunState `json:"state,omitempty"`
	// Snippet is part of the text, on one line; Marks are the places of the
	// words in it, as pairs of byte offsets, from and to, in order. A hit by
	// the model's name has none.
	Snippet     string `json:"snippet"`
	Marks       []int  `json:"marks,omitempty"`
	CreatedMS   int64  `json:"created_ms"`
	CostNanoUSD int64  `json:"cost_nano_usd,omitempty"`
	Estimated   bool   `json:"estimated,omitempty"`
	// Share is the share that shows one what is somebody else's, and By the name of
	// whose it is; Conversation, Run, Video and the cost are not told then. It is
	// opened at SharePath + Share + "#" + Message.
	Share string `json:"share,omitempty"`
	By    string `json:"by,omitempty"`
}

// Kinds of library entries.
const (
	LibraryPrompt   = "prompt"
	LibrarySettings = "settings"
)

// Library is all of a person's saved prompts and settings, by name.
type Library struct {
	Entries []LibraryEntry `json:"entries"`
}

// LibraryEntry is a saved prompt or saved settings. Its ID is a UUID made by
// the browser; putting one that is there replaces it.
type LibraryEntry struct {
	ID   string `json:"id"`
	Kind string `json:"kind"`
	Name string `json:"name"`           // 1 to MaxName characters
	Text string `json:"text,omitempty"` // of a prompt, with {{variables}}: at most MaxPrompt bytes
	// Of settings: the family that they are for and the parameters, a JSON
	// object of at most MaxParams that only the browser reads.
	Family    string          `json:"family,omitempty"`
	Params    json.RawMessage `json:"params,omitempty"`
	UpdatedMS int64           `json:"updated_ms"` // set by the server
	// Deleted is set in an EventLibrary: only ID counts then.
	Deleted bool `json:"deleted,omitempty"`
}

// RunRequest is what was sent to the gateway for a run, under way or not. The
// key is not in it. CodeNoRequest: an imported answer has none, and neither has one
// that is older than the Retention.
type RunRequest struct {
	Run       string `json:"run"`
	Endpoint  string `json:"endpoint"` // "chat" or "responses"
	Model     string `json:"model"`
	BaseURL   string `json:"base_url,omitempty"` // that it was sent to; "" where that was not kept
	Body      string `json:"body"`               // to the byte
	StartedMS int64  `json:"started_ms"`         // Unix milliseconds
	// What the reply's head told, once it has come.
	Status      int    `json:"status,omitempty"`     // HTTP
	RequestID   string `json:"request_id,omitempty"` // the gateway's, for its support
	ContentType string `json:"content_type,omitempty"`
}

// RunTimes says when each byte of a run's log came; of one under way, so far.
// The log itself is read by OpRead.
type RunTimes struct {
	Run       string `json:"run"`
	StartedMS int64  `json:"started_ms"` // Unix milliseconds
	Ended     bool   `json:"ended,omitempty"`
	// Reads are pairs, one for the bytes that came together: milliseconds
	// since the pair before (the first: since the start), and how many bytes.
	Reads []int64 `json:"reads"`
}

// All gives, for the bytes that came together, the offset behind the last of
// them and the milliseconds since the run's start.
func (t RunTimes) All(yield func(end, ms int64) bool) {
	var end, ms int64
	for i := 0; i+1 < len(t.Reads); i += 2 {
		ms += t.Reads[i]
		end += t.Reads[i+1]
		if !yield(end, ms) {
			return
		}
	}
}

// Imported says what an import brought.
type Imported struct {
	Conversations int `json:"conversations"`
	Messages      int `json:"messages"`
	Runs          int `json:"runs"`
	Votes         int `json:"votes,omitempty"`
	Entries       int `json:"entries,omitempty"` // of the library
	// Renewed is how many conversations got new ids, because theirs, or one of
	// a message or a run of theirs, was in use.
	Renewed int `json:"renewed,omitempty"`
	// Open is the id of the first conversation, to show it.
	Open string `json:"open,omitempty"`
}
