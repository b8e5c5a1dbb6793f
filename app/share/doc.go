// Package share is what the page knows of sharing: what is shared with the person
// and by them, the dialog that shares something, and the words for who sees what.
// It is plain Go with neither go-app nor the browser in it.
//
// Make a [Desk] with [New] and give it the news of the server. [Desk.Open] opens
// the dialog for a conversation or a clip, [Desk.Mark] says who else sees it, and
// [Desk.Listed] is the list of the Shared page.
package share
