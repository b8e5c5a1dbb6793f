package inspect

import (
	"bytes"
	"sort"
	"strings"

	"screentest/shared/sse"
	"screentest/shared/wire"
)

// maxLine bounds a line of a log, in bytes, as the reply's reader does.
const maxLine = 16 << 20

// Types of events that have no name of their own: those of a chat stream, by
// what a chunk carries, and what is between events.
const (
	TypeContent   = "content"
	TypeReasoning = "reasoning"
	TypeToolCalls = "tool_calls"
	TypeFinish    = "finish"
	TypeUsage     = "usage"
	TypeError     = "error"
	TypeChunk     = "chunk" // none of these
	TypeDone      = "[DONE]"
	TypeComment   = ": comment"
	TypeDropped   = "too long"
	TypeUnread    = "unread" // at the end: not a whole event
)

// Event is one event of a log, or a comment between two. The bytes are in the
// Log.
type Event struct {
	Type       string
	Start, End int64 // offsets in the log
}

// Log is a run's log cut into events. The zero Log is empty and ready.
type Log struct {
	// ContentType is the reply's, once its first bytes have come.
	ContentType string
	// Ended says that no more will come.
	Ended bool

	raw    []byte
	dec    sse.Decoder
	form   form
	at     int64 // up to where the log has been cut
	events []Event
	counts map[string]int
	times  []mark
}

type form uint8

const (
	unknown form = iota
	stream
	body
)

// mark says when the bytes up to end had come.
type mark struct{ end, ms int64 }

// Len is how many bytes have come.
func (l *Log) Len() int64 { return int64(len(l.raw)) }

// Bytes are the bytes as they came. They are not to be changed.
func (l *Log) Bytes() []byte { return l.raw }

// Streams says that the reply is a stream of events; a reply that is not has
// no events. It is false as long as nothing has come.
func (l *Log) Streams() bool { return l.form == stream }

// Events are those that have come whole, in order.
func (l *Log) Events() []Event { return l.events }

// Count is how many events are of a type.
func (l *Log) Count(typ string) int { return l.counts[typ] }

// Types are the types that occur, in order.
func (l *Log) Types() []string {
	types := make([]string, 0, len(l.counts))
	for t := range l.counts {
		types = append(types, t)
	}
	sort.Strings(types)
	return types
}

// Push takes the next bytes.
func (l *Log) Push(p []byte) {
	before := len(l.raw)
	l.raw = append(l.raw, p...)
	if l.form == unknown {
		if l.form = l.guess(); l.form == stream {
			l.dec.MaxLine = maxLine
			before = 0
		}
	}
	if l.form != stream {
		return
	}
	for ev, err := range l.dec.Push(l.raw[before:]) {
		if err != nil {
			l.add(TypeDropped, ev.Start, ev.End)
			continue
		}
		l.add(typeOf(ev), ev.Start, ev.End)
	}
}

// End says that the log is complete.
func (l *Log) End() {
	if l.Ended {
		return
	}
	l.Ended = true
	if l.form != stream {
		return
	}
	if ev, ok := l.dec.Close(); ok {
		l.add(typeOf(ev), ev.Start, ev.End)
	}
	switch rest := bytes.TrimSpace(l.raw[l.at:]); {
	case len(rest) == 0:
	case rest[0] == ':':
		l.put(TypeComment, l.at, l.Len())
	default:
		l.put(TypeUnread, l.at, l.Len())
	}
}

// guess tells a stream from one body by its first character, as the reply's
// reader does: no line of a stream that means anything begins like JSON or
// HTML.
func (l *Log) guess() form {
	text := bytes.TrimLeft(bytes.TrimPrefix(l.raw, []byte("\ufeff")), " \t\r\n")
	if len(text) == 0 {
		return unknown
	}
	if c := text[0]; c == '{' || c == '[' || c == '"' || c == '<' {
		return body
	}
	if strings.HasPrefix(strings.ToLower(l.ContentType), "text/event-stream") {
		return stream
	}
	for _, field := range []string{":", "data:", "event:", "id:", "retry:"} {
		if bytes.HasPrefix(text, []byte(field)) {
			return stream
		}
	}
	return body
}

// add takes an event, and a comment that stands before it.
func (l *Log) add(typ string, start, end int64) {
	if gap := bytes.TrimSpace(l.raw[min(l.at, start):start]); len(gap) > 0 && gap[0] == ':' {
		l.put(TypeComment, l.at, start)
	}
	l.put(typ, start, end)
}

func (l *Log) put(typ string, start, end int64) {
	l.events = append(l.events, Event{Type: typ, Start: start, End: end})
	if l.counts == nil {
		l.counts = map[string]int{}
	}
	l.counts[typ]++
	l.at = end
}

// SetTimes takes the time index of the log, or more of it.
func (l *Log) SetTimes(t wire.RunTimes) {
	l.times = l.times[:0]
	for end, ms := range t.All {
		l.times = append(l.times, mark{end, ms})
	}
}

// TimesTo is up to which byte the times are known.
func (l *Log) TimesTo() int64 {
	if len(l.times) == 0 {
		return 0
	}
	return l.times[len(l.times)-1].end
}

// MS is when the bytes up to the offset end had come, in milliseconds since
// the run's start; false while that is not known.
func (l *Log) MS(end int64) (int64, bool) {
	i := sort.Search(len(l.times), func(i int) bool { return l.times[i].end >= end })
	if i == len(l.times) {
		return 0, false
	}
	return l.times[i].ms, true
}

// Raw is an event as it came.
func (l *Log) Raw(e Event) []byte { return l.raw[e.Start:e.End] }

// Data is the event's data lines, joined; of a comment its text.
func (l *Log) Data(e Event) []byte {
	raw := l.Raw(e)
	if e.Type == TypeComment || e.Type == TypeDropped || e.Type == TypeUnread {
		return bytes.TrimSpace(raw)
	}
	dec := sse.Decoder{MaxLine: maxLine}
	var data []byte
	for ev, err := range dec.Push(raw) {
		if err == nil {
			data = bytes.Clone(ev.Data)
		}
	}
	if data == nil { // the last one, without its empty line
		if ev, ok := dec.Close(); ok {
			data = bytes.Clone(ev.Data)
		}
	}
	return data
}

// Gist is the part of an event that says the most in a line: the fragment that
// it brings, or else all its data.
func (l *Log) Gist(e Event) []byte {
	data := l.Data(e)
	name := ""
	switch {
	case e.Type == TypeContent:
		name = `"content"`
	case e.Type == TypeToolCalls:
		name = `"tool_calls"`
	case e.Type == TypeUsage:
		name = `"usage"`
	case e.Type == TypeFinish:
		name = `"finish_reason"`
	case strings.HasSuffix(e.Type, ".delta"):
		name = `"delta"`
	default:
		return data
	}
	v := member(data, name)
	if len(v) > 0 && v[0] == '"' {
		_, n := token(string(v))
		return v[:n]
	}
	if len(v) > 0 {
		return v
	}
	return data
}

// Filter returns the places of the events of a type, "" for all, that contain
// text in any letters. Nil means that all pass.
func (l *Log) Filter(typ, text string) []int {
	if typ == "" && text == "" {
		return nil
	}
	return l.FilterFrom(0, []int{}, typ, text)
}

// FilterFrom appends to list those from the event first on that pass.
func (l *Log) FilterFrom(first int, list []int, typ, text string) []int {
	want := newNeedle(text)
	for i := first; i < len(l.events); i++ {
		if e := l.events[i]; (typ == "" || e.Type == typ) && want.in(l.Raw(e)) {
			list = append(list, i)
		}
	}
	return list
}

// Narrow returns those of list that contain text too: what a filter lets
// through when more is typed into it.
func (l *Log) Narrow(list []int, text string) []int {
	want := newNeedle(text)
	out := make([]int, 0, len(list))
	for _, i := range list {
		if want.in(l.Raw(l.events[i])) {
			out = append(out, i)
		}
	}
	return out
}

// typeOf names an event: by its own name, by the type in its data, or by what
// a chunk of a chat carries.
func typeOf(ev sse.Event) string {
	if ev.Name != "" {
		return ev.Name
	}
	data := bytes.TrimSpace(ev.Data)
	if string(data) == TypeDone {
		return TypeDone
	}
	choices := member(data, `"choices"`)
	if v := member(data, `"type"`); choices == nil && len(v) > 1 && v[0] == '"' {
		if i := bytes.IndexByte(v[1:], '"'); i > 0 && i <= 64 {
			return string(v[1 : 1+i])
		}
	}
	is := func(name, first string) bool {
		v := member(data, name)
		return len(v) > 1 && strings.IndexByte(first, v[0]) >= 0 && !bytes.HasPrefix(v, []byte(`""`))
	}
	switch {
	case choices == nil && is(`"error"`, `{"`):
		return TypeError
	case is(`"tool_calls"`, "["):
		return TypeToolCalls
	case is(`"finish_reason"`, `"`):
		return TypeFinish
	case is(`"reasoning_content"`, `"`), is(`"reasoning"`, `"`):
		return TypeReasoning
	case is(`"content"`, `"`):
		return TypeContent
	case is(`"usage"`, "{"):
		return TypeUsage
	}
	return TypeChunk
}

// member is what follows the first key of that name, in quotes. Text can't be
// taken for a key: the quotes in it are escaped.
func member(data []byte, name string) []byte {
	for {
		i := bytes.Index(data, []byte(name))
		if i < 0 {
			return nil
		}
		escaped := i > 0 && data[i-1] == '\\'
		data = data[i+len(name):]
		if v, ok := bytes.CutPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte(":")); ok && !escaped {
			return bytes.TrimLeft(v, " \t\r\n")
		}
	}
}
