package postgres

import "testing"

func TestTranslate(t *testing.T) {
	for name, c := range map[string]struct{ query, want string }{
		"values":                         {"SELECT ?, ? + ?", "SELECT $1, $2 + $3"},
		"numbered values":                {"SELECT ?2, ?1, ?1", "SELECT $2, $1, $1"},
		"the next after a numbered one":  {"SELECT ?3, ?", "SELECT $3, $4"},
		"more than nine":                 {"SELECT ?10, ?", "SELECT $10, $11"},
		"a value in a text is none":      {"SELECT '?', ? WHERE a = 'it''s ?'", "SELECT '?', $1 WHERE a = 'it''s ?'"},
		"nor is one in a name":           {`SELECT "a?" FROM "LIKE" WHERE b = ?`, `SELECT "a?" FROM "LIKE" WHERE b = $1`},
		"bytes":                          {"SELECT x'00ff', x''", `SELECT '\x00ff'::bytea, '\x'::bytea`},
		"a name that ends in x":          {"SELECT max'a'", "SELECT max'a'"},
		"LIKE":                           {"a LIKE ? || '%'", "a ILIKE $1 || '%'"},
		"NOT LIKE":                       {"a NOT LIKE 'LIKE'", "a NOT ILIKE 'LIKE'"},
		"a name with LIKE in it":         {"LIKELY, DISLIKE", "LIKELY, DISLIKE"},
		"a hint for SQLite's planner":    {"FROM runs INDEXED BY runs_by_owner WHERE a", "FROM runs  WHERE a"},
		"its type for bytes":             {"CAST(? AS BLOB)", "CAST($1 AS BYTEA)"},
		"an object":                      {"json_object('a', ?)", "json_build_object('a', $1)"},
		"an order for SQLite's planner":  {"FROM a CROSS JOIN b ON a.n = b.n WHERE x", "FROM a  JOIN b ON a.n = b.n WHERE x"},
		"a true CROSS JOIN":              {"FROM a CROSS JOIN b WHERE a.n = b.n", "FROM a CROSS JOIN b WHERE a.n = b.n"},
		"and the ON of the next":         {"FROM a CROSS JOIN b JOIN c ON c.n = b.n", "FROM a CROSS JOIN b JOIN c ON c.n = b.n"},
		"and that of a subquery":         {"FROM a CROSS JOIN (SELECT 1 FROM b JOIN c ON b.n = c.n) d", "FROM a CROSS JOIN (SELECT 1 FROM b JOIN c ON b.n = c.n) d"},
		"in a subquery that ends":        {"(SELECT 1 FROM a CROSS JOIN b) JOIN c ON true", "(SELECT 1 FROM a CROSS JOIN b) JOIN c ON true"},
		"a subquery, and its ON":         {"FROM a CROSS JOIN (SELECT 1) d ON d.n = a.n", "FROM a  JOIN (SELECT 1) d ON d.n = a.n"},
		"letters beyond those of ASCII":  {"SELECT 'Größe ?' WHERE größe = ?", "SELECT 'Größe ?' WHERE größe = $1"},
		"a text that doesn't end":        {"SELECT 'abc ?", "SELECT 'abc ?"},
		"nothing":                        {"", ""},
		"what both engines have is left": {"INSERT INTO a (n) VALUES (1) ON CONFLICT DO NOTHING RETURNING n", "INSERT INTO a (n) VALUES (1) ON CONFLICT DO NOTHING RETURNING n"},
	} {
		if got := Translate(c.query); got != c.want {
			t.Errorf("%s: %s\nbecame %s\nwant   %s", name, c.query, got, c.want)
		}
	}
}

// What can't be translated is said anew, and has its values in the same way.
func TestOverride(t *testing.T) {
	const query = "SELECT hex(a) FROM test_override WHERE a = ?"
	if got := Override(query, "SELECT encode(a, 'hex') FROM test_override WHERE a = ?"); got != query {
		t.Errorf("it gave %q", got)
	}
	if got := Translate(query); got != "SELECT encode(a, 'hex') FROM test_override WHERE a = $1" {
		t.Errorf("it became %q", got)
	}
	if got := Translate(query + " LIMIT 1"); got != "SELECT hex(a) FROM test_override WHERE a = $1 LIMIT 1" {
		t.Errorf("another one became %q", got)
	}
}

// A place for the first value isn't seen in that for the tenth.
func TestMentions(t *testing.T) {
	for query, want := range map[string][3]bool{ // the first, the second and the twelfth value
		"SELECT $1":            {true, false, false},
		"SELECT $12":           {false, false, true},
		"SELECT $12, $1":       {true, false, true},
		"SELECT $2 WHERE $12":  {false, true, true},
		"SELECT $11, $13, $21": {},
		"":                     {},
	} {
		if got := [3]bool{mentions(query, 1), mentions(query, 2), mentions(query, 12)}; got != want {
			t.Errorf("%q: %v, want %v", query, got, want)
		}
	}
}
