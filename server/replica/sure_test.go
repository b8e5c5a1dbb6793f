package replica_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"screentest/server/replica"
)

// lateAnswers is the database of one whose beats are counted at once, and answered
// when the test lets them.
type lateAnswers struct {
	*client
	late chan struct{} // nil: at once
}

func (c *lateAnswers) Beat(ctx context.Context) ([]replica.Beat, error) {
	there, err := c.client.Beat(ctx)
	c.db.mu.Lock()
	late := c.late
	c.db.mu.Unlock()
	if late != nil {
		<-late
	}
	return there, err
}

// A beat says that a process was there when it was made, not when its answer came: a
// process that was stopped in between may have been found gone.
func TestABeatThatIsAnsweredLateIsOld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := newDatabase()
		store := &lateAnswers{client: &client{db: db}}
		m, err := replica.Join(t.Context(), replica.Config{Store: store, Address: "http://a"})
		if err != nil {
			t.Fatal(err)
		}
		m.Start()
		time.Sleep(3500 * time.Millisecond)
		if !m.Awake() || !m.Sure() {
			t.Error("it beats, and is not sure")
		}
		late := make(chan struct{})
		db.mu.Lock()
		store.late = late
		db.mu.Unlock()
		time.Sleep(30 * time.Second)
		db.mu.Lock()
		store.late = make(chan struct{}) // of the next one
		last := store.late
		db.mu.Unlock()
		close(late)
		synctest.Wait()
		if m.Awake() || m.Sure() {
			t.Error("it takes an old beat for a new one")
		}
		db.mu.Lock()
		store.late = nil
		db.mu.Unlock()
		close(last)
		time.Sleep(2 * time.Second)
		if !m.Awake() || !m.Sure() {
			t.Error("it beats again, and is not sure")
		}
		if err := m.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
