package video

import (
	"slices"
	"strings"
	"testing"

	"screentest/shared/wire"
)

func TestLineage(t *testing.T) {
	root, ext, up, other := task(1, wire.VideoDone), task(2, wire.VideoDone), task(3, wire.VideoDone), task(4, wire.VideoFailed)
	ext.Mode, ext.Source = "extend", root.ID
	up.Mode, up.Source, up.Resolution = "upscale", ext.ID, "4k"
	other.Mode, other.Source = "extend", ext.ID
	p := opened(t, "")
	c := p.Open(ext.ID)
	p.asked(wire.OpVideoTask).answer(wire.VideoOpened{
		Task: ext, Ancestors: []wire.VideoTask{root}, Descendants: []wire.VideoTask{up, other}, LineageNanoUSD: 700_000_000, ShownNanoUSD: 600_000_000,
	})
	var got []string
	for _, s := range c.Lineage() {
		line := strings.Repeat(">", s.Depth) + s.Task.ID + " " + s.Verb
		if s.Current {
			line += " here"
		}
		got = append(got, line)
	}
	want := []string{"t001 Original", ">t002 Extend here", ">>t003 Upscale to 4K", ">>t004 Extend"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if shown, others := c.LineageNanoUSD(); shown != 600_000_000 || others != 100_000_000 {
		t.Errorf("together %d, and others %d", shown, others)
	}

	c.News(task(9, wire.VideoQueued))
	if len(p.timers) != 0 {
		t.Error("a stranger's news open it again")
	}
	next := task(9, wire.VideoQueued)
	next.Source = up.ID
	c.News(next)
	c.News(next)
	p.pass()
	p.asked(wire.OpVideoTask)
	if len(p.calls) != 0 {
		t.Errorf("opened twice: %v", p.calls)
	}
}
