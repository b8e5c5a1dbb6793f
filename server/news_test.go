package main

import (
	"context"
	"encoding/json"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"screentest/server/pgtest"
	"screentest/server/replica"
	"screentest/server/sandbox"
	"screentest/server/seal"
	"screentest/server/wiretest"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// newKeyed are servers on one database, which know of each other; each has its
// sealing keys.
func newKeyed(t *testing.T, c serveConfig, keys ...string) (all []*playground) {
	t.Helper()
	c.cluster.database, c.files = pgtest.URL(t), t.TempDir()
	for _, key := range keys {
		t.Setenv("SCREENTEST_SEAL_KEY", key)
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		c.cluster.replica = "http://" + l.Addr().String()
		l.Close()
		all = append(all, newPlayground(t, c))
	}
	for _, d := range all {
		eventually(t, func() bool { return len(d.member.Peers()) == len(keys)-1 }, func() string {
			return "a replica doesn't know of the others"
		})
	}
	return all
}

// What is done at one replica is told to a tab at another.
func TestTabsHearOfWhatIsDoneAtAnotherReplica(t *testing.T) {
	sb, err := sandbox.New(sandbox.Config{Key: canary, Speed: 100, TokensPerSecond: 5000, FirstToken: -1, Catalogue: gateway.SampleCatalogue()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { sb.Close() })
	all := newReplicas(t, 2, outside(t, sb))
	here, there := dial(t, all[0].url, wiretest.NewHTTP()), dial(t, all[1].url, wiretest.NewHTTP())
	setKey(t, here, canary)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	told := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Errorf("%s isn't told at the other replica: %v", what, err)
		}
	}
	do := func(op wire.Op, args, answer any) {
		t.Helper()
		if err := here.Call(ctx, op, args, answer); err != nil {
			t.Fatalf("%s: %v", op, err)
		}
	}

	s := turn(gateway.Chat, "Say something")
	do(wire.OpStart, s, nil)
	_, err = wiretest.News(ctx, there, wire.EventRun, func(r wire.Run) bool { return r.ID == s.Run && r.State == wire.Running })
	told("the start of a run", err)
	ended, err := there.RunEnd(ctx, s.Run)
	told("its end", err)
	if ended.State != wire.Done || ended.Bytes == 0 {
		t.Errorf("it is told to have ended as %+v", ended)
	}

	do(wire.OpRename, wire.Rename{ID: s.Conversation, Title: "Another title"}, nil)
	_, err = wiretest.News(ctx, there, wire.EventConversation, func(c wire.Summary) bool {
		return c.ID == s.Conversation && c.Title == "Another title" && c.Running == 0 && c.CostNanoUSD > 0
	})
	told("a title", err)

	do(wire.OpLanes, wire.Lanes{Conversation: s.Conversation, Lanes: []wire.Lane{{Model: "vendor/model-a"}, {Model: "vendor/beta-4.5"}}}, nil)
	_, err = wiretest.News(ctx, there, wire.EventLanes, func(l wire.Lanes) bool { return l.Conversation == s.Conversation && len(l.Lanes) == 2 })
	told("lanes", err)

	do(wire.OpVote, wire.Vote{Conversation: s.Conversation, Message: s.User.ID, Models: []string{"vendor/model-a", "vendor/beta-4.5"}}, nil)
	_, err = wiretest.News(ctx, there, wire.EventVote, func(v wire.Vote) bool { return v.Message == s.User.ID })
	told("a vote", err)

	entry := wire.LibraryEntry{ID: uuid.NewString(), Kind: wire.LibraryPrompt, Name: "Greeting", Text: "Hello {{name}}"}
	do(wire.OpLibraryPut, entry, nil)
	_, err = wiretest.News(ctx, there, wire.EventLibrary, func(e wire.LibraryEntry) bool { return e.ID == entry.ID && e.Text == entry.Text })
	told("an entry of the library", err)

	clip := wire.VideoCreate{ID: uuid.NewString(), Body: gateway.VideoRequest{Model: "beta-video-480p", Prompt: "a fox", Seconds: "6"}.Body()}
	do(wire.OpVideoCreate, clip, nil)
	for _, state := range []wire.VideoState{wire.VideoQueued, wire.VideoDone} {
		_, err = wiretest.News(ctx, there, wire.EventTask, func(t wire.VideoTask) bool { return t.ID == clip.ID && t.State == state })
		told("that a clip is "+string(state), err)
	}

	do(wire.OpDelete, wire.Target{ID: s.Conversation}, nil)
	_, err = wiretest.News(ctx, there, wire.EventDeleted, func(c wire.Target) bool { return c.ID == s.Conversation })
	told("that a conversation is gone", err)

	count := 0
	for _, p := range there.Pushes() {
		var r wire.Run
		if p.Event == wire.EventRun && json.Unmarshal(p.Data, &r) == nil && r.State != wire.Running {
			count++
		}
	}
	if count != 1 {
		t.Errorf("the run's end was told %d times", count)
	}
}

// A replica whose news can't be heard any more, and is found gone, has the tabs of the
// others read everything again.
func TestTabsReadAgainWhenAReplicaDies(t *testing.T) {
	all := newReplicas(t, 2, outside(t, nil))
	tab := dial(t, all[1].url, wiretest.NewHTTP())
	if _, err := tab.Hello(t.Context()); err != nil {
		t.Fatal(err)
	}
	all[1].newsTo([]replica.Peer{})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if _, err := tab.Push(ctx, func(p wire.Push) bool { return p.Event == wire.EventMissed }); err != nil {
		t.Fatal("its tabs weren't told: ", err)
	}
}

// Replicas in the middle of a change of the sealing key read what each other seals, and
// tell each other what is new.
func TestReplicasWorkTogetherWhileTheSealingKeyIsReplaced(t *testing.T) {
	older, newer := seal.FormatKey(seal.NewKey()), seal.FormatKey(seal.NewKey())
	all := newKeyed(t, serveConfig{gateway: outside(t, nil)}, older+","+newer, newer+","+older)
	here, there := dial(t, all[0].url, wiretest.NewHTTP()), dial(t, all[1].url, wiretest.NewHTTP())
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, way := range []struct{ from, to *wiretest.Client }{{here, there}, {there, here}} {
		setKey(t, way.from, canary)
		s := turn(gateway.Chat, "Say something")
		if err := way.from.Call(ctx, wire.OpStart, s, nil); err != nil {
			t.Fatal(err)
		}
		if r, err := way.to.RunEnd(ctx, s.Run); err != nil || r.State != wire.Done {
			t.Errorf("the end is not told: %+v, %v", r, err)
		}
	}
	logs := func() string { return all[1].log.String() }
	eventually(t, func() bool { return strings.Contains(logs(), "sealed with the first sealing key") }, logs)
	for _, d := range all {
		if log := d.log.String(); strings.Contains(log, older) || strings.Contains(log, newer) || strings.Contains(log, "was refused") {
			t.Errorf("the log has\n%s", log)
		}
	}
}
