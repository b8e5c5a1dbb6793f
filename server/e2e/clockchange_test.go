package e2e

import (
	"bytes"
	"testing"
)

// A message of the other half of the year has the time that the clock on the
// wall showed, on whichever side of the clock change the page was loaded.
func TestTimesAcrossAClockChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	for _, at := range []string{ // s, in place of the export's own
		"1751322600", // 30 June 2025, 22:30 UTC
		"1736980200", // 15 January 2025, 22:30 UTC
	} {
		file, _ := exported(t, "Times", 2)
		w.importFile(bytes.ReplaceAll(file, []byte("1760000000"), []byte(at)))
	}
	p := w.tab("/")
	p.must(p.tab.Zone("Europe/Berlin"))
	p.open("/")
	p.search("question")
	p.wait(hits + `.length === 2`)
	if got := p.text(hits + `.map(h => h.querySelector(".figure").textContent).sort().join()`); got != "1 Jul 2025,15 Jan 2025" {
		t.Errorf("found on %s", got)
	}
}
