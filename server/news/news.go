// Package news tells a person's open tabs what has changed. Whoever changes
// something says so to the [Hub], by one of the methods in this file; each tab
// that has joined gets it as a push. The hub knows the tabs of this process; to those
// of other replicas its news go by an [Outlet].
package news

import "screentest/shared/wire"

// The news that there are. Each has a key: of several with one key that a tab
// was not sent yet, the last is enough.

// Run tells of a run that started or ended.
func (h *Hub) Run(owner string, r wire.Run) {
	n := item{Owners: []string{owner}, Subject: r.Conversation, Key: "run " + r.ID, Event: wire.EventRun, Rev: 1}
	if r.State != wire.Running {
		n.Rev = 2
	}
	h.tell(n, r)
}

// Conversation tells of a conversation as it now is. Another replica reads it then.
func (h *Hub) Conversation(owner string, s wire.Summary) { h.tell(summary(owner, s), s) }

func summary(owner string, s wire.Summary) item {
	return item{Owners: []string{owner}, Subject: s.ID, Key: "conversation " + s.ID, Event: wire.EventConversation}
}

// ConversationDeleted tells that a conversation is gone.
func (h *Hub) ConversationDeleted(owner, id string) {
	h.tell(item{Owners: []string{owner}, Subject: id, Key: "conversation " + id, Event: wire.EventDeleted}, wire.Target{ID: id})
}

// Lanes tells of a conversation's lanes.
func (h *Hub) Lanes(owner string, l wire.Lanes) {
	h.tell(item{Owners: []string{owner}, Subject: l.Conversation, Key: "lanes " + l.Conversation, Event: wire.EventLanes, Rev: l.Rev}, l)
}

// Vote tells of a vote on a message.
func (h *Hub) Vote(owner string, v wire.Vote) {
	h.tell(item{Owners: []string{owner}, Subject: v.Conversation, Key: "vote " + v.Message, Event: wire.EventVote}, v)
}

// Library tells of an entry of the library that was written or deleted.
func (h *Hub) Library(owner string, e wire.LibraryEntry) {
	h.Tell([]string{owner}, "library "+e.ID, wire.EventLibrary, e)
}

// Imported tells of conversations that were imported.
func (h *Hub) Imported(owner string, i wire.Imported) {
	h.Tell([]string{owner}, "imported", wire.EventImported, i)
}

// Budgets tells of budgets that were set.
func (h *Hub) Budgets(owner string, b wire.Budgets) {
	h.Tell([]string{owner}, "budgets", wire.EventBudgets, b)
}

// BudgetPassed tells the owner, or everybody if owner is "", that the share of
// a budget that is to be warned of was passed.
func (h *Hub) BudgetPassed(owner string, b wire.BudgetState) {
	n := item{Owners: []string{owner}, Key: "budget " + b.Scope + b.Team + " " + b.Period, Event: wire.EventBudget}
	if owner == "" {
		n.Owners, n.All = nil, true
	}
	h.tell(n, b)
}

// Retention tells how long things are kept from now on.
func (h *Hub) Retention(owner string, r wire.Retention) {
	h.Tell([]string{owner}, "keep", wire.EventKeep, r)
}

// Task tells of a video task that was made or changed.
func (h *Hub) Task(owner string, t wire.VideoTask) {
	h.tell(item{Owners: []string{owner}, Subject: t.ID, Key: "task " + t.ID, Event: wire.EventTask, Rev: t.Version}, t)
}

// TaskDeleted tells of a video task that was deleted, and can be restored.
func (h *Hub) TaskDeleted(owner string, t wire.TaskGone) { h.taskGone(owner, wire.EventTaskDeleted, t) }

// TaskPurged tells of a video task that is gone for good.
func (h *Hub) TaskPurged(owner string, t wire.TaskGone) { h.taskGone(owner, wire.EventTaskPurged, t) }

func (h *Hub) taskGone(owner string, e wire.Event, t wire.TaskGone) {
	h.tell(item{Owners: []string{owner}, Subject: t.ID, Key: "task " + t.ID, Event: e, Rev: t.Version}, t)
}

// Archive tells how the archive of clips stands.
func (h *Hub) Archive(owner string, a wire.Archive) {
	h.Tell([]string{owner}, "archive", wire.EventArchive, a)
}
