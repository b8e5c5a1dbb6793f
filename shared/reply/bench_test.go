package reply

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"screentest/shared/gateway"
	"screentest/shared/sse"
)

const fragments = 4096

func chatStream() []byte {
	var b bytes.Buffer
	for i := range fragments {
		fmt.Fprintf(&b, "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1795219200,\"model\":\"vendor/model-a\",\"system_fingerprint\":null,"+
			"\"choices\":[{\"index\":0,\"delta\":{\"content\":\" w%05d\"},\"logprobs\":null,\"finish_reason\":null}]}\n\n", i)
	}
	b.WriteString("data: [DONE]\n\n")
	return b.Bytes()
}

func responsesStream() []byte {
	var b bytes.Buffer
	for i := range fragments {
		fmt.Fprintf(&b, "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"item_id\":\"msg_1\",\"output_index\":3,\"content_index\":0,\"delta\":\" w%05d\",\"logprobs\":[],\"sequence_number\":%d}\n\n", i, i)
	}
	b.WriteString("event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{}}\n\n")
	return b.Bytes()
}

// decoded reads a chat stream the plain way, for comparison: each event into
// Go values by encoding/json.
func decoded(stream []byte) string {
	var d sse.Decoder
	var text strings.Builder
	for ev := range d.Push(stream) {
		var chunk struct {
			Choices []struct {
				Delta struct {
					Content string `json:"content"`
				} `json:"delta"`
			} `json:"choices"`
		}
		if json.Unmarshal(ev.Data, &chunk) == nil && len(chunk.Choices) > 0 {
			text.WriteString(chunk.Choices[0].Delta.Content)
		}
	}
	return text.String()
}

// BenchmarkReader reads 4096 fragments in pieces of 4 KiB.
func BenchmarkReader(b *testing.B) {
	chat, responses := chatStream(), responsesStream()
	push := func(stream []byte, to func([]byte)) {
		for len(stream) > 0 {
			n := min(4096, len(stream))
			to(stream[:n])
			stream = stream[n:]
		}
	}
	for _, way := range []struct {
		name   string
		stream []byte
		read   func([]byte) int
	}{
		{"chat", chat, func(s []byte) int {
			r := NewReader(gateway.Chat, streamType)
			push(s, r.Push)
			return r.Answer().TextLen()
		}},
		{"responses", responses, func(s []byte) int {
			r := NewReader(gateway.Responses, streamType)
			push(s, r.Push)
			return r.Answer().TextLen()
		}},
		{"chat, encoding/json", chat, func(s []byte) int { return len(decoded(s)) }},
	} {
		b.Run(way.name, func(b *testing.B) {
			b.SetBytes(int64(len(way.stream)))
			b.ReportAllocs()
			for b.Loop() {
				if n := way.read(way.stream); n != 7*fragments {
					b.Fatalf("%d bytes of text, want %d", n, 7*fragments)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/fragments, "ns/event")
		})
	}
}
