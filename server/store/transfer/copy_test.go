package transfer_test

import (
	"bytes"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"screentest/server/store"
	"screentest/server/store/storetest"
	"screentest/server/store/transfer"
	"screentest/shared/wire"
)

// talk is a conversation of Ann's in two lanes: a question that both answer, another
// to each, and one in the first lane that is being answered.
type talk struct {
	db                           *store.DB
	ann, bob                     string
	id                           string
	q1, a1, b1, q2a, a2, q2b, b2 string
	running                      string
}

func newTalk(t *testing.T) talk {
	db, ann := storetest.OpenLocal(t)
	k := talk{db: db, ann: ann}
	k.bob, _ = storetest.Join(t, db, "Bob", wire.RoleMember)
	say := func(s wire.Start, text string, cost int64) {
		t.Helper()
		storetest.Must(t, storetest.StartTurn(db, ann, s))
		r := storetest.Ended(storetest.RunOf(s), cost)
		storetest.Must(t, db.FinishRun(t.Context(), ann, r, text, nil, nil, nil))
	}
	first := storetest.NewStart("", "Which?")
	k.id, k.q1, k.a1 = first.Conversation, first.User.ID, first.Answer
	say(first, "The left one.", 10)
	other := first
	other.Run, other.Answer, other.Lane = storetest.NewID(), storetest.NewID(), 1
	k.b1 = other.Answer
	say(other, "The right one.", 20)
	next := func(after string, lane int, text string) wire.Start {
		s := storetest.NewStart(k.id, text)
		s.User.Parent, s.User.Lane, s.Lane = after, lane, lane
		return s
	}
	s := next(k.a1, 0, "Why left?")
	k.q2a, k.a2 = s.User.ID, s.Answer
	say(s, "It is nearer.", 30)
	s = next(k.b1, 1, "Why right?")
	k.q2b, k.b2 = s.User.ID, s.Answer
	say(s, "It is larger.", 40)
	s = next(k.a2, 0, "And now?")
	k.running = s.Answer
	storetest.Must(t, storetest.StartTurn(db, ann, s))
	storetest.Must(t, storetest.Second(db.SetLanes(t.Context(), ann, wire.Lanes{Conversation: k.id, Lanes: []wire.Lane{{Model: "m-1", Leaf: k.running}, {Model: "m-2", Leaf: k.b2}}})))
	storetest.Must(t, storetest.Second(db.SetVote(t.Context(), ann, wire.Vote{Conversation: k.id, Message: k.q1, Winner: k.b1, Models: []string{"m-1", "m-2"}})))
	return k
}

// copied is what Bob has of it, his messages' texts in their order.
func (k talk) copied(t *testing.T, from transfer.Source, what wire.CopyShare) (texts string, o wire.Opened) {
	t.Helper()
	id, err := k.db.Copy(t.Context(), k.bob, from, what)
	storetest.Must(t, err)
	o = storetest.Got(k.db.OpenConversation(t.Context(), k.bob, wire.Page{Conversation: id}))
	var all []string
	for _, m := range o.Messages {
		all = append(all, m.Text)
	}
	return strings.Join(all, " / "), o
}

func TestGoingOnInACopy(t *testing.T) {
	k := newTalk(t)
	live := transfer.Source{Owner: k.ann, Subject: k.id, Title: "Which?"}
	lane := func(n int) *int { return &n }
	for name, c := range map[string]struct {
		what wire.CopyShare
		want string
	}{
		"all of it, without the answer under way":        {wire.CopyShare{}, "Which? / The left one. / The right one. / Why left? / It is nearer. / Why right? / It is larger. / And now?"},
		"up to an answer, in all lanes":                  {wire.CopyShare{Message: k.a1}, "Which? / The left one. / The right one."},
		"up to an answer, in its lane":                   {wire.CopyShare{Message: k.a1, Lane: lane(0)}, "Which? / The left one."},
		"up to an answer, in the other lane":             {wire.CopyShare{Message: k.a1, Lane: lane(1)}, "Which? / The right one."},
		"up to a question of one lane, in all":           {wire.CopyShare{Message: k.q2b}, "Which? / The left one. / The right one. / Why left? / Why right?"},
		"up to the question of both":                     {wire.CopyShare{Message: k.q1}, "Which?"},
		"all of a lane":                                  {wire.CopyShare{Lane: lane(1)}, "Which? / The right one. / Why right? / It is larger."},
		"all of a lane, without the answer under way":    {wire.CopyShare{Lane: lane(0)}, "Which? / The left one. / Why left? / It is nearer. / And now?"},
		"up to the last question, which isn't answered":  {wire.CopyShare{Message: k.a2}, "Which? / The left one. / The right one. / Why left? / It is nearer. / Why right? / It is larger."},
		"up to the last answer of a lane, in the others": {wire.CopyShare{Message: k.b2, Lane: lane(0)}, "Which? / The left one. / Why left? / It is nearer."},
	} {
		t.Run(name, func(t *testing.T) {
			got, o := k.copied(t, live, c.what)
			if got != c.want {
				t.Errorf("copied is\n %s, want\n %s", got, c.want)
			}
			lanes := 2
			if c.what.Lane != nil {
				lanes = 1
			}
			if o.Lanes == nil || len(o.Lanes.Lanes) != lanes {
				t.Fatalf("its lanes are %+v", o.Lanes)
			}
			there := map[string]bool{}
			for _, m := range o.Messages {
				there[m.ID] = true
				if lanes == 1 && (m.Lane != 0 || m.Run != nil && m.Run.Lane != 0) {
					t.Errorf("one lane alone has the number %d", m.Lane)
				}
			}
			for _, l := range o.Lanes.Lanes {
				if !there[l.Leaf] {
					t.Errorf("a lane ends in %q, which is not there", l.Leaf)
				}
			}
			if o.Summary.Copied == nil || o.Summary.Copied.Owner != "local" || o.Summary.Copied.Title != "Which?" || o.Summary.Copied.Share != "" {
				t.Errorf("it comes from %+v", o.Summary.Copied)
			}
			if o.Summary.CostNanoUSD != 0 {
				t.Errorf("it cost %d, which somebody else has paid", o.Summary.CostNanoUSD)
			}
		})
	}
	if page := storetest.Got(k.db.Ledger(t.Context(), k.bob, wire.LedgerQuery{})); len(page.Rows) > 0 {
		t.Errorf("Bob's ledger has %+v", page.Rows)
	}
	for what, c := range map[string]wire.CopyShare{"message": {Message: storetest.NewID()}, "lane": {Lane: lane(2)}} {
		if _, err := k.db.Copy(t.Context(), k.bob, live, c); storetest.Problem(err).Field != what {
			t.Errorf("another %s: %v", what, err)
		}
	}
	if _, err := k.db.Copy(t.Context(), k.bob, live, wire.CopyShare{Message: k.running}); storetest.Problem(err).Field != "message" {
		t.Errorf("up to an answer under way: %v", err)
	}
	if _, err := k.db.Copy(t.Context(), k.bob, transfer.Source{Owner: k.bob, Subject: k.id}, wire.CopyShare{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of a conversation that isn't his: %v", err)
	}
}

// A snapshot is the conversation as it was, and says nothing of keys.
func TestASnapshotStays(t *testing.T) {
	k := newTalk(t)
	failed := storetest.NewStart(k.id, "Fail!")
	failed.User.Parent = k.a2
	storetest.Must(t, storetest.StartTurn(k.db, k.ann, failed))
	r := storetest.RunOf(failed)
	r.State, r.Problem = wire.Failed, &wire.Problem{Code: "unauthorized", Message: "The key was refused.", Raw: "Incorrect API key: sk-canary-key", Request: "req-canary"}
	storetest.Must(t, k.db.FinishRun(t.Context(), k.ann, r, "", nil, nil, nil))
	snapshot, title, err := k.db.Snapshot(t.Context(), k.ann, k.id)
	storetest.Must(t, err)
	if title != "Which?" || bytes.Contains(snapshot, []byte("canary")) || !bytes.Contains(snapshot, []byte("The key was refused.")) || bytes.Contains(snapshot, []byte(k.running)) {
		t.Errorf("%q: %s", title, snapshot)
	}
	if _, _, err := k.db.Snapshot(t.Context(), k.bob, k.id); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of somebody else's: %v", err)
	}
	if _, err := k.db.Import(t.Context(), k.bob, bytes.NewReader(snapshot)); err != nil {
		t.Errorf("it is no export: %v", err)
	}
	storetest.Must(t, k.db.DeleteConversation(t.Context(), k.ann, k.id))
	got, o := k.copied(t, transfer.Source{Owner: k.ann, Snapshot: snapshot, Title: "Which?"}, wire.CopyShare{Message: k.a1})
	if got != "Which? / The left one. / The right one." || len(o.Votes) != 1 || o.Votes[0].Blind {
		t.Errorf("copied is %s, with votes %+v", got, o.Votes)
	}
}
