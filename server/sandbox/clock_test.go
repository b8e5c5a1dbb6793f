package sandbox

import (
	"testing"
	"time"
)

// POST /sandbox/clock moves the clock forward, and only forward.
func TestClock(t *testing.T) {
	r := start(t, Config{})
	for _, c := range []struct {
		body string
		want int
	}{
		{`{"advance":"336h"}`, 200}, {`{"advance":"0s"}`, 200}, {`{"advance":"-1h"}`, 400}, {`{"advance":5}`, 400},
		{`{"advance":"soon"}`, 400}, {`{}`, 400}, {`[]`, 400}, {`{"advance":"2562047h"}`, 400}, {`{"advance":"87600h"}`, 400},
	} {
		if a := r.do("POST", "/sandbox/clock", c.body); a.status != c.want {
			t.Errorf("%s: %d %s", c.body, a.status, a.body)
		}
	}
	if got := r.server.now().Sub(r.clock.now()); got != 336*time.Hour {
		t.Errorf("the clock is %v ahead", got)
	}
}
