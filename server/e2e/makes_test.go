package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"screentest/server/wiretest"
	"screentest/shared/wire"
)

// makes sends the creations of video tasks, as another tab of the same person
// would.
type makes struct {
	t *testing.T
	c *wiretest.Client
}

func (w *world) makes() *makes {
	w.t.Helper()
	dial := func(as *http.Client) *wiretest.Client {
		c, err := wiretest.Dial(context.Background(), w.server.URL, as)
		if err != nil {
			w.t.Fatal(err)
		}
		w.t.Cleanup(c.Close)
		return c
	}
	c := dial(wiretest.NewHTTP())
	if w.gateway != "" {
		if err := c.SetKey(context.Background(), sandboxKey); err != nil {
			w.t.Fatal(err)
		}
		if w.cluster != nil { // where another replica took the key, the socket has ended
			c = dial(c.HTTP)
		}
	}
	return &makes{w.t, c}
}

// clip makes a clip of a model and returns its task as it was taken. source is
// the task that an action starts from.
func (m *makes) clip(model, prompt, seconds string, source *wire.VideoTask) wire.VideoTask {
	m.t.Helper()
	fields := map[string]string{"model": model, "prompt": prompt, "seconds": seconds}
	if source != nil {
		fields["task_id"] = source.UUID
	}
	body, _ := json.Marshal(fields)
	return m.create(string(body), source)
}

// create sends a request for a clip.
func (m *makes) create(body string, source *wire.VideoTask) wire.VideoTask {
	m.t.Helper()
	create := wire.VideoCreate{ID: uuid.NewString(), Body: json.RawMessage(body)}
	if source != nil {
		create.Source = source.ID
	}
	var task wire.VideoTask
	if err := m.c.Call(context.Background(), wire.OpVideoCreate, create, &task); err != nil {
		m.t.Fatal(err)
	}
	return task
}

func (m *makes) task(id string) wire.VideoTask {
	m.t.Helper()
	var o wire.VideoOpened
	if err := m.c.Call(context.Background(), wire.OpVideoTask, wire.Target{ID: id}, &o); err != nil {
		m.t.Fatal(err)
	}
	return o.Task
}

// tile is the selector of a task's card, or of something in it.
func tile(id, inside string) string {
	return strings.TrimSpace(fmt.Sprintf(`.tile[data-id="%s"] %s`, id, inside))
}

// becomes waits until a task's card is in a state.
func (p *page) becomes(id string, state wire.VideoState) {
	p.w.t.Helper()
	p.wait(fmt.Sprintf(`document.querySelector(%q)`, tile(id, "")+fmt.Sprintf(`[data-state="%s"]`, state)))
}

// says waits until an element's text has words in it.
func (p *page) says(selector, words string) {
	p.w.t.Helper()
	p.wait(fmt.Sprintf(`document.querySelector(%q)?.textContent.includes(%q)`, selector, words))
}

// saved waits until a finished clip is in the archive.
func (p *page) saved(id string) {
	p.w.t.Helper()
	p.becomes(id, wire.VideoDone)
	// Not "to be saved", nor "could not be saved".
	p.wait(fmt.Sprintf(`[...document.querySelectorAll(%q)].some(e => e.textContent === "saved")`, tile(id, ".tile-facts .fact")))
}

// underway waits until the gateway has taken a task and is at it.
func (p *page) underway(id string) {
	p.w.t.Helper()
	p.wait(fmt.Sprintf(`document.querySelector(%q)`, tile(id, "")+`:is([data-state="queued"], [data-state="running"])`))
}

// press clicks by script: what is scrolled away or under a finger's reach too.
func (p *page) press(selector string) {
	p.w.t.Helper()
	p.wait(fmt.Sprintf(`document.querySelector(%q)`, selector))
	p.must(p.tab.Eval(nil, fmt.Sprintf(`document.querySelector(%q).click()`, selector)))
}
