package sandbox

import (
	"encoding/json"
	"strconv"
	"time"
	"unicode/utf8"
)

// responsesJSON answers with stream false (G7).
func (t *textCall) responsesJSON(id string) (int64, error) {
	if err := t.waitWhole(); err != nil {
		return t.a.out, err
	}
	var r response
	charged := t.a.out
	switch sc := t.a.script; {
	case sc.fault:
		return failed, t.fault()
	case sc.fail != "":
		r, charged = t.failedResponse(id), failed
	default:
		r = t.ended(id, t.items())
	}
	body, err := json.Marshal(r)
	if err != nil {
		return failed, err
	}
	if charged == failed {
		return failed, t.call.reply(r)
	}
	return t.wholeReply(body)
}

// The pauses of a web search.
const (
	searchStarts = 150 * time.Millisecond
	searchTakes  = 600 * time.Millisecond
)

// responsesStream answers with stream true: typed events, numbered (F44–F51).
func (t *textCall) responsesStream(id string) (int64, error) {
	a := t.a
	st := t.s.newStream(t.call, t.s.pace(a.script, a.seed))
	e := &eventWriter{st: st}
	e.send("response.created", "response", t.response(id, "in_progress"))
	e.send("response.in_progress", "response", t.response(id, "in_progress"))
	items := t.items()
	for i, item := range items {
		e.item(i, item, a)
		if a.script.half() && i == len(items)-1 {
			break
		}
		if !e.done(i, item) {
			return int64(st.tokens), errLeft
		}
	}
	if !st.ok() {
		return int64(st.tokens), errLeft
	}
	if done, err := t.breakOff(st); done {
		return int64(st.tokens), err
	}
	switch sc := a.script; {
	case sc.fault:
		f := t.fault()
		e.fields("error", `"code":"server_error","message":`+quote(f.message)+`,"param":null`)
		e.send("response.failed", "response", t.failedResponse(id))
		return failed, nil
	case sc.fail != "":
		e.send("response.failed", "response", t.failedResponse(id))
		return failed, nil
	case a.incomplete():
		e.close(len(items)-1, items[len(items)-1])
		e.done(len(items)-1, items[len(items)-1])
		e.send("response.incomplete", "response", t.ended(id, items))
	default:
		e.send("response.completed", "response", t.ended(id, items))
	}
	return int64(st.tokens), nil
}

// eventWriter writes typed events and counts them.
type eventWriter struct {
	st  *stream
	seq int
}

// fields sends an event with the fields that are given as JSON.
func (e *eventWriter) fields(kind, fields string) {
	b := append(e.st.buf[:0], "event: "+kind+"\ndata: {\"type\":\""+kind+"\","...)
	b = append(append(b, fields...), `,"sequence_number":`...)
	b = strconv.AppendInt(b, int64(e.seq), 10)
	e.seq++
	e.st.buf = append(b, "}\n\n"...)
	e.st.send(e.st.buf)
}

// send sends an event with one object.
func (e *eventWriter) send(kind, name string, v any) {
	e.fields(kind, `"`+name+`":`+mustJSON(v))
}

// deltas sends text as events of one kind, a token each. After each event it
// calls after, if that is not nil, with the bytes sent so far.
func (e *eventWriter) deltas(kind, place, more, text string, after func(sent int)) bool {
	head := []byte("event: " + kind + "\ndata: {\"type\":\"" + kind + "\"," + place + `,"delta":`)
	tail := []byte(more + `,"sequence_number":`)
	sent := 0
	for sent < len(text) {
		n := nextToken(text[sent:])
		if !e.st.wait() {
			return false
		}
		b := append(e.st.buf[:0], head...)
		b = appendString(b, text[sent:sent+n])
		b = append(b, tail...)
		b = strconv.AppendInt(b, int64(e.seq), 10)
		e.seq++
		e.st.buf = append(b, "}\n\n"...)
		e.st.send(e.st.buf)
		if sent += n; after != nil {
			after(sent)
		}
	}
	return e.st.ok()
}

func place(itemID string, output int) string {
	return `"item_id":` + quote(itemID) + `,"output_index":` + strconv.Itoa(output)
}

// item sends what an output item is made of, but for its end.
func (e *eventWriter) item(i int, item any, a *answer) {
	added := func(v any) {
		e.fields("response.output_item.added", `"output_index":`+strconv.Itoa(i)+`,"item":`+mustJSON(v))
	}
	switch v := item.(type) {
	case reasoningItem:
		at := place(v.ID, i) + `,"summary_index":0`
		added(reasoningItem{v.ID, v.Type, []summaryPart{}})
		e.fields("response.reasoning_summary_part.added", at+`,"part":`+mustJSON(summaryPart{"summary_text", ""}))
		if e.deltas("response.reasoning_summary_text.delta", at, "", v.Summary[0].Text, nil) {
			e.fields("response.reasoning_summary_text.done", at+`,"text":`+quote(v.Summary[0].Text))
			e.fields("response.reasoning_summary_part.done", at+`,"part":`+mustJSON(v.Summary[0]))
		}
	case searchItem:
		start := v
		start.Status, start.Action = "in_progress", searchAction{Type: "search", Query: v.Action.Query}
		added(start)
		at := `"output_index":` + strconv.Itoa(i) + `,"item_id":` + quote(v.ID)
		e.fields("response.web_search_call.in_progress", at)
		e.st.pause(searchStarts)
		e.fields("response.web_search_call.searching", at)
		e.st.pause(searchTakes)
		e.fields("response.web_search_call.completed", at)
	case functionItem:
		start := v
		start.Status, start.Arguments = "in_progress", ""
		added(start)
		if e.deltas("response.function_call_arguments.delta", place(v.ID, i), "", v.Arguments, nil) {
			e.fields("response.function_call_arguments.done", place(v.ID, i)+`,"arguments":`+quote(v.Arguments))
		}
	case messageItem:
		added(messageItem{v.ID, v.Type, "in_progress", v.Role, []textPart{}})
		at := place(v.ID, i) + `,"content_index":0`
		e.fields("response.content_part.added", at+`,"part":`+mustJSON(textPartOf("", nil)))
		if e.text(at, v.Content[0]) && !a.script.half() {
			e.close(i, item)
		}
	}
}

// text sends an answer's text, and each citation as soon as it is complete.
func (e *eventWriter) text(at string, p textPart) bool {
	cited, characters, counted := 0, 0, 0
	var after func(int)
	if len(p.Annotations) > 0 {
		after = func(sent int) {
			characters += utf8.RuneCountInString(p.Text[counted:sent])
			counted = sent
			for cited < len(p.Annotations) && p.Annotations[cited].End <= characters {
				e.fields("response.output_text.annotation.added", at+`,"annotation_index":`+strconv.Itoa(cited)+`,"annotation":`+mustJSON(p.Annotations[cited]))
				cited++
			}
		}
	}
	return e.deltas("response.output_text.delta", at, `,"logprobs":[]`, p.Text, after)
}

// close ends a message's text.
func (e *eventWriter) close(i int, item any) {
	if v, ok := item.(messageItem); ok {
		at := place(v.ID, i) + `,"content_index":0`
		e.fields("response.output_text.done", at+`,"text":`+quote(v.Content[0].Text)+`,"logprobs":[]`)
		e.fields("response.content_part.done", at+`,"part":`+mustJSON(v.Content[0]))
	}
}

// done ends an output item.
func (e *eventWriter) done(i int, item any) bool {
	e.fields("response.output_item.done", `"output_index":`+strconv.Itoa(i)+`,"item":`+mustJSON(item))
	return e.st.ok()
}

// mustJSON writes one of the types above, none of which can fail.
func mustJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}
