package main

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"screentest/shared/wire"
)

func TestTheTableOfReplicasHasWhatWasMeasured(t *testing.T) {
	sqlite, other := &replicaWay{}, &replicaWay{}
	sqlite.name, other.name = "SQLite", "1 replica"
	for _, n := range []float64{30, 10, 20} {
		sqlite.note(rowRuns, n)
	}
	other.note(rowTaken50, 9.96)
	got := replicaTable([]*replicaWay{sqlite, other})
	want := []string{
		"|                                      |     SQLite | 1 replica |",
		"|--------------------------------------|-----------:|----------:|",
		"| durable runs a second, 64 at once    | 20 (10–30) |         – |",
		"| taken over by another replica p50, s |          – |      10.0 |",
	}
	if !slices.Equal(got, want) {
		t.Errorf("\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestRoundsEndInTime(t *testing.T) {
	for _, c := range []struct {
		name   string
		within time.Duration
		want   int
	}{{"time enough", time.Hour, 3}, {"no time", 0, 1}} {
		n := 0
		if err := inTurns(3, c.within, func() error { n++; return nil }); err != nil || n != c.want {
			t.Errorf("%s: %d rounds, %v; want %d", c.name, n, err, c.want)
		}
	}
	wrong := errors.New("wrong")
	n := 0
	if err := inTurns(3, time.Hour, func() error { n++; return wrong }); !errors.Is(err, wrong) || n != 1 {
		t.Errorf("after what went wrong: %d rounds, %v", n, err)
	}
}

func TestAStreamsShareOfAProcessor(t *testing.T) {
	// Ten streams for two seconds each.
	if got := (plan{chunks: 100, rate: 50}).share(4, 10); got != 0.2 {
		t.Errorf("%v, want 0.2", got)
	}
}

func TestAHistoryIsAFileThatCanBeImported(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	file, err := historyOf(random, 3)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(file), `{"format":`) {
		t.Errorf("the format doesn't come first: %.60s", file)
	}
	var got struct {
		Conversations []struct {
			ID       string
			Messages []struct {
				ID, Parent, Role, Text string
				Run                    *struct{ State wire.RunState }
			}
		}
	}
	if err := json.Unmarshal(file, &got); err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for _, c := range got.Conversations {
		ids[c.ID] = true
		parent := ""
		for n, m := range c.Messages {
			ids[m.ID] = true
			if m.Parent != parent {
				t.Errorf("message %d follows %q, want %q", n, m.Parent, parent)
			}
			if answer := m.Role == "assistant"; answer != (n%2 == 1) || answer != (m.Run != nil && m.Run.State == wire.Done) {
				t.Errorf("message %d is the %s's, with the run %v", n, m.Role, m.Run)
			}
			if !slices.ContainsFunc(dayWords, func(w string) bool { return strings.Contains(m.Text, w) }) || !strings.Contains(m.Text, "ref") {
				t.Errorf("message %d has nothing to be searched for: %s", n, m.Text)
			}
			parent = m.ID
		}
	}
	if want := 3 * (1 + historyMessages); len(ids) != want {
		t.Errorf("%d ids, want %d", len(ids), want)
	}
}

func TestPostgresGoesWithItsFolder(t *testing.T) {
	p, err := startPostgres(t.Context(), func(start func() error) error { return start() }, "one", "two")
	if errors.Is(err, errNoPostgres) && os.Getenv("SCREENTEST_NO_POSTGRES") != "" { // make test has said so aloud
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	dial := func() error {
		c, err := net.Dial("tcp", "127.0.0.1:"+strconv.Itoa(p.port))
		if err == nil {
			c.Close()
		}
		return err
	}
	if err := dial(); err != nil {
		t.Error(err)
	}
	if u, err := family(p.cmd.Process.Pid); err != nil || u.privateKB == 0 {
		t.Errorf("its processes use %+v, %v", u, err)
	}
	p.stop()
	if err := dial(); err == nil {
		t.Error("it listens after its end")
	}
	if _, err := os.Stat(p.dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("its folder is left: %v", err)
	}
}
