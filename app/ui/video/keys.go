//go:build js && wasm

package video

import (
	"slices"
	"syscall/js"

	"screentest/app/ui/kit"
)

// playerKey is what keys do while clips are compared. The handler and the list of
// keys both read these.
type playerKey struct {
	is  []string // the keys as the browser names them
	key kit.Key
	do  func(p *player, key string)
}

var playerKeys = []playerKey{
	{[]string{" "}, kit.Key{Keys: "Space", Name: "Comparing: play or pause all clips"}, func(p *player, _ string) { p.toggle() }},
	{[]string{","}, kit.Key{Keys: ",", Name: "Comparing: one frame back"}, func(p *player, _ string) { p.step(-1) }},
	{[]string{"."}, kit.Key{Keys: ".", Name: "Comparing: one frame on"}, func(p *player, _ string) { p.step(1) }},
	{[]string{"ArrowLeft", "ArrowRight"}, kit.Key{Keys: "← or →", Name: "Comparing: a second back or on"}, func(p *player, key string) {
		lead, length := p.lead()
		by := 1.0
		if key == "ArrowLeft" {
			by = -1
		}
		if length > 0 {
			p.seek(lead.Get("currentTime").Float() + by)
		}
	}},
	{[]string{"l", "L"}, kit.Key{Keys: "L", Name: "Comparing: again and again"}, func(p *player, _ string) { p.setLoop() }},
	{[]string{"w", "W"}, kit.Key{Keys: "W", Name: "Comparing: one clip over the other"}, func(p *player, _ string) { p.setWipe(!p.view.wipe) }},
	{[]string{"z", "Z"}, kit.Key{Keys: "Z", Name: "Comparing: zoom in, and back"}, func(p *player, _ string) { p.nextZoom() }},
	{[]string{"1", "2", "3", "4"}, kit.Key{Keys: "1 to 4", Name: "Comparing: the sound of that clip"}, func(p *player, key string) {
		if n := int(key[0] - '1'); n < len(p.clips()) {
			p.hear(n)
			p.s.redrawResults()
		}
	}},
}

// taken says that a key which is pressed is for something else than the page of
// clips: a dialog, a key of the browser's, or what it is pressed in, one of these.
func (s *Section) taken(ev js.Value, in string) bool {
	el := ev.Get("target")
	return s.Modal() || ev.Get("defaultPrevented").Bool() || ev.Get("ctrlKey").Bool() || ev.Get("metaKey").Bool() || ev.Get("altKey").Bool() ||
		el.Get("closest").Truthy() && el.Call("closest", in).Truthy()
}

// take does what a key is for, and says whether it is for anything.
func (p *player) take(key string) bool {
	for _, k := range playerKeys {
		if slices.Contains(k.is, key) {
			k.do(p, key)
			return true
		}
	}
	return false
}

// Keys implements kit.Keyed.
func (s *Section) Keys() []kit.Key {
	list := []kit.Key{
		{Keys: "Ctrl Enter", Name: "Make the clip"},
		{Keys: "@", Name: "In the prompt: name a reference"},
		{Keys: "← or →", Name: "On the page of a clip: the one before, or after"},
		{Keys: "Alt ↑ or Alt ↓", Name: "Move the shot that is written in"},
	}
	for _, k := range playerKeys {
		list = append(list, k.key)
	}
	if s.Reviews != nil {
		list = append(list, s.Reviews.Keys()...)
	}
	return list
}
