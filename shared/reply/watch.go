package reply

import (
	"bytes"

	"screentest/shared/gateway"
	"screentest/shared/sse"
)

// A Watch follows a reply for the two things that a relay must know while it
// lasts: when the answer began and when it is over. Use it where the answer
// itself is not wanted; it costs a fraction of a [Reader], because once the
// answer has begun, an event is only looked at for being the last.
type Watch struct {
	r     *Reader
	began bool
}

// NewWatch returns a Watch for a reply; see [NewReader].
func NewWatch(ep gateway.Endpoint, contentType string) *Watch {
	return &Watch{r: NewReader(ep, contentType)}
}

// Began says whether anything of the answer has come.
func (w *Watch) Began() bool { return w.began }

// Ended says whether the reply has said that it is at its end.
func (w *Watch) Ended() bool { return w.r.Ended() }

// Push takes the next bytes of the reply.
func (w *Watch) Push(p []byte) {
	r := w.r
	if w.began && r.form != eventStream {
		return // a JSON reply ends where its bytes end
	}
	if !w.began {
		r.Push(p)
		if w.began = r.answer.Began(); w.began {
			r.answer = Answer{State: r.answer.State}
			r.current, r.head, r.body, r.scratch = nil, nil, nil, nil
		}
		return
	}
	for ev, err := range r.dec.Push(p) {
		if r.over {
			continue
		}
		if err != nil {
			r.dropped(ev.Name)
		} else if last(ev) {
			r.event(ev.Name, ev.Data)
			r.answer, r.current = Answer{State: r.answer.State}, nil
		}
	}
}

// last says whether an event may be one that ends a stream; it is then read.
func last(ev sse.Event) bool {
	if len(ev.Data) < 16 { // [DONE]
		return true
	}
	switch ev.Name {
	case "", "message":
		return bytes.Contains(ev.Data, []byte(`"error"`)) || mayEnd(ev.Data)
	case "response.completed", "response.failed", "response.incomplete", "response.cancelled", "response.done", "response.error", "error":
		return true
	}
	return false
}

// mayEnd looks for the type of a terminal event, which gateways that leave
// out the line with its name put in the data only.
func mayEnd(data []byte) bool {
	for {
		i := bytes.Index(data, []byte(`"response.`))
		if i < 0 {
			return false
		}
		data = data[i+len(`"response.`):]
		for _, word := range []string{`completed"`, `failed"`, `incomplete"`, `cancelled"`, `done"`, `error"`} {
			if len(data) >= len(word) && string(data[:len(word)]) == word {
				return true
			}
		}
	}
}
