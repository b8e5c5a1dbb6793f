package bff

import (
	"slices"
	"time"

	"screentest/shared/wire"
)

// hangUpWithin is how long a socket whose session has ended may take to close.
const hangUpWithin = 800 * time.Millisecond

// listener hears what changes of people, and has their tabs follow.
type listener struct{ s *Server }

// SessionsEnded closes the sockets of sessions that ended.
func (l listener) SessionsEnded(ids []string) {
	for _, k := range l.s.sockets.all() {
		if slices.Contains(ids, k.sessionNow()) {
			k.signOut()
		}
	}
}

// PeopleChanged greets the tabs of owners anew.
func (l listener) PeopleChanged(owners []string) { l.s.News.PeopleChanged(owners) }

// signOut has the socket closed because its session ended; one whose browser
// doesn't read is cut off.
func (k *socket) signOut() {
	k.fail(wire.StatusSignedOut, "signed out")
	time.AfterFunc(hangUpWithin, func() { _ = k.ws.CloseNow() })
}

// sessionNow is the id of the session that the socket is of.
func (k *socket) sessionNow() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.session
}
