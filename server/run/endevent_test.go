package run

import (
	"strings"
	"testing"
)

func TestEndingIsSeenAtTheEndAndNowhereElse(t *testing.T) {
	tests := []struct {
		name, stream string
		end          string // what the stream must have come to; "" is never
	}{
		{"chat, LF", "data: {\"choices\":[]}\n\ndata: [DONE]\n\n", "data: [DONE]\n\n"},
		{"chat, CRLF", "data: {\"choices\":[]}\r\n\r\ndata: [DONE]\r\n\r\n", "data: [DONE]\r\n\r\n"},
		{"chat, no space after the colon", "data:{}\n\ndata:[DONE]\n\n", "data:[DONE]\n\n"},
		{"chat, comments around it", ": PING\n\ndata: {}\n\n: PING\n\ndata: [DONE]\n\n", "data: [DONE]\n\n"},
		{"[DONE] in text is text", "data: {\"content\":\"data: [DONE]\"}\n\n", ""},
		{"a line that only begins like it", "data: [DONE\n\n", ""},
		{"no empty line yet", "data: [DONE]\n", ""},
		{"responses, with event lines", "event: response.created\ndata: {}\n\nevent: response.completed\ndata: {\"type\":\"response.completed\"}\n\n", "\"}\n\n"},
		{"responses, data lines only", "data: {\"type\":\"response.output_text.delta\",\"delta\":\"x\"}\n\ndata: {\"type\":\"response.failed\"}\n\n", "\"}\n\n"},
		{"responses, incomplete", "data: {\"type\": \"response.incomplete\"}\n\n", "\"}\n\n"},
		{"responses, a long last event", "data: {}\n\nevent: response.completed\ndata: {\"text\":\"" + strings.Repeat("long ", 500) + "\"}\n\n", "\"}\n\n"},
		{"the type within text is text", `data: {"type":"response.output_text.delta","delta":"\"type\":\"response.completed\""}` + "\n\n", ""},
		{"an item that is completed is not the end", "event: response.output_item.done\ndata: {\"status\":\"completed\"}\n\n", ""},
		{"empty", "", ""},
		{"only line feeds", "\n\n\n", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for step := 1; step <= len(tt.stream); step++ {
				var e endScanner
				for at := 0; at < len(tt.stream); at += step {
					upTo := min(at+step, len(tt.stream))
					got := e.scan([]byte(tt.stream[at:upTo]))
					// The first of the two line ends of the CRLF pair already ends it.
					want := tt.end != "" && strings.TrimRight(tt.stream[:upTo], "\r\n") == strings.TrimRight(tt.stream, "\r\n") &&
						strings.Count(tt.stream[len(strings.TrimRight(tt.stream, "\r\n")):upTo], "\n") == 2
					if got != want {
						t.Fatalf("in steps of %d, after %q: ended is %v", step, tt.stream[:upTo], got)
					}
				}
			}
		})
	}
}
