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

func TestTaskRetries(t *testing.T) {
	tests := []struct {
		name    string
		answers []http.HandlerFunc // the last one stays
		opt     Options
		calls   int
		code    string // of the problem; "" for success
	}{
		{name: "S success is asked for once", answers: []http.HandlerFunc{status(200, queued)}, calls: 1},
		{name: "S 408, then success", answers: []http.HandlerFunc{status(408, ""), status(200, queued)}, calls: 2},
		{name: "S 409, then success", answers: []http.HandlerFunc{status(409, ""), status(200, queued)}, calls: 2},
		{name: "S 429, then success", answers: []http.HandlerFunc{status(429, ""), status(200, queued)}, calls: 2},
		{name: "S 500 and 502, then success", answers: []http.HandlerFunc{status(500, ""), status(502, "<html>"), status(200, queued)}, calls: 3},
		{name: "S 503 for ever", answers: []http.HandlerFunc{status(503, "")}, calls: 3, code: reply.CodeServerError},
		{name: "S more repeats", opt: Options{Retries: 4}, answers: []http.HandlerFunc{status(503, "")}, calls: 5, code: reply.CodeServerError},
		{name: "S no repeats", opt: Options{Retries: -1}, answers: []http.HandlerFunc{status(503, "")}, calls: 1, code: reply.CodeServerError},
		{name: "G3 503 model_not_found is not repeated", answers: []http.HandlerFunc{status(503, `{"error":{"code":"model_not_found","message":"x"}}`)}, calls: 1, code: "model_not_found"},
		{name: "G1 401 is not repeated", answers: []http.HandlerFunc{status(401, "")}, calls: 1, code: reply.CodeBadKey},
		{name: "G2 400 task_not_exist is not repeated", answers: []http.HandlerFunc{status(400, `{"code":"task_not_exist","message":"x"}`)}, calls: 1, code: "task_not_exist"},
		{name: "G2 404 is not repeated", answers: []http.HandlerFunc{status(404, "")}, calls: 1, code: reply.CodeNotFound},
		{name: "F96 an error with HTTP 200 is not repeated", answers: []http.HandlerFunc{status(200, `{"code":"oops","message":"x","data":null}`)}, calls: 1, code: "oops"},
		{name: "S Retry-After-Ms", answers: []http.HandlerFunc{after("Retry-After-Ms", "5"), status(200, queued)}, calls: 2},
		{name: "S Retry-After longer than is waited here", answers: []http.HandlerFunc{after("Retry-After", "3600")}, calls: 1, code: reply.CodeRateLimited},
		{name: "S Retry-After as a date that has passed", answers: []http.HandlerFunc{after("Retry-After", serverTime.Format(http.TimeFormat)), status(200, queued)}, calls: 2},
		{name: "G36 a web page is no failure of the task", answers: []http.HandlerFunc{status(200, "<html>")}, calls: 1, code: reply.CodeHTML},
		{name: "S a body without end", answers: []http.HandlerFunc{status(200, strings.Repeat(" ", maxTaskBody+1))}, calls: 1, code: reply.CodeTooLong},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var p *peer
			p = newPeer(t, func(w http.ResponseWriter, r *http.Request) {
				n := len(p.requests())
				tt.answers[min(n, len(tt.answers))-1](w, r)
			})
			c := newClient(t, p.URL, tt.opt)
			task, err := c.Task(t.Context(), testKey, "task_1")
			if tt.code == "" {
				if err != nil || task.State != reply.TaskQueued {
					t.Errorf("%+v, %v", task, err)
				}
			} else if got := problem(t, err); got.Code != tt.code || !certain(t, err) {
				t.Errorf("%v, want %s", err, tt.code)
			}
			if n := len(p.requests()); n != tt.calls {
				t.Errorf("S asked %d times, want %d", n, tt.calls)
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

func TestRetryWait(t *testing.T) {
	o := Options{}.withDefaults()
	for _, tt := range []struct {
		name  string
		try   int
		asked time.Duration
		r     float64
		want  time.Duration
	}{
		{"S the first", 0, 0, 0, 500 * time.Millisecond},
		{"S it doubles", 2, 0, 0, 2 * time.Second},
		{"S with jitter", 2, 0, 1, 2500 * time.Millisecond},
		{"S it has a bound", 60, 0, 1, 30 * time.Second},
		{"S what is asked for", 3, 7 * time.Second, 0, 7 * time.Second},
		{"S not less than is asked for", 0, 8 * time.Second, 1, 10 * time.Second},
	} {
		if got := o.retryWait(tt.try, tt.asked, tt.r); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestTaskWaitEndsWithItsContext(t *testing.T) {
	var p *peer
	ctx, cancel := context.WithCancel(t.Context())
	p = newPeer(t, func(w http.ResponseWriter, r *http.Request) {
		after("Retry-After", "20")(w, r)
		time.AfterFunc(20*time.Millisecond, cancel)
	})
	c := newClient(t, p.URL, Options{})
	_, err := c.Task(ctx, testKey, "task_1")
	if !errors.Is(err, context.Canceled) || problem(t, err).Code != reply.CodeStopped {
		t.Errorf("%v", err)
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
