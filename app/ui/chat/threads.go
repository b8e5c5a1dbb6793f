//go:build js && wasm

package chat

import "github.com/maxence-charriere/go-app/v10/pkg/app"

// threads are the scrolled messages of the lanes.
type threads struct {
	p    *Page
	of   string    // conversation
	list []*thread // by lane, made when first asked for

	sizes sizes
	drawn []*thread // in this draw, and not moved yet
}

func (ts *threads) at(lane int) *thread {
	for len(ts.list) <= lane {
		ts.list = append(ts.list, &thread{p: ts.p, lane: len(ts.list), stuck: true, sizes: &ts.sizes, sight: newSight(ts.p)})
	}
	return ts.list[lane]
}

// rendered looks at a lane that was drawn, and has it moved with the others that are.
func (ts *threads) rendered(lane int) {
	t := ts.at(lane)
	t.rendered()
	if ts.drawn = append(ts.drawn, t); len(ts.drawn) > 1 {
		return
	}
	ts.p.Context().Defer(func(app.Context) {
		defer ts.p.Guard("the lanes")
		drawn := ts.drawn
		ts.drawn = nil
		anchorAll(drawn)
	})
}

// anchorAll moves lanes to where they are to be. All are looked at first: looking at one
// after another was moved has the browser work out all sizes once more.
func anchorAll(list []*thread) {
	moves := make([]func(), len(list))
	for i, t := range list {
		moves[i] = t.aim()
	}
	for _, move := range moves {
		move()
	}
}

// begin shows another conversation, from its end.
func (ts *threads) begin(conversation string) {
	ts.of = conversation
	ts.stick()
}

// markPlaces notes what stands at the top of every lane before another page takes
// their place.
func (ts *threads) markPlaces() {
	for _, t := range ts.list {
		t.markPlace()
	}
}

// stick lets every lane follow its end from its next growth on.
func (ts *threads) stick() {
	for _, t := range ts.list {
		t.stuck, t.target, t.found = true, "", ""
	}
}

// toEnd goes to the end of every lane.
func (ts *threads) toEnd() {
	for _, t := range ts.list {
		t.toEnd()
	}
}
