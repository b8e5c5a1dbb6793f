package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// plan is what a prompt asks the source for, in the words that the sandbox
// knows too: so many chunks, at so many a second or as fast as they are taken.
type plan struct {
	chunks int
	rate   int           // 0: flat out
	ramp   time.Duration // in which one stream after the other begins
}

func (p plan) prompt() string {
	if p.rate == 0 {
		return fmt.Sprintf("[[repeat: %d]]", p.chunks)
	}
	return fmt.Sprintf("[[pace: %d]] [[repeat: %d]]", p.rate, p.chunks)
}

// planOf finds the plan in the last message of a chat request.
func planOf(body []byte) (plan, error) {
	var request struct {
		Messages []struct{ Content string }
	}
	if err := json.Unmarshal(body, &request); err != nil {
		return plan{}, err
	}
	if len(request.Messages) == 0 {
		return plan{}, fmt.Errorf("no messages")
	}
	var p plan
	prompt := request.Messages[len(request.Messages)-1].Content
	if _, err := fmt.Sscanf(prompt, "[[repeat: %d]]", &p.chunks); err == nil {
		return p, nil
	}
	if _, err := fmt.Sscanf(prompt, "[[pace: %d]] [[repeat: %d]]", &p.rate, &p.chunks); err != nil {
		return plan{}, fmt.Errorf("%q is no plan: %w", prompt, err)
	}
	return p, nil
}

// A frame is one chunk of a reply, ready to be written: the head of its HTTP
// chunk, an event, and the time at which it is sent in a place that is always
// as long. The event is as long as the sandbox's are.
const (
	frameEvent = `data: {"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1700000000,"model":"bench",` +
		`"choices":[{"index":0,"delta":{"content":"token "},"finish_reason":null}],` + sentAt + `0000000000000000000"}` + "\n\n"
	sentAt    = `"sent":"`
	sentDigit = 19 // of nanoseconds since 1970

	replyHead = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
	replyEnd  = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n" +
		`data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":400,"total_tokens":409}}` + "\n\ndata: [DONE]\n\n"
	// endEvents is how many events replyEnd has.
	endEvents = 3
)

// frame is a chunk that can be stamped and written again and again.
type frame struct {
	p     []byte
	stamp []byte // in p
}

func newFrame() frame {
	p := httpChunk(frameEvent)
	at := bytes.Index(p, []byte(sentAt)) + len(sentAt)
	return frame{p, p[at : at+sentDigit]}
}

// stamped is the frame's bytes for a chunk that is sent now.
func (f frame) stamped(now time.Time) []byte {
	n := now.UnixNano()
	for i := sentDigit - 1; i >= 0; i-- {
		f.stamp[i] = byte('0' + n%10)
		n /= 10
	}
	return f.p
}

func httpChunk(event string) []byte {
	return fmt.Appendf(nil, "%x\r\n%s\r\n", len(event), event)
}

// frames reads the source's chunks from a stream that comes in pieces.
type frames struct{ rest []byte }

// each calls stamped with the time at which a chunk was sent, for each whole
// chunk, and returns how many events there were, these and others.
func (f *frames) each(p []byte, stamped func(sent time.Time)) (events int) {
	f.rest = append(f.rest, p...)
	left := f.rest
	for {
		event, rest, whole := bytes.Cut(left, []byte("\n\n"))
		if !whole {
			break
		}
		left = rest
		events++
		at := bytes.LastIndex(event, []byte(sentAt))
		if at < 0 || len(event) < at+len(sentAt)+sentDigit {
			continue
		}
		at += len(sentAt)
		if n, err := strconv.ParseInt(string(event[at:at+sentDigit]), 10, 64); err == nil {
			stamped(time.Unix(0, n))
		}
	}
	f.rest = append(f.rest[:0], left...)
	return events
}
