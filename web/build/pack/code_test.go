package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestAFunctionKeepsItsNumberInAVariable(t *testing.T) {
	const number = 5000
	place := func(n int64) []byte { return appendInt([]byte{i64Const}, number*blocks+n) }
	in := func(parts ...[]byte) []byte {
		// A parameter, three variables of 32 bits.
		return append(append([]byte{1, 3, i32}, bytes.Join(parts, nil)...), end)
	}
	out := func(parts ...[]byte) []byte {
		start := append(place(0), localSet, 1)
		return append(append(append([]byte{2, 1, i64, 3, i32}, start...), bytes.Join(parts, nil)...), end)
	}
	for _, tt := range []struct {
		name     string
		in, want []byte
	}{
		{"a place", in(place(3)), out([]byte{localGet, 1, i64Const, 3, i64Or})},
		{"a parameter and variables", in([]byte{localGet, 0, localSet, 1, localTee, 3}, place(1)),
			out([]byte{localGet, 0, localSet, 2, localTee, 4, localGet, 1, i64Const, 1, i64Or})},
		{"bytes of a table, a float and a store that look like instructions",
			in([]byte{brTable, 2, localGet, localGet, localGet, f64Const, localGet, 1, localGet, 1, localGet, 1, localGet, 1, i32Store, 2, localGet}, place(1)),
			out([]byte{brTable, 2, localGet, localGet, localGet, f64Const, localGet, 1, localGet, 1, localGet, 1, localGet, 1, i32Store, 2, localGet},
				[]byte{localGet, 1, i64Const, 1, i64Or})},
		{"no place", in([]byte{localGet, 1, i64Const, 9}), in([]byte{localGet, 1, i64Const, 9})},
		{"another function's", in(appendInt([]byte{i64Const}, (number+1)*blocks+3)), in(appendInt([]byte{i64Const}, (number+1)*blocks+3))},
	} {
		if got, err := shortenFunction(tt.in, number, 1); err != nil || !bytes.Equal(got, tt.want) {
			t.Errorf("%s: % x, %v; want % x", tt.name, got, err, tt.want)
		}
	}
}

func TestCodeItDoesNotKnowIsRefused(t *testing.T) {
	for name, tt := range map[string]struct {
		body []byte
		want string
	}{
		"an instruction for vectors": {[]byte{0, 0xfd, 0}, "instruction 0xfd is not known"},
		"one for tables":             {[]byte{0, prefixed, 12, 0, 0}, "instruction 0xfc 12 is not known"},
		"half a number":              {[]byte{0, i64Const, 0x80}, "ends in the middle"},
		"half of the variables":      {[]byte{3, 1, i32}, "ends in the middle"},
	} {
		if got, err := shortenFunction(tt.body, 5000, 1); got != nil || err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: % x, %v; want %q", name, got, err, tt.want)
		}
	}
}
