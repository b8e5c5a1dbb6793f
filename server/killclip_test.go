package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"
	"time"

	"screentest/server/store/storetest"
	"screentest/server/wiretest"
	"screentest/shared/wire"
)

// kill -9 at the moments that matter. Afterwards the gateway's account and our
// ledger agree to the nano-dollar, and nothing was sent twice.
func TestKillDuringAVideoTask(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, prompt string
		at           func(w http.ResponseWriter, r *http.Request, next http.Handler) (reached bool)
		unknown      bool
		end          wire.VideoState
	}{
		{"creating, before the gateway took it", "a", func(w http.ResponseWriter, r *http.Request, next http.Handler) bool {
			return isCreation(r)
		}, true, wire.VideoRefused},
		{"creating, when the gateway had taken it", "b", func(w http.ResponseWriter, r *http.Request, next http.Handler) bool {
			if isCreation(r) {
				next.ServeHTTP(httptest.NewRecorder(), r)
				return true
			}
			return false
		}, true, wire.VideoDone},
		{"polling", "c", func(w http.ResponseWriter, r *http.Request, next http.Handler) bool {
			return isPoll(r)
		}, false, wire.VideoDone},
		{"hearing of a failure", "[[fail: no]]", func(w http.ResponseWriter, r *http.Request, next http.Handler) bool {
			if isPoll(r) {
				next.ServeHTTP(w, r)
				_ = http.NewResponseController(w).Flush()
				return true
			}
			return false
		}, false, wire.VideoFailed},
		{"downloading", "d", func(w http.ResponseWriter, r *http.Request, next http.Handler) bool {
			if !isFile(r) {
				return false
			}
			rec := httptest.NewRecorder()
			next.ServeHTTP(rec, r)
			for k, v := range rec.Header() {
				w.Header()[k] = v
			}
			_, _ = w.Write(rec.Body.Bytes()[:rec.Body.Len()/2])
			_ = http.NewResponseController(w).Flush()
			return true
		}, false, wire.VideoDone},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, dir := newStage(t), storetest.Folder(t)
			reached, gone := make(chan struct{}), make(chan struct{})
			var once sync.Once
			s.set(func(_ int, w http.ResponseWriter, r *http.Request, next http.Handler) bool {
				if !c.at(w, r, next) {
					return false
				}
				once.Do(func() { close(reached) })
				// The request's own context does not always end with its caller:
				// one who has the reply may have begun the next request.
				<-gone
				return true
			})
			proc, url := killed(t, dir, "-gateway", s.url, "-catalog", sampleFile(t))
			tab := dial(t, url, wiretest.NewHTTP())
			setKey(t, tab, canary)
			v := clipRequest(c.prompt)
			if err := tab.Call(t.Context(), wire.OpVideoCreate, v, nil); err != nil {
				t.Fatal(err)
			}
			if !c.unknown {
				awaitTask(t, tab, v.ID, "accepted", func(n wire.VideoTask) bool { return n.Remote != "" })
				if err := tab.Call(t.Context(), wire.OpVideoCheck, wire.Target{ID: v.ID}, nil); err != nil {
					t.Fatal(err)
				}
			}
			select {
			case <-reached:
			case <-t.Context().Done():
				t.Fatal("the moment did not come")
			}
			proc.end(os.Kill)
			close(gone)

			s.set(nil)
			_, url = killed(t, dir, "-gateway", s.url, "-catalog", sampleFile(t))
			tab = dial(t, url, wiretest.NewHTTP())
			setKey(t, tab, canary)
			// The same request again, as a browser that had no answer sends it.
			var again wire.VideoTask
			if err := tab.Call(t.Context(), wire.OpVideoCreate, v, &again); err != nil || c.unknown != (again.State == wire.VideoUnknown) {
				t.Errorf("after the restart: %+v, %v", again, err)
			}
			s.settle(tab)
			end := awaitTask(t, tab, v.ID, string(c.end), in(c.end))
			if end.State == wire.VideoDone {
				if end = awaitTask(t, tab, v.ID, "saved", saved); end.Outputs[0].Seconds != 6 {
					t.Errorf("%+v", end.Outputs)
				}
			}
			s.balanced(tab, 1)
		})
	}
}

// hurry has the tasks under way asked about again and again, until ctx ends. Its
// calls may fail: a task that has ended since it was listed is asked about at
// once, and the gateway may be holding just that request.
func hurry(ctx context.Context, tab *wiretest.Client) {
	pace := time.NewTicker(50 * time.Millisecond)
	defer pace.Stop()
	for ctx.Err() == nil {
		var page wire.VideoPage
		if tab.Call(ctx, wire.OpVideoTasks, wire.VideoQuery{States: []wire.VideoState{wire.VideoQueued, wire.VideoRunning}}, &page) != nil {
			return
		}
		for _, p := range page.Tasks {
			_ = tab.Call(ctx, wire.OpVideoCheck, wire.Target{ID: p.ID}, nil)
		}
		select {
		case <-pace.C:
		case <-ctx.Done():
		}
	}
}

// A kill at any request of many, again and again on one folder.
func TestKillsAmongManyVideoTasks(t *testing.T) {
	t.Parallel()
	s, dir := newStage(t), storetest.Folder(t)
	tasks := 0
	for _, n := range []int{1, 3, 4, 7, 9, 14} {
		reached := make(chan struct{})
		s.set(func(i int, w http.ResponseWriter, r *http.Request, next http.Handler) bool {
			if i < n {
				return false
			}
			if i == n {
				close(reached)
			}
			if i%2 == 0 { // the gateway has done what was asked, and nobody hears of it
				next.ServeHTTP(httptest.NewRecorder(), r)
			}
			<-r.Context().Done()
			return true
		})
		proc, url := killed(t, dir, "-gateway", s.url, "-catalog", sampleFile(t))
		tab := dial(t, url, wiretest.NewHTTP())
		setKey(t, tab, canary)
		for i := range 6 {
			prompt := "clip"
			if i%3 == 0 {
				prompt = "[[fail: by design]]"
			}
			v := clipRequest(prompt)
			if err := tab.Call(t.Context(), wire.OpVideoCreate, v, nil); err != nil {
				t.Fatal(err)
			}
			tasks++
		}
		ctx, stop := context.WithCancel(t.Context())
		var hurrying sync.WaitGroup
		hurrying.Go(func() { hurry(ctx, tab) })
		<-reached
		proc.end(os.Kill)
		stop()
		hurrying.Wait()
	}
	s.set(nil)
	_, url := killed(t, dir, "-gateway", s.url, "-catalog", sampleFile(t))
	tab := dial(t, url, wiretest.NewHTTP())
	setKey(t, tab, canary)
	s.settle(tab)
	var page wire.VideoPage
	if err := tab.Call(t.Context(), wire.OpVideoTasks, wire.VideoQuery{Limit: 200}, &page); err != nil || len(page.Tasks) != tasks {
		t.Fatalf("%d tasks of %d, %v", len(page.Tasks), tasks, err)
	}
	for _, p := range page.Tasks {
		end := awaitTask(t, tab, p.ID, "ended", func(n wire.VideoTask) bool { return n.State.Final() })
		if end.State == wire.VideoDone {
			awaitTask(t, tab, p.ID, "saved", saved)
		}
	}
	s.balanced(tab, tasks)
}
