package video

import (
	"fmt"
	"testing"

	"screentest/shared/wire"
)

func TestNotices(t *testing.T) {
	running, done := task(1, wire.VideoRunning), task(1, wire.VideoDone)
	done.Version = 2

	p := opened(t, "", running)
	p.News(done)
	if len(p.Notices.List) != 0 || p.Notices.Unseen != 0 {
		t.Errorf("told of what is seen: %+v", p.Notices.List)
	}

	p = opened(t, "", running)
	p.seen = false
	p.News(done)
	p.News(done) // again, from another event
	if p.Notices.Unseen != 1 || len(p.Notices.List) != 1 || p.Notices.List[0].Words != "Finished: a paper boat, take 1" || len(p.told) != 1 {
		t.Errorf("unseen %d, notices %+v", p.Notices.Unseen, p.Notices.List)
	}
	expired := done
	expired.Version, expired.State = 3, wire.VideoExpired
	p.News(expired)
	if p.Notices.Unseen != 1 {
		t.Error("an expiry is told as an end")
	}
	p.Notices.Look()
	if p.Notices.Unseen != 0 {
		t.Error("it is counted after a look")
	}
	p.pass()
	if len(p.Notices.List) != 0 {
		t.Error("a notice stays")
	}
	for n := range 9 {
		p.Notices.Say(fmt.Sprint(n), Plain)
	}
	if len(p.Notices.List) != maxNotices || p.Notices.List[2].Words != "8" {
		t.Errorf("%+v", p.Notices.List)
	}
}
