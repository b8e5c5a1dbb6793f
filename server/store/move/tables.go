package move

import (
	"cmp"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"

	"screentest/server/store/engine"
	"screentest/shared/wire"
)

// A table is a table as one engine's catalogue has it.
type table struct {
	name    string
	columns []column // in an order that both engines have
	key     []string // the columns of the primary key, in its order
	refers  []string // the tables that rows of it refer to, without itself
	numbers bool     // n is given out, never twice
}

// A column is one of a table.
type column struct {
	name    string
	kind    string // "int", "text", "bytes" or "real"
	derived bool   // from others, by the engine
}

// derived are the tables of the search index, which the words are put into anew:
// each engine has it in its own way.
var derived = map[string]bool{"search": true, "search_rows": true, "search_todo": true}

// running are the tables of PostgreSQL's alone, which replicas share while they run:
// who is there, what is set aside for sends under way, who imports, who wrote what last. None runs while all
// is moved, so nothing in them is worth moving, and a folder has none of them: its one
// process holds in memory what it needs of that.
var running = []string{"commits", "replicas", "reservations", "stagings"}

// kinds are the types that both engines have columns of.
var kinds = map[string]string{
	"integer": "int", "bigint": "int", "text": "text", "blob": "bytes", "bytea": "bytes", "real": "real", "double precision": "real",
}

// Statements that read the catalogues: for each column its table, name, type,
// whether it is derived, and its place in the primary key; for each foreign key the
// table that has it and the one it refers to; and the tables that number rows.
const (
	sqliteColumns = `SELECT t.name, c.name, lower(c.type), c.hidden IN (2, 3), c.pk FROM pragma_table_list t JOIN pragma_table_xinfo(t.name) c
		WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite\_%' ESCAPE '\'`
	sqliteRefers = `SELECT DISTINCT t.name, f."table" FROM pragma_table_list t JOIN pragma_foreign_key_list(t.name) f
		WHERE t.schema = 'main' AND t.type = 'table'`
	sqliteNumbers = "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%AUTOINCREMENT%'"

	postgresColumns = `SELECT c.relname::text, a.attname::text, format_type(a.atttypid, NULL), (a.attgenerated <> '')::int,
			coalesce(array_position((SELECT array_agg(k) FROM pg_index i, unnest(i.indkey::int2[]) k WHERE i.indrelid = c.oid AND i.indisprimary), a.attnum), 0)
		FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
		WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped`
	postgresRefers = `SELECT DISTINCT c.relname::text, r.relname::text FROM pg_constraint f JOIN pg_class c ON c.oid = f.conrelid JOIN pg_class r ON r.oid = f.confrelid
		WHERE f.contype = 'f' AND c.relnamespace = current_schema()::regnamespace`
	postgresNumbers = `SELECT c.relname::text FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
		WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND a.attname = 'n' AND a.attidentity <> ''`
)

// tablesOf reads the catalogue, without the search index and what is of those that
// run.
func tablesOf(q engine.Reading) (map[string]*table, error) {
	columns, refers, numbers := sqliteColumns, sqliteRefers, sqliteNumbers
	if q.OnPostgres() {
		columns, refers, numbers = postgresColumns, postgresRefers, postgresNumbers
	}
	all := map[string]*table{}
	places := map[string]map[string]int{}
	err := q.Each(columns, nil, func(rows *sql.Rows) error {
		var name string
		var c column
		var isDerived, place int
		if err := rows.Scan(&name, &c.name, &c.kind, &isDerived, &place); err != nil || derived[name] || slices.Contains(running, name) {
			return err
		}
		kind, known := kinds[c.kind]
		if !known {
			return fmt.Errorf("column %s of table %s is of the type %s, which only one engine has", c.name, name, c.kind)
		}
		if all[name] == nil {
			all[name], places[name] = &table{name: name}, map[string]int{}
		}
		c.kind, c.derived = kind, isDerived == 1
		all[name].columns = append(all[name].columns, c)
		if place > 0 {
			places[name][c.name] = place
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = q.Each(refers, nil, func(rows *sql.Rows) error {
		var from, to string
		err := rows.Scan(&from, &to)
		if t := all[from]; t != nil && to != from {
			t.refers = append(t.refers, to)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	err = q.Each(numbers, nil, func(rows *sql.Rows) error {
		var name string
		err := rows.Scan(&name)
		if t := all[name]; t != nil {
			t.numbers = true
		}
		return err
	})
	for name, t := range all {
		slices.SortFunc(t.columns, func(a, b column) int { return cmp.Compare(a.name, b.name) })
		t.key = slices.SortedFunc(maps.Keys(places[name]), func(a, b string) int { return cmp.Compare(places[name][a], places[name][b]) })
		if len(t.key) == 0 {
			return nil, fmt.Errorf("table %s has no primary key, by which its rows could be gone through", name)
		}
	}
	return all, err
}

// same says in what the tables of two engines differ; "" if they don't.
func same(a, b map[string]*table) string {
	for _, name := range slices.Sorted(maps.Keys(a)) {
		if b[name] == nil {
			return "table " + name + " is only in one of them"
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b)) {
		if a[name] == nil {
			return "table " + name + " is only in one of them"
		}
		if !slices.Equal(a[name].columns, b[name].columns) {
			return fmt.Sprintf("table %s has the columns %v in one and %v in the other", name, a[name].columns, b[name].columns)
		}
		if !slices.Equal(a[name].key, b[name].key) {
			return fmt.Sprintf("table %s has the key %v in one and %v in the other", name, a[name].key, b[name].key)
		}
	}
	return ""
}

// inOrder has each table behind those that it refers to.
func inOrder(all map[string]*table) (list []*table, err error) {
	done := map[string]bool{}
	for len(list) < len(all) {
		before := len(list)
		for _, name := range slices.Sorted(maps.Keys(all)) {
			waits := func(to string) bool { return !done[to] }
			if !done[name] && !slices.ContainsFunc(all[name].refers, waits) {
				list = append(list, all[name])
				done[name] = true
			}
		}
		if len(list) == before {
			return nil, fmt.Errorf("tables refer to each other in a circle: none of those left can be the next: %v", slices.Sorted(maps.Keys(all)))
		}
	}
	return list, nil
}

// plan is in which order the tables of from are written to to.
func plan(from, to engine.Reading) ([]*table, error) {
	a, err := tablesOf(from)
	if err != nil {
		return nil, err
	}
	b, err := tablesOf(to)
	if err != nil {
		return nil, err
	}
	if differ := same(a, b); differ != "" {
		return nil, &engine.Error{Problem: wire.Problem{Code: "other_schema", Message: "What is moved and where it is moved to have other tables: " + differ + ".",
			Hint: "Something else than Screentest has changed one of them."}}
	}
	for name, t := range a {
		for _, r := range b[name].refers { // either may refer to more
			if !slices.Contains(t.refers, r) {
				t.refers = append(t.refers, r)
			}
		}
	}
	return inOrder(a)
}

// stored are the columns that are copied.
func (t *table) stored() (list []column) {
	for _, c := range t.columns {
		if !c.derived {
			list = append(list, c)
		}
	}
	return list
}

// listed are names as a statement has them.
func listed(names []string) string { return `"` + strings.Join(names, `", "`) + `"` }

func namesOf(columns []column) (names []string) {
	for _, c := range columns {
		names = append(names, c.name)
	}
	return names
}
