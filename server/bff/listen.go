package bff

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"github.com/coder/websocket"

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

// moveAfter is how long a process may take to have its own sockets follow a session
// that it gave another id.
const moveAfter = 300 * time.Millisecond

// SessionMoved has sockets of a session come again soon, of whose id sum is the
// SHA-256 in hexadecimal digits: another process gave the browser another one, which
// its next request says. It doesn't wait.
func (s *Server) SessionMoved(sum string) {
	time.AfterFunc(moveAfter, func() {
		for _, k := range s.sockets.all() {
			if now := sha256.Sum256([]byte(k.sessionNow())); hex.EncodeToString(now[:]) == sum {
				k.fail(websocket.StatusServiceRestart, "another session")
			}
		}
	})
}

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
