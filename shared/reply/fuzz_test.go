package reply

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// seeds are every sample and every shape in the tables' spirit.
func seeds(f *testing.F) [][]byte {
	var all [][]byte
	for _, file := range samples(f) {
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		all = append(all, b)
		var shapes map[string]json.RawMessage
		if json.Unmarshal(b, &shapes) == nil {
			for _, s := range shapes {
				all = append(all, s)
			}
		}
	}
	for _, s := range []string{
		"", "\ufeff", "<html><title>x</title>", "data: [DONE]\n\n", ": PING\n\n", `{"error":"x"}`, `[{"error":{"message":"x","code":1}}]`,
		events(delta(`{"content":"\ud83d\ude00\u0000","reasoning_content":"x"}`), calls(`{"id":"a","function":{"name":"f","arguments":{"x":1}}}`), "[DONE]"),
		events(out("a"), `{"type":"response.output_text.delta","output_index":1,"delta":"b"}`, out("c"), response("completed", `,"output":[`+message("m", "ac")+`]`)),
		events(out("a"), `{"type":"error","message":"x"}`, response("failed", `,"error":{"code":"y"},"usage":{"input_tokens":1}`)),
		`{"detail":[{"loc":["a"],"msg":"x"}]}`, `{"code":"success","data":{"code":"success","data":{"status":"SUCCESS","fail_reason":"https://a.test"}}}`,
	} {
		all = append(all, []byte(s))
	}
	return all
}

func FuzzReader(f *testing.F) {
	for _, b := range seeds(f) {
		f.Add(b, false, true, uint8(13))
		f.Add(b, true, true, uint8(1))
		f.Add(b, true, false, uint8(200))
	}
	f.Fuzz(func(t *testing.T, body []byte, responses, stream bool, piece uint8) {
		ep, kind := gateway.Chat, jsonType
		if responses {
			ep = gateway.Responses
		}
		if stream {
			kind = streamType
		}
		whole := readAll(ep, kind, string(body), 0)
		want := viewOf(whole.Answer())
		split := NewReader(ep, kind)
		text, replaced := "", 0
		for rest := body; len(rest) > 0; {
			n := min(len(rest), int(piece)+1)
			p := append([]byte(nil), rest[:n]...)
			split.Push(p)
			clear(p)
			rest = rest[n:]
			a := split.Answer()
			if now := a.Text(); a.Replaced == replaced && !strings.HasPrefix(now, text) {
				t.Fatalf("text %q became %q and was not marked as replaced", text, now)
			}
			text, replaced = a.Text(), a.Replaced
		}
		full := NewReader(ep, kind)
		full.plainly = true
		full.Push(body)
		full.Close()
		if got := viewOf(full.Answer()); !reflect.DeepEqual(got, want) {
			t.Fatalf("without the template\n%+v\nwith it\n%+v", got, want)
		}
		split.Close()
		got := viewOf(split.Answer())
		// How often text was replaced depends on when it is looked at.
		got.Replaced = want.Replaced
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("in pieces of %d\n%+v\nin whole\n%+v", int(piece)+1, got, want)
		}
		a := whole.Answer()
		switch a.State {
		case Failed, Truncated:
			checkProblem(t, a.Problem)
		case Done, Incomplete:
			if a.Problem != nil && a.Problem.Code != CodeNoEndMark { // a remark
				t.Fatalf("%s with the problem %v", a.State, a.Problem)
			}
		default:
			t.Fatalf("state %q at the end", a.State)
		}
		if !utf8.ValidString(a.Text()) || !utf8.ValidString(a.Reasoning()) {
			t.Fatal("text that is not UTF-8")
		}
		for _, c := range a.Citations {
			if !strings.HasPrefix(strings.ToLower(c.URL), "http") {
				t.Fatalf("citation %q", c.URL)
			}
		}
	})
}

func checkProblem(t *testing.T, p *wire.Problem) {
	t.Helper()
	if p == nil || p.Code == "" || p.Message == "" || p.Hint == "" {
		t.Fatalf("problem %+v", p)
	}
	for _, s := range []string{p.Code, p.Message, p.Hint, p.Field, p.Request, p.Raw} {
		if !utf8.ValidString(s) || len(s) > maxRaw {
			t.Fatalf("problem %+v", p)
		}
	}
	if strings.ContainsAny(p.Message, "\n\r\x00\u202e") {
		t.Fatalf("message %q", p.Message)
	}
}

func FuzzProblem(f *testing.F) {
	for _, b := range seeds(f) {
		f.Add(b, 400, "3")
		f.Add(b, 503, "Sat, 21 Nov 2026 10:00:30 GMT")
	}
	f.Fuzz(func(t *testing.T, body []byte, status int, header string) {
		p := ReadProblem(status, "", func(string) string { return header }, body)
		checkProblem(t, p)
		if p.RetryAfterMS < 0 || p.RetryAfterMS > MaxRetryAfter.Milliseconds() {
			t.Fatalf("wait of %d ms", p.RetryAfterMS)
		}
	})
}

func FuzzVideo(f *testing.F) {
	for _, b := range seeds(f) {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		created, p := ReadCreated(body)
		if (p == nil) != (created.ID != "") {
			t.Fatalf("%+v and %v", created, p)
		}
		if p != nil {
			checkProblem(t, p)
		} else if !IsTaskID(created.ID) {
			t.Fatalf("id %q", created.ID)
		}
		task, p := ReadTask(body)
		if p != nil {
			checkProblem(t, p)
			return
		}
		if task.UUID != "" && !isUUID(task.UUID) || task.ID != "" && !IsTaskID(task.ID) || task.Progress < -1 || task.Progress > 100 || len(task.URLs) > maxURLs {
			t.Fatalf("%+v", task)
		}
		if task.State == "" || task.State != TaskFailure && task.FailReason != "" || task.State == TaskFailure && len(task.URLs) > 0 {
			t.Fatalf("%+v", task)
		}
		for _, u := range task.URLs {
			if !strings.HasPrefix(strings.ToLower(u), "http") {
				t.Fatalf("address %q", u)
			}
		}
	})
}
