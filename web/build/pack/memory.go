package main

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// Go's linker leaves out every few zeros of the program's data, which makes
// 100 000 segments of it, each with a header that compresses badly: a twentieth
// of what a first visit loads. Memory begins as zeros, so writing them out
// changes nothing.

// maxGap is how many zeros between two segments are written out, in bytes.
// More of them, such as those of variables, would only be longer.
const maxGap = 256

// maxMemory is far above what the data of a program for the browser takes.
const maxMemory = 1 << 28

// Of the kinds of segments Go has only this: of the one memory, at an offset
// that is a constant of 32 bits.
const (
	activeSegment = 0x00
	i32Const      = 0x41
	end           = 0x0b
)

// segment is what is written to memory at offset before the program starts.
type segment struct {
	offset int64
	data   []byte
}

// memory returns what the program's memory holds when it starts, from address 0
// to the end of its data.
func (p program) memory() ([]byte, error) {
	if p.section(dataCountSection) != nil {
		return nil, errors.New("it counts its data segments in a section of its own, which Go's linker does not: look at what has changed")
	}
	s := p.section(dataSection)
	if s == nil {
		return nil, errors.New("it has no data")
	}
	segments, err := readSegments(s.body)
	if err != nil {
		return nil, err
	}
	// Go's linker writes them section by section, which isn't by offset.
	slices.SortFunc(segments, func(a, b segment) int { return cmp.Compare(a.offset, b.offset) })
	var mem []byte
	for _, s := range segments {
		gap := s.offset - int64(len(mem))
		if gap < 0 {
			return nil, fmt.Errorf("the data segment at %d begins before the end of the one before it, at %d", s.offset, len(mem))
		}
		if s.offset+int64(len(s.data)) > maxMemory {
			return nil, fmt.Errorf("the data segment at %d ends above %d", s.offset, maxMemory)
		}
		mem = append(append(mem, make([]byte, gap)...), s.data...)
	}
	return mem, nil
}

// setMemory makes the program start with mem.
func (p program) setMemory(mem []byte) {
	p.section(dataSection).body = writeSegments(split(mem))
}

// split returns the segments of mem, between which there are more than maxGap
// zeros each.
func split(mem []byte) (out []segment) {
	gap := make([]byte, maxGap+1)
	for at := 0; at < len(mem); {
		if mem[at] == 0 {
			at++
			continue
		}
		n := bytes.Index(mem[at:], gap)
		if n < 0 {
			n = len(bytes.TrimRight(mem[at:], "\x00"))
		}
		out = append(out, segment{int64(at), mem[at : at+n]})
		at += n
	}
	return out
}

func readSegments(body []byte) ([]segment, error) {
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

func writeSegments(segments []segment) []byte {
	out := binary.AppendUvarint(nil, uint64(len(segments)))
	for _, s := range segments {
		out = append(out, activeSegment, i32Const)
		out = append(appendInt(out, s.offset), end)
		out = binary.AppendUvarint(out, uint64(len(s.data)))
		out = append(out, s.data...)
	}
	return out
}
