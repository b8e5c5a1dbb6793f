package engine_test

import (
	"bytes"
	"context"
	"database/sql"
	"regexp"
	"strings"
	"testing"
	"time"

	"screentest/server/store"
	"screentest/server/store/audit"
	"screentest/server/store/engine"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// No statement of the store looks at more rows than it needs: none reads a
// whole table or sorts. The statements are those that the calls below left
// prepared.
func TestStatementsUseIndexes(t *testing.T) {
	storetest.OnlySQLite(t)
	db, owner := storetest.OpenLocal(t)
	for _, err := range everyCall(t, db, owner) {
		storetest.Must(t, err)
	}
	queries, err := db.Engine().Statements(context.Background())
	storetest.Must(t, err)
	if len(queries) < 35 {
		t.Errorf("only %d statements are looked at", len(queries))
	}
	allowed := []string{
		"SCAN pragma_",                    // not a table
		"SCAN r USING INDEX runs_running", // all of what is running is asked for
		"SCAN search VIRTUAL TABLE INDEX", // the full-text index; M is a match, = a row, < and > bound it
		"SCAN f VIRTUAL TABLE INDEX",
		"SCAN search_todo",                            // from its beginning, a step of it
		"SCAN up",                                     // what the recursion has found
		"SCAN CONSTANT ROW",                           // INSERT … SELECT
		"SCAN users USING COVERING INDEX users_local", // has one row at most
		"SCAN u",                        // all people are asked for
		"SCAN page",                     // of the ledger: at most 501 rows
		"SCAN leavings",                 // a few
		"SCAN t USING INDEX teams_name", // all teams are asked for
		"SCAN teams",                    // likewise, those that were deleted too
		"SCAN i",                        // invitations: all that are open are asked for, and those of who is an admin no more
		"SCAN shares USING COVERING INDEX shares_link", // all links are taken back
		"SCAN shares USING INDEX shares_link",          // likewise
		"SCAN links",                                   // few, each made by hand: likewise
	}
	for _, query := range queries {
		if strings.HasPrefix(query, "PRAGMA") || strings.HasPrefix(query, "INSERT INTO users") {
			continue // a new user's plan names the tables of deferred keys, which are looked at only while some are broken
		}
		for _, step := range planOf(t, db, query) {
			step := severalRows.ReplaceAllString(step, "") // of what is inserted
			bad := strings.Contains(step, "SCAN") || strings.Contains(step, "TEMP B-TREE")
			// Of some hours, the sums of each model; and the few rows of the ledger
			// about one thing or conversation.
			if strings.Contains(query, "spend_hours h") && strings.HasSuffix(step, "FOR GROUP BY") ||
				(strings.Contains(query, "ORDER BY +l.created_ms") || strings.Contains(query, "ORDER BY +l.cost_nano_usd")) && strings.HasSuffix(step, "FOR ORDER BY") {
				bad = false
			}
			for _, few := range fewSorted {
				bad = bad && !strings.Contains(query, few)
			}
			if strings.Contains(query, "ORDER BY +l.created_ms") && strings.HasPrefix(step, "SEARCH l USING INDEX ledger_newest") {
				t.Errorf("few rows are looked for in all of the owner's time: %s", query)
			}
			for _, a := range allowed {
				bad = bad && !strings.HasPrefix(step, a)
			}
			if bad {
				t.Errorf("%s: %s", step, query)
			}
		}
	}
}

// severalRows is the step of an INSERT of several rows at once.
var severalRows = regexp.MustCompile(`^SCAN \d+-ROW VALUES CLAUSE$`)

// fewSorted are in statements that sort what is little: the rows of the ledger
// about one thing, the files of a clip, and the files of who is to leave, which
// are counted once.
var fewSorted = []string{"AND subject = ?2 ORDER BY n DESC LIMIT 1", "json_group_array(json_object('index', idx", "FROM leavings WHERE holder = ? ORDER BY begun_ms", "GROUP BY o.sha256"}

// everyCall makes each call of the store once and gives the errors.
func everyCall(t *testing.T, db *store.DB, owner string) (errs []error) {
	ctx := context.Background()
	s := storetest.NewStart("", "x")
	add := func(err error) { errs = append(errs, err) }
	_, _, err := db.CheckStart(ctx, owner, s)
	add(err)
	add(storetest.StartTurn(db, owner, s))
	add(storetest.Wait(func(done func(error)) { db.RunReplied(owner, s.Run, 200, "", "", done) }))
	add(storetest.AppendLog(db, owner, s.Run, 0, []byte("log"), nil))
	add(db.EachRunning(ctx, func(string, wire.Run) error { return nil }))
	add(db.FinishRun(ctx, owner, storetest.Ended(storetest.RunOf(s), 1), "text", []byte("log"), nil, nil))
	_, err = storetest.Book(db, owner, storetest.SomeEntry("correction", storetest.MustID(t), 1))
	add(err)
	add(storetest.Second(db.Run(ctx, owner, s.Run)))
	add(storetest.Second(db.RunRequest(ctx, owner, s.Run)))
	add(storetest.Second(db.ReadRunLog(ctx, owner, s.Run, 0, 1)))
	add(storetest.Second(db.RunTimes(ctx, owner, s.Run)))
	page, err := db.Conversations(ctx, owner, wire.Page{})
	add(err)
	add(storetest.Second(db.Conversations(ctx, owner, wire.Page{Before: engine.FormatCursor(page.Conversations[0].UpdatedMS, 1)})))
	add(storetest.Second(db.Conversation(ctx, owner, s.Conversation)))
	add(storetest.Second(db.OpenConversation(ctx, owner, storetest.PageOf(s))))
	add(storetest.Second(db.RenameConversation(ctx, owner, wire.Rename{ID: s.Conversation, Title: "x"})))
	add(storetest.Second(db.Spent(ctx, owner, time.UnixMilli(0), time.UnixMilli(1))))
	add(storetest.Second(db.Spend(ctx, owner, wire.SpendQuery{Tomorrow: 1, Days: []int64{1, 7_200_000}})))
	add(storetest.Second(db.Ledger(ctx, owner, wire.LedgerQuery{Kind: "charge"})))
	add(db.EachSetting(ctx, "a", func(string, string) error { return nil }))
	add(storetest.Second(db.Ledger(ctx, owner, wire.LedgerQuery{Search: "a_b"})))
	for _, sort := range []string{wire.SortOldest, wire.SortDearest, wire.SortCheapest} {
		add(storetest.Second(db.Ledger(ctx, owner, wire.LedgerQuery{Sort: sort})))
	}
	add(storetest.Second(db.Ledger(ctx, owner, wire.LedgerQuery{Subject: s.Run})))
	add(storetest.Second(db.Ledger(ctx, owner, wire.LedgerQuery{Conversation: s.Conversation})))
	add(storetest.Second(db.Correct(ctx, owner, wire.Correction{Subject: s.Run, CostNanoUSD: 5})))
	add(storetest.Second(db.SpentByEverybody(ctx, time.UnixMilli(0), time.UnixMilli(1))))
	add(db.SetServerSetting(ctx, "a", "b"))
	add(storetest.Second(db.ServerSetting(ctx, "a")))
	add(db.SetServerSetting(ctx, "a", ""))
	add(storetest.Second(db.PinConversation(ctx, owner, wire.Pin{ID: s.Conversation, Pinned: true})))
	add(storetest.Second(db.OpenConversation(ctx, owner, wire.Page{Conversation: s.Conversation, Around: s.Answer})))
	add(storetest.Second(db.Messages(ctx, owner, wire.MessageQuery{Conversation: s.Conversation, IDs: []string{s.Answer}})))
	add(storetest.Second(db.Outline(ctx, owner, s.Conversation)))
	add(storetest.Second(db.SetLanes(ctx, owner, storetest.SomeLanes(s))))
	add(storetest.Second(db.SetVote(ctx, owner, storetest.SomeVote(s))))
	add(storetest.Second(db.OpenConversation(ctx, owner, storetest.PageOf(s))))
	add(storetest.Second(db.RequestSent(ctx, owner, s.Run)))
	result := storetest.NewStart(s.Conversation, "22 °C")
	result.User.Role, result.User.Parent, result.User.ToolCall = "tool", s.Answer, "call-1"
	add(storetest.StartTurn(db, owner, result))
	add(storetest.Second(db.Search(ctx, owner, wire.Search{Query: "text", Conversation: s.Conversation})))
	add(storetest.Second(db.Search(ctx, owner, wire.Search{MinNanoUSD: new(int64)})))
	var file bytes.Buffer
	add(db.Export(ctx, owner, "", &file))
	add(storetest.Second(db.Import(ctx, owner, &file)))
	entry := wire.LibraryEntry{ID: storetest.NewID(), Kind: wire.LibraryPrompt, Name: "a", Text: "b"}
	add(storetest.Second(db.PutLibrary(ctx, owner, entry)))
	add(storetest.Second(db.Library(ctx, owner)))
	add(db.DeleteLibrary(ctx, owner, entry.ID))
	add(db.SetSetting(ctx, owner, "a", "b"))
	add(storetest.Second(db.Setting(ctx, owner, "a")))
	add(db.SetSetting(ctx, owner, "a", ""))
	add(db.SaveSession(ctx, "id", owner, nil, time.Now().Add(time.Hour)))
	_, _, err = db.LoadSession(ctx, "id")
	add(err)
	add(storetest.Second(db.SweepSessions(ctx)))
	add(db.MoveSession(ctx, "id", "another", owner, nil, time.Now().Add(time.Hour)))
	add(db.SetSecret(ctx, "name", nil))
	add(storetest.Second(db.Secret(ctx, "name")))
	errs = append(errs, everyTeamCall(t, db, owner)...)
	errs = append(errs, everyImageCall(t, db, owner)...)
	errs = append(errs, everyOrderOfClips(db, owner)...)
	errs = append(errs, everyLeavingCall(t, db)...)
	errs = append(errs, everyRankingCall(t, db)...)
	errs = append(errs, everyNoticeCall(t, db)...)
	errs = append(errs, everyReviewCall(t, db)...)
	errs = append(errs, everyLibraryCall(t, db)...)
	errs = append(errs, everyApprovalCall(t, db)...)
	errs = append(errs, everySharingCall(t, db, owner)...)
	add(storetest.Second(db.DropWire(ctx, owner, time.Now().AddDate(9, 0, 0))))
	add(db.DeleteConversation(ctx, owner, s.Conversation))
	return errs
}

// everyTeamCall makes each call of teams, keys and invitations.
func everyTeamCall(t *testing.T, db *store.DB, owner string) (errs []error) {
	ctx := context.Background()
	add := func(err error) { errs = append(errs, err) }
	var b []byte
	add(db.Engine().Write(ctx, 0, func(w *engine.Tx) error {
		if _, err := w.Exec("UPDATE users SET email = 'a@example.com', role = 'admin' WHERE n = ?", engine.ParseOwner(owner)); err != nil {
			return err
		}
		return w.Scan("SELECT id FROM users WHERE n = ?", []any{engine.ParseOwner(owner)}, &b)
	}))
	person, name := engine.FormatID(b), "red"
	db.Audit().Note(audit.Entry{Person: owner, Action: "invite.made"}) // stored before what is written next
	id, err := db.MakeTeam(ctx, wire.TeamChange{Name: &name, Models: new([]string), Limits: &wire.Limits{}})
	add(err)
	add(storetest.Second(db.SpentByTeam(ctx, id, time.UnixMilli(0), time.UnixMilli(1))))
	for _, of := range []wire.Of{{}, {Person: person}, {Team: id}, {PaidBy: "key"}, {Person: person, Team: id, PaidBy: "key"}} {
		add(storetest.Second(db.SpendOfEverybody(ctx, wire.SpendQuery{Tomorrow: 1, Days: []int64{1, 7_200_000}, Of: of})))
		add(storetest.Second(db.LedgerOfEverybody(ctx, owner, wire.LedgerQuery{Kind: "charge", Of: of})))
	}
	add(db.ChangeTeam(ctx, id, wire.TeamChange{Name: &name}))
	add(db.PutInTeam(ctx, id, person, true))
	add(db.SetTeamKey(ctx, owner, id, "key", "", ""))
	add(db.SetPersonalKey(ctx, owner, "key", "", ""))
	add(storetest.Second(db.Persons(ctx)))
	add(storetest.Second(db.Teams(ctx)))
	add(storetest.Second(db.TeamsOf(ctx, owner)))
	add(storetest.Second(db.Team(ctx, id)))
	_, _, err = db.Charges(ctx, owner, "")
	add(err)
	add(db.SetCharge(ctx, owner, id))
	invite, err := db.MakeInvite(ctx, owner, "token", wire.Invite{Role: "member", Teams: []string{id}, Uses: 1})
	add(err)
	add(storetest.Second(db.Invites(ctx)))
	add(db.RevokeInvite(ctx, invite))
	for _, q := range []wire.AuditQuery{{Person: person, Limit: 10}, {Action: "invite", Limit: 10}} { // without either it is read from its end
		add(db.Audit().Each(ctx, q, func(wire.AuditRow) error { return nil }))
	}
	add(db.DeletePersonalKey(ctx, owner))
	add(db.DeleteTeamKey(ctx, id))
	add(db.TakeFromTeam(ctx, id, person))
	add(db.DeleteTeam(ctx, id))
	return errs
}

// planOf is what SQLite means to do for query.
func planOf(t *testing.T, db *store.DB, query string) (steps []string) {
	t.Helper()
	pool, err := engine.OpenPool(storetest.DatabaseOf(t, db), engine.ReaderSettings, 1)
	storetest.Must(t, err)
	defer pool.Close()
	conn, err := pool.Conn(context.Background())
	storetest.Must(t, err)
	defer conn.Close()
	var rows *sql.Rows
	for n := 0; n < 600; n++ { // as many parameters as it takes
		if rows, err = conn.QueryContext(context.Background(), "EXPLAIN QUERY PLAN "+query, make([]any, n)...); err == nil {
			break
		}
	}
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	for rows.Next() {
		var id, parent, unused int
		var detail string
		storetest.Must(t, rows.Scan(&id, &parent, &unused, &detail))
		steps = append(steps, detail)
	}
	storetest.Must(t, rows.Err())
	return steps
}

// What each connection is set to, as SQLite itself tells it.
func TestConnectionSettings(t *testing.T) {
	storetest.OnlySQLite(t)
	ctx := context.Background()
	db, _ := storetest.OpenLocal(t)
	both := map[string]string{"busy_timeout": "5000", "foreign_keys": "1", "trusted_schema": "0", "journal_mode": "wal", "temp_store": "2", "application_id": "1399026286"}
	check := func(who string, q engine.Scanner, want map[string]string) {
		for name, value := range want {
			var got string
			if err := q.Scan("PRAGMA "+name, nil, &got); err != nil || got != value {
				t.Errorf("%s: %s = %s, %v; want %s", who, name, got, err, value)
			}
		}
		var n int
		if err := q.Scan(`SELECT count(*) FROM users WHERE name = "typo"`, nil, &n); err == nil {
			t.Errorf("%s: a double-quoted typo is taken for text", who)
		}
	}
	check("reader", db.Engine().At(ctx), both)
	check("reader", db.Engine().At(ctx), map[string]string{"query_only": "1"})
	storetest.Must(t, db.Engine().Write(ctx, 0, func(w *engine.Tx) error {
		check("writer", w, both)
		check("writer", w, map[string]string{"synchronous": "2", "secure_delete": "1", "recursive_triggers": "1", "wal_autocheckpoint": "10000"})
		return nil
	}))
	if err := db.Engine().ExecReading(ctx, "DELETE FROM users"); err == nil {
		t.Error("a reader wrote")
	}
}
