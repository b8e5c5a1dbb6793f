package run

import "bytes"

// headLen is how much of an event is looked at to know its kind: more than
// "event: response.incomplete" and a type right behind it take.
const headLen = 128

// ending notices the event that ends a stream, by looking only at where the
// last event begins. It is there for gateways that keep the connection open
// after the end; the reply reader decides later what the end was, so being
// wrong costs nothing but a look.
type ending struct {
	head  [headLen]byte // start of the last event
	n     int
	blank int // line feeds since the last event's last line
}

// scan takes the next bytes of the stream. It is called for every read: its
// cost is that of looking back over one event.
func (e *ending) scan(p []byte) {
	body := bytes.TrimRight(p, "\r\n")
	if len(body) > 0 {
		event := bytes.TrimLeft(body, "\r\n")
		e.blank += lineFeeds(body[:len(body)-len(event)])
		switch start := lastEvent(event); {
		case start > 0:
			e.n = copy(e.head[:], event[start:])
		case e.blank >= 2 || e.n == 0:
			e.n = copy(e.head[:], event)
		default: // the event goes on; within one event lines end with one feed
			if e.blank == 1 && e.n < headLen {
				e.head[e.n] = '\n'
				e.n++
			}
			e.n += copy(e.head[e.n:], event)
		}
		e.blank = 0
	}
	e.blank += lineFeeds(p[len(body):])
}

// ended says whether what was scanned ends with a whole event of a kind that
// ends a stream (F43, F45, F46, F49).
func (e *ending) ended() bool {
	return e.blank >= 2 && terminal(e.head[:e.n])
}

// lastEvent is where in p the last event begins, 0 if p holds no empty line.
func lastEvent(p []byte) int {
	for i := len(p); i > 0; {
		i = bytes.LastIndexByte(p[:i], '\n')
		if i <= 0 {
			return 0
		}
		if before := bytes.TrimRight(p[:i], "\r"); len(before) > 0 && before[len(before)-1] == '\n' {
			return i + 1
		}
	}
	return 0
}

func lineFeeds(p []byte) int { return bytes.Count(p, []byte{'\n'}) }

// terminal says whether an event that starts like this ends a stream. Text
// cannot look like it: a quotation mark within a JSON string is escaped.
func terminal(head []byte) bool {
	if data, ok := bytes.CutPrefix(head, []byte("data:")); ok &&
		bytes.HasPrefix(bytes.TrimLeft(data, " "), []byte("[DONE]")) {
		return true
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
