package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
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
	head, err := json.Marshal(h)
	if err != nil {
		return dst, fmt.Errorf("log frame header: %w", err)
	}
	dst = append(dst, head...)
	dst = append(dst, '\n')
	return append(dst, p...), nil
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
