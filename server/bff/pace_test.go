package bff

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestABusyMomentIsForgottenOnceNobodyReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, quit := newPace(), make(chan struct{})
		go p.loop(quit)
		defer close(quit)
		p.late.Store(int64(time.Second))
		if got := p.join(); got != joinBusy {
			t.Errorf("frames wait %v for each other while the processors are busy, not %v", got, joinBusy)
		}
		time.Sleep((restAfter + 2) * paceEvery)
		synctest.Wait()
		if late := p.late.Load(); late != 0 {
			t.Errorf("late by %v is remembered of a stream that is over", time.Duration(late))
		}
		if got := p.join(); got != joinIdle {
			t.Errorf("the next stream's frames wait %v for each other, not %v", got, joinIdle)
		}
	})
}

func TestLatenessIsMeasuredForAsLongAsFramesAreSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, quit := newPace(), make(chan struct{})
		go p.loop(quit)
		defer close(quit)
		for range 4 * restAfter {
			p.join()
			time.Sleep(paceEvery)
		}
		p.late.Store(int64(time.Second))
		p.join()
		time.Sleep(2 * paceEvery)
		synctest.Wait()
		if late := p.late.Load(); late == 0 || late == int64(time.Second) {
			t.Errorf("late by %v after two more rounds: nothing was measured", time.Duration(late))
		}
	})
}
