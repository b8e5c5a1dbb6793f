// Package wire is what the browser and the server say to each other over the
// one WebSocket of a tab.
//
// Text messages are JSON: the browser sends a [Call], the server a [Push],
// which is either the answer to a call or news of its own. Binary messages,
// server to browser only, are stretches of a run's log: see [LogFrame].
//
// A key never travels here: it is posted once over HTTP (see the bff package).
package wire

import (
	"encoding/json"
	"strings"
)

// Limits of a message, in bytes. The server closes a socket that passes them
// with status 1009.
const (
	// MaxCall bounds one message from the browser. It leaves room for a
	// request body of MaxBody and its envelope.
	MaxCall = MaxBody + 64<<10
	// MaxBody bounds the gateway request inside a Start.
	MaxBody = 4 << 20
	// MaxLogFrame bounds the log bytes in one binary message.
	MaxLogFrame = 64 << 10
)

// Path is where the socket is served.
const Path = "/ws"

// Op names what a Call asks for.
type Op string

// The calls, with what they take and give.
const (
	OpConversations Op = "conversations" // Page → ConversationPage, newest first
	OpOpen          Op = "open"          // Page with Conversation → Opened
	OpRename        Op = "rename"        // Rename → Summary
	OpDelete        Op = "delete"        // Target → nothing
	OpStart         Op = "start"         // Start → Run
	OpStop          Op = "stop"          // Target → nothing; the run's end follows as a Push
	OpRead          Op = "read"          // Read → Run; LogFrames follow until the log's end
	OpUnread        Op = "unread"        // Target → nothing
	OpPing          Op = "ping"          // nothing → nothing: is the line still there
)

// A Call is a request of the browser. ID is chosen by the browser, above 0 and
// not used twice on one socket; the answer carries it.
type Call struct {
	ID   uint64          `json:"id"`
	Op   Op              `json:"op"`
	Args json.RawMessage `json:"args,omitempty"`
}

// Event names a Push that answers no call.
type Event string

// The news the server sends of its own.
const (
	EventHello        Event = "hello"        // Hello: first on every socket, and again when the gateway's state changes
	EventConversation Event = "conversation" // Summary: made or changed
	EventDeleted      Event = "deleted"      // Target: a conversation is gone
	EventRun          Event = "run"          // Run: started or ended, in any tab of the owner
	EventMissed       Event = "missed"       // nothing: some news may not have come; a Hello follows
)

// A Push is a message of the server: the answer to the call ID, or, with ID 0,
// the news Event. An answer has either Data or Problem.
type Push struct {
	ID      uint64          `json:"id,omitempty"`
	Event   Event           `json:"event,omitempty"`
	Data    json.RawMessage `json:"data,omitempty"`
	Problem *Problem        `json:"problem,omitempty"`
}

// CodeNoAnswer is the Problem of a call of which it is not known whether it was done.
// A call that names what it makes may be made again: it is done once.
const CodeNoAnswer = "no_answer"

// A Problem is an error as a person reads it: what happened, why, what to do.
type Problem struct {
	Code    string   `json:"code"`              // stable, for programs: "wrong_endpoint", "gateway_silent"
	Message string   `json:"message"`           // one or two sentences
	Hint    string   `json:"hint,omitempty"`    // what to do
	Field   string   `json:"field,omitempty"`   // the request field it concerns
	Allowed []string `json:"allowed,omitempty"` // the values that would do
	Status  int      `json:"status,omitempty"`  // the gateway's HTTP status, if one came
	Request string   `json:"request,omitempty"` // the gateway's request id, for its support
	Raw     string   `json:"raw,omitempty"`     // the start of the body as it came, for the inspector
	// RetryAfterMS is how long the gateway asks to wait before a retry, in
	// milliseconds; 0 where it does not ask.
	RetryAfterMS int64 `json:"retry_after_ms,omitempty"`
}

func (p *Problem) Error() string {
	if p.Field != "" {
		return p.Code + ": " + p.Field + ": " + p.Message
	}
	return p.Code + ": " + p.Message
}

// Words are what is wrong, and what to do, as a person reads them.
func (p *Problem) Words() string { return strings.TrimSpace(p.Message + " " + p.Hint) }

// Hello tells a tab where it is.
type Hello struct {
	Build     string          `json:"build"`     // of the server; another than the page's own means: offer a reload
	Gateway   Gateway         `json:"gateway"`   // the one configured
	Catalogue json.RawMessage `json:"catalogue"` // what gateway.ParseCatalogue reads
	// FlushMS is how often a running log reaches the disk: what a kill can
	// cost, in milliseconds.
	FlushMS int64 `json:"flush_ms"`
	// Me is who is signed in, and Charges what they may charge a send to; both
	// are empty where there are no accounts.
	Me      *Me      `json:"me,omitempty"`
	Charges []Charge `json:"charges,omitempty"`
	// OwnKeys says that the person may enter a key of their own, beside those
	// of their teams.
	OwnKeys bool `json:"own_keys,omitempty"`
	// LinkShares says that one may share by a link that needs no account.
	LinkShares bool `json:"link_shares,omitempty"`
}

// Gateway is the configured gateway as a person may see it. Of the key only
// the last four characters ever leave the server.
type Gateway struct {
	Sandbox  bool   `json:"sandbox"`
	BaseURL  string `json:"base_url"`
	HasKey   bool   `json:"has_key"`
	KeyLast4 string `json:"key_last4,omitempty"`
	// KeyRefused: the gateway has answered the last call that it judged the key
	// in with a 401.
	KeyRefused bool `json:"key_refused,omitempty"`
	// Fixed: it was chosen when the server was started, and not in the page.
	Fixed bool `json:"fixed,omitempty"`
	// Keyless: it asks for no key.
	Keyless bool `json:"keyless,omitempty"`
	// Met: it was reached since the server started.
	Met bool `json:"met,omitempty"`
	// Down says why it can't be reached, since DownMS; "" and 0 where it can, or
	// nothing was asked of it yet.
	Down   string `json:"down,omitempty"`
	DownMS int64  `json:"down_ms,omitempty"`
	// StreamOptions asks for stream_options.include_usage on chat streams (G9).
	StreamOptions bool `json:"stream_options"`
}

// Page asks for part of a list. Before is an opaque cursor from an earlier
// page; empty means from the newest. Limit 0 means the server's default.
type Page struct {
	Conversation string `json:"conversation,omitempty"`
	Before       string `json:"before,omitempty"`
	// After is the cursor Opened.After of an earlier page: the messages that
	// come next. Around is the id of a message: the page has it in its middle.
	// Of Before, After and Around one may be given; both are for OpOpen alone.
	After  string `json:"after,omitempty"`
	Around string `json:"around,omitempty"`
	Limit  int    `json:"limit,omitempty"`
}

// Target names one run or one conversation.
type Target struct {
	ID string `json:"id"`
}

// Rename gives a conversation a title of 1 to 200 characters.
type Rename struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

// Start sends one turn of one lane. All ids are UUIDs made by the browser, so
// that a call repeated after a lost socket is the same run and not a second one.
type Start struct {
	Run          string `json:"run"`
	Conversation string `json:"conversation"` // made if it is new
	Lane         int    `json:"lane"`         // 0 is the first
	// Before are messages that come before User and are stored with it, each
	// if its ID is new: of several function results all but the last. Each
	// names the one before it as its Parent, and User the last; at most
	// MaxBefore.
	Before []Message `json:"before,omitempty"`
	// User is the message to answer; the server stores it if its ID is new.
	// A retry or another version of the answer names the same message again;
	// a message edited and sent again is a new one with the same Parent.
	// With the role "tool" it is the result of a call in the assistant
	// message that it follows, directly or after other results; at most
	// MaxRounds such rounds follow a message of the person's.
	User Message `json:"user"`
	// Answer is the id of the assistant message that the run will fill.
	Answer   string `json:"answer"`
	Endpoint string `json:"endpoint"` // gateway.Endpoint: "chat" or "responses"
	// Switched: the gateway has refused the endpoint that the catalogue names
	// for the model, and the person goes to the other one (F116).
	Switched bool `json:"switched,omitempty"`
	// Charge is what the send is charged to, a Charge's ID.
	Charge string `json:"charge,omitempty"`
	// Read asks for the run's log too, from its first byte on, as OpRead does: the
	// first words need not wait for another call. A run that has ended
	// already is answered without it.
	Read bool            `json:"read,omitempty"`
	Body json.RawMessage `json:"body"` // sent to the gateway as it stands, at most MaxBody; it stays the last, see verbatim.go
}

// Read asks for a run's log from byte From on.
type Read struct {
	Run  string `json:"run"`
	From int64  `json:"from"`
}

// Summary is a conversation in the list.
type Summary struct {
	ID          string  `json:"id"`
	Title       string  `json:"title"`
	Models      string  `json:"models"` // of the latest turn, comma separated
	CostNanoUSD int64   `json:"cost_nano_usd"`
	Estimated   bool    `json:"estimated,omitempty"` // some of the cost is an estimate
	Running     int     `json:"running,omitempty"`   // runs under way
	Pinned      bool    `json:"pinned,omitempty"`    // kept above the others
	Blind       bool    `json:"blind,omitempty"`     // the names of its models are hidden until a vote
	Copied      *Copied `json:"copied,omitempty"`    // of whose it is a copy
	CreatedMS   int64   `json:"created_ms"`          // Unix milliseconds
	UpdatedMS   int64   `json:"updated_ms"`
}

// ConversationPage is a stretch of the list; Before is empty at its end.
type ConversationPage struct {
	Conversations []Summary `json:"conversations"`
	// Pinned are all pinned ones, the last changed first, on the first page
	// only. Each is met again at its place among the others.
	Pinned []Summary `json:"pinned,omitempty"`
	Before string    `json:"before,omitempty"`
}

// Opened is a conversation with a page of its messages, oldest first; Before
// fetches earlier ones and After later ones, each empty when there are none.
type Opened struct {
	Summary  Summary   `json:"summary"`
	Messages []Message `json:"messages"`
	Before   string    `json:"before,omitempty"`
	After    string    `json:"after,omitempty"`
	Lanes    *Lanes    `json:"lanes,omitempty"` // nil where none were ever set
	Votes    []Vote    `json:"votes,omitempty"` // on messages of this page
}

// Message is one message of a conversation. Parent is the message it follows,
// "" for the first; two children of one parent are versions or lanes.
type Message struct {
	ID     string `json:"id"`
	Parent string `json:"parent,omitempty"`
	Lane   int    `json:"lane,omitempty"`
	Role   string `json:"role"` // "user", "assistant", "tool"
	Text   string `json:"text"` // of a running answer: "" (read the log)
	// Images go with a message of the person's, at most MaxImages.
	Images    []Image `json:"images,omitempty"`
	CreatedMS int64   `json:"created_ms"`
	// Run is the newest run that filled an assistant message; one that has none was
	// written by a person.
	Run *Run `json:"run,omitempty"`
	// Of a message with the role "tool", whose Text is the result: the id of
	// the call and the name of the function.
	ToolCall string `json:"tool_call,omitempty"`
	Tool     string `json:"tool,omitempty"`
}

// RunState is how far a run is.
type RunState string

// The states. All but Running are final.
const (
	Running     RunState = "running"
	Done        RunState = "done"
	Stopped     RunState = "stopped"     // by the person; the text so far is kept
	Failed      RunState = "failed"      // see Run.Problem; the text so far is kept
	Incomplete  RunState = "incomplete"  // ended by the model's limit; see Run.Finish
	Interrupted RunState = "interrupted" // the server ended in mid-stream; text kept to the last flush
)

// Run is one call of the gateway.
type Run struct {
	ID           string   `json:"id"`
	Conversation string   `json:"conversation"`
	Message      string   `json:"message"` // the assistant message it fills
	Lane         int      `json:"lane,omitempty"`
	Endpoint     string   `json:"endpoint"`
	Model        string   `json:"model"`              // asked for
	Answered     string   `json:"answered,omitempty"` // the model that the reply names
	State        RunState `json:"state"`
	Finish       string   `json:"finish,omitempty"` // the gateway's finish reason
	Problem      *Problem `json:"problem,omitempty"`
	ContentType  string   `json:"content_type,omitempty"` // of the reply: event stream or JSON (F28)
	Bytes        int64    `json:"bytes"`                  // length of the log so far

	StartedMS    int64 `json:"started_ms"`               // Unix milliseconds
	FirstTokenMS int64 `json:"first_token_ms,omitempty"` // after the start
	DurationMS   int64 `json:"duration_ms,omitempty"`    // whole run, once it ended

	InputTokens  int64  `json:"input_tokens,omitempty"`
	OutputTokens int64  `json:"output_tokens,omitempty"`
	CostNanoUSD  int64  `json:"cost_nano_usd,omitempty"`
	Basis        string `json:"basis,omitempty"`       // "31 in × $1.25/M + 118 out × $10/M"
	CostSource   string `json:"cost_source,omitempty"` // "reported", "estimated", "" where there is no cost
	// Team is the id of the team that pays, PaidBy the label of the key; both
	// are "" where there are no accounts.
	Team   string `json:"team,omitempty"`
	PaidBy string `json:"paid_by,omitempty"`

	// What an ended run brought besides its text. The calls are here; reasoning
	// and sources are read from the log, which is worth it where these are not 0.
	Calls          []ToolCall `json:"calls,omitempty"`
	ReasoningBytes int64      `json:"reasoning_bytes,omitempty"`
	Sources        int        `json:"sources,omitempty"` // web searches and citations
}

// TokensEstimated stands in the Basis of a run of which the gateway reported no
// tokens, before how they were counted.
const TokensEstimated = "tokens estimated by "

// Estimated says that the run's tokens are an estimate, also where no price is
// known for them.
func (r *Run) Estimated() bool {
	return r.CostSource == "estimated" || strings.Contains(r.Basis, TokensEstimated)
}

// ToolCall is a function that a model wants called.
type ToolCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"` // JSON text as the model wrote it, unchecked
}
