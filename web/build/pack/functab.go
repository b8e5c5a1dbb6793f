package main

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
)

// What Go's runtime knows of each function (its frame's size, which of its
// variables are pointers, its name, file and lines) lies in the tables that
// runtime.moduledata names. A third of a first visit's data was that. Of it is
// kept what the garbage collector, growing stacks, defer and recover read;
// dropped are names, files and lines, what only tracebacks print, and the tables
// for interrupting a function anywhere, which is not done in WebAssembly.
//
// See runtime/symtab.go, runtime/runtime2.go (_func) and internal/abi/symtab.go.

// knownGo is the release whose tables these are. No release keeps them as they
// were by promise.
const knownGo = "go1.26"

// pcMagic is how the header of the tables begins: its version, two zeros, the
// length of the shortest instruction and the size of a pointer.
const pcMagic = "\xf1\xff\xff\xff\x00\x00\x01\x08"

// pcHeader is runtime.pcHeader behind pcMagic. The offsets count from its start.
type pcHeader struct {
	Nfunc, Nfiles, _                           uint64
	Funcname, Cutab, Filetab, Pctab, Pclntable uint64
}

// slice is how a slice lies in memory.
type slice struct{ Addr, Len, Cap uint64 }

// moduledata is the beginning of runtime.moduledata.
type moduledata struct {
	PCHeader                                                    uint64
	Funcnametab, Cutab, Filetab, Pctab, Pclntable, Ftab         slice
	Findfunctab, Minpc, Maxpc                                   uint64
	Text, Etext, Noptrdata, Enoptrdata, Data, Edata             uint64
	Bss, Ebss, Noptrbss, Enoptrbss, Covctrs, Ecovctrs           uint64
	End, Gcdata, Gcbss, Types, Etypes, Rodata, Gofunc, Epclntab uint64
}

// record is runtime._func: Npcdata and Nfuncdata offsets follow it.
type record struct {
	EntryOff           uint32 // the function's number
	NameOff            int32  // in Funcnametab; 0 is none
	Args               int32
	Deferreturn        uint32
	Pcsp, Pcfile, Pcln uint32 // in Pctab; 0 is none
	Npcdata            uint32
	CuOffset           uint32
	StartLine          int32
	FuncID, Flag, _    uint8
	Nfuncdata          uint8
}

// The kinds of pcdata, by their place behind a record, and of funcdata.
const (
	unsafePoint   = 0
	stackMapIndex = 1
	inlTreeIndex  = 2
	argLiveIndex  = 3

	kept      = 5 // from here on they are for tracebacks
	funcKinds = 8
)

const (
	recordSize = 44
	packedSize = recordSize + 4*(stackMapIndex+1) + 4*kept

	none = 0xffffffff // as an offset of funcdata

	// wrapperID is FuncIDWrapper: a method for which the compiler wrote the code.
	wrapperID = 23

	// A function has that many addresses: one for each block it can go on from.
	blocks = 1 << 16

	// Findfunctab has so many bytes for a function, which begin with its place.
	bucketSize = 20 * blocks / 4096
)

// wrapperName is the name that is left to all of them: where one is called on a
// nil pointer, the runtime reads it to say so in the panic, and without a name
// of this form it ends the program.
const wrapperName = "page.(*value).method"

// tables are the function tables in a program's memory.
type tables struct {
	mem []byte
	moduledata
	functions []function
}

type function struct {
	record
	frame     []byte // the frame's size, by address
	stackMaps []byte // which of the stack maps holds, by address
	funcdata  [funcKinds]uint32
}

// shortenTables writes the shorter tables over those in mem, and returns what
// of them is to be counted.
func shortenTables(mem []byte) ([]count, error) {
	if !strings.HasPrefix(runtime.Version()+".", knownGo+".") {
		return nil, fmt.Errorf("it knows the function tables of %s only, and this is %s: build with GOTOOLCHAIN=%s.0, "+
			"or read what has changed in the runtime's symtab.go and runtime2.go", knownGo, runtime.Version(), knownGo)
	}
	t, err := readTables(mem)
	if err != nil {
		return nil, fmt.Errorf("the function tables are not those of %s: %w", knownGo, err)
	}
	return t.write()
}

func readTables(mem []byte) (*tables, error) {
	t := &tables{mem: mem}
	at := bytes.Index(mem, []byte(pcMagic))
	if at < 0 || bytes.Contains(mem[at+1:], []byte(pcMagic)) {
		return nil, errors.New("their header is missing, or there are several")
	}
	var h pcHeader
	if err := t.decode(uint64(at+len(pcMagic)), &h); err != nil {
		return nil, err
	}
	start := binary.LittleEndian.AppendUint64(nil, uint64(at))
	start = binary.LittleEndian.AppendUint64(start, uint64(at)+h.Funcname)
	module := bytes.Index(mem, start)
	if module < 0 || bytes.Contains(mem[module+1:], start) {
		return nil, errors.New("the module's data is missing, or there are several")
	}
	if err := t.decode(uint64(module), &t.moduledata); err != nil {
		return nil, err
	}
	header := uint64(at)
	if t.Funcnametab.Addr != header+h.Funcname || t.Cutab.Addr != header+h.Cutab || t.Filetab.Addr != header+h.Filetab ||
		t.Pctab.Addr != header+h.Pctab || t.Pclntable.Addr != header+h.Pclntable {
		return nil, errors.New("their header and the module's data differ")
	}
	if !slices.IsSorted([]uint64{
		t.Funcnametab.Addr, t.Funcnametab.Addr + t.Funcnametab.Len,
		t.Cutab.Addr, t.Cutab.Addr + 4*t.Cutab.Len,
		t.Filetab.Addr, t.Filetab.Addr + t.Filetab.Len,
		t.Pctab.Addr, t.Pctab.Addr + t.Pctab.Len,
		t.Pclntable.Addr, t.Pclntable.Addr + t.Pclntable.Len,
		t.Gofunc, t.Findfunctab, t.Epclntab, uint64(len(mem)),
	}) {
		return nil, errors.New("they lie in another order")
	}
	if t.Ftab.Addr != t.Pclntable.Addr || t.Ftab.Len != h.Nfunc+1 || h.Nfunc == 0 {
		return nil, errors.New("the list of functions is elsewhere")
	}
	return t, t.readFunctions()
}

// decode reads v, of a fixed size, at an address.
func (t *tables) decode(at uint64, v any) error {
	if at > uint64(len(t.mem)) {
		return errShort
	}
	if _, err := binary.Decode(t.mem[at:], binary.LittleEndian, v); err != nil {
		return errShort
	}
	return nil
}

// readFunctions reads the records, and refuses what they don't have in a
// program for the browser that is built without copies of functions.
func (t *tables) readFunctions() error {
	for i := range t.Ftab.Len - 1 {
		var at struct{ Entry, Record uint32 }
		if err := t.decode(t.Ftab.Addr+8*i, &at); err != nil {
			return err
		}
		var f function
		place := t.Pclntable.Addr + uint64(at.Record)
		if err := t.decode(place, &f.record); err != nil {
			return err
		}
		var bucket uint32
		if err := t.decode(t.Findfunctab+bucketSize*i, &bucket); err != nil {
			return err
		}
		if first := t.Minpc / blocks; at.Entry != uint32(first+i) || f.EntryOff != at.Entry || bucket != uint32(i) {
			return fmt.Errorf("function %d is not where it should be", i)
		}
		offsets := make([]uint32, f.Npcdata+uint32(f.Nfuncdata))
		if err := t.decode(place+recordSize, offsets); err != nil {
			return err
		}
		if err := t.readOffsets(&f, offsets[:f.Npcdata], offsets[f.Npcdata:]); err != nil {
			return fmt.Errorf("function %d: %w", i, err)
		}
		t.functions = append(t.functions, f)
	}
	return nil
}

func (t *tables) readOffsets(f *function, pcdata, funcdata []uint32) (err error) {
	if f.frame, err = t.pcTable(f.Pcsp); err != nil {
		return err
	}
	for kind, offset := range pcdata {
		switch {
		case offset == 0 || kind == unsafePoint || kind == argLiveIndex:
		case kind == stackMapIndex:
			if f.stackMaps, err = t.pcTable(offset); err != nil {
				return err
			}
		case kind == inlTreeIndex:
			return errors.New("other functions are copied into it: build with -gcflags=all=-l")
		default:
			return fmt.Errorf("it has pcdata of kind %d", kind)
		}
	}
	f.funcdata = [funcKinds]uint32{none, none, none, none, none, none, none, none}
	if n := copy(f.funcdata[:], funcdata); n < len(funcdata) {
		return fmt.Errorf("it has funcdata of kind %d", n)
	}
	return nil
}

// pcTable returns a table at an offset in Pctab, without the 0 that ends it:
// pairs of how much the value changes and for how many addresses it then holds.
func (t *tables) pcTable(offset uint32) ([]byte, error) {
	if offset == 0 {
		return nil, nil
	}
	if uint64(offset) >= t.Pctab.Len {
		return nil, errShort
	}
	all := t.mem[t.Pctab.Addr+uint64(offset) : t.Pctab.Addr+t.Pctab.Len]
	last := 0
	for r := (reader{all}); r.p != nil; {
		at := len(all) - len(r.p)
		if change := r.uint(); change == 0 && at > 0 {
			// The last value may hold for longer than the function is: then
			// functions of any length share the table.
			return binary.AppendUvarint(bytes.Clone(all[:last]), blocks), nil
		}
		last = len(all) - len(r.p)
		r.uint()
	}
	return nil, errShort
}

// write writes the tables anew, over the old ones.
func (t *tables) write() ([]count, error) {
	size := uint64(packedSize * len(t.functions))
	records := t.Pclntable.Addr + 8*t.Ftab.Len
	if records+size > t.Pclntable.Addr+t.Pclntable.Len {
		return nil, fmt.Errorf("%d bytes of records have no room", size)
	}
	t.clearTracebackData()
	pctab, offsets := t.pctab()
	for _, old := range []slice{t.Funcnametab, {Addr: t.Cutab.Addr, Len: 4 * t.Cutab.Len}, t.Filetab, t.Pctab, t.Pclntable} {
		clear(t.mem[old.Addr:][:old.Len])
	}
	copy(t.mem[t.Pctab.Addr:], pctab)
	copy(t.mem[t.Funcnametab.Addr+1:], wrapperName)
	out := t.mem[records:records:len(t.mem)]
	for _, f := range t.functions {
		r := record{
			Args:        f.Args,
			Deferreturn: f.Deferreturn,
			Pcsp:        offsets[string(f.frame)],
			Npcdata:     stackMapIndex + 1,
			FuncID:      f.FuncID,
			Flag:        f.Flag,
			Nfuncdata:   kept,
		}
		if f.FuncID == wrapperID {
			r.NameOff = 1
		}
		pcdata := [stackMapIndex + 1]uint32{stackMapIndex: offsets[string(f.stackMaps)]}
		for _, part := range []any{r, pcdata, f.funcdata[:kept]} {
			out, _ = binary.Append(out, binary.LittleEndian, part)
		}
	}
	n := uint32(len(t.functions))
	clear(t.mem[t.Findfunctab:t.Epclntab])
	first := uint32(t.Minpc / blocks)
	return []count{
		{at: uint32(t.Ftab.Addr), n: n + 1, stride: 8, first: first, step: 1},
		{at: uint32(t.Ftab.Addr) + 4, n: n, stride: 8, first: uint32(8 * t.Ftab.Len), step: packedSize},
		{at: uint32(records), n: n, stride: packedSize, first: first, step: 1},
		{at: uint32(t.Findfunctab), n: n, stride: bucketSize, first: 0, step: 1},
	}, nil
}

// pctab returns the tables by address of all functions, each once, and where
// each is. The most frequent come first: small offsets are short when
// compressed.
func (t *tables) pctab() (out []byte, offsets map[string]uint32) {
	uses := map[string]int{}
	for _, f := range t.functions {
		uses[string(f.frame)]++
		uses[string(f.stackMaps)]++
	}
	delete(uses, "")
	out, offsets = []byte{0}, map[string]uint32{}
	for _, table := range slices.SortedFunc(maps.Keys(uses), func(a, b string) int {
		return cmp.Or(cmp.Compare(uses[b], uses[a]), cmp.Compare(a, b))
	}) {
		offsets[table] = uint32(len(out))
		out = append(append(out, table...), 0)
	}
	return out, offsets
}

// clearTracebackData zeroes the funcdata that only tracebacks read: how to print
// arguments. Of equal bytes there is one copy, so another kind may share it.
func (t *tables) clearTracebackData() {
	used := map[uint32]bool{uint32(t.Findfunctab - t.Gofunc): true} // by offset; true is by what is kept
	for _, f := range t.functions {
		for kind, offset := range f.funcdata {
			if offset != none {
				used[offset] = used[offset] || kind < kept
			}
		}
	}
	offsets := slices.Sorted(maps.Keys(used))
	for i, offset := range offsets[:len(offsets)-1] {
		if !used[offset] {
			clear(t.mem[t.Gofunc+uint64(offset) : t.Gofunc+uint64(offsets[i+1])])
		}
	}
}
