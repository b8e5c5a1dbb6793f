package bff

// Held is how many bytes of answers wait for tabs, and PeakHeld the most that
// did.
func Held(s *Server) int64 { return s.held.now.Load() }

func PeakHeld(s *Server) int64 { return s.held.peak.Load() }

// HeldUp says whether a tab's calls wait for its answers to leave.
func HeldUp(s *Server) bool {
	for _, k := range s.sockets.all() {
		k.mu.Lock()
		up := k.held > k.mailbox.bytes
		k.mu.Unlock()
		if up {
			return true
		}
	}
	return false
}

// Whose says whose rows are asked for.
var Whose = whose
