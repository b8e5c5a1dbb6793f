//go:build js && wasm

package inspector

import (
	"syscall/js"

	"screentest/app/chat"
	"screentest/app/figure"
	"screentest/app/ui/kit"
)

// stepper goes through the answers of the focused lane.
type stepper struct {
	d              *Inspector
	root, words    js.Value
	earlier, later js.Value
}

func newStepper(d *Inspector) *stepper {
	s := &stepper{d: d, words: d.DOM.El("span", "stepper-words soft cut")}
	s.earlier = d.iconOnly("", "Earlier answer", kit.IconBack, func() { s.step(-1) })
	s.later = d.iconOnly("", "Later answer", kit.IconChevron, func() { s.step(1) })
	s.root = d.div("stepper", s.earlier, s.words, s.later)
	return s
}

func (s *stepper) at() (at int, list []*chat.Message) {
	list = s.d.answers()
	for i, m := range list {
		if s.d.answer() == m {
			return i, list
		}
	}
	return -1, list
}

func (s *stepper) step(by int) {
	at, list := s.at()
	if at += by; at >= 0 && at < len(list) {
		s.d.message = list[at].ID
		if at == len(list)-1 {
			s.d.message = "" // and those that follow
		}
		s.d.Touch()
	}
}

func (s *stepper) draw() {
	at, list := s.at()
	words := "No answer yet"
	if m := s.d.answer(); m != nil {
		words = "Answer of " + m.Run.Model
		if at >= 0 {
			words = "Answer " + figure.Count(int64(at+1)) + " of " + figure.Count(int64(len(list))) + words[len("Answer"):]
		}
	}
	kit.SetText(s.words, words)
	s.words.Set("title", words)
	s.earlier.Set("disabled", at <= 0)
	s.later.Set("disabled", at < 0 || at == len(list)-1)
}
