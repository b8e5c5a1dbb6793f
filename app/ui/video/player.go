//go:build js && wasm

package video

import (
	"math"
	"strconv"
	"strings"
	"syscall/js"
	"time"

	"screentest/app/video"
)

// levelEvery is how often playing clips are brought into step, and the time
// that is shown goes on.
const levelEvery = 50 * time.Millisecond

// player plays the clips of a comparison as one. The longest leads; the others
// are kept at its time, each to its own end. At most one has its sound on.
type player struct {
	s       *Section
	playing bool
	sound   int // -1 is none
	rate    float64
	loop    bool // it begins again at its end
	view    looking
	next    func() // ends the wait for the next levelling
}

// reset begins anew, with the clips that are in the document.
func (p *player) reset(s *Section) {
	p.stop()
	*p = player{s: s, sound: -1, rate: 1, view: looking{zoom: 1, x: 0.5, y: 0.5}}
	p.show()
	s.redrawResults()
}

func (p *player) stop() {
	if p.next != nil {
		p.next()
		p.next = nil
	}
	p.playing = false
}

// clips are the elements that are there at present.
func (p *player) clips() []js.Value {
	if p.s == nil {
		return nil
	}
	list := p.s.DOM.Doc.Call("querySelectorAll", "#compare .compare-clip")
	clips := make([]js.Value, list.Length())
	for i := range clips {
		clips[i] = list.Index(i)
	}
	return clips
}

// lengthOf is 0 as long as it is not known.
func lengthOf(v js.Value) float64 {
	d := v.Get("duration").Float()
	if math.IsNaN(d) || math.IsInf(d, 0) {
		return 0
	}
	return d
}

// lead is the longest clip, which all others follow.
func (p *player) lead() (lead js.Value, length float64) {
	for _, v := range p.clips() {
		if d := lengthOf(v); d > length {
			lead, length = v, d
		}
	}
	return lead, length
}

func (p *player) toggle() {
	if p.playing {
		p.pause()
	} else {
		p.play()
	}
}

func (p *player) play() {
	lead, length := p.lead()
	if length == 0 {
		return
	}
	at := lead.Get("currentTime").Float()
	if at >= length-video.FrameSeconds {
		p.seek(0)
		at = 0
	}
	p.playing = true
	for _, v := range p.clips() {
		v.Set("playbackRate", p.rate)
		if at < lengthOf(v) {
			p.s.await(v.Call("play"), nil)
		}
	}
	p.level()
	p.s.redrawResults()
}

func (p *player) pause() {
	p.stop()
	lead, length := p.lead()
	for _, v := range p.clips() {
		v.Call("pause")
	}
	if length > 0 {
		p.seek(lead.Get("currentTime").Float())
	}
	p.s.redrawResults()
}

// level brings the clips into step, again and again while they play.
func (p *player) level() {
	p.next = nil
	if !p.playing {
		return
	}
	lead, length := p.lead()
	if length == 0 || lead.Get("ended").Bool() {
		if p.pause(); p.loop {
			p.play()
		}
		return
	}
	at := lead.Get("currentTime").Float()
	for _, v := range p.clips() {
		if v.Equal(lead) {
			continue
		}
		seek, to, rate := video.Level(v.Get("currentTime").Float(), at, lengthOf(v))
		v.Set("playbackRate", p.rate*rate)
		if seek {
			v.Set("currentTime", to)
		}
		if v.Get("paused").Bool() && at < lengthOf(v)-video.FrameSeconds {
			p.s.await(v.Call("play"), nil)
		}
	}
	p.show()
	p.next = p.s.After(levelEvery, p.level)
}

// seek sets all clips to a time, each at most to its end.
func (p *player) seek(at float64) {
	for _, v := range p.clips() {
		v.Set("currentTime", math.Min(math.Max(at, 0), lengthOf(v)))
	}
	p.show()
}

// scrub sets all clips to a share of the longest.
func (p *player) scrub(share float64) {
	if _, length := p.lead(); length > 0 {
		p.seek(share * length)
	}
}

// step goes some frames on, or back.
func (p *player) step(n int) {
	lead, length := p.lead()
	if length == 0 {
		return
	}
	if p.playing {
		p.pause()
	}
	p.seek(video.StepFrame(lead.Get("currentTime").Float(), length, n))
}

// hear turns the sound of one clip on and of all others off, or its own off.
func (p *player) hear(i int) {
	if p.sound == i {
		i = -1
	}
	p.sound = i
	for n, v := range p.clips() {
		v.Set("muted", n != i)
	}
}

func (p *player) setLoop() {
	p.loop = !p.loop
	p.s.redrawResults()
}

func (p *player) setRate(rate string) {
	if r, err := strconv.ParseFloat(rate, 64); err == nil && r > 0 {
		p.rate = r
	}
	for _, v := range p.clips() {
		v.Set("playbackRate", p.rate)
	}
}

// show writes the time, and moves the bar, without a draw.
func (p *player) show() {
	if p.s == nil {
		return // a clip is faster than the page
	}
	lead, length := p.lead()
	at := 0.0
	if length > 0 {
		at = lead.Get("currentTime").Float()
	}
	if el := p.s.DOM.ByID("compare-time"); el.Truthy() && el.Get("firstChild").Truthy() {
		el.Get("firstChild").Set("nodeValue", hundredths(at)+" / "+hundredths(length))
	}
	if bar := p.s.DOM.ByID("compare-seek"); bar.Truthy() && length > 0 {
		bar.Set("value", strconv.Itoa(int(at/length*1000+0.5)))
		bar.Call("setAttribute", "aria-valuetext", hundredths(at)+" of "+hundredths(length))
	}
}

// hundredths writes a time as "0:03.25".
func hundredths(s float64) string {
	n := int(s*100 + 0.5)
	pad := func(n int) string {
		if n < 10 {
			return "0" + strconv.Itoa(n)
		}
		return strconv.Itoa(n)
	}
	return strconv.Itoa(n/6000) + ":" + pad(n/100%60) + "." + pad(n%100)
}

// key takes the keys of the comparison, wherever on its page the focus is, but
// those that a control takes itself.
func (p *player) key(e js.Value) {
	if p.s == nil || !p.s.DOM.ByID("compare").Truthy() ||
		p.s.taken(e, `select, textarea, input:not([type="range"]), [contenteditable], [open] > .menu`) {
		return
	}
	at, key := e.Get("target"), e.Get("key").String()
	switch tag := at.Get("tagName").String(); {
	case strings.HasPrefix(key, "Arrow") && at.Get("id").String() == "compare-divider":
		return // it moves the divider
	case key == " " && (tag == "BUTTON" || tag == "A"):
		return // its own press
	}
	if e.Get("shiftKey").Bool() && p.view.zoom > 1 {
		if by, ok := panKeys[key]; ok {
			p.pan(by[0], by[1])
			e.Call("preventDefault")
			return
		}
	}
	if p.take(key) {
		e.Call("preventDefault")
	}
}
