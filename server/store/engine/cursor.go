package engine

import (
	"strconv"
	"strings"
)

// PageLimit is how many rows a page has: normally, or as asked for, up to most.
func PageLimit(asked, normal, most int) int {
	if asked <= 0 {
		return normal
	}
	return min(asked, most)
}

// A cursor is the sort key of the last row of a page, as numbers.
func FormatCursor(key ...int64) string {
	parts := make([]string, len(key))
	for i, k := range key {
		parts[i] = strconv.FormatInt(k, 36)
	}
	return strings.Join(parts, ".")
}

// ParseCursor reads a cursor of n numbers; nil for the empty one.
func ParseCursor(s string, n int) ([]int64, error) {
	if s == "" {
		return nil, nil
	}
	parts := strings.Split(s, ".")
	key := make([]int64, len(parts))
	for i, part := range parts {
		k, err := strconv.ParseInt(part, 36, 64)
		if err != nil || len(parts) != n {
			return nil, BadField("bad_cursor", "before", "This is not a place in the list; ask for its first page.")
		}
		key[i] = k
	}
	return key, nil
}
