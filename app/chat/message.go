package chat

import (
	"screentest/shared/gateway"
	"screentest/shared/reply"
	"screentest/shared/wire"
)

// Message is one message as this tab holds it.
type Message struct {
	wire.Message
	// Stream is the cursor into the log of the run that is filling it, or nil.
	Stream *Stream
	// Answer is what the whole log said, once it was read: the reasoning, the
	// calls, the citations. The text is in Text.
	Answer *reply.Answer
	// Rev grows with every change but that of a streaming text.
	Rev int
	// Stub says that only its place is known, of its text only the Size: see
	// Conversation.Need.
	Stub bool

	size  int  // of a stub's text, in bytes
	place int  // in the outline, from 1 on; 0: it came later
	asked bool // a stub's text is under way
	// unsent is the turn that the server has not taken yet. A retry sends it
	// again with the ids it has, so that it can't become two.
	unsent *wire.Start
	// sent is when the server had taken the turn that this tab sent, and called
	// the gateway; firstToken is when the first piece of the answer came. Both
	// are Unix milliseconds of this tab's clock, 0 where unknown.
	sent, firstToken int64
	stopping         bool
	looked           bool // the log is read for the details only; see Conversation.Details
}

// Ended says that the run that fills the message is over.
func (m *Message) Ended() bool { return m.Run == nil || m.Run.State != wire.Running }

// Running says that the message may still grow: its run is not over, or its
// log was not read to the end.
func (m *Message) Running() bool {
	return !m.Ended() || m.Stream != nil && !m.looked
}

// Stopping says that the person has asked the answer to stop.
func (m *Message) Stopping() bool { return m.stopping && !m.Ended() }

// Content returns the text so far.
func (m *Message) Content() string {
	if m.Stream != nil && m.Stream.reader != nil && !m.looked {
		return m.Stream.Answer().Text()
	}
	return m.Text
}

// Size is how many bytes the text has so far, also where it is not here.
func (m *Message) Size() int {
	if m.Stub {
		return m.size
	}
	return len(m.Content())
}

// Calls are the functions that the answer wants called: as the run's end tells
// them, or as far as its log has come.
func (m *Message) Calls() []wire.ToolCall {
	if m.Run != nil && len(m.Run.Calls) > 0 {
		return m.Run.Calls
	}
	a := m.Reply()
	if a == nil {
		return nil
	}
	var calls []wire.ToolCall
	for _, c := range a.ToolCalls {
		calls = append(calls, wire.ToolCall{ID: c.ID, Name: c.Name, Arguments: c.Arguments()})
	}
	return calls
}

// Reply returns what the log has said so far, or nil: the reasoning, the
// calls, the citations.
func (m *Message) Reply() *reply.Answer {
	if m.Stream != nil && !m.looked {
		return m.Stream.Answer()
	}
	return m.Answer
}

// Unsent says that the server has not taken the turn yet.
func (m *Message) Unsent() bool { return m.unsent != nil }

// Elsewhere is the endpoint to go to after the gateway has said that the model
// is not served where it was asked (F116); "" for another failure.
func (m *Message) Elsewhere() gateway.Endpoint {
	if m.Run == nil || m.Run.Problem == nil || m.Run.Problem.Code != gateway.CodeWrongEndpoint {
		return ""
	}
	if m.Run.Endpoint == string(gateway.Chat) {
		return gateway.Responses
	}
	return gateway.Chat
}
