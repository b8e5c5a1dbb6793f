package main

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"screentest/server/store/storetest"
	"screentest/server/wiretest"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

func TestKillInMidStream(t *testing.T) {
	t.Parallel()
	dir := storetest.Folder(t)
	proc, url := killed(t, dir)
	c := dial(t, url, wiretest.NewHTTP())
	s := turn(gateway.Chat, "[[repeat: 100000]] [[pace: 300]]")
	play(t, c, s)
	began := time.Now()
	l, err := c.Log(t.Context(), s.Run, func(l wiretest.Log) bool { return len(l.Bytes) > 4000 && time.Since(began) > 1500*time.Millisecond })
	if err != nil {
		t.Fatal(err)
	}
	proc.end(os.Kill)

	_, url = killed(t, dir)
	c = dial(t, url, wiretest.NewHTTP())
	m := answer(t, c, s)
	if m.Run.State != wire.Interrupted || m.Text == "" {
		t.Fatalf("after the restart: %+v with %q", m.Run, m.Text)
	}
	// What a kill costs is the interval that the page is told, and a second of
	// grace for a busy disk. The stream has 300 words a second.
	hello, err := wiretest.News(t.Context(), c, wire.EventHello, func(wire.Hello) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	words := func(p []byte) int { return bytes.Count(p, []byte(`"content"`)) }
	if err := c.Call(t.Context(), wire.OpRead, wire.Read{Run: s.Run}, nil); err != nil {
		t.Fatal(err)
	}
	kept, err := c.Log(t.Context(), s.Run, wiretest.Whole)
	if err != nil {
		t.Fatal(err)
	}
	if common := min(len(kept.Bytes), len(l.Bytes)); !bytes.Equal(kept.Bytes[:common], l.Bytes[:common]) {
		t.Error("the log has other bytes than before")
	}
	if lost, most := words(l.Bytes)-words(kept.Bytes), int(300*(hello.FlushMS+1000)/1000); lost > most {
		t.Errorf("%d words are lost, at most %d may be", lost, most)
	}
	// It can be retried: the same message, a new answer.
	retry := s
	retry.Run, retry.Answer = uuid.NewString(), uuid.NewString()
	retry.Body = turn(gateway.Chat, "[[pace: 5000]] short").Body
	play(t, c, retry)
	if r, _ := end(t, c, retry); r.State != wire.Done {
		t.Errorf("the retry ended %s: %v", r.State, r.Problem)
	}
	// A start that was repeated for want of an answer is not sent again.
	var again wire.Run
	if err := c.Call(t.Context(), wire.OpStart, s, &again); err != nil || again.State != wire.Interrupted {
		t.Errorf("started again: %+v, %v", again, err)
	}
}

func TestInterruptEndsInOrder(t *testing.T) {
	t.Parallel()
	dir := storetest.Folder(t)
	proc, url := killed(t, dir)
	c := dial(t, url, wiretest.NewHTTP())
	s := turn(gateway.Responses, "[[repeat: 100000]] [[pace: 300]]")
	play(t, c, s)
	l, err := c.Log(t.Context(), s.Run, func(l wiretest.Log) bool { return len(l.Bytes) > 4000 })
	if err != nil {
		t.Fatal(err)
	}
	proc.end(os.Interrupt)
	if code := proc.cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("exit status %d: %s", code, &proc.stderr)
	}
	if strings.Contains(proc.stderr.String(), "level=ERROR") {
		t.Errorf("errors on the way: %s", &proc.stderr)
	}
	_, url = killed(t, dir)
	m := answer(t, dial(t, url, wiretest.NewHTTP()), s)
	// Nothing that was shown is lost.
	if m.Run.State != wire.Interrupted || m.Run.Bytes < int64(len(l.Bytes)) {
		t.Errorf("%s with %d bytes, %d were shown", m.Run.State, m.Run.Bytes, len(l.Bytes))
	}
}

// One who sends half a request, and no more, does not keep the rest of the
// server from an orderly end.
func TestAStalledRequestCostsNoAnswerItsEnd(t *testing.T) {
	dir := storetest.Folder(t)
	d := newPlayground(t, serveConfig{data: dir})
	c := dial(t, d.url, wiretest.NewHTTP())
	s := turn(gateway.Responses, "[[repeat: 100000]] [[pace: 300]]")
	play(t, c, s)
	if _, err := c.Log(t.Context(), s.Run, func(l wiretest.Log) bool { return len(l.Bytes) > 4000 }); err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", strings.TrimPrefix(d.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: %s\r\nOrigin: %s\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{", wire.ImportPath, strings.TrimPrefix(d.url, "http://"), d.url)
	// It is being read when another request is answered.
	if res, err := http.Get(d.url + "/"); err != nil {
		t.Fatal(err)
	} else {
		res.Body.Close()
	}
	if err := d.close(); err != nil {
		t.Errorf("the end: %v", err)
	}
	again := newPlayground(t, serveConfig{data: dir})
	r, err := again.store.Run(t.Context(), again.people.Owner, s.Run)
	if err != nil || r.State != wire.Interrupted || strings.Contains(d.log.String(), "level=ERROR") || strings.Contains(again.log.String(), s.Run) {
		t.Errorf("the answer is %q, %v; the log says\n%s\nand the next start\n%s", r.State, err, &d.log, &again.log)
	}
}

func TestCatalogueIsReadAgain(t *testing.T) {
	file := filepath.Join(t.TempDir(), "models.json")
	write := func(id string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(`{"models":[{"id":"`+id+`","family":"ordinary","endpoint":"chat","mode":"text"}]}`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("vendor/first")
	d := newPlayground(t, serveConfig{catalog: file})
	c := dial(t, d.url, wiretest.NewHTTP())
	has := func(id string) func(wire.Hello) bool {
		return func(h wire.Hello) bool { return bytes.Contains(h.Catalogue, []byte(id)) }
	}
	if _, err := wiretest.News(t.Context(), c, wire.EventHello, has("vendor/first")); err != nil {
		t.Fatal(err)
	}
	write("vendor/second")
	d.reload()
	if _, err := wiretest.News(t.Context(), c, wire.EventHello, has("vendor/second")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	d.reload()
	if _, known := d.models.current().Lookup("vendor/second"); !known {
		t.Error("a mistake in the file took the old catalogue away")
	}
}

func TestStartThatFailsLeavesNothingOpen(t *testing.T) {
	dir := t.TempDir()
	c := serveConfig{addr: "127.0.0.1:0", data: dir, gateway: "ftp://x", sandboxSpeed: 1}
	_, err := start(t.Context(), c, slog.New(slog.DiscardHandler))
	var m mistake
	if !errors.As(err, &m) {
		t.Fatalf("the error is %v", err)
	}
	newPlayground(t, serveConfig{data: dir}) // the folder is free
}

// A key that may cross a network unencrypted is told of where the operator
// looks.
func TestAKeyOnItsWayWithoutHTTPSIsWarnedOf(t *testing.T) {
	const gateway, page = "the gateway is not reached by https", "the page is not reached by https"
	for _, c := range []struct {
		gateway, public string
		want            string
	}{
		{gateway: "http://192.0.2.7:8080", want: gateway},
		{gateway: "https://192.0.2.7:8080"},
		{gateway: "http://127.0.0.1:1"},
		{gateway: "http://localhost:1"},
		{gateway: "https://192.0.2.7", public: "http://play.example.com", want: page},
		{gateway: "https://192.0.2.7", public: "https://play.example.com"},
		{gateway: "https://192.0.2.7", public: "http://localhost:8080"},
		{public: "http://play.example.com"},
		{},
	} {
		log := newPlayground(t, serveConfig{gateway: c.gateway, reach: reachConfig{publicURL: c.public, team: triState{given: true}}}).log.String()
		for _, warning := range []string{gateway, page} {
			if got := strings.Contains(log, warning); got != (warning == c.want) {
				t.Errorf("-gateway %q -public-url %q: warned of %q is %v", c.gateway, c.public, warning, got)
			}
		}
	}
}
