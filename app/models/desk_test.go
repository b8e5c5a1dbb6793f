package models

import (
	"encoding/json"
	"testing"

	"screentest/app/session"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// server keeps the last call of it until it is answered.
type server struct {
	ops  []wire.Op
	args any
	done session.Done
}

func (s *server) Call(op wire.Op, args any, done session.Done) {
	s.ops, s.args, s.done = append(s.ops, op), args, done
}
func (s *server) Once(op wire.Op, args any, done session.Done) { s.Call(op, args, done) }

func (s *server) answer(t *testing.T, v any) {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	s.done(data, nil)
}

func newDesk(t *testing.T) (*Desk, *server) {
	c, err := gateway.ParseCatalogue([]byte(`{"models":[{"id":"a/one","name":"The First","price":{"input":1,"output":2.5}},{"id":"a/two"},
		{"id":"beta-video-720p","seconds":[6],"price":{"per_second":0.05}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	s, call := session.New("b"), &server{}
	s.Catalogue = c
	return &Desk{Options: Options{Server: call, Session: s, Changed: func() {}}}, call
}

func TestModelsAreFoundOrAdded(t *testing.T) {
	d, _ := newDesk(t)
	for query, want := range map[string]struct {
		n   int
		add string
	}{"": {3, ""}, "first": {1, ""}, "A/ two": {1, ""}, "vendor/new": {0, "vendor/new"}, "no such": {0, ""}} {
		d.Search(query)
		if list, more, add := d.Shown(); len(list) != want.n || more != 0 || add != want.add {
			t.Errorf("%q finds %d, %d more, adds %q", query, len(list), more, add)
		}
	}
	for id, want := range map[string]string{"a/one": "$1 in · $2.50 out", "a/two": "", "beta-video-720p": "$0.05 a second"} {
		if got := Price(d.Session.Model(id)); got != want {
			t.Errorf("%s costs %q", id, got)
		}
	}
}

func TestAPriceIsEnteredAndTakenBack(t *testing.T) {
	d, s := newDesk(t)
	d.Want()
	s.answer(t, wire.Models{Listed: 2, ListedMS: 1})
	d.Edit("a/one")
	if d.Form.Input != "1" || d.Form.Output != "2.5" {
		t.Errorf("the form begins with %+v", d.Form)
	}
	for typed, wrong := range map[string]bool{"x": true, "-1": true, "9999999999": true, "": true, "0": false} {
		d.Type(func(f *Form) { f.Input, f.Output = typed, "" })
		if _, w := d.Form.price(); (w != "") != wrong {
			t.Errorf("%q: %q", typed, w)
		}
	}
	d.Type(func(f *Form) { f.Input, f.Output = " 0.5 ", "2" })
	d.Save()
	d.Save() // pressed twice
	if sent := s.args.(wire.ModelPrice); len(s.ops) != 2 || sent.Model != "a/one" || sent.Price.Input != 500_000_000 || !sent.Price.Known {
		t.Fatalf("%v sent %+v", s.ops, sent)
	}
	s.done(nil, &wire.Problem{Message: "No."})
	if d.Form.Model == "" || d.Form.Wrong == "" || d.Form.Input == "" {
		t.Errorf("refused, the form is %+v", d.Form)
	}
	d.Save()
	s.answer(t, wire.Models{Entered: []string{"a/one"}})
	if d.Form != (Form{}) || !d.Entered("a/one") || d.Entered("a/two") {
		t.Errorf("saved: %+v", d.Form)
	}
	d.Edit("a/one")
	d.Reset()
	if sent := s.args.(wire.ModelPrice); sent.Price != (gateway.Price{}) {
		t.Errorf("taken back: %+v", sent)
	}

	d.Edit("beta-video-720p")
	if !d.Form.Video || d.Form.Second != "0.05" || d.Form.Clip != "" {
		t.Errorf("a clip's form: %+v", d.Form)
	}
	d.Type(func(f *Form) { f.Clip = "1" })
	if d.Save(); d.Form.Wrong == "" {
		t.Error("a price for a second and for a clip is taken")
	}
}
