package news

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"screentest/shared/wire"
)

// tab writes down what it was told.
type tab struct {
	told   []string
	greets int
	hold   chan struct{} // a greeting waits until it is closed; nil: none waits
}

func (t *tab) Tell(key string, push []byte) {
	var p wire.Push
	if err := json.Unmarshal(push, &p); err != nil {
		panic(err)
	}
	t.told = append(t.told, fmt.Sprintf("%s: %s %s", key, p.Event, p.Data))
}

func (t *tab) Greet() {
	t.greets++
	if t.hold != nil {
		<-t.hold
	}
}

// reads counts how often each conversation was read.
type reads map[string]int

func (r reads) Conversation(_ context.Context, owner, id string) (wire.Summary, error) {
	r[owner+" "+id]++
	switch id {
	case "deleted":
		return wire.Summary{}, fs.ErrNotExist
	case "unreadable":
		return wire.Summary{}, errors.New("disk error")
	}
	return wire.Summary{ID: id}, nil
}

// hub runs a test with a hub and two persons' tabs, in a bubble with a clock of
// its own.
func hub(t *testing.T, test func(h *Hub, read reads, log *bytes.Buffer, mine, mineToo, other *tab)) {
	synctest.Test(t, func(t *testing.T) {
		read, log := reads{}, &bytes.Buffer{}
		h := New(read, slog.New(slog.NewTextHandler(log, nil)))
		defer h.Close()
		mine, mineToo, other := &tab{}, &tab{}, &tab{}
		h.Join("me", mine)
		h.Join("me", mineToo)
		h.Join("she", other)
		test(h, read, log, mine, mineToo, other)
	})
}

func TestNewsGoToTheOwnersTabsOnly(t *testing.T) {
	hub(t, func(h *Hub, _ reads, _ *bytes.Buffer, mine, mineToo, other *tab) {
		h.TaskDeleted("me", wire.TaskGone{ID: "7"})
		h.Leave("me", mineToo)
		h.Leave("nobody", mineToo)
		h.TaskPurged("me", wire.TaskGone{ID: "7"})
		if got, want := strings.Join(mine.told, "; "), `task 7: task_deleted {"id":"7"}; task 7: task_purged {"id":"7"}`; got != want {
			t.Errorf("told %s, want %s", got, want)
		}
		if len(mineToo.told) != 1 || len(other.told) != 0 {
			t.Errorf("a tab that left was told %q, another person's %q", mineToo.told, other.told)
		}
	})
}

func TestABudgetOfEverybodyIsToldToEverybody(t *testing.T) {
	hub(t, func(h *Hub, _ reads, _ *bytes.Buffer, mine, _, other *tab) {
		h.BudgetPassed("", wire.BudgetState{Scope: "everybody", Period: "day"})
		h.BudgetPassed("she", wire.BudgetState{Scope: "person", Period: "day"})
		if len(mine.told) != 1 || len(other.told) != 2 {
			t.Errorf("told %q and %q", mine.told, other.told)
		}
	})
}

func TestChangesOfAConversationAreToldAsOne(t *testing.T) {
	hub(t, func(h *Hub, read reads, log *bytes.Buffer, mine, _, other *tab) {
		h.ConversationChanged("me", "first")
		synctest.Wait() // it is told at once, and the next ones gather
		for range 100 {
			h.ConversationChanged("me", "c")
			h.ConversationChanged("me", "deleted")
			h.ConversationChanged("me", "unreadable")
			h.ConversationChanged("he who has no tab", "c")
		}
		time.Sleep(gatherFor)
		synctest.Wait()
		if len(mine.told) != 2 || len(other.told) != 0 {
			t.Errorf("told %q and %q", mine.told, other.told)
		}
		if read["me c"] != 1 || len(read) != 4 {
			t.Errorf("read %v", read)
		}
		if got := log.String(); !strings.Contains(got, "conversation=unreadable") || strings.Contains(got, "conversation=deleted") {
			t.Errorf("the log has %q", got)
		}
	})
}

func TestGreetingsAreGathered(t *testing.T) {
	hub(t, func(h *Hub, _ reads, _ *bytes.Buffer, mine, _, other *tab) {
		mine.hold = make(chan struct{})
		h.GatewayChanged()
		synctest.Wait() // the first is under way
		for range 100 {
			h.GatewayChanged()
		}
		close(mine.hold)
		synctest.Wait()
		if mine.greets != 2 || other.greets != 2 {
			t.Errorf("greeted %d and %d times", mine.greets, other.greets)
		}
	})
}

func TestOnlyWhoChangedIsGreeted(t *testing.T) {
	hub(t, func(h *Hub, _ reads, _ *bytes.Buffer, mine, mineToo, other *tab) {
		h.PeopleChanged([]string{"me", "he who has no tab"})
		synctest.Wait()
		if mine.greets != 1 || mineToo.greets != 1 || other.greets != 0 {
			t.Errorf("greeted %d, %d and %d times", mine.greets, mineToo.greets, other.greets)
		}
		h.GatewayChanged()
		synctest.Wait()
		if mine.greets != 2 || other.greets != 1 {
			t.Errorf("then greeted %d and %d times", mine.greets, other.greets)
		}
	})
}
