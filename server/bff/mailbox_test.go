package bff

import (
	"fmt"
	"strings"
	"testing"

	"screentest/shared/wire"
)

func TestMailboxKeepsTheOrderThatIsTrue(t *testing.T) {
	var m mailbox
	show := func() string {
		var out []string
		for _, p := range m.take() {
			out = append(out, string(p))
		}
		return strings.Join(out, " ")
	}
	m.news("a", []byte("a1"))
	m.news("b", []byte("b1"))
	m.news("a", []byte("a2"))
	if got := show(); got != "b1 a2" {
		t.Errorf("later news with a key replace earlier: %s", got)
	}
	m.news("a", []byte("a3"))
	m.calling = true
	m.news("a", []byte("a4"))
	m.news("b", []byte("b2"))
	m.answer([]byte("answer"))
	if got := show(); got != "answer a4 b2" {
		t.Errorf("news that come during a call go behind its answer: %s", got)
	}
	// A slow call's answer comes while another call is being answered.
	m.calling = true
	m.news("a", []byte("a5"))
	m.late([]byte("late"))
	m.news("b", []byte("b3"))
	m.answer([]byte("answer"))
	if got := show(); got != "late answer a5 b3" {
		t.Errorf("the answer to another call lets no news pass: %s", got)
	}
	if got := show(); got != "" {
		t.Errorf("emptied, it has %s", got)
	}
}

func TestMailboxIsBounded(t *testing.T) {
	var m mailbox
	for i := range maxAnswers {
		if !m.answer(fmt.Append(nil, i)) {
			t.Fatalf("answer %d does not fit", i)
		}
	}
	if m.answer([]byte("one more")) {
		t.Error("too many answers fit")
	}
	n := 0
	for m.news(fmt.Sprint("key ", n), []byte("x")) {
		if n++; n > 2*maxNews {
			t.Fatal("news are not bounded")
		}
	}
	if n < maxNews {
		t.Errorf("only %d news fit", n)
	}
	m.take()
	m.sent()
	if !m.answer([]byte("x")) || !m.news("k", []byte("x")) {
		t.Error("emptied, nothing fits")
	}
	// Long ones wait alone, those on their way to the browser among them.
	m.take()
	m.sent()
	long := make([]byte, maxAnswerBytes+1)
	if !m.answer(long) || m.answer([]byte("x")) {
		t.Error("an answer fits beside a long one")
	}
	m.take()
	if m.answer([]byte("x")) {
		t.Error("an answer fits beside a long one that is being sent")
	}
	if n := m.sent(); n != len(long) || !m.answer([]byte("x")) || m.answer(long) {
		t.Errorf("after %d bytes were sent, not a short one alone fits", n)
	}
	n = 0
	for m.news(fmt.Sprint("key ", n), long) {
		n++
	}
	if n*len(long) > maxNewsBytes || n == 0 {
		t.Errorf("%d long news fit", n)
	}
	m.take()
	m.sent()
	// The same news over and over is one.
	m.take()
	for range 10 * maxNews {
		m.news("k", []byte("x"))
	}
	if n := len(m.take()); n > 1 {
		t.Errorf("%d of the same news", n)
	}
}

func TestAnAnswerToATabThatHasGoneIsNotCounted(t *testing.T) {
	s := &Server{}
	k := &socket{s: s, gone: make(chan struct{}), room: make(chan struct{}, 1), mail: make(chan struct{}, 1)}
	close(k.gone)
	k.queue(wire.Push{ID: 1}, (*mailbox).late)
	if n := s.held.now.Load(); n != 0 {
		t.Errorf("%d bytes are held for nobody, for as long as the server runs", n)
	}
}
