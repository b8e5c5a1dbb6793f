package password

import (
	"context"
	"errors"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"screentest/shared/wire"
)

// cheap is for tests that don't measure.
var cheap = Cost{MemoryKiB: 64, Passes: 1, Lanes: 1}

func TestCheck(t *testing.T) {
	h, ctx := New(cheap, 2), t.Context()
	sum, err := h.Sum(ctx, "correct horse é")
	if err != nil || !strings.HasPrefix(sum, "$argon2id$v=19$m=64,t=1,p=1$") {
		t.Fatalf("%q, %v", sum, err)
	}
	if again, _ := h.Sum(ctx, "correct horse é"); again == sum {
		t.Error("two sums of one password are the same")
	}
	for password, want := range map[string]bool{
		"correct horse é": true, "correct horse e\u0301": true, // form C of both is one
		"correct horse e": false, "Correct horse é": false, "correct horse é ": false, "": false,
	} {
		if right, old, err := h.Check(ctx, sum, password); right != want || old || err != nil {
			t.Errorf("%q: %v %v %v", password, right, old, err)
		}
	}
	dearer := New(Cost{MemoryKiB: 128, Passes: 1, Lanes: 1}, 1)
	if right, old, err := dearer.Check(ctx, sum, "correct horse é"); !right || !old || err != nil {
		t.Errorf("a sum of before: %v %v %v", right, old, err)
	}
	if right, _, err := h.Check(ctx, "", "anything"); right || err != nil {
		t.Errorf("no password: %v, %v", right, err)
	}
	// What follows character 72 counts: it does not with bcrypt.
	long := strings.Repeat("x", 199)
	sum, _ = h.Sum(ctx, long+"y")
	if right, _, _ := h.Check(ctx, sum, long+"z"); right {
		t.Error("the end of a long password doesn't count")
	}
}

func TestDamagedSums(t *testing.T) {
	h := New(cheap, 1)
	good, _ := h.Sum(t.Context(), "correct horse")
	for name, sum := range map[string]string{
		"nothing of it": "x", "bcrypt's": "$2a$10$abcdefghijklmnopqrstuv", "argon2i": strings.Replace(good, "argon2id", "argon2i", 1),
		"another version": strings.Replace(good, "v=19", "v=16", 1), "all of the memory": strings.Replace(good, "m=64", "m=4000000000", 1),
		"no pass": strings.Replace(good, "t=1", "t=0", 1), "no lane": strings.Replace(good, "p=1", "p=0", 1), "cut": good[:len(good)-4], "no number": strings.Replace(good, "m=64", "m=x", 1),
	} {
		if right, _, err := h.Check(t.Context(), sum, "correct horse"); right || !errors.Is(err, errSum) {
			t.Errorf("%s: %v, %v", name, right, err)
		}
	}
}

// However many come at once, few are looked at, some wait, and the rest are told.
func TestFewAtOnce(t *testing.T) {
	h := New(Cost{MemoryKiB: 1 << 10, Passes: 1, Lanes: 1}, 2)
	for range cap(h.turns) { // all turns are taken
		h.turns <- struct{}{}
		h.waiting <- struct{}{}
	}
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	var busy, ended atomic.Int32
	for range maxWaiting + 10 {
		all.Go(func() {
			_, err := h.Sum(ctx, "correct horse")
			switch {
			case errors.Is(err, ErrBusy):
				busy.Add(1)
			case errors.Is(err, context.Canceled):
				ended.Add(1)
			default:
				t.Errorf("%v", err)
			}
		})
	}
	for busy.Load() < 10 || len(h.waiting) < cap(h.waiting) {
		time.Sleep(time.Millisecond)
	}
	cancel()
	all.Wait()
	if busy.Load() != 10 || ended.Load() != maxWaiting {
		t.Errorf("%d were turned away and %d waited", busy.Load(), ended.Load())
	}
	for range cap(h.turns) {
		<-h.turns
		<-h.waiting
	}
	if _, err := h.Sum(t.Context(), "correct horse"); err != nil || len(h.waiting)+len(h.turns) != 0 {
		t.Errorf("afterwards: %v, %d wait", err, len(h.waiting))
	}
}

func TestMistake(t *testing.T) {
	for password, want := range map[string]bool{
		"short":                  true,
		"123456789":              true,
		"ten chars!":             false,
		"äöüäöüäöüß":             true, // a piece again… with another end
		strings.Repeat("a", 10):  true,
		strings.Repeat("ab", 8):  true,
		strings.Repeat("x", 201): true,
		"abcdefghijklmno":        true,
		"Password123":            true,
		"PASSWORD123!!!":         true,
		"qwertyuiop":             true,
		"administrator2026":      true,
		"ann.miller@example.com": true,
		"AnnMiller2026":          true,
		"acme studio":            true,
		"four words go together": false,
		"Tr0ub4dor&3":            false,
		"\xff\xfe\xfd password":  true,
	} {
		if password == "äöüäöüäöüß" {
			want = false
		}
		p := Mistake(password, "ann.miller@example.com", "Ann Miller", "Acme Studio")
		if (p != nil) != want || p != nil && (p.Field != "password" || p.Hint == "") {
			t.Errorf("%q: %v", password, p)
		}
	}
	// All of the list are refused, and long enough to be worth a place in it.
	n := 0
	for word := range strings.FieldsSeq(commonList) {
		if n++; Mistake(word) == nil || len([]rune(word)) < wire.MinPassword {
			t.Errorf("%q", word)
		}
	}
	if n < 100 {
		t.Errorf("the list has %d words", n)
	}
}

// BenchmarkAtOnce is a password of many that came at once, and the most memory that
// all of them took together.
func BenchmarkAtOnce(b *testing.B) {
	h := New(Usual, AtOnce)
	defer debug.SetGCPercent(debug.SetGCPercent(50)) // as the server has it
	var most uint64
	quit, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		for {
			metrics.Read(sample)
			most = max(most, sample[0].Value.Uint64())
			select {
			case <-quit:
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	b.SetParallelism(maxWaiting / runtime.GOMAXPROCS(0))
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := h.Sum(b.Context(), "four words go together"); err != nil {
				b.Fatal(err)
			}
		}
	})
	close(quit)
	<-watched
	b.ReportMetric(float64(most)/(1<<20), "MiB-at-most")
}

// BenchmarkSum is one password, with what it takes of memory.
func BenchmarkSum(b *testing.B) {
	h := New(Usual, AtOnce)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := h.Sum(b.Context(), "four words go together"); err != nil {
			b.Fatal(err)
		}
	}
}
