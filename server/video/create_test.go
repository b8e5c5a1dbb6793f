package video_test

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"screentest/server/payer"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

func TestAClipFromRequestToArchive(t *testing.T) {
	w := newWorld(t)
	id := w.create(body("a red fox"))
	queued := w.awaitState(id, wire.VideoQueued)
	if queued.Remote == "" || !queued.Charged || queued.Reserved || queued.PriceNanoUSD != 180_000_000 || !strings.HasPrefix(queued.Basis, "6 s × $0.03") {
		t.Errorf("accepted: %+v", queued)
	}
	done := w.awaitState(id, wire.VideoDone)
	if done.UUID == "" || len(done.Outputs) != 1 || done.FinishedMS == 0 || done.ExpiresMS-done.FinishedMS != gateway.Retention.Milliseconds() {
		t.Errorf("done: %+v", done)
	}
	saved := w.awaitSaved(id)
	o := saved.Outputs[0]
	if o.Seconds != 6 || o.Width != 854 || o.Height != 480 || o.Type != "video/mp4" || len(o.SHA256) != 64 || o.Bytes == 0 {
		t.Errorf("saved: %+v", o)
	}
	w.balanced()
	// States come in order, and none twice by an older version.
	var states []wire.VideoState
	w.mu.Lock()
	version := int64(0)
	for _, n := range w.news[id] {
		if n.Version < version {
			t.Errorf("version %d after %d", n.Version, version)
		}
		version = n.Version
		states = append(states, n.State)
	}
	w.mu.Unlock()
	if states = slices.Compact(states); states[0] != wire.VideoCreating || states[1] != wire.VideoQueued || states[len(states)-1] != wire.VideoDone {
		t.Errorf("states %v", states)
	}
	actions := gateway.Actions(saved.Provenance(), w.Now(), gateway.SampleCatalogue())
	if !slices.ContainsFunc(actions, func(a gateway.Action) bool { return a.Enabled && a.Model == "beta-video-480p-extend" }) {
		t.Errorf("table A: %+v", actions)
	}
}

func TestFailureIsReturnedOnce(t *testing.T) {
	w := newWorld(t)
	id := w.create(body("[[fail: too many foxes]]"))
	failed := w.awaitState(id, wire.VideoFailed)
	if !failed.Returned || !failed.Charged || failed.Problem == nil || failed.Problem.Message != "too many foxes" {
		t.Errorf("F112: %+v", failed)
	}
	if w.spent() != 0 {
		t.Errorf("spent %d", w.spent())
	}
	w.balanced()
}

func TestRefusals(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		name, code, field string
		body              string
	}{
		{"F57 seconds as a number", "invalid_request", "seconds", `{"model":"beta-video-480p","prompt":"x","seconds":6}`},
		{"F59 seconds outside the list", "invalid_seconds", "seconds", `{"model":"beta-video-480p","prompt":"x","seconds":"7"}`},
		{"G42 a key twice", "invalid_request", "seconds", `{"model":"beta-video-480p","prompt":"x","seconds":"6","seconds":"6"}`},
		{"no JSON", "invalid_request", "", `{`},
		{"F116 a text model", "wrong_endpoint", "model", `{"model":"vendor/model-a","prompt":"x","seconds":"6"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := w.Create(t.Context(), payer.Payer{Owner: w.owner, Secret: canary}, wire.VideoCreate{ID: uuid.NewString(), Body: []byte(c.body)})
			if p := problemOf(t, err); p.Code != c.code || p.Field != c.field {
				t.Errorf("%+v", p)
			}
		})
	}
	if _, err := w.Create(t.Context(), payer.Payer{Owner: w.owner, Secret: ""}, wire.VideoCreate{ID: uuid.NewString(), Body: body("x")}); problemOf(t, err).Code != "no_key" {
		t.Error(err)
	}
	if _, err := w.Create(t.Context(), payer.Payer{Owner: w.owner, Secret: canary}, wire.VideoCreate{ID: "1", Body: body("x")}); problemOf(t, err).Code != "bad_id" {
		t.Error(err)
	}
	if n := w.creations(); n != 0 {
		t.Errorf("%d requests went out", n)
	}
	// What only the gateway can know.
	for prompt, code := range map[string]string{"[[status: 429]]": "rate_limit_exceeded", "[[status: 403]]": ""} {
		id := w.create(body(prompt))
		refused := w.awaitState(id, wire.VideoRefused)
		if refused.Problem == nil || refused.Charged || code != "" && refused.Problem.Code != code {
			t.Errorf("F109 %s: %+v", prompt, refused)
		}
	}
	if w.spent() != 0 {
		t.Errorf("spent %d", w.spent())
	}
	w.balanced()
}

func TestTheSameIDIsSentOnce(t *testing.T) {
	w := newWorld(t)
	id := uuid.NewString()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if _, err := w.Create(t.Context(), payer.Payer{Owner: w.owner, Secret: canary}, wire.VideoCreate{ID: id, Body: body("once")}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	w.awaitSaved(id)
	if n := w.creations(); n != 1 {
		t.Errorf("G35 sent %d times", n)
	}
	w.balanced()
}

func TestALostReplyIsUnknownUntilItIsSettled(t *testing.T) {
	b := &purse{left: 1e12}
	w := newWorld(t, front(drop("POST", gateway.Video.Path(), 2)), budget(b))
	through, not := w.create(body("went through")), w.create(body("did not"))
	for _, id := range []string{through, not} {
		unknown := w.awaitState(id, wire.VideoUnknown)
		if !unknown.Reserved || unknown.Charged || unknown.Problem == nil || !strings.Contains(unknown.Problem.Hint, "may exist and be billed") {
			t.Errorf("G35: %+v", unknown)
		}
	}
	if n := b.reserved(); n != 2*180_000_000 {
		t.Errorf("reserved %d", n)
	}
	// A restart sends nothing again, and keeps both reserved.
	w.stop()
	b.forget()
	w.start()
	if n := b.reserved(); n != 2*180_000_000 || w.spent() != 0 {
		t.Errorf("after a restart: reserved %d, spent %d", n, w.spent())
	}
	if n := w.creations(); n != 2 {
		t.Errorf("G35 sent %d times", n)
	}
	settle := func(id, outcome, remote string) (wire.VideoTask, error) {
		return w.Settle(t.Context(), w.owner, key, wire.VideoSettle{ID: id, Outcome: outcome, Remote: remote})
	}
	for _, bad := range []string{"", "f3f0c2b1-0000-4000-8000-000000000000", "task_unheard_of"} {
		if _, err := settle(through, wire.WentThrough, bad); problemOf(t, err).Field != "remote" {
			t.Errorf("with the id %q: %v", bad, err)
		}
	}
	if _, err := settle(through, "perhaps", ""); problemOf(t, err).Field != "outcome" {
		t.Error(err)
	}
	entries := w.account().Entries
	if got, err := settle(through, wire.WentThrough, entries[0].Subject); err != nil || got.State != wire.VideoQueued || !got.Charged {
		t.Fatalf("%+v, %v", got, err)
	}
	if _, err := settle(not, wire.WentThrough, entries[0].Subject); problemOf(t, err).Code != "conflict" {
		t.Errorf("one id for two tasks: %v", err)
	}
	w.awaitSaved(through)
	if got, err := settle(not, wire.WentThrough, entries[1].Subject); err != nil || !got.Charged {
		t.Errorf("%+v, %v", got, err)
	}
	w.awaitSaved(not)
	if n := b.reserved(); n != 0 {
		t.Errorf("still reserved: %d", n)
	}
	w.balanced()
	if _, err := settle(not, wire.DidNot, ""); problemOf(t, err).Code != "settled" {
		t.Error(err)
	}
}

func TestDidNotGoThrough(t *testing.T) {
	b := &purse{left: 1e12}
	// The connection breaks before the gateway has heard of it.
	w := newWorld(t, budget(b), front(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == "POST" && r.URL.Path == gateway.Video.Path() {
				panic(http.ErrAbortHandler)
			}
			next.ServeHTTP(w, r)
		})
	}))
	id := w.create(body("lost on the way"))
	w.awaitState(id, wire.VideoUnknown)
	got, err := w.Settle(t.Context(), w.owner, key, wire.VideoSettle{ID: id, Outcome: wire.DidNot})
	if err != nil || got.State != wire.VideoRefused || got.Charged || got.Reserved || b.reserved() != 0 {
		t.Errorf("%+v, %v, reserved %d", got, err, b.reserved())
	}
	w.balanced()
}

// A gateway that gives two tasks one id leaves the second one unknown.
func TestAnIDThatIsAnotherTasks(t *testing.T) {
	w := newWorld(t, front(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == "POST" {
				_, _ = w.Write([]byte(`{"id":"task_same","status":"queued"}`))
				return
			}
			_, _ = w.Write([]byte(`{"code":"success","data":{"status":"IN_PROGRESS"}}`))
		})
	}))
	w.awaitState(w.create(body("first")), wire.VideoQueued)
	second := w.awaitState(w.create(body("second")), wire.VideoUnknown)
	if second.Charged || second.Problem == nil || second.Problem.Code != "id_taken" {
		t.Errorf("%+v", second)
	}
	if w.spent() != 180_000_000 {
		t.Errorf("spent %d", w.spent())
	}
}

func TestABudgetRefusesBeforeAnythingIsStored(t *testing.T) {
	w := newWorld(t, budget(&purse{left: 1}))
	id := uuid.NewString()
	if _, err := w.Create(t.Context(), payer.Payer{Owner: w.owner, Secret: canary}, wire.VideoCreate{ID: id, Body: body("x")}); problemOf(t, err).Code != wire.CodeBudgetReached {
		t.Error(err)
	}
	if _, err := w.Open(t.Context(), w.owner, id); err == nil {
		t.Error("it was stored")
	}
	if n := w.creations(); n != 0 {
		t.Errorf("sent %d times", n)
	}
}

// The budget hears of a clip that nobody knows the price of, and not that it costs
// nothing.
func TestABudgetHearsThatThereIsNoPrice(t *testing.T) {
	w := newWorld(t, budget(&purse{left: 1e12}))
	by := payer.Payer{Owner: w.owner, Secret: canary}
	c := wire.VideoCreate{ID: uuid.NewString(), Body: gateway.VideoRequest{Model: "new-video", Prompt: "x", Seconds: "6"}.Body()}
	if _, err := w.Create(t.Context(), by, c); problemOf(t, err).Code != wire.CodePriceUnknown || !strings.Contains(problemOf(t, err).Message, "new-video") {
		t.Error(err)
	}
	if n := w.creations(); n != 0 {
		t.Errorf("sent %d times", n)
	}
}

func TestExtendsAndUpscalesKnowTheirSource(t *testing.T) {
	w := newWorld(t)
	root := w.create(body("the root"))
	source := w.awaitSaved(root)
	extend := func(uuid string) string {
		return w.create(gateway.VideoRequest{Model: "beta-video-480p-extend", Prompt: "more", Seconds: "6", TaskID: uuid}.Body())
	}
	longer := w.awaitSaved(extend(source.UUID))
	if longer.Source != root || longer.Root != source.UUID || longer.Outputs[0].Seconds != 12 || longer.Mode != "extend" || longer.Resolution != "480p" {
		t.Errorf("%+v", longer)
	}
	again := w.awaitSaved(extend(longer.UUID)) // G14
	o := must(w.Open(t.Context(), w.owner, again.ID))
	if len(o.Ancestors) != 2 || o.Ancestors[1].ID != root || o.LineageNanoUSD != 3*180_000_000 {
		t.Errorf("lineage: %d ancestors, %d", len(o.Ancestors), o.LineageNanoUSD)
	}
	// An upscale of an extend is refused before it is sent (table A).
	before := w.creations()
	_, err := w.Create(t.Context(), payer.Payer{Owner: w.owner, Secret: canary}, wire.VideoCreate{ID: uuid.NewString(),
		Body: gateway.VideoRequest{Model: "beta-video-upscale-480p-720p", Prompt: "x", Seconds: "1", TaskID: longer.UUID}.Body()})
	if p := problemOf(t, err); p.Field != "task_id" || w.creations() != before {
		t.Errorf("G17: %+v", p)
	}
	w.balanced()
}
