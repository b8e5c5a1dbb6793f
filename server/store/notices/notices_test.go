package notices_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"screentest/server/store"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// add gives owners a notice and waits for it.
func add(t *testing.T, db *store.DB, owners []string, by, text string) (given map[string]wire.Notice) {
	t.Helper()
	storetest.Must(t, storetest.Wait(func(done func(error)) {
		db.Notices().Add(owners, by, wire.Notice{Kind: wire.NoticeShare, Path: "/s/1", Subject: "1", Text: text}, func(g map[string]wire.Notice, err error) {
			given = g
			done(err)
		})
	}))
	return given
}

func list(t *testing.T, db *store.DB, owner string, p wire.Page) wire.Notices {
	t.Helper()
	v, err := db.Notices().List(t.Context(), owner, p)
	storetest.Must(t, err)
	return v
}

func TestNotices(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db, _ := storetest.OpenLocal(t)
	ann, _ := storetest.Join(t, db, "Ann", wire.RoleMember)
	bob, bobID := storetest.Join(t, db, "Bob", wire.RoleMember)
	cid, cidID := storetest.Join(t, db, "Cid", wire.RoleMember)
	storetest.Must(t, db.ChangePerson(ctx, cid, wire.PersonChange{Active: new(bool)}))
	_ = cidID

	first := add(t, db, []string{bob, cid, "99", "x"}, ann, "shares “Harbour” with you")
	if len(first) != 1 || first[bob].By != "Ann" || first[bob].ID == "" || first[bob].AtMS == 0 {
		t.Errorf("given %+v, want one to Bob alone", first)
	}
	second := add(t, db, []string{bob}, "", "by the server")
	add(t, db, []string{ann}, bob, "to Ann")
	name := "Anna"
	storetest.Must(t, db.ChangePerson(ctx, ann, wire.PersonChange{Name: &name}))
	got := list(t, db, bob, wire.Page{})
	want := first[bob]
	want.By = "Anna" // as she is called now
	if got.Unseen != 2 || got.Before != "" || len(got.Notices) != 2 || got.Notices[0] != second[bob] || got.Notices[1] != want {
		t.Errorf("%+v", got)
	}

	for who, id := range map[string]string{ann: first[bob].ID, bob: storetest.NewID(), "": first[bob].ID} {
		if err := db.Notices().Seen(ctx, who, id); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("seen by %s: %v", who, err)
		}
	}
	storetest.Must(t, db.Notices().Seen(ctx, bob, first[bob].ID))
	if got := list(t, db, bob, wire.Page{}); got.Unseen != 1 || got.Notices[0].Seen || !got.Notices[1].Seen {
		t.Errorf("the older one was seen: %+v", got)
	}
	if got := list(t, db, ann, wire.Page{}); got.Unseen != 1 || len(got.Notices) != 1 {
		t.Errorf("Ann's: %+v", got)
	}
	if bobID == "" {
		t.Error("Bob has no id")
	}
}

// The newest stay, of each person by themself, and pages go to the last of them.
func TestTheNewestStay(t *testing.T) {
	t.Parallel()
	db, _ := storetest.OpenLocal(t)
	ann, _ := storetest.Join(t, db, "Ann", wire.RoleMember)
	bob, _ := storetest.Join(t, db, "Bob", wire.RoleMember)
	add(t, db, []string{bob}, "", "Bob's")
	for i := range wire.MaxNotices + 5 {
		add(t, db, []string{ann}, "", fmt.Sprint(i))
	}
	var texts []string
	for p := (wire.Page{Limit: 70}); ; {
		v := list(t, db, ann, p)
		for _, n := range v.Notices {
			texts = append(texts, n.Text)
		}
		if p.Before = v.Before; p.Before == "" {
			break
		}
	}
	if len(texts) != wire.MaxNotices || texts[0] != fmt.Sprint(wire.MaxNotices+4) || texts[len(texts)-1] != "5" {
		t.Errorf("%d from %s to %s", len(texts), texts[0], texts[len(texts)-1])
	}
	if v := list(t, db, ann, wire.Page{Limit: 5000}); len(v.Notices) != wire.MaxNoticePage {
		t.Errorf("a page of %d", len(v.Notices))
	}
	if v := list(t, db, bob, wire.Page{}); len(v.Notices) != 1 {
		t.Errorf("Bob's: %+v", v)
	}
	if _, err := db.Notices().List(t.Context(), ann, wire.Page{Before: "?"}); storetest.Problem(err).Code != "bad_cursor" {
		t.Errorf("%v", err)
	}
}

// Who does the same a thousand times doesn't push out what others did.
func TestNobodyPushesOutWhatOthersDid(t *testing.T) {
	t.Parallel()
	db, _ := storetest.OpenLocal(t)
	ann, _ := storetest.Join(t, db, "Ann", wire.RoleMember)
	bob, _ := storetest.Join(t, db, "Bob", wire.RoleMember)
	eve, _ := storetest.Join(t, db, "Eve", wire.RoleMember)
	add(t, db, []string{ann}, bob, "of Bob's")
	for i := range wire.MaxNotices + 5 {
		add(t, db, []string{ann}, eve, fmt.Sprint(i))
	}
	by, newest := map[string]int{}, ""
	for p := (wire.Page{Limit: wire.MaxNoticePage}); ; {
		v := list(t, db, ann, p)
		for _, n := range v.Notices {
			by[n.By]++
		}
		if newest == "" {
			newest = v.Notices[0].Text
		}
		if p.Before = v.Before; p.Before == "" {
			break
		}
	}
	if by["Bob"] != 1 || by["Eve"] != wire.MaxNoticesOf || newest != fmt.Sprint(wire.MaxNotices+4) {
		t.Errorf("kept are %v, the newest is %s", by, newest)
	}
}
