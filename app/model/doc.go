// Package model is what one tab knows: the conversations, the messages and
// the answers that are streaming in, the draft, the connection. It is plain Go
// with neither go-app nor the browser in it, so that it is tested natively.
//
// Start with a [Desk]. The page calls its methods when the person does
// something ([Desk.Show], [Desk.Send], [Desk.Stop]) and passes on what the
// socket says ([Desk.News], [Desk.Log], [Desk.Link]); the Desk tells through
// Changed which [Part] of the page is to be drawn again.
//
// A conversation is a tree of messages. A [Lane] is one way through it, from
// the first message to its Leaf, with the model that answers next; there is
// one lane for now, and everything that belongs to a lane is kept in a slice
// of them.
//
// A [Stream] is a cursor into a run's log: the bytes that have come, and the
// offset from which to read on after a lost connection.
//
// A Desk is not safe for concurrent use: the page calls it on the UI goroutine
// only.
package model
