package e2e

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"screentest/shared/wire"
)

// cleoMail is who signs in beside Ana and Ben.
const cleoMail = "cleo@example.com"

// call makes a call over a socket of its own, as another tab of the person of the
// page would, and reads the answer into out.
func (p *page) call(op wire.Op, args, out any) {
	p.w.t.Helper()
	data, err := json.Marshal(wire.Call{ID: 1, Op: op, Args: marshalled(args)})
	p.must(err)
	answer := p.text(fmt.Sprintf(`new Promise(done => {
		const ws = new WebSocket(location.origin.replace("http", "ws") + %q);
		ws.onopen = () => ws.send(%q);
		ws.onmessage = e => {
			if (typeof e.data !== "string") return;
			const m = JSON.parse(e.data);
			if (m.id === 1) { ws.close(); done(e.data); }
		};
		ws.onerror = () => done('{"problem":{"code":"no socket"}}');
	})`, wire.Path, data))
	var push wire.Push
	p.must(json.Unmarshal([]byte(answer), &push))
	if push.Problem != nil {
		p.w.t.Fatalf("%s is refused: %s", op, push.Problem)
	}
	if out != nil {
		p.must(json.Unmarshal(push.Data, out))
	}
}

func marshalled(v any) json.RawMessage {
	b, _ := json.Marshal(v)
	return b
}

// makesClip makes a clip as the person of the page, and waits until it is finished.
// source is what it goes on from.
func (p *page) makesClip(model, prompt string, source *wire.VideoTask) wire.VideoTask {
	p.w.t.Helper()
	fields := map[string]string{"model": model, "prompt": prompt, "seconds": "6"}
	create := wire.VideoCreate{ID: uuid.NewString()}
	if source != nil {
		fields["task_id"], create.Source = source.UUID, source.ID
	}
	create.Body = marshalled(fields)
	var made wire.VideoTask
	p.call(wire.OpVideoCreate, create, &made)
	for end := time.Now().Add(time.Minute); ; {
		var o wire.VideoOpened
		p.call(wire.OpVideoTask, wire.Target{ID: made.ID}, &o)
		if o.Task.State == wire.VideoDone && len(o.Task.Outputs) > 0 {
			return o.Task
		}
		if time.Now().After(end) {
			p.w.t.Fatalf("the clip is %s", o.Task.State)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// showsAll shares a clip with everybody, live, and returns the share's id.
func (p *page) showsAll(clip string) string {
	p.w.t.Helper()
	var s wire.Share
	answer := p.asked("POST", "/api/shares", string(marshalled(wire.NewShare{Kind: wire.ShareClip, ID: clip, Audience: wire.ShareWithAll, Live: true})))
	if json.Unmarshal([]byte(answer), &s) != nil || s.ID == "" {
		p.w.t.Fatalf("the clip is not shared: %s", answer)
	}
	return s.ID
}

// reviewed is a team in which Ana shares a clip, and shows its page, and Ben and
// Cleo look at it, each in a browser of their own.
type reviewed struct {
	w              *world
	ana, ben, cleo *page
	clip           wire.VideoTask
	share          string
}

func newReviewed(t *testing.T) *reviewed {
	t.Helper()
	w := newTeam(t, "", fastClips...)
	r := &reviewed{w: w, ana: w.tab("/")}
	r.ben = w.join(r.ana.invited("member"), "Ben", benMail)
	r.cleo = w.join(r.ana.invited("member"), "Cleo Mann", cleoMail)
	r.clip = r.ana.makesClip("beta-video-480p", "A red kite over the dunes", nil)
	r.share = r.ana.showsAll(r.clip.ID)
	r.ana.reviews("/video/" + r.clip.ID)
	r.ben.reviews("/review/" + r.share)
	r.cleo.reviews("/review/" + r.share)
	return r
}

// reviews goes to a page on which a clip is reviewed, and waits until it can be.
func (p *page) reviews(path string) {
	p.w.t.Helper()
	p.open(path)
	p.wait(`!!document.querySelector("#review-state") && document.querySelector("#player")?.duration > 0`)
}

// goes has the player be at a time, in seconds.
func (p *page) goes(at float64) {
	p.w.t.Helper()
	p.must(p.tab.Eval(nil, fmt.Sprintf(`new Promise(done => { const v = document.querySelector("#player"); v.onseeked = () => done(true); v.currentTime = %v; })`, at)))
}

// comments writes a comment where the player is, and sends it.
func (p *page) comments(text string) {
	p.w.t.Helper()
	p.must(p.tab.Front())
	p.must(p.tab.Eval(nil, `document.activeElement?.blur()`))
	p.keys("c")
	p.wait(`document.activeElement?.id === "review-text"`)
	p.keys(text)
	p.click("#review-send")
}

// listed are the times and texts of the comments, as the page has them.
const listed = `JSON.stringify([...document.querySelectorAll("#review-list > li")].map(li =>
	li.querySelector(".review-at").textContent + " " + (li.querySelector(".review-text")?.textContent ?? "-")))`

// lists waits until the page has these comments and no others.
func (p *page) lists(want ...string) {
	p.w.t.Helper()
	p.wait(fmt.Sprintf(`%s === JSON.stringify(%s)`, listed, marshalled(want)))
}

// everybody runs something for each of the three.
func (r *reviewed) everybody(do func(p *page)) {
	for _, p := range []*page{r.ana, r.ben, r.cleo} {
		do(p)
	}
}

// is waits until the state of the version is this on a page.
func (p *page) is(state string) {
	p.w.t.Helper()
	p.says("#review-state", state)
}

// presses presses what can be done with a comment, by the begin of its id, once it is
// there.
func (p *page) presses(comment, what string) {
	p.w.t.Helper()
	button := fmt.Sprintf(`%s?.querySelector('[id^="%s-"]')`, comment, what)
	p.wait(`!!` + button)
	p.must(p.tab.Eval(nil, button+`.click()`))
}
