package bff

import (
	"maps"
	"slices"
	"sync"
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

const (
	// movedFor is how long a browser may take to learn the id that its session was
	// given: so long a socket that it opens with the old one is refused.
	movedFor = 10 * time.Second
	// mostMoved bounds how many are remembered.
	mostMoved = 10_000
)

// movedSessions are those that were given another id lately.
type movedSessions struct {
	mu sync.Mutex
	at map[string]time.Time // by the old one
}

func (m *movedSessions) note(session string, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	maps.DeleteFunc(m.at, func(_ string, at time.Time) bool { return now.Sub(at) >= movedFor })
	if m.at == nil || len(m.at) >= mostMoved {
		m.at = map[string]time.Time{}
	}
	m.at[session] = now
}

func (m *movedSessions) has(session string, now time.Time) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	at, is := m.at[session]
	return is && now.Sub(at) < movedFor
}

// SessionMoved has the sockets of a session follow it, which another process gave
// another id, and greets them anew. It doesn't wait.
func (s *Server) SessionMoved(was, now string) {
	var owners []string
	for _, k := range s.moveSockets(was, now) {
		if !slices.Contains(owners, k.owner) {
			owners = append(owners, k.owner)
		}
	}
	if owners != nil {
		s.News.PeopleChanged(owners)
	}
}

// SessionsMayHaveMoved has the tabs of browsers without accounts connect again, for a
// time in which no other process could tell that it gave one another id: the browser
// knows its own.
func (s *Server) SessionsMayHaveMoved() {
	for _, k := range s.sockets.all() {
		if k.person().Me == nil {
			k.fail(websocket.StatusGoingAway, "the browser's session may have another id by now")
		}
	}
}

// moveSockets has the sockets of a session follow it.
func (s *Server) moveSockets(was, now string) []*socket {
	if was != "" {
		s.moved.note(was, s.Now())
	}
	return s.sockets.rename(was, now)
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
