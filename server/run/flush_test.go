package run_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"screentest/server/run"
	"screentest/server/store"
	"screentest/shared/wire"
)

// brokenDisk is a store whose disk is full for log stretches.
type brokenDisk struct {
	*store.DB
	mu     sync.Mutex
	broken bool
}

func (b *brokenDisk) AppendRunLog(owner, id string, from int64, p, times []byte, done func(error)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.broken {
		go done(errors.New("disk full"))
		return
	}
	b.DB.AppendRunLog(owner, id, from, p, times, done)
}

func TestDiskThatIsFullForAWhileLosesNothing(t *testing.T) {
	var disk *brokenDisk
	w := newWorld(t, func(c *run.Config) {
		disk = &brokenDisk{DB: c.Store.(*store.DB), broken: true}
		c.Store = disk
		c.FlushEvery = time.Millisecond
	})
	s := turn()
	w.start(s)
	c := w.call()
	c.stream(events)
	var sent strings.Builder
	for i := range 400 {
		p := chunk(fmt.Sprintf("word %d ", i))
		sent.WriteString(p)
		c.send(t, "%s", p)
		if i == 200 {
			disk.mu.Lock()
			disk.broken = false
			disk.mu.Unlock()
		}
	}
	sent.WriteString(done)
	c.send(t, done)
	c.pipe.Close()
	if r := w.wait(s.Run); r.State != wire.Done {
		t.Errorf("ended %s, %v", r.State, r.Problem)
	}
	if got := w.read(s.Run, 0); string(got) != sent.String() {
		t.Error("the log has other bytes")
	}
}

func TestDiskThatStaysFullEndsTheRunAndSaysSo(t *testing.T) {
	w := newWorld(t, func(c *run.Config) {
		c.Store = &brokenDisk{DB: c.Store.(*store.DB), broken: true}
		c.FlushEvery = time.Millisecond
	})
	s := turn()
	w.start(s)
	c := w.call()
	c.stream(events)
	p := chunk(strings.Repeat("word ", 2000))
	for {
		if _, err := io.WriteString(c.pipe, p); err != nil {
			break
		}
	}
	r := w.wait(s.Run)
	if r.State != wire.Failed || r.Problem == nil || r.Problem.Code != "storage_failed" {
		t.Errorf("ended %s, %v", r.State, r.Problem)
	}
}
