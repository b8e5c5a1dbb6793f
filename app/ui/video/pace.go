//go:build js && wasm

package video

import (
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/ui/kit"
	"screentest/app/video"
	"screentest/shared/wire"
)

// paceBar is how far a task is, as the gateway tells it or else its time against
// the usual one.
func (s *Section) paceBar(t *wire.VideoTask, look string) app.UI {
	p, ok := s.desk.Tasks.Pace(t)
	if !ok || p.Bound == 0 {
		return kit.Nothing()
	}
	label := "Time so far, against the usual time"
	if p.Told {
		label = "Progress"
	}
	s.startTick()
	return kit.El("progress", "meter "+look, kit.At{"data-bar", t.ID, "data-tone", "warn", "max", p.Bound, "value", p.Value,
		"aria-label", label, "aria-valuetext", p.BarWords()})
}

// paceWords are a task's time so far, which goes on, and the usual one.
func (s *Section) paceWords(t *wire.VideoTask, look string) app.UI {
	p, ok := s.desk.Tasks.Pace(t)
	if !ok {
		return kit.Nothing()
	}
	s.startTick()
	return kit.Box("p", look,
		kit.El("span", "", kit.At{"data-elapsed", t.ID}, p.Elapsed),
		kit.If(p.Usual != "", func() app.UI {
			return kit.Box("span", "", " · ", kit.El("span", "", kit.At{"data-usual", t.ID}, p.Usual))
		}),
	)
}

// startTick lets the times on the page go on, a second at a time and without a
// draw, for as long as there are any.
func (s *Section) startTick() {
	if !s.results.ticking {
		s.results.ticking = true
		s.After(time.Second, s.tick)
	}
}

func (s *Section) tick() {
	s.results.ticking = false
	paces := map[string]video.Pace{}
	list := s.DOM.Doc.Call("querySelectorAll", "[data-elapsed], [data-usual], [data-bar]")
	for i := range list.Length() {
		s.startTick()
		el := list.Index(i)
		set := el.Get("dataset")
		for _, of := range []struct {
			name  string
			words func(video.Pace) string
		}{
			{"elapsed", func(p video.Pace) string { return p.Elapsed }},
			{"usual", func(p video.Pace) string { return p.Usual }},
			{"bar", video.Pace.BarWords},
		} {
			id := set.Get(of.name)
			if !id.Truthy() {
				continue
			}
			p, known := paces[id.String()]
			if t := s.desk.Tasks.Get(id.String()); !known && t != nil {
				if p, known = s.desk.Tasks.Pace(t); known {
					paces[t.ID] = p
				}
			}
			words := of.words(p)
			switch {
			case !known || words == "":
			case of.name == "bar":
				el.Set("max", p.Bound)
				el.Set("value", p.Value)
				el.Call("setAttribute", "aria-valuetext", words)
			case el.Get("textContent").String() != words:
				el.Get("firstChild").Set("nodeValue", words)
			}
		}
	}
}
