package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"screentest/shared/reply"
)

var serverTime = time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)

const queued = `{"code":"success","data":{"task_id":"task_1","status":"QUEUED"}}`

// However the gateway answers, a task is asked for once: when to ask again is
// the poller's business.
func TestTask(t *testing.T) {
	tests := []struct {
		name   string
		answer http.HandlerFunc
		code   string        // of the problem; "" for success
		after  time.Duration // that the problem asks to wait
	}{
		{name: "S success", answer: status(200, queued)},
		{name: "S 408", answer: status(408, ""), code: reply.CodeTimeout},
		{name: "S 429", answer: status(429, ""), code: reply.CodeRateLimited},
		{name: "S 503", answer: status(503, ""), code: reply.CodeServerError},
		{name: "G3 503 model_not_found", answer: status(503, `{"error":{"code":"model_not_found","message":"x"}}`), code: "model_not_found"},
		{name: "G1 401", answer: status(401, ""), code: reply.CodeBadKey},
		{name: "G2 400 task_not_exist", answer: status(400, `{"code":"task_not_exist","message":"x"}`), code: "task_not_exist"},
		{name: "G2 404", answer: status(404, ""), code: reply.CodeNotFound},
		{name: "F96 an error with HTTP 200", answer: status(200, `{"code":"oops","message":"x","data":null}`), code: "oops"},
		{name: "S Retry-After-Ms", answer: after("Retry-After-Ms", "5"), code: reply.CodeRateLimited, after: 5 * time.Millisecond},
		{name: "S Retry-After in seconds", answer: after("Retry-After", "3600"), code: reply.CodeRateLimited, after: time.Hour},
		{name: "S Retry-After as a date that has passed", answer: after("Retry-After", serverTime.Format(http.TimeFormat)), code: reply.CodeRateLimited},
		{name: "G36 a web page is no failure of the task", answer: status(200, "<html>"), code: reply.CodeHTML},
		{name: "S a body without end", answer: status(200, strings.Repeat(" ", maxTaskBody+1)), code: reply.CodeTooLong},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newPeer(t, tt.answer)
			c := newClient(t, p.URL, Options{})
			task, err := c.Task(t.Context(), testKey, "task_1")
			if tt.code == "" {
				if err != nil || task.State != reply.TaskQueued {
					t.Errorf("%+v, %v", task, err)
				}
			} else if got := problem(t, err); got.Code != tt.code || got.RetryAfterMS != tt.after.Milliseconds() || !certain(t, err) {
				t.Errorf("%v after %d ms, want %s after %v", err, got.RetryAfterMS, tt.code, tt.after)
			}
			if n := len(p.requests()); n != 1 {
				t.Errorf("S asked %d times", n)
			}
		})
	}
}

func after(name, value string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(name, value)
		w.WriteHeader(429)
	}
}

func TestCreateVideo(t *testing.T) {
	drop := func(w http.ResponseWriter, r *http.Request) {
		if conn := hijack(t, w); conn != nil {
			conn.Close()
		}
	}
	cut := func(w http.ResponseWriter, r *http.Request) {
		if conn := hijack(t, w); conn != nil {
			fmt.Fprint(conn, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"id\":\"task_")
			conn.Close()
		}
	}
	tests := []struct {
		name  string
		serve http.HandlerFunc
		code  string
		maybe bool // it may exist and be billed
	}{
		{"F91 F108 created", status(200, `{"id":"task_1","task_id":"task_1","status":"queued","progress":0}`), "", false},
		{"S created with 201", status(201, `{"id":"task_1"}`), "", false},
		{"F109 refused", status(400, `{"code":"invalid_seconds","message":"6 or 10","data":null}`), "invalid_seconds", false},
		{"G4 F109 too little balance", status(403, `{"code":"insufficient_user_quota","message":"x","data":null}`), "insufficient_user_quota", false},
		{"G3 F109 no such model", status(503, `{"error":{"code":"model_not_found","message":"x"}}`), "model_not_found", false},
		{"G1 F109 wrong key", status(401, `{"error":{"message":"x"}}`), reply.CodeBadKey, false},
		{"F109 429", status(429, ""), reply.CodeRateLimited, false},
		{"F109 a failure in the gateway's words", status(500, `{"code":"fail","message":"x"}`), "fail", false},
		{"F96 an error with HTTP 200", status(200, `{"code":"nope","message":"x","data":null}`), "nope", false},
		{"G35 a failure in a proxy's words", status(502, "<html>"), reply.CodeServerError, true},
		{"G35 a time-out", status(504, ""), reply.CodeTimeout, true},
		{"G35 the reply is lost", drop, reply.CodeDropped, true},
		{"G35 the reply is cut", cut, reply.CodeDropped, true},
		{"G35 a reply without an id", status(200, `{"status":"queued"}`), reply.CodeNoTask, true},
		{"G35 an empty reply", status(200, ""), reply.CodeNoTask, true},
		{"G35 a web page", status(200, "<html>"), reply.CodeNoTask, true},
		{"G35 a reply without end", status(200, strings.Repeat(" ", maxTaskBody+10)), reply.CodeTooLong, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newPeer(t, tt.serve)
			c := newClient(t, p.URL, Options{})
			got, err := c.CreateVideo(t.Context(), testKey, []byte(`{"model":"x"}`))
			if tt.code == "" {
				if err != nil || got.ID != "task_1" {
					t.Errorf("%+v, %v", got, err)
				}
			} else if pr := problem(t, err); pr.Code != tt.code || certain(t, err) == tt.maybe {
				t.Errorf("%v, certain %v, want %s, %v", err, certain(t, err), tt.code, !tt.maybe)
			}
			if n := len(p.requests()); n != 1 {
				t.Errorf("G35 sent %d times", n)
			}
		})
	}

	stop := make(chan struct{})
	p := newPeer(t, func(w http.ResponseWriter, r *http.Request) { <-stop })
	defer close(stop)
	c := newClient(t, p.URL, Options{AnswerTimeout: 50 * time.Millisecond})
	_, err := c.CreateVideo(t.Context(), testKey, []byte(`{}`))
	if problem(t, err).Code != reply.CodeSilent || certain(t, err) {
		t.Errorf("G35 no reply in time: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	c = newClient(t, p.URL, Options{})
	if _, err = c.CreateVideo(ctx, testKey, []byte(`{}`)); !errors.Is(err, context.Canceled) || certain(t, err) {
		t.Errorf("G35 ended from our side: %v", err)
	}
}

// A reply that is not streamed comes when it is finished: it has more time for
// its header.
func TestWholeRepliesHaveMoreTime(t *testing.T) {
	p := newPeer(t, func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(120 * time.Millisecond)
		_, _ = io.WriteString(w, `{"choices":[]}`)
	})
	c := newClient(t, p.URL, Options{HeaderTimeout: 40 * time.Millisecond, AnswerTimeout: 10 * time.Second})
	for body, ok := range map[string]bool{`{"stream":true}`: false, `{"stream":false}`: true, `{}`: true} {
		r, err := c.Stream(t.Context(), testKey, "chat", []byte(body))
		if (err == nil) != ok {
			t.Errorf("F28 %s: %v", body, err)
		}
		if err == nil {
			finish(t, r)
		}
	}
}
