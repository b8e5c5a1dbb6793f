package reply

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"screentest/shared/wire"
)

func headers(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func TestReadProblem(t *testing.T) {
	var shapes map[string]json.RawMessage
	if err := json.Unmarshal([]byte(sample(t, "errors.json")), &shapes); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		status int
		kind   string // Content-Type
		header func(string) string
		body   string
		want   wire.Problem // Message, Code and what is given; Hint "*" is any
		is     Kind
		again  bool // a GET may be repeated
	}{
		{name: "G1 F161 401, no code", status: 401, body: string(shapes["401 any endpoint"]), is: Key,
			want: wire.Problem{Code: CodeBadKey, Message: "The gateway refused the key. It says: Invalid token (request id: 20261121...)", Hint: "*"}},
		{name: "G1 401 with OpenAI's code, which repeats the key", status: 401, body: `{"error":{"message":"Incorrect API key provided: sk-abcdefghijkl. Find it at x.","code":"invalid_api_key"}}`, is: Key,
			want: wire.Problem{Code: "invalid_api_key", Message: "The gateway refused the key. It says: Incorrect API key provided: sk-*** Find it at x.", Hint: "*"}},
		{name: "F116 F164 400 wrong_endpoint, OpenAI's shape", status: 400, body: string(shapes["400 text"]), is: Request,
			want: wire.Problem{Code: "wrong_endpoint", Field: "model", Message: "use POST /v1/responses for vendor/epsilon-5.6-core", Hint: "Switch the model's endpoint."}},
		{name: "F116 the gateway's own hint comes first", status: 400, body: `{"error":{"message":"wrong","code":"wrong_endpoint","hint":"use POST /v1/responses"}}`, is: Request,
			want: wire.Problem{Code: "wrong_endpoint", Field: "model", Message: "wrong", Hint: "use POST /v1/responses"}},
		{name: "F136 F164 400, the task's shape", status: 400, body: string(shapes["400 video"]), is: Request,
			want: wire.Problem{Code: "source_mismatch", Field: "task_id", Message: "source is 480p; use beta-video-upscale-480p-1080p", Hint: "*"}},
		{name: "F59 the allowed values", status: 400, body: `{"code":"invalid_seconds","message":"seconds must be 6 or 10","param":"seconds","allowed":["6",10],"data":null}`, is: Request,
			want: wire.Problem{Code: "invalid_seconds", Field: "seconds", Message: "seconds must be 6 or 10", Allowed: []string{"6", "10"}, Hint: "*"}},
		{name: "F149 the allowed range", status: 400, body: `{"code":"reference_video_seconds","message":"seconds must be 9 to 20","allowed_values":["9","20"]}`, is: Request,
			want: wire.Problem{Code: "reference_video_seconds", Field: "seconds", Message: "seconds must be 9 to 20", Allowed: []string{"9", "20"}, Hint: "*"}},
		{name: "F149 the allowed range in words, in the task's shape", status: 400, body: `{"code":"reference_video_seconds","message":"7 is not the clip and the references; allowed: 10 to 21","data":null}`, is: Request,
			want: wire.Problem{Code: "reference_video_seconds", Field: "seconds", Message: "7 is not the clip and the references; allowed: 10 to 21", Allowed: []string{"10", "21"}, Hint: "*"}},
		{name: "F149 numbers that are no range", status: 400, body: `{"code":"reference_video_seconds","message":"7 is not allowed for 3 references","data":null}`, is: Request,
			want: wire.Problem{Code: "reference_video_seconds", Field: "seconds", Message: "7 is not allowed for 3 references", Hint: "*"}},
		{name: "F149 no range", status: 400, body: `{"code":"reference_video_seconds","message":"7 is wrong","data":null}`, is: Request,
			want: wire.Problem{Code: "reference_video_seconds", Field: "seconds", Message: "7 is wrong", Hint: "*"}},
		{name: "F128 400 source_mode_mismatch", status: 400, body: `{"code":"source_mode_mismatch","message":"source is fast"}`, is: Request,
			want: wire.Problem{Code: "source_mode_mismatch", Field: "task_id", Message: "source is fast", Hint: "*"}},
		{name: "F130 400 upstream_rejected", status: 400, body: `{"code":"upstream_rejected","message":""}`, is: Request,
			want: wire.Problem{Code: "upstream_rejected", Field: "task_id", Message: "The model doesn’t take this clip as a source.", Hint: "*"}},
		{name: "S 404 Invalid URL", status: 404, body: string(shapes["404"]), is: Missing,
			want: wire.Problem{Code: CodeNotFound, Message: "The gateway has nothing at this address. It says: Invalid URL (GET /v1/foo)", Hint: "*"}},
		{name: "G2 400 task_not_exist", status: 400, body: `{"code":"task_not_exist","message":"task_not_exist","data":null}`, is: Missing,
			want: wire.Problem{Code: "task_not_exist", Message: "The gateway doesn’t know this task. It says: task_not_exist", Hint: "*"}},
		{name: "G4 403 quota, text", status: 403, body: string(shapes["403 text"]), is: Quota,
			want: wire.Problem{Code: "insufficient_user_quota", Message: "The balance at the gateway is too low. It says: ...", Hint: "*"}},
		{name: "G4 403 quota, video", status: 403, body: string(shapes["403 video"]), is: Quota,
			want: wire.Problem{Code: "insufficient_user_quota", Message: "The balance at the gateway is too low. It says: ...", Hint: "*"}},
		{name: "S 403 without a code", status: 403, body: `{"error":{"message":"no"}}`, is: Key,
			want: wire.Problem{Code: CodeForbidden, Message: "The key isn’t allowed to do this. It says: no", Hint: "*"}},
		{name: "G3 503 model_not_found is classified by its code", status: 503, body: `{"error":{"message":"no channel","code":"model_not_found"}}`, is: NoModel,
			want: wire.Problem{Code: "model_not_found", Message: "The gateway doesn’t have this model, or not for this key. It says: no channel", Hint: "*"}},
		{name: "S 413", status: 413, body: `{"error":{"message":"too much"}}`, is: Request,
			want: wire.Problem{Code: CodeTooLarge, Message: "too much", Hint: "*"}},
		{name: "S 429 with an empty body", status: 429, is: Busy, again: true,
			want: wire.Problem{Code: CodeRateLimited, Message: "Rate limit reached.", Hint: "Wait a moment, then retry."}},
		{name: "F169 S 429 with Retry-After", status: 429, header: headers("Retry-After", "20"), body: `{"error":{"message":"slow down"}}`, is: Busy, again: true,
			want: wire.Problem{Code: CodeRateLimited, Message: "Rate limit reached. It says: slow down", Hint: "Retry in 20 seconds.", RetryAfterMS: 20_000}},
		{name: "S 429 that is a quota is not repeated", status: 429, header: headers("Retry-After", "20"), body: `{"error":{"message":"spent","type":"insufficient_quota","code":"insufficient_quota"}}`, is: Quota,
			want: wire.Problem{Code: "insufficient_quota", Message: "The balance at the gateway is too low. It says: spent", Hint: "*"}},
		{name: "S 500", status: 500, body: `{"error":{"message":"boom","type":"new_api_error","code":"do_request_failed"}}`, is: Server, again: true,
			want: wire.Problem{Code: "do_request_failed", Message: "The gateway failed. It says: boom", Hint: "*"}},
		{name: "S 501", status: 501, body: `{"error":{"message":"API not implemented","type":"new_api_error","param":"","code":"api_not_implemented"}}`, is: Server, again: true,
			want: wire.Problem{Code: "api_not_implemented", Message: "The gateway failed. It says: API not implemented", Hint: "*"}},
		{name: "S 408", status: 408, is: Busy, again: true, want: wire.Problem{Code: CodeTimeout, Message: "The gateway waited too long for the model.", Hint: "*"}},
		{name: "S 409", status: 409, is: Busy, again: true, want: wire.Problem{Code: CodeConflict, Message: "The gateway is busy with another call for the same thing.", Hint: "*"}},
		{name: "S a web page from a proxy", status: 502, kind: "text/html", body: "<html><head><title>502 Bad Gateway</title></head></html>", is: Server, again: true,
			want: wire.Problem{Code: CodeServerError, Message: "The gateway failed. It says: 502 Bad Gateway", Hint: "*"}},
		{name: "S a web page without a title", status: 404, body: "<html>nothing here</html>", is: Missing,
			want: wire.Problem{Code: CodeNotFound, Message: "The gateway has nothing at this address.", Hint: "*"}},
		{name: "S plain text", status: 400, kind: "text/plain", body: "no \x00such\tthing\r\n", is: Request,
			want: wire.Problem{Code: CodeRefused, Message: "no such thing", Hint: "*"}},
		{name: "S an empty JSON object", status: 500, body: `{}`, is: Server, again: true, want: wire.Problem{Code: CodeServerError, Message: "The gateway failed.", Hint: "*"}},
		{name: "S error as a name, and a message", status: 500, body: `{"error":"TypeError","message":"x is not a function"}`, is: Server, again: true,
			want: wire.Problem{Code: CodeServerError, Message: "The gateway failed. It says: TypeError: x is not a function", Hint: "*"}},
		{name: "S error as the status's text, and a message", status: 400, body: `{"timestamp":1,"status":400,"error":"Bad Request","message":"model is missing","path":"/v1"}`, is: Request,
			want: wire.Problem{Code: CodeRefused, Message: "Bad Request: model is missing", Hint: "*"}},
		{name: "S error as a name that the message repeats", status: 400, body: `{"error":"TypeError","message":"TypeError: x"}`, is: Request,
			want: wire.Problem{Code: CodeRefused, Message: "TypeError: x", Hint: "*"}},
		{name: "S error as a code, and a message", status: 401, body: `{"error":"invalid_api_key","message":"No such key"}`, is: Key,
			want: wire.Problem{Code: "invalid_api_key", Message: "The gateway refused the key. It says: No such key", Hint: "*"}},
		{name: "S error as a string", status: 400, body: `{"error":"bad thing"}`, is: Request, want: wire.Problem{Code: CodeRefused, Message: "bad thing", Hint: "*"}},
		{name: "S message", status: 400, body: `{"message":"bad thing"}`, is: Request, want: wire.Problem{Code: CodeRefused, Message: "bad thing", Hint: "*"}},
		{name: "S msg", status: 400, body: `{"msg":"bad thing"}`, is: Request, want: wire.Problem{Code: CodeRefused, Message: "bad thing", Hint: "*"}},
		{name: "S err", status: 400, body: `{"err":"bad thing"}`, is: Request, want: wire.Problem{Code: CodeRefused, Message: "bad thing", Hint: "*"}},
		{name: "S error_msg", status: 400, body: `{"error_msg":"bad thing"}`, is: Request, want: wire.Problem{Code: CodeRefused, Message: "bad thing", Hint: "*"}},
		{name: "S detail", status: 400, body: `{"detail":"bad thing"}`, is: Request, want: wire.Problem{Code: CodeRefused, Message: "bad thing", Hint: "*"}},
		{name: "S detail as a list", status: 422, body: `{"detail":[{"loc":["body"],"msg":"bad thing"}]}`, is: Request, want: wire.Problem{Code: CodeRefused, Message: "bad thing", Hint: "*"}},
		{name: "S message before msg, and the error object before both", status: 400, body: `{"msg":"c","message":"b","error":{"message":"a"}}`, is: Request, want: wire.Problem{Code: CodeRefused, Message: "a", Hint: "*"}},
		{name: "S an error in an array", status: 400, body: `[{"error":{"message":"bad thing","code":400,"status":"INVALID_ARGUMENT"}}]`, is: Request, want: wire.Problem{Code: "400", Message: "bad thing", Hint: "*"}},
		{name: "S code as a number", status: 400, body: `{"code":1234,"message":"bad thing"}`, is: Request, want: wire.Problem{Code: "1234", Message: "bad thing", Hint: "*"}},
		{name: "S code as null", status: 400, body: `{"error":{"code":null,"message":"bad thing"}}`, is: Request, want: wire.Problem{Code: CodeRefused, Message: "bad thing", Hint: "*"}},
		{name: "S code as an object", status: 400, body: `{"error":{"code":{"a":[1]},"message":"bad thing"}}`, is: Request, want: wire.Problem{Code: CodeRefused, Message: "bad thing", Hint: "*"}},
		{name: "S code as a sentence", status: 400, body: `{"error":{"code":"it went wrong","message":"bad thing"}}`, is: Request, want: wire.Problem{Code: CodeRefused, Message: "bad thing", Hint: "*"}},
		{name: "S an unknown code of a 400", status: 400, body: `{"error":{"code":"odd_thing","message":"bad thing"}}`, is: Request, want: wire.Problem{Code: "odd_thing", Message: "bad thing", Hint: "*"}},
		{name: "S JSON that says nothing we know", status: 400, body: `{"a":1}`, is: Request, want: wire.Problem{Code: CodeRefused, Message: `{"a":1}`, Hint: "*"}},
		{name: "S cut JSON", status: 400, body: `{"error":{"mess`, is: Request, want: wire.Problem{Code: CodeRefused, Message: `{"error":{"mess`, Hint: "*"}},
		{name: "S the request's id", status: 500, header: headers("X-Request-Id", "b", "X-Oneapi-Request-Id", "a"), is: Server, again: true, want: wire.Problem{Code: CodeServerError, Message: "The gateway failed.", Request: "a", Hint: "*"}},
		{name: "S the request's id under its other name", status: 500, header: headers("X-Request-Id", "b"), is: Server, again: true, want: wire.Problem{Code: CodeServerError, Message: "The gateway failed.", Request: "b", Hint: "*"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := ReadProblem(tt.status, tt.kind, tt.header, []byte(tt.body))
			if p.Raw != Redact(strings.ToValidUTF8(tt.body, "\ufffd")) {
				t.Errorf("raw %q", p.Raw)
			}
			if p.Status != tt.status || p.Hint == "" {
				t.Errorf("status %d, hint %q", p.Status, p.Hint)
			}
			tt.want.Status, tt.want.Raw = tt.status, p.Raw
			if tt.want.Hint == "*" {
				tt.want.Hint = p.Hint
			}
			got, _ := json.Marshal(p)
			want, _ := json.Marshal(tt.want)
			if string(got) != string(want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			if k := KindOf(p); k != tt.is {
				t.Errorf("kind %d, want %d", k, tt.is)
			}
			if again := Repeatable(p); again != tt.again {
				t.Errorf("S a GET may be repeated: %v, want %v", again, tt.again)
			}
		})
	}
}

// Every code of ours has words: what happened, and what to do.
func TestEveryCodeHasWords(t *testing.T) {
	for _, code := range []string{
		CodeBadKey, CodeForbidden, CodeNotFound, CodeTooLarge, CodeRateLimited, CodeTimeout, CodeConflict, CodeServerError, CodeRefused, CodeRedirect,
		CodeFailed, CodeTruncated, CodeTooLong, CodeEmpty, CodeHTML, CodeNotUnderstood, CodeUnreachable, CodeSilent, CodeDropped, CodeInvalidKey,
		CodeStopped, CodeNoTask, CodeNoFile,
	} {
		p := NewProblem(code, "")
		if p.Code != code || !strings.HasSuffix(p.Message, ".") && !strings.HasSuffix(p.Message, "in one piece.") || !strings.HasSuffix(p.Hint, ".") {
			t.Errorf("%s: %q, hint %q", code, p.Message, p.Hint)
		}
	}
	for status := range 600 {
		if _, ok := adviceFor(codeOfStatus(status)); !ok {
			t.Errorf("status %d has no words", status)
		}
	}
}

func TestProblemsAreBounded(t *testing.T) {
	long := strings.Repeat("é", 100_000)
	body, _ := json.Marshal(map[string]any{"error": map[string]any{"message": long, "code": long, "param": long, "hint": long, "allowed": strings.Split(long[:2000], "")}})
	for _, b := range [][]byte{body, []byte(long), []byte("<title>" + long + "</title>"), []byte(strings.Repeat("<", 100_000))} {
		p := ReadProblem(400, "", headers("X-Request-Id", long), b)
		for name, s := range map[string]string{"code": p.Code, "message": p.Message, "hint": p.Hint, "field": p.Field, "request": p.Request, "raw": p.Raw} {
			if len(s) > maxRaw || name != "raw" && len(s) > maxSaid+100 || !utf8.ValidString(s) {
				t.Errorf("%s of %d bytes", name, len(s))
			}
		}
		if len(p.Allowed) > maxAllowed {
			t.Errorf("%d allowed values", len(p.Allowed))
		}
	}
}

func TestRedact(t *testing.T) {
	for in, want := range map[string]string{
		"key sk-proj-abcDEF123456_- is wrong": "key sk-*** is wrong",
		"Bearer abcdef1234567890":             "Bearer ***",
		"sk-abcdefgh sk-ijklmnop":             "sk-*** sk-***",
		"a task- or ask-me":                   "a task- or ask-me",
		"sk-":                                 "sk-",
		"":                                    "",
	} {
		if got := Redact(in); got != want {
			t.Errorf("Redact(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	tests := []struct {
		name   string
		header func(string) string
		want   time.Duration
		ok     bool
	}{
		{"S milliseconds", headers("Retry-After-Ms", "1500", "Retry-After", "9"), 1500 * time.Millisecond, true},
		{"S milliseconds that are none", headers("Retry-After-Ms", "soon", "Retry-After", "9"), 9 * time.Second, true},
		{"S seconds", headers("Retry-After", " 20 "), 20 * time.Second, true},
		{"S seconds with a fraction", headers("Retry-After", "0.5"), 500 * time.Millisecond, true},
		{"S a date", headers("Retry-After", "Sat, 21 Nov 2026 10:00:30 GMT"), 30 * time.Second, true},
		{"S a date, by the server's clock", headers("Retry-After", "Sat, 21 Nov 2026 12:00:30 GMT", "Date", "Sat, 21 Nov 2026 12:00:00 GMT"), 30 * time.Second, true},
		{"S a date in an old form", headers("Retry-After", "Saturday, 21-Nov-26 10:00:30 GMT"), 30 * time.Second, true},
		{"S a date that has passed", headers("Retry-After", "Sat, 21 Nov 2026 09:00:30 GMT"), 0, true},
		{"S a negative number", headers("Retry-After", "-5"), 0, false},
		{"S not a number", headers("Retry-After", "NaN"), 0, false},
		{"S infinity", headers("Retry-After", "Inf"), 0, false},
		{"S a year is not believed", headers("Retry-After", "31536000"), MaxRetryAfter, true},
		{"S beyond any number", headers("Retry-After", "1e300"), MaxRetryAfter, true},
		{"S no header", headers(), 0, false},
		{"S a word", headers("Retry-After", "later"), 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, ok := RetryAfter(tt.header, now); got != tt.want || ok != tt.ok {
				t.Errorf("%v %v, want %v %v", got, ok, tt.want, tt.ok)
			}
		})
	}
	for ms, want := range map[int64]string{1: "Retry in 1 second.", 1500: "Retry in 2 seconds.", 119_000: "Retry in 119 seconds.", 120_000: "Retry in 2 minutes.", 121_000: "Retry in 3 minutes."} {
		p := NewProblem(CodeRateLimited, "")
		WithRetryAfter(p, time.Duration(ms)*time.Millisecond)
		if p.Hint != want || p.RetryAfterMS != ms {
			t.Errorf("%d ms: %q", ms, p.Hint)
		}
	}
}
