package main

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Before each call Go's code stores where to go on afterwards: the function's
// number in the upper 48 bits and a place in it in the lower 16. That is 60 000
// times a number that is different everywhere. A function that calls others now
// keeps its own number in a variable and adds the place, which is small and
// alike in all functions: 3 % less to load.

// More instructions than in start.go.
const (
	block     = 0x02 // before it those that do nothing and that fail
	ifBlock   = 0x04
	elseBlock = 0x05
	br        = 0x0c
	brTable   = 0x0e
	ret       = 0x0f
	callTable = 0x11
	drop      = 0x1a
	choose    = 0x1b
	globalSet = 0x24
	i32Load   = 0x28 // from here on all loads and stores
	lastStore = 0x3e
	memSize   = 0x3f
	memGrow   = 0x40
	i64Const  = 0x42
	f32Const  = 0x43
	f64Const  = 0x44
	i32Eqz    = 0x45 // from here on arithmetic
	i64Or     = 0x84
	lastPlain = 0xc4
	prefixed  = 0xfc

	memCopy = 10 // behind prefixed
	memFill = 11

	i64 = 0x7e
)

// shortenCode rewrites the code of all functions.
func (p program) shortenCode() error {
	params, err := p.params()
	if err != nil {
		return err
	}
	s := p.section(codeSection)
	if s == nil {
		return errors.New("it has no code")
	}
	r := reader{s.body}
	n := r.uint()
	if n != uint64(len(params)) {
		return fmt.Errorf("it has %d functions and the code of %d", len(params), n)
	}
	out := binary.AppendUvarint(nil, n)
	for i := range params {
		body := r.bytes(r.uint())
		if r.p == nil {
			return errShort
		}
		if body, err = shortenFunction(body, firstFunction+int64(i), params[i]); err != nil {
			return fmt.Errorf("function %d: %w", i, err)
		}
		out = append(out, sized(body)...)
	}
	s.body = out
	return nil
}

// firstFunction is the number that Go's linker gives to the first function of
// the program's own. If it were another, nothing would be found to shorten.
const firstFunction = 4096

// params returns how many parameters each function of the program's own has.
func (p program) params() ([]uint64, error) {
	types, functions := p.section(typeSection), p.section(functionSection)
	if types == nil || functions == nil {
		return nil, errors.New("it has no functions")
	}
	var byType []uint64
	r := reader{types.body}
	for n := r.uint(); n > 0 && r.p != nil; n-- {
		if kind := r.byte(); kind != functionType {
			return nil, fmt.Errorf("type %d is none of a function", len(byType))
		}
		count := r.uint()
		r.bytes(count)
		byType = append(byType, count)
		r.bytes(r.uint()) // results
	}
	var out []uint64
	f := reader{functions.body}
	for n := f.uint(); n > 0 && f.p != nil; n-- {
		t := f.uint()
		if t >= uint64(len(byType)) {
			return nil, errShort
		}
		out = append(out, byType[t])
	}
	if r.p == nil || f.p == nil {
		return nil, errShort
	}
	return out, nil
}

// shortenFunction rewrites a function's code, if it calls others. The variable
// with the function's number is put before all others, so that it has
// the same index in nearly all functions, which compresses better.
func shortenFunction(body []byte, number int64, params uint64) ([]byte, error) {
	r := reader{body}
	groups := r.uint()
	locals := r.p
	for range groups {
		r.uint()
		r.byte()
	}
	if r.p == nil {
		return nil, errShort
	}
	locals = locals[:len(locals)-len(r.p)]

	out := binary.AppendUvarint(nil, groups+1)
	out = append(out, 1, i64)
	out = append(out, locals...)
	out = appendInt(append(out, i64Const), number*blocks)
	out = binary.AppendUvarint(append(out, localSet), params)
	found := false
	for len(r.p) > 0 {
		start := r.p
		op, v, err := r.instruction()
		if err != nil {
			return nil, err
		}
		switch {
		case op >= localGet && op <= localTee && uint64(v) >= params:
			out = binary.AppendUvarint(append(out, op), uint64(v)+1)
		case op == i64Const && v/blocks == number && v%blocks != 0:
			found = true
			out = binary.AppendUvarint(append(out, localGet), params)
			out = append(appendInt(append(out, i64Const), v%blocks), i64Or)
		default:
			out = append(out, start[:len(start)-len(r.p)]...)
		}
	}
	if !found {
		return body, nil
	}
	return out, nil
}

// instruction takes an instruction, and returns the number behind it.
func (r *reader) instruction() (op byte, v int64, err error) {
	op = r.byte()
	switch {
	case op == block || op == loop || op == ifBlock || op == i32Const || op == i64Const:
		v = r.int()
	case op == br || op == brIf || op == call || op >= localGet && op <= globalSet || op == memSize || op == memGrow:
		v = int64(r.uint())
	case op == brTable:
		for n := r.uint() + 1; n > 0 && r.p != nil; n-- {
			r.uint()
		}
	case op == callTable || op >= i32Load && op <= lastStore:
		r.uint()
		r.uint()
	case op == f32Const:
		r.bytes(4)
	case op == f64Const:
		r.bytes(8)
	case op == prefixed:
		switch kind := r.uint(); {
		case kind < 8: // conversions
		case kind == memCopy:
			r.bytes(2)
		case kind == memFill:
			r.bytes(1)
		default:
			return 0, 0, fmt.Errorf("instruction %#x %d is not known", op, kind)
		}
	case op < block || op == elseBlock || op == end || op == ret || op == drop || op == choose || op >= i32Eqz && op <= lastPlain:
	default:
		return 0, 0, fmt.Errorf("instruction %#x is not known", op)
	}
	if r.p == nil {
		return 0, 0, errShort
	}
	return op, v, nil
}
