package reply

// chunk reads one chat.completion.chunk (F41, F42).
func (r *Reader) chunk(f *fields) {
	r.identify(f.id, f.model)
	if f.usage.is('{') {
		r.usage(f.usage)
	}
	if r.answer.State == Streaming {
		for choice := range f.choices.items() {
			// One answer was asked for; more than one would be mixed up.
			r.choice(choice)
			break
		}
	}
	if hasError(f.err) {
		r.fail(problemOf(0, f.err, f.err))
	}
}

// choice reads a choice of a chunk or of a whole completion.
func (r *Reader) choice(v raw) {
	var index, delta, message, reason raw
	for name, val := range v.members() {
		switch string(name) {
		case "index":
			index = val
		case "delta":
			delta = val
		case "message":
			message = val
		case "finish_reason":
			reason = val
		}
	}
	if n, ok := index.int(); ok && n != 0 {
		return
	}
	if !delta.is('{') {
		delta = message
	}
	r.message(delta)
	if len(reason) > 2 && reason.is('"') {
		r.answer.Finish = short(reason.text())
		r.answer.Revision++
	}
}

// message reads a delta of a chunk or the message of a completion.
func (r *Reader) message(v raw) {
	var content, refusal, reasoning, reasoning2, calls raw
	for name, val := range v.members() {
		switch string(name) {
		case "content":
			content = val
		case "refusal":
			refusal = val
		case "reasoning_content":
			reasoning = val
		case "reasoning":
			reasoning2 = val
		case "tool_calls":
			calls = val
		}
	}
	if len(reasoning) <= 2 || !reasoning.is('"') {
		reasoning = reasoning2 // some send both, with the same text
	}
	r.addReasoning(reasoning)
	r.addContent(content)
	if len(refusal) > 2 && refusal.is('"') {
		r.answer.Refused = true
		r.addText(refusal)
	}
	for call := range calls.items() {
		r.call(call)
	}
}

// addContent takes content: a string, or an array of parts with text.
func (r *Reader) addContent(v raw) {
	if v.is('"') {
		r.addText(v)
		return
	}
	for part := range v.items() {
		r.addText(part.get("text"))
	}
}

// addText appends the text of a string to the answer.
func (r *Reader) addText(v raw) {
	if text := r.plain(v); len(text) > 0 && r.room(len(text)) {
		r.answer.text.Write(text)
		r.answer.Revision++
		r.added = added{raw: v, sink: intoText}
	}
}

func (r *Reader) addReasoning(v raw) {
	if text := r.plain(v); len(text) > 0 && r.room(len(text)) {
		r.answer.reasoning.Write(text)
		r.answer.Revision++
		r.added = added{raw: v, sink: intoReasoning}
	}
}

// call reads one entry of tool_calls. In a stream its parts belong together by
// index; where a gateway gives none, by id, and where it gives neither, they
// continue the last.
func (r *Reader) call(v raw) {
	var index, id, function raw
	for name, val := range v.members() {
		switch string(name) {
		case "index":
			index = val
		case "id":
			id = val
		case "function":
			function = val
		}
	}
	var name, args raw
	for n, val := range function.members() {
		switch string(n) {
		case "name":
			name = val
		case "arguments":
			args = val
		}
	}
	c := r.findCall(index, id, name)
	if c == nil {
		return
	}
	if c.ID == "" && id.is('"') {
		c.ID = short(id.text())
	}
	if c.Name == "" && name.is('"') {
		c.Name = short(name.text())
	}
	r.addArguments(c, args)
	r.answer.Revision++
}

// addArguments appends to what a call is made with. Some gateways send an
// object where a string with JSON belongs.
func (r *Reader) addArguments(c *ToolCall, args raw) {
	if args.null() {
		return
	}
	text := []byte(args)
	if args.is('"') {
		text = r.plain(args)
	}
	if r.room(len(text)) {
		c.args.Write(text)
		r.answer.Revision++
	}
}

// findCall is the call that a part belongs to, a new one where there is none,
// nil where there are too many.
func (r *Reader) findCall(index, id, name raw) *ToolCall {
	calls := r.answer.ToolCalls
	n, ok := index.int()
	if !ok {
		n = -1
	}
	for i := len(calls) - 1; i >= 0; i-- {
		c := calls[i]
		switch {
		case ok:
			if c.index != n {
				continue
			}
			// Some gateways number every call 0; a new id with a name tells
			// that it is another one.
			if len(id) > 2 && len(name) > 2 && c.ID != "" && !id.equals(c.ID) {
				return r.newCall(n)
			}
			return c
		case len(id) > 2 && id.is('"'):
			if id.equals(c.ID) {
				return c
			}
		case len(name) <= 2:
			return c
		}
	}
	return r.newCall(n)
}

func (r *Reader) newCall(index int64) *ToolCall {
	if len(r.answer.ToolCalls) >= maxItems {
		return nil
	}
	c := &ToolCall{index: index}
	r.answer.ToolCalls = append(r.answer.ToolCalls, c)
	return c
}

// completion reads a whole chat completion.
func (r *Reader) completion(f *fields) {
	r.chunk(f)
	r.end(endOfChat(r.answer.Finish))
}
