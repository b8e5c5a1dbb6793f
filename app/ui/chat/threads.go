//go:build js && wasm

package chat

// threads are the scrolled messages of the lanes.
type threads struct {
	p    *Page
	of   string    // conversation
	list []*thread // by lane, made when first asked for

	sizes sizes
}

func (ts *threads) at(lane int) *thread {
	for len(ts.list) <= lane {
		ts.list = append(ts.list, &thread{p: ts.p, lane: len(ts.list), stuck: true, sizes: &ts.sizes, sight: newSight(ts.p)})
	}
	return ts.list[lane]
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
