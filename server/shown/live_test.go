package shown

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"
)

// reloaded fails unless a page that was patched is the page as it is loaded now.
func (w *world) reloaded(v *watcher, key, who string) {
	w.t.Helper()
	_, body, _ := w.get(key, who)
	if got, want := v.page.text(), newDoc(w.t, body).text(); got != want {
		w.t.Fatalf("the page that followed is\n%s\nand reloaded\n%s", got, want)
	}
}

func TestAnAnswerIsFollowed(t *testing.T) {
	w := newWorld(t, Limits{})
	logs := w.asks(1, nil, "Why <i>otters</i>?", "vendor/a", "vendor/b")
	logs[0].says("content", "Because *they* ")
	v := w.watch(link, "")
	if !strings.Contains(v.page.text(), "<em>they</em>") || !strings.Contains(v.page.text(), "Why &lt;i&gt;otters") {
		t.Fatalf("what was there already isn't shown: %s", v.page.text())
	}
	logs[1].says("reasoning_content", "thinking <hard>")
	v.until("thinking &lt;hard&gt;")
	logs[0].says("content", "swim.\n\n```go\nfunc main() {")
	v.until("func")
	logs[0].says("content", "}\nvar x = `<b>`\n")
	v.until("&lt;b&gt;")
	logs[0].says("content", "```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n")
	v.until("<td>2</td>")
	w.reloaded(v, link, "")

	logs[0].add("data: [DONE]\n\n", true)
	w.ends(1, 0, "Because *they* swim.", nil)
	v.until("took 2.3 s")
	logs[1].add("data: [DONE]\n\n", true)
	w.ends(1, 1, "They <b>don't</b>.", nil)
	v.until("They &lt;b&gt;")
	w.reloaded(v, link, "")

	// The next turn, and another title.
	w.mu.Lock()
	w.sum.Title = "Another title"
	w.mu.Unlock()
	next := w.asks(2, []string{id(2, 10), id(2, 11)}, "And now?", "vendor/a", "vendor/b")
	v.until("And now?")
	v.until("Another title")
	next[1].says("content", "second lane")
	v.until("second lane")
	w.reloaded(v, link, "")
	if strings.Count(v.page.text(), "And now?") != 1 {
		t.Error("a question that both lanes were asked is there twice")
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.opened != 4 {
		t.Errorf("%d runs were opened for four answers", w.opened)
	}
}

// However an answer is cut, and wherever somebody joins, a page that follows is the
// page as it is loaded.
func TestFollowedAnyhow(t *testing.T) {
	w := newWorld(t, Limits{})
	logs := w.asks(1, nil, "q", "m")
	text := strings.Repeat(everything+"\n\n~~~py\nx = '😀'\n"+strings.Repeat("y = 2\n", 30)+"~~~\n\n", 3) + "[a]: https://example.com\n"
	rng := rand.New(rand.NewPCG(7, 7))
	var all []*watcher
	for at := 0; at < len(text); {
		n := min(1+rng.IntN(700), len(text)-at)
		logs[0].says("content", strings.ToValidUTF8(text[at:at+n], "?"))
		at += n
		if len(all) < 4 {
			all = append(all, w.watch(link, ""))
		}
		time.Sleep(time.Duration(rng.IntN(30)) * time.Millisecond)
	}
	logs[0].says("content", "\n\nthe very end")
	for _, v := range all {
		v.until("the very end")
		w.reloaded(v, link, "")
	}
	logs[0].add("data: [DONE]\n\n", true)
	w.ends(1, 0, text, nil)
	for _, v := range all {
		v.until("took 2.3 s")
		w.reloaded(v, link, "")
	}
}

func TestTenViewersReadTheSame(t *testing.T) {
	w := newWorld(t, Limits{})
	logs := w.asks(1, nil, "q", "m")
	var all []*watcher
	for i := range 10 {
		key, who := link, ""
		if i%2 == 0 {
			key, who = named, "bob"
		}
		all = append(all, w.watch(key, who))
	}
	var wg sync.WaitGroup
	for _, v := range all {
		wg.Go(func() { v.until("took 2.3 s") })
	}
	for i := range 40 {
		logs[0].says("content", fmt.Sprintf("line *%d*\n\n", i))
		time.Sleep(2 * time.Millisecond)
	}
	logs[0].add("data: [DONE]\n\n", true)
	w.ends(1, 0, "whole", nil)
	wg.Wait()
	for _, v := range all[1:] {
		if v.raw.String() != all[0].raw.String() {
			t.Fatal("two viewers read different bytes")
		}
	}
	if len(all[0].raw.String()) < 1000 {
		t.Errorf("they read %q", all[0].raw.String())
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.opened != 1 {
		t.Errorf("the run was opened %d times for ten viewers", w.opened)
	}
}

func TestRevokedWhileItIsFollowed(t *testing.T) {
	w := newWorld(t, Limits{})
	logs := w.asks(1, nil, "q", "m")
	byLink, byName := w.watch(link, ""), w.watch(named, "bob")
	logs[0].says("content", "before")
	byLink.until("before")
	byName.until("before")

	began := time.Now()
	w.revoke(link)
	logs[0].says("content", "after-canary")
	for {
		name, ok := byLink.event()
		if !ok {
			t.Fatal("the stream ends without a word")
		}
		if name == "gone" {
			break
		}
	}
	if _, ok := byLink.event(); ok || strings.Contains(byLink.raw.String(), "after-canary") {
		t.Errorf("more came after the end: %s", byLink.raw.String())
	}
	if took := time.Since(began); took > time.Second {
		t.Errorf("it took %v", took)
	}
	if status, body, _ := w.get(link, ""); status != 404 || strings.Contains(body, "before") {
		t.Errorf("its page: %d, %s", status, body)
	}
	if v := w.follow(link, "", nil, "x-1"); v.status != 418 { // not_found, see newWorld
		t.Errorf("its stream: %d", v.status)
	}
}

// Who is away for a while goes on where they were; who was away for too long loads
// the page again. What is kept for them is bounded.
func TestSlowViewersAreBounded(t *testing.T) {
	w := newWorld(t, Limits{Backlog: 20_000})
	logs := w.asks(1, nil, "q", "m")
	v := w.watch(link, "")
	logs[0].says("content", "one ")
	v.until("one")
	v.body.Close()
	logs[0].says("content", "two ")
	other := w.watch(named, "bob")
	other.until("two")
	v = w.follow(link, "", v.page, v.last)
	v.until("two")
	w.reloaded(v, link, "")

	late := v.last
	for i := range 40 {
		logs[0].says("content", strings.Repeat(fmt.Sprintf("word%d ", i), 150)+"\n\n")
		other.until(fmt.Sprintf("word%d ", i))
	}
	w.s.mu.Lock()
	for _, sh := range w.s.shows {
		sh.mu.Lock()
		if sh.size > 20_000 || len(sh.frames) == 0 {
			t.Errorf("%d bytes are kept in %d events", sh.size, len(sh.frames))
		}
		sh.mu.Unlock()
	}
	w.s.mu.Unlock()
	v = w.follow(link, "", v.page, late)
	if name, _ := v.event(); name != "again" {
		t.Errorf("who was away for too long is told %q", name)
	}
	if v := w.follow(link, "", v.page, "other-5"); true {
		if name, _ := v.event(); name != "again" {
			t.Errorf("who comes from another server is told %q", name)
		}
	}
}

func TestNotTooManyFollow(t *testing.T) {
	w := newWorld(t, Limits{Viewers: 3, ViewersOfOne: 2, Pages: 12, PageEvery: time.Hour})
	w.asks(1, nil, "q", "m")
	a, b := w.watch(link, ""), w.watch(link, "")
	if v := w.follow(link, "", nil, "x"); v.status == 200 {
		t.Error("a third follows where two may")
	}
	a.body.Close()
	b.body.Close()
	deadline := time.Now().Add(5 * time.Second)
	for {
		w.s.mu.Lock()
		n := len(w.s.viewers)
		w.s.mu.Unlock()
		if n == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%v are counted after all have left", w.s.viewers)
		}
		time.Sleep(10 * time.Millisecond)
	}
	status, body := 200, ""
	for range 12 {
		status, body, _ = w.get(link, "")
	}
	if status != 429 || !strings.Contains(body, "Too many requests") {
		t.Errorf("%d: %s", status, body)
	}
	if _, _, h := w.get(link, ""); h.Get("Retry-After") == "" {
		t.Error("nobody says when to come back")
	}
	if status, _, _ := w.get(named, "bob"); status != 200 {
		t.Errorf("who is signed in there: %d", status)
	}
}
