package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestParseKeepsWhatWasWritten(t *testing.T) {
	doc, err := Parse([]byte(" {\"a\": [1e4, 5.0, -0, \"x\\u00e9\\ud83d\\ude00\", null, true, false],\r\n\t\"b\": {}} \n"), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	a, ok := doc.Root.Get("a")
	if !ok || a.Kind != Array {
		t.Fatalf("a is %v", a)
	}
	var got []string
	for _, v := range a.Items {
		got = append(got, fmt.Sprint(v.Kind, " ", v.Text, " ", v.Integer()))
	}
	want := []string{"a number 1e4 false", "a number 5.0 false", "a number -0 true", "a string xé😀 false",
		"null  false", "a boolean true false", "a boolean false false"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if b, _ := doc.Root.Get("b"); b.Kind != Object || doc.Line(b.Offset) != 2 {
		t.Errorf("b is %v on line %d", b.Kind, doc.Line(b.Offset))
	}
	if _, ok := doc.Root.Get("c"); ok {
		t.Error("c is there")
	}
}

func TestClashes(t *testing.T) {
	many := func(keys ...string) string {
		var b strings.Builder
		for i := range 3 * manyKeys {
			fmt.Fprintf(&b, `"key%d":0,`, i)
		}
		for _, k := range keys {
			fmt.Fprintf(&b, "%q:0,", k)
		}
		return "{" + strings.TrimSuffix(b.String(), ",") + "}"
	}
	for _, c := range []struct {
		name, in string
		want     string // path: first, second; …
	}{
		{"none", `{"a":1,"b":{"a":1}}`, ""},
		{"G42 a duplicate", `{"a":1,"a":2}`, ": a a; "},
		{"G42 other case", `{"seconds":"1","SECONDS":"2"}`, ": seconds SECONDS; "},
		{"G42 case beyond ASCII, as the standard decoder folds it", `{"seconds":"1","ſeconds":"2","\u212aey":1,"key":2}`, ": seconds ſeconds; : \u212aey key; "},
		{"G42 within an array of objects", `{"m":[{},{"p":1,"P":2}]}`, "m[1]: p P; "},
		{"a duplicate is named before one in other case", `{"A":1,"a":2,"a":3}`, ": A a; : a a; "},
		{"escaped and plain are the same key", `{"a":1,"\u0061":2}`, ": a a; "},
		{"the empty key", `{"":1,"":2}`, ":  ; "},
		{"among many keys", many("KEY7", "key8", "x"), ": key7 KEY7; : key8 key8; "},
		{"many keys and an empty one", many("", ""), ":  ; "},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc, err := Parse([]byte(c.in), Limits{})
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, k := range doc.Clashes {
				got += k.Path + ": " + k.First + " " + k.Second + "; "
			}
			if got != c.want {
				t.Errorf("clashes %q, want %q", got, c.want)
			}
		})
	}
	doc, err := Parse([]byte("{"+strings.Repeat(`"a":1,`, 1000)+`"b":2}`), Limits{})
	if err != nil || len(doc.Clashes) != maxClashes {
		t.Errorf("%d clashes of a thousand duplicates are kept, want %d (%v)", len(doc.Clashes), maxClashes, err)
	}
	own := Limits{OwnNames: func(path string) bool { return path == "own.names" }}
	doc, err = Parse([]byte(`{"own":{"names":{"a":1,"A":2,"b":1,"b":2},"a":1,"A":2}}`), own)
	if err != nil || len(doc.Clashes) != 2 || doc.Clashes[0].Second != "b" || doc.Clashes[1].Path != "own" {
		t.Errorf("clashes %+v, want the duplicate among a person's own names and the case beside them (%v)", doc.Clashes, err)
	}
}

func TestRefused(t *testing.T) {
	for _, c := range []struct {
		name, in string
		reason   Reason
		want     string // of the error, from its start
	}{
		{"empty", " \n ", Syntax, "line 2, column 2: there is no JSON here"},
		{"byte order mark", "\ufeff{}", Syntax, "line 1, column 1: the JSON starts with a byte order mark"},
		{"two values", "{} {}", Syntax, "line 1, column 4: there is more after the end"},
		{"stops in an object", `{"a":1`, Syntax, "line 1, column 7: the JSON stops in the middle of an object"},
		{"stops after a comma", `{"a":1,`, Syntax, "line 1, column 8: the JSON stops in the middle of an object"},
		{"stops in an array", `[1,`, Syntax, "line 1, column 4: the JSON stops where a value should be"},
		{"stops in a string", `["é`, Syntax, "line 1, column 4: the JSON stops in the middle of a string"},
		{"stops in an escape", `["\`, Syntax, "line 1, column 4: the JSON stops in the middle of a string"},
		{"stops after a key", `{"a"`, Syntax, `line 1, column 5: a colon should follow the key "a", not the end`},
		{"a comma at the end of an object", `{"a":1,}`, Syntax, "line 1, column 8: a key in double quotes should be here, not '}'"},
		{"a comma at the end of an array", `[1,]`, Syntax, "line 1, column 4: a value should be here, not ']'"},
		{"no comma", `[1 2]`, Syntax, `line 1, column 4: a comma or "]" should follow in an array, not '2'`},
		{"a key without quotes", `{a:1}`, Syntax, "line 1, column 2: a key in double quotes should be here, not 'a'"},
		{"single quotes", `{'a':1}`, Syntax, "line 1, column 2: a key in double quotes"},
		{"a comment", "{\n// x\n}", Syntax, "line 2, column 1: a key in double quotes"},
		{"NaN", `[NaN]`, Syntax, "line 1, column 2: a value should be here, not 'N'"},
		{"a word cut short", `[tru]`, Syntax, "line 1, column 2: a value should be here, not 't'"},
		{"a plus sign", `[+1]`, Syntax, "line 1, column 2: a value should be here"},
		{"a leading zero", `[01]`, Syntax, "line 1, column 2: a number has no leading zero"},
		{"a minus alone", `[-]`, Syntax, "line 1, column 3: a digit should follow the minus sign"},
		{"a point alone", `[1.]`, Syntax, "line 1, column 4: a digit should follow the decimal point"},
		{"an exponent alone", `[1e+]`, Syntax, "line 1, column 5: a digit should follow the exponent sign"},
		{"a control character", "[\"a\x01\"]", Syntax, "line 1, column 4: a string holds the control character 0x01"},
		{"a control character after an escape", "[\"\\n\n\"]", Syntax, "line 1, column 5: a string holds the control character 0x0a"},
		{"an escape that does not exist", `["\x"]`, Syntax, `line 1, column 3: an escape \x does not exist`},
		{"an escape with too few digits", `["\u12"]`, Syntax, `line 1, column 3: an escape \u needs four`},
		{"not UTF-8", "[\"a\xff\"]", Encoding, "line 1, column 4: a string is not UTF-8: the byte 0xff"},
		{"not UTF-8 after an escape", "[\"\\n\xc3\"]", Encoding, "line 1, column 5: a string is not UTF-8"},
		{"a half surrogate", `["\ud83d"]`, Encoding, `line 1, column 3: the escape \ud83d is half of a character`},
		{"two first halves", `["\ud83d\ud83d"]`, Encoding, `line 1, column 3: the escape \ud83d is half`},
		{"a second half alone", `["\ude00"]`, Encoding, `line 1, column 3: the escape \ude00 is half`},
		{"too large", strings.Repeat(" ", 200) + "1", TooLarge, "line 1, column 1: the JSON is longer than 200 bytes, the most that is read"},
		{"too deep", strings.Repeat("[", 5), TooDeep, "line 1, column 5: arrays and objects are nested more than 4 deep"},
		{"too many values", "[" + strings.Repeat("1,", 30) + "1]", TooMany, "line 1, column 60: the JSON has more than 30 values and keys"},
		{"too many keys", "{" + strings.Repeat(`"a":1,`, 16) + `"a":1}`, TooMany, "line 1, column 90: the JSON has more than 30 values"},
		{"a number too long", "[1" + strings.Repeat("0", 20) + "]", NumberTooLong, "line 1, column 2: a number is longer than 20 characters"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse([]byte(c.in), Limits{Bytes: 200, Depth: 4, Values: 30, Digits: 20})
			var e *Error
			if !errors.As(err, &e) || e.Reason != c.reason || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("error %v (%+v)\nwant %s: %s", err, e, c.reason, c.want)
			}
		})
	}
}

func TestTheLimitsThemselvesAreTaken(t *testing.T) {
	for name, in := range map[string]string{
		"bytes":  strings.Repeat(" ", 199) + "1",
		"depth":  "[[[[]]]]",
		"values": "[" + strings.Repeat("1,", 28) + "1]",
		"digits": "[1" + strings.Repeat("0", 19) + "]",
	} {
		if _, err := Parse([]byte(in), Limits{Bytes: 200, Depth: 4, Values: 30, Digits: 20}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAnErrorNamesThePath(t *testing.T) {
	_, err := Parse([]byte(`{"messages":[{},{"content":"`+strings.Repeat("long", 100)+`","`+strings.Repeat("k", 100)+`":x}]}`), Limits{})
	var e *Error
	if !errors.As(err, &e) || e.Path != "messages[1]."+strings.Repeat("k", 60)+"…" {
		t.Errorf("path %q", e.Path)
	}
}

// FuzzParse holds the reader against the standard library's: what it takes,
// that takes with the same value, and what it refuses, that refuses too, but
// for the reasons that are this package's own.
func FuzzParse(f *testing.F) {
	for _, s := range []string{`{}`, `[]`, `{"a":[1,2.5e-3,"x\u00e9\ud83d\ude00",null,true,{"b":false}]}`, `{"a":1,"A":2,"a":3}`,
		`"\ud800"`, "\ufeff1", `[1e999]`, "[\"\xff\"]", `{"seconds":"8","SECONDS":8}`, `-0.0E+1`, " \t\r\n0 "} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		doc, err := Parse(src, Limits{Depth: 200})
		var e *Error
		if err != nil {
			if !errors.As(err, &e) || e.Line < 1 || e.Column < 1 || e.Offset < 0 || e.Offset > len(src) || e.Message == "" {
				t.Fatalf("a strange error: %#v", err)
			}
			if json.Valid(src) && e.Reason == Syntax {
				t.Fatalf("refused, and it is JSON: %v", err)
			}
			return
		}
		if !json.Valid(src) || !utf8.Valid(src) {
			t.Fatal("taken, and it is not JSON in UTF-8")
		}
		d := json.NewDecoder(bytes.NewReader(src))
		d.UseNumber()
		if got, err := tokens(d); err != nil || got != flat(&doc.Root) {
			t.Fatalf("read as %s\nwant %s (%v)", flat(&doc.Root), got, err)
		}
	})
}

// tokens writes what the standard decoder reads, duplicates too.
func tokens(d *json.Decoder) (string, error) {
	var b strings.Builder
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			return b.String(), nil
		}
		if err != nil {
			return b.String(), err
		}
		fmt.Fprintf(&b, "%T %v\n", tok, tok)
	}
}

// flat writes a value in the same way.
func flat(v *Value) string {
	switch v.Kind {
	case Null:
		return "<nil> <nil>\n"
	case Bool:
		return "bool " + v.Text + "\n"
	case Number:
		return "json.Number " + v.Text + "\n"
	case String:
		return "string " + v.Text + "\n"
	}
	var b strings.Builder
	open, shut := "[", "]"
	if v.Kind == Object {
		open, shut = "{", "}"
	}
	b.WriteString("json.Delim " + open + "\n")
	for i := range v.Items {
		b.WriteString(flat(&v.Items[i]))
	}
	for i := range v.Members {
		b.WriteString("string " + v.Members[i].Name + "\n" + flat(&v.Members[i].Value))
	}
	return b.String() + "json.Delim " + shut + "\n"
}
