package sse

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// got is an event with its data copied, or the error of a dropped one.
type got struct {
	Name       string
	Data       string
	Start, End int64
	TooLong    bool
}

// decode pushes the pieces through one decoder.
func decode(d *Decoder, pieces ...[]byte) []got {
	var all []got
	for _, p := range pieces {
		for ev, err := range d.Push(p) {
			all = append(all, got{ev.Name, string(ev.Data), ev.Start, ev.End, errors.Is(err, ErrTooLong)})
		}
	}
	if ev, ok := d.Close(); ok {
		all = append(all, got{ev.Name, string(ev.Data), ev.Start, ev.End, false})
	}
	return all
}

// everySplit decodes in whole, byte by byte, and cut once at every place, and
// fails when one differs.
func everySplit(t *testing.T, maxLine int, stream string) []got {
	t.Helper()
	whole := decode(&Decoder{MaxLine: maxLine}, []byte(stream))
	bytewise := make([][]byte, 0, len(stream))
	for i := range len(stream) {
		bytewise = append(bytewise, []byte{stream[i]})
	}
	if g := decode(&Decoder{MaxLine: maxLine}, bytewise...); !reflect.DeepEqual(g, whole) {
		t.Errorf("byte by byte:\n%+v\nwhole:\n%+v", g, whole)
	}
	for i := range len(stream) {
		// Copies, so that a decoder that keeps a caller's bytes is caught.
		a, b := []byte(stream[:i]), []byte(stream[i:])
		d := &Decoder{MaxLine: maxLine}
		var g []got
		for ev, err := range d.Push(a) {
			g = append(g, got{ev.Name, string(ev.Data), ev.Start, ev.End, err != nil})
		}
		clear(a)
		g = append(g, decode(d, b)...)
		if !slices.Equal(g, whole) {
			t.Errorf("cut at %d:\n%+v\nwhole:\n%+v", i, g, whole)
		}
	}
	return whole
}

func TestDecoder(t *testing.T) {
	tests := []struct {
		name    string
		stream  string
		maxLine int
		want    []got
	}{
		{name: "S SSE lines that end with LF", stream: "data: a\n\ndata: b\n\n",
			want: []got{{Data: "a", Start: 0, End: 9}, {Data: "b", Start: 9, End: 18}}},
		{name: "S SSE CRLF split across reads", stream: "data: a\r\n\r\ndata: b\r\n\r\n",
			want: []got{{Data: "a", Start: 0, End: 10}, {Data: "b", Start: 11, End: 21}}},
		{name: "S SSE lines that end with CR", stream: "data: a\r\rdata: b\r\r",
			want: []got{{Data: "a", Start: 0, End: 9}, {Data: "b", Start: 9, End: 18}}},
		{name: "S SSE line ends mixed", stream: "data: a\r\n\ndata: b\n\rdata: c\r\n\r\n",
			want: []got{{Data: "a", Start: 0, End: 10}, {Data: "b", Start: 10, End: 19}, {Data: "c", Start: 19, End: 29}}},
		{name: "S SSE one BOM stripped", stream: "\ufeffdata: a\n\n",
			want: []got{{Data: "a", Start: 0, End: 12}}},
		{name: "S SSE a second BOM is part of a field's name", stream: "\ufeff\ufeffdata: a\n\n"},
		{name: "S SSE a BOM later is part of a field's name", stream: "data: a\n\n\ufeffdata: b\n\n",
			want: []got{{Data: "a", Start: 0, End: 9}}},
		{name: "S SSE an empty line after the BOM", stream: "\ufeff\ndata: a\n\n",
			want: []got{{Data: "a", Start: 4, End: 13}}},
		{name: "S SSE comments are not events", stream: ": PING\n\n:\n: data: x\ndata: a\n: PING\n\n",
			want: []got{{Data: "a", Start: 20, End: 36}}},
		{name: "S SSE one space after the colon stripped", stream: "data:a\n\ndata: a\n\ndata:  a\n\ndata:\ta\n\n",
			want: []got{{Data: "a", Start: 0, End: 8}, {Data: "a", Start: 8, End: 17}, {Data: " a", Start: 17, End: 27}, {Data: "\ta", Start: 27, End: 36}}},
		{name: "S SSE data lines joined", stream: "data: a\ndata:\ndata\ndata: b\n\n",
			want: []got{{Data: "a\n\n\nb", Start: 0, End: 28}}},
		{name: "S SSE names, ids and retry", stream: "event: x\nid: 1\nretry: 5\ndata: a\n\ndata: b\n\n",
			want: []got{{Name: "x", Data: "a", Start: 0, End: 33}, {Data: "b", Start: 33, End: 42}}},
		{name: "S SSE an event without data is none", stream: "event: x\n\ndata: a\n\n",
			want: []got{{Data: "a", Start: 10, End: 19}}},
		{name: "S SSE empty data is an event", stream: "data:\n\ndata\n\n",
			want: []got{{Start: 0, End: 7}, {Start: 7, End: 13}}},
		{name: "S SSE unknown fields ignored, names are exact", stream: "DATA: a\nxdata: b\n data: c\ndata : d\n\ndata: e\n\n",
			want: []got{{Data: "e", Start: 36, End: 45}}},
		{name: "S SSE a colon in the value", stream: "data: a: b\n\n",
			want: []got{{Data: "a: b", Start: 0, End: 12}}},
		{name: "S SSE UTF-8 split across reads", stream: "data: é€😀\n\n",
			want: []got{{Data: "é€😀", Start: 0, End: 17}}},
		{name: "S SSE bytes that are not UTF-8 pass unchanged", stream: "data: \xff\xc3\n\n",
			want: []got{{Data: "\xff\xc3", Start: 0, End: 10}}},
		{name: "S SSE [DONE] inside text is text", stream: `data: {"content":"[DONE]"}` + "\n\n",
			want: []got{{Data: `{"content":"[DONE]"}`, Start: 0, End: 28}}},
		{name: "S SSE EOF: an unfinished event of whole JSON counts", stream: "data: {\"a\":1}\n",
			want: []got{{Data: `{"a":1}`, Start: 0, End: 14}}},
		{name: "S SSE EOF: an unfinished line of whole JSON counts", stream: "event: e\ndata: {\"a\":1}",
			want: []got{{Name: "e", Data: `{"a":1}`, Start: 0, End: 22}}},
		{name: "S SSE EOF: an unfinished [DONE] counts", stream: "data: a\n\ndata: [DONE]",
			want: []got{{Data: "a", Start: 0, End: 9}, {Data: "[DONE]", Start: 9, End: 21}}},
		{name: "S SSE EOF: cut JSON does not count", stream: "data: {\"a\":1}\n\ndata: {\"a\":",
			want: []got{{Data: `{"a":1}`, Start: 0, End: 15}}},
		{name: "S SSE EOF: whole JSON and a cut line after it do not count", stream: "data: {\"a\":1}\ndata: {\"a\""},
		{name: "S SSE EOF: whole JSON over two lines counts", stream: "data: {\"a\":\ndata: 1}",
			want: []got{{Data: "{\"a\":\n1}", Start: 0, End: 20}}},
		{name: "S SSE EOF: cut [DONE] does not count", stream: "data: [DON"},
		{name: "S SSE EOF after a comment", stream: ": PING\n"},
		{name: "S SSE nothing at all", stream: ""},
		{name: "S SSE a line at the limit", maxLine: 16, stream: "data: 0123456789\n\ndata: b\n\n",
			want: []got{{Data: "0123456789", Start: 0, End: 18}, {Data: "b", Start: 18, End: 27}}},
		{name: "S SSE a line over the limit drops its event and no other", maxLine: 16,
			stream: "data: a\n\nevent: big\ndata: 01234567890\ndata: rest\n\ndata: b\n\n",
			want:   []got{{Data: "a", Start: 0, End: 9}, {Name: "big", Start: 9, End: 36, TooLong: true}, {Data: "b", Start: 50, End: 59}}},
		{name: "S SSE two long lines of one event are reported once", maxLine: 16,
			stream: "data: 01234567890\ndata: 01234567890\r\n\r\ndata: b\n\n",
			want:   []got{{Start: 0, End: 16, TooLong: true}, {Data: "b", Start: 39, End: 48}}},
		{name: "S SSE a long line at EOF", maxLine: 16, stream: "data: {\"a\":\"0123456789\"}",
			want: []got{{Start: 0, End: 16, TooLong: true}}},
		{name: "S SSE joined data over its limit", maxLine: 8,
			stream: "data:12\ndata:12\ndata:12\ndata:12\ndata:12\ndata:12\ndata:12\ndata:12\ndata:12\ndata:12\ndata:12\ndata:12\n\ndata:b\n\n",
			want:   []got{{Start: 0, End: 95, TooLong: true}, {Data: "b", Start: 97, End: 105}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if g := everySplit(t, tt.maxLine, tt.stream); !slices.Equal(g, tt.want) {
				t.Errorf("got\n%+v\nwant\n%+v", g, tt.want)
			}
		})
	}
}

// The default limit, which the table above is too small for.
func TestDecoderMiB(t *testing.T) {
	line := "data: " + strings.Repeat("x", DefaultMaxLine-len("data: "))
	var d Decoder
	g := decode(&d, []byte(line+"\n\n"), []byte(line[:100]), []byte(line[100:]+"\r\n\r"), []byte("\ndata: b\n\n"))
	if len(g) != 3 || len(g[0].Data) != len(line)-6 || g[1].Data != g[0].Data || g[2].Data != "b" {
		t.Fatalf("S SSE a line of 1 MiB is taken: %d events", len(g))
	}
	g = decode(&d, []byte(line), []byte("y\n\ndata: b\n\n"))
	if len(g) != 2 || !g[0].TooLong || g[1].Data != "b" {
		t.Fatalf("S SSE a line of 1 MiB and a byte is dropped: %+v", g)
	}
	for _, err := range d.Push([]byte(line + "y")) {
		if want := "event too long: a line passes 1048576 bytes"; err == nil || err.Error() != want {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if cap(d.line) > keepBuffer || cap(d.buf) > keepBuffer {
		t.Errorf("kept %d and %d bytes after a line that was dropped", cap(d.line), cap(d.buf))
	}
}

func TestDecoderLeftEarly(t *testing.T) {
	var d Decoder
	for ev := range d.Push([]byte("data: a\n\ndata: b\n\ndata: c")) {
		if string(ev.Data) != "a" {
			t.Errorf("after the loop was left: %s", ev.Data)
		}
		break
	}
	var g []got
	for ev := range d.Push([]byte("d\n\n")) {
		g = append(g, got{Data: string(ev.Data), Start: ev.Start, End: ev.End})
	}
	if want := []got{{Data: "cd", Start: 18, End: 28}}; !slices.Equal(g, want) {
		t.Errorf("got %+v, want %+v", g, want)
	}
}

// The shortest stream that yields an event ends at its End, which is what the
// Wire tab and replay count on.
func TestDecoderEnds(t *testing.T) {
	for _, eol := range []string{"\n", "\r", "\r\n"} {
		stream := strings.ReplaceAll("event: e\ndata: a\n\n\n: c\n\ndata: b\ndata: c\n\n", "\n", eol)
		for i, ev := range decode(&Decoder{}, []byte(stream)) {
			var d Decoder
			n := 0
			for range d.Push([]byte(stream[:ev.End-1])) {
				n++
			}
			for range d.Push([]byte(stream[ev.End-1 : ev.End])) {
				n++
			}
			if n != i+1 {
				t.Errorf("line end %q: %d events up to offset %d, want %d", eol, n, ev.End, i+1)
			}
			part := stream[ev.Start:ev.End]
			if g := decode(&Decoder{}, []byte(part)); len(g) != 1 || g[0].Data != ev.Data || g[0].Name != ev.Name {
				t.Errorf("line end %q: [%d:%d] = %q gives %+v", eol, ev.Start, ev.End, part, g)
			}
		}
	}
}

func TestDecoderNamesAreBounded(t *testing.T) {
	var d Decoder
	for i := range 10 * maxNames {
		for ev := range d.Push(fmt.Appendf(nil, "event: name%d\ndata: a\n\n", i)) {
			if ev.Name != fmt.Sprint("name", i) {
				t.Fatalf("name %q", ev.Name)
			}
		}
	}
	if len(d.names) > maxNames {
		t.Errorf("%d names kept, want at most %d", len(d.names), maxNames)
	}
}

// No allocation for an event that lies whole in one piece.
func TestDecoderAllocations(t *testing.T) {
	piece := bytes.Repeat([]byte("event: response.output_text.delta\ndata: {\"delta\":\"x\"}\n\n"), 16)
	var d Decoder
	n := 0
	if a := testing.AllocsPerRun(100, func() {
		for ev := range d.Push(piece) {
			n += len(ev.Data)
		}
	}); a > 0 {
		t.Errorf("%v allocations for 16 events", a)
	}
	// Cut in the middle of a line, as reads of a socket are.
	if a := testing.AllocsPerRun(100, func() {
		for ev := range d.Push(piece[:700]) {
			n += len(ev.Data)
		}
		for ev := range d.Push(piece[700:]) {
			n += len(ev.Data)
		}
	}); a > 0 {
		t.Errorf("%v allocations for 16 events in two pieces", a)
	}
}

func FuzzDecoder(f *testing.F) {
	samples, err := filepath.Glob("../reply/testdata/*.sse")
	if err != nil || len(samples) == 0 {
		f.Fatalf("no samples: %v", err)
	}
	for _, s := range samples {
		b, err := os.ReadFile(s)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b, uint64(0x9e3779b97f4a7c15), uint16(0))
	}
	f.Add([]byte("\ufeffdata: a\r\n\r\ndata: b\r\revent: c\ndata\n\n: c\ndata: [DONE]"), uint64(5), uint16(0))
	f.Add([]byte("data: 0123456789\ndata: 1\n\ndata: b\n\n"), uint64(3), uint16(12))
	f.Fuzz(func(t *testing.T, stream []byte, cuts uint64, limit uint16) {
		whole := decode(&Decoder{MaxLine: int(limit)}, stream)
		var pieces [][]byte
		for rest := stream; len(rest) > 0; {
			cuts = cuts*6364136223846793005 + 1442695040888963407
			n := min(len(rest), 1+int(cuts>>59))
			pieces = append(pieces, bytes.Clone(rest[:n]))
			rest = rest[n:]
		}
		if g := decode(&Decoder{MaxLine: int(limit)}, pieces...); !slices.Equal(g, whole) {
			t.Errorf("split\n%+v\nwhole\n%+v", g, whole)
		}
		last := int64(0)
		for _, g := range whole {
			if g.Start < last || g.End <= g.Start || g.End > int64(len(stream)) {
				t.Errorf("event [%d:%d] after %d in %d bytes", g.Start, g.End, last, len(stream))
			}
			last = g.End
		}
		if limit == 0 {
			if want := oracle(stream); len(stream) < DefaultMaxLine && !slices.Equal(names(whole), want) {
				t.Errorf("got\n%q\nwant\n%q", names(whole), want)
			}
		}
	})
}

// oracle decodes the plain way: line ends made equal, then line by line.
func oracle(stream []byte) []string {
	s := strings.TrimPrefix(string(stream), "\ufeff")
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	lines := strings.Split(s, "\n")
	var all []string
	var name string
	var data []string
	for i, l := range lines {
		last := i == len(lines)-1
		if l == "" && !last {
			if data != nil {
				all = append(all, name+"|"+strings.Join(data, "\n"))
			}
			name, data = "", nil
			continue
		}
		field, value, _ := strings.Cut(l, ":")
		value = strings.TrimPrefix(value, " ")
		switch field {
		case "data":
			data = append(data, value)
		case "event":
			name = value
		}
		if last && data != nil {
			whole := strings.Join(data, "\n")
			if text := strings.TrimSpace(whole); text == "[DONE]" || json.Valid([]byte(text)) {
				all = append(all, name+"|"+whole)
			}
		}
	}
	return all
}

func names(all []got) []string {
	var s []string
	for _, g := range all {
		s = append(s, g.Name+"|"+g.Data)
	}
	return s
}
