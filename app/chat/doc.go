// Package chat is what one tab knows of conversations: the messages and the
// answers that are streaming in, the lanes, the drafts, the list, what was saved.
// It is plain Go with neither go-app nor the browser in it, so that it is tested
// natively.
//
// Start with a [Chat]. The page calls its methods when the person does something
// and passes on what the socket says ([Chat.News], [Chat.Log],
// [Chat.Reconnected]); Options.Changed tells which [Part] of the page is to be
// drawn again. [Chat.List] is the list of conversations, [Chat.Library] what was
// saved.
//
// A [Conversation] is a tree of messages, of which the older ones may be without
// their texts at first. A [Lane] is one way through it, from the first message to
// its Leaf, with the model that answers next and its parameters: several models
// answer side by side in a lane each.
//
// A [Stream] is a cursor into a run's log: the bytes that have come, and the
// offset from which to read on after a lost connection.
//
// Nothing here is safe for concurrent use: the page calls it on the UI goroutine
// only.
package chat
