// Package sse reads event streams (text/event-stream) as gateways send them.
// Use a [Decoder]: push bytes in as they come, in pieces of any size, and
// range over the events that they complete.
//
// It is a push decoder because the same bytes are read in two places: from a
// run's log in the browser, where nothing may block, and on the server when a
// run ends. It starts no goroutine and, once warm, allocates nothing for an
// event that lies whole in one piece.
//
// The rules are those of the HTML standard with three of our own, which the
// gateways make necessary: an unfinished event at the end of the stream counts
// when it is whole JSON or [DONE]; a line has a largest size; every event
// knows where in the stream it stood.
package sse

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
)

// Limits, in bytes.
const (
	// DefaultMaxLine is the longest line that a Decoder takes unless told
	// otherwise, without its line end.
	DefaultMaxLine = 1 << 20
	// eventLines bounds the joined data of one event, in lines of the
	// largest size.
	eventLines = 4
	// keepBuffer is the largest buffer kept from one event for the next.
	keepBuffer = 64 << 10
	// maxNames and maxName bound the names remembered, so that they are not
	// allocated again for each event.
	maxNames = 64
	maxName  = 64
)

// ErrTooLong is wrapped by the error of an event that was dropped because a
// line of it, or all its data together, passed the limit.
var ErrTooLong = errors.New("event too long")

// An Event is one message of a stream.
type Event struct {
	// Name is the value of its "event" line, "" without one.
	Name string
	// Data is its "data" lines joined with line feeds. It points into the
	// bytes pushed or into the decoder, and holds only until the next step of
	// the loop: copy what is to be kept.
	Data []byte
	// Start and End are offsets in the stream, in bytes: of the first byte of
	// its first line, and of the byte after the one that completed it. The
	// stream up to End is the shortest that yields the event. (Where lines end
	// with CR LF, the CR of the empty line completes it, and its LF stands
	// between two events.)
	Start, End int64
}

// A Decoder turns the bytes of one stream into events. The zero value is ready.
// It is not safe for concurrent use.
type Decoder struct {
	// MaxLine is the longest line taken, in bytes; 0 means DefaultMaxLine.
	// All data lines of an event together may be four times that. Set it
	// before the first Push.
	MaxLine int

	off    int64  // offset of the next byte of the stream
	line   []byte // the unfinished line, from earlier pushes
	skipLF bool   // the last byte was a CR: an LF now is part of that line end

	// The event being gathered.
	open    bool  // it has a line
	start   int64 // offset of its first line
	name    string
	hasData bool
	data    []byte // its data; in buf if owned, else in the caller's bytes or in line
	owned   bool
	buf     []byte

	tooLong  bool // the current line passed the limit: skip to its end
	skipping bool // the current event was given up: skip to its empty line

	names map[string]string
}

// Push takes the next bytes of the stream and yields the events they complete.
// The bytes are read only by ranging over the result, exactly once:
//
//	for ev, err := range d.Push(p) { … }
//
// A loop that is left early leaves the decoder in step: the rest of p is read,
// and its events are dropped.
//
// An error means that one event was dropped, for being too long; it wraps
// [ErrTooLong], and comes as soon as that is known, with the event's name if
// that came before, its Start, and in End how far it had been read. Decoding
// goes on with the event after it.
func (d *Decoder) Push(p []byte) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) { d.push(p, yield) }
}

func (d *Decoder) push(p []byte, yield func(Event, error) bool) {
	base := d.off
	d.off += int64(len(p))
	limit := d.maxLine()
	wanted := true
	give := func(ev Event, err error) {
		if wanted {
			wanted = yield(ev, err)
		}
	}
	// The next LF and CR at or after i. Each is looked for only once it has
	// been passed, so that neither kind of line costs a second scan.
	lf, cr := -1, -1
	for i := 0; i < len(p); {
		if d.skipLF {
			d.skipLF = false
			if p[i] == '\n' {
				i++
				continue
			}
		}
		if lf < i {
			lf = index(p, i, '\n')
		}
		if cr < i {
			cr = index(p, i, '\r')
		}
		end := min(lf, cr)
		piece := p[i:end]
		start := base + int64(i) - int64(len(d.line))
		if !d.tooLong && len(d.line)+len(piece) > limit {
			if !d.skipping {
				give(d.giveUp(start, start+int64(limit), fmt.Errorf("%w: a line passes %d bytes", ErrTooLong, limit)))
			}
			d.tooLong, d.line = true, nil
		}
		if end == len(p) { // no line end yet
			if !d.tooLong {
				d.keepData()
				d.line = append(d.line, piece...)
			}
			break
		}
		d.skipLF = p[end] == '\r'
		i = end + 1
		if d.tooLong {
			d.tooLong = false
			continue
		}
		line := piece
		if len(d.line) > 0 {
			d.line = append(d.line, piece...)
			line, d.line = d.line, d.line[:0]
		}
		if start == 0 {
			line = bytes.TrimPrefix(line, []byte(bom))
		}
		switch {
		case len(line) == 0:
			if ev, ok := d.dispatch(base + int64(i)); ok {
				give(ev, nil)
			}
		case d.skipping:
		default:
			if err := d.field(line, start); err != nil {
				give(d.giveUp(start, base+int64(end), err))
			}
		}
	}
	d.keepData()
	d.shrink()
}

// Close ends the stream. An event that the stream broke off is returned when
// its data is whole JSON or [DONE]: some gateways leave out the last empty
// line. Then the decoder is ready for another stream.
func (d *Decoder) Close() (Event, bool) {
	defer func() { *d = Decoder{MaxLine: d.MaxLine} }()
	if len(d.line) > 0 && !d.tooLong && !d.skipping {
		start := d.off - int64(len(d.line))
		line := d.line
		if start == 0 {
			line = bytes.TrimPrefix(line, []byte(bom))
		}
		if len(line) > 0 && d.field(line, start) != nil {
			return Event{}, false
		}
	}
	data := bytes.TrimSpace(d.data)
	if !d.hasData || string(data) != done && !json.Valid(data) {
		return Event{}, false
	}
	return d.dispatch(d.off)
}

const (
	bom  = "\ufeff"
	done = "[DONE]"
)

func (d *Decoder) maxLine() int {
	if d.MaxLine > 0 {
		return d.MaxLine
	}
	return DefaultMaxLine
}

// index is the place of the first c in p at or after i, len(p) without one.
func index(p []byte, i int, c byte) int {
	if n := bytes.IndexByte(p[i:], c); n >= 0 {
		return i + n
	}
	return len(p)
}

// field takes one line that is not empty.
func (d *Decoder) field(line []byte, start int64) error {
	if line[0] == ':' {
		return nil // a comment; gateways send them to keep the connection
	}
	if !d.open {
		d.open, d.start = true, start
	}
	name, value := line, []byte(nil)
	if i := bytes.IndexByte(line, ':'); i >= 0 {
		name, value = line[:i], line[i+1:]
		if len(value) > 0 && value[0] == ' ' {
			value = value[1:]
		}
	}
	switch string(name) {
	case "data":
		return d.addData(value)
	case "event":
		d.name = d.intern(value)
	}
	return nil
}

func (d *Decoder) addData(value []byte) error {
	if !d.hasData {
		d.hasData, d.data = true, value
		return nil
	}
	if most := eventLines * d.maxLine(); len(d.data)+1+len(value) > most {
		return fmt.Errorf("%w: its data passes %d bytes", ErrTooLong, most)
	}
	d.keepData()
	d.buf = append(d.buf, '\n')
	d.buf = append(d.buf, value...)
	d.data = d.buf
	return nil
}

// keepData copies the data gathered so far out of bytes that are about to be
// written over.
func (d *Decoder) keepData() {
	if d.hasData && !d.owned {
		d.buf = append(d.buf[:0], d.data...)
		d.data, d.owned = d.buf, true
	}
}

func (d *Decoder) dispatch(end int64) (Event, bool) {
	ev := Event{Name: d.name, Data: d.data, Start: d.start, End: end}
	ok := d.hasData
	d.reset()
	return ev, ok
}

// giveUp drops the event that is being gathered.
func (d *Decoder) giveUp(start, end int64, err error) (Event, error) {
	ev := Event{Name: d.name, Start: start, End: end}
	if d.open {
		ev.Start = d.start
	}
	d.reset()
	d.skipping = true
	return ev, err
}

func (d *Decoder) reset() {
	d.open, d.name = false, ""
	d.hasData, d.data, d.owned = false, nil, false
	d.skipping = false
}

// shrink lets go of what one unusually long event needed.
func (d *Decoder) shrink() {
	if cap(d.buf) > keepBuffer && !d.owned {
		d.buf = nil
	}
	if cap(d.line) > keepBuffer && len(d.line) == 0 {
		d.line = nil
	}
}

// intern is string(b), without a new string for a name met before.
func (d *Decoder) intern(b []byte) string {
	if s, ok := d.names[string(b)]; ok {
		return s
	}
	s := string(b)
	if len(b) <= maxName && len(d.names) < maxNames {
		if d.names == nil {
			d.names = make(map[string]string)
		}
		d.names[s] = s
	}
	return s
}
