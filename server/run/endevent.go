package run

import "bytes"

// headLen is how much of an event is looked at to know its kind: more than
// "event: response.incomplete" and a type right behind it take.
const headLen = 128

// endScanner notices the event that ends a stream, by the beginning of each event.
// It is there for gateways that keep the connection open after the end, or go
// on sending; what follows within a short while is still taken, and the reply
// reader decides later what the end was.
type endScanner struct {
	head [headLen]byte // start of the event under way
	n    int
	line bool // the line under way has something in it
	over bool
}

// scan takes the next bytes of the stream and says whether a whole event that
// ends it has come (F43, F45, F46, F49). It costs a look at each line.
func (e *endScanner) scan(p []byte) (ended bool) {
	for len(p) > 0 && !e.over {
		line, rest, whole := bytes.Cut(p, []byte{'\n'})
		p = rest
		if line = bytes.TrimRight(line, "\r"); len(line) > 0 {
			e.n += copy(e.head[e.n:], line)
			e.line = true
		}
		switch {
		case !whole: // the rest of the line is still to come
		case e.line:
			e.n += copy(e.head[e.n:], "\n")
			e.line = false
		default: // an empty line ends the event
			e.over = terminal(e.head[:e.n])
			e.n = 0
		}
	}
	return e.over
}

// terminal says whether an event that starts like this ends a stream. Text
// cannot look like it: a quotation mark within a JSON string is escaped.
func terminal(head []byte) bool {
	if data, ok := bytes.CutPrefix(head, []byte("data:")); ok &&
		bytes.HasPrefix(bytes.TrimLeft(data, " "), []byte("[DONE]")) {
		return true
	}
	if !bytes.Contains(head, []byte("response.")) {
		return false // no event of a chat has it, and this is asked of every one
	}
	for _, kind := range []string{"completed", "failed", "incomplete"} {
		name := "response." + kind
		if bytes.HasPrefix(head, []byte("event: "+name)) || bytes.HasPrefix(head, []byte("event:"+name)) ||
			bytes.Contains(head, []byte(`"type":"`+name+`"`)) || bytes.Contains(head, []byte(`"type": "`+name+`"`)) {
			return true
		}
	}
	return false
}
