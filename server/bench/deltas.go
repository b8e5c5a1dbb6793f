package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

const (
	seedTurns = 150 // two messages each
	deltas    = 20000
	deltaRate = 2000 // a second
	deltaSize = 10   // bytes
	longTopic = "everything"
)

// markdownSource is a gateway for chat that answers with Markdown: at length,
// in deltas of an exact size and at an exact pace, when it is asked for
// everything, else briefly and at once.
func markdownSource() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client is gone
		}
		var request struct {
			Messages []struct{ Content string }
		}
		if err := json.Unmarshal(body, &request); err != nil || len(request.Messages) == 0 {
			http.Error(w, "not a chat request", http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		if request.Messages[len(request.Messages)-1].Content == longTopic {
			streamPaced(w, markdown(deltas*deltaSize))
		} else {
			_, _ = w.Write(delta(markdown(600)))
		}
		_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	})
}

// streamPaced writes text in deltas. It keeps to the timetable: what is late
// goes out at once.
func streamPaced(w http.ResponseWriter, text string) {
	const tick = 5 * time.Millisecond
	flush := http.NewResponseController(w)
	start := time.Now()
	for sent := 0; len(text) > 0; time.Sleep(tick) {
		var out bytes.Buffer
		for due := int(time.Since(start).Seconds() * deltaRate); sent < due && len(text) > 0; sent++ {
			n := min(deltaSize, len(text))
			out.Write(delta(text[:n]))
			text = text[n:]
		}
		if _, err := w.Write(out.Bytes()); err != nil {
			return
		}
		if err := flush.Flush(); err != nil {
			return
		}
	}
}

func delta(text string) []byte {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string can be marshalled
	}
	return fmt.Appendf(nil, `data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":%s}}]}`+"\n\n", quoted)
}

// markdown returns size bytes of Markdown, of the kinds that answers are made
// of, in ASCII.
func markdown(size int) string {
	var b strings.Builder
	for n := 1; b.Len() < size; n++ {
		fmt.Fprintf(&b, `## Section %[1]d

A paragraph with **strong**, *emphasis*, %[2]scode%[2]s and [a link](https://example.com/%[1]d), long enough that it wraps
over more than one line of the page, as most paragraphs of an answer do.

- the first of three
- the second, with a nested list
  - inside
- the third

| Name | Value | Note |
|---|---:|---|
| first | %[1]d | a cell |
| second | %[3]d | another |

%[2]s%[2]s%[2]sgo
func section%[1]d(in []string) (out []string) {
	for i, s := range in {
		out = append(out, fmt.Sprintf("%%d: %%s", i, s)) // number %[1]d
	}
	return out
}
%[2]s%[2]s%[2]s

1. then a numbered list
2. of two

> and a quotation to end with.

`, n, "`", n*n)
	}
	return b.String()[:size]
}
