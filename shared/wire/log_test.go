package wire

import (
	"bytes"
	"encoding/json"
	"testing"
)

func TestLogFrameIsJSONALineFeedAndTheBytes(t *testing.T) {
	for _, h := range []LogFrame{
		{},
		{Run: "0b9e2c1a-7f3d-4a57-9f0e-2f0d7f1f6f11", From: 12345},
		{Run: "r", From: -1, End: true},
		{Run: "r", Type: "text/event-stream; charset=utf-8", End: true},
		{Run: `"}`, Type: "a\\b"},
		{Run: "<&>", Type: "\u2028 é \x00"},
	} {
		for _, p := range [][]byte{nil, []byte("data: {}\n\n"), {0xe2, 0x82}} {
			want, err := json.Marshal(h)
			if err != nil {
				t.Fatal(err)
			}
			msg, err := AppendLogFrame([]byte("before"), h, p)
			if err != nil {
				t.Fatal(err)
			}
			if line := append(append([]byte("before"), want...), '\n'); !bytes.Equal(msg, append(line, p...)) {
				t.Errorf("%+v: %q", h, msg)
			}
			got, rest, err := ParseLogFrame(msg[len("before"):])
			var again LogFrame
			if err != nil || json.Unmarshal(want, &again) != nil || got != again || !bytes.Equal(rest, p) {
				t.Errorf("%+v is read as %+v with %q, %v", h, got, rest, err)
			}
		}
	}
	for _, msg := range []string{"", "{}", "no JSON\n"} {
		if _, _, err := ParseLogFrame([]byte(msg)); err == nil {
			t.Errorf("%q is read", msg)
		}
	}
}

func TestLogFrameOfPlainNamesAllocatesNothing(t *testing.T) {
	h := LogFrame{Run: "0b9e2c1a-7f3d-4a57-9f0e-2f0d7f1f6f11", From: 12345, Type: "text/event-stream"}
	buf := make([]byte, 0, 1024)
	if n := testing.AllocsPerRun(100, func() { _, _ = AppendLogFrame(buf, h, nil) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
