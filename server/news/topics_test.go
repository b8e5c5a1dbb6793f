package news

import (
	"bytes"
	"testing"

	"screentest/shared/wire"
)

func TestATopicIsToldToWhoLooks(t *testing.T) {
	hub(t, func(h *Hub, _ reads, _ *bytes.Buffer, mine, mineToo, other *tab) {
		h.Look("review 7", "me", mine)
		h.Look("review 7", "she", other)
		h.Look("review 8", "me", mineToo)
		h.TellTopic("review 7", "c", "comment", 1)
		h.LookAway("review 7", other)
		h.TellTopic("review 7", "c", "comment", 2)
		h.LookAway("review 7", mine)
		h.TellTopic("review 7", "c", "comment", 3)
		h.Leave("me", mineToo)
		h.TellTopic("review 8", "c", "comment", 4)
		h.Look("review 9", "me", mineToo) // too late
		if h.WhenLeft("me", mineToo, func() { t.Error("called for one that has left") }) {
			t.Error("one that has left is there")
		}
		left := 0
		if !h.WhenLeft("me", mine, func() { left += 10 }) || !h.WhenLeft("me", mine, func() { left++ }) {
			t.Error("one that is there isn't")
		}
		if len(mine.told) != 2 || len(other.told) != 1 || len(mineToo.told) != 0 || len(h.topics) != 0 {
			t.Errorf("told %q, %q and %q; topics %v", mine.told, other.told, mineToo.told, h.topics)
		}
		h.Tell([]string{"me", "she", "nobody"}, "n", "notice", 5)
		if len(mine.told) != 3 || len(other.told) != 2 {
			t.Errorf("told %q and %q", mine.told, other.told)
		}
		h.Leave("me", mine)
		h.Leave("me", mine)
		if left != 1 {
			t.Errorf("%d was done when it left", left)
		}
	})
}

// Who listens hears of every change, whether a tab is open or not.
func TestListen(t *testing.T) {
	hub(t, func(h *Hub, _ reads, _ *bytes.Buffer, _, _, _ *tab) {
		heard := map[string]int{}
		h.Listen(func(owner, subject string) { heard[owner+" "+subject]++ })
		h.Run("nobody", wire.Run{Conversation: "run"})
		h.ConversationChanged("nobody", "changed")
		h.ConversationDeleted("nobody", "deleted")
		h.Conversation("nobody", wire.Summary{ID: "renamed"})
		h.Lanes("nobody", wire.Lanes{Conversation: "lanes"})
		h.Vote("nobody", wire.Vote{Conversation: "vote"})
		h.Task("nobody", wire.VideoTask{ID: "task"})
		h.TaskDeleted("nobody", wire.TaskGone{ID: "trash"})
		h.TaskPurged("nobody", wire.TaskGone{ID: "purged"})
		h.Budgets("nobody", wire.Budgets{})
		for _, subject := range []string{"run", "changed", "deleted", "renamed", "lanes", "vote", "task", "trash", "purged"} {
			if heard["nobody "+subject] != 1 {
				t.Errorf("%s was heard of %d times", subject, heard["nobody "+subject])
			}
		}
		if len(heard) != 9 {
			t.Errorf("%v", heard)
		}
	})
}
