package video

import (
	"testing"

	"screentest/shared/wire"
)

// The list stands in the order that was chosen, news too, and what comes with a
// later page is not shown before.
func TestOrderOfTheGallery(t *testing.T) {
	a, b, c := task(1, wire.VideoDone), task(2, wire.VideoDone), task(3, wire.VideoDone)
	a.Title, a.PriceNanoUSD, a.Seconds = "Zebra", 300, 4
	b.Title, b.PriceNanoUSD, b.Seconds = "anchor", 100, 8
	c.Title, c.PriceNanoUSD, c.Seconds = "Beach", 300, 6
	p := opened(t, "", c, b, a)
	for sort, want := range map[wire.VideoSort][]string{
		wire.ClipsOldest: {"t001", "t002", "t003"}, wire.ClipsCost: {"t003", "t001", "t002"},
		wire.ClipsLength: {"t002", "t003", "t001"}, wire.ClipsName: {"t002", "t003", "t001"},
	} {
		p.Find(Filter{Sort: sort})
		p.list(want...)
		if q := p.query(p.asked(wire.OpVideoTasks)); q.Sort != sort {
			t.Errorf("asked for the order %q, not %q", q.Sort, sort)
		}
	}
	p.Find(Filter{Sort: wire.ClipsName})
	p.asked(wire.OpVideoTasks).answer(wire.VideoPage{Tasks: []wire.VideoTask{b, c}, Before: "more"})
	p.list("t002", "t003")
	d := task(4, wire.VideoDone)
	d.Title = "Zoo"
	p.Put(d) // after all that is shown
	p.list("t002", "t003")
	e := task(5, wire.VideoDone)
	e.Title = "Barn"
	p.Put(e)
	p.list("t002", "t005", "t003")

	p.Find(Filter{Sort: wire.ClipsCost, Standing: Trashed})
	if p.Filter.Sort != wire.ClipsNewest {
		t.Error("deleted ones are sorted by cost")
	}
}
