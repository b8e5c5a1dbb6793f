package postgres

import (
	"strconv"
	"strings"
	"sync"
	"unicode"
)

var overrides sync.Map // a statement to what PostgreSQL is asked in its place

// Override says how PostgreSQL is asked what query asks, where translating isn't
// enough, and returns query. It is for constants, when the program starts.
func Override(query, instead string) string {
	overrides.Store(query, instead)
	return query
}

// Translate writes a statement of ours as PostgreSQL has it: the places of values,
// bytes, and hints for SQLite's planner. Functions that PostgreSQL hasn't got are
// made by the first migration.
func Translate(query string) string {
	if instead, is := overrides.Load(query); is {
		query = instead.(string)
	}
	var out strings.Builder
	out.Grow(len(query) + 16)
	values := 0
	for i := 0; i < len(query); {
		c := query[i]
		switch {
		case c == '\'' || c == '"':
			end := i + 1
			for end < len(query) && query[end] != c {
				end++
			}
			end = min(end+1, len(query))
			out.WriteString(query[i:end])
			i = end
		case c == '?':
			end := i + 1
			for end < len(query) && '0' <= query[end] && query[end] <= '9' {
				end++
			}
			out.WriteByte('$')
			if end > i+1 {
				out.WriteString(query[i+1 : end])
				n, _ := strconv.Atoi(query[i+1 : end])
				values = max(values, n)
			} else {
				values++
				out.WriteString(strconv.Itoa(values))
			}
			i = end
		case c == 'x' && strings.HasPrefix(query[i:], "x'") && (i == 0 || !wordByte(query[i-1])):
			end := i + 2 + strings.IndexByte(query[i+2:], '\'')
			out.WriteString(`'\x` + query[i+2:end] + `'::bytea`)
			i = end + 1
		case wordByte(c):
			end := i
			for end < len(query) && wordByte(query[end]) {
				end++
			}
			word := query[i:end]
			i = end
			switch word {
			case "INDEXED": // BY and a name
				i = skipWord(query, skipWord(query, i))
			case "LIKE": // SQLite's takes small and capital letters for the same
				out.WriteString("ILIKE")
			case "BLOB":
				out.WriteString("BYTEA")
			case "json_object":
				out.WriteString("json_build_object")
			case "CROSS":
				if joinsOn(query[i:]) {
					continue // CROSS JOIN … ON is SQLite's way to say in which order
				}
				out.WriteString(word)
			default:
				out.WriteString(word)
			}
		default:
			out.WriteByte(c)
			i++
		}
	}
	return out.String()
}

// mentions tells whether a statement has a place for its nth value.
func mentions(query string, n int) bool {
	place := "$" + strconv.Itoa(n)
	for i := strings.Index(query, place); i >= 0; {
		end := i + len(place)
		if end == len(query) || query[end] < '0' || query[end] > '9' {
			return true
		}
		next := strings.Index(query[end:], place)
		if next < 0 {
			return false
		}
		i = end + next
	}
	return false
}

func wordByte(c byte) bool {
	return c == '_' || c >= 0x80 || unicode.IsLetter(rune(c)) || unicode.IsDigit(rune(c))
}

// skipWord is behind the next word of query from i.
func skipWord(query string, i int) int {
	for i < len(query) && !wordByte(query[i]) {
		i++
	}
	for i < len(query) && wordByte(query[i]) {
		i++
	}
	return i
}

// joinsOn tells whether the JOIN that follows has an ON: it comes before the next
// clause at the same depth.
func joinsOn(query string) bool {
	depth, words := 0, 0
	for i := 0; i < len(query); {
		switch c := query[i]; {
		case c == '(':
			depth++
			i++
		case c == ')':
			if depth--; depth < 0 {
				return false
			}
			i++
		case c == ',' && depth == 0:
			return false
		case wordByte(c):
			end := skipWord(query, i)
			word := query[i:end]
			i = end
			if depth > 0 {
				continue
			}
			words++
			switch word {
			case "ON":
				return true
			case "JOIN":
				if words > 1 {
					return false
				}
			case "WHERE", "CROSS", "LEFT", "GROUP", "ORDER", "LIMIT", "UNION":
				return false
			}
		default:
			i++
		}
	}
	return false
}
