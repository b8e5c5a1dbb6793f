package search

// What the tests look at.
const (
	IndexStep    = indexStep
	MetaQuestion = metaQuestion
	PerSecond    = perSecond
)

var (
	FreeRow          = freeRow
	MetaConversation = metaConversation
	MetaOwner        = metaOwner
	RowOf            = rowOf
)
