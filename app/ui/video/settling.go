//go:build js && wasm

package video

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/ui/kit"
	"screentest/shared/wire"
)

// settling is what a person says of a creation whose answer was lost: the id in
// the gateway, as it is typed, and what is wrong with it.
type settling struct {
	remote  string
	problem *wire.Problem
}

func (s *Section) settlingOf(id string) *settling {
	if s.results.settling[id] == nil {
		s.results.settling[id] = &settling{}
	}
	return s.results.settling[id]
}

// settleForm asks the person how a creation ended whose answer was lost (G35).
func (s *Section) settleForm(t *wire.VideoTask) app.UI {
	id := t.ID
	say := s.settlingOf(id)
	outcome := func(p *wire.Problem) {
		if say.problem = p; p == nil {
			delete(s.results.settling, id)
		} else {
			s.focusSoon(cardKey(id, "remote"))
		}
		s.redrawResults()
	}
	words := ""
	if p := say.problem; p != nil {
		words = p.Words()
	}
	follow := s.On("settle", func(_ app.Context, e app.Event) {
		e.PreventDefault()
		s.desk.Tasks.Settle(id, true, say.remote, outcome)
	})
	remote, problem := cardKey(id, "remote"), cardKey(id, "settle-problem")
	return kit.El("form", "settling", kit.At{"aria-label", "What happened?", "onsubmit", follow},
		kit.Box("p", "", "The gateway’s answer was lost, so the clip may be under way and billed. It isn’t sent again by itself, and its price stays reserved until you say what happened. Look in the list of tasks in your gateway’s dashboard."),
		kit.Labelled(remote, "It went through; its id is", nil,
			kit.Box("div", "settling-id",
				s.Field(remote, "field mono", kit.At{"placeholder", "task_…", "maxlength", 200, "aria-invalid", words != "", "aria-describedby", problem},
					say.remote, func(text string) { say.remote = text }),
				kit.Button("", kit.At{"id", cardKey(id, "went"), "type", "submit"}, nil, "Follow it"),
			),
			kit.Outcome(problem, false, words)),
		kit.Button("", kit.At{"id", cardKey(id, "did-not")},
			s.Do("did not", func() { s.desk.Tasks.Settle(id, false, "", outcome) }), "It did not go through"),
	)
}
