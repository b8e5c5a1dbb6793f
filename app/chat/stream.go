package chat

import (
	"screentest/shared/gateway"
	"screentest/shared/reply"
	"screentest/shared/wire"
)

// Stream is a cursor into a run's log. It reads the gateway's bytes with the
// reader that the server reads them with.
type Stream struct {
	Run      string
	endpoint gateway.Endpoint
	reader   *reply.Reader // nil until the first bytes tell the content type
	// Offset is that of the next byte to come: where to read on from after a
	// lost connection.
	Offset int64
	// Ended says that the log is complete and was read to its end.
	Ended bool
}

// newStream returns a cursor at the beginning of a run's log.
func newStream(run string, ep gateway.Endpoint) *Stream {
	return &Stream{Run: run, endpoint: ep}
}

// Answer returns what the log has said so far; nil before its first byte.
func (s *Stream) Answer() *reply.Answer {
	if s.reader == nil {
		return nil
	}
	return s.reader.Answer()
}

// accept takes a frame of the log. It returns false when bytes are missing
// before it: then nothing is taken, and the log is to be read from Offset.
func (s *Stream) accept(h wire.LogFrame, p []byte) bool {
	if h.From > s.Offset {
		return false
	}
	if s.Ended {
		return true
	}
	if seen := s.Offset - h.From; seen < int64(len(p)) {
		p = p[seen:] // a frame of the old connection may overlap
	} else {
		p = nil
	}
	if s.reader == nil && (len(p) > 0 || h.End) {
		s.reader = reply.NewReader(s.endpoint, h.Type)
	}
	if len(p) > 0 {
		s.reader.Push(p)
		s.Offset += int64(len(p))
	}
	if h.End {
		s.reader.Close()
		s.Ended = true
	}
	return true
}
