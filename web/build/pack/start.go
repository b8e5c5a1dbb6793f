package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// count is what the program writes into its memory before anything else runs: n
// numbers of 32 bits, stride bytes apart, the first of them and then each step
// more than the one before. Written out in the file they hardly compress.
type count struct {
	at, n, stride, first, step uint32
}

// The instructions, see
// https://webassembly.github.io/spec/core/binary/instructions.html.
const (
	loop     = 0x03
	brIf     = 0x0d
	call     = 0x10
	localGet = 0x20
	localSet = 0x21
	localTee = 0x22
	i32Store = 0x36
	i32Add   = 0x6a
	i32Sub   = 0x6b

	functionType = 0x60
	i32          = 0x7f
	void         = 0x40
	aligned4     = 2 // as a power of two
)

// The parameters of the function that counts.
const (
	at byte = iota
	left
	stride
	value
	step
)

var countType = []byte{functionType, 5, i32, i32, i32, i32, i32, 0}

var countBody = []byte{
	0, // no variables but the parameters
	loop, void,
	localGet, at, localGet, value, i32Store, aligned4, 0, // memory[at] = value
	localGet, at, localGet, stride, i32Add, localSet, at, // at += stride
	localGet, value, localGet, step, i32Add, localSet, value, // value += step
	localGet, left, i32Const, 1, i32Sub, localTee, left, brIf, 0, // if left--; left != 0, again
	end,
	end,
}

var startType = []byte{functionType, 0, 0}

// addStart makes the program count when it is instantiated. The functions that
// do it come last, so that all others keep their numbers.
func (p *program) addStart(counts []count) error {
	if p.section(startSection) != nil {
		return errors.New("it has a start function already, which Go's linker does not write: look at what has changed")
	}
	imports, err := p.importedFunctions()
	if err != nil {
		return err
	}
	types, err := p.appendTo(typeSection, countType, startType)
	if err != nil {
		return err
	}
	countFunction, err := p.appendTo(functionSection,
		binary.AppendUvarint(nil, uint64(types)), binary.AppendUvarint(nil, uint64(types+1)))
	if err != nil {
		return err
	}
	countFunction += imports
	startBody := []byte{0}
	for _, c := range counts {
		for _, v := range []uint32{c.at, c.n, c.stride, c.first, c.step} {
			startBody = appendInt(append(startBody, i32Const), int64(int32(v)))
		}
		startBody = binary.AppendUvarint(append(startBody, call), uint64(countFunction))
	}
	startBody = append(startBody, end)
	if _, err := p.appendTo(codeSection, sized(countBody), sized(startBody)); err != nil {
		return err
	}
	place := slices.IndexFunc(*p, func(s section) bool { return s.id > startSection })
	*p = slices.Insert(*p, place, section{startSection, binary.AppendUvarint(nil, uint64(countFunction+1))})
	return nil
}

func sized(b []byte) []byte { return append(binary.AppendUvarint(nil, uint64(len(b))), b...) }

// importedFunctions returns how many functions are imported: their numbers come
// before those of the program's own.
func (p program) importedFunctions() (int, error) {
	s := p.section(importSection)
	if s == nil {
		return 0, nil
	}
	r := reader{s.body}
	n := int(r.uint())
	for i := range n {
		r.bytes(r.uint()) // the module
		r.bytes(r.uint()) // the name
		if kind := r.byte(); kind != 0 {
			return 0, fmt.Errorf("import %d is no function", i)
		}
		r.uint() // the type
		if r.p == nil {
			return 0, errShort
		}
	}
	return n, nil
}
