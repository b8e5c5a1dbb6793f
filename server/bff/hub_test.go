package bff

import (
	"strconv"
	"testing"
	"time"
)

// A key may be entered between the answer to a socket's handshake and the
// moment the hub knows the socket: it has the session that has the key then.
func TestASocketFollowsItsSession(t *testing.T) {
	h := newHub(nil)
	added := func(session string) string {
		k := &socket{owner: "1", session: session}
		if p := h.add(k); p != nil {
			t.Fatal(p)
		}
		return k.sessionID()
	}
	h.rename("first", "second")
	h.rename("second", "third")
	h.rename("", "nobody's")
	for session, want := range map[string]string{"first": "third", "second": "third", "third": "third", "": "", "other": "other"} {
		if got := added(session); got != want {
			t.Errorf("a socket of %q has the session %q, want %q", session, got, want)
		}
	}

	// They are remembered for a while, and no more than so many.
	h.note("third", "fourth", time.Now().Add(renameKept+time.Second))
	if got := added("first"); got != "first" {
		t.Errorf("after %v %q is still known", renameKept, got)
	}
	for n := range 2 * maxRenames {
		h.rename(strconv.Itoa(n), "x")
	}
	if len(h.renames) > maxRenames {
		t.Errorf("%d are remembered", len(h.renames))
	}
}
