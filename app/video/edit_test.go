package video

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"screentest/shared/wire"
)

func TestEdits(t *testing.T) {
	p := opened(t, "", task(1, wire.VideoDone))
	p.SetFavourite("t001", true)
	if !p.Get("t001").Favourite {
		t.Error("it is not shown at once")
	}
	p.asked(wire.OpVideoEdit).done(nil, &wire.Problem{Message: "No."})
	if p.Get("t001").Favourite {
		t.Error("a refused change is not taken back")
	}
	p.SetTags("t001", " Boats, #sea ,boats,, night  sky")
	if got := p.Get("t001").Tags; !slices.Equal(got, []string{"Boats", "sea", "night sky"}) {
		t.Errorf("tags %q", got)
	}
	if args := p.asked(wire.OpVideoEdit).json(); args != `{"id":"t001","tags":["Boats","sea","night sky"]}` {
		t.Errorf("sent %s", args)
	}
	for typed, want := range map[string]string{
		"sea, " + strings.Repeat("é", 41):                             "A tag has at most 40 characters; “" + strings.Repeat("é", 41) + "” has 41.",
		strings.Join(strings.Split("abcdefghijklmnopqrstu", ""), ","): "A clip has at most 20 tags; these are 21.",
	} {
		if wrong := p.SetTags("t001", typed); wrong != want {
			t.Errorf("%q: %q", typed, wrong)
		}
		if words, good := p.TagChosen(typed, true); good || words != want {
			t.Errorf("several, %q: %q", typed, words)
		}
	}
	if len(p.calls) != 0 || len(p.Get("t001").Tags) != 3 {
		t.Error("tags that can't be had changed something")
	}
	p.SetTitle("t001", strings.Repeat("x", 300))
	if n := len(p.Get("t001").Title); n != wire.MaxTaskTitle {
		t.Errorf("a title of %d characters", n)
	}
}

// News of a task that were on their way before a change do not take it back.
func TestNewsBeforeTheAnswerToAnEdit(t *testing.T) {
	p := opened(t, "", task(1, wire.VideoDone))
	p.SetFavourite("t001", true)
	first := p.asked(wire.OpVideoEdit)
	news := *p.Get("t001")
	news.Favourite, news.Version = false, news.Version+1
	p.Put(news)
	if !p.Get("t001").Favourite {
		t.Error("older news took the change back")
	}
	p.SetFavourite("t001", false)
	second := p.asked(wire.OpVideoEdit)
	answer := func(q call, on bool) {
		news.Favourite, news.Version = on, news.Version+1
		b, _ := json.Marshal(news)
		q.done(b, nil)
	}
	answer(first, true)
	if p.Get("t001").Favourite {
		t.Error("the answer to the first change took the second back")
	}
	answer(second, false)
	news.Favourite, news.Version = true, news.Version+1
	p.Put(news) // in another tab
	if !p.Get("t001").Favourite {
		t.Error("a change that was answered goes on")
	}
}

// Nor do they take the task out of the list that the change put it into.
func TestNewsBeforeTheAnswerToAnEditLeaveTheList(t *testing.T) {
	p := opened(t, "", task(1, wire.VideoDone))
	p.SetFavourite("t001", true)
	p.Filter.Favourite = true
	news := *p.Get("t001")
	news.Favourite, news.Version = false, news.Version+1
	p.Put(news)
	if !slices.Contains(p.List, "t001") {
		t.Errorf("the list is %q", p.List)
	}
}

func TestSettle(t *testing.T) {
	for _, c := range []struct {
		name, remote string
		went, sent   bool
		args         string
	}{
		{"it went through", " task_abc ", true, true, `{"id":"t001","outcome":"went_through","remote":"task_abc"}`},
		{"it did not", "", false, true, `{"id":"t001","outcome":"did_not"}`},
		{"no id", "", true, false, ""},
		{"F118 a UUID is no id to poll with", "0f6e0a3e-7f9f-4d3e-8d5a-4d8e8b8f3a11", true, false, ""},
		{"the prefix alone", "task_", true, false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := opened(t, "", task(1, wire.VideoUnknown))
			var problem *wire.Problem
			p.Settle("t001", c.went, c.remote, func(pr *wire.Problem) { problem = pr })
			if !c.sent {
				if problem == nil || problem.Field != "remote" || len(p.calls) != 0 {
					t.Errorf("problem %v, calls %v", problem, p.calls)
				}
				return
			}
			settle := p.asked(wire.OpVideoSettle)
			if settle.json() != c.args {
				t.Errorf("sent %s", settle.json())
			}
			settled := task(1, wire.VideoQueued)
			settled.Version = 2
			settle.answer(settled)
			if problem != nil || p.Get("t001").State != wire.VideoQueued {
				t.Errorf("problem %v, state %s", problem, p.Get("t001").State)
			}
		})
	}
}
