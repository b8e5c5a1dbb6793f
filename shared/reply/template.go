package reply

import "bytes"

// The fragments of an answer are the same event over and over, but for the
// fragment itself and perhaps a running number. So an event that did nothing
// but add text is remembered as a template, and the next one is first
// compared with that: if all else is the same to the byte, and what stands in the
// fragment's place is a string, then it is as well formed as the one before,
// means the same, and adds its text. Anything else is read in full. A fuzz
// test compares the two ways.

// template is an event with two holes: the fragment, and the sequence number
// if the event has one. It is what stands before, between and behind them.
type template struct {
	ok     bool
	name   string    // of the event
	lit    [3][]byte // what stands around the holes
	fields [2]hole
	sink   sink
	item   *item // of sink intoItem
}

type hole uint8

const (
	noHole hole = iota
	fragmentHole
	numberHole
)

// sink is where a fragment's text goes.
type sink uint8

const (
	intoText sink = iota
	intoReasoning
	intoItem
)

// added notes, for learn, where the text of an event stood and where it went.
type added struct {
	raw  raw
	sink sink
	item *item
}

// maxTemplate bounds the event that is remembered, in bytes.
const maxTemplate = 8 << 10

const numberKey = `"sequence_number":`

// learn makes the template of an event whose only effect was to add the text
// that was noted.
func (t *template) learn(name string, data []byte, a added) {
	if len(data) > maxTemplate {
		return
	}
	t.ok, t.name, t.sink, t.item = true, name, a.sink, a.item
	// A value shares its document's array up to the end, which tells where in
	// the document it stands.
	start := cap(data) - cap(a.raw) + 1
	end := start + len(a.raw) - 2
	t.fields = [2]hole{fragmentHole, noHole}
	head, tail := data[:start], data[end:]
	if i, n := sequence(head); n > 0 {
		t.fields = [2]hole{numberHole, fragmentHole}
		t.set(head[:i], head[i+n:], tail)
		return
	}
	if i, n := sequence(tail); n > 0 {
		t.fields[1] = numberHole
		t.set(head, tail[:i], tail[i+n:])
		return
	}
	t.set(head, tail, nil)
}

func (t *template) set(parts ...[]byte) {
	for i, p := range parts {
		t.lit[i] = append(t.lit[i][:0], p...)
	}
}

// sequence is where the sequence number stands in part of an event, and how
// many digits it has.
func sequence(b []byte) (at, digits int) {
	i := bytes.Index(b, []byte(numberKey))
	if i < 0 {
		return 0, 0
	}
	i += len(numberKey)
	return i, integer(b[i:])
}

// integer is how many bytes at the start of b are a whole number.
func integer(b []byte) int {
	n := 0
	for n < len(b) && b[n] >= '0' && b[n] <= '9' {
		n++
	}
	if n > 1 && b[0] == '0' {
		return 0
	}
	return n
}

// match returns the fragment of an event that is as the template.
func (t *template) match(name string, data []byte) (fragment raw, ok bool) {
	if !t.ok || name != t.name {
		return nil, false
	}
	rest := data
	for i, lit := range t.lit {
		if !bytes.HasPrefix(rest, lit) {
			return nil, false
		}
		rest = rest[len(lit):]
		if i == len(t.fields) {
			break
		}
		switch t.fields[i] {
		case fragmentHole:
			at := len(data) - len(rest) - 1 // the opening quote, in the part before
			end, ok := checkString(data, at)
			if !ok {
				return nil, false
			}
			fragment = raw(data[at:end])
			rest = data[end-1:]
		case numberHole:
			n := integer(rest)
			if n == 0 {
				return nil, false
			}
			rest = rest[n:]
		}
	}
	return fragment, len(rest) == 0
}
