package reply

import "screentest/shared/gateway"

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

// Began says whether anything of the answer has come; of a JSON reply, which
// comes when the answer is finished, its first bytes.
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
		if w.began = r.answer.Began() || r.form == jsonBody; w.began {
			w.forget()
			r.head, r.body = nil, nil
		}
		return
	}
	for ev, err := range r.dec.Push(p) {
		switch {
		case r.over:
		case err != nil:
			r.dropped(ev.Name)
		default:
			if _, ok := r.tmpl.match(ev.Name, ev.Data); !ok {
				r.event(ev.Name, ev.Data)
				w.forget()
			}
		}
	}
}

// forget drops the answer, which nobody asks for.
func (w *Watch) forget() {
	w.r.answer, w.r.current = Answer{State: w.r.answer.State}, nil
}
