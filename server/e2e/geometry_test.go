package e2e

import "testing"

// geometry notes in what order a page reads the sizes of what scrolls and moves it,
// task by task.
const geometry = `{
	window.geometry = {reads: 0, moves: 0, mixed: 0};
	let moved = new Set();
	const note = (e, move) => {
		if (!e.matches?.(".thread")) return;
		if (move) {
			if (moved.size === 0) setTimeout(() => moved.clear());
			moved.add(e);
			geometry.moves++;
		} else {
			geometry.reads++;
			if (moved.size > 0 && !moved.has(e)) geometry.mixed++;
		}
	};
	const of = name => Object.getOwnPropertyDescriptor(Element.prototype, name);
	for (const name of ["scrollHeight", "clientHeight"]) {
		const {get} = of(name);
		Object.defineProperty(Element.prototype, name, {get() { note(this, false); return get.call(this) }});
	}
	const {get, set} = of("scrollTop");
	Object.defineProperty(Element.prototype, "scrollTop", {get() { return get.call(this) }, set(v) { note(this, true); set.call(this, v) }});
}`

// Reading a lane's size after another one was moved has the browser work out all
// sizes once more.
func TestLanesAreReadBeforeAnyIsMoved(t *testing.T) {
	t.Parallel()
	sandbox := startSandbox(t)
	w := newWorld(t, sandbox.URL)
	p := w.keyed("/")
	p.must(p.tab.Before(geometry))
	p.open("/")
	p.compare(six...)
	p.must(p.tab.Eval(nil, `Object.assign(geometry, {reads: 0, moves: 0, mixed: 0})`))
	p.sendAll("[[repeat: 240]] Tell me of lanes")
	p.allSettled()
	var got struct{ Reads, Moves, Mixed int }
	p.must(p.tab.Eval(&got, "geometry"))
	if got.Moves < 6 {
		t.Errorf("the lanes were moved %d times: they don't follow their ends", got.Moves)
	}
	if got.Mixed > got.Reads/5 { // a lane that is drawn again may be among them
		t.Errorf("%d of %d reads of a lane's size came after another lane was moved", got.Mixed, got.Reads)
	}
	w.wholeLanes(p, sandbox, six)
}
