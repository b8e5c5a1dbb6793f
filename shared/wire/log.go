package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// LogFrame heads a binary message: a stretch of a run's log, byte for byte as
// the gateway sent it. On the wire it is this header as one line of JSON, a
// line feed, and the bytes. Raw bytes need no escaping, so a stretch may end
// anywhere, within a UTF-8 character too.
type LogFrame struct {
	Run  string `json:"run"`
	From int64  `json:"from"` // offset of the first byte
	// Type is the reply's Content-Type, on the frame with From 0 only.
	Type string `json:"type,omitempty"`
	// End marks the last frame: the log is complete, and an EventRun with the
	// run's final state has been or will be sent.
	End bool `json:"end,omitempty"`
}

// AppendLogFrame appends the binary message of h and the log bytes p to dst.
func AppendLogFrame(dst []byte, h LogFrame, p []byte) ([]byte, error) {
	if plain(h.Run) && plain(h.Type) {
		return append(h.appendPlain(dst), p...), nil
	}
	head, err := json.Marshal(h)
	if err != nil {
		return dst, fmt.Errorf("log frame header: %w", err)
	}
	dst = append(dst, head...)
	dst = append(dst, '\n')
	return append(dst, p...), nil
}

// appendPlain writes what json.Marshal would, without its allocations: there
// may be thousands of frames a second.
func (h LogFrame) appendPlain(dst []byte) []byte {
	dst = append(dst, `{"run":"`...)
	dst = append(dst, h.Run...)
	dst = append(dst, `","from":`...)
	dst = strconv.AppendInt(dst, h.From, 10)
	if h.Type != "" {
		dst = append(dst, `,"type":"`...)
		dst = append(dst, h.Type...)
		dst = append(dst, '"')
	}
	if h.End {
		dst = append(dst, `,"end":true`...)
	}
	return append(dst, "}\n"...)
}

// plain says that a string stands in JSON as it is.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			return false
		}
	}
	return true
}

// ParseLogFrame splits a binary message. The bytes alias msg.
func ParseLogFrame(msg []byte) (LogFrame, []byte, error) {
	head, p, ok := bytes.Cut(msg, []byte{'\n'})
	if !ok {
		return LogFrame{}, nil, errors.New("log frame: no header line")
	}
	var h LogFrame
	if err := json.Unmarshal(head, &h); err != nil {
		return LogFrame{}, nil, fmt.Errorf("log frame header: %w", err)
	}
	return h, p, nil
}
