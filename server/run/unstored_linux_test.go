package run_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"screentest/server/payer"
	"screentest/server/run"
	"screentest/server/store"
	"screentest/server/store/storetest"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// fillDisk lets no file of this process grow until room is called, nor the database
// of w take anything.
func fillDisk(t *testing.T, w *world) (room func()) {
	t.Helper()
	if storetest.OnPostgres() {
		room = storetest.FillDatabase(t, w.dir)
		t.Cleanup(room)
		return room
	}
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		t.Fatal(err)
	}
	full := was
	full.Cur = 1
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &full); err != nil {
		t.Fatal(err)
	}
	room = sync.OnceFunc(func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(room)
	return room
}

// counted is the store, with its refusals to end a run and to take a stretch
// of a log counted.
type counted struct {
	*store.DB
	refused chan error // by FinishRun
	logs    chan error // by AppendRunLog
	stored  chan int64 // up to where AppendRunLog has stored a log
}

func (c *counted) FinishRun(ctx context.Context, owner string, r wire.Run, text string, log, times []byte, prices json.RawMessage) error {
	err := c.DB.FinishRun(ctx, owner, r, text, log, times, prices)
	if err != nil {
		c.refused <- err
	}
	return err
}

func (c *counted) AppendRunLog(owner, id string, from int64, p, times []byte, done func(error)) {
	c.DB.AppendRunLog(owner, id, from, p, times, func(err error) {
		done(err)
		if err != nil {
			c.logs <- err
		} else {
			c.stored <- from + int64(len(p))
		}
	})
}

// fullDesk is a world with a counted store, and how often what was reserved was
// released.
func fullDesk(t *testing.T, change func(*run.Config)) (*world, *counted, *atomic.Int64) {
	t.Helper()
	db := &counted{refused: make(chan error, 1000), logs: make(chan error, 1000), stored: make(chan int64, 1000)}
	released := new(atomic.Int64)
	w := newWorld(t, func(c *run.Config) {
		db.DB = c.Store.(*store.DB)
		c.Store = db
		c.Reserve = func(context.Context, payer.Payer, gateway.Model, []byte) (func(), *wire.Problem) {
			return func() { released.Add(1) }, nil
		}
		if change != nil {
			change(c)
		}
	})
	return w, db, released
}

// begun starts a run and sends the beginning of its answer, which is stored.
func (w *world) begun(s wire.Start, db *counted) (c *call, sent string) {
	w.t.Helper()
	w.start(s)
	c = w.call()
	c.stream(events)
	for i := range 50 {
		sent += chunk(fmt.Sprintf("word %d ", i))
	}
	c.send(w.t, "%s", sent)
	for n := int64(0); n < int64(len(sent)); {
		n = <-db.stored
	}
	return c, sent
}

func TestAnswerThatEndsWhileTheDiskIsFullIsKeptAndStoredLater(t *testing.T) {
	w, db, released := fullDesk(t, nil)
	s := turn()
	c, sent := w.begun(s, db)
	room := fillDisk(t, w)
	rest := chunk("and its end") + finish + usage + done
	c.send(t, "%s", rest)
	c.pipe.Close()
	sent += rest

	r := w.wait(s.Run)
	if r.State != wire.Done || r.Problem == nil || r.Problem.Code != "not_stored_yet" || r.Problem.Hint == "" {
		t.Fatalf("the page is told %s, %+v", r.State, r.Problem)
	}
	for range 4 {
		<-db.refused // it is tried again and again
	}
	if got := w.read(s.Run, 0); string(got) != sent {
		t.Errorf("%d bytes can be read of %d", len(got), len(sent))
	}
	opened, _, err := w.Open(t.Context(), w.owner, s.Run)
	if err != nil || opened.State != wire.Done || opened.Problem == nil || opened.Bytes != int64(len(sent)) {
		t.Errorf("opened, it is %+v, %v", opened, err)
	}
	if again := w.start(s); again.State != wire.Done {
		t.Errorf("started again, it is %+v", again)
	}
	if err := w.Stop(t.Context(), w.owner, s.Run); err != nil {
		t.Errorf("stop: %v", err)
	}
	if r := w.wait(s.Run); r.State != wire.Done || r.Problem == nil {
		t.Errorf("who stops it is told %s, %+v", r.State, r.Problem)
	}
	if n := released.Load(); n != 0 {
		t.Errorf("what was reserved was released %d times before the cost was stored", n)
	}

	room()
	if r = w.wait(s.Run); r.State != wire.Done || r.Problem != nil || r.CostNanoUSD != 11_000 {
		t.Errorf("stored, it is told as %+v", r)
	}
	if m := w.message(s); !strings.HasSuffix(m.Text, "and its end") || m.Run.State != wire.Done || m.Run.Bytes != int64(len(sent)) {
		t.Errorf("stored as %q, %+v", m.Text, m.Run)
	}
	if got := w.read(s.Run, 0); string(got) != sent {
		t.Error("the stored log has other bytes")
	}
	if n, spent := released.Load(), w.spent(); n != 1 || spent != 11_000 {
		t.Errorf("released %d times, spent %d", n, spent)
	}
	// However often it was tried, the log says it once.
	if n := strings.Count(w.log.String(), "level=ERROR msg=\"end of run"); n != 1 {
		t.Errorf("%d lines say that the end is not stored:\n%s", n, w.log)
	}
}

// A log that grows while the disk is full is tried at the interval, not as fast
// as the disk refuses it, and the server's log is not filled with that.
func TestFullDiskIsSaidOnce(t *testing.T) {
	w, db, _ := fullDesk(t, nil)
	s := turn()
	c, _ := w.begun(s, db)
	room := fillDisk(t, w)
	for range 20 {
		c.send(t, "%s", chunk(strings.Repeat("word ", 100)))
		<-db.logs
	}
	room()
	c.send(t, "%s", finish+done)
	c.pipe.Close()
	if r := w.wait(s.Run); r.State != wire.Done || r.Problem != nil {
		t.Errorf("ended %s, %v", r.State, r.Problem)
	}
	if n := strings.Count(w.log.String(), "level=ERROR"); n > 2 { // of the log's stretches, and of the reply's head
		t.Errorf("%d errors after 20 refusals:\n%s", n, w.log)
	}
}

// What is held for a full disk is bounded: runs that hold too much together
// are ended, and no new ones begin.
func TestAnswersThatWaitForTheDiskAreBounded(t *testing.T) {
	const most = 256 << 10
	w, db, _ := fullDesk(t, func(c *run.Config) { c.MaxUnstored = most })
	var turns []wire.Start
	var calls []*call
	for range 4 {
		s := turn()
		c, _ := w.begun(s, db)
		turns, calls = append(turns, s), append(calls, c)
	}
	room := fillDisk(t, w)
	word := chunk(strings.Repeat("word ", 1000))
	for _, c := range calls {
		go func() {
			for {
				if _, err := io.WriteString(c.pipe, word); err != nil {
					return
				}
			}
		}()
	}
	for _, s := range turns {
		if r := w.wait(s.Run); r.State != wire.Failed || r.Problem == nil {
			t.Errorf("ended %s, %v", r.State, r.Problem)
		}
	}
	_, err := w.Start(t.Context(), payer.Payer{Owner: w.owner, Secret: canary}, turn())
	var p *wire.Problem
	if !errors.As(err, &p) || p.Code != "disk_full" || p.Hint == "" {
		t.Errorf("one more is answered with %v", err)
	}
	room()
	for _, s := range turns {
		if r := w.wait(s.Run); r.Problem == nil || strings.Contains(r.Problem.Message, "yet") {
			t.Errorf("stored, it is told as %s, %v", r.State, r.Problem)
		}
	}
	s := turn()
	w.start(s)
	w.call().err <- errors.New("enough")
	w.wait(s.Run)
}

func TestConversationIsDeletedWhileItsEndWaitsForTheDisk(t *testing.T) {
	w, db, released := fullDesk(t, nil)
	s := turn()
	c, _ := w.begun(s, db)
	room := fillDisk(t, w)
	c.send(t, "%s", usage+done)
	c.pipe.Close()
	w.wait(s.Run)
	if err := w.StopConversation(t.Context(), w.owner, s.Conversation); err != nil {
		t.Error(err)
	}
	room()
	if err := w.db.DeleteConversation(t.Context(), w.owner, s.Conversation); err != nil {
		t.Fatal(err)
	}
	w.wait(s.Run)
	if n, spent := released.Load(), w.spent(); n != 1 || spent != 11_000 {
		t.Errorf("released %d times, spent %d", n, spent)
	}
}

// A send may come in between the stop of a conversation's answers and its
// deletion: its end has nothing to be stored in, and must not be tried for ever.
func TestConversationIsDeletedUnderAnAnswerThatWasMissed(t *testing.T) {
	w, db, released := fullDesk(t, nil)
	s := turn()
	c, _ := w.begun(s, db)
	if err := w.db.DeleteConversation(t.Context(), w.owner, s.Conversation); err != nil {
		t.Fatal(err)
	}
	c.send(t, "%s", chunk("more")+usage+done)
	c.pipe.Close()
	r := w.wait(s.Run)
	if r.Problem != nil {
		t.Errorf("ended with %+v", r.Problem)
	}
	if n, spent := released.Load(), w.spent(); n != 1 || spent != 11_000 {
		t.Errorf("released %d times, spent %d", n, spent)
	}
}

// A server that is ended while its disk is full says what is lost, does not
// hang, and the next one goes on with what was stored.
func TestShutdownWhileTheDiskIsFull(t *testing.T) {
	w, db, _ := fullDesk(t, nil)
	waits, runs := turn(), turn()
	c, sent := w.begun(waits, db)
	w.begun(runs, db)
	room := fillDisk(t, w)
	c.send(t, "%s", chunk("lost")+done)
	c.pipe.Close()
	w.wait(waits.Run)
	if err := w.Close(t.Context()); err == nil || !strings.Contains(err.Error(), "2 answers") {
		t.Errorf("closing gives %v", err)
	}
	room()
	if err := w.db.Close(); err != nil {
		t.Fatal(err)
	}
	w.open(nil)
	if err := w.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, s := range []wire.Start{waits, runs} {
		if m := w.message(s); m.Run.State != wire.Interrupted || m.Run.Bytes != int64(len(sent)) {
			t.Errorf("recovered as %+v", m.Run)
		}
	}
}
