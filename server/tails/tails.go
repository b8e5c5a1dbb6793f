// Package tails keeps the ends of other replicas' answers. What a gateway sends
// reaches the database some moments later; so that nothing is lost that somebody was
// shown meanwhile, whoever receives it hands it to another replica first, its keeper.
//
// A [Sender] hands it on, a [Keeper] takes it. When a replica is gone, whoever takes
// over its answers asks all others ([Keeper.Take]), and finds the longest.
package tails

import (
	"encoding/binary"
	"errors"
)

// A Tail is a stretch of an answer's log that is not stored.
type Tail struct {
	Owner, Run string
	// Type is the reply's Content-Type, "" where it was told before.
	Type   string
	From   int64 // offset of the first byte of Data
	Stored int64 // the database has what is below
	Data   []byte
	// Times are when the bytes came, in order, as far as they are known.
	Times []Time
	// Ended says that the database has all of it: nothing is to be kept.
	Ended bool
}

// Time is when so many bytes had come, in milliseconds since the answer's start.
type Time struct {
	MS  uint32
	Len uint32
}

// End is the offset behind the tail.
func (t Tail) End() int64 { return t.From + int64(len(t.Data)) }

var errTail = errors.New("a tail of another replica can't be read")

// Append encodes t behind dst.
func Append(dst []byte, t Tail) []byte {
	ended := byte(0)
	if t.Ended {
		ended = 1
	}
	dst = append(dst, ended)
	for _, s := range []string{t.Owner, t.Run, t.Type} {
		dst = append(binary.AppendUvarint(dst, uint64(len(s))), s...)
	}
	dst = binary.AppendUvarint(dst, uint64(t.From))
	dst = binary.AppendUvarint(dst, uint64(t.Stored))
	dst = binary.AppendUvarint(dst, uint64(len(t.Times)))
	for _, x := range t.Times {
		dst = binary.AppendUvarint(dst, uint64(x.MS))
		dst = binary.AppendUvarint(dst, uint64(x.Len))
	}
	return append(binary.AppendUvarint(dst, uint64(len(t.Data))), t.Data...)
}

// Parse decodes what Append has made of several. Their Data is part of p.
func Parse(p []byte) (all []Tail, err error) {
	d := decoder{p: p}
	for len(d.p) > 0 && !d.bad {
		t := Tail{Ended: d.bytes(1) != nil && d.last[0] == 1}
		t.Owner, t.Run, t.Type = string(d.sized()), string(d.sized()), string(d.sized())
		t.From, t.Stored = int64(d.number()), int64(d.number())
		n := d.number()
		if n > uint64(len(d.p)) { // each takes two bytes at least
			return nil, errTail
		}
		for range n {
			t.Times = append(t.Times, Time{uint32(d.number()), uint32(d.number())})
		}
		t.Data = d.sized()
		if t.From < 0 || t.Stored < 0 {
			d.bad = true
		}
		all = append(all, t)
	}
	if d.bad {
		return nil, errTail
	}
	return all, nil
}

type decoder struct {
	p    []byte
	last []byte // of bytes
	bad  bool
}

func (d *decoder) number() uint64 {
	n, k := binary.Uvarint(d.p)
	if k <= 0 {
		d.bad, d.p = true, nil
		return 0
	}
	d.p = d.p[k:]
	return n
}

func (d *decoder) bytes(n uint64) []byte {
	if n > uint64(len(d.p)) {
		d.bad, d.p = true, nil
		return nil
	}
	d.last, d.p = d.p[:n:n], d.p[n:]
	return d.last
}

func (d *decoder) sized() []byte { return d.bytes(d.number()) }
