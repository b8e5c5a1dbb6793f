package ledger_test

import (
	"context"
	"errors"
	"io/fs"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"screentest/server/store"
	"screentest/server/store/engine"
	"screentest/server/store/ledger"
	"screentest/server/store/people"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// teams are three people, of whom each spends for two teams and by themself.
type teams struct {
	db                 *store.DB
	owners, ids, teams []string
	numbers            []int64 // of the teams, in the store
	subjects           [][][]byte
}

func newTeams(t *testing.T) *teams {
	t.Helper()
	db, _ := storetest.OpenLocal(t)
	w := &teams{db: db, teams: []string{""}, numbers: []int64{0}}
	for _, name := range []string{"ann", "bob", "cid"} {
		owner, id := storetest.Join(t, db, name, wire.RoleMember)
		subjects := make([][]byte, 8)
		for i := range subjects {
			subjects[i] = storetest.MustID(t)
		}
		w.owners, w.ids, w.subjects = append(w.owners, owner), append(w.ids, id), append(w.subjects, subjects)
	}
	for _, name := range []string{"red", "blue"} {
		id := storetest.Team(t, db, name, wire.Limits{})
		w.teams = append(w.teams, id)
		storetest.Must(t, db.Engine().Write(t.Context(), 0, func(tx *engine.Tx) error {
			n, err := people.TeamNumber(tx, id)
			w.numbers = append(w.numbers, n)
			return err
		}))
	}
	return w
}

// book books a row of somebody's.
func (w *teams) book(rt *rapid.T) {
	at := rapid.IntRange(0, 2).Draw(rt, "person")
	e := someBooking(rt, w.subjects[at])
	e.Team, e.PaidBy = rapid.SampledFrom(w.numbers).Draw(rt, "team"), rapid.SampledFrom([]string{"", "red …1234", "personal …1234"}).Draw(rt, "label")
	if _, err := storetest.Book(w.db, w.owners[at], e); err != nil {
		rt.Fatal(err)
	}
}

// of draws whose rows are asked for.
func (w *teams) of(rt *rapid.T) wire.Of {
	return wire.Of{
		Person: rapid.SampledFrom(append([]string{""}, w.ids...)).Draw(rt, "of person"),
		Team:   rapid.SampledFrom(w.teams).Draw(rt, "of team"),
		PaidBy: rapid.SampledFrom([]string{"", "red …1234"}).Draw(rt, "of key"),
	}
}

func isOf(of wire.Of) func(wire.LedgerRow) bool {
	return func(r wire.LedgerRow) bool {
		return (of.Person == "" || r.PersonID == of.Person) && (of.Team == "" || r.TeamID == of.Team) && (of.PaidBy == "" || r.PaidBy == of.PaidBy)
	}
}

// rows are everybody's, read one by one.
func (w *teams) rows(rt *rapid.T) (all []wire.LedgerRow) {
	if err := w.db.EachLedgerOfEverybody(context.Background(), w.owners[0], wire.LedgerQuery{}, func(r wire.LedgerRow) error {
		all = append(all, r)
		return nil
	}); err != nil {
		rt.Fatal(err)
	}
	return all
}

// Whoever is asked about, of whichever team and key: each figure is the sum of
// those rows, whether it was looked at in between or not.
func TestThePageOfAPayerIsTheSumOfItsRows(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	w := newTeams(t)
	rapid.Check(t, func(rt *rapid.T) {
		q := wire.SpendQuery{Of: w.of(rt), Days: []int64{ledger.HourMS / 4, 24 * ledger.HourMS, 48 * ledger.HourMS}, Tomorrow: 72 * ledger.HourMS, Month: ledger.HourMS / 2,
			Split: rapid.SampledFrom([]string{wire.SplitByPerson, wire.SplitByTeam, wire.SplitByPaidBy}).Draw(rt, "split")}
		for range rapid.IntRange(0, 12).Draw(rt, "n") {
			w.book(rt)
			if rapid.IntRange(0, 3).Draw(rt, "look") == 0 {
				if _, err := w.db.SpendOfEverybody(ctx, q); err != nil {
					rt.Fatal(err)
				}
			}
		}
		got, err := w.db.SpendOfEverybody(ctx, q)
		if err != nil {
			rt.Fatal(err)
		}
		rows := w.rows(rt)
		sum := func(from, to int64, more func(wire.LedgerRow) bool) wire.Sum {
			return sumOf(rows, func(r wire.LedgerRow) bool {
				return r.CreatedMS >= from && r.CreatedMS < to && isOf(q.Of)(r) && more(r)
			})
		}
		all := func(wire.LedgerRow) bool { return true }
		first, last := q.Days[0], q.Days[len(q.Days)-1]
		if want := sum(q.Month, q.Tomorrow, all); got.Month != want {
			rt.Fatalf("the month is %+v, its rows make %+v", got.Month, want)
		}
		if want := sum(first, last, all); got.Range != want {
			rt.Fatalf("the range is %+v, its rows make %+v", got.Range, want)
		}
		is := map[string]func(key string) func(wire.LedgerRow) bool{
			wire.SplitByPerson: func(key string) func(wire.LedgerRow) bool {
				return func(r wire.LedgerRow) bool { return r.Person == key }
			},
			wire.SplitByTeam: func(key string) func(wire.LedgerRow) bool {
				return func(r wire.LedgerRow) bool { return r.Team == key || r.Team == "" && key == wire.NoPayer }
			},
			wire.SplitByPaidBy: func(key string) func(wire.LedgerRow) bool {
				return func(r wire.LedgerRow) bool { return r.PaidBy == key || r.PaidBy == "" && key == wire.NoPayer }
			},
		}
		for i, day := range got.Days {
			for k, key := range got.Keys {
				if want := sum(q.Days[i], q.Days[i+1], is[q.Split](key)); day.Parts[k] != want.NanoUSD {
					rt.Fatalf("day %d of %q is %d, its rows make %+v", i, key, day.Parts[k], want)
				}
			}
		}
		for by, table := range map[string][]wire.SpendGroup{wire.SplitByPerson: got.People, wire.SplitByTeam: got.Teams, wire.SplitByPaidBy: got.PaidBy} {
			for _, g := range table {
				if want := sum(first, last, is[by](g.Key)); g.Sum != want || (g.ID == "") != (by == wire.SplitByPaidBy) {
					rt.Fatalf("%s: %+v, its rows make %+v", by, g, want)
				}
			}
		}
		w.db.ForgetSums()
		if fresh, err := w.db.SpendOfEverybody(ctx, q); err != nil || !reflect.DeepEqual(fresh, got) {
			rt.Fatalf("read anew %+v, %v; remembered %+v", fresh, err, got)
		}
		storetest.CheckHours(t, w.db)
	})
}

// Pages of rows are those of who is asked about, newest first and each once, with
// the total of all; one's own are that for oneself alone.
func TestRowsOfAPayer(t *testing.T) {
	ctx := context.Background()
	w := newTeams(t)
	rapid.Check(t, func(rt *rapid.T) {
		for range rapid.IntRange(0, 12).Draw(rt, "n") {
			w.book(rt)
		}
		rows := w.rows(rt)
		at := rapid.IntRange(0, 2).Draw(rt, "viewer")
		q := wire.LedgerQuery{Of: w.of(rt), Limit: rapid.IntRange(3, 50).Draw(rt, "limit"), Kind: rapid.SampledFrom([]string{"", "charge"}).Draw(rt, "kind")}
		read := func(own bool) {
			q := q
			is := isOf(q.Of)
			ask := func() (wire.LedgerPage, error) { return w.db.LedgerOfEverybody(ctx, w.owners[at], q) }
			if own {
				is = isOf(wire.Of{Person: w.ids[at], Team: q.Team, PaidBy: q.PaidBy})
				ask = func() (wire.LedgerPage, error) { return w.db.Ledger(ctx, w.owners[at], q) }
			}
			all := func(r wire.LedgerRow) bool { return is(r) && (q.Kind == "" || r.Kind == q.Kind) }
			want := len(slices.DeleteFunc(slices.Clone(rows), func(r wire.LedgerRow) bool { return !all(r) }))
			var got []wire.LedgerRow
			for {
				page, err := ask()
				if err != nil {
					rt.Fatal(err)
				}
				if total := sumOf(slices.Clone(rows), all); page.Total != nil && *page.Total != total {
					rt.Fatalf("total %+v, the rows make %+v", *page.Total, total)
				}
				got = append(got, page.Rows...)
				if q.Before = page.Before; q.Before == "" {
					break
				}
			}
			if len(got) != want {
				rt.Fatalf("%d rows, want %d", len(got), want)
			}
			for i, r := range got {
				if i > 0 && (got[i-1].CreatedMS < r.CreatedMS || got[i-1].CreatedMS == r.CreatedMS && got[i-1].N < r.N) || !all(r) {
					rt.Fatalf("row %d of %d: %+v", i, len(got), r)
				}
			}
		}
		read(true)
		read(false)
	})
}

// Of somebody else's rows nothing tells what they are about, and only one's own
// are found by that.
func TestOthersRowsTellNoText(t *testing.T) {
	ctx := context.Background()
	db, _ := storetest.OpenLocal(t)
	ann, annID := storetest.Join(t, db, "ann", wire.RoleMember)
	bob, _ := storetest.Join(t, db, "bob", wire.RoleAdmin)
	red := storetest.Team(t, db, "red", wire.Limits{}, annID)
	s := storetest.NewStart("", "a secret question")
	r := storetest.RunOf(s)
	r.Team, r.PaidBy = red, "red …1234"
	stored := make(chan error)
	db.StartTurn(ann, s, r, "a secret title", "", func(err error) { stored <- err })
	storetest.Must(t, <-stored)
	// Who pays is what the start said, whatever the end says.
	storetest.Must(t, db.FinishRun(ctx, ann, storetest.Ended(storetest.RunOf(s), 7), "a secret answer", nil, nil, nil))
	task := storetest.NewVideo("a secret prompt")
	task.Team, task.PaidBy = red, "red …1234"
	task = storetest.Taken(t, db.Videos(), ann, task)

	want := wire.LedgerRow{Person: "ann", PersonID: annID, Team: "red", TeamID: red, PaidBy: "red …1234"}
	for _, viewer := range []string{ann, bob} {
		page, err := db.LedgerOfEverybody(ctx, viewer, wire.LedgerQuery{})
		if err != nil || len(page.Rows) != 2 {
			t.Fatalf("%+v, %v", page, err)
		}
		for _, r := range page.Rows {
			payer := wire.LedgerRow{Person: r.Person, PersonID: r.PersonID, Team: r.Team, TeamID: r.TeamID, PaidBy: r.PaidBy}
			if !reflect.DeepEqual(payer, want) {
				t.Errorf("%+v, want %+v", payer, want)
			}
			if text := r.Title + r.Conversation + r.Message; (text == "") != (viewer == bob) || r.Subject == "" {
				t.Errorf("seen by %s: %+v", viewer, r)
			}
		}
	}
	for _, q := range []wire.LedgerQuery{{Subject: s.Run}, {Conversation: s.Conversation}, {Subject: task.ID}} {
		if page, err := db.LedgerOfEverybody(ctx, bob, q); storetest.Problem(err).Code != "bad_filter" {
			t.Errorf("%+v: %+v, %v", q, page, err)
		}
	}
	for _, of := range []wire.Of{{Person: storetest.NewID()}, {Team: storetest.NewID()}} {
		if _, err := db.LedgerOfEverybody(ctx, bob, wire.LedgerQuery{Of: of}); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%+v: %v", of, err)
		}
	}
	if page, err := db.Ledger(ctx, ann, wire.LedgerQuery{Of: wire.Of{Team: storetest.NewID()}}); err != nil || len(page.Rows) != 0 {
		t.Errorf("one's own of a team that isn't: %+v, %v", page, err)
	}
	// A correction and a return are paid by whom the charge was.
	storetest.Must(t, storetest.Second(db.Correct(ctx, ann, wire.Correction{Subject: s.Run, CostNanoUSD: 9})))
	task.State = wire.VideoFailed
	if _, _, err := db.Videos().End(ctx, ann, task, nil, 5); err != nil {
		t.Fatal(err)
	}
	page, err := db.LedgerOfEverybody(ctx, bob, wire.LedgerQuery{Of: wire.Of{Team: red, PaidBy: "red …1234"}})
	if err != nil || len(page.Rows) != 4 || page.Total.NanoUSD != 9 {
		t.Errorf("%+v, %v", page, err)
	}
}
