// Package news tells a person's open tabs what has changed. Whoever changes
// something says so to the [Hub], by one of the methods in this file; each tab
// that has joined gets it as a push. The hub is in memory: it knows the tabs of
// this process.
package news

import "screentest/shared/wire"

// The news that there are. Each has a key: of several with one key that a tab
// was not sent yet, the last is enough.

// Run tells of a run that started or ended.
func (h *Hub) Run(owner string, r wire.Run) {
	h.of(owner, r.Conversation)
	h.tell(owner, "run "+r.ID, wire.EventRun, r)
}

// Conversation tells of a conversation as it now is.
func (h *Hub) Conversation(owner string, s wire.Summary) {
	h.of(owner, s.ID)
	h.tell(owner, "conversation "+s.ID, wire.EventConversation, s)
}

// ConversationDeleted tells that a conversation is gone.
func (h *Hub) ConversationDeleted(owner, id string) {
	h.of(owner, id)
	h.tell(owner, "conversation "+id, wire.EventDeleted, wire.Target{ID: id})
}

// Lanes tells of a conversation's lanes.
func (h *Hub) Lanes(owner string, l wire.Lanes) {
	h.of(owner, l.Conversation)
	h.tell(owner, "lanes "+l.Conversation, wire.EventLanes, l)
}

// Vote tells of a vote on a message.
func (h *Hub) Vote(owner string, v wire.Vote) {
	h.of(owner, v.Conversation)
	h.tell(owner, "vote "+v.Message, wire.EventVote, v)
}

// Library tells of an entry of the library that was written or deleted.
func (h *Hub) Library(owner string, e wire.LibraryEntry) {
	h.tell(owner, "library "+e.ID, wire.EventLibrary, e)
}

// Imported tells of conversations that were imported.
func (h *Hub) Imported(owner string, i wire.Imported) {
	h.tell(owner, "imported", wire.EventImported, i)
}

// Budgets tells of budgets that were set.
func (h *Hub) Budgets(owner string, b wire.Budgets) {
	h.tell(owner, "budgets", wire.EventBudgets, b)
}

// BudgetPassed tells the owner, or everybody if owner is "", that the share of
// a budget that is to be warned of was passed.
func (h *Hub) BudgetPassed(owner string, b wire.BudgetState) {
	owners := []string{owner}
	if owner == "" {
		owners = h.owners()
	}
	for _, o := range owners {
		h.tell(o, "budget "+b.Scope+b.Team+" "+b.Period, wire.EventBudget, b)
	}
}

// Retention tells how long things are kept from now on.
func (h *Hub) Retention(owner string, r wire.Retention) { h.tell(owner, "keep", wire.EventKeep, r) }

// Task tells of a video task that was made or changed.
func (h *Hub) Task(owner string, t wire.VideoTask) {
	h.of(owner, t.ID)
	h.tell(owner, "task "+t.ID, wire.EventTask, t)
}

// TaskDeleted tells of a video task that was deleted, and can be restored.
func (h *Hub) TaskDeleted(owner, id string) {
	h.of(owner, id)
	h.tell(owner, "task "+id, wire.EventTaskDeleted, wire.Target{ID: id})
}

// TaskPurged tells of a video task that is gone for good.
func (h *Hub) TaskPurged(owner, id string) {
	h.of(owner, id)
	h.tell(owner, "task "+id, wire.EventTaskPurged, wire.Target{ID: id})
}

// Archive tells how the archive of clips stands.
func (h *Hub) Archive(owner string, a wire.Archive) { h.tell(owner, "archive", wire.EventArchive, a) }
