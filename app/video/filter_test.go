package video

import (
	"slices"
	"testing"

	"screentest/shared/wire"
)

func TestFilter(t *testing.T) {
	a := task(1, wire.VideoDone)
	a.Tags, a.Favourite, a.Title = []string{"Boats"}, true, "Harbour"
	for _, c := range []struct {
		name string
		f    Filter
		want bool
	}{
		{"all", Filter{}, true},
		{"its standing", Filter{Standing: Finished}, true},
		{"another standing", Filter{Standing: Failed}, false},
		{"its mode", Filter{Mode: "text-to-video"}, true},
		{"another mode", Filter{Mode: "upscale"}, false},
		{"its model", Filter{Model: "beta-video-720p"}, true},
		{"another model", Filter{Model: "gamma-2-720p"}, false},
		{"its tag in another case", Filter{Tag: "boats"}, true},
		{"another tag", Filter{Tag: "boat"}, false},
		{"favourites", Filter{Favourite: true}, true},
		{"words in any order and field", Filter{Text: "720P paper HARBOUR boats"}, true},
		{"a word that is not there", Filter{Text: "paper plane"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.f.matches(&a); got != c.want {
				t.Errorf("%v", got)
			}
		})
	}
	for s := range standings {
		for _, state := range standings[s] {
			want := s
			if state == wire.VideoExpired {
				want = Expired // there is no copy
			}
			if got := StandingOf(&wire.VideoTask{State: state}); got != want {
				t.Errorf("%s stands under %q, want %q", state, got, want)
			}
		}
	}
}

// What plays from the archive after the gateway deleted its own is finished;
// what plays no more is expired, and neither is the other. The counts are of
// what all else of the filter finds.
func TestExpiredIsNotFinished(t *testing.T) {
	kept, gone := task(2, wire.VideoExpired), task(1, wire.VideoExpired)
	kept.Outputs = []wire.VideoOutput{{Archive: wire.ArchiveSaved}}
	p := opened(t, "", kept, gone)
	p.Find(Filter{Standing: Finished, Text: "boat"})
	p.list("t002")
	c := p.asked(wire.OpVideoTasks)
	if q := p.query(c); q.Gone != wire.GoneOut || q.Text != "boat" {
		t.Errorf("asked for %+v", q)
	}
	c.answer(wire.VideoPage{Tasks: []wire.VideoTask{kept}, Counts: &wire.VideoCount{All: 90},
		Found: &wire.VideoFound{States: map[string]int{"expired": 5, "done": 3, "failed": 1}, Gone: 4, Deleted: 2}})
	for s, want := range map[Standing]int{AnyStanding: 9, Finished: 4, Expired: 4, Failed: 1, Trashed: 2} {
		if n := p.StandingCount(s); n != want {
			t.Errorf("%d are %q, want %d", n, s, want)
		}
	}
	p.Find(Filter{Standing: Expired})
	p.list("t001")
	if q := p.query(p.asked(wire.OpVideoTasks)); q.Gone != wire.GoneOnly {
		t.Errorf("asked for %+v", q)
	}
	p.News(task(7, wire.VideoDone))
	p.pass()
	if q := p.query(p.asked(wire.OpVideoTasks)); q.Gone != wire.GoneOnly || q.Limit != 1 {
		t.Errorf("the counts are asked for with %+v", q)
	}
}

func TestFindShowsWhatIsKnownThenTheServersAnswer(t *testing.T) {
	p := opened(t, "", task(3, wire.VideoFailed), task(2, wire.VideoDone), task(1, wire.VideoFailed))
	p.Find(Filter{Standing: Failed})
	p.list("t003", "t001")
	first := p.asked(wire.OpVideoTasks)
	if q := p.query(first); !slices.Equal(q.States, []wire.VideoState{"failed", "refused", "lost"}) {
		t.Errorf("asked for %v", q.States)
	}

	p.Find(Filter{Text: " take   2 "})
	second := p.asked(wire.OpVideoTasks)
	if q := p.query(second); q.Text != "take 2" {
		t.Errorf("asked for %q", q.Text)
	}
	second.answer(wire.VideoPage{Tasks: []wire.VideoTask{task(2, wire.VideoDone)}})
	first.answer(wire.VideoPage{Tasks: []wire.VideoTask{task(3, wire.VideoFailed)}}) // late
	p.list("t002")

	failed := task(2, wire.VideoDone)
	failed.Version, failed.Prompt = 2, "something else"
	p.News(failed)
	p.list()
}
