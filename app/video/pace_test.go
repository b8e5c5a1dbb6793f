package video

import (
	"testing"
	"time"

	"screentest/shared/wire"
)

func TestPaceIsTimeAgainstTheUsualTime(t *testing.T) {
	running := func(seconds int64, progress int) wire.VideoTask {
		v := task(9, wire.VideoRunning)
		v.AcceptedMS, v.Progress = noon.UnixMilli()-seconds*1000, progress
		v.UsualLeastMS, v.UsualMostMS = 60_000, 300_000
		return v
	}
	took := func(n int, seconds int64) wire.VideoTask {
		v := task(n, wire.VideoDone)
		v.AcceptedMS = 1
		v.FinishedMS = 1 + seconds*1000
		return v
	}
	other := took(4, 7)
	other.Model = "another"
	failed := took(5, 7)
	failed.State = wire.VideoFailed
	for _, c := range []struct {
		name string
		task wire.VideoTask
		own  []wire.VideoTask
		want Pace
	}{
		{"what the contract tells", running(72, -1), nil, Pace{"1 min 12 s so far", "usually 1 to 5 min", 72_000, 300_000, false, false}},
		{"at the end of it", running(300, -1), nil, Pace{"5 min so far", "usually 1 to 5 min", 300_000, 300_000, false, false}},
		{"beyond", running(301, -1), nil, Pace{"5 min 1 s so far", "longer than usual: 1 to 5 min", 300_000, 300_000, false, true}},
		{"the gateway's own figure counts", running(400, 62), nil, Pace{"6 min 40 s so far", "longer than usual: 1 to 5 min", 62, 100, true, true}},
		{"two of one's own are too few", running(30, 0), []wire.VideoTask{took(1, 20), took(2, 40), other, failed}, Pace{"30 s so far", "usually 1 to 5 min", 30_000, 300_000, false, false}},
		{"three tell", running(30, 0), []wire.VideoTask{took(1, 20), took(2, 40), took(3, 600), other, failed}, Pace{"30 s so far", "usually 40 s", 30_000, 40_000, false, false}},
		{"longer than three", running(41, 0), []wire.VideoTask{took(1, 20), took(2, 40), took(3, 600)}, Pace{"41 s so far", "longer than usual: 40 s", 40_000, 40_000, false, true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := opened(t, "", append(c.own, c.task)...)
			got, ok := p.Pace(&c.task)
			if !ok || got != c.want {
				t.Errorf("%+v, want %+v", got, c.want)
			}
		})
	}
	p := opened(t, "")
	bare := running(5, -1)
	bare.UsualLeastMS, bare.UsualMostMS = 0, 0
	if got, _ := p.Pace(&bare); got.Bound != 0 || got.Usual != "" || got.Long {
		t.Errorf("of what nothing is known: %+v", got)
	}
	p.now = noon.Add(time.Hour)
	done := took(1, 20)
	if _, ok := p.Pace(&done); ok {
		t.Error("what has finished goes on")
	}
}
