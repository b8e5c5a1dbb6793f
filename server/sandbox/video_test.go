package sandbox

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"screentest/server/mp4"
	"screentest/shared/gateway"
)

// created is a creation reply.
type created struct {
	ID       string      `json:"id"`
	TaskID   string      `json:"task_id"`
	Status   string      `json:"status"`
	Progress json.Number `json:"progress"`
}

// create makes a task and fails the test if it is refused.
func (r *rig) create(t testing.TB, body string) created {
	t.Helper()
	a := r.post(gateway.Video, body)
	var c created
	if a.status != http.StatusOK || json.Unmarshal(a.body, &c) != nil {
		t.Fatalf("%s: %d %s", body, a.status, a.body)
	}
	return c
}

// poll is the status of a task.
func (r *rig) poll(t testing.TB, id string) statusReply {
	t.Helper()
	var s statusReply
	r.get("/v1/video/generations/"+id, &s)
	return s
}

// nested is the inner body of a status.
type nested struct {
	ID, Status, Code string
	Output           []struct{ URL string }
	has              bool // not null
	output           bool // the field is there
}

func (s statusReply) nested(t testing.TB) (n nested) {
	t.Helper()
	b, err := json.Marshal(s.Data.Data)
	if err != nil || json.Unmarshal(b, &n) != nil {
		t.Fatalf("%v: %s", err, b)
	}
	n.has = string(b) != "null"
	n.output = strings.Contains(string(b), `"output"`)
	return n
}

// finish makes a task and moves the clock until it has ended.
func (r *rig) finish(t testing.TB, body string) (created, nested) {
	t.Helper()
	c := r.create(t, body)
	r.clock.advance(10 * time.Minute)
	return c, r.poll(t, c.ID).nested(t)
}

func clipBody(model, prompt, seconds, more string) string {
	return fmt.Sprintf(`{"model":%q,"prompt":%q,"seconds":%q%s}`, model, prompt, seconds, more)
}

// The life of a task: F5, F91–F97, F100, F101, F106, F108, F110, F111, and the
// shapes of the samples.
func TestTaskLife(t *testing.T) {
	r := start(t, Config{})
	a := r.post(gateway.Video, clipBody("beta-video-720p", "A paper boat", "6", ""))
	sameShape(t, "F91 creation", string(a.body), string(sample(t, "video_create.json")))
	var c created
	if err := json.Unmarshal(a.body, &c); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(c.ID, "task_") || len(c.ID) != 37 || c.TaskID != c.ID || c.Status != "queued" || c.Progress != "0" {
		t.Errorf("F91–F94: %+v", c)
	}
	var want map[string]json.RawMessage
	if err := json.Unmarshal(sample(t, "video_status.json"), &want); err != nil {
		t.Fatal(err)
	}
	look := func(state string) (statusReply, nested) {
		t.Helper()
		raw := r.do("GET", "/v1/video/generations/"+c.ID, "")
		sameShape(t, state, string(raw.body), string(want[state]))
		s := r.poll(t, c.ID)
		if s.Code != "success" || s.Data.TaskID != c.ID || s.Data.Quota != 300_000 {
			t.Errorf("F96: %+v", s)
		}
		return s, s.nested(t)
	}
	if s, n := look("queued"); s.Data.Status != "QUEUED" || n.has || s.Data.StartTime != 0 || s.Data.FinishTime != 0 {
		t.Errorf("F108: %+v", s)
	}
	task := r.server.tasks.byID[c.ID]
	takes := task.Finished.Sub(task.Created)
	if takes < time.Minute || takes > 5*time.Minute {
		t.Errorf("F114: takes %v", takes)
	}
	r.clock.advance(task.Started.Sub(task.Created))
	s, n := look("in_progress")
	if s.Data.Status != "IN_PROGRESS" || n.ID != task.UUID || n.output || s.Data.Progress != "30%" {
		t.Errorf("F110: %+v %+v", s, n)
	}
	r.clock.advance(task.Finished.Sub(task.Started) - time.Millisecond)
	if s, _ := look("in_progress"); s.Data.Progress != "98%" {
		t.Errorf("progress just before the end is %s", s.Data.Progress)
	}
	r.clock.advance(time.Millisecond)
	s, n = look("success")
	if s.Data.Status != "SUCCESS" || len(n.Output) != 1 || n.ID != task.UUID || s.Data.FinishTime != task.Finished.Unix() {
		t.Errorf("F111: %+v %+v", s, n)
	}
	if n.Output[0].URL != r.http.URL+"/files/"+n.ID+".mp4" {
		t.Errorf("F106: %s", n.Output[0].URL)
	}
	if a := r.account(); a.Charged != 300_000_000 || a.Returned != 0 || len(a.Entries) != 1 || a.Entries[0] != (entry{"charge", c.ID, 300_000_000}) {
		t.Errorf("F109, F167: %+v", a)
	}
}

// F112, F99: a failed task says why, and its charge goes back exactly once.
func TestFailedTask(t *testing.T) {
	r := start(t, Config{})
	c := r.create(t, clipBody("alpha-3.1-quality", "[[fail: the model refused]] x", "8", ""))
	if a := r.account(); a.Charged != 2_400_000_000 || a.Returned != 0 {
		t.Errorf("F112: before: %+v", a)
	}
	r.clock.advance(10 * time.Minute)
	// The account knows before anybody polls.
	for range 3 {
		if a := r.account(); a.Returned != a.Charged || a.Balance != int64(DefaultBalance) || len(a.Entries) != 2 || a.Entries[1] != (entry{"return", c.ID, 2_400_000_000}) {
			t.Errorf("after: %+v", a)
		}
		s := r.poll(t, c.ID)
		if s.Data.Status != "FAILURE" || s.Data.FailReason != "the model refused" || s.nested(t).output {
			t.Errorf("F99: %+v", s)
		}
	}
	var want map[string]json.RawMessage
	if err := json.Unmarshal(sample(t, "video_status.json"), &want); err != nil {
		t.Fatal(err)
	}
	sameShape(t, "failure", string(r.do("GET", "/v1/video/generations/"+c.ID, "").body), string(want["failure"]))
	// G32: the state stays.
	r.clock.advance(20 * 24 * time.Hour)
	if s := r.poll(t, c.ID); s.Data.Status != "FAILURE" {
		t.Errorf("G32: %s", s.Data.Status)
	}
}

// F102–F105, G33: 14 days after the finish the result is gone, and the outer
// status stays.
func TestExpiry(t *testing.T) {
	r := start(t, Config{})
	c, n := r.finish(t, clipBody("alpha-3.1-lite", "x", "4", ""))
	file := "/files/" + n.ID + ".mp4"
	task := r.server.tasks.byID[c.ID]
	if a := r.do("GET", file, ""); a.status != http.StatusOK {
		t.Fatalf("%d", a.status)
	}
	r.clock.advance(task.Finished.Add(14 * 24 * time.Hour).Sub(r.clock.now()))
	if n := r.poll(t, c.ID).nested(t); n.Status != "completed" {
		t.Errorf("exactly 14 days after the finish: %+v", n)
	}
	if a := r.do("POST", "/sandbox/clock", `{"advance":"1s"}`); a.status != http.StatusOK {
		t.Fatal(a.status)
	}
	s := r.poll(t, c.ID)
	if n := s.nested(t); s.Data.Status != "SUCCESS" || s.Code != "success" || n.Status != "expired" || n.Code != "result_expired" || len(n.Output) != 0 || !n.output {
		t.Errorf("F102, F103, G33: %+v %+v", s, n)
	}
	var want map[string]json.RawMessage
	if err := json.Unmarshal(sample(t, "video_status.json"), &want); err != nil {
		t.Fatal(err)
	}
	sameShape(t, "expired", string(r.do("GET", "/v1/video/generations/"+c.ID, "").body), string(want["expired"]))
	if a := r.do("GET", file, ""); a.status != http.StatusNotFound {
		t.Errorf("F105: the file answers %d", a.status)
	}
	// [[expire]]: as soon as it is done.
	_, n = r.finish(t, clipBody("alpha-3.1-lite", "[[expire]] x", "4", ""))
	if n.Status != "expired" || r.do("GET", "/files/"+n.ID+".mp4", "").status != http.StatusNotFound {
		t.Errorf("[[expire]]: %+v", n)
	}
	if a := r.account(); a.Returned != 0 {
		t.Errorf("an expired result was paid back: %+v", a)
	}
}

// F114: how long tasks take, scaled by Speed; slow ones ten times as long.
func TestDurations(t *testing.T) {
	for _, c := range []struct {
		name         string
		model        string
		words        string
		least, most  time.Duration
		speed        float64
		seconds, uid string
	}{
		{"F114 a generation", "alpha-3.1-lite", "", time.Minute, 5 * time.Minute, 0, "8", ""},
		{"F114 twenty times faster", "alpha-3.1-lite", "", 3 * time.Second, 15 * time.Second, 20, "8", ""},
		{"F114 slow", "alpha-3.1-lite", "[[slow]] ", 10 * time.Minute, 50 * time.Minute, 0, "8", ""},
		{"F114 a 1080p upscale", "alpha-3.1-1080p-upscale", "", time.Minute, 3 * time.Minute, 0, "8", "s"},
		{"F114 a 4K upscale", "alpha-3.1-4k-upscale", "", 2 * time.Minute, 10 * time.Minute, 0, "8", "s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := start(t, Config{Speed: c.speed})
			for i := range 5 {
				more := ""
				if c.uid != "" {
					_, n := r.finish(t, clipBody("alpha-3.1-lite", "source", "4", ""))
					more = `,"task_id":"` + n.ID + `"`
				}
				id := r.create(t, clipBody(c.model, c.words+strings.Repeat("x", i+1), c.seconds, more)).ID
				task := r.server.tasks.byID[id]
				if d := task.Finished.Sub(task.Created); d < c.least || d > c.most {
					t.Errorf("takes %v, want %v to %v", d, c.least, c.most)
				}
				if !task.Started.After(task.Created) || !task.Started.Before(task.Finished) {
					t.Error("never QUEUED, or never IN_PROGRESS")
				}
			}
		})
	}
	if _, err := New(Config{Catalogue: gateway.SampleCatalogue(), Speed: -1}); err == nil {
		t.Error("a negative speed is taken")
	}
}

// F118, G2: polling takes the task_ id; a UUID, an unknown id and another key's
// id are all the same.
func TestPollUnknown(t *testing.T) {
	r := start(t, Config{MoreKeys: []string{"other"}})
	c, n := r.finish(t, clipBody("alpha-3.1-lite", "x", "4", ""))
	var messages []string
	poll := func(name, id string) {
		a := r.do("GET", "/v1/video/generations/"+id, "")
		p := a.problem(t)
		if a.status != http.StatusBadRequest || p.code != "task_not_exist" || !p.flat {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
		messages = append(messages, strings.ReplaceAll(p.message, id, "ID"))
	}
	poll("G2 unknown", "task_"+strings.Repeat("A", 32))
	poll("F118 a UUID", n.ID)
	r.key = "other"
	poll("G2 foreign", c.ID)
	for _, m := range messages {
		if m != messages[0] {
			t.Errorf("G2: the message tells them apart: %q", messages)
		}
	}
	// F118: a status needs no body, and one that comes does not matter.
	r.key = DefaultKey
	if a := r.do("GET", "/v1/video/generations/"+c.ID, "", "Content-Type", ""); a.status != http.StatusOK {
		t.Errorf("%d", a.status)
	}
}

// [[poll: N]] and [[status: N]] of a task: no task is made, or it is polled
// normally from the second time on.
func TestVideoScript(t *testing.T) {
	r := start(t, Config{})
	c := r.create(t, clipBody("alpha-3.1-lite", "[[poll: 500]] x", "4", ""))
	if a := r.do("GET", "/v1/video/generations/"+c.ID, ""); a.status != 500 || !a.problem(t).flat {
		t.Errorf("first poll: %d %s", a.status, a.body)
	}
	if s := r.poll(t, c.ID); s.Data.Status != "QUEUED" {
		t.Errorf("second poll: %+v", s)
	}
	body := clipBody("alpha-3.1-lite", "[[status: 429]] x", "4", "")
	if a := r.post(gateway.Video, body); a.status != 429 || !a.problem(t).flat || a.header.Get("Retry-After") == "" {
		t.Errorf("%d %s", a.status, a.body)
	}
	if n := len(r.account().Entries); n != 1 {
		t.Errorf("%d entries: a refused create was charged", n)
	}
	r.create(t, body)
}

// F167, F168, F141, F148, F151, F133: what each kind of task costs.
func TestVideoCharges(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       int64
	}{
		{"F167 a generation", clipBody("beta-video-480p", "x", "10", ""), 300_000_000},
		{"F141 gamma with frames", clipBody("gamma-2-720p-i2v", "x", "5", `,"image_urls":["https://example.com/a.png"]`), 600_000_000},
		{"F151 multi-shot", clipBody("delta-3.0-720p", "x", "5", `,"multi_shots":true,"multi_prompt":[{"prompt":"a","duration":2},{"prompt":"b","duration":3}]`), 400_000_000},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := start(t, Config{})
			r.create(t, c.body)
			if got := r.account().Charged; got != c.want {
				t.Errorf("%d, want %d", got, c.want)
			}
		})
	}
	t.Run("F168 a beta upscale, F133 a beta extend", func(t *testing.T) {
		r := start(t, Config{})
		_, n := r.finish(t, clipBody("beta-video-480p", "x", "6", ""))
		before := r.account().Charged
		r.create(t, clipBody("beta-video-upscale-480p-1080p", "x", "1", `,"task_id":"`+n.ID+`"`))
		r.create(t, clipBody("beta-video-480p-extend", "x", "10", `,"task_id":"`+n.ID+`"`))
		if got := r.account().Charged - before; got != 200_000_000+300_000_000 {
			t.Errorf("%d", got)
		}
	})
}

// What comes out of each mode: length, size, and what is in it.
func TestResults(t *testing.T) {
	for _, c := range []struct {
		name, body string
		seconds    float64
		w, h       int
		segments   int
	}{
		{"F59 text to video", clipBody("alpha-3.1-lite", "x", "6", ""), 6, 1280, 720, 1},
		{"F62 a ratio", clipBody("alpha-3.1-lite", "x", "4", `,"aspect_ratio":"9:16"`), 4, 720, 1280, 1},
		{"F62 another ratio", clipBody("gamma-2-480p", "x", "15", `,"aspect_ratio":"21:9"`), 15, 1120, 480, 1},
		{"F63 a ratio where it has no effect", clipBody("alpha-3.1-lite-i2v", "x", "4", `,"aspect_ratio":"9:16","image_urls":"https://example.com/a.png"`), 4, 1280, 720, 1},
		{"F137 first and last frame", clipBody("gamma-2-480p-i2v", "x", "4", `,"image_urls":["https://example.com/a.png","https://example.com/b.png"]`), 4, 854, 480, 1},
		{"F150 multi-shot, a look for each shot", clipBody("delta-3.0-1080p", "x", "9", `,"aspect_ratio":"1:1","multi_shots":true,"multi_prompt":[{"prompt":"a","duration":2},{"prompt":"a","duration":3},{"prompt":"c","duration":4}]`), 9, 1080, 1080, 3},
		{"F152 multi-shot with a frame", clipBody("delta-3.0-720p", "x", "2", `,"aspect_ratio":"9:16","image_urls":["https://example.com/a.png"],"multi_shots":true,"multi_prompt":[{"prompt":"a","duration":2}]`), 2, 1280, 720, 1},
		{"G24 a multi-shot sum beyond the model's list", clipBody("delta-3.0-720p", "x", "60", `,"multi_shots":true,"multi_prompt":[`+strings.TrimSuffix(strings.Repeat(`{"prompt":"a","duration":12},`, 5), ",")+`]`), 60, 1280, 720, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := start(t, Config{})
			created, n := r.finish(t, c.body)
			spec := r.server.tasks.byID[created.ID].Clip
			if spec.Seconds() != c.seconds || spec.Width != c.w || spec.Height != c.h || len(spec.Segments) != c.segments {
				t.Errorf("%+v", spec)
			}
			for i := 1; i < len(spec.Segments); i++ {
				if spec.Segments[i].Look == spec.Segments[i-1].Look {
					t.Errorf("the cut before part %d cannot be seen", i)
				}
			}
			a := r.do("GET", "/files/"+n.ID+".mp4", "", "Authorization", "")
			info, err := mp4.Measure(strings.NewReader(string(a.body)))
			if err != nil || info != (mp4.Info{Seconds: c.seconds, Width: c.w, Height: c.h}) {
				t.Errorf("the file: %+v, %v", info, err)
			}
		})
	}
}

// Two prompts can be told apart.
func TestPromptsLookDifferent(t *testing.T) {
	r := start(t, Config{})
	looks := map[int]bool{}
	for _, p := range []string{"A paper boat", "A lighthouse", "Dunes at noon", "A flower", "City lights", "Waves", "A cat", "Snow"} {
		c := r.create(t, clipBody("alpha-3.1-lite", p, "4", ""))
		again := r.create(t, clipBody("alpha-3.1-lite", p, "4", ""))
		a, b := r.server.tasks.byID[c.ID].Clip, r.server.tasks.byID[again.ID].Clip
		if a.Segments[0] != b.Segments[0] {
			t.Errorf("%q looks different the second time", p)
		}
		looks[a.Segments[0].Look] = true
	}
	if len(looks) < 4 {
		t.Errorf("eight prompts have %d looks", len(looks))
	}
}
