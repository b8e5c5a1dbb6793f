package search

import (
	"encoding/json"
	"strings"

	"screentest/server/store/engine"
)

// A filter is what a row of the index must be: of each list, one of its words of
// meta.
type filter [][]string

// Where the rows that are looked for come from, on each of the two engines, as a
// statement has it in the place of FROM FOUND: ?1 is what they match, ?2 and ?3
// from and below which row, and ?4 how many are read.
//
// In PostgreSQL a long text is in several pieces. What stands in one of them is
// found by ?1; a text whose words are in different ones, by ?5, what it must be,
// and ?6, the phrases.
//
// Its index of words gives what it finds in no order. So the newest rows are gone
// through first, which is enough for a common word; what isn't found often there is
// rare, and all of it can be put in order.
const (
	foundInFTS5   = "search f WHERE f.search MATCH ?1 AND f.rowid >= ?2 AND f.rowid < ?3"
	foundInVector = `(WITH near AS MATERIALIZED (
			SELECT DISTINCT n FROM (SELECT n, words FROM search WHERE n >= ?2 AND n < ?3 ORDER BY n DESC, piece DESC LIMIT greatest(1000, 5 * ?4)) newest
			WHERE words @@ CAST(?1 AS tsquery) ORDER BY n DESC LIMIT ?4),
		far AS MATERIALIZED (
			SELECT n FROM search_words(CAST(?1 AS tsquery), ?2, ?3) n WHERE (SELECT count(*) FROM near) < ?4)
		SELECT n AS rowid FROM near
		UNION (SELECT DISTINCT n FROM far ORDER BY n DESC LIMIT ?4)
		UNION (SELECT s.n FROM search s WHERE s.long = 1 AND s.piece = 0 AND s.words @@ CAST(?5 AS tsquery) AND s.n >= ?2 AND s.n < ?3
			AND NOT EXISTS (SELECT 1 FROM json_each(?6) q WHERE NOT EXISTS
				(SELECT 1 FROM search p WHERE p.n = s.n AND p.words @@ CAST(q.value AS tsquery))) ORDER BY s.n DESC LIMIT ?4)) f`
)

// found is the statement query for the rows that are like is, with the phrases in
// columns, and its values.
func (l *lookup) found(q engine.Reading, query string, is filter, columns []string, limit int) (string, []any) {
	if !q.OnPostgres() {
		from, where, _ := strings.Cut(foundInFTS5, " WHERE ")
		query = strings.Replace(query, "FOUND", from, 1)
		query = strings.Replace(query, "ORDER BY", "WHERE "+where+" ORDER BY", 1)
		return query, []any{l.fts5(is, columns), l.above, l.below, limit}
	}
	meta, phrases := is.vectorQuery(), l.vectorQueries(columns)
	all := strings.Join(append([]string{meta}, phrases...), " & ")
	if phrases == nil {
		phrases = []string{}
	}
	list, err := json.Marshal(phrases)
	if err != nil {
		panic(err) // strings
	}
	return strings.Replace(query, "FOUND", foundInVector, 1), []any{all, l.above, l.below, limit, meta, string(list)}
}

// fts5 is what FTS5 is asked for.
func (l *lookup) fts5(is filter, columns []string) string {
	lists := make([]string, len(is))
	for i, words := range is {
		lists[i] = words[0]
		if len(words) > 1 {
			lists[i] = "(" + strings.Join(words, " OR ") + ")"
		}
	}
	out := "meta : (" + strings.Join(lists, " AND ") + ")"
	if len(l.phrases) == 0 {
		return out
	}
	parts := make([]string, len(l.phrases))
	for i, p := range l.phrases {
		parts[i] = `"` + strings.Join(p.typed, " ") + `"`
		if p.prefix && l.prefix {
			parts[i] += "*"
		}
	}
	return out + " AND {" + strings.Join(columns, " ") + "} : (" + strings.Join(parts, " AND ") + ")"
}
