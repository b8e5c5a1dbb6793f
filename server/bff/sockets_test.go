package bff

import "testing"

// A key may be entered between the answer to a socket's handshake and the
// moment the socket is open: it has the session that has the key then. One
// that comes later with the old session has not.
func TestASocketThatIsOpeningFollowsItsSession(t *testing.T) {
	h := newSockets()
	opening, refused := &socket{owner: "1", session: "old"}, &socket{owner: "1", session: "old"}
	h.expect(opening)
	h.expect(refused)
	h.forget(refused)
	if out := h.rename("old", "new"); len(out) != 1 || out[0] != opening {
		t.Fatalf("%d sockets were renamed, want the one that is opening", len(out))
	}
	late := &socket{owner: "1", session: "old"}
	for k, want := range map[*socket]string{opening: "new", late: "old"} {
		if p := h.add(k); p != nil {
			t.Fatal(p)
		}
		if got := k.sessionNow(); got != want {
			t.Errorf("session %q, want %q", got, want)
		}
	}
	if out := h.rename("new", "newer"); len(out) != 1 || len(h.opening) != 0 {
		t.Errorf("%d sockets were renamed, %d are opening; want 1 and none", len(out), len(h.opening))
	}
}
