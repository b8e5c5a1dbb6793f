package chat_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"screentest/server/store/chat"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

func titles(page wire.ConversationPage) (ts []string) {
	for _, c := range page.Conversations {
		ts = append(ts, c.Title)
	}
	return ts
}

func TestConversationsPages(t *testing.T) {
	ctx := context.Background()
	db, owner := storetest.OpenLocal(t)
	page, err := db.Conversations(ctx, owner, wire.Page{})
	if err != nil || page.Conversations == nil || len(page.Conversations) != 0 || page.Before != "" {
		t.Fatalf("none yet: %+v, %v", page, err)
	}
	var want []string
	for i := range 7 {
		// Some within the same millisecond, as a test or an import makes them.
		storetest.StartAt(t, db, owner, fmt.Sprint("c", i), 1000+int64(i/3))
		want = append([]string{fmt.Sprint("c", i)}, want...)
	}
	var got []string
	p := wire.Page{Limit: 3}
	for range 4 {
		page, err := db.Conversations(ctx, owner, p)
		storetest.Must(t, err)
		got = append(got, titles(page)...)
		if p.Before = page.Before; p.Before == "" {
			break
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("pages of 3: %v, want %v", got, want)
	}
	if page, _ := db.Conversations(ctx, owner, wire.Page{Limit: 7}); page.Before != "" {
		t.Error("a cursor after the last page")
	}
	for _, before := range []string{"x", "1", "1.2.3", "!.1", "99999999999999999999.1", "1."} {
		if _, err := db.Conversations(ctx, owner, wire.Page{Before: before}); storetest.Problem(err).Code != "bad_cursor" {
			t.Errorf("cursor %q: %v", before, err)
		}
	}
}

func TestConversationMovesToTheFront(t *testing.T) {
	ctx := context.Background()
	db, owner := storetest.OpenLocal(t)
	old := storetest.StartAt(t, db, owner, "old", 1000)
	storetest.StartAt(t, db, owner, "new", 2000)
	if _, err := db.RenameConversation(ctx, owner, wire.Rename{ID: old.Conversation, Title: "renamed"}); err != nil {
		t.Fatal(err)
	}
	page, err := db.Conversations(ctx, owner, wire.Page{})
	storetest.Must(t, err)
	if got := titles(page); !slices.Equal(got, []string{"new", "renamed"}) {
		t.Errorf("a rename moved it: %v", got)
	}
	r := storetest.RunOf(old)
	r.StartedMS, r.DurationMS, r.State = 1000, 5000, wire.Stopped
	storetest.Must(t, db.FinishRun(ctx, owner, r, "", nil, nil, nil))
	page, err = db.Conversations(ctx, owner, wire.Page{})
	storetest.Must(t, err)
	if got := titles(page); !slices.Equal(got, []string{"renamed", "new"}) {
		t.Errorf("an answer that ended did not move it: %v", got)
	}
	// A clock that was set back does not send it to the end of the list.
	s := storetest.NewStart(old.Conversation, "again")
	back := storetest.RunOf(s)
	back.StartedMS = 5
	storetest.Must(t, storetest.Wait(func(done func(error)) { db.StartTurn(owner, s, back, "", "", done) }))
	if got, _ := db.Conversation(ctx, owner, old.Conversation); got.UpdatedMS != 6000 {
		t.Errorf("updated at %d, want 6000", got.UpdatedMS)
	}
}

func TestMessagePages(t *testing.T) {
	ctx := context.Background()
	db, owner := storetest.OpenLocal(t)
	first := storetest.StartAt(t, db, owner, "q0", 1000)
	want := []string{"q0", ""}
	for i := 1; i < 5; i++ {
		s := storetest.NewStart(first.Conversation, fmt.Sprint("q", i))
		storetest.Must(t, storetest.StartTurn(db, owner, s))
		storetest.Must(t, db.FinishRun(ctx, owner, storetest.Ended(storetest.RunOf(s), 1), fmt.Sprint("a", i), nil, nil, nil))
		want = append(want, fmt.Sprint("q", i), fmt.Sprint("a", i))
	}
	var got []string
	p := wire.Page{Conversation: first.Conversation, Limit: 4}
	for range 5 {
		opened, err := db.OpenConversation(ctx, owner, p)
		storetest.Must(t, err)
		var texts []string
		for _, m := range opened.Messages {
			texts = append(texts, m.Text)
		}
		got = append(texts, got...)
		if p.Before = opened.Before; p.Before == "" {
			break
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("pages of 4: %q, want %q", got, want)
	}
	if _, err := db.OpenConversation(ctx, owner, wire.Page{Conversation: first.Conversation, Before: "1.2"}); storetest.Problem(err).Code != "bad_cursor" {
		t.Errorf("a cursor of another list: %v", err)
	}
}

// A page is bounded by its text, too, but is never empty.
func TestMessagePagesOfLongTexts(t *testing.T) {
	ctx := context.Background()
	db, owner := storetest.OpenLocal(t)
	long := strings.Repeat("x", chat.MaxPageText*3/4)
	first := storetest.StartAt(t, db, owner, "q", 1000)
	r := storetest.RunOf(first)
	storetest.Must(t, db.FinishRun(ctx, owner, storetest.Ended(r, 1), long, nil, nil, nil))
	s := storetest.NewStart(first.Conversation, "q2")
	storetest.Must(t, storetest.StartTurn(db, owner, s))
	storetest.Must(t, db.FinishRun(ctx, owner, storetest.Ended(storetest.RunOf(s), 1), long, nil, nil, nil))

	opened, err := db.OpenConversation(ctx, owner, wire.Page{Conversation: first.Conversation})
	storetest.Must(t, err)
	if len(opened.Messages) != 2 || opened.Before == "" {
		t.Fatalf("%d messages, cursor %q; want the newest 2 and more to come", len(opened.Messages), opened.Before)
	}
	opened, err = db.OpenConversation(ctx, owner, wire.Page{Conversation: first.Conversation, Before: opened.Before})
	storetest.Must(t, err)
	if len(opened.Messages) != 2 || opened.Before != "" || len(opened.Messages[1].Text) != len(long) {
		t.Errorf("then %d messages, cursor %q", len(opened.Messages), opened.Before)
	}
}

func TestTitles(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"as it is":         {"A question", "A question"},
		"lines and tabs":   {" a\n\n\tb\u0000c\u0085d ", "a b c d"},
		"nothing to show":  {" \n\t", "New conversation"},
		"not UTF-8":        {"a\xffb", "ab"},
		"200 stay":         {strings.Repeat("ä", 200), strings.Repeat("ä", 200)},
		"201 are cut":      {strings.Repeat("ä", 201), strings.Repeat("ä", 199) + "…"},
		"a million":        {strings.Repeat("𝄞", 1_000_000), strings.Repeat("𝄞", 199) + "…"},
		"a million spaces": {strings.Repeat(" ", 1_000_000) + "x", "New conversation"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := chat.CleanTitle(c.in); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
	ctx := context.Background()
	db, owner := storetest.OpenLocal(t)
	s := storetest.StartAt(t, db, owner, "first", 1)
	for title, want := range map[string]string{
		"second": "second", " third\nline ": "third line", strings.Repeat("é", 200): strings.Repeat("é", 200),
		"": "", " \t ": "", strings.Repeat("é", 201): "", "a\xff": "",
	} {
		got, err := db.RenameConversation(ctx, owner, wire.Rename{ID: s.Conversation, Title: title})
		if want == "" {
			if p := storetest.Problem(err); p.Code != "bad_title" || p.Field != "title" {
				t.Errorf("%.20q: %v", title, err)
			}
			continue
		}
		if stored, _ := db.Conversation(ctx, owner, s.Conversation); err != nil || got != stored || got.Title != want {
			t.Errorf("%.20q: %+v, %v; stored %+v", title, got, err, stored)
		}
	}
}

func TestDeleteConversation(t *testing.T) {
	ctx := context.Background()
	db, owner := storetest.OpenLocal(t)
	kept := storetest.StartAt(t, db, owner, "kept", 1)
	s := storetest.StartAt(t, db, owner, "gone", 2)
	storetest.Must(t, storetest.AppendLog(db, owner, s.Run, 0, []byte("log"), []byte{1}))
	storetest.Must(t, db.FinishRun(ctx, owner, storetest.Ended(storetest.RunOf(s), 7), "answer", []byte("log"), []byte{1}, nil))
	open := storetest.NewStart(s.Conversation, "still running")
	storetest.Must(t, storetest.StartTurn(db, owner, open))

	storetest.Must(t, db.DeleteConversation(ctx, owner, s.Conversation))
	if got, want := countRows(t, db), "conversations 1 messages 2 runs 1 run_requests 1 run_log 0 ledger 1 sessions 0 settings 0 "; got != want {
		t.Errorf("left: %s\nwant: %s", got, want)
	}
	for name, err := range map[string]error{
		"delete again": db.DeleteConversation(ctx, owner, s.Conversation),
		"open":         storetest.Second(db.OpenConversation(ctx, owner, wire.Page{Conversation: s.Conversation})),
		"run":          storetest.Second(db.Run(ctx, owner, s.Run)),
		"append":       storetest.AppendLog(db, owner, open.Run, 0, []byte("x"), nil),
	} {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := db.Conversation(ctx, owner, kept.Conversation); err != nil {
		t.Errorf("the other conversation: %v", err)
	}
	// The run that was under way still costs what it cost.
	storetest.Must(t, db.FinishRun(ctx, owner, storetest.Ended(storetest.RunOf(open), 30), "text of nobody", []byte("log"), nil, nil))
	if got, want := countRows(t, db), "conversations 1 messages 2 runs 1 run_requests 1 run_log 0 ledger 2 sessions 0 settings 0 "; got != want {
		t.Errorf("after its end: %s\nwant: %s", got, want)
	}
}
