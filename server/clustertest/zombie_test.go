package clustertest

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"screentest/server/pgtest"
	"screentest/server/wiretest"
	"screentest/shared/wire"
)

// A replica that is held for half a minute, and then goes on, was taken for gone: what
// it did goes on elsewhere, it writes nothing any more, and it ends.
func TestAZombieWritesNothing(t *testing.T) {
	t.Parallel()
	c := New(t, 3)
	ann := c.SetUp()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	l := c.NewLoad(ann, 1, nil)
	zombie := c.Replicas[0]
	// Two that it holds: one is read elsewhere, the other one by nobody.
	readers := []*reader{read(t, ctx, ann.At(zombie), ann.At(c.Replicas[1])), read(t, ctx, ann.At(zombie), ann.At(zombie))}
	for _, r := range readers {
		r.begun(ctx)
	}
	own, err := ann.At(zombie).Dial(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()

	zombie.Pause()
	began := time.Now()
	for len(c.Postgres.Rows(t, "SELECT n FROM replicas WHERE gone_ms <> 0")) == 0 {
		if time.Since(began) > time.Minute {
			t.Fatal("nobody has taken it for gone")
		}
		time.Sleep(200 * time.Millisecond)
	}
	t.Logf("it was taken for gone after %v", time.Since(began).Round(100*time.Millisecond))
	for _, r := range readers {
		answer, err := ann.At(c.Replicas[2]).settled(ctx, r.start)
		if err != nil {
			t.Fatal(err)
		}
		if answer.Run.State != wire.Interrupted || answer.Text == "" {
			t.Errorf("run %s: %s with %d bytes of text", r.start.Run, answer.Run.State, len(answer.Text))
		}
		p := &Played{Start: r.start, Socket: 1, Answer: answer}
		if r == readers[0] {
			log, err := r.tab.Log(ctx, r.start.Run, wiretest.Whole)
			if err != nil {
				t.Fatal(err)
			}
			p.Shown = log.Bytes
		}
		l.played = append(l.played, ofPerson[*Played]{ann, p})
	}
	time.Sleep(time.Until(began.Add(30 * time.Second)))
	before := rows(t, c.Postgres)
	zombie.GoOn()
	if ended, err := zombie.Ended(30 * time.Second); !ended || err == nil {
		t.Errorf("the zombie's end: %v, %v", ended, err)
	}
	if _, err := own.Ended(ctx); err != nil && ctx.Err() != nil {
		t.Errorf("its socket is still there: %v", err)
	}
	after := rows(t, c.Postgres)
	for _, table := range slices.Sorted(maps.Keys(after)) {
		if before[table] != after[table] {
			t.Errorf("the zombie has changed %s:\n%s\nto\n%s", table, before[table], after[table])
		}
	}
	zombie.Start()
	l.End()
	l.Check()
}

// rows are all rows of all tables, by table, but those in which replicas say that they
// are there.
func rows(t *testing.T, s *pgtest.Server) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, name := range s.Rows(t, "SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'replicas'") {
		var lines []string
		for _, row := range s.Rows(t, "SELECT left(r::text, 2000) FROM \""+name[0]+"\" r ORDER BY 1") {
			lines = append(lines, row[0])
		}
		all[name[0]] = strings.Join(lines, "\n")
	}
	return all
}
