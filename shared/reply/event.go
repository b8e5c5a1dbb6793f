package reply

import (
	"bytes"
	"strings"

	"screentest/shared/gateway"
)

// fields are the members of an event, or of a whole JSON reply, that any
// shape uses. They are gathered first and used after, because of a name that
// stands twice only the last one counts.
type fields struct {
	typ, object, id, model      raw
	choices, usage              raw // chat
	response, item, part        raw // responses
	itemID, outputIndex         raw
	delta, text, refusal        raw
	arguments, annotation       raw
	output, status, incomplete  raw // a response itself
	err, code, message, msg     raw // errors
	detail, errorMsg, errString raw
	data, taskID                raw // of a wrapper, of a task
}

func gather(v raw) (f fields) {
	for name, val := range v.members() {
		switch string(name) {
		case "type":
			f.typ = val
		case "object":
			f.object = val
		case "id":
			f.id = val
		case "model":
			f.model = val
		case "choices":
			f.choices = val
		case "usage":
			f.usage = val
		case "response":
			f.response = val
		case "item":
			f.item = val
		case "part":
			f.part = val
		case "item_id":
			f.itemID = val
		case "output_index":
			f.outputIndex = val
		case "delta":
			f.delta = val
		case "text":
			f.text = val
		case "data":
			f.data = val
		case "task_id":
			f.taskID = val
		case "refusal":
			f.refusal = val
		case "arguments":
			f.arguments = val
		case "annotation":
			f.annotation = val
		case "output":
			f.output = val
		case "status":
			f.status = val
		case "incomplete_details":
			f.incomplete = val
		case "error":
			f.err = val
		case "code":
			f.code = val
		case "message":
			f.message = val
		case "msg":
			f.msg = val
		case "detail":
			f.detail = val
		case "error_msg":
			f.errorMsg = val
		case "err":
			f.errString = val
		}
	}
	return f
}

// event reads one event of a stream, of either style: by the template if it
// is another fragment, else in full.
func (r *Reader) event(name string, data []byte) {
	if fragment, ok := r.tmpl.match(name, data); ok && !r.over {
		switch r.tmpl.sink {
		case intoText:
			r.addText(fragment)
		case intoReasoning:
			r.addReasoning(fragment)
		case intoItem:
			r.addDelta(r.tmpl.item, fragment)
		}
		return
	}
	r.tmpl.ok, r.added = false, added{}
	before := r.answer.Revision
	r.readEvent(name, data)
	// Everything that an event does counts as a revision.
	if r.answer.Revision == before+1 && len(r.added.raw) > 0 && !r.over && !r.plainly {
		r.tmpl.learn(name, data, r.added)
	}
}

func (r *Reader) readEvent(name string, data []byte) {
	data = bytes.TrimSpace(data)
	if string(data) == "[DONE]" {
		r.mark()
		return
	}
	v, ok := parseJSON(data)
	if !ok || !v.is('{') {
		return // keep-alives of some proxies, and what cannot be read
	}
	f := gather(v)
	// The event's type is in it; its line only repeats it.
	kind := plainOr(f.typ, name)
	switch {
	case f.choices.is('['):
		r.known, r.style = true, gateway.Chat
		r.chunk(&f)
	case bytes.HasPrefix(kind, []byte("response.")):
		r.known, r.style = true, gateway.Responses
		r.responseEvent(kind, &f)
	case string(kind) == "error" || name == "error":
		r.known = true
		r.fail(problemOf(0, v, data))
	case isError(&f):
		r.known = true
		r.fail(problemOf(0, v, data))
	case f.usage.is('{') && r.style == gateway.Chat:
		r.known = true
		r.usage(f.usage)
	}
}

// plainOr is the text of v if it is one, else s.
func plainOr(v raw, s string) []byte {
	if v.is('"') && len(v) > 2 {
		return plainText(v)
	}
	return []byte(s)
}

// mark is [DONE]. It ends a chat stream (F43). In the responses style it says
// nothing: the terminal event decides (F49), and if none came, the stream was
// cut.
func (r *Reader) mark() {
	r.known = true
	if r.style == gateway.Responses {
		r.over = true
		return
	}
	r.end(endOfChat(r.answer.Finish))
}

// endOfChat is the state that a finish_reason means.
func endOfChat(reason string) State {
	switch reason {
	case "length", "max_tokens", "content_filter":
		return Incomplete
	}
	return Done
}

// isError says whether an object that is neither a chunk nor an event of the
// responses style tells of an error: in OpenAI's shape, or flat (F96).
func isError(f *fields) bool {
	if hasError(f.err) {
		return true
	}
	if f.object.is('"') || f.typ.is('"') || f.output.is('[') {
		return false
	}
	if f.code.is('"') && (f.code.equals("success") || len(f.code) == 2) {
		return false
	}
	for _, v := range []raw{f.message, f.msg, f.errString, f.errorMsg} {
		if v.is('"') && len(v) > 2 {
			return true
		}
	}
	return !f.detail.null()
}

// hasError says whether a member "error" tells of one: {} and "" do not.
func hasError(v raw) bool {
	switch {
	case v.is('"'):
		return len(v) > 2
	case v.is('{'):
		for range v.members() {
			return true
		}
	}
	return false
}

// usage takes the token counts, under the names of either style; a gateway that
// has both fills in one and leaves the other at 0. The latest counts; one
// without any token is none, whatever it says.
func (r *Reader) usage(v raw) {
	var in, out raw
	for name, val := range v.members() {
		switch string(name) {
		case "prompt_tokens", "input_tokens":
			if n, ok := val.int(); ok && (in.null() || n != 0) {
				in = val
			}
		case "completion_tokens", "output_tokens":
			if n, ok := val.int(); ok && (out.null() || n != 0) {
				out = val
			}
		}
	}
	i, okIn := in.int()
	o, okOut := out.int()
	if !okIn && !okOut || i < 0 || o < 0 || i > maxTokens || o > maxTokens || i+o == 0 {
		return
	}
	r.answer.Usage = &gateway.Usage{InputTokens: i, OutputTokens: o, Reported: true}
	r.answer.Revision++
}

// maxTokens bounds what is believed of a usage figure: far above what a model
// can read or write in one call, and so low that a gateway that lies a hundred
// thousand times can't make the ledger's sums overflow.
const maxTokens = 1 << 31

// identify takes id and model from the first event that has them.
func (r *Reader) identify(id, model raw) {
	if r.answer.ID == "" && id.is('"') {
		r.answer.ID = short(id.text())
	}
	if r.answer.Model == "" && model.is('"') {
		r.answer.Model = short(model.text())
	}
}

// short bounds an id, a name or a reason.
func short(s string) string {
	if len(s) > maxID {
		s = strings.ToValidUTF8(s[:maxID], "")
	}
	return s
}

// whole reads a reply that is one JSON object (F28, F40).
func (r *Reader) whole(body []byte) {
	v, ok := parseJSON(bytes.TrimPrefix(body, []byte("\ufeff")))
	if !ok {
		return
	}
	f := gather(v)
	switch {
	case f.choices.is('['):
		r.known = true
		r.completion(&f)
	case f.output.is('[') || f.object.equals("response"):
		r.known = true
		r.response(v, "")
	case isError(&f) || f.code.is('"') || f.code.is('{'):
		r.known = true
		p := problemOf(0, v, body)
		p.Raw = rawText(body)
		r.fail(p)
	}
}
