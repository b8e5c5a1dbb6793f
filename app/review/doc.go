// Package review is what people say of clips to each other: the comments at their
// times, the states, the versions, and the clips that a team shows itself. It is
// plain Go with neither go-app nor the browser in it.
//
// Make a [Desk] with [NewDesk] and give it all news of the server. [Desk.Look]
// opens the [Thread] of a clip or a share, of which there is one at a time, and
// [Desk.Leave] closes it. What is typed lies in the browser's store until the
// server has it: as a [Draft] until it is sent, then among what is waiting.
package review
