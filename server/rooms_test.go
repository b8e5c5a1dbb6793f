package main

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"screentest/server/replica"
)

// However much is deleted while a replica hangs, it is told of one owner at a time, of
// nobody twice, and of no more than there is room for; another one hears meanwhile.
func TestRoomIsToldToAReplicaThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answer, told, under := make(chan error), map[int64][]string{}, map[int64]int{}
		r := &roomNews{}
		r.tell = func(p replica.Peer, owner string) error {
			r.mu.Lock()
			told[p.N] = append(told[p.N], owner)
			under[p.N]++
			if under[p.N] > 1 {
				t.Error("told of two at once")
			}
			r.mu.Unlock()
			var err error
			if p.N == 1 {
				err = <-answer
			}
			r.mu.Lock()
			under[p.N]--
			r.mu.Unlock()
			return err
		}
		hangs, other := replica.Peer{N: 1}, replica.Peer{N: 2}
		r.add(hangs, "me")
		synctest.Wait()
		for range 5000 {
			r.add(hangs, "me")
		}
		r.add(other, "me")
		synctest.Wait()
		if len(told[1]) != 1 || len(told[2]) != 1 {
			t.Fatalf("told %v", told)
		}
		answer <- nil
		synctest.Wait()
		answer <- nil // what was deleted since
		synctest.Wait()
		if len(told[1]) != 2 || len(r.of) != 0 {
			t.Fatalf("told %v, waiting are %v", told, r.of)
		}
		for n := range 2 * mostRooms {
			r.add(hangs, fmt.Sprint(n))
		}
		synctest.Wait()
		if n := len(r.of[1]); n > mostRooms {
			t.Errorf("%d wait", n)
		}
		answer <- errors.New("it doesn't answer")
		synctest.Wait()
		if len(told[1]) != 3 || len(r.of) != 0 {
			t.Errorf("told of %d, waiting are %d, after it didn't answer", len(told[1]), len(r.of[1]))
		}
	})
}
