package main

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// What the program finds in its memory is the same, and nothing else of it is
// touched.
func TestMemoryIsTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var segments []segment
		for at := int64(rapid.IntRange(0, 100_000).Draw(t, "first")); len(segments) < 20; {
			data := rapid.SliceOfN(rapid.Byte(), 1, 300).Draw(t, "data")
			segments = append(segments, segment{at, data})
			at += int64(len(data)) + int64(rapid.SampledFrom([]int{0, 1, 7, maxGap, maxGap + 1, 70_000}).Draw(t, "gap"))
		}
		shuffled := rapid.Permutation(segments).Draw(t, "shuffled") // by section, and not by offset
		code := rapid.SliceOf(rapid.Byte()).Draw(t, "code")
		in := bytesOf(sectionOf(10, code), sectionOf(dataSection, writeSegments(shuffled)), sectionOf(0, []byte("names")))
		out, err := pack(in, true)
		if err != nil {
			t.Fatal(err)
		}
		packed, err := parse(out)
		if err != nil {
			t.Fatal(err)
		}
		joined, err := readSegments(packed.section(dataSection).body)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(memory(joined), bytes.TrimRight(memory(segments), "\x00")) {
			t.Error("the memory is another")
		}
		for i := 1; i < len(joined); i++ {
			if gap := joined[i].offset - joined[i-1].offset - int64(len(joined[i-1].data)); gap <= maxGap {
				t.Errorf("a gap of %d bytes is left", gap)
			}
		}
		if !bytes.Contains(out, sectionOf(10, code)) || !bytes.HasSuffix(out, sectionOf(0, []byte("names"))) {
			t.Error("another section was changed")
		}
	})
}

func TestWhatIsNotUnderstoodIsNotTouched(t *testing.T) {
	good := writeSegments([]segment{{1024, []byte("abc")}})
	for name, tt := range map[string]struct {
		in   []byte
		want string
	}{
		"no program":           {[]byte("<html>"), "no WebAssembly program"},
		"another version":      {[]byte("\x00asm\x02\x00\x00\x00"), "no WebAssembly program"},
		"half a section":       {bytesOf(sectionOf(10, []byte("code"))[:4]), "ends in the middle"},
		"half a segment":       {bytesOf(sectionOf(dataSection, good[:len(good)-1])), "ends in the middle"},
		"more than is counted": {bytesOf(sectionOf(dataSection, append(good, 0))), "ends in the middle"},
		"a passive segment":    {bytesOf(sectionOf(dataSection, []byte{1, 1, 3, 'a', 'b', 'c'})), "not of the one kind"},
		"overlapping":          {bytesOf(sectionOf(dataSection, writeSegments([]segment{{1024, []byte("abc")}, {1026, []byte("d")}}))), "begins before the end"},
		"far too much":         {bytesOf(sectionOf(dataSection, writeSegments([]segment{{maxMemory, []byte("abc")}}))), "ends above"},
		"a count of its own":   {bytesOf(sectionOf(dataCountSection, []byte{1})), "look at what has changed"},
	} {
		if out, err := pack(tt.in, true); out != nil || err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %q, %v; want %q", name, out, err, tt.want)
		}
	}
}

func TestOffsetsAreReadAsWritten(t *testing.T) {
	for _, v := range []int64{0, 1, 63, 64, 127, 128, 8191, 8192, 1 << 20, 1<<31 - 1, -1, -64, -65, -1 << 31} {
		r := reader{append(appendInt(nil, v), 0xff)}
		if got := r.int(); got != v || len(r.p) != 1 {
			t.Errorf("%d was read as %d, %d bytes are left", v, got, len(r.p))
		}
	}
}

func bytesOf(sections ...[]byte) []byte { return append([]byte(header), slices.Concat(sections...)...) }

func sectionOf(id byte, body []byte) []byte {
	return append(binary.AppendUvarint([]byte{id}, uint64(len(body))), body...)
}

// memory is what the segments write.
func memory(segments []segment) []byte {
	var m []byte
	for _, s := range segments {
		if n := s.offset + int64(len(s.data)) - int64(len(m)); n > 0 {
			m = append(m, make([]byte, n)...)
		}
		copy(m[s.offset:], s.data)
	}
	return m
}
