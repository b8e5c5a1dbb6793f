package retention_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"go.uber.org/goleak"

	"screentest/server/retention"
	"screentest/server/store"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newStore is a store with a run that ended two days before now.
func newStore(t *testing.T, now time.Time) (db *store.DB, owner, run string) {
	t.Helper()
	db, err := storetest.TryOpen(t, storetest.Folder(t), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	if owner, err = db.EnsureLocalUser(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := wire.Start{Run: uuid.NewString(), Conversation: uuid.NewString(), Answer: uuid.NewString(),
		User: wire.Message{ID: uuid.NewString(), Role: "user", Text: "a question"}, Endpoint: "chat", Body: []byte(`{}`)}
	r := wire.Run{ID: s.Run, Conversation: s.Conversation, Message: s.Answer, Endpoint: "chat", Model: "m", State: wire.Running, StartedMS: now.AddDate(0, 0, -2).UnixMilli()}
	stored := make(chan error, 1)
	db.StartTurn(owner, s, r, "title", "", func(err error) { stored <- err })
	if err := <-stored; err != nil {
		t.Fatal(err)
	}
	r.State = wire.Done
	if err := db.FinishRun(t.Context(), owner, r, "an answer", []byte("data: x\n\n"), nil, nil); err != nil {
		t.Fatal(err)
	}
	return db, owner, s.Run
}

// dropped is told of what a Sweeper removed.
type dropped struct {
	*store.DB
	wire chan int
}

func (d dropped) DropWire(ctx context.Context, owner string, before time.Time) (int, error) {
	n, err := d.DB.DropWire(ctx, owner, before)
	select {
	case d.wire <- n:
	case <-ctx.Done():
	}
	return n, err
}

func TestOldThingsGoWhenTheyAreToBeKeptNoLonger(t *testing.T) {
	now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	db, owner, run := newStore(t, now)
	d := dropped{db, make(chan int)}
	clips := make(chan time.Time)
	c := retention.Config{Store: d, Now: func() time.Time { return now }, DropClips: func(ctx context.Context, who string, before time.Time) (int, error) {
		if who != owner {
			t.Errorf("clips of %q", who)
		}
		select {
		case clips <- before:
		case <-ctx.Done():
		}
		return 1, nil
	}}
	k := retention.New(c)
	k.Start()
	if r, err := k.Retention(t.Context(), owner); err != nil || r != (wire.Retention{}) {
		t.Errorf("at first %+v, %v", r, err)
	}
	set := func(r wire.Retention) {
		t.Helper()
		if _, err := k.SetRetention(t.Context(), owner, r); err != nil {
			t.Fatal(err)
		}
		if got, err := k.Retention(t.Context(), owner); err != nil || got != r {
			t.Errorf("%+v, %v; want %+v", got, err, r)
		}
	}
	set(wire.Retention{WireDays: 3})
	if n := <-d.wire; n != 0 {
		t.Errorf("%d runs of two days ago are older than three", n)
	}
	if log, err := db.ReadRunLog(t.Context(), owner, run, 0, 100); err != nil || len(log) == 0 {
		t.Errorf("the log is gone: %v", err)
	}
	set(wire.Retention{WireDays: 1, ClipDays: 7})
	// A look that had begun before the change may come first.
	n := <-d.wire
	for range 2 {
		if n == 0 {
			n = <-d.wire
		}
	}
	if n != 1 {
		t.Errorf("of %d runs the wire events went", n)
	}
	if before := <-clips; !before.Equal(now.AddDate(0, 0, -7)) {
		t.Errorf("clips before %v", before)
	}
	k.Close()

	// The next start looks by itself.
	k = retention.New(c)
	k.Start()
	if n := <-d.wire; n != 0 {
		t.Errorf("%d runs went twice", n)
	}
	<-clips
	k.Close()
}

// failing is a Store whose wire events can't be removed.
type failing struct{ *store.DB }

func (failing) DropWire(context.Context, string, time.Time) (int, error) {
	return 0, errors.New("the disk failed")
}

// One kind that can't be removed does not keep the other.
func TestClipsGoThoughWireEventsFail(t *testing.T) {
	db, owner, _ := newStore(t, time.Now())
	clips, log := make(chan struct{}, 2), make(lines, 2)
	k := retention.New(retention.Config{Store: failing{db}, Logger: slog.New(slog.NewTextHandler(log, nil)), DropClips: func(context.Context, string, time.Time) (int, error) {
		clips <- struct{}{}
		return 0, nil
	}})
	if _, err := k.SetRetention(t.Context(), owner, wire.Retention{WireDays: 1, ClipDays: 1}); err != nil {
		t.Fatal(err)
	}
	k.Start()
	defer k.Close()
	select {
	case <-clips:
	case <-time.After(20 * time.Second):
		t.Error("the clips were not looked at")
	}
	select {
	case line := <-log:
		if !strings.Contains(line, "the disk failed") {
			t.Errorf("the log says %q", line)
		}
	case <-time.After(20 * time.Second):
		t.Error("what failed is not in the log")
	}
}

// lines are what is written to a log.
type lines chan string

func (l lines) Write(p []byte) (int, error) {
	l <- string(p)
	return len(p), nil
}

func TestSettingsAreChecked(t *testing.T) {
	db, owner, _ := newStore(t, time.Now())
	k := retention.New(retention.Config{Store: db})
	k.Start()
	defer k.Close()
	for field, r := range map[string]wire.Retention{"wire_days": {WireDays: -1}, "clip_days": {ClipDays: wire.MaxKeepDays + 1}} {
		_, err := k.SetRetention(t.Context(), owner, r)
		if p, is := err.(*wire.Problem); !is || p.Field != field || p.Code != "invalid_retention" {
			t.Errorf("%s: %v", field, err)
		}
	}
	// Nothing is removed without a word of the person's.
	if r, err := k.Retention(t.Context(), owner); err != nil || r != (wire.Retention{}) {
		t.Errorf("%+v, %v", r, err)
	}
}

// A session that has expired goes, with the key in it, while the server runs.
func TestExpiredSessionsGo(t *testing.T) {
	now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	db, owner, _ := newStore(t, now)
	for id, ends := range map[string]time.Time{"old": time.Now().Add(-time.Minute), "open": time.Now().Add(time.Hour)} {
		if err := db.SaveSession(t.Context(), id, owner, []byte("sealed"), ends); err != nil {
			t.Fatal(err)
		}
	}
	swept := make(chan int, 1)
	k := retention.New(retention.Config{Store: sweeps{db, swept}})
	k.Start()
	defer k.Close()
	if n := <-swept; n != 1 {
		t.Errorf("%d sessions went, want the one that expired", n)
	}
	if _, _, err := db.LoadSession(t.Context(), "open"); err != nil {
		t.Errorf("the open session: %v", err)
	}
}

// sweeps is told of the sessions that a Sweeper removed.
type sweeps struct {
	*store.DB
	sessions chan int
}

func (s sweeps) SweepSessions(ctx context.Context) (int, error) {
	n, err := s.DB.SweepSessions(ctx)
	select {
	case s.sessions <- n:
	default:
	}
	return n, err
}
