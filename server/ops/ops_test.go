package ops_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"screentest/server/ops"
	"screentest/shared/wire"
)

const token = "a-token-of-some-length"

// ask asks a monitor, from this machine unless change says otherwise.
func ask(m *ops.Monitor, method, path string, change func(r *http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://localhost:8080"+path, nil)
	r.RemoteAddr = "127.0.0.1:4000"
	if change != nil {
		change(r)
	}
	rec := httptest.NewRecorder()
	m.Before(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })).ServeHTTP(rec, r)
	return rec
}

// The figures are for this machine and for who has the token; to others there is
// nothing.
func TestWhoMayReadTheFigures(t *testing.T) {
	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	from := func(addr string) func(*http.Request) { return func(r *http.Request) { r.RemoteAddr = addr } }
	both := func(a, b func(*http.Request)) func(*http.Request) {
		return func(r *http.Request) { a(r); b(r) }
	}
	bearer := header("Authorization", "Bearer "+token)
	for _, tt := range []struct {
		name   string
		token  string
		proxy  bool
		change func(*http.Request)
		status int
	}{
		{"on this machine", "", false, nil, 200},
		{"on this machine, by IPv6", "", false, func(r *http.Request) { r.RemoteAddr, r.Host = "[::1]:4000", "[::1]:8080" }, 200},
		{"on this machine, with a token set", token, false, nil, 200},
		{"on this machine, with a wrong token", token, false, header("Authorization", "Bearer wrong"), 404},
		{"on this machine, by a name that was pointed here", "", false, func(r *http.Request) { r.Host = "evil.example" }, 404},
		{"passed on by a proxy on this machine", "", false, header("X-Forwarded-For", "203.0.113.9"), 404},
		{"behind a proxy that says nothing of it", "", true, nil, 404},
		{"behind a proxy, with the token", token, true, bearer, 200},
		{"from elsewhere", token, false, from("192.0.2.7:4000"), 404},
		{"from elsewhere, with no token set", "", false, both(from("192.0.2.7:4000"), header("Authorization", "Bearer ")), 404},
		{"from elsewhere, with the token, by another name", token, false, both(both(from("192.0.2.7:4000"), bearer), func(r *http.Request) { r.Host = "screentest:8080" }), 200},
		{"from elsewhere, with a wrong token", token, false, both(from("192.0.2.7:4000"), header("Authorization", "Bearer "+token+"x")), 404},
		{"from elsewhere, with the token by another scheme", token, false, both(from("192.0.2.7:4000"), header("Authorization", "Basic "+token)), 404},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rec := ask(ops.New(ops.Config{Token: tt.token, Here: !tt.proxy}), "GET", ops.MetricsPath, tt.change)
			if rec.Code != tt.status || strings.Contains(rec.Body.String(), "go_goroutines") != (tt.status == 200) {
				t.Errorf("%d: %.200s", rec.Code, rec.Body)
			}
		})
	}
}

func TestAddressesAreOnlyRead(t *testing.T) {
	m := ops.New(ops.Config{Here: true})
	for _, path := range []string{ops.LivePath, ops.ReadyPath, ops.MetricsPath} {
		if rec := ask(m, "POST", path, nil); rec.Code != http.StatusMethodNotAllowed || rec.Header().Get("Allow") != "GET, HEAD" {
			t.Errorf("POST %s: %d", path, rec.Code)
		}
		if rec := ask(m, "HEAD", path, nil); rec.Code != http.StatusOK {
			t.Errorf("HEAD %s: %d", path, rec.Code)
		}
	}
	if rec := ask(m, "GET", "/metrics/", nil); rec.Code != http.StatusTeapot {
		t.Errorf("what isn't ours: %d", rec.Code)
	}
}

func TestReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var fault error
		looks := 0
		var told []string
		m := ops.New(ops.Config{
			Failed: func(code string, err error) { told = append(told, code+": "+err.Error()) },
			Checks: []ops.Check{
				{Code: "database", Hint: "Look at the disk.", Do: func(context.Context) error { looks++; return fault }},
				{Code: "seal_key", Do: func(context.Context) error { return nil }},
			},
		})
		is := func(what string, status int, codes ...string) {
			t.Helper()
			rec := ask(m, "GET", ops.ReadyPath, nil)
			var got struct {
				Ready bool
				Not   []wire.Problem
			}
			if err := json.Unmarshal(rec.Body.Bytes(), &got); err != nil {
				t.Fatal(err)
			}
			var not []string
			for _, p := range got.Not {
				not = append(not, p.Code)
			}
			if rec.Code != status || got.Ready != (status == 200) || strings.Join(not, " ") != strings.Join(codes, " ") {
				t.Errorf("%s: %d %s", what, rec.Code, rec.Body)
			}
		}
		is("at first", 200)
		fault = errors.New("no such table: secrets of /var/lib")
		is("within a second it isn't looked again", 200)
		if looks != 1 {
			t.Errorf("looked %d times", looks)
		}
		time.Sleep(2 * time.Second)
		is("with a fault", 503, "database")
		if len(told) != 1 || strings.Contains(ask(m, "GET", ops.ReadyPath, nil).Body.String(), "secrets") {
			t.Errorf("told %q", told)
		}
		fault = nil
		time.Sleep(2 * time.Second)
		is("without it", 200)
		m.Drain()
		is("while it ends", 503, "draining")
		if rec := ask(m, "GET", ops.LivePath, nil); rec.Code != 200 || rec.Body.String() != "ok" {
			t.Errorf("%s: %d", ops.LivePath, rec.Code)
		}
	})
}

// What happens is counted, under a model's name only where the catalogue has it.
func TestFigures(t *testing.T) {
	m := ops.New(ops.Config{
		Here: true, Version: "v1.2.3", KnownModel: func(id string) bool { return id == "vendor/a" },
		Gauges: ops.Gauges{
			Runs: func() int { return 3 }, Sockets: func() int { return 4 }, Streams: func() int { return 5 }, StoreQueue: func() int { return 6 },
			StoreBytes: func() int64 { return 4096 }, DiskFree: func() int64 { return -1 },
			VideoTasks: func(context.Context) (map[wire.VideoState]int64, error) {
				return map[wire.VideoState]int64{wire.VideoRunning: 7}, nil
			},
		},
	})
	m.RunEnded(wire.Run{Model: "vendor/a", State: wire.Done, InputTokens: 10, OutputTokens: 20, FirstTokenMS: 300, DurationMS: 4000})
	m.RunEnded(wire.Run{Model: "made up by somebody", State: wire.Failed, DurationMS: 10})
	m.VideoEnded(wire.VideoTask{Model: "made up too", State: wire.VideoFailed})
	m.Booked(wire.WhatText, 1_500_000_000)
	m.Booked(wire.WhatVideo, 300_000_000)
	m.Booked(wire.WhatVideo, -300_000_000)
	m.Committed(2 * time.Millisecond)
	m.Called(wire.OpSpend, time.Millisecond, true)
	m.VideoPolled(time.Second)
	got := ask(m, "GET", ops.MetricsPath, nil).Body.String()
	for _, line := range []string{
		`screentest_build_info{version="v1.2.3"} 1`,
		`screentest_runs_ended_total{model="vendor/a",state="done"} 1`,
		`screentest_runs_ended_total{model="other",state="failed"} 1`,
		`screentest_tokens_total{direction="output",model="vendor/a"} 20`,
		`screentest_run_first_token_seconds_count 1`,
		`screentest_run_seconds_sum 4.01`,
		`screentest_video_tasks_ended_total{model="other",state="failed"} 1`,
		`screentest_spend_usd_total{kind="charged",what="text"} 1.5`,
		`screentest_spend_usd_total{kind="returned",what="video"} 0.3`,
		`screentest_store_commit_seconds_count 1`,
		`screentest_call_seconds_count{op="spend",outcome="problem"} 1`,
		`screentest_video_poll_late_seconds_sum 1`,
		`screentest_runs_under_way 3`, `screentest_sockets 4`, `screentest_streams 5`, `screentest_store_queue 6`,
		`screentest_store_bytes 4096`, `screentest_disk_free_bytes -1`,
		`screentest_video_tasks{state="running"} 7`, `screentest_video_tasks{state="queued"} 0`,
	} {
		if !strings.Contains(got, line+"\n") {
			t.Errorf("there is no %s", line)
		}
	}
	if strings.Contains(got, "made up") {
		t.Error("a name that somebody made up is a label")
	}
}

// What a replica tells of itself is there where there are replicas alone.
func TestFiguresOfAReplica(t *testing.T) {
	body := func(r *ops.Replicas) string {
		return ask(ops.New(ops.Config{Here: true, Gauges: ops.Gauges{Replicas: r}}), "GET", ops.MetricsPath, nil).Body.String()
	}
	got := body(&ops.Replicas{There: func() int { return 3 }, TakenOver: func() int { return 2 }, Heard: func() time.Duration { return 1500 * time.Millisecond }})
	for _, want := range []string{"screentest_replicas 3\n", "screentest_replica_taken_over_total 2\n", "screentest_replica_heard_seconds 1.5\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %q", want)
		}
	}
	if got = body(nil); strings.Contains(got, "screentest_replica") {
		t.Error("one process tells of replicas")
	}
}
