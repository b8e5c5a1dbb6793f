package gateway

import (
	"reflect"
	"testing"
	"time"
)

func TestTaskStatus(t *testing.T) {
	for text, want := range map[string]TaskStatus{
		"QUEUED": StatusQueued, "In_Progress": StatusInProgress, " success ": StatusSuccess, "failure": StatusFailure, "expired": StatusExpired, // F97, F98
		"submitted": "SUBMITTED", "": "",
	} {
		if got := ParseTaskStatus(text); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}

func TestRetention(t *testing.T) {
	day := 24 * time.Hour
	for _, c := range []struct {
		name     string
		finished time.Time
		age      time.Duration
		expired  bool
	}{
		{"F104 exactly 14 days are not more", noon, 14 * day, false},
		{"F104 older than 14 days", noon, 14*day + time.Second, true},
		{"G33 what has not finished does not expire", time.Time{}, 1000 * day, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Expired(c.finished, noon.Add(c.age)); got != c.expired {
				t.Errorf("expired %v", got)
			}
		})
	}
}

func TestF114UsualTimes(t *testing.T) {
	for id, want := range map[string][2]time.Duration{
		"gamma-2-720p":                 {time.Minute, 5 * time.Minute},
		"beta-video-720p-extend":       {time.Minute, 5 * time.Minute},
		"alpha-3.1-1080p-upscale":      {time.Minute, 3 * time.Minute},
		"alpha-3.1-4k-upscale":         {2 * time.Minute, 10 * time.Minute},
		"beta-video-upscale-480p-720p": {time.Minute, 3 * time.Minute},
	} {
		if least, most := model(t, id).Usual(); least != want[0] || most != want[1] {
			t.Errorf("%s: %v to %v", id, least, most)
		}
	}
}

func TestG36PollDelay(t *testing.T) {
	for _, c := range []struct {
		name       string
		n          int
		age        time.Duration
		jitter     float64
		retryAfter time.Duration
		want       time.Duration
	}{
		{"first", 0, 0, 0, 0, 5 * time.Second},
		{"rising", 2, time.Minute, 0, 0, 10 * time.Second},
		{"at most 30 s", 1_000_000, 29 * time.Minute, 0, 0, 30 * time.Second},
		{"jitter adds a fifth at most", 0, 0, 0.5, 0, 5500 * time.Millisecond},
		{"Retry-After is honoured", 0, 0, 0, 90 * time.Second, 90 * time.Second},
		{"a shorter Retry-After does not hurry", 50, time.Minute, 0, time.Second, 30 * time.Second},
		{"stale after 30 min: polled slowly", 70, 30 * time.Minute, 0, 0, 5 * time.Minute},
		{"a jitter that can't be is none", 0, 0, 7, 0, 5 * time.Second},
		{"a count that can't be is none", -5, 0, 0, 0, 5 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := PollDelay(c.n, c.age, c.jitter, c.retryAfter); got != c.want {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
	for n := 1; n < 40; n++ {
		if PollDelay(n, 0, 0, 0) < PollDelay(n-1, 0, 0, 0) {
			t.Errorf("poll %d comes sooner after its last than the one before", n)
		}
	}
}

func TestSecondsForTheForm(t *testing.T) {
	for _, c := range []struct {
		name string
		got  any
		want any
	}{
		{"F147 G21 the total is rounded half up once", ReferenceSeconds([]float64{2.4, 2.4}), 5},
		{"G21 4.5 s are 5", ReferenceSeconds([]float64{2.1, 2.4}), 5},
		{"G20 a range from measured lengths", ReferenceRange(1, []float64{8}), Seconds{Min: 12, Max: 23}},
		{"G20 a range from a number of references", ReferenceRange(3, nil), Seconds{Min: 10, Max: 30}},
		{"G22 7.4 s are 7", MotionSeconds(7.4), 7},
		{"G22 7.5 s are 8", MotionSeconds(7.5), 8},
		{"G22 what can't be a length is nothing", MotionSeconds(-1), 0},
		{"a set for people", Seconds{Values: []int{4, 6, 8}}.String(), "4, 6 or 8"},
		{"a range for people", Seconds{Min: 4, Max: 15}.String(), "4 to 15"},
		{"one value for people", Seconds{Min: 8, Max: 8}.String(), "8"},
		{"none for people", Seconds{}.String(), "any"},
	} {
		if !reflect.DeepEqual(c.got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
}
