package sandbox

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"screentest/shared/gateway"
)

// again closes a sandbox and starts another on its folder, with the same clock.
func (r *rig) again(t *testing.T, cfg Config) *rig {
	t.Helper()
	if err := r.server.Close(); err != nil {
		t.Fatal(err)
	}
	cfg.Now = r.clock.now
	next := start(t, cfg)
	next.clock = r.clock
	return next
}

// Tasks, accounts and the clock are as they were after a restart, whenever it
// comes, and after a second one.
func TestRestart(t *testing.T) {
	cfg := Config{Dir: t.TempDir()}
	r := start(t, cfg)
	good := r.create(t, clipBody("alpha-3.1-lite", "x", "8", ""))
	bad := r.create(t, clipBody("alpha-3.1-fast", "[[fail: no]] x", "8", ""))
	r.post(gateway.Chat, chatHi)
	if a := r.do("POST", "/sandbox/clock", `{"advance":"1h"}`); a.status != http.StatusOK {
		t.Fatal(a.status)
	}
	extend := r.create(t, clipBody("alpha-3.1-lite-extend", "y", "8", `,"task_id":"`+r.poll(t, good.ID).nested(t).ID+`"`))
	slow := r.create(t, clipBody("alpha-3.1-fast", "[[slow]] [[fail: later]] x", "8", ""))
	before := r.account()
	if before.Returned != 800_000_000 || len(before.Entries) != 6 {
		t.Fatalf("%+v", before)
	}
	for restart := range 3 {
		states := map[string]string{}
		for _, c := range []created{good, bad, extend, slow} {
			states[c.ID] = string(r.do("GET", "/v1/video/generations/"+c.ID, "").body)
		}
		old := r.http.URL
		r = r.again(t, cfg)
		if after := r.account(); !equalJSON(t, after, before) {
			t.Fatalf("restart %d: %+v, want %+v", restart, after, before)
		}
		for id, want := range states {
			got := r.do("GET", "/v1/video/generations/"+id, "")
			if strings.ReplaceAll(string(got.body), r.http.URL, old) != want {
				t.Errorf("restart %d: %s, want %s", restart, got.body, want)
			}
		}
	}
	// What was under way goes on, and what fails after a restart is paid back.
	r.clock.advance(time.Hour)
	if a := r.account(); a.Returned != 1_600_000_000 || len(a.Entries) != 7 {
		t.Errorf("%+v", a)
	}
	if n := r.poll(t, extend.ID).nested(t); n.Status != "completed" || r.do("GET", "/files/"+n.ID+".mp4", "").status != 200 {
		t.Errorf("%+v", n)
	}
	r = r.again(t, cfg)
	if a := r.account(); a.Returned != 1_600_000_000 || len(a.Entries) != 7 {
		t.Errorf("paid back twice, or not at all: %+v", a)
	}
	// No file holds the key.
	files, err := filepath.Glob(filepath.Join(cfg.Dir, "*"))
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	for _, f := range files {
		if b, err := os.ReadFile(f); err != nil || strings.Contains(string(b), `"`+DefaultKey+`"`) {
			t.Errorf("%s: %v, or the key is in it", f, err)
		}
		if info, err := os.Stat(f); err != nil || info.Mode().Perm()&0o077 != 0 && filepath.Base(f) != lockName {
			t.Errorf("%s can be read by others", f)
		}
	}
}

func mustBytes(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func equalJSON(t *testing.T, a, b any) bool {
	t.Helper()
	return string(mustBytes(t, a)) == string(mustBytes(t, b))
}

// A kill at any byte of the last line costs that line and nothing else.
func TestKillInTheMiddleOfALine(t *testing.T) {
	dir := t.TempDir()
	r := start(t, Config{Dir: dir})
	first := r.create(t, clipBody("alpha-3.1-lite", "x", "8", ""))
	path := filepath.Join(dir, journalName)
	one, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r.create(t, clipBody("alpha-3.1-lite", "y", "8", ""))
	both, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.server.Close(); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{len(one), len(one) + 1, len(one) + 50, len(both) - 2, len(both) - 1, len(both)} {
		other := t.TempDir()
		if err := os.WriteFile(filepath.Join(other, journalName), both[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		cfg := Config{Dir: other, Now: r.clock.now}
		k := start(t, cfg)
		want := 1
		if n == len(both) {
			want = 2
		}
		if got := len(k.account().Entries); got != want {
			t.Errorf("cut at %d of %d: %d entries", n, len(both), got)
		}
		k.poll(t, first.ID)
		// And what is written next can be read again.
		k.create(t, clipBody("alpha-3.1-lite", "z", "8", ""))
		k.clock = r.clock
		k = k.again(t, cfg)
		if got := len(k.account().Entries); got != want+1 {
			t.Errorf("cut at %d, after another create: %d entries", n, got)
		}
	}
}

// A damaged journal and a folder in use are refused, in a sentence.
func TestFolderThatCannotBeUsed(t *testing.T) {
	dir := t.TempDir()
	cfg := Config{Dir: dir, Catalogue: gateway.SampleCatalogue()}
	r := start(t, cfg)
	if _, err := New(cfg); err == nil || !strings.Contains(err.Error(), "another sandbox") {
		t.Errorf("in use: %v", err)
	}
	if err := r.server.Close(); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"no JSON":             "hello\n",
		"an unknown field":    `{"tusk":1}` + "\n",
		"a return of no task": `{"return":"task_x"}` + "\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, journalName), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := New(cfg); err == nil || !strings.Contains(err.Error(), "line 1") || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := os.Remove(filepath.Join(dir, journalName)); err != nil {
		t.Fatal(err)
	}
	s, err := New(cfg) // the folder was given back each time
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := New(Config{Dir: filepath.Join(dir, lockName, "x"), Catalogue: cfg.Catalogue}); err == nil {
		t.Error("a file was taken for a folder")
	}
}

// An account lists its latest bookings; its totals count them all.
func TestEntriesAreBounded(t *testing.T) {
	a := &account{opening: 1 << 40}
	for range maxEntries + 10 {
		a.book("charge", "x", 1)
	}
	if len(a.entries) > maxEntries || len(a.entries) < maxEntries/2 || a.charged != maxEntries+10 {
		t.Errorf("%d entries, charged %d", len(a.entries), a.charged)
	}
}

// Tasks are bounded: the oldest that is over goes first, and where none is, the
// create is refused and not charged.
func TestTasksAreBounded(t *testing.T) {
	r := start(t, Config{Balance: 1 << 50})
	now := r.server.now()
	r.server.bank.mu.Lock()
	for i := range maxTasks {
		r.server.tasks.add(&task{ID: itoa(i), UUID: itoa(i), Account: "x", Created: now, Started: now, Finished: now.Add(time.Hour)})
	}
	r.server.bank.mu.Unlock()
	body := clipBody("alpha-3.1-lite", "x", "4", "")
	if a := r.post(gateway.Video, body); a.status != http.StatusTooManyRequests || a.problem(t).code != "too_many_tasks" {
		t.Errorf("%d %s", a.status, a.body)
	}
	if n := len(r.account().Entries); n != 0 {
		t.Errorf("%d entries", n)
	}
	r.clock.advance(15 * 24 * time.Hour)
	r.create(t, body)
	if n := len(r.server.tasks.byID); n != maxTasks {
		t.Errorf("%d tasks", n)
	}
}
