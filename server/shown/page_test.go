package shown

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"testing"

	"screentest/server/sight"
	"screentest/shared/wire"
)

// golden holds HTML against a file, an element a line.
func golden(t *testing.T, file, got string) {
	t.Helper()
	file = "testdata/" + file
	got = strings.ReplaceAll(got, "><", ">\n<")
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is now\n%s", file, got)
	}
}

// compared is a conversation of two turns in two lanes, with a function and a failure.
func compared(w *world) {
	w.asks(1, nil, "What time is it?\n<script>alert(1)</script>", "vendor/a", "vendor/b")
	w.ends(1, 0, "", func(r *wire.Run) {
		r.Calls = []wire.ToolCall{{ID: "c", Name: "get_time", Arguments: `{"tz":"<UTC>"}`}}
	})
	w.ends(1, 1, "It is **late**. $x^2$", func(r *wire.Run) { r.CostSource, r.Answered = "estimated", "vendor/b-2" })
	w.mu.Lock()
	w.all = append(w.all, wire.Message{ID: id(3, 1), Parent: id(2, 10), Role: "tool", Tool: "get_time", ToolCall: "c", Text: "\n12:00 </pre>"})
	w.all = append(w.all, wire.Message{ID: id(2, 99), Parent: id(3, 1), Role: "assistant", Run: &wire.Run{ID: "run-9", Conversation: conv, Model: "vendor/a", State: wire.Failed,
		Problem: &wire.Problem{Code: "x", Message: "The gateway failed. It says: see https://gateway.example/files/1", Hint: "hint-canary", Raw: "raw-canary"}}})
	w.mu.Unlock()
}

func TestGoldenPage(t *testing.T) {
	w := newWorld(t, Limits{})
	compared(w)
	status, body, h := w.get(named, "bob")
	if status != 200 {
		t.Fatalf("%d: %s", status, body)
	}
	from := newDoc(t, body).main("data-from")
	golden(t, "page.html", strings.ReplaceAll(body, from, "FROM"))
	for _, no := range []string{"<script>alert", "<b>otters", "canary", "gateway.example", "team", "style=", "onclick", "old title"} {
		if strings.Contains(body, no) {
			t.Errorf("%q is in it", no)
		}
	}
	for name, want := range map[string]string{"Cache-Control": "no-store", "X-Robots-Tag": "noindex, nofollow, noarchive", "Referrer-Policy": "no-referrer", "Content-Type": "text/html; charset=utf-8"} {
		if h.Get(name) != want {
			t.Errorf("%s: %q", name, h.Get(name))
		}
	}
	// Who is nobody may read, and nothing more.
	_, body, _ = w.get(link, "")
	d := newDoc(t, body)
	if main := d.byID("main"); len(main.Attr) != 4 || !strings.Contains(body, "data-link") || !strings.Contains(body, "?in") || strings.Contains(body, "data-member") {
		t.Errorf("the page of a link has %v", main.Attr)
	}
}

// While a comparison is blind, nothing tells the models' names.
func TestNamesAreHiddenUntilTheVote(t *testing.T) {
	w := newWorld(t, Limits{})
	w.lanes = &wire.Lanes{Blind: true, Lanes: make([]wire.Lane, 2)}
	w.asks(1, nil, "q", "vendor/a", "vendor/b")
	w.ends(1, 0, "one", func(r *wire.Run) { r.Answered = "vendor/a-2" })
	w.ends(1, 1, "", func(r *wire.Run) {
		r.State, r.Problem = wire.Failed, &wire.Problem{Message: "vendor/b is out."}
	})
	seen := w.sights[link]
	seen.Wire = true
	w.sights[link] = seen
	v := w.watch(link, "")
	if text := v.page.text(); strings.Contains(text, "vendor/") || strings.Contains(text, "$0.") || !strings.Contains(text, "Model A") || !strings.Contains(text, "Model B is out.") || !strings.Contains(text, "until Ann Lima has voted") {
		t.Errorf("hidden: %s", text)
	}
	if status, body, _ := w.get(link+"/wire/run-1-0", ""); status == 200 {
		t.Errorf("the wire is shown: %s", body)
	}
	w.mu.Lock()
	w.lanes = &wire.Lanes{Lanes: make([]wire.Lane, 2)}
	w.mu.Unlock()
	w.s.Changed("ann", conv)
	v.until("vendor/b is out.")
	w.reloaded(v, link, "")
	if text := v.page.text(); strings.Contains(text, "Model A") || strings.Contains(text, "has voted") {
		t.Errorf("after the vote: %s", text)
	}
}

// What is not to be seen looks the same, whatever the reason.
func TestNothingToSee(t *testing.T) {
	w := newWorld(t, Limits{})
	compared(w)
	unknown := strings.Replace(named, "aaaa", "bbbb", 1)
	_, want, _ := w.get("no-such-token", "")
	for _, tt := range []struct{ key, who string }{{"no-such-token", "bob"}, {named, "cleo"}, {unknown, "bob"}, {unknown, "cleo"}, {link + "x", ""}} {
		status, body, h := w.get(tt.key, tt.who)
		if status != 404 || body != want || h.Get("Cache-Control") != "no-store" || h.Get("X-Robots-Tag") == "" {
			t.Errorf("%v: %d, %s", tt, status, body)
		}
	}
	for _, key := range []string{named, unknown} { // of what is shared by name nobody who isn't signed in hears whether it is there
		status, body, h := w.get(key, "")
		if status != 303 || h.Get("Location") != "/signin?to=%2Fs%2F"+key {
			t.Errorf("%s: %d %q, %s", key, status, h.Get("Location"), body)
		}
		if status, body, _ := w.get(key, "", "Sec-Fetch-Site", "cross-site"); status != 200 || !strings.Contains(body, `http-equiv="refresh"`) || strings.Contains(body, "otters") {
			t.Errorf("%s from another site: %d, %s", key, status, body)
		}
	}
	if status, _, h := w.get(link+"?in", ""); status != 303 || h.Get("Location") != "/signin?to=%2Fs%2F"+link {
		t.Errorf("to sign in: %d, %v", status, h)
	}
	for _, path := range []string{"/live", "/media/0/0", "/poster/0/0", "/wire/run-1-0"} {
		if status, body, _ := w.get("no-such-token"+path, "bob"); status != 418 || body != "file does not exist\n" {
			t.Errorf("%s: %d, %s", path, status, body)
		}
	}
}

func TestTheWireIsMasked(t *testing.T) {
	w := newWorld(t, Limits{})
	logs := w.asks(1, nil, "q", "m")
	logs[0].says("content", "see https://files.example/b.mp4?sig=1 and ws://x.example/ sk-canary0123456789")
	logs[0].add(`data: {"id":"1","user":"person-77","organization" : "org-\"canary","url":"https:\/\/gateway.example\/v1\/x"}`+"\n\ndata: [DONE]\n\n", true)
	w.ends(1, 0, "whole", nil)
	if status, body, _ := w.get(link+"/wire/run-1-0", ""); status == 200 {
		t.Errorf("without the wire: %s", body)
	}
	if _, body, _ := w.get(link, ""); strings.Contains(body, "run-1-0") {
		t.Error("a share without the wire names its run")
	}
	seen := w.sights[link]
	seen.Wire = true
	w.sights[link] = seen
	status, body, h := w.get(link+"/wire/run-1-0", "")
	if status != 200 || h.Get("Content-Type") != "text/plain; charset=utf-8" || h.Get("Cache-Control") != "no-store" {
		t.Fatalf("%d %v: %s", status, h, body)
	}
	for _, no := range []string{"example", "person-77", "canary", "sig=1", "mp4"} {
		if strings.Contains(body, no) {
			t.Errorf("%q is in it:\n%s", no, body)
		}
	}
	for _, want := range []string{"[42 ms]", `"role": "user"`, "[address]", "[DONE]", "HTTP 200"} {
		if !strings.Contains(body, want) {
			t.Errorf("%q is not in it:\n%s", want, body)
		}
	}
	if _, again, _ := w.get(link+"?wire=run-1-0", ""); again != body {
		t.Error("without a script it is another text")
	}
	for _, other := range []string{"run-7-7", "x"} {
		if status, _, _ := w.get(link+"/wire/"+other, ""); status == 200 {
			t.Errorf("%s is shown", other)
		}
	}
	if _, page, _ := w.get(link, ""); !strings.Contains(page, `data-run="run-1-0"`) {
		t.Error("the page doesn't lead there")
	}
}

// snapshotOf is the world's conversation as the export has it.
func snapshotOf(t *testing.T, w *world) []byte {
	raw, err := json.Marshal(map[string]any{"format": "screentest.conversations", "version": 1, "conversations": []any{
		map[string]any{"id": conv, "title": w.sum.Title, "messages": w.all, "lanes": w.lanes},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestASnapshotStays(t *testing.T) {
	w := newWorld(t, Limits{})
	compared(w)
	w.sights[link] = sight.Sight{Share: named, Owner: "ann", OwnerName: "Ann Lima", Kind: wire.ShareConversation, Subject: conv, Snapshot: snapshotOf(t, w), ByLink: true, CreatedMS: 1_795_219_200_000}
	_, before, _ := w.get(link, "")
	w.asks(3, []string{id(2, 99), id(2, 11)}, "later-canary", "vendor/a", "vendor/b")
	status, body, _ := w.get(link, "")
	if status != 200 || body != before || strings.Contains(body, "data-from") || strings.Contains(body, "later-canary") || !strings.Contains(body, "as it was on 21 November 2026") {
		t.Errorf("%d, %s", status, body)
	}
	if status, _, _ := w.get(link+"/live", ""); status == 200 {
		t.Error("a snapshot is followed")
	}
	// It is what is shown live at the time, but for what follows.
	w.mu.Lock()
	w.all = w.all[:len(w.all)-4]
	w.mu.Unlock()
	_, live, _ := w.get(named, "bob")
	_, doc, _ := strings.Cut(body, `<div id="doc">`)
	doc, _, _ = strings.Cut(doc, "</main>")
	if !strings.Contains(live, doc) {
		t.Errorf("live it is\n%s", live)
	}
}

func TestLongConversationsComeInPages(t *testing.T) {
	w := newWorld(t, Limits{})
	w.mu.Lock()
	parent := ""
	for i := range 5000 {
		w.all = append(w.all, wire.Message{ID: id(1, i), Parent: parent, Role: "user", Text: fmt.Sprintf("question %d.", i)},
			wire.Message{ID: id(2, i), Parent: id(1, i), Role: "assistant", Text: fmt.Sprintf("answer %d.", i), Run: &wire.Run{ID: fmt.Sprint("run-", i), Conversation: conv, Model: "m", State: wire.Done}})
		parent = id(2, i)
	}
	w.mu.Unlock()
	_, body, _ := w.get(link, "")
	if strings.Count(body, `class="question"`) != pageMessages/2 || !strings.Contains(body, "answer 4999.") || len(body) > 200<<10 {
		t.Errorf("%d questions in %d bytes", strings.Count(body, `class="question"`), len(body))
	}
	first := 5000 - pageMessages/2
	if !strings.Contains(body, `href="?before=`+id(1, first)+`"`) {
		t.Fatal("nothing leads to what is before")
	}
	_, body, _ = w.get(link+"?before="+id(1, first), "")
	if !strings.Contains(body, fmt.Sprintf("question %d.", first-1)) || strings.Contains(body, fmt.Sprintf("question %d.", first)) || strings.Contains(body, "data-from") || !strings.Contains(body, `href="?"`) {
		t.Errorf("the page before: %.3000s", body)
	}
	_, body, _ = w.get(link+"?before="+id(1, 3), "")
	if strings.Contains(body, "?before=") || strings.Count(body, `class="question"`) != 3 {
		t.Errorf("the first page: %.3000s", body)
	}
	for _, message := range []string{id(1, 77), id(2, 77)} {
		_, body, _ = w.get(link+"?at="+message, "")
		if !strings.Contains(body, "answer 77.") || strings.Contains(body, "question 78.") {
			t.Errorf("the page of %s: %.3000s", message, body)
		}
	}
	if _, body, _ = w.get(link+"?at=nothing", ""); !strings.Contains(body, "answer 4999.") {
		t.Errorf("the page of nothing: %.3000s", body)
	}
	if status, _, _ := w.get(link+"?before=nothing", ""); status != 404 {
		t.Errorf("before nothing: %d", status)
	}
	// One huge answer is there as a whole, alone with its question.
	w.ends(0, 0, "", nil)
	w.mu.Lock()
	w.all[len(w.all)-1].Text = strings.Repeat("long ", pageText/4)
	w.mu.Unlock()
	w.s.Changed("ann", conv)
}

func TestTheBranchOfTheNewestIsShown(t *testing.T) {
	w := newWorld(t, Limits{})
	w.asks(1, nil, "first", "a", "b")
	w.ends(1, 0, "old answer", nil)
	w.ends(1, 1, "beside", nil)
	w.mu.Lock()
	w.all = append(w.all,
		wire.Message{ID: id(2, 50), Parent: id(1, 10), Role: "assistant", Text: "new answer", Run: &wire.Run{ID: "run-50", Conversation: conv, Model: "a", State: wire.Done}},
		wire.Message{ID: id(1, 60), Parent: id(2, 50), Role: "user", Text: "only here"},
		wire.Message{ID: id(2, 60), Parent: id(1, 60), Role: "assistant", Text: "end", Run: &wire.Run{ID: "run-60", Conversation: conv, Model: "a", State: wire.Done}},
	)
	w.all = append(w.all, wire.Message{ID: id(2, 70), Parent: id(1, 60), Role: "assistant", Text: "by a person"})
	w.mu.Unlock()
	_, body, _ := w.get(link, "")
	if !strings.Contains(body, "Written by hand") || !strings.Contains(body, "by a person") {
		t.Errorf("an answer that no model wrote: %s", body)
	}
	if strings.Contains(body, "old answer") || !strings.Contains(body, "new answer") || !strings.Contains(body, "beside") || !strings.Contains(body, "only here") {
		t.Errorf("%s", body)
	}
}

// second is a review that shows a second version alone.
type second struct{}

func (second) Version(_ context.Context, _ sight.Sight, version int) (owner, task string, err error) {
	if version != 2 {
		return "", "", fs.ErrNotExist
	}
	return "bea", "next", nil
}

func TestAClip(t *testing.T) {
	w := newWorld(t, Limits{})
	w.sights[link] = sight.Sight{Share: named, Owner: "ann", OwnerName: "Ann Lima", Kind: wire.ShareClip, Subject: "task", Title: "An <otter>", Live: true, ByLink: true}
	w.clip = wire.VideoTask{ID: "task", Model: "vendor/video", Prompt: "an otter <swims>", State: wire.VideoRunning, Progress: 40, Seconds: 6, PriceNanoUSD: 300_000_000,
		Body:   json.RawMessage(`{"model":"vendor/video","prompt":"p","seconds":"6","aspect_ratio":"16:9","image_urls":["https://files.example/secret.png"],"task_id":"uuid-canary","user":"canary"}`),
		Remote: "task_canary", UUID: "uuid-canary", Gateway: "https://gateway.example", Team: "team-canary", PaidBy: "payer-canary", CreatedMS: 1_795_219_200_000, Tags: []string{"tag-canary"}}
	v := w.watch(link, "")
	if text := v.page.text(); !strings.Contains(text, "being made · 40 %") || !strings.Contains(text, "an otter &lt;swims&gt;") || strings.Contains(text, "<video") {
		t.Fatalf("%s", text)
	}
	w.mu.Lock()
	w.clip.State, w.clip.Outputs = wire.VideoDone, []wire.VideoOutput{{Index: 0, Link: "https://files.example/canary.mp4", Width: 1280, Height: 720, Poster: true, Archive: wire.ArchiveWaiting}}
	w.clip.FinishedMS = w.clip.CreatedMS + 61_000
	w.mu.Unlock()
	w.s.Changed("ann", "task")
	v.until("<video")
	w.reloaded(v, link, "")
	_, body, _ := w.get(link, "")
	golden(t, "clip.html", v.page.text())
	for _, no := range []string{"canary", "example", "secret"} {
		if strings.Contains(body, no) {
			t.Errorf("%q is in %s", no, body)
		}
	}
	for path, want := range map[string]string{"/media/0/0": "clip ann task 0", "/media/1/0": "clip ann task 0", "/poster/0/2": "poster ann task 2"} {
		if status, body, h := w.get(link+path, ""); status != 200 || body != want || h.Get("X-Robots-Tag") == "" {
			t.Errorf("%s: %d, %s", path, status, body)
		}
	}
	for _, path := range []string{"/media/2/0", "/media/00/0", "/media/0/-1", "/media/0/x"} {
		if status, body, _ := w.get(link+path, ""); status == 200 {
			t.Errorf("%s: %s", path, body)
		}
	}
	w.s.Reviews = second{}
	if _, body, _ := w.get(link+"/media/2/0", ""); body != "clip bea next 0" {
		t.Errorf("the next version: %s", body)
	}
	for _, path := range []string{"/media/1/0", "/media/3/0"} {
		if status, body, _ := w.get(link+path, ""); status == 200 {
			t.Errorf("%s: %s", path, body)
		}
	}
	w.mu.Lock()
	w.clip.Deleted = true
	w.mu.Unlock()
	w.s.Changed("", "") // what changed was not heard
	if name, _ := v.event(); name != "again" {
		t.Errorf("of a deleted clip is told %q", name)
	}
	if status, _, _ := w.get(link, ""); status != 404 {
		t.Errorf("its page: %d", status)
	}
}

// What goes wrong in here is logged without the link that was asked for.
func TestFailuresAreToldWithoutTheLink(t *testing.T) {
	w := newWorld(t, Limits{})
	var logged bytes.Buffer
	w.s.Logger = slog.New(slog.NewTextHandler(&logged, nil))
	var p *wire.Problem
	if err := w.s.Failure(t.Context(), errors.New("disk")); !errors.As(err, &p) || p.Code != "server_error" || !strings.Contains(logged.String(), "disk") {
		t.Errorf("%v, logged %q", err, logged.String())
	}
	logged.Reset()
	if err := w.s.Failure(t.Context(), fs.ErrNotExist); !errors.Is(err, fs.ErrNotExist) || logged.Len() > 0 {
		t.Errorf("%v, logged %q", err, logged.String())
	}
}

func TestPagesAreCompressed(t *testing.T) {
	w := newWorld(t, Limits{})
	compared(w)
	r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, w.http.URL+"/s/"+link, nil)
	r.Header.Set("Accept-Encoding", "gzip, br")
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var b bytes.Buffer
	if _, err := b.ReadFrom(res.Body); err != nil || res.Header.Get("Content-Encoding") != "gzip" || res.Header.Get("Vary") != "Accept-Encoding" || b.Len() > 3000 {
		t.Errorf("%d bytes, %v, %v", b.Len(), res.Header, err)
	}
}
