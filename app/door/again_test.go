package door

import (
	"slices"
	"testing"

	"screentest/shared/wire"
)

func newAgain(t *testing.T, me any) (*Again, *server, *[]string) {
	s := &server{t: t, answers: map[string]any{"GET /api/ways": allWays, "POST /api/signin": func(string) any { return nil }, "GET /api/me": me}}
	var happened []string
	a := NewAgain(AgainOptions{Server: s, Passkeys: &device{}, Changed: func() {},
		Same:  func() { happened = append(happened, "same") },
		Other: func() { happened = append(happened, "other") },
	})
	a.Of(wire.Me{ID: "1", Email: "ana@example.com"})
	return a, s, &happened
}

func TestTheSamePersonGoesOn(t *testing.T) {
	a, s, happened := newAgain(t, wire.Me{ID: "1"})
	say := func(words string) func() { return func() { *happened = append(*happened, words) } }
	a.Ask(nil)
	a.Ask(say("first"))
	a.Ask(say("second"))
	if !a.Open || a.Email != "ana@example.com" || a.Focus != FieldPassword || len(s.asked) != 1 {
		t.Fatalf("%+v, asked %q", a.Gate, s.asked)
	}
	a.Fill(FieldPassword, "right horse")
	a.Submit()
	if a.Open || !slices.Equal(*happened, []string{"same", "first", "second"}) {
		t.Errorf("open %v, %q", a.Open, *happened)
	}
	// It can be asked again, afresh.
	a.Ask(nil)
	if !a.Open || a.Stage != Open || a.Password != "" {
		t.Errorf("%+v", a.Gate)
	}
	a.Look() // another tab has signed in
	if want := []string{"same", "first", "second", "same"}; a.Open || !slices.Equal(*happened, want) {
		t.Errorf("%q", *happened)
	}
	a.Look()
	if n := len(*happened); n != 4 {
		t.Error("looked for somebody though nobody was asked for")
	}
}

func TestSomebodyElseSeesNothingOfIt(t *testing.T) {
	a, _, happened := newAgain(t, wire.Me{ID: "2"})
	a.Ask(func() { *happened = append(*happened, "repeated") })
	a.Fill(FieldPassword, "right horse")
	a.Submit()
	if !slices.Equal(*happened, []string{"other"}) {
		t.Errorf("%q", *happened)
	}
}

func TestWhoIsStillOutIsAskedOn(t *testing.T) {
	a, _, happened := newAgain(t, &wire.Problem{Code: wire.CodeSignedOut, Message: "Nobody."})
	a.Ask(nil)
	a.Look()
	a.Fill(FieldPassword, "right horse")
	a.Submit()
	if !a.Open || a.Stage != Open || len(*happened) != 0 {
		t.Errorf("%+v, %q", a.Gate, *happened)
	}
}
