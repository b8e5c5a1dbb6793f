package news

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"screentest/shared/wire"
)

// outlet is another replica's hub, which hears at once.
type outlet struct {
	to   *Hub
	from int64
	sent []string // keys
}

func (o *outlet) Send(key string, news []byte) {
	o.sent = append(o.sent, key)
	if err := o.to.Hear(o.from, bytes.Clone(news)); err != nil {
		panic(err)
	}
}

// late is another replica's hub that hears when it is let.
type late struct {
	to    *Hub
	from  int64
	waits [][]byte
}

func (l *late) Send(_ string, news []byte) { l.waits = append(l.waits, news) }

func (l *late) come(t *testing.T) {
	t.Helper()
	for _, news := range l.waits {
		if err := l.to.Hear(l.from, news); err != nil {
			t.Error(err)
		}
	}
	l.waits = nil
}

// two runs a test with two hubs, the second of which has two persons' tabs.
func two(t *testing.T, test func(t *testing.T, a, b *Hub, read reads, out *outlet, mine, other *tab)) {
	hub(t, func(b *Hub, read reads, _ *bytes.Buffer, mine, _, other *tab) {
		a := New(reads{}, b.log)
		defer a.Close()
		out := &outlet{to: b, from: 1}
		a.Connect(out, nil)
		back := &outlet{to: a, from: 2}
		b.Connect(back, nil)
		test(t, a, b, read, out, mine, other)
		if len(back.sent) != 0 {
			t.Errorf("what was heard was sent on: %q", back.sent)
		}
	})
}

func TestWhatIsToldAtOneReplicaIsToldAtAnother(t *testing.T) {
	two(t, func(t *testing.T, a, b *Hub, read reads, _ *outlet, mine, other *tab) {
		var mu sync.Mutex
		heard := map[string]int{}
		b.Listen(func(owner, subject string) {
			mu.Lock()
			defer mu.Unlock()
			heard[owner+" "+subject]++
		})
		b.Look("review 7", "she", other)
		a.Run("me", wire.Run{ID: "1", Conversation: "c1", State: wire.Running})
		a.Lanes("me", wire.Lanes{Conversation: "c2", Rev: 1})
		a.Vote("me", wire.Vote{Conversation: "c3", Message: "m"})
		a.Library("me", wire.LibraryEntry{ID: "l"})
		a.Task("me", wire.VideoTask{ID: "t", Version: 3})
		a.TaskDeleted("me", wire.TaskGone{ID: "d", Version: 3})
		a.TaskPurged("me", wire.TaskGone{ID: "p", Version: 4})
		a.ConversationDeleted("me", "c4")
		a.Budgets("me", wire.Budgets{})
		a.Retention("me", wire.Retention{})
		a.Archive("me", wire.Archive{})
		a.Imported("me", wire.Imported{})
		a.Tell([]string{"me", "she"}, "shares", wire.EventShares, nil)
		a.BudgetPassed("", wire.BudgetState{Scope: "everybody"})
		a.TellTopic("review 7", "comment 1", wire.EventComment, wire.Comment{ID: "1"})
		a.TellTopicHere("review 7", "comment 2", wire.EventComment, wire.Comment{ID: "2"})
		a.ConversationChanged("me", "c5")
		a.Conversation("me", wire.Summary{ID: "c6", Title: "as it was"})
		a.ConversationChanged("me", "deleted")
		time.Sleep(2 * gatherFor)
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()

		var keys []string
		for _, told := range mine.told {
			key, _, _ := strings.Cut(told, ": ")
			keys = append(keys, key)
		}
		slices.Sort(keys)
		if want := []string{"archive", "budget everybody ", "budgets", "conversation c4", "conversation c5", "conversation c6", "imported", "keep", "lanes c2", "library l", "run 1", "shares", "task d", "task p", "task t", "vote m"}; !slices.Equal(keys, want) {
			t.Errorf("told\n%q, want\n%q", keys, want)
		}
		if len(other.told) != 3 || !strings.Contains(other.told[2], `"id":"1"`) {
			t.Errorf("another person was told %q", other.told)
		}
		if strings.Contains(strings.Join(mine.told, ""), "as it was") || read["me c6"] != 1 {
			t.Errorf("a conversation was told as the other replica has it: %q, read %v", mine.told, read)
		}
		if !strings.Contains(strings.Join(mine.told, "\n"), `conversation c6: conversation {"id":"c6"`) {
			t.Errorf("the conversation isn't told: %q", mine.told)
		}
		for _, subject := range []string{"c1", "c2", "c3", "t", "d", "p", "c4", "c5", "c6"} {
			if heard["me "+subject] == 0 {
				t.Errorf("who listens doesn't hear of %s: %v", subject, heard)
			}
		}
		if mine.greets+other.greets != 0 {
			t.Error("tabs were greeted anew")
		}
	})
}

func TestPartsHearWhatWasToldElsewhere(t *testing.T) {
	two(t, func(t *testing.T, a, b *Hub, _ reads, _ *outlet, _, _ *tab) {
		var got []string
		b.heard = func(owner string, event wire.Event, data json.RawMessage) {
			got = append(got, owner+" "+string(event)+" "+string(data[:7]))
		}
		b.Task("me", wire.VideoTask{ID: "own"})
		a.Task("nobody here", wire.VideoTask{ID: "7"})
		a.ConversationChanged("me", "c")
		a.TellTopic("review 7", "step", wire.EventReview, wire.ReviewStep{Review: "7"})
		b.out.(*outlet).sent = nil // its own
		if want := []string{`nobody here task {"id":"`, ` review {"revie`}; !slices.Equal(got, want) {
			t.Errorf("heard %q, want %q", got, want)
		}
	})
}

func TestNewsThatAnotherReplicaHasOvertakenAreNotTold(t *testing.T) {
	hub(t, func(b *Hub, _ reads, _ *bytes.Buffer, mine, _, _ *tab) {
		slow, quick := New(reads{}, b.log), New(reads{}, b.log)
		defer slow.Close()
		defer quick.Close()
		waits := &late{to: b, from: 1}
		slow.Connect(waits, nil)
		quick.Connect(&outlet{to: b, from: 2}, nil)
		b.Connect(&late{}, nil)

		slow.Run("me", wire.Run{ID: "1", State: wire.Running})
		slow.Task("me", wire.VideoTask{ID: "t", Version: 3})
		slow.Lanes("me", wire.Lanes{Conversation: "c", Rev: 7})
		slow.Task("me", wire.VideoTask{ID: "u", Version: 3})
		quick.Run("me", wire.Run{ID: "1", State: wire.Interrupted})
		quick.Task("me", wire.VideoTask{ID: "t", Version: 4})
		quick.Lanes("me", wire.Lanes{Conversation: "c", Rev: 8})
		quick.Task("me", wire.VideoTask{ID: "u", Version: 2})
		slow.Task("me", wire.VideoTask{ID: "deleted", Version: 7})
		slow.Task("me", wire.VideoTask{ID: "purged", Version: 8, Deleted: true})
		slow.TaskDeleted("me", wire.TaskGone{ID: "restored", Version: 8})
		quick.TaskDeleted("me", wire.TaskGone{ID: "deleted", Version: 8})
		quick.TaskPurged("me", wire.TaskGone{ID: "purged", Version: 9})
		quick.Task("me", wire.VideoTask{ID: "restored", Version: 9})
		before := len(mine.told)
		waits.come(t)
		if got := mine.told[before:]; len(got) != 1 || !strings.HasPrefix(got[0], "task u") {
			t.Errorf("then told %q", got)
		}
		slow.Lanes("me", wire.Lanes{Conversation: "c", Rev: 9})
		waits.come(t)
		b.Lanes("me", wire.Lanes{Conversation: "c", Rev: 8}) // made here before that, and told after
		if got := mine.told[before+1:]; len(got) != 1 || !strings.Contains(got[0], `"rev":9`) {
			t.Errorf("at last told %q", got)
		}
	})
}

// Which of two votes was the last, only the store knows.
func TestTabsReadAgainWhereTwoReplicasTellOfTheSame(t *testing.T) {
	two(t, func(t *testing.T, a, b *Hub, _ reads, _ *outlet, mine, other *tab) {
		time.Sleep(2 * againEvery)
		b.Vote("me", wire.Vote{Message: "m"})
		b.Vote("me", wire.Vote{Message: "m"})
		a.Vote("me", wire.Vote{Message: "another"})
		synctest.Wait()
		if mine.greets != 0 {
			t.Fatal("greeted where nothing crosses")
		}
		a.Vote("me", wire.Vote{Message: "m"})
		synctest.Wait()
		if last := mine.told[len(mine.told)-1]; last != "missed: missed " || mine.greets != 1 || other.greets != 0 {
			t.Errorf("told %q, greeted %d and %d times", mine.told, mine.greets, other.greets)
		}
		time.Sleep(crossFor)
		b.Vote("me", wire.Vote{Message: "m"})
		a.Run("me", wire.Run{ID: "1", State: wire.Running})
		b.Run("me", wire.Run{ID: "1", State: wire.Done})
		time.Sleep(againEvery)
		synctest.Wait()
		if mine.greets != 1 {
			t.Errorf("greeted %d times", mine.greets)
		}
		b.out.(*outlet).sent = nil // its own
	})
}

func TestTabsThatMissedSomethingReadAgainNowAndThen(t *testing.T) {
	hub(t, func(h *Hub, _ reads, _ *bytes.Buffer, mine, _, other *tab) {
		any := 0
		h.Listen(func(owner, subject string) {
			if owner+subject == "" {
				any++
			}
		})
		greets := func() int { // looked at before the loop goes on
			synctest.Wait()
			h.mu.Lock()
			defer h.mu.Unlock()
			return mine.greets
		}
		time.Sleep(2 * againEvery)
		h.Missed()
		if greets() != 1 || other.greets != 1 || any != 1 || !slices.Equal(mine.told, []string{"missed: missed "}) {
			t.Fatalf("greeted %d and %d times, told %q", mine.greets, other.greets, mine.told)
		}
		for range 100 {
			h.Missed()
			time.Sleep(time.Millisecond)
		}
		if n := greets(); n != 1 {
			t.Errorf("greeted %d times at once", n)
		}
		time.Sleep(againEvery)
		if n := greets(); n != 2 || any != 2 {
			t.Errorf("greeted %d times, who listens was told %d times", n, any)
		}
		time.Sleep(10 * againEvery)
		if n := greets(); n != 2 {
			t.Errorf("greeted %d times when nothing was missed", n)
		}
	})
}

func TestWhatIsRememberedIsBounded(t *testing.T) {
	hub(t, func(h *Hub, _ reads, _ *bytes.Buffer, _, _, _ *tab) {
		h.mu.Lock()
		defer h.mu.Unlock()
		for n := range 3 * maxTold {
			h.takeDown(0, item{Key: strconv.Itoa(n), Event: wire.EventVote})
		}
		if len(h.told) > maxTold {
			t.Errorf("%d are remembered", len(h.told))
		}
	})
}
