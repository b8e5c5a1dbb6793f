package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// A program begins with header; then come its sections: an id, a length and
// that many bytes. See https://webassembly.github.io/spec/core/binary/modules.html.
const header = "\x00asm\x01\x00\x00\x00"

const (
	typeSection      = 1
	importSection    = 2
	functionSection  = 3
	startSection     = 8
	elementSection   = 9
	codeSection      = 10
	dataSection      = 11
	dataCountSection = 12
)

// program is a WebAssembly program, section by section.
type program []section

type section struct {
	id   byte
	body []byte
}

var errShort = errors.New("it ends in the middle, or a length in it is wrong")

func parse(b []byte) (program, error) {
	rest, ok := bytes.CutPrefix(b, []byte(header))
	if !ok {
		return nil, errors.New("it is no WebAssembly program of version 1")
	}
	var p program
	for r := (reader{rest}); len(r.p) > 0; {
		s := section{r.byte(), r.bytes(r.uint())}
		if r.p == nil {
			return nil, errShort
		}
		p = append(p, s)
	}
	return p, nil
}

func (p program) bytes() []byte {
	out := []byte(header)
	for _, s := range p {
		out = append(out, s.id)
		out = binary.AppendUvarint(out, uint64(len(s.body)))
		out = append(out, s.body...)
	}
	return out
}

// section returns the section with that id, or nil.
func (p program) section(id byte) *section {
	for i := range p {
		if p[i].id == id {
			return &p[i]
		}
	}
	return nil
}

// appendTo appends items to a section that is a count and so many items, and
// returns the index of the first.
func (p program) appendTo(id byte, items ...[]byte) (int, error) {
	s := p.section(id)
	if s == nil {
		return 0, fmt.Errorf("it has no section %d", id)
	}
	r := reader{s.body}
	n := r.uint()
	if r.p == nil {
		return 0, errShort
	}
	s.body = slices.Concat(binary.AppendUvarint(nil, n+uint64(len(items))), r.p, slices.Concat(items...))
	return int(n), nil
}

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
