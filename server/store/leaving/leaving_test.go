package leaving_test

import (
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"screentest/server/account"
	"screentest/server/store"
	"screentest/server/store/engine"
	"screentest/server/store/storetest"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// Who is erased leaves a number, in the ledger and the audit, and nothing else:
// no row, no text in a file. Everybody else has what they had.
func TestErasedLeaveNothing(t *testing.T) {
	t.Parallel()
	const canary = "canaryann"
	dir := storetest.Folder(t)
	db := storetest.Open(t, dir, store.Options{})
	boss, ann, bob := join(t, db, "boss", "admin"), join(t, db, canary, "member"), join(t, db, "bob", "member")
	mine := fill(t, db, ann, canary, made{})
	fill(t, db, bob, "ofbob", mine) // under the same ids, in a name space of his own
	if found := storetest.FilesWith(t, dir, canary); len(found) == 0 {
		t.Fatal("the canary is nowhere to begin with")
	}
	others, ledger := dump(t, db, bob), len(storetest.LedgerRows(t, db, ann))
	want := count(t, db, ann)
	if want.Conversations != 2 || want.Messages != 6 || want.Clips != 2 || want.Uploads != 1 || want.Library != 1 || want.Bytes != 1500 || want.LedgerRows != 6 {
		t.Errorf("a dry run counts %+v", want)
	}

	e, files, uploads := seeOff(t, db, account.Leaving{Person: ann, Erase: true, By: boss})
	if e != want {
		t.Errorf("went %+v, counted %+v", e, want)
	}
	if len(files) != 3 || len(uploads) != 1 || uploads[0] != [2]string{"up-" + canary, "image/png"} {
		t.Errorf("to be removed: %d files, uploads %v", len(files), uploads)
	}
	left := rowsOf(t, db, ann)
	wantLeft := map[string]int64{"ledger.owner": int64(ledger), "spend_hours.owner": left["spend_hours.owner"]}
	if !maps.Equal(left, wantLeft) || left["spend_hours.owner"] == 0 {
		t.Errorf("left are %v, want %v", left, wantLeft)
	}
	if after := dump(t, db, bob); !slices.Equal(others, after) {
		t.Errorf("of Bob's there is now\n%s\nand was\n%s", strings.Join(after, "\n"), strings.Join(others, "\n"))
	}
	if n := count(t, db, ann); n != (wire.Erasing{LedgerRows: int64(ledger)}) {
		t.Errorf("counted after it: %+v", n)
	}
	for storetest.FilesWith(t, dir, canary) != nil { // until the test's own time is up
		storetest.Must(t, db.SetSetting(t.Context(), bob, "turn", "of the writer"))
	}
	// Their row is that of somebody who was never anybody.
	nobody := storetest.AddUser(t, db, "Erased person "+ann)
	storetest.Must(t, db.Engine().Write(t.Context(), 0, func(w *engine.Tx) error {
		_, err := w.Exec("UPDATE users SET active = 0 WHERE n = ?", engine.ParseOwner(nobody))
		return err
	}))
	if row, want := userRow(t, db, ann), userRow(t, db, nobody); row != want {
		t.Errorf("their row is %s, want %s", row, want)
	}
	// Nothing more can be done as them, and they can't be erased twice.
	if err := storetest.StartTurn(db, ann, storetest.NewStart("", "late")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a late turn: %v", err)
	}
	if _, err := db.Leavings().Begin(t.Context(), account.Leaving{Person: ann, Erase: true, By: boss}, origin); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("erased again: %v", err)
	}
	wantBooks(t, dir, "person.erased", db)
}

// wantBooks fails unless ledger and audit are whole, and the newest line of the
// audit is of that action.
func wantBooks(t *testing.T, dir, action string, db *store.DB) {
	t.Helper()
	if r := storetest.Books(t, dir); len(r.Wrong) > 0 {
		t.Errorf("the books: %+v", r.Wrong)
	}
	var newest wire.AuditRow
	storetest.Must(t, db.Audit().Each(t.Context(), wire.AuditQuery{Limit: 1}, func(r wire.AuditRow) error { newest = r; return nil }))
	if newest.Action != action || newest.Object == "" || newest.Person == "" {
		t.Errorf("the audit's newest line is %+v", newest)
	}
}

// An heir has everything, and can read, find and export it, though they had some
// of the ids in use.
func TestHeirsHaveEverything(t *testing.T) {
	t.Parallel()
	for name, same := range map[string]bool{"ids of their own": false, "the same ids": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			dir := storetest.Folder(t)
			db := storetest.Open(t, dir, store.Options{})
			boss, ann, bob := join(t, db, "boss", "admin"), join(t, db, "ann", "member"), join(t, db, "bob", "member")
			mine := fill(t, db, ann, "ofann", made{})
			like := made{}
			if same {
				like = mine
			}
			his := fill(t, db, bob, "ofbob", like)
			texts := strings.Count(exported(t, db, ann), "ofann")
			ledger := only(dump(t, db, ann), "ledger ")
			hers, before := count(t, db, ann), count(t, db, bob)

			e, files, uploads := seeOff(t, db, account.Leaving{Person: ann, Heir: bob, Erase: true, By: boss})
			hers.HandedOver = true
			if e != hers || len(files)+len(uploads) > 0 {
				t.Errorf("handed over %+v, counted %+v; %d files and %d uploads to be removed", e, hers, len(files), len(uploads))
			}
			after := count(t, db, bob)
			if after.Conversations != before.Conversations+e.Conversations || after.Messages != before.Messages+e.Messages || after.Clips != before.Clips+e.Clips ||
				after.Uploads != before.Uploads+e.Uploads || after.Library != before.Library+e.Library || after.LedgerRows != before.LedgerRows {
				t.Errorf("he had %+v, was handed %+v and has %+v", before, e, after)
			}
			if got := strings.Count(exported(t, db, bob), "ofann"); got != texts {
				t.Errorf("her texts are %d times in his export, and were %d times in hers", got, texts)
			}
			if now := only(dump(t, db, ann), "ledger "); !slices.Equal(now, ledger) {
				t.Error("her rows of the ledger are others")
			}
			if got := storetest.Search(t, db, bob, wire.Search{Query: "ofann"}); len(got) != 10 {
				t.Errorf("he finds %d of hers, want 10: %q", len(got), got)
			}
			if got := storetest.Search(t, db, ann, wire.Search{Query: "ofann"}); len(got) != 0 {
				t.Errorf("she finds %q still", got)
			}
			// The thread is whole, and so are log, request, lanes, vote and cost.
			page, err := db.Conversations(ctx, bob, wire.Page{})
			storetest.Must(t, err)
			looked := 0
			for _, c := range page.Conversations {
				o, err := db.OpenConversation(ctx, bob, wire.Page{Conversation: c.ID})
				storetest.Must(t, err)
				if len(o.Messages) != 4 || !strings.HasPrefix(o.Messages[0].Text, "ofann") {
					continue
				}
				looked++
				m := o.Messages
				if m[1].Parent != m[0].ID || m[2].Parent != m[1].ID || m[3].Parent != m[2].ID {
					t.Errorf("the thread is broken: %+v", m)
				}
				r := *m[1].Run
				if r.CostNanoUSD != 700 || r.Basis == "" {
					t.Errorf("its answer cost %d (%s)", r.CostNanoUSD, r.Basis)
				}
				if log, err := db.ReadRunLog(ctx, bob, r.ID, 0, 100); err != nil || string(log) != "ofann logged" {
					t.Errorf("its log is %q, %v", log, err)
				}
				if _, err := db.RunRequest(ctx, bob, r.ID); err != nil {
					t.Errorf("its request: %v", err)
				}
				if o.Lanes == nil || len(o.Lanes.Lanes) != 2 || o.Lanes.Lanes[0].Leaf != m[1].ID || o.Lanes.Lanes[1].Leaf != m[3].ID {
					t.Errorf("its lanes are %+v", o.Lanes)
				}
				if len(o.Votes) != 1 || o.Votes[0].Message != m[0].ID || o.Votes[0].Winner != m[1].ID {
					t.Errorf("its votes are %+v", o.Votes)
				}
				if c.Pinned {
					t.Error("it is pinned")
				}
			}
			if looked != 1 {
				t.Errorf("her thread is there %d times", looked)
			}
			clips, err := db.Videos().Tasks(ctx, bob, wire.VideoQuery{})
			storetest.Must(t, err)
			for _, c := range clips.Tasks {
				if c.Prompt != "ofann filmed on" {
					continue
				}
				o, err := db.Videos().Opened(ctx, bob, c.ID)
				if err != nil || len(o.Ancestors) != 1 || o.Ancestors[0].Prompt != "ofann filmed" || len(o.Ancestors[0].Outputs) != 2 {
					t.Errorf("what her clip was made of: %+v, %v", o.Ancestors, err)
				}
			}
			if o, err := db.OpenConversation(ctx, bob, wire.Page{Conversation: his.start.Conversation}); err != nil || !strings.HasPrefix(o.Messages[0].Text, "ofbob") {
				t.Errorf("his own is %+v, %v", o, err)
			}
			wantBooks(t, dir, "person.erased", db)
		})
	}
}

func only(rows []string, prefix string) []string {
	return slices.DeleteFunc(slices.Clone(rows), func(s string) bool { return !strings.HasPrefix(s, prefix) })
}

// Handed over from, and not erased: the account stays, shut out.
func TestHandOverKeepsTheAccount(t *testing.T) {
	t.Parallel()
	dir := storetest.Folder(t)
	db := storetest.Open(t, dir, store.Options{})
	boss, ann, bob := join(t, db, "boss", "admin"), join(t, db, "ann", "member"), join(t, db, "bob", "member")
	fill(t, db, ann, "ofann", made{})
	v := account.Leaving{Person: ann, Heir: bob, By: boss}
	if _, err := db.Leavings().Begin(t.Context(), v, origin); storetest.Problem(err).Code != "conflict" {
		t.Errorf("an active person's: %v", err)
	}
	storetest.Must(t, db.ChangePerson(t.Context(), ann, wire.PersonChange{Active: storetest.Ptr(false)}))
	seeOff(t, db, v)
	var name string
	var active bool
	storetest.Must(t, db.Engine().At(t.Context()).Scan("SELECT name, active FROM users WHERE n = ?", []any{engine.ParseOwner(ann)}, &name, &active))
	if name != "ann" || active || count(t, db, ann).Conversations != 0 || count(t, db, bob).Conversations != 2 {
		t.Errorf("%s, active %v, %+v", name, active, count(t, db, bob))
	}
	wantBooks(t, dir, "person.handed_over", db)
}

// What was begun and broken off goes on as it was begun, and another thing can't
// be begun meanwhile.
func TestLeavingGoesOnAfterAKill(t *testing.T) {
	t.Parallel()
	dir := storetest.Folder(t)
	db, err := storetest.TryOpen(t, dir, store.Options{})
	storetest.Must(t, err)
	boss, ann, bob := join(t, db, "boss", "admin"), join(t, db, "ann", "member"), join(t, db, "bob", "member")
	fill(t, db, ann, "ofann", made{})
	v := account.Leaving{Person: ann, Heir: bob, Erase: true, By: boss, From: "10.0.0.1"}
	_, err = db.Leavings().Begin(t.Context(), v, origin)
	storetest.Must(t, err)
	// As a step that has no time for more than one message leaves it.
	storetest.Must(t, db.Engine().Write(t.Context(), 0, func(w *engine.Tx) error {
		_, err := w.Exec("UPDATE messages SET owner = ? WHERE n = (SELECT min(n) FROM messages WHERE owner = ?)", engine.ParseOwner(bob), engine.ParseOwner(ann))
		return err
	}))
	for code, other := range map[string]account.Leaving{
		"conflict":  {Person: ann, Erase: true, By: boss},
		"conflict ": {Person: bob, Erase: true, By: boss}, // who is being handed hers
		"bad_heir":  {Person: bob, Heir: ann, Erase: true, By: boss},
	} {
		if err := db.Leavings().Allowed(t.Context(), other, origin); storetest.Problem(err).Code != strings.TrimSpace(code) && code != "bad_heir" || err == nil {
			t.Errorf("%+v: %v", other, err)
		}
	}
	if err := db.ChangePerson(t.Context(), ann, wire.PersonChange{Active: storetest.Ptr(true)}); storetest.Problem(err).Code != "conflict" {
		t.Errorf("she is let in again meanwhile: %v", err)
	}
	storetest.Must(t, db.Close())

	db = storetest.Open(t, dir, store.Options{})
	all, err := db.Leavings().Unfinished(t.Context())
	if err != nil || len(all) != 1 || all[0] != v {
		t.Fatalf("unfinished are %+v, %v", all, err)
	}
	seeOff(t, db, v)
	if all, err := db.Leavings().Unfinished(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("unfinished after it: %+v, %v", all, err)
	}
	if n := count(t, db, bob); n.Conversations != 2 || n.Messages != 6 {
		t.Errorf("he has %+v", n)
	}
}

func TestWhoMayBeSeenOff(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, storetest.Folder(t), store.Options{})
	boss, ann, bob, guest := join(t, db, "boss", "admin"), join(t, db, "ann", "member"), join(t, db, "bob", "member"), join(t, db, "guest", "guest")
	task := storetest.NewVideo("under way")
	task.Gateway = origin
	task = storetest.Taken(t, db.Videos(), ann, task)
	for name, c := range map[string]struct {
		v    account.Leaving
		code string
	}{
		"oneself":                    {account.Leaving{Person: boss, Erase: true, By: boss}, "conflict"},
		"the last admin":             {account.Leaving{Person: boss, Erase: true, By: bob}, wire.CodeLastAdmin},
		"nobody":                     {account.Leaving{Person: "99", Erase: true, By: boss}, "not_found"},
		"to nobody":                  {account.Leaving{Person: bob, Heir: "99", Erase: true, By: boss}, "bad_heir"},
		"to a guest":                 {account.Leaving{Person: bob, Heir: guest, Erase: true, By: boss}, "bad_heir"},
		"to themself":                {account.Leaving{Person: bob, Heir: bob, Erase: true, By: boss}, "bad_heir"},
		"while a clip is being made": {account.Leaving{Person: ann, Erase: true, By: boss}, "clips_under_way"},
		"a member":                   {account.Leaving{Person: bob, Erase: true, By: boss}, ""},
	} {
		if err := db.Leavings().Allowed(t.Context(), c.v, origin); storetest.Problem(err).Code != c.code || (err == nil) != (c.code == "") {
			t.Errorf("%s: %v, want %s", name, err, c.code)
		}
	}
	if _, err := db.Leavings().Begin(t.Context(), account.Leaving{Person: ann, Erase: true, By: boss}, origin); storetest.Problem(err).Code != "clips_under_way" {
		t.Errorf("begun: %v", err)
	}
	if a, err := db.Accounts(t.Context()); err != nil || slices.ContainsFunc(a, func(a account.Account) bool { return !a.Active }) {
		t.Errorf("somebody was shut out by what was refused: %+v, %v", a, err)
	}
	// A gateway that is asked no more tells no end.
	if err := db.Leavings().Allowed(t.Context(), account.Leaving{Person: ann, Erase: true, By: boss}, "elsewhere"); err != nil {
		t.Errorf("a clip of another gateway: %v", err)
	}
	// One that doesn't answer at present is asked on.
	for _, c := range []struct {
		pause wire.Pause
		age   time.Duration
		code  string
	}{
		{wire.PauseSilent, gateway.StaleAfter - time.Minute, "clips_under_way"},
		{wire.PauseSilent, gateway.StaleAfter, ""},
		{wire.PauseNone, gateway.StaleAfter, "clips_under_way"}, // it is late, and the gateway says so
		{wire.PauseKey, 0, ""},
	} {
		storetest.Must(t, db.Engine().Write(t.Context(), 0, func(w *engine.Tx) error {
			_, err := w.Exec("UPDATE video_tasks SET pause = ?, accepted_ms = ? WHERE owner = ?", string(c.pause), time.Now().Add(-c.age).UnixMilli(), engine.ParseOwner(ann))
			return err
		}))
		if err := db.Leavings().Allowed(t.Context(), account.Leaving{Person: ann, Erase: true, By: boss}, origin); storetest.Problem(err).Code != c.code || (err == nil) != (c.code == "") {
			t.Errorf("a clip of %v with the pause %q: %v, want %s", c.age, c.pause, err, c.code)
		}
	}
	task.State, task.FinishedMS = wire.VideoFailed, 6
	got2(db.Videos().End(t.Context(), ann, task, nil, 6))
	if err := db.Leavings().Allowed(t.Context(), account.Leaving{Person: ann, Erase: true, By: boss}, origin); err != nil {
		t.Errorf("after its end: %v", err)
	}
}
