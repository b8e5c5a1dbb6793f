package spend

import (
	"encoding/json"
	"testing"
	"time"

	"screentest/shared/wire"
)

// zoned is a clock of a place, which stands still.
type zoned struct {
	at  time.Time
	loc *time.Location
}

func at(t *testing.T, place, now string) zoned {
	t.Helper()
	loc, err := time.LoadLocation(place)
	if err != nil {
		t.Fatal(err)
	}
	when, err := time.ParseInLocation(time.DateTime, now, loc)
	if err != nil {
		t.Fatal(err)
	}
	return zoned{when, loc}
}

func (c zoned) date(t time.Time) Date {
	y, m, d := t.In(c.loc).Date()
	return Date{y, m, d}
}

func (c zoned) Today() Date { return c.date(c.at) }

func (c zoned) DateOf(ms int64) Date { return c.date(time.UnixMilli(ms)) }

func (c zoned) Midnight(d Date) int64 {
	return time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, c.loc).UnixMilli()
}

func (c zoned) Time(ms int64) string { return time.UnixMilli(ms).In(c.loc).Format(time.TimeOnly) }

func (c zoned) now() time.Time { return c.at }

func (c zoned) Zone() string { return c.loc.String() }

// server answers calls when it is told to.
type server struct {
	t     *testing.T
	calls []call
}

type call struct {
	op   wire.Op
	args any
	done func(json.RawMessage, *wire.Problem)
}

func (s *server) Call(op wire.Op, args any, done func(json.RawMessage, *wire.Problem)) {
	s.calls = append(s.calls, call{op, args, done})
}

func (s *server) Once(op wire.Op, args any, done func(json.RawMessage, *wire.Problem)) {
	s.Call(op, args, done)
}

// last is the newest call of an op.
func (s *server) last(op wire.Op) call {
	s.t.Helper()
	for i := len(s.calls) - 1; i >= 0; i-- {
		if s.calls[i].op == op {
			return s.calls[i]
		}
	}
	s.t.Fatalf("no call of %s", op)
	return call{}
}

func (c call) answer(t *testing.T, v any) {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	c.done(data, nil)
}

type later struct {
	waiting []func()
	told    []string
}

func (l *later) after(_ time.Duration, f func()) func() {
	l.waiting = append(l.waiting, f)
	return func() {}
}

func desk(t *testing.T, c Clock) (*Desk, *server, *later) {
	s, l := &server{t: t}, &later{}
	return NewDesk(Options{Server: s, Clock: c, After: l.after, Now: c.(zoned).now, Tell: func(words string) { l.told = append(l.told, words) }, Changed: func() {}}), s, l
}
