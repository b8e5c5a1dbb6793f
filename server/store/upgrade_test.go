package store_test

import (
	"context"
	"database/sql"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"screentest/server/store"
	"screentest/server/store/engine"
	"screentest/server/store/folder"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// allRows is each row of the tables of a database file, as table, column and
// value.
func allRows(t *testing.T, dir string) (all []string) {
	t.Helper()
	pool, err := engine.OpenPool(filepath.Join(dir, folder.DatabaseFile), engine.ReaderSettings, 1)
	storetest.Must(t, err)
	defer pool.Close()
	tables := read(t, pool, "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'search_%' ORDER BY name")
	for _, table := range tables {
		for _, column := range read(t, pool, "SELECT name FROM pragma_table_info('"+table+"')") {
			for _, value := range read(t, pool, "SELECT quote("+column+") FROM "+table+" ORDER BY 1") {
				all = append(all, table+"."+column+" "+value)
			}
		}
	}
	return append(all, read(t, pool, "SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_schema WHERE type IN ('index', 'trigger') AND name NOT LIKE '%autoindex%' ORDER BY 1")...)
}

// read is a column of texts.
func read(t *testing.T, pool *sql.DB, query string) (list []string) {
	t.Helper()
	rows, err := pool.Query(query)
	storetest.Must(t, err)
	defer rows.Close()
	for rows.Next() {
		var s string
		storetest.Must(t, rows.Scan(&s))
		list = append(list, s)
	}
	storetest.Must(t, rows.Err())
	return list
}

// An older database keeps every value, index and trigger when its tables are
// made anew by migration 6; row numbers go on where they were.
func TestUpgradeKeepsEverything(t *testing.T) {
	storetest.OnlySQLite(t)
	ctx := context.Background()
	dir := storetest.OpenVersion(t, 5, func(exec func(string, ...any)) {
		exec("PRAGMA foreign_keys = 1")
		exec("INSERT INTO users (n, name, local, created_ms) VALUES (1, 'me', 1, 1)")
		exec("INSERT INTO conversations (n, owner, id, title, models, turn, created_ms, updated_ms, pinned) VALUES (7, 1, ?, 'title', 'm-1', 21, 2, 3, 1)", storetest.MustID(t))
		exec(`INSERT INTO messages (n, owner, conversation, id, parent, lane, role, text, created_ms, tool_call, tool) VALUES
			(21, 1, 7, ?, NULL, 0, 'user', 'question', 4, '', ''), (22, 1, 7, ?, ?, 2, 'assistant', 'answer', 5, '', ''), (23, 1, 7, ?, ?, 3, 'tool', 'result', 6, 'call', 'function')`,
			storetest.MustID(t), storetest.MustID(t), storetest.MustID(t), storetest.MustID(t), storetest.MustID(t))
		exec(`INSERT INTO runs (n, owner, conversation, message, id, lane, endpoint, model, answered, state, finish, problem, http_status, content_type, request_id, bytes, started_ms,
			first_token_ms, duration_ms, input_tokens, output_tokens, calls, reasoning_bytes, sources, told_nano_usd, told_basis, told_source)
			VALUES (31, 1, 7, 22, ?, 2, 'chat', 'm-1', 'm-1-x', 'failed', 'stop', '{"code":"c"}', 200, 'text/event-stream', 'req', 10, 11, 12, 13, 14, 15, '[]', 16, 17, 18, 'basis', 'reported'),
			(32, 1, 7, 22, ?, 0, 'chat', 'm-1', '', 'done', '', NULL, 0, '', '', 0, 11, 0, 0, 0, 0, NULL, 0, 0, NULL, NULL, NULL)`, storetest.MustID(t), storetest.MustID(t))
		exec("INSERT INTO run_requests (run, owner, base_url, coding, body) VALUES (31, 1, 'http://g', 0, x'00')")
		exec("INSERT INTO run_log (owner, run, start, size, coding, data, times_coding, times) VALUES (1, 31, 0, 1, 0, x'00', 0, x'')")
		exec("INSERT INTO lanes (conversation, owner, rev, blind, lanes) VALUES (7, 1, 2, 1, '[]')")
		exec("INSERT INTO votes (message, owner, conversation, winner, models, vote_ms) VALUES (21, 1, 7, NULL, '[]', 9)")
		exec(`INSERT INTO library (n, owner, id, kind, name, text, family, params, updated_ms) VALUES (41, 1, ?, 'prompt', 'name', 'text', 'f', NULL, 1), (42, 1, ?, 'settings', 'name', '', 'f', '{}', 1)`, storetest.MustID(t), storetest.MustID(t))
		exec("INSERT INTO video_keys (n, owner, sealed) VALUES (5, 1, x'00')")
		exec(`INSERT INTO video_tasks (n, owner, id, version, key, gateway, remote, uuid, model, mode, prompt, title, tags, words, state, pause, problem, poll_problem, created_ms, accepted_ms, started_ms,
			finished_ms, deleted_ms, usual_least, usual_most, seconds, price, basis, sample, prices, source, source_index, source_uuid, family, tier, resolution, root, finish_state, favourite, pinned)
			VALUES (51, 1, ?, 2, 5, 'http://g', 'remote', 'uuid', 'v-1', 'text', 'prompt', 'title', '["tag"]', 'words', 'failed', 'key', '{"code":"c"}', '{"code":"p"}', 1, 2, 3, 4, 5, 6, 7, 8, 9, 'basis', 1, '{}',
			?, 1, 'su', 'f', 't', 'r', 'root', 'fs', 1, 1)`, storetest.MustID(t), storetest.MustID(t))
		exec(`INSERT INTO video_tasks (n, owner, id, model, mode, prompt, words, state, created_ms, usual_least, usual_most, seconds, price, basis, sample, prices)
			VALUES (52, 1, ?, 'v-1', 'text', 'prompt', 'words', 'done', 1, 6, 7, 8, 9, 'basis', 1, '{}')`, storetest.MustID(t))
		exec("INSERT INTO video_requests (task, owner, body) VALUES (51, 1, 'body')")
		exec(`INSERT INTO video_outputs (n, owner, task, idx, url, archive, sha256, type, width, height, seconds, bytes, saved_ms, problem, poster, poster_type)
			VALUES (61, 1, 52, 1, 'http://f', 'saved', ?, 'video/mp4', 1, 2, 3.5, 4, 5, '{"code":"o"}', ?, 'image/png'), (62, 1, 52, 2, 'http://f', 'waiting', NULL, '', 0, 0, 0, 0, 0, NULL, NULL, '')`, make([]byte, 32), make([]byte, 32))
		exec("INSERT INTO uploads (n, owner, id, type, name, bytes, width, height, seconds, created_ms) VALUES (71, 1, 'secret', 'image/png', 'name', 1, 2, 3, 4, 5)")
		exec("INSERT INTO ledger (owner, kind, what, subject, model, cost_nano_usd, basis, source, created_ms) VALUES (1, 'charge', 'text', ?, 'm-1', 5, 'basis', 'reported', 1)", storetest.MustID(t))
	})
	before := allRows(t, dir)
	storetest.ToVersion(t, dir, 6, func(func(string, ...any)) {})
	after := allRows(t, dir)
	if !slices.Equal(before, after) {
		for _, s := range before {
			if !slices.Contains(after, s) {
				t.Errorf("gone: %s", s)
			}
		}
		for _, s := range after {
			if !slices.Contains(before, s) {
				t.Errorf("new: %s", s)
			}
		}
	}

	db := storetest.Open(t, dir, store.Options{})
	if got := storetest.Search(t, db, "1", wire.Search{Query: "question"}); len(got) != 1 {
		t.Errorf("the question is found %d times", len(got))
	}
	storetest.CheckIntegrity(t, db)
	s := storetest.NewStart("", "x")
	storetest.Must(t, storetest.StartTurn(db, "1", s))
	var n int64
	storetest.Must(t, db.Engine().At(ctx).Scan("SELECT max(n) FROM messages", nil, &n))
	if n != 25 {
		t.Errorf("the new answer is message %d, want 25", n)
	}
}

// People look at their data with the SQLite that they have. Debian's, which is
// older than ours, finds nothing wrong with a database that has a row of each
// kind.
func TestAnOlderSQLiteFindsNothingWrong(t *testing.T) {
	storetest.OnlySQLite(t)
	if _, err := exec.LookPath("sqlite3"); err != nil {
		if os.Getenv("SCREENTEST_NO_SQLITE3") != "" { // make test has said so aloud
			t.Skip("no sqlite3")
		}
		t.Fatal(err)
	}
	ctx := context.Background()
	dir := t.TempDir()
	db, err := store.Open(ctx, dir, store.Options{})
	storetest.Must(t, err)
	owner, err := db.EnsureLocalUser(ctx)
	storetest.Must(t, err)
	s, _ := storetest.Talk(t, db, owner, "", "q", storetest.Says("a"))
	storetest.Talk(t, db, owner, s.Conversation, "q", func(r *wire.Run) string {
		r.State, r.Problem, r.Calls = wire.Failed, &wire.Problem{Code: "c"}, []wire.ToolCall{{ID: "c", Name: "f"}}
		return ""
	})
	storetest.Must(t, storetest.Second(db.SetLanes(ctx, owner, storetest.SomeLanes(s))), storetest.Second(db.SetVote(ctx, owner, storetest.SomeVote(s))))
	storetest.Must(t, db.Engine().Write(ctx, 0, func(w *engine.Tx) error {
		for query, arg := range map[string]any{
			"INSERT INTO library (owner, id, kind, name, updated_ms) VALUES (1, ?, 'prompt', 'n', 0)": storetest.MustID(t),
			`INSERT INTO video_tasks (owner, id, model, mode, prompt, words, state, created_ms, usual_least, usual_most, seconds, price, basis, sample, prices)
				VALUES (1, ?, '', '', '', '', 'done', 0, 0, 0, 0, 0, '', 0, '{}')`: storetest.MustID(t),
		} {
			if _, err := w.Exec(query, arg); err != nil {
				return err
			}
		}
		_, err := w.Exec("INSERT INTO video_outputs (owner, task, idx, url) SELECT owner, n, 0, '' FROM video_tasks")
		return err
	}))
	storetest.Indexed(t, db)
	storetest.Must(t, db.Close())
	out, err := exec.Command("sqlite3", filepath.Join(dir, folder.DatabaseFile), "PRAGMA integrity_check; PRAGMA foreign_key_check;").CombinedOutput()
	if err != nil || string(out) != "ok\n" {
		t.Errorf("%v\n%s", err, out)
	}
}
