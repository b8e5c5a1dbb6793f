package main

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"

	"screentest/server/ops"
	"screentest/server/store/storetest"
	"screentest/server/wiretest"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// figures reads /metrics.
func figures(t *testing.T, url string) string {
	t.Helper()
	res := fetch(t, wiretest.NewHTTP(), url+ops.MetricsPath)
	if res.StatusCode != http.StatusOK {
		t.Fatal(res.Status)
	}
	return bodyOf(t, res)
}

// figure is the value of a line of the figures, 0 where there is none.
func figure(t *testing.T, all, name string) float64 {
	t.Helper()
	m := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + ` (\S+)$`).FindStringSubmatch(all)
	if m == nil {
		return 0
	}
	v, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// What a server does shows in its figures, and what people write doesn't.
func TestTheFiguresOfAServer(t *testing.T) {
	t.Parallel()
	d := newPlayground(t, serveConfig{gateway: newStage(t).url})
	c := dial(t, d.url, wiretest.NewHTTP())
	setKey(t, c, canary)
	const secret = "xylophone"
	s := turn(gateway.Chat, secret+" [[repeat: 20]]")
	play(t, c, s)
	r, _ := end(t, c, s)
	v := clipRequest(secret + " clip")
	if err := c.Call(t.Context(), wire.OpVideoCreate, v, nil); err != nil {
		t.Fatal(err)
	}
	awaitTask(t, c, v.ID, "saved", saved)
	if err := c.Call(t.Context(), wire.OpOpen, wire.Page{Conversation: "not an id"}, nil); err == nil {
		t.Error("a call that must fail didn't")
	}
	all := figures(t, d.url)
	for name, want := range map[string]float64{
		`screentest_runs_ended_total{model="vendor/model-a",state="done"}`:         1,
		`screentest_tokens_total{direction="output",model="vendor/model-a"}`:       float64(r.OutputTokens),
		`screentest_spend_usd_total{kind="charged",what="text"}`:                   float64(r.CostNanoUSD) / 1e9,
		`screentest_video_tasks_ended_total{model="beta-video-480p",state="done"}`: 1,
		`screentest_call_seconds_count{op="start",outcome="ok"}`:                   1,
		`screentest_call_seconds_count{op="open",outcome="problem"}`:               1,
		`screentest_run_first_token_seconds_count`:                                 1,
		`screentest_sockets`:                      1,
		`screentest_streams`:                      0,
		`screentest_runs_under_way`:               0,
		`screentest_video_tasks{state="running"}`: 0,
		`screentest_build_info{version="dev"}`:    1,
	} {
		if got := figure(t, all, name); got != want {
			t.Errorf("%s is %g, want %g", name, got, want)
		}
	}
	for _, above := range []string{`screentest_spend_usd_total{kind="charged",what="video"}`, `screentest_store_bytes`, `screentest_store_commit_seconds_count`, `screentest_video_poll_late_seconds_count`} {
		if figure(t, all, above) <= 0 {
			t.Errorf("%s is not above 0", above)
		}
	}
	for what, text := range map[string]string{"a prompt": secret, "a key": canary, "an id of a run": s.Run, "an id of a task": v.ID, "a person": `owner`} {
		if strings.Contains(all, text) {
			t.Errorf("%s is in the figures", what)
		}
	}
}

// While the database doesn't answer, requests are sent elsewhere.
func TestAServerIsReadyWhileItsDatabaseIs(t *testing.T) {
	d := newPlayground(t, serveConfig{})
	if res := fetch(t, wiretest.NewHTTP(), d.url+ops.ReadyPath); res.StatusCode != 200 {
		t.Fatalf("%s: %s", res.Status, bodyOf(t, res))
	}
	if err := d.store.Close(); err != nil {
		t.Fatal(err)
	}
	var last string
	eventually(t, func() bool { // what was found is true for a second
		res := fetch(t, wiretest.NewHTTP(), d.url+ops.ReadyPath)
		last = res.Status + ": " + bodyOf(t, res)
		return res.StatusCode == 503 && strings.Contains(last, `"database"`) && strings.Contains(last, `"seal_key"`)
	}, func() string { return last })
	if res := fetch(t, wiretest.NewHTTP(), d.url+ops.LivePath); res.StatusCode != 200 {
		t.Errorf("%s: %s", ops.LivePath, res.Status)
	}
}

// SIGTERM ends a server in order: it says at once that it is draining, its
// sockets are closed with a word, its answers are stored.
func TestTerminateEndsInOrder(t *testing.T) {
	t.Parallel()
	dir := storetest.Folder(t)
	proc, url := killed(t, dir, "-log-format", "json")
	c := dial(t, url, wiretest.NewHTTP())
	s := turn(gateway.Responses, "[[repeat: 100000]] [[pace: 300]]")
	play(t, c, s)
	l, err := c.Log(t.Context(), s.Run, func(l wiretest.Log) bool { return len(l.Bytes) > 4000 })
	if err != nil {
		t.Fatal(err)
	}
	// A tab that doesn't answer is waited for, for a while.
	asleep, _, err := websocket.Dial(t.Context(), strings.Replace(url, "http", "ws", 1)+wire.Path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer asleep.CloseNow()
	ready := func() (int, string) {
		res := fetch(t, wiretest.NewHTTP(), url+ops.ReadyPath)
		return res.StatusCode, bodyOf(t, res)
	}
	if status, body := ready(); status != 200 {
		t.Errorf("before: %d, %s", status, body)
	}
	if err := proc.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for began := time.Now(); ; {
		status, body := ready()
		if status == 503 && strings.Contains(body, `"draining"`) {
			break
		}
		if time.Since(began) > 10*time.Second {
			t.Fatalf("after SIGTERM: %d, %s", status, body)
		}
	}
	if ce, err := c.Ended(t.Context()); err != nil || ce.Code != websocket.StatusServiceRestart {
		t.Errorf("the socket ended with %v, %v", ce, err)
	}
	<-proc.ended
	if code := proc.cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("exit status %d: %s", code, &proc.stderr)
	}
	for line := range strings.Lines(proc.stderr.String()) {
		var entry struct{ Time, Level, Msg string }
		if err := json.Unmarshal([]byte(line), &entry); err != nil || entry.Time == "" || entry.Msg == "" || entry.Level == "ERROR" {
			t.Errorf("a line of the log: %s", line)
		}
	}
	_, url = killed(t, dir)
	if m := answer(t, dial(t, url, wiretest.NewHTTP()), s); m.Run.State != wire.Interrupted || m.Run.Bytes < int64(len(l.Bytes)) {
		t.Errorf("%s with %d bytes, %d were shown", m.Run.State, m.Run.Bytes, len(l.Bytes))
	}
}
