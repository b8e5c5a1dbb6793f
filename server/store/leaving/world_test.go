package leaving_test

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"screentest/server/account"
	"screentest/server/store"
	"screentest/server/store/engine"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// origin is the gateway that clips are made at here.
const origin = "https://gateway.example.com"

// join makes an account.
func join(t testing.TB, db *store.DB, name, role string) (owner string) {
	t.Helper()
	owner = storetest.AddUser(t, db, name)
	storetest.Must(t, db.Engine().Write(context.Background(), 0, func(w *engine.Tx) error {
		_, err := w.Exec("UPDATE users SET id = randomblob(16), email = name || '@example.com', role = ?, totp = x'01', totp_step = 3, oidc_issuer = 'https://i', oidc_subject = name, claims_ms = 1, limits = '{\"day_nano_usd\":1}', charge = 'personal', password = '$argon2id$' || name, claims = '{\"sub\":\"' || name || '\"}' WHERE n = ?", role, engine.ParseOwner(owner))
		return err
	}))
	return owner
}

// made is what somebody has made.
type made struct {
	start wire.Start
	clip  wire.VideoTask
	entry wire.LibraryEntry
}

// fill makes something of every kind for an owner; each text has the canary.
// The ids are those of like, where it has any.
func fill(t *testing.T, db *store.DB, owner, canary string, like made) (m made) {
	t.Helper()
	ctx := t.Context()
	m = like
	if m.start.Run == "" {
		m.start = storetest.NewStart("", canary+" asked")
	}
	m.start.User.Text, m.start.Body = canary+" asked", storetest.NewStart("", canary+" asked").Body
	storetest.Must(t, storetest.StartTurn(db, owner, m.start))
	storetest.Must(t, storetest.AppendLog(db, owner, m.start.Run, 0, []byte(canary+" logged"), nil))
	storetest.Must(t, db.FinishRun(ctx, owner, storetest.Ended(storetest.RunOf(m.start), 700), canary+" answered", []byte(canary+" logged"), nil, nil))
	next := storetest.NewStart(m.start.Conversation, canary+" asked on")
	next.User.Parent = m.start.Answer
	storetest.Must(t, storetest.StartTurn(db, owner, next))
	storetest.Must(t, db.FinishRun(ctx, owner, storetest.Ended(storetest.RunOf(next), 50), canary+" answered again", nil, nil, nil))
	storetest.Talk(t, db, owner, "", canary+" in another", storetest.Says(canary+" said"))
	lanes := storetest.SomeLanes(m.start)
	lanes.Lanes[1].Leaf = next.Answer
	storetest.Must(t, storetest.Second(db.SetLanes(ctx, owner, lanes)), storetest.Second(db.SetVote(ctx, owner, storetest.SomeVote(m.start))),
		storetest.Second(db.PinConversation(ctx, owner, wire.Pin{ID: m.start.Conversation, Pinned: true})))
	if m.entry.ID == "" {
		m.entry.ID = storetest.NewID()
	}
	m.entry.Kind, m.entry.Name, m.entry.Text = wire.LibraryPrompt, canary+" entry", canary
	storetest.Must(t, storetest.Second(db.PutLibrary(ctx, owner, m.entry)))
	for _, by := range []string{owner, ""} {
		storetest.Must(t, storetest.Wait(func(done func(error)) {
			db.Notices().Add([]string{owner}, by, wire.Notice{Kind: wire.NoticeShare, Path: "/", Text: canary}, func(_ map[string]wire.Notice, err error) { done(err) })
		}))
	}
	storetest.Must(t, db.SetSetting(ctx, owner, "theme", canary))
	storetest.Must(t, db.SaveSession(ctx, "session of "+canary, owner, []byte(canary), time.Now().Add(time.Hour)))

	v := db.Videos()
	if m.clip.ID == "" {
		m.clip.ID = storetest.NewID()
	}
	task := storetest.NewVideo(canary + " filmed")
	task.ID, task.Gateway, task.Title, task.Tags = m.clip.ID, origin, canary+" title", []string{canary}
	task = storetest.Taken(t, v, owner, task)
	task.State, task.FinishedMS = wire.VideoDone, 6
	m.clip = got2(v.End(ctx, owner, task, []string{"http://x/" + canary, "http://x/shared"}, 6))
	for i, of := range []string{canary, "shared"} {
		sum := sha256.Sum256([]byte(of))
		got2(v.SetOutput(ctx, owner, task.ID, wire.VideoOutput{Index: i, Archive: wire.ArchiveSaved, SHA256: hex.EncodeToString(sum[:]), Type: "video/mp4", Bytes: 1000}, 7))
	}
	poster := sha256.Sum256([]byte("poster of " + canary))
	_, _, err := v.SetPoster(ctx, owner, task.ID, 0, poster[:], "image/png")
	storetest.Must(t, err)
	child := storetest.NewVideo(canary + " filmed on")
	child.Gateway, child.Source = origin, task.ID
	child = storetest.Taken(t, v, owner, child)
	child.State, child.FinishedMS = wire.VideoFailed, 8
	got2(v.End(ctx, owner, child, nil, 8))
	_, _, err = v.AddUpload(ctx, owner, wire.Upload{ID: "up-" + canary, Name: canary + ".png", Measured: wire.Measured{Type: "image/png", Bytes: 500}}, 1, 1<<30, 0)
	storetest.Must(t, err)
	storetest.Indexed(t, db)
	return m
}

func got2[T any](v T, _ bool, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// seeOff does all steps of a leaving.
func seeOff(t *testing.T, db *store.DB, v account.Leaving) (e wire.Erasing, files [][]byte, uploads [][2]string) {
	t.Helper()
	e, err := db.Leavings().Begin(t.Context(), v, origin)
	storetest.Must(t, err)
	files, uploads = steps(t, db, v)
	if more, err := db.Leavings().Finish(t.Context(), v, e); more || err != nil {
		t.Fatalf("not finished: more %v, %v", more, err)
	}
	storetest.Indexed(t, db)
	storetest.CheckIntegrity(t, db)
	storetest.WantWhole(t, db)
	return e, files, uploads
}

func steps(t *testing.T, db *store.DB, v account.Leaving) (files [][]byte, uploads [][2]string) {
	t.Helper()
	for more := true; more; {
		f, u, again, err := db.Leavings().Step(t.Context(), v)
		storetest.Must(t, err)
		files, uploads, more = append(files, f...), append(uploads, u...), again
	}
	return files, uploads
}

// people are the columns that hold a person's number.
func peopleColumns(t testing.TB, db *store.DB) (all [][2]string) {
	t.Helper()
	query := `SELECT t.name, c.name FROM pragma_table_list t JOIN pragma_table_info(t.name) c
		WHERE t.schema = 'main' AND t.type = 'table' AND c.type = 'INTEGER' AND (c.name IN ('owner', 'person', 'heir', 'maker', 'by')
			OR EXISTS (SELECT 1 FROM pragma_foreign_key_list(t.name) f WHERE f."table" = 'users' AND f."from" = c.name)) ORDER BY 1, 2`
	if storetest.OnPostgres() {
		query = `SELECT c.table_name, c.column_name FROM information_schema.columns c JOIN pg_tables t ON t.tablename = c.table_name AND t.schemaname = c.table_schema
			WHERE c.table_schema = current_schema() AND c.data_type = 'bigint' AND (c.column_name IN ('owner', 'person', 'heir', 'maker', 'by') OR EXISTS (
				SELECT 1 FROM pg_constraint f JOIN pg_attribute a ON a.attrelid = f.conrelid AND a.attnum = ANY (f.conkey)
				WHERE f.contype = 'f' AND f.confrelid = 'users'::regclass AND f.conrelid = to_regclass(quote_ident(c.table_name)) AND a.attname = c.column_name)) ORDER BY 1, 2`
	}
	storetest.Must(t, db.Engine().At(context.Background()).Each(query, nil, func(rows *sql.Rows) error {
		var c [2]string
		err := rows.Scan(&c[0], &c[1])
		all = append(all, c)
		return err
	}))
	if len(all) < 15 {
		t.Fatalf("only %v name people", all)
	}
	return all
}

// rowsOf counts the rows of each table that name an owner.
func rowsOf(t testing.TB, db *store.DB, owner string) map[string]int64 {
	t.Helper()
	all := map[string]int64{}
	for _, c := range peopleColumns(t, db) {
		var n int64
		storetest.Must(t, db.Engine().At(context.Background()).Scan("SELECT count(*) FROM "+c[0]+" WHERE "+c[1]+" IN (?1, -?1)", []any{engine.ParseOwner(owner)}, &n))
		if n > 0 {
			all[c[0]+"."+c[1]] = n
		}
	}
	return all
}

// dump is every row that names an owner, as JSON, in an order.
func dump(t testing.TB, db *store.DB, owner string) (all []string) {
	t.Helper()
	for _, c := range peopleColumns(t, db) {
		if c[0] == "search_rows" || c[0] == "search_todo" {
			continue // numbers that are given anew
		}
		var columns []string
		list := "json_array"
		if storetest.OnPostgres() {
			list = "json_build_array"
		}
		storetest.Must(t, db.Engine().At(context.Background()).Each(columnsOf(c[0]), nil, func(rows *sql.Rows) error {
			var name string
			err := rows.Scan(&name)
			columns = append(columns, quoted(name))
			return err
		}))
		storetest.Must(t, db.Engine().At(context.Background()).Each("SELECT "+list+"("+strings.Join(columns, ", ")+") FROM \""+c[0]+"\" WHERE "+c[1]+" = ?", []any{engine.ParseOwner(owner)}, func(rows *sql.Rows) error {
			var row string
			err := rows.Scan(&row)
			all = append(all, c[0]+" "+row)
			return err
		}))
	}
	slices.Sort(all)
	return all
}

// columnsOf is the statement for the names of a table's columns.
func columnsOf(table string) string {
	if storetest.OnPostgres() {
		return "SELECT name FROM (SELECT column_name::text AS name FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = '" + table + "') AS c WHERE true"
	}
	return "SELECT name FROM pragma_table_info('" + table + "') WHERE true"
}

// quoted is a column's value as a text, whatever its type.
func quoted(column string) string {
	if storetest.OnPostgres() {
		return "quote_nullable(\"" + column + "\")"
	}
	return "quote(\"" + column + "\")"
}

// userRow is the row of an owner but for what is never another's: numbers, times.
func userRow(t testing.TB, db *store.DB, owner string) (row string) {
	t.Helper()
	var columns []string
	q := db.Engine().At(context.Background())
	storetest.Must(t, q.Each(columnsOf("users")+" AND name NOT IN ('n', 'id', 'created_ms', 'erased_ms')", nil, func(rows *sql.Rows) error {
		var name string
		err := rows.Scan(&name)
		columns = append(columns, "'"+name+"', "+quoted(name))
		return err
	}))
	storetest.Must(t, q.Scan("SELECT json_object("+strings.Join(columns, ", ")+") FROM users WHERE n = ?", []any{engine.ParseOwner(owner)}, &row))
	return row
}

// exported is what an owner's export of everything holds, as text.
func exported(t *testing.T, db *store.DB, owner string) string {
	t.Helper()
	var b strings.Builder
	storetest.Must(t, db.Export(t.Context(), owner, "", &b))
	if !json.Valid([]byte(b.String())) {
		t.Fatal("the export is no JSON")
	}
	return b.String()
}

func count(t *testing.T, db *store.DB, owner string) wire.Erasing {
	t.Helper()
	e, err := db.Leavings().Count(t.Context(), owner)
	storetest.Must(t, err)
	return e
}
