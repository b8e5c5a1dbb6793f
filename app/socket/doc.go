// Package socket keeps one WebSocket to the server open: it dials, finds out
// when the connection is dead, dials again with growing pauses, and matches answers
// to calls.
//
// Make a [Socket] with [New], then [Socket.Start] it. [Socket.Call] asks for
// something and repeats itself over a reconnect, so only what may be asked
// twice belongs in it; [Socket.Once] fails when the connection drops, for what must
// be asked afresh (a read, which goes on from another offset). What a new
// connection needs again, its user asks for when OnState says [Open].
//
// A Socket is not safe for concurrent use. Everything, its timers and the
// connection's events too, runs through Options.Post, which the page gives as
// "on the UI goroutine".
//
// The transport is a [Conn]; in the browser that is the page's own WebSocket
// (see [Browser]), so that no HTTP client is compiled in.
package socket
