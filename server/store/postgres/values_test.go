package postgres

import (
	"bytes"
	"database/sql"
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"screentest/server/pgtest"
)

// texts are what people and gateways may send, and no text of PostgreSQL's can hold
// all of.
var texts = []string{
	"", "a", "Größe 長さ 🙂", "\x00", "a\x00b\x00", "\xff\xfe", "cut off \xe9\x95", "\xed\xa0\x80", "\x00\xff\x00",
	string(mark), string(mark) + string(markSelf), string(mark) + string(markByte), string(mark) + "\x00", string(markByte + 255), string(mark) + string(markByte+65) + "\xff",
	string(mark)[:1], string(mark)[:2], string(utf8.RuneError), "{\"a\":\"\\u0000\"}", `\x00 '' "" \`,
}

// FuzzEscape shows that each text is stored as one that PostgreSQL takes, and comes
// back to the byte.
func FuzzEscape(f *testing.F) {
	for _, text := range texts {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		before := bytes.Clone(text)
		stored := escape(text)
		if !utf8.Valid(stored) || bytes.IndexByte(stored, 0) >= 0 {
			t.Errorf("%q is stored as %q", text, stored)
		}
		if !bytes.Equal(text, before) {
			t.Errorf("%q became %q", before, text)
		}
		if got := unescape(stored); !bytes.Equal(got, text) {
			t.Errorf("%q came back as %q", text, got)
		}
	})
}

// What the database cuts in the middle of an escape is shown as it is.
func TestWhatIsCutStays(t *testing.T) {
	for stored, want := range map[string]string{
		"a" + string(mark):                              "a",
		"a" + string(mark) + "b":                        "ab",
		"a" + string(mark) + string(markByte+'x') + "b": "axb",
	} {
		if got := string(unescape([]byte(stored))); got != want {
			t.Errorf("%q came back as %q, want %q", stored, got, want)
		}
	}
}

// open is a database with a table of a column of each type that ours have.
func open(t *testing.T) (c *Connector, pool *sql.DB) {
	t.Helper()
	c, err := NewConnector(pgtest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	pool = c.Open(2)
	t.Cleanup(func() {
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	})
	do(t, pool, "CREATE TABLE a (n BIGINT GENERATED ALWAYS AS IDENTITY, number BIGINT, text TEXT, bytes BYTEA, real DOUBLE PRECISION)")
	return c, pool
}

func do(t *testing.T, pool *sql.DB, statement string, args ...any) {
	t.Helper()
	if _, err := pool.ExecContext(t.Context(), statement, args...); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

func TestTextsAndBytesComeBack(t *testing.T) {
	_, pool := open(t)
	for _, want := range texts {
		var text string
		var data []byte
		var length int
		err := pool.QueryRowContext(t.Context(), "INSERT INTO a (text, bytes) VALUES (?, ?) RETURNING text, bytes, length(bytes)", want, []byte(want)).Scan(&text, &data, &length)
		if err != nil || text != want || string(data) != want || length != len(want) {
			t.Errorf("%q came back as %q and %q of %d bytes, %v", want, text, data, length, err)
		}
		// It is found by what it is, too, and in a text that is made of it.
		var found int
		var made string
		err = pool.QueryRowContext(t.Context(), "SELECT count(*), max('<' || text || '>') FROM a WHERE text = ? AND bytes = ?", want, []byte(want)).Scan(&found, &made)
		if err != nil || found != 1 || made != "<"+want+">" {
			t.Errorf("%q is found %d times, as %q, %v", want, found, made, err)
		}
	}
}

type (
	number int32
	name   string
	digest [4]byte
	blob   []byte
)

// What is asked for is as SQLite has it: whole numbers, also for truths and sums,
// numbers with a point, texts, bytes and nothing.
func TestValues(t *testing.T) {
	_, pool := open(t)
	do(t, pool, "INSERT INTO a (number, text, bytes, real) VALUES (?, ?, ?, ?)", int64(math.MaxInt64), "x", []byte{0, 1, 255}, 0.1)
	do(t, pool, "INSERT INTO a (number, real) VALUES (?, ?)", int64(math.MinInt64), math.Inf(-1))
	for query, c := range map[string]struct {
		args []any
		want any
	}{
		"SELECT number FROM a WHERE n = 1":                {nil, int64(math.MaxInt64)},
		"SELECT number FROM a WHERE n = 2":                {nil, int64(math.MinInt64)},
		"SELECT real FROM a WHERE n = ?":                  {[]any{1}, 0.1},
		"SELECT real FROM a WHERE real < ?":               {[]any{-1.5}, math.Inf(-1)},
		"SELECT text FROM a WHERE n = 2":                  {nil, nil},
		"SELECT bytes FROM a WHERE n = 2":                 {nil, nil},
		"SELECT bytes FROM a WHERE bytes = x'0001ff'":     {nil, []byte{0, 1, 255}},
		"SELECT sum(number) FROM a":                       {nil, int64(-1)},
		"SELECT avg(n) FROM a":                            {nil, 1.5},
		"SELECT count(*) FROM a WHERE text LIKE 'X'":      {nil, int64(1)},
		"SELECT text = ? FROM a WHERE n = 1":              {[]any{"x"}, int64(1)},
		"SELECT number < ? FROM a WHERE n = 1":            {[]any{0}, int64(0)},
		"SELECT length(text) FROM a WHERE n = 1":          {nil, int64(1)},
		"SELECT ? - 1":                                    {[]any{int64(1) << 40}, int64(1)<<40 - 1},
		"SELECT ?1 + ?1":                                  {[]any{number(21)}, int64(42)},
		"SELECT ? || ''":                                  {[]any{name("of a name's type")}, "of a name's type"},
		"SELECT CAST(? AS BLOB)":                          {[]any{blob{7}}, []byte{7}},
		"SELECT CAST(? AS BLOB) IS NULL":                  {[]any{blob(nil)}, int64(1)},
		"SELECT CAST(? AS text) IS NULL":                  {[]any{sql.NullString{}}, int64(1)},
		"SELECT CAST(? AS boolean)":                       {[]any{true}, int64(1)},
		"SELECT CAST(? AS bigint) + 1":                    {[]any{true}, int64(2)},
		"SELECT json_object('a', CAST(? AS bigint))":      {[]any{3}, `{"a" : 3}`},
		"SELECT coalesce(CAST(? AS bigint), 5)":           {[]any{nil}, int64(5)},
		"SELECT CAST(2.50 AS numeric)":                    {nil, 2.5},
		"SELECT CAST('a' AS name)":                        {nil, "a"},
		"SELECT CAST(? AS smallint) + CAST(1 AS integer)": {[]any{2}, int64(3)},
	} {
		var got any
		if err := pool.QueryRowContext(t.Context(), query, c.args...).Scan(&got); err != nil || fmt.Sprintf("%T %v", got, got) != fmt.Sprintf("%T %v", c.want, c.want) {
			t.Errorf("%s: %T %v, %v; want %T %v", query, got, got, err, c.want, c.want)
		}
	}
}

// A mistake in the values is said, leaves nothing, and costs the statement nothing.
func TestWrongValues(t *testing.T) {
	_, pool := open(t)
	insert, err := pool.PrepareContext(t.Context(), "INSERT INTO a (text) VALUES (?)")
	if err != nil {
		t.Fatal(err)
	}
	defer insert.Close()
	right := func(text string) {
		t.Helper()
		if _, err := insert.ExecContext(t.Context(), text); err != nil {
			t.Errorf("a text: %v", err)
		}
	}
	right("before")
	for name, c := range map[string]struct {
		args []any
		want string
	}{
		"a number for a text": {[]any{1}, "give it a type with CAST"},
		"a list":              {[]any{digest{}}, "converting argument"},
		"none":                {nil, "has 1 values, and 0 are given"},
		"one too many":        {[]any{"a", "b"}, "has 1 values, and 2 are given"},
	} {
		if _, err := insert.ExecContext(t.Context(), c.args...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	right("behind")
	var all string
	if err := pool.QueryRowContext(t.Context(), "SELECT string_agg(text, ' ' ORDER BY n) FROM a").Scan(&all); err != nil || all != "before behind" {
		t.Errorf("stored are %q, %v", all, err)
	}
}
