package reply

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"screentest/shared/gateway"
	"screentest/shared/sse"
	"screentest/shared/wire"
)

// A Reader reads the reply to one text call. Push it the bytes as they come,
// in pieces of any size, look at Answer whenever you like, and Close it where
// the bytes end. It is not safe for concurrent use.
type Reader struct {
	answer Answer
	style  gateway.Endpoint // how the stream ends; corrected by its first event
	form   form
	stream bool // what the Content-Type says
	html   bool

	dec  sse.Decoder
	head []byte // the start of the body, for Problem.Raw
	body []byte // JSON: all of it; before the form is known: what has come
	size int64

	known  bool // an event or body was understood
	over   bool // a terminal event was seen, or a limit passed
	closed bool

	current *item // where text went last
	scratch []byte
	tmpl    template
	added   added
	plainly bool // for tests: read every event in full
}

// form is what the bytes of a reply are.
type form uint8

const (
	unknownForm form = iota
	eventStream
	jsonBody
	otherBody // HTML, plain text: only its start is kept
)

// NewReader returns a Reader for a reply to the text endpoint ep. contentType
// is the reply's Content-Type, which is only a hint: a stream that is labelled
// as JSON and the other way round are read as what they are (F28).
func NewReader(ep gateway.Endpoint, contentType string) *Reader {
	kind, _, _ := strings.Cut(strings.ToLower(contentType), ";")
	kind = strings.TrimSpace(kind)
	return &Reader{
		answer: Answer{State: Streaming},
		style:  ep,
		stream: kind == "text/event-stream",
		html:   kind == "text/html",
		dec:    sse.Decoder{MaxLine: MaxBody},
	}
}

// Answer is what has come so far. It is the same one for the Reader's life.
func (r *Reader) Answer() *Answer { return &r.answer }

// Ended says whether the reply has said that it is at its end: nothing that
// matters follows. A JSON reply says so only by ending.
func (r *Reader) Ended() bool { return r.over || r.closed }

// Push takes the next bytes of the reply. They are not kept.
func (r *Reader) Push(p []byte) {
	r.size += int64(len(p))
	if r.closed || len(p) == 0 {
		return
	}
	if n := maxRaw - len(r.head); n > 0 {
		r.head = append(r.head, p[:min(n, len(p))]...)
	}
	switch r.form {
	case eventStream:
		r.events(p)
	case jsonBody:
		r.keep(p)
	case unknownForm:
		r.body = append(r.body, p...)
		if r.form = guessForm(r.body, r.stream); r.form == unknownForm {
			return
		}
		if p = r.body; r.form != jsonBody {
			r.body = nil
		}
		switch r.form {
		case eventStream:
			r.events(p)
		case jsonBody:
			r.keep(nil)
		}
	}
}

// keep gathers a JSON body.
func (r *Reader) keep(p []byte) {
	if r.over {
		return
	}
	if len(r.body)+len(p) > MaxBody {
		r.body = nil
		r.tooLong()
		return
	}
	r.body = append(r.body, p...)
}

// maxGuess bounds the white space before a reply's first character.
const maxGuess = 64 << 10

// guessForm decides by the first character that is not white space, which
// tells all but always: no line of an event stream that means anything starts
// with a brace or an angle bracket, and JSON and HTML start with little else.
func guessForm(b []byte, stream bool) form {
	text := bytes.TrimLeft(bytes.TrimPrefix(b, []byte("\ufeff")), " \t\r\n")
	if len(text) == 0 {
		if stream && len(b) > maxGuess {
			return eventStream
		}
		if len(b) > maxGuess {
			return otherBody
		}
		return unknownForm
	}
	switch text[0] {
	case '{', '[', '"':
		return jsonBody
	case '<':
		return otherBody
	case ':':
		return eventStream
	case 0xef: // the first byte of a BOM
		if len(b) < 3 {
			return unknownForm
		}
	}
	if stream {
		return eventStream
	}
	for _, field := range []string{"data:", "event:", "id:", "retry:"} {
		n := min(len(field), len(text))
		if string(text[:n]) != field[:n] {
			continue
		}
		if n < len(field) {
			return unknownForm
		}
		return eventStream
	}
	return otherBody
}

func (r *Reader) events(p []byte) {
	for ev, err := range r.dec.Push(p) {
		switch {
		case r.over && r.answer.State != Failed:
			// What follows the end means nothing.
		case err != nil:
			r.dropped(ev.Name)
		default:
			r.event(ev.Name, ev.Data)
		}
	}
}

// dropped handles an event too long to be read. Its name may still tell the
// end: the text is then what the fragments said.
func (r *Reader) dropped(name string) {
	switch name {
	case "response.completed":
		r.end(Done)
	case "response.incomplete":
		r.end(Incomplete)
	case "response.failed":
		r.fail(NewProblem(CodeFailed, ""))
	default:
		r.tooLong()
	}
}

// Close says that the bytes are at their end, and decides how the answer
// ended. It may be called again.
func (r *Reader) Close() {
	if r.closed {
		return
	}
	if r.form == unknownForm {
		r.form = otherBody
	}
	switch r.form {
	case eventStream:
		if ev, ok := r.dec.Close(); ok && !r.over {
			r.event(ev.Name, ev.Data)
		}
	case jsonBody:
		if !r.over {
			r.whole(r.body)
		}
		r.body = nil
	}
	r.closed = true
	r.answer.join()
	if r.answer.State == Streaming {
		r.cut()
	}
	for _, c := range r.answer.ToolCalls {
		c.Complete = c.Complete || r.answer.State == Done || r.answer.State == Incomplete
	}
	r.answer.Revision++
}

// cut decides about a reply that ended without saying so.
func (r *Reader) cut() {
	a := &r.answer
	switch blank := len(bytes.TrimSpace(r.head)) == 0; {
	case r.form == eventStream && r.style == gateway.Chat && a.Finish != "":
		// The model said that it had stopped, which is the end of an answer;
		// [DONE] is that of the stream. A chat completion without it is whole.
		a.State, a.Problem = endOfChat(a.Finish), NewProblem(CodeNoEndMark, "")
		return
	case r.known || a.Began():
		a.State, a.Problem = Truncated, NewProblem(CodeTruncated, "")
	case blank && r.size <= maxRaw:
		a.State, a.Problem = Failed, NewProblem(CodeEmpty, "")
	case r.html || isHTML(r.head):
		a.State, a.Problem = Failed, NewProblem(CodeHTML, pageTitle(r.head))
	case r.form == eventStream && onlyComments(r.head) || r.form == jsonBody && r.size > 0 && looksCut(r.head, r.size):
		a.State, a.Problem = Truncated, NewProblem(CodeTruncated, "")
	default:
		a.State, a.Problem = Failed, NewProblem(CodeNotUnderstood, plain(r.head))
	}
	a.Problem.Raw = rawText(r.head)
}

// onlyComments says whether the start of a stream holds nothing but comments:
// the gateway kept the connection open and then never answered.
func onlyComments(head []byte) bool {
	for line := range bytes.FieldsFuncSeq(head, func(c rune) bool { return c == '\n' || c == '\r' }) {
		if line[0] != ':' {
			return false
		}
	}
	return len(head) < maxRaw
}

// looksCut says whether a body that began as JSON, and is none, lacks its end.
func looksCut(head []byte, size int64) bool {
	if size > int64(len(head)) {
		return true
	}
	head = bytes.TrimSpace(head)
	last := head[len(head)-1]
	return last != '}' && last != ']'
}

// end takes the state with which a reply says that it is over. The first one
// stays.
func (r *Reader) end(s State) {
	r.over = true
	if r.answer.State == Streaming {
		r.answer.State = s
		r.answer.Revision++
	}
}

// fail ends the answer with a problem. A gateway may tell it twice, as an
// event of its own and in the one that ends the stream; it is kept once.
func (r *Reader) fail(p *wire.Problem) {
	if r.answer.State == Streaming {
		r.answer.Problem = p
	}
	r.end(Failed)
}

func (r *Reader) tooLong() {
	if r.answer.State == Streaming {
		r.answer.Problem = NewProblem(CodeTooLong, "")
	}
	r.end(Failed)
}

// room says whether n more bytes may be kept, and counts them; if not, it ends
// the answer.
func (r *Reader) room(n int) bool {
	if r.answer.size+n > MaxAnswer {
		r.tooLong()
		return false
	}
	r.answer.size += n
	if n > 0 {
		r.answer.pieces++
	}
	return true
}

// plain is the text of a string, in place or in the Reader's scratch space:
// it holds until the next call.
func (r *Reader) plain(v raw) []byte {
	if len(v) <= 2 || !v.is('"') {
		return nil
	}
	in := v[1 : len(v)-1]
	for _, c := range in {
		if c == '\\' || c >= utf8.RuneSelf {
			r.scratch = appendText(r.scratch[:0], v)
			return r.scratch
		}
	}
	return in
}
