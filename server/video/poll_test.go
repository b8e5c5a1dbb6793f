package video_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"screentest/server/payer"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// polls lets a test answer polls in the gateway's place.
func polls(answer func(w http.ResponseWriter, r *http.Request) bool) option {
	return front(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == "GET" && strings.HasPrefix(r.URL.Path, gateway.Video.Path()+"/") && answer(w, r) {
				return
			}
			next.ServeHTTP(w, r)
		})
	})
}

func TestNoErrorOfAPollIsAFailure(t *testing.T) {
	var broken atomic.Bool
	broken.Store(true)
	var n atomic.Int32
	w := newWorld(t, polls(func(w http.ResponseWriter, r *http.Request) bool {
		if !broken.Load() {
			return false
		}
		switch n.Add(1) % 5 {
		case 0:
			w.WriteHeader(http.StatusInternalServerError)
		case 1:
			panic(http.ErrAbortHandler)
		case 2:
			_, _ = w.Write([]byte("<html>maintenance</html>"))
		case 3:
			w.Header().Set("Retry-After-Ms", "20")
			w.WriteHeader(http.StatusTooManyRequests)
		case 4:
			_, _ = w.Write([]byte(`{"code":"success","data":null}`))
		}
		return true
	}))
	id := w.create(body("patience"))
	silent := w.await(id, "silent", func(t wire.VideoTask) bool { return t.Pause == wire.PauseSilent })
	if !silent.State.Open() || silent.PollProblem == nil || silent.Problem != nil || silent.Returned {
		t.Errorf("G36: %+v", silent)
	}
	broken.Store(false)
	if done := w.awaitSaved(id); done.PollProblem != nil || done.Pause != "" {
		t.Errorf("%+v", done)
	}
	w.balanced()
}

func TestAKeyThatIsRefusedPausesAndSaysSo(t *testing.T) {
	var refuse atomic.Bool
	refuse.Store(true)
	var asked atomic.Int32
	w := newWorld(t, polls(func(w http.ResponseWriter, r *http.Request) bool {
		if refuse.Load() {
			asked.Add(1)
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(`{"error":{"message":"bad key","type":"authentication_error","param":null,"code":"invalid_api_key"}}`))
			return true
		}
		return false
	}))
	var ids []string
	for range 5 {
		ids = append(ids, w.create(body("locked out")))
	}
	for _, id := range ids {
		paused := w.await(id, "paused", func(t wire.VideoTask) bool { return t.Pause == wire.PauseKey })
		if !paused.State.Open() || paused.Returned {
			t.Errorf("G1: %+v", paused)
		}
	}
	if n := asked.Load(); n > 10 {
		t.Errorf("a refused key was tried %d times for 5 tasks", n)
	}
	// A restart keeps it so, and asks nothing.
	before := asked.Load()
	w.stop()
	w.start()
	for _, id := range ids {
		if now := w.task(id); now.Pause != wire.PauseKey {
			t.Errorf("after a restart: %+v", now)
		}
	}
	if asked.Load() != before {
		t.Error("a refused key was used again")
	}
	refuse.Store(false)
	if err := w.KeyEntered(t.Context(), payer.Payer{Owner: w.owner, Secret: canary}); err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		w.awaitSaved(id)
	}
	w.balanced()
}

func TestATaskThatTheGatewayDoesNotKnow(t *testing.T) {
	w := newWorld(t, polls(func(w http.ResponseWriter, r *http.Request) bool {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"code":"task_not_exist","message":"no such task","data":null}`))
		return true
	}))
	id := w.create(body("gone"))
	lost := w.awaitState(id, wire.VideoLost)
	if lost.Returned || !lost.Charged || lost.Problem == nil {
		t.Errorf("G2: %+v", lost)
	}
	if w.spent() != 180_000_000 {
		t.Errorf("G2 books no return: spent %d", w.spent())
	}
}

// Shapes that gateways send (S), from creation to the end.
func TestShapesOfTheEnd(t *testing.T) {
	for name, c := range map[string]struct {
		answers []string
		state   wire.VideoState
		files   int
	}{
		"F98 in small letters":            {[]string{`{"code":"success","data":{"status":"success","result_url":"http://192.0.2.1/a.mp4"}}`}, wire.VideoDone, 1},
		"F106 all outputs":                {[]string{`{"code":"success","data":{"status":"SUCCESS","data":{"id":"f3f0c2b1-0000-4000-8000-000000000000","output":[{"url":"http://192.0.2.1/a.mp4"},{"url":"http://192.0.2.1/b.mp4"}]}}}`}, wire.VideoDone, 2},
		"F102 expired at once":            {[]string{`{"code":"success","data":{"status":"SUCCESS","data":{"status":"expired","code":"result_expired"}}}`}, wire.VideoExpired, 0},
		"F113 G32 back to the queue":      {[]string{`{"code":"success","data":{"status":"IN_PROGRESS"}}`, `{"code":"success","data":{"status":"QUEUED"}}`, `{"code":"success","data":{"status":"FAILURE","fail_reason":"no"}}`}, wire.VideoFailed, 0},
		"a success whose files come late": {[]string{`{"code":"success","data":{"status":"SUCCESS"}}`, `{"code":"success","data":{"status":"SUCCESS","result_url":"http://192.0.2.1/a.mp4"}}`}, wire.VideoDone, 1},
		"a success that names no file":    {[]string{`{"code":"success","data":{"status":"SUCCESS"}}`}, wire.VideoDone, 0},
	} {
		t.Run(name, func(t *testing.T) {
			var n atomic.Int32
			w := newWorld(t, polls(func(w http.ResponseWriter, r *http.Request) bool {
				_, _ = w.Write([]byte(c.answers[min(int(n.Add(1)), len(c.answers))-1]))
				return true
			}))
			id := w.create(body("shape"))
			if end := w.awaitState(id, c.state); len(end.Outputs) != c.files || end.Returned != (c.state == wire.VideoFailed) {
				t.Errorf("%+v", end)
			}
		})
	}
}

// A gateway's clock that is fast, or slow, does not move the days that are left.
func TestTheGatewaysClockIsNotOurs(t *testing.T) {
	for name, finish := range map[string]int64{"a month fast": time.Now().AddDate(0, 1, 0).Unix(), "a month slow": time.Now().AddDate(0, -1, 0).Unix()} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, polls(func(w http.ResponseWriter, r *http.Request) bool {
				fmt.Fprintf(w, `{"code":"success","data":{"status":"SUCCESS","start_time":%d,"finish_time":%d,"result_url":"http://192.0.2.1/a.mp4"}}`, finish-60, finish)
				return true
			}))
			id := w.create(body("clock"))
			end := w.awaitState(id, wire.VideoDone)
			if now := time.Now().UnixMilli(); end.FinishedMS < end.CreatedMS || end.FinishedMS > now || end.StartedMS < end.CreatedMS || end.StartedMS > end.FinishedMS || end.ExpiresMS > now+gateway.Retention.Milliseconds() {
				t.Errorf("made at %d, started at %d, finished at %d, expires at %d, now %d", end.CreatedMS, end.StartedMS, end.FinishedMS, end.ExpiresMS, now)
			}
		})
	}
}

func TestOpenTasksGoOnAfterARestart(t *testing.T) {
	var hold atomic.Bool
	hold.Store(true)
	w := newWorld(t, polls(func(w http.ResponseWriter, r *http.Request) bool {
		if hold.Load() {
			_, _ = w.Write([]byte(`{"code":"success","data":{"status":"IN_PROGRESS","progress":"30%"}}`))
			return true
		}
		return false
	}))
	id := w.create(body("resumed"))
	running := w.awaitState(id, wire.VideoRunning)
	if running.Progress != 30 || running.CheckedMS == 0 || running.StartedMS == 0 {
		t.Errorf("%+v", running)
	}
	w.stop()
	hold.Store(false)
	w.start()
	w.awaitSaved(id)
	if n := w.creations(); n != 1 {
		t.Errorf("G35 sent %d times", n)
	}
	w.balanced()
}

// With another gateway configured, a task waits, and its key goes nowhere.
func TestTasksOfAnotherGatewayWait(t *testing.T) {
	var hold, wrong atomic.Bool
	hold.Store(true)
	var asked atomic.Int32
	w := newWorld(t, polls(func(w http.ResponseWriter, r *http.Request) bool {
		if wrong.Load() {
			asked.Add(1)
		}
		if hold.Load() {
			_, _ = w.Write([]byte(`{"code":"success","data":{"status":"IN_PROGRESS"}}`))
		}
		return hold.Load()
	}))
	id := w.create(body("elsewhere"))
	w.awaitState(id, wire.VideoRunning)
	w.stop()
	wrong.Store(true)
	w.origin = "https://other.example.com"
	w.start()
	if now := w.task(id); now.Pause != wire.PauseGateway || now.State != wire.VideoRunning {
		t.Errorf("%+v", now)
	}
	if err := w.Check(t.Context(), w.owner, key, id); problemOf(t, err).Code != "other_gateway" {
		t.Error(err)
	}
	w.stop()
	if n := asked.Load(); n != 0 {
		t.Errorf("the key went to another gateway %d times", n)
	}
	wrong.Store(false)
	hold.Store(false)
	w.origin = ""
	w.start()
	w.awaitSaved(id)
	w.balanced()
}
