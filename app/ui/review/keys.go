//go:build js && wasm

package review

import (
	"screentest/app/review"
	"screentest/app/ui/kit"
)

// Commands are what can be done by a key, where something is said of a clip.
func (s *Section) Commands() []kit.Command {
	there := func() bool {
		t := s.thread()
		return t != nil && t.Phase == review.Ready && s.DOM.ByID("review").Truthy()
	}
	return []kit.Command{
		{Name: "Comment on the clip here", Keys: "c", When: func() bool { return there() && !s.guest() }, Do: func() { s.write(review.New) }},
		{Name: "Next comment on the clip", Keys: "j", When: there, Do: func() { s.move(1) }},
		{Name: "Previous comment on the clip", Keys: "k", When: there, Do: func() { s.move(-1) }},
	}
}

// Keys are those of the player and the comments that no command has.
func (s *Section) Keys() []kit.Key {
	return []kit.Key{
		{Keys: "Space", Name: "A clip and its comments: play or pause"},
		{Keys: "← or →", Name: "A clip and its comments: one second back or forward"},
		{Keys: ", or .", Name: "A clip and its comments: one frame back or forward"},
		{Keys: "↑ or ↓", Name: "On a comment’s time: previous or next comment"},
	}
}
