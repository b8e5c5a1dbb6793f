package reply

import (
	"bytes"
	"strings"
)

// responseEvent reads one event of the responses style (F44–F51). Types that
// are not listed are ignored.
func (r *Reader) responseEvent(kind []byte, f *fields) {
	if r.answer.State != Streaming {
		// After a failure the terminal event may still report the usage.
		r.usage(f.response.get("usage"))
		return
	}
	switch string(kind) {
	case "response.output_text.delta":
		r.addDelta(r.itemFor(f.outputIndex, f.itemID), f.delta)
	case "response.refusal.delta":
		r.answer.Refused = true
		r.addDelta(r.itemFor(f.outputIndex, f.itemID), f.delta)
	case "response.output_text.done":
		r.addIfNone(f, f.text)
	case "response.refusal.done":
		r.answer.Refused = true
		r.addIfNone(f, f.refusal)
	case "response.output_text.annotation.added":
		r.cite(f.annotation)
	case "response.output_item.added":
		r.itemAdded(f.item, f.outputIndex)
	case "response.output_item.done":
		r.itemDone(f.item, f.outputIndex)
	case "response.function_call_arguments.delta":
		if c := r.callFor(f.outputIndex, f.itemID); c != nil {
			r.addArguments(c, f.delta)
		}
	case "response.function_call_arguments.done":
		if c := r.callFor(f.outputIndex, f.itemID); c != nil {
			r.setArguments(c, f.arguments)
		}
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		r.addReasoning(f.delta)
	case "response.reasoning_summary_text.done", "response.reasoning_text.done":
		if r.answer.reasoning.Len() == 0 {
			r.addReasoning(f.text)
		}
	case "response.reasoning_summary_part.added":
		if r.answer.reasoning.Len() > 0 && r.room(len(between)) {
			r.answer.reasoning.WriteString(between)
		}
	case "response.created", "response.in_progress", "response.queued":
		r.identify(f.response.get("id"), f.response.get("model"))
	case "response.completed", "response.incomplete", "response.failed", "response.cancelled", "response.done":
		r.response(f.response, strings.TrimPrefix(string(kind), "response."))
	case "response.error":
		r.fail(problemOf(0, f.err, nil))
	default:
		if status, ok := bytes.CutPrefix(kind, []byte("response.web_search_call.")); ok {
			if s := r.searchFor(f.outputIndex, f.itemID); s != nil {
				s.Status = short(string(status))
				r.answer.Revision++
			}
		}
	}
}

// addIfNone takes the text that ends a part when no fragment of it came.
func (r *Reader) addIfNone(f *fields, v raw) {
	if it := r.itemFor(f.outputIndex, f.itemID); it != nil && len(it.text) == 0 {
		r.addDelta(it, v)
	}
}

func (r *Reader) itemAdded(v, index raw) {
	id := v.get("id")
	switch v.get("type").text() {
	case "message":
		r.itemFor(index, id)
	case "function_call":
		if c := r.callFor(index, id); c != nil {
			r.setCall(c, v)
		}
	case "web_search_call":
		if s := r.searchFor(index, id); s != nil {
			r.setSearch(s, v)
		}
	}
}

func (r *Reader) itemDone(v, index raw) {
	id := v.get("id")
	switch v.get("type").text() {
	case "message":
		text, cites, refused := content(v)
		r.answer.Refused = r.answer.Refused || refused
		r.setFinal(r.itemFor(index, id), text)
		r.citeAll(cites)
	case "function_call":
		if c := r.callFor(index, id); c != nil {
			r.setCall(c, v)
			r.setArguments(c, v.get("arguments"))
		}
	case "web_search_call":
		if s := r.searchFor(index, id); s != nil {
			r.setSearch(s, v)
		}
	case "reasoning":
		r.reasoned(v)
	}
}

// reasoned takes a whole reasoning item when no fragment of it came.
func (r *Reader) reasoned(v raw) {
	if r.answer.reasoning.Len() > 0 {
		return
	}
	for _, list := range []string{"summary", "content"} {
		for part := range v.get(list).items() {
			if r.answer.reasoning.Len() > 0 && r.room(len(between)) {
				r.answer.reasoning.WriteString(between)
			}
			r.addReasoning(part.get("text"))
		}
	}
}

// callFor is the call that an event is about; a new one where there is none.
func (r *Reader) callFor(index, id raw) *ToolCall {
	n, ok := index.int()
	if !ok {
		n = -1
	}
	calls := r.answer.ToolCalls
	for i := len(calls) - 1; i >= 0; i-- {
		if c := calls[i]; same(c.index, n, c.item, id) {
			return c
		}
	}
	c := r.newCall(n)
	if c != nil {
		c.item = short(id.text())
	}
	return c
}

// same compares the place and, where one of the two has none, the id.
func same(index, n int64, id string, v raw) bool {
	if index >= 0 && n >= 0 {
		return index == n
	}
	if id != "" && v.is('"') {
		return v.equals(id)
	}
	return n < 0 && v.null()
}

func (r *Reader) setCall(c *ToolCall, v raw) {
	for name, val := range v.members() {
		if !val.is('"') {
			continue
		}
		switch string(name) {
		case "call_id":
			c.ID = short(val.text())
		case "name":
			c.Name = short(val.text())
		case "id":
			c.item = short(val.text())
		}
	}
	r.answer.Revision++
}

// setArguments takes the final arguments, whatever the fragments said.
func (r *Reader) setArguments(c *ToolCall, v raw) {
	c.Complete = true
	r.answer.Revision++
	if v.null() || len(v) <= 2 && c.args.Len() > 0 {
		return
	}
	if v.is('"') && v.equals(c.args.String()) {
		return
	}
	r.answer.size -= c.args.Len()
	c.args.Reset()
	r.addArguments(c, v)
}

func (r *Reader) searchFor(index, id raw) *Search {
	n, ok := index.int()
	if !ok {
		n = -1
	}
	for _, s := range r.answer.Searches {
		if same(s.index, n, s.ID, id) {
			return s
		}
	}
	if len(r.answer.Searches) >= maxItems {
		return nil
	}
	s := &Search{ID: short(id.text()), index: n}
	r.answer.Searches = append(r.answer.Searches, s)
	r.answer.Revision++
	return s
}

// maxFound bounds the queries and sources of one search, each.
const maxFound = 64

func (r *Reader) setSearch(s *Search, v raw) {
	if status := v.get("status"); status.is('"') {
		s.Status = short(status.text())
	}
	action := v.get("action")
	var queries, sources []string
	for q := range action.get("queries").items() {
		if text := clip(q.text(), maxID); text != "" && len(queries) < maxFound {
			queries = append(queries, text)
		}
	}
	if text := clip(action.get("query").text(), maxID); len(queries) == 0 && text != "" {
		queries = []string{text}
	}
	for src := range action.get("sources").items() {
		if url := webAddress(src.get("url")); url != "" && len(sources) < maxFound {
			sources = append(sources, url)
		}
	}
	if len(queries) > 0 {
		s.Queries = queries
	}
	if len(sources) > 0 {
		s.Sources = sources
	}
	r.answer.Revision++
}

// response reads a whole response: the one in a terminal event, or a JSON
// reply. how is what the event's type says of its end; "" or "done" leave it
// to the response's status.
func (r *Reader) response(v raw, how string) {
	f := gather(v)
	r.identify(f.id, f.model)
	r.usage(f.usage)
	if status := f.status.text(); how == "" || how == "done" {
		how = status
	}
	failed := how == "failed" || how == "cancelled"
	r.output(f.output, failed)
	switch {
	case failed && hasError(f.err):
		r.fail(problemOf(0, f.err, nil))
	case failed:
		r.fail(NewProblem(CodeFailed, ""))
	case how == "incomplete":
		r.answer.Finish = short(f.incomplete.get("reason").text())
		r.end(Incomplete)
	case how == "in_progress" || how == "queued":
		// A reply that is not finished and says nothing more.
	case hasError(f.err):
		r.fail(problemOf(0, f.err, nil))
	default:
		r.end(Done)
	}
}

// output takes the output of a finished response. Its text counts for more
// than the items' and the fragments', when it has any; after a failure the
// text that came is kept (F46).
func (r *Reader) output(v raw, failed bool) {
	var items []*item
	var cites []Citation
	n := 0
	for it := range v.items() {
		index := raw(nil)
		id := it.get("id")
		switch it.get("type").text() {
		case "message":
			text, c, refused := content(it)
			r.answer.Refused = r.answer.Refused || refused
			if len(text) > 0 && len(items) < maxItems {
				items = append(items, &item{id: short(id.text()), index: -1, text: text})
				n += len(text)
			}
			cites = append(cites, c[:min(len(c), maxItems-len(cites))]...)
		case "function_call":
			if id.null() {
				id = it.get("call_id")
			}
			if c := r.knownCall(id, it.get("call_id")); c != nil {
				r.setCall(c, it)
				r.setArguments(c, it.get("arguments"))
			}
		case "web_search_call":
			if s := r.searchFor(index, id); s != nil {
				r.setSearch(s, it)
			}
		case "reasoning":
			r.reasoned(it)
		}
	}
	a := &r.answer
	if n == 0 || failed && (a.text.Len() > 0 || a.stale) {
		return
	}
	before := 0
	for _, it := range a.items {
		before += len(it.text)
	}
	if !r.room(n - before) {
		return
	}
	if len(cites) > 0 {
		a.Citations = cites
	}
	a.items, r.current, a.stale = items, nil, true
	a.Revision++
}

// knownCall is the call with that item id or call id; a new one where there
// is none.
func (r *Reader) knownCall(id, callID raw) *ToolCall {
	for _, c := range r.answer.ToolCalls {
		if c.item != "" && id.equals(c.item) || c.ID != "" && callID.equals(c.ID) {
			return c
		}
	}
	c := r.newCall(-1)
	if c != nil {
		c.item = short(id.text())
	}
	return c
}

func (r *Reader) citeAll(cites []Citation) {
	for _, c := range cites {
		r.addCitation(c)
	}
}
