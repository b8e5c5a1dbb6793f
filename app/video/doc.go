// Package video is what one tab knows of the Video page: the form that makes
// clips and the clips that were made. It is plain Go with neither go-app nor
// the browser in it, so that it is tested natively.
//
// Start with a [Desk]. Its [Form] is the left side: a [Draft] for each mode,
// kept over reloads; the request that the draft makes, judged by the rules of
// the gateway's contract; what is missing; what it would cost. Its [Tasks] are
// the right side: the gallery, as the server tells it.
//
// A finished clip comes back into the form by [Desk.Start],
// [Desk.UseAsReference], [Desk.UseFrame] and [Desk.Reuse].
//
// A Desk is not safe for concurrent use: the page calls it on the UI goroutine
// only.
package video
