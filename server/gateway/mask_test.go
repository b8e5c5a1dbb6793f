package gateway

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/iotest"

	"screentest/shared/gateway"
	"screentest/shared/reply"
)

// secretKey has what the escapes of JSON and of addresses are for.
const secretKey = `sk-proj-a/b+c_"d\e-Zq8w3xNfT0`

// escapedAll is s as JSON may write it, every character as an escape.
func escapedAll(s string) string {
	var b strings.Builder
	for i, c := range []byte(s) {
		fmt.Fprintf(&b, map[bool]string{true: `\u%04x`, false: `\u%04X`}[i%2 == 0], c)
	}
	return b.String()
}

func quoted(s string) string {
	p, _ := json.Marshal(s) // strings marshal
	return string(p[1 : len(p)-1])
}

func TestTheKeyIsMaskedInEveryFormThatIsPromised(t *testing.T) {
	std, web := base64.StdEncoding.EncodeToString, base64.URLEncoding.EncodeToString
	for name, form := range map[string]string{
		"as it is":                      secretKey,
		"in JSON":                       quoted(secretKey),
		"slashes escaped":               strings.ReplaceAll(quoted(secretKey), "/", `\/`),
		"some characters as numbers":    strings.ReplaceAll(quoted(secretKey), "-", `\u002d`),
		"all characters as numbers":     escapedAll(secretKey),
		"JSON in JSON":                  quoted(quoted(secretKey)),
		"numbers, in JSON in JSON":      quoted(quoted(escapedAll(secretKey))),
		"in an address":                 url.QueryEscape(secretKey),
		"in hexadecimal":                hex.EncodeToString([]byte(secretKey)),
		"in HEXADECIMAL":                strings.ToUpper(hex.EncodeToString([]byte(secretKey))),
		"base64":                        std([]byte(secretKey)),
		"base64 of a header":            std([]byte("Authorization: Bearer " + secretKey + "\r\n")),
		"base64 of a user and password": web([]byte("ab:" + secretKey)),
		"base64, a place further":       web([]byte("abc:" + secretKey + ".")),
		"base64 in JSON":                strings.ReplaceAll(std([]byte(">>"+secretKey)), "/", `\/`),
	} {
		in := `{"error":{"message":"Not a key: ` + form + ` ."}}`
		want := ""
		for _, n := range []int{1, 3, 16, 50, 1000} {
			got := maskBy(newMask(secretKey), in, n)
			if want == "" {
				want = got
			}
			// Of base64 the characters stay that are made of other bytes too.
			left := strings.ReplaceAll(got[len(`{"error":{"message":"Not a key: `):len(got)-len(` ."}}`)], "*", "")
			if len(got) != len(in) || got != want || left != "" && !strings.Contains(name, "base64") {
				t.Errorf("%s, in pieces of %d: %s", name, n, got)
			}
			if strings.Contains(name, "base64") {
				// What is left of it must not tell more than a character at each end.
				code := base64.RawURLEncoding
				text := strings.NewReplacer(`\/`, "/", "+", "-").Replace(got[len(`{"error":{"message":"Not a key: `) : len(got)-len(` ."}}`)])
				text = strings.TrimRight(strings.NewReplacer("/", "_", "*", "A").Replace(text), "=")
				p, _ := code.DecodeString(text[:len(text)/4*4])
				if strings.Contains(string(p), secretKey[2:8]) || strings.Contains(string(p), secretKey[12:18]) {
					t.Errorf("%s: decoded, it is %q", name, p)
				}
			}
			if json.Valid([]byte(in)) && !json.Valid([]byte(got)) {
				t.Errorf("%s: no JSON any more: %s", name, got)
			}
		}
	}
}

// pieces is a stream whose text comes in these pieces.
func pieces(ep gateway.Endpoint, parts ...string) string {
	var b strings.Builder
	for _, p := range parts {
		if ep == gateway.Chat {
			fmt.Fprintf(&b, "data: {\"id\":\"sk\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"%s\"},\"finish_reason\":null}]}\n\n", quoted(p))
		} else {
			fmt.Fprintf(&b, "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"item_id\":\"msg_1\",\"delta\":\"%s\"}\n\n", quoted(p))
		}
	}
	return b.String()
}

// ends are the ends of the two streams.
var ends = map[gateway.Endpoint]string{
	gateway.Chat:      "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
	gateway.Responses: "event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\",\"output\":[]}}\n\n",
}

func textOf(ep gateway.Endpoint, stream string) string {
	r := reply.NewReader(ep, "text/event-stream")
	r.Push([]byte(stream))
	r.Close()
	return r.Answer().Text()
}

func TestAKeySpreadOverPiecesOfAnAnswerIsMasked(t *testing.T) {
	key := secretKey
	want := "Look: " + key[:shown] + strings.Repeat("*", len(key)-shown) + "!"
	for ep, end := range ends {
		var cuts [][]string
		for i := 1; i < len(key); i++ {
			cuts = append(cuts, []string{"Look: " + key[:i], key[i:] + "!"})
		}
		cuts = append(cuts, append(append([]string{"Look: "}, strings.Split(key, "")...), "!"))
		cuts = append(cuts, []string{"Look: ", key[:9], "", key[9:12], key[12:] + "!"})
		for _, parts := range cuts {
			in := pieces(ep, parts...) + end
			for _, n := range []int{1, 7, 100, len(in)} {
				got := maskBy(newMask(key), in, n)
				text := textOf(ep, got)
				// A character that JSON escapes is masked with as many asterisks.
				if strings.ReplaceAll(text, "*", "") != strings.ReplaceAll(want, "*", "") || strings.Count(text, "*") < len(key)-shown || len(got) != len(in) {
					t.Fatalf("%s, %q in pieces of %d: %q", ep, parts, n, text)
				}
			}
		}
	}
}

// What is no key comes through as it is, and none of it waits for what follows
// longer than until that is certain: the end of a stream neither.
func TestWhatIsNoKeyIsNeitherMaskedNorDelayed(t *testing.T) {
	for ep, end := range ends {
		m := newMask(secretKey)
		pass := func(s string) string {
			p := append(append([]byte(nil), m.held...), s...)
			m.held = m.held[:0]
			return string(p[:m.cover(p, false)])
		}
		for _, event := range []string{"Keys ", "begin with s", "sk", "sk-", "and then", `\u0073 % \\ "`, "asks"} {
			if in := pieces(ep, event); pass(in) != in {
				t.Errorf("%s: %q is held back", ep, event)
			}
		}
		first, second := pieces(ep, "such as sk-proj-"), pieces(ep, "abc, which is another")
		if got := pass(first) + pass(second); got != first+second {
			t.Errorf("%s: %q", ep, got)
		}
		if got := pass(pieces(ep, "it ends with sk-proj-") + end); !strings.HasSuffix(got, end) {
			t.Errorf("%s: the end is held back after %q", ep, got)
		}
	}
	// A text that goes on elsewhere holds nothing back for ever.
	m := newMask(secretKey)
	in := pieces(gateway.Chat, "sk-proj-") + strings.Repeat(": PING\n\n", maxLines)
	if n := m.cover([]byte(in), false); n != len(in) {
		t.Errorf("%d of %d bytes go on", n, len(in))
	}
}

func TestNoReaderOfAReplyMeetsTheKey(t *testing.T) {
	parts := strings.Split(secretKey, "")
	in := pieces(gateway.Chat, parts...) + ends[gateway.Chat]
	gw := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, line := range strings.SplitAfter(in, "\n") {
			fmt.Fprint(w, line)
			w.(http.Flusher).Flush()
		}
	}))
	defer gw.Close()
	c, err := New(gw.URL, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for name, reader := range map[string]func(io.Reader) io.Reader{
		"a byte at a time": iotest.OneByteReader,
		"as it comes":      func(r io.Reader) io.Reader { return r },
	} {
		r, err := c.Stream(t.Context(), secretKey, gateway.Chat, []byte(testBody))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(reader(r.Body))
		if err != nil || len(got) != len(in) {
			t.Errorf("%s: %d bytes of %d, %v", name, len(got), len(in), err)
		}
		if text := textOf(gateway.Chat, string(got)); strings.Trim(text[shown:], "*") != "" {
			t.Errorf("%s: %q", name, text)
		}
		r.Body.Close()
	}
}

func TestAnErrorForTheLogHasNoKeyInIt(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
	for name, raw := range map[string]string{
		"in place of HTTP":      secretKey + "\r\n\r\n",
		"in place of a status":  "HTTP/1.1 " + secretKey + "\r\n\r\n",
		"in place of a header":  head + secretKey + "\r\n\r\n",
		"as a length":           head + "Content-Length: " + secretKey + "\r\n\r\n",
		"as a coding":           head + "Transfer-Encoding: " + secretKey + "\r\n\r\n",
		"in place of a trailer": head + "Trailer: X\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n" + secretKey + "\r\n\r\n",
	} {
		gw := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if conn := hijack(t, w); conn != nil {
				_, _ = io.WriteString(conn, raw)
				conn.Close()
			}
		}))
		c, err := New(gw.URL, Options{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := c.Stream(t.Context(), secretKey, gateway.Chat, []byte(testBody))
		if err == nil {
			_, err = io.ReadAll(r.Body)
			r.Body.Close()
		}
		switch {
		case err == nil:
			t.Errorf("%s: it is taken for a reply", name)
		case strings.Contains(err.Error(), secretKey[len(secretKey)-8:]): // the rest may be escaped
			t.Errorf("%s: %v", name, err)
		}
		c.Close()
		gw.Close()
	}
}

func FuzzMaskKeepsTheStream(f *testing.F) {
	f.Add("Look: sk-proj-", "a/b+c", uint8(3))
	f.Add(secretKey[:10], secretKey[10:], uint8(200))
	f.Fuzz(func(t *testing.T, a, b string, n uint8) {
		in := pieces(gateway.Chat, a, b) + ends[gateway.Chat]
		got := maskBy(newMask(secretKey), in, int(n)+1)
		if len(got) != len(in) || strings.Contains(textOf(gateway.Chat, got), secretKey) {
			t.Fatalf("%q", got)
		}
		for i := range got {
			if got[i] != in[i] && got[i] != '*' {
				t.Fatalf("another byte at %d of %q", i, got)
			}
		}
		if whole := maskBy(newMask(secretKey), in, len(in)); got != whole {
			t.Fatalf("in pieces %q, in whole %q", got, whole)
		}
	})
}

func BenchmarkMask(b *testing.B) {
	event := []byte("data: {\"id\":\"chatcmpl-123\",\"object\":\"chat.completion.chunk\",\"created\":1700000000,\"model\":\"vendor/model-a\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"word\\n \"},\"finish_reason\":null}]}\n\n")
	m := newMask("sk-proj-Zq8w3xNfT0Zq8w3xNfT0Zq8w3xNfT0Zq8w3xNfT0")
	b.SetBytes(int64(len(event)))
	for b.Loop() {
		m.cover(event, false)
	}
}
