package sandbox

import (
	"crypto/rand"
	"hash/fnv"
	"io"
	"strconv"
	"strings"
	"time"

	"screentest/server/sandbox/clip"
	"screentest/shared/gateway"
	"screentest/shared/strictjson"

	"github.com/google/uuid"
)

// video is a creation request that was found valid.
type video struct {
	model      gateway.Model
	mode       gateway.Mode
	prompt     string // without the script's words
	script     script
	seconds    int
	ratio      string
	images     []string
	source     string // task_id, in lower case (F67)
	references []string
	motion     string // video_url
	scenes     []gateway.Scene
}

// readVideo reads a body that was found valid, by the exact names of fields.
func readVideo(root *strictjson.Value, m gateway.Model) video {
	text := func(v *strictjson.Value, name string) string {
		if f, ok := v.Get(name); ok && f.Kind == strictjson.String {
			return f.Text
		}
		return ""
	}
	list := func(name string) (out []string) {
		f, ok := root.Get(name)
		if !ok {
			return nil
		}
		if f.Kind == strictjson.String {
			return []string{f.Text} // one link is a list of one (F64)
		}
		for _, item := range f.Items {
			out = append(out, item.Text)
		}
		return out
	}
	v := video{model: m, mode: m.Mode, ratio: text(root, "aspect_ratio"), images: list("image_urls"),
		source: strings.ToLower(text(root, "task_id")), references: list("reference_video_urls"), motion: text(root, "video_url")}
	v.script, v.prompt = readScript(text(root, "prompt"))
	v.seconds, _ = strconv.Atoi(text(root, "seconds"))
	if f, ok := root.Get("multi_shots"); ok && f.Kind == strictjson.Bool && f.Text == "true" {
		v.mode = gateway.MultiShot
		scenes, _ := root.Get("multi_prompt")
		for i := range scenes.Items {
			d, _ := scenes.Items[i].Get("duration")
			n, _ := strconv.Atoi(d.Text)
			v.scenes = append(v.scenes, gateway.Scene{Prompt: text(&scenes.Items[i], "prompt"), Duration: n})
		}
	}
	return v
}

// handleCreate answers POST /v1/video/generations. After the fields come the
// source, what has to be measured, the balance, and the task (G41).
func (s *Server) handleCreate(c *call) error {
	root, model, err := s.judge(gateway.Video, c.body)
	if err != nil {
		return err
	}
	v := readVideo(root, model)
	if done, err := s.injectStatus(c, v.script); done || err != nil {
		return err
	}
	m, err := s.measure(c, v)
	if err != nil {
		return err
	}
	t, err := s.create(c, v, m)
	if err != nil {
		return err
	}
	return c.reply(struct {
		ID       string `json:"id"` // F91
		TaskID   string `json:"task_id"`
		Object   string `json:"object"`
		Model    string `json:"model"`
		Status   string `json:"status"`   // F93
		Progress int    `json:"progress"` // F94
		Created  int64  `json:"created_at"`
		Seconds  string `json:"seconds"`
	}{t.ID, t.ID, "video", t.Model, "queued", 0, t.Created.Unix(), strconv.Itoa(t.Seconds)})
}

// create makes the task and charges it, as one step (F109).
func (s *Server) create(c *call, v video, m measured) (*task, error) {
	s.bank.mu.Lock()
	defer s.bank.mu.Unlock()
	now := s.now()
	s.returnFailed(now)
	var source *task
	if v.mode == gateway.Extend || v.mode == gateway.Upscale {
		var err error
		if source, err = s.findSource(c.account, v, now); err != nil {
			return nil, err
		}
	}
	cost := v.model.VideoPrice(v.seconds).Cost
	if free := c.account.free(); free < cost {
		return nil, refuseBalance(cost, free)
	}
	if !s.tasks.room(now) {
		return nil, &refusal{status: 429, code: "too_many_tasks", message: "there are " + strconv.Itoa(maxTasks) + " tasks already: start another sandbox"}
	}
	t := v.task(source, m, now, s.cfg.Speed)
	t.Number, t.Account, t.Cost = s.tasks.number+1, c.account.name, cost
	if err := s.journal.append(line{Task: t}, true); err != nil {
		return nil, err
	}
	s.tasks.add(t)
	c.account.book("charge", t.ID, cost)
	return t, nil
}

// task decides everything about the task: when it starts and ends, how it
// ends, and what the clip shows.
func (v video) task(source *task, m measured, now time.Time, speed float64) *task {
	t := &task{
		// 32 letters and digits after the prefix, as the samples have it.
		ID: "task_" + rand.Text() + rand.Text()[:6], UUID: uuid.NewString(),
		Model: v.model.ID, Seconds: v.seconds, Created: now,
		Fail: v.script.fail, Expire: v.script.expire, Poll: v.script.poll,
		origin: v.origin(source), Clip: v.clip(source, m),
	}
	if t.Root == "" {
		t.Root = t.UUID
	}
	takes := v.takes()
	if v.script.slow {
		takes *= 10
	}
	takes = time.Duration(float64(takes) / speed)
	t.Started = now.Add(takes / 10)
	t.Finished = now.Add(takes)
	return t
}

// takes is how long the task lasts (F114): longer for a longer clip, and the
// same for the same request.
func (v video) takes() time.Duration {
	least, most := v.model.Usual()
	k := share(v.seed(v.prompt))/2 + min(float64(v.seconds), 30)/60
	return least + time.Duration(float64(most-least)*k)
}

// seed is a number that depends on the model, a text and the images.
func (v video) seed(text string) uint64 {
	h := fnv.New64a()
	for _, p := range append([]string{v.model.ID, text}, v.images...) {
		_, _ = io.WriteString(h, p)
		_, _ = h.Write([]byte{0})
	}
	return h.Sum64()
}

// look is what a prompt looks like: never what came just before it.
func (v video) look(prompt string, before []clip.Segment) int {
	look := int(share(v.seed(prompt)) * clip.Looks)
	if n := len(before); n > 0 && before[n-1].Look == look {
		look = (look + 1) % clip.Looks
	}
	return look
}

// clip is what the result shows.
func (v video) clip(source *task, m measured) clip.Spec {
	var out clip.Spec
	switch v.mode {
	case gateway.Upscale:
		return source.Clip.At(v.model.Resolution)
	case gateway.Extend:
		// The source, and then the new seconds (F125); alpha's at 720p (F126).
		out = source.Clip.At(v.resultOf(source))
		return out.Then(clip.Segment{Look: v.look(v.prompt, out.Segments), Frames: clip.Frames(float64(v.seconds))})
	case gateway.Motion:
		out.Width, out.Height = clip.Size(v.model.Resolution, ratioOf(m.motion.Width, m.motion.Height))
		return out.Then(clip.Segment{Look: v.look(v.prompt, nil), Frames: clip.Frames(m.motion.Seconds)}) // F157
	}
	out.Width, out.Height = clip.Size(v.model.Resolution, v.shape())
	if v.mode == gateway.MultiShot {
		for _, scene := range v.scenes {
			out = out.Then(clip.Segment{Look: v.look(scene.Prompt, out.Segments), Frames: clip.Frames(float64(scene.Duration))})
		}
		return out
	}
	// Of a reference video's seconds the references are not part of the clip (F147).
	return out.Then(clip.Segment{Look: v.look(v.prompt, nil), Frames: clip.Frames(float64(v.seconds - m.references))})
}

// shape is the aspect ratio: the one asked for where it counts (F63), else the
// model's first.
func (v video) shape() string {
	if v.ratio != "" && (v.mode == gateway.TextToVideo || v.mode == gateway.MultiShot && len(v.images) == 0) {
		return v.ratio
	}
	if len(v.model.Ratios) > 0 {
		return v.model.Ratios[0]
	}
	return ""
}

func ratioOf(w, h int) string { return strconv.Itoa(w) + ":" + strconv.Itoa(h) }

// resultOf is the resolution of an extend: alpha's is always 720p (F126, G16),
// beta's the source's (F131, G15).
func (v video) resultOf(source *task) string {
	if v.model.Family == gateway.Alpha {
		return "720p"
	}
	return source.Resolution
}

// origin is what the result may become part of.
func (v video) origin(source *task) origin {
	o := origin{Family: v.model.Family, Mode: v.mode, Tier: v.model.Tier, Resolution: v.model.Resolution}
	if source == nil {
		return o
	}
	o.Root, o.Tier = source.Root, source.Tier // G14, G15
	if v.mode == gateway.Extend {
		o.Resolution = v.resultOf(source)
	}
	return o
}
