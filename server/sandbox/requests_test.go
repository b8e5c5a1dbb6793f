package sandbox

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"screentest/shared/gateway"
)

// Every reply has a request id, each its own.
func TestRequestID(t *testing.T) {
	r := start(t, Config{})
	seen := map[string]bool{}
	for _, path := range []string{"/v1/models", "/v1/chat/completions", "/sandbox/account", "/files/x.mp4"} {
		id := r.do("GET", path, "").header.Get("X-Oneapi-Request-Id")
		if len(id) < 16 || seen[id] {
			t.Errorf("%s: request id %q", path, id)
		}
		seen[id] = true
	}
}

// GET /sandbox/requests lists what came, newest last, with body, status and
// code, and never a key.
func TestRequestsAreRecorded(t *testing.T) {
	r := start(t, Config{})
	r.post(gateway.Chat, chatHi)
	r.post(gateway.Video, `{"model":"alpha-3.1-lite","prompt":"x","seconds":"5"}`)
	r.do("GET", "/files/nothing.mp4", "", "Authorization", "")
	r.do("POST", "/v1/chat/completions", chatHi, "Authorization", "Bearer canary")
	a := r.do("GET", "/sandbox/requests", "")
	if strings.Contains(string(a.body), "canary") || strings.Contains(string(a.body), DefaultKey) {
		t.Errorf("a key is in the records: %s", a.body)
	}
	var got struct{ Requests []record }
	if err := json.Unmarshal(a.body, &got); err != nil {
		t.Fatal(err)
	}
	want := []record{
		{Method: "POST", Path: "/v1/chat/completions", Status: 200, Body: chatHi, Authorized: true},
		{Method: "POST", Path: "/v1/video/generations", Status: 400, Code: "invalid_seconds", Body: `{"model":"alpha-3.1-lite","prompt":"x","seconds":"5"}`, Authorized: true},
		{Method: "GET", Path: "/files/nothing.mp4", Status: 404},
		{Method: "POST", Path: "/v1/chat/completions", Status: 401, Authorized: true},
	}
	if len(got.Requests) != len(want) {
		t.Fatalf("%d records: %s", len(got.Requests), a.body)
	}
	for i, w := range want {
		g := got.Requests[i]
		if g.At.IsZero() {
			t.Errorf("record %d has no time", i)
		}
		g.At = w.At
		if g != w {
			t.Errorf("record %d is %+v, want %+v", i, g, w)
		}
	}
}

// A key doesn't see what another was used for.
func TestRequestsOfAnotherKeyAreNotShown(t *testing.T) {
	r := start(t, Config{MoreKeys: []string{"other"}})
	r.post(gateway.Chat, chatHi)
	a := r.do("GET", "/sandbox/requests", "", "Authorization", "Bearer other")
	if a.status != http.StatusOK || strings.Contains(string(a.body), "chat") {
		t.Errorf("%d %s", a.status, a.body)
	}
}

// The records are bounded in number and in bytes.
func TestRecordsAreBounded(t *testing.T) {
	var l records
	r, err := http.NewRequest("POST", "/x", nil)
	if err != nil {
		t.Fatal(err)
	}
	first := l.begin(time.Now(), r)
	for range maxRecords {
		l.begin(time.Now(), r)
	}
	if n := len(l.of(anyone)); n != maxRecords {
		t.Errorf("%d records", n)
	}
	first.setBody(make([]byte, 1000)) // forgotten while it was being answered
	body := make([]byte, maxBody)
	for range 10 {
		l.begin(time.Now(), r).setBody(body)
	}
	if l.bytes > maxRecordBytes {
		t.Errorf("%d bytes are kept", l.bytes)
	}
	if n := len(l.of(anyone)); n == 0 || l.of(anyone)[n-1].Body == "" {
		t.Error("the newest record is gone")
	}
}
