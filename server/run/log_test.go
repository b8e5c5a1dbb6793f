package run

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"
)

// disk is where a log's bytes go in these tests: a slice, as the store would
// give them back.
type disk struct{ p []byte }

func (d *disk) fetch(_ context.Context, from int64, max int) ([]byte, error) {
	p := d.p[min(from, int64(len(d.p))):]
	return p[:min(len(p), max)], nil
}

// append adds p to a log as the appender does, in as many reads as it takes.
func (l *Log) append(p []byte, ms int64) {
	for len(p) > 0 {
		n := copy(l.reserve(ms), p)
		l.commit(n, ms)
		p = p[n:]
	}
}

// flush moves what the log has to the disk.
func (d *disk) flush(t *testing.T, l *Log, ms int64) {
	t.Helper()
	from, p, _ := l.unstored(nil, flushChunk)
	if from != int64(len(d.p)) {
		t.Fatalf("a flush starts at %d, %d bytes are stored", from, len(d.p))
	}
	d.p = append(d.p, p...)
	l.markStored(len(p), ms)
}

func pattern(n int) []byte {
	p := make([]byte, n)
	r := rand.New(rand.NewPCG(1, uint64(n)))
	for i := range p {
		p[i] = byte(r.Uint32())
	}
	return p
}

func readAll(t *testing.T, l *Log, from int64, step int) []byte {
	t.Helper()
	var out []byte
	for {
		p, end, err := l.Read(t.Context(), nil, from+int64(len(out)), step)
		if err != nil {
			t.Fatal(err)
		}
		if len(p) > step {
			t.Fatalf("read %d bytes, asked for %d", len(p), step)
		}
		out = append(out, p...)
		if size, _ := l.Size(); end || from+int64(len(out)) == size {
			return out
		}
	}
}

func TestLogReadsTheSameFromMemoryAndFromTheStore(t *testing.T) {
	want := pattern(300_000)
	d := &disk{}
	l := newLog(d.fetch, &blocks{})
	ms := int64(0)
	for at, turn := 0, 0; at < len(want); turn++ {
		n := min(1+turn*37%5000, len(want)-at)
		l.append(want[at:at+n], ms)
		at += n
		ms += int64(turn % 30)
		if turn%7 == 3 {
			d.flush(t, l, ms)
		}
		if turn%11 == 0 {
			from := int64(at) * int64(turn%10) / 10
			if got := readAll(t, l, from, 4096); !bytes.Equal(got, want[from:at]) {
				t.Fatalf("after %d bytes, from %d: other bytes", at, from)
			}
		}
	}
	l.close()
	for _, from := range []int64{0, 1, 150_000, 299_999, 300_000} {
		for _, step := range []int{1000, 65536, 1 << 20} {
			if got := readAll(t, l, from, step); !bytes.Equal(got, want[from:]) {
				t.Fatalf("closed, from %d in steps of %d: other bytes", from, step)
			}
		}
	}
}

func TestLogKeepsLittleInMemory(t *testing.T) {
	d := &disk{}
	l := newLog(d.fetch, &blocks{})
	for i := range int64(2000) { // 40 s at 50 pieces a second
		l.append(pattern(200), i*20)
		if i%25 == 24 { // every 500 ms
			d.flush(t, l, i*20)
			held := 0
			for _, b := range l.blocks {
				held += cap(b.p)
			}
			if held > 12<<10 {
				t.Fatalf("after %d pieces %d bytes are held", i+1, held)
			}
		}
	}
}

func TestLogEndIsSeenWithTheLastBytes(t *testing.T) {
	l := newLog((&disk{}).fetch, &blocks{})
	l.append([]byte("abc"), 0)
	if p, end, _ := l.Read(t.Context(), nil, 0, 10); string(p) != "abc" || end {
		t.Errorf("open: %q, end %v", p, end)
	}
	if p, end, _ := l.Read(t.Context(), nil, 3, 10); len(p) != 0 || end {
		t.Errorf("open, at the end: %q, end %v", p, end)
	}
	l.close()
	if p, end, _ := l.Read(t.Context(), nil, 0, 2); string(p) != "ab" || end {
		t.Errorf("closed, not all: %q, end %v", p, end)
	}
	if p, end, _ := l.Read(t.Context(), nil, 2, 2); string(p) != "c" || !end {
		t.Errorf("closed, the rest: %q, end %v", p, end)
	}
	if p, end, _ := l.Read(t.Context(), nil, 3, 2); len(p) != 0 || !end {
		t.Errorf("closed, at the end: %q, end %v", p, end)
	}
	for _, from := range []int64{-1, 4} {
		if _, _, err := l.Read(t.Context(), nil, from, 2); err == nil {
			t.Errorf("offset %d is read", from)
		}
	}
}

func TestLogTellsItsWatchersWithoutWaiting(t *testing.T) {
	l := newLog((&disk{}).fetch, &blocks{})
	a, b := make(chan struct{}, 1), make(chan struct{}, 1)
	l.Watch(a)
	l.Watch(b)
	l.append([]byte("x"), 0)
	l.append([]byte("y"), 0) // nobody has looked: this must not block
	<-a
	<-b
	l.Unwatch(b)
	l.close()
	<-a
	select {
	case <-b:
		t.Error("told after Unwatch")
	default:
	}
}

func TestLogFailsWhereTheStoreFails(t *testing.T) {
	broken := errors.New("disk gone")
	l := storedLog(10, "text/event-stream", func(context.Context, int64, int) ([]byte, error) { return nil, broken })
	if _, _, err := l.Read(t.Context(), nil, 0, 10); !errors.Is(err, broken) {
		t.Errorf("error is %v", err)
	}
	// A store that has lost bytes must not look like a log that goes on.
	l = storedLog(10, "text/event-stream", (&disk{}).fetch)
	if _, _, err := l.Read(t.Context(), nil, 0, 10); err == nil {
		t.Error("no error where bytes are missing")
	}
}

func TestTimesSurviveBeingStoredInStretches(t *testing.T) {
	d := &disk{}
	l := newLog(d.fetch, &blocks{})
	var want []read
	var stored []byte
	for i := range 500 {
		n, ms := 1+i*13%400, int64(i*7)
		l.append(pattern(n), ms)
		want = append(want, read{uint32(ms), uint32(n)})
		if i%50 == 20 {
			_, p, times := l.unstored(nil, 1000) // not all of it
			d.p = append(d.p, p...)
			stored = append(stored, times...)
			l.markStored(len(p), ms)
		}
	}
	l.close()
	size, at := l.sizes()
	rest, times := l.unstoredEnd(nil)
	if at != int64(len(d.p)) || at+int64(len(rest)) != size {
		t.Fatalf("%d stored, %d at the end, %d in all", at, len(rest), size)
	}
	got := parseTimes(append(stored, times...), size)
	sum := func(rs []read) map[uint32]uint32 {
		m := map[uint32]uint32{}
		for _, r := range rs {
			m[r.ms] += r.len
		}
		return m
	}
	w, g := sum(want), sum(got)
	for ms, n := range w {
		if g[ms] != n {
			t.Fatalf("at %d ms: %d bytes instead of %d", ms, g[ms], n)
		}
	}
	if len(g) != len(w) {
		t.Fatalf("%d times instead of %d", len(g), len(w))
	}
}

func TestDamagedTimesLoseNoBytes(t *testing.T) {
	good := appendTimes(nil, 0, []read{{5, 10}, {9, 20}})
	for _, p := range [][]byte{nil, good[:1], good[:3], append(good[:2:2], 0xff), {0x01, 0xff, 0xff, 0xff, 0xff, 0x7f}} {
		var n int64
		for _, r := range parseTimes(p, 30) {
			n += int64(r.len)
		}
		if n != 30 {
			t.Errorf("%x covers %d bytes of 30", p, n)
		}
	}
}

// A flush that is given up must be tried again with the same bytes, also when
// more have come meanwhile.
func TestFlushThatFailsIsTriedAgain(t *testing.T) {
	d := &disk{}
	l := newLog(d.fetch, &blocks{})
	l.append([]byte("one "), 0)
	_, p, times := l.unstored(nil, flushChunk)
	l.append([]byte("two"), 0) // in the same millisecond
	l.abandonFlush()
	from, again, _ := l.unstored(nil, flushChunk)
	if from != 0 || string(p) != "one " || string(again) != "one two" || len(times) == 0 {
		t.Errorf("first %q, then %q from %d", p, again, from)
	}
	l.markStored(len(again), 0)
	if n := l.backlog(); n != 0 {
		t.Errorf("%d bytes left", n)
	}
}

func BenchmarkLogAppendRead(b *testing.B) {
	d := &disk{}
	l := newLog(d.fetch, &blocks{})
	p := pattern(200)
	buf := make([]byte, 0, 4096)
	at := int64(0)
	began := time.Now()
	b.SetBytes(int64(len(p)))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		ms := time.Since(began).Milliseconds()
		l.append(p, ms)
		q, _, err := l.Read(b.Context(), buf, at, 4096)
		if err != nil {
			b.Fatal(err)
		}
		at += int64(len(q))
		if l.backlog() > flushChunk {
			_, q, _ := l.unstored(nil, 2*flushChunk)
			l.markStored(len(q), ms)
		}
	}
}
