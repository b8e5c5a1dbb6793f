package main

import (
	"os"
	"testing"
	"time"
)

func TestLatenessIsTheDelayBehindTheStreamsOwnTimetable(t *testing.T) {
	const step = time.Second / pacedRate
	arrivals := []time.Duration{0, 0} // not paced: the head
	for i := range 20 {
		at := 100*time.Millisecond + time.Duration(i)*step
		if i == 7 {
			at += 13 * time.Millisecond
		}
		arrivals = append(arrivals, at)
	}
	last := arrivals[len(arrivals)-1]
	arrivals = append(arrivals, last, last, last, last, last) // not paced: the tail
	l := load{arrivals: [][]time.Duration{arrivals}}
	late := l.lateness()
	if len(late) != 20 {
		t.Fatalf("%d chunks counted, want the 20 paced ones", len(late))
	}
	for i, d := range late {
		want := time.Duration(0)
		if i == 7 {
			want = 13 * time.Millisecond
		}
		if d != want {
			t.Errorf("chunk %d is late by %v, want %v", i, d, want)
		}
	}
	if got := quantile(late, 0.99); got != 13*time.Millisecond {
		t.Errorf("p99 %v", got)
	}
}

func TestEventsAreCountedAcrossPieces(t *testing.T) {
	stream := "data: a\n\ndata: b\ndata: c\n\n: x\n\n"
	for size := 1; size <= len(stream); size++ {
		var e events
		n := 0
		for at := 0; at < len(stream); at += size {
			n += e.count([]byte(stream[at:min(at+size, len(stream))]))
		}
		if n != 3 {
			t.Errorf("in pieces of %d: %d events, want 3", size, n)
		}
	}
}

func TestFamilySeesThisProcess(t *testing.T) {
	u, err := family(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if u.residentKB < 1000 || u.cpuSeconds < 0 {
		t.Errorf("%+v", u)
	}
}
