// Command pack joins the data segments of a WebAssembly program that lie
// close together.
//
//	pack IN OUT
//
// Go's linker leaves out every few zeros of the program's data, which makes
// 100 000 segments of it, each with a header that compresses badly: a twentieth
// of what a first visit loads. Memory begins as zeros, so writing them out
// changes nothing.
package main

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
)

// maxGap is how many zeros between two segments are written out, in bytes.
// Larger ones, such as those of variables, would only be longer.
const maxGap = 256

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: pack IN OUT")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

func run(in, out string) error {
	program, err := os.ReadFile(in)
	if err != nil {
		return err
	}
	joined, err := join(program)
	if err != nil {
		return fmt.Errorf("%s: %w", in, err)
	}
	return os.WriteFile(out, joined, 0o644)
}

// A program begins with header; then come its sections: an id, a length and
// that many bytes. See https://webassembly.github.io/spec/core/binary/modules.html.
const (
	header           = "\x00asm\x01\x00\x00\x00"
	dataSection      = 11
	dataCountSection = 12
)

// join returns the program with its data segments joined.
func join(program []byte) ([]byte, error) {
	rest, ok := bytes.CutPrefix(program, []byte(header))
	if !ok {
		return nil, errors.New("it is no WebAssembly program of version 1")
	}
	out := append(make([]byte, 0, len(program)), header...)
	for r := (reader{rest}); len(r.p) > 0; {
		id := r.byte()
		body := r.bytes(r.uint())
		if r.p == nil {
			return nil, errShort
		}
		switch id {
		case dataCountSection:
			return nil, errors.New("it counts its data segments in a section of its own, which Go's linker does not: look at what has changed")
		case dataSection:
			segments, err := readData(body)
			if err != nil {
				return nil, err
			}
			if segments, err = joinSegments(segments); err != nil {
				return nil, err
			}
			body = writeData(segments)
		}
		out = append(out, id)
		out = binary.AppendUvarint(out, uint64(len(body)))
		out = append(out, body...)
	}
	return out, nil
}

// segment is what is written to memory at offset before the program starts.
type segment struct {
	offset int64
	data   []byte
}

// joinSegments joins each segment with those before it that end at most maxGap
// bytes before it. Go's linker writes them section by section, which isn't by
// offset; where none overlaps another the order makes no difference.
func joinSegments(segments []segment) (out []segment, err error) {
	slices.SortFunc(segments, func(a, b segment) int { return cmp.Compare(a.offset, b.offset) })
	for _, s := range segments {
		if n := len(out); n > 0 {
			last := &out[n-1]
			gap := s.offset - last.offset - int64(len(last.data))
			if gap < 0 {
				return nil, fmt.Errorf("the data segment at %d begins before the end of the one at %d", s.offset, last.offset)
			}
			if gap <= maxGap {
				last.data = append(append(last.data, make([]byte, gap)...), s.data...)
				continue
			}
		}
		out = append(out, segment{s.offset, bytes.Clone(s.data)})
	}
	return out, nil
}

// Of the kinds of segments Go has only this: of the one memory, at an offset
// that is a constant of 32 bits.
const (
	activeSegment = 0x00
	i32Const      = 0x41
	end           = 0x0b
)

func readData(body []byte) ([]segment, error) {
	r := reader{body}
	var out []segment
	for n := r.uint(); n > 0 && r.p != nil; n-- {
		kind, op := r.byte(), r.byte()
		s := segment{offset: r.int()}
		if kind != activeSegment || op != i32Const || r.byte() != end {
			return nil, fmt.Errorf("data segment %d is not of the one kind that Go's linker writes", len(out))
		}
		s.data = r.bytes(r.uint())
		out = append(out, s)
	}
	if r.p == nil || len(r.p) > 0 {
		return nil, errShort
	}
	return out, nil
}

func writeData(segments []segment) []byte {
	out := binary.AppendUvarint(nil, uint64(len(segments)))
	for _, s := range segments {
		out = append(out, activeSegment, i32Const)
		out = append(appendInt(out, s.offset), end)
		out = binary.AppendUvarint(out, uint64(len(s.data)))
		out = append(out, s.data...)
	}
	return out
}

var errShort = errors.New("it ends in the middle, or a length in it is wrong")

// reader takes from the front of p, which is nil once that was not possible.
type reader struct{ p []byte }

func (r *reader) bytes(n uint64) []byte {
	if n > uint64(len(r.p)) {
		r.p = nil
		return nil
	}
	b := r.p[:n]
	r.p = r.p[n:]
	return b
}

func (r *reader) byte() byte {
	if b := r.bytes(1); len(b) == 1 {
		return b[0]
	}
	return 0
}

// uint reads a LEB128 number, which is what encoding/binary calls a varint.
func (r *reader) uint() uint64 {
	v, n := binary.Uvarint(r.p)
	if n <= 0 {
		r.p = nil
		return 0
	}
	r.p = r.p[n:]
	return v
}

// int reads a signed LEB128 number: of the last of its groups of 7 bits the
// highest is the sign.
func (r *reader) int() int64 {
	var v int64
	for shift := 0; shift < 64; shift += 7 {
		b := r.byte()
		v |= int64(b&0x7f) << shift
		if b&0x80 == 0 {
			if b&0x40 != 0 && shift+7 < 64 {
				v |= -1 << (shift + 7)
			}
			return v
		}
	}
	r.p = nil
	return 0
}

func appendInt(out []byte, v int64) []byte {
	for {
		b := byte(v & 0x7f)
		v >>= 7
		if v == 0 && b&0x40 == 0 || v == -1 && b&0x40 != 0 {
			return append(out, b)
		}
		out = append(out, b|0x80)
	}
}
