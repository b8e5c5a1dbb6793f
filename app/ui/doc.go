// Package ui draws the page with go-app, and the texts of answers by direct
// DOM. It is compiled for the browser only; what can be thought about without
// one is in package chat.
//
// [Run] is all that main needs. The [page] holds what every component shares:
// the Chat, the socket, and which parts are to be drawn again. The
// Shell routes every path. Components are given revisions and ids as exported
// scalar fields, so that go-app draws again only those whose part of the model
// changed; an answer that streams in bypasses it (see answers.go and
// textview.go).
//
// Everything runs on go-app's UI goroutine: events of the socket, of timers
// and of the DOM are taken there by page.post. A panic on it would end the
// program, so each way in is guarded (see guard.go).
package ui
