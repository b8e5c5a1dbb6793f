package clustertest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"screentest/server/wiretest"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// The database is away for a while, one way or another. What is shown goes on, what is
// asked for meanwhile is refused in words, nobody takes another one for gone, and
// everything comes back by itself.
func TestTheDatabaseIsAway(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name       string
		away, back func(*testing.T, *Cluster)
	}{
		{"cut off", func(t *testing.T, c *Cluster) {
			for _, r := range c.Replicas {
				r.Database.Cut(t)
			}
		}, func(t *testing.T, c *Cluster) {
			for _, r := range c.Replicas {
				r.Database.Mend(t)
			}
		}},
		{"held", func(t *testing.T, c *Cluster) { c.Postgres.Pause(t) }, func(t *testing.T, c *Cluster) { c.Postgres.GoOn(t) }},
		{"failed over to a restored copy", func(t *testing.T, c *Cluster) { c.Postgres.Stop(t) }, func(t *testing.T, c *Cluster) {
			c.Postgres = c.Postgres.Restored(t)
			for _, r := range c.Replicas {
				r.Database.Lead(t, c.Postgres.Port())
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			away(t, New(t, 3), c.away, c.back)
		})
	}
}

// outage is how long the database is away.
const outage = 20 * time.Second

func away(t *testing.T, c *Cluster, away, back func(*testing.T, *Cluster)) {
	ann := c.SetUp()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	l := c.NewLoad(ann, 1, nil)
	var readers []*reader
	for i := range 9 {
		// Each replica holds some; some are read elsewhere.
		readers = append(readers, read(t, ctx, ann.At(c.Replicas[i%3]), ann.At(c.Replicas[(i+i/3)%3])))
	}
	for _, r := range readers {
		r.begun(ctx)
	}

	away(t, c)
	began := time.Now()
	for time.Since(began) < outage {
		for _, r := range readers {
			r.more(ctx)
		}
		time.Sleep(500 * time.Millisecond)
	}
	refused(t, ctx, readers[0].tab)
	back(t, c)

	for _, r := range readers {
		l.ends(ctx, ann, r)
	}
	l.Play(ann, Turn(gateway.Chat, "[[pace: 1000]] afterwards"))
	l.End()
	l.Check()
	c.nobodyGone()
}

// A reader follows an answer that takes half a minute.
type reader struct {
	t     *testing.T
	tab   *wiretest.Client
	start wire.Start
	seen  int
}

// read has an answer started by one socket and read by another.
func read(t *testing.T, ctx context.Context, by, reading *Person) *reader {
	t.Helper()
	r := &reader{t: t, start: Turn(gateway.Chat, "[[repeat: 1500]] [[pace: 50]]")}
	if err := by.Call(ctx, wire.OpStart, r.start, nil); err != nil {
		t.Fatal(err)
	}
	var err error
	if r.tab, err = reading.Dial(ctx); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.tab.Close)
	if err := r.tab.Call(ctx, wire.OpRead, wire.Read{Run: r.start.Run}, nil); err != nil {
		t.Fatal(err)
	}
	return r
}

// begun waits until some words have come.
func (r *reader) begun(ctx context.Context) {
	r.t.Helper()
	for r.seen < 5000 {
		r.more(ctx)
	}
}

// more waits until more of the answer has come than at the last call.
func (r *reader) more(ctx context.Context) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	l, err := r.tab.Log(ctx, r.start.Run, func(l wiretest.Log) bool { return len(l.Bytes) > r.seen || l.End })
	if err != nil {
		r.t.Fatalf("run %s: nothing came after %d bytes: %v", r.start.Run, r.seen, err)
	}
	r.seen = len(l.Bytes)
}

// refused sends something that can't be stored: that is said, in words.
func refused(t *testing.T, ctx context.Context, tab *wiretest.Client) {
	t.Helper()
	s := Turn(gateway.Chat, "while the database is away")
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	began := time.Now()
	err := tab.Call(ctx, wire.OpStart, s, nil)
	var p *wire.Problem
	if !errors.As(err, &p) {
		t.Errorf("a start without a database: %v", err)
		return
	}
	t.Logf("refused after %v with %s: %s", time.Since(began).Round(100*time.Millisecond), p.Code, p.Words())
	if !strings.HasSuffix(p.Message, ".") || strings.Contains(p.Words(), "SQLSTATE") || strings.Contains(p.Words(), "127.0.0.1") {
		t.Errorf("a person reads: %s", p.Words())
	}
}

// A database that takes half a second for each answer makes things slow. A start, which
// asks for more than it has time for, may be refused; it is not sent then, and can be
// made again.
func TestTheDatabaseIsSlow(t *testing.T) {
	t.Parallel()
	c := New(t, 3)
	ann := c.SetUp()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	l := c.NewLoad(ann, 1, func(p *wire.Problem) bool {
		t.Logf("refused with %s: %s", p.Code, p.Words())
		return true
	})
	var readers []*reader
	for i := range 9 {
		readers = append(readers, read(t, ctx, ann.At(c.Replicas[i%3]), ann.At(c.Replicas[(i+i/3)%3])))
	}
	for _, r := range c.Replicas {
		r.Database.Slow(t, 500*time.Millisecond)
	}
	for range 3 {
		l.work.Go(func() { l.Play(ann, Turn(gateway.Chat, "[[repeat: 100]] [[pace: 100]] slowly")) })
	}
	began := time.Now()
	for time.Since(began) < outage {
		for _, r := range readers {
			r.more(ctx)
		}
		var page wire.ConversationPage
		if err := readers[0].tab.Call(ctx, wire.OpConversations, wire.Page{}, &page); err != nil || len(page.Conversations) < len(readers) {
			t.Errorf("the list has %d: %v", len(page.Conversations), err)
		}
	}
	for _, r := range c.Replicas {
		r.Database.Slow(t, 0)
	}
	for _, r := range readers {
		l.ends(ctx, ann, r)
	}
	l.work.Wait()
	l.End()
	l.Check()
	c.nobodyGone()
}

// ends takes an answer that was followed to its end into what is checked.
func (l *Load) ends(ctx context.Context, by *Person, r *reader) {
	l.t.Helper()
	log, err := r.tab.Log(ctx, r.start.Run, wiretest.Whole)
	if err != nil {
		l.t.Fatalf("run %s, of which %d bytes had come: %v", r.start.Run, r.seen, err)
	}
	answer, err := by.settled(ctx, r.start)
	if err != nil {
		l.t.Fatal(err)
	}
	if answer.Run.State != wire.Done {
		l.t.Errorf("run %s: %s, %v", r.start.Run, answer.Run.State, answer.Run.Problem)
	}
	l.played = append(l.played, ofPerson[*Played]{by, &Played{Start: r.start, Shown: log.Bytes, Socket: 1, Answer: answer}})
}

// nobodyGone fails the test where a replica was taken for gone, or has ended.
func (c *Cluster) nobodyGone() {
	c.t.Helper()
	if rows := c.Postgres.Rows(c.t, "SELECT n FROM replicas WHERE gone_ms <> 0"); len(rows) > 0 {
		c.t.Errorf("replicas were taken for gone that were there: %v", rows)
	}
	for _, r := range c.Replicas {
		if ended, err := r.Ended(0); ended {
			c.t.Errorf("replica %s has ended: %v", r.Name, err)
		}
	}
}
