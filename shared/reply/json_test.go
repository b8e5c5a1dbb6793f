package reply

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// tree builds what encoding/json makes of a document, with numbers as their
// text, by walking it.
func tree(v raw) any {
	switch {
	case v.is('{'):
		m := map[string]any{}
		for name, val := range v.members() {
			m[string(name)] = tree(val)
		}
		return m
	case v.is('['):
		a := []any{}
		for val := range v.items() {
			a = append(a, tree(val))
		}
		return a
	case v.is('"'):
		return v.text()
	}
	switch s := string(v); s {
	case "true", "false":
		return s == "true"
	case "null":
		return nil
	default:
		return json.Number(s)
	}
}

// sameAsEncodingJSON holds our reading of a document against the standard one.
func sameAsEncodingJSON(t *testing.T, doc []byte) {
	t.Helper()
	v, ok := parseJSON(doc)
	dec := json.NewDecoder(strings.NewReader(string(doc)))
	dec.UseNumber()
	var want any
	wantOK := json.Valid(doc)
	if ok != wantOK {
		if wantOK && deeper(doc) {
			return // we stop at a smaller depth
		}
		t.Fatalf("valid %v, encoding/json says %v: %q", ok, wantOK, doc)
	}
	if !ok {
		return
	}
	if err := dec.Decode(&want); err != nil {
		t.Fatalf("%v: %q", err, doc)
	}
	if got := tree(v); !reflect.DeepEqual(got, want) {
		t.Fatalf("%q:\ngot  %#v\nwant %#v", doc, got, want)
	}
	var r Reader
	if v.is('"') && string(r.plain(v)) != want.(string) {
		t.Fatalf("plain %q, want %q", r.plain(v), want)
	}
}

// deeper says whether a document may be nested more deeply than we read.
func deeper(doc []byte) bool {
	return strings.Count(string(doc), "[")+strings.Count(string(doc), "{") >= maxDepth
}

var documents = []string{
	`{}`, `[]`, `""`, `0`, `-0`, `1.5e+10`, `1E-2`, `true`, `false`, `null`, " \t\r\n{ \"a\" : [ 1 , 2 ] } \n",
	`{"a":1,"a":2}`, `{"A":1,"a":2}`, `{"\u0061":1}`, `{"a":{"b":[{},[],"]}",{"c":"\\"}]}}`,
	`"\u00e9\n\t\/\\\"\b\f\r"`, `"\ud83d\ude00"`, `"\ud83d"`, `"\ude00\ud83d\ude00"`, `"\ud83d\u0041"`, `"\ud83dx"`, `"é€😀"`, "\"\xff\xfe\xc3\"", "\"a\xe2\x82\"",
	`{"a":1,}`, `[1,]`, `{"a"}`, `{a:1}`, `01`, `+1`, `1.`, `.5`, `1e`, `- 1`, `tru`, `nul`, `truex`, `{} {}`, `"\x"`, `"\u12"`, `"\u12g4"`, "\"\n\"", `"`, `{`, `[`, `{"a":`, ``, ` `, "\x00", `"\`, `'a'`, "\u00a0{}",
	strings.Repeat("[", 100) + strings.Repeat("]", 100),
	strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 100),
	strings.Repeat("[", 100_000),
	"[" + strings.Repeat("1,", 1000) + "1]",
}

func TestJSONIsThatOfEncodingJSON(t *testing.T) {
	for _, doc := range documents {
		sameAsEncodingJSON(t, []byte(doc))
	}
	for _, file := range samples(t) {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(b)) {
			sameAsEncodingJSON(t, []byte(strings.TrimPrefix(line, "data: ")))
		}
		sameAsEncodingJSON(t, b)
	}
}

func TestJSONDepthIsBounded(t *testing.T) {
	at := func(n int) []byte { return []byte(strings.Repeat("[", n) + strings.Repeat("]", n)) }
	if _, ok := parseJSON(at(maxDepth)); !ok {
		t.Errorf("%d levels were refused", maxDepth)
	}
	if _, ok := parseJSON(at(maxDepth + 1)); ok {
		t.Errorf("%d levels were taken", maxDepth+1)
	}
}

func TestJSONNumbers(t *testing.T) {
	for in, want := range map[string]string{
		`17`: "17 true", `-3`: "-3 true", `"42"`: "42 true", `1.0`: "1 true", `2.9e1`: "29 true", `"x"`: "0 false", `""`: "0 false",
		`null`: "0 false", `true`: "0 false", `{}`: "0 false", `1e300`: "0 false", `9223372036854775807`: "9223372036854775807 true",
		`99999999999999999999`: "0 false", `"NaN"`: "0 false", `"Inf"`: "0 false",
	} {
		v, ok := parseJSON([]byte(in))
		if !ok {
			t.Fatalf("%s is not JSON", in)
		}
		n, ok := v.int()
		if got := fmt.Sprint(n, ok); got != want {
			t.Errorf("%s = %s, want %s", in, got, want)
		}
	}
}

func FuzzJSON(f *testing.F) {
	for _, doc := range documents {
		f.Add([]byte(doc))
	}
	for _, file := range samples(f) {
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
		for line := range strings.Lines(string(b)) {
			f.Add([]byte(strings.TrimPrefix(strings.TrimSpace(line), "data: ")))
		}
	}
	f.Fuzz(func(t *testing.T, doc []byte) { sameAsEncodingJSON(t, doc) })
}

// samples are the replies in testdata, in the shapes of S.
func samples(tb testing.TB) []string {
	tb.Helper()
	files, err := filepath.Glob("testdata/*.*")
	if err != nil || len(files) < 9 {
		tb.Fatalf("%d samples: %v", len(files), err)
	}
	return files
}
