package search

import "screentest/server/store/engine"

// What the tests look at.
const (
	IndexStep    = indexStep
	MetaQuestion = metaQuestion
	PerSecond    = perSecond
)

var (
	MetaConversation = metaConversation
	MetaOwner        = metaOwner
	RowOf            = rowOf
)

// FreeRow is the place of a time with nothing else that goes in.
func FreeRow(w *engine.Tx, ms int64) (int64, error) { return freeRow(w, nil, ms) }
