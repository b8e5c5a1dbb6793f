package video_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	gatewayclient "screentest/server/gateway"
	"screentest/server/store"
	"screentest/server/video"
	"screentest/shared/gateway"
	"screentest/shared/reply"
	"screentest/shared/wire"
)

// pollPeerEnv makes a copy of the test program a gateway whose tasks go on for
// ever, in a process of its own so that its time is not counted.
const pollPeerEnv = "SCREENTEST_VIDEO_POLL_PEER"

func servePollPeer() {
	go func() { // not to be left behind
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(l.Addr())
	_ = http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.Method == http.MethodPost {
			fmt.Fprintf(w, `{"id":"task_%s","status":"queued","progress":0}`, strings.ReplaceAll(uuid.NewString(), "-", ""))
			return
		}
		_, _ = io.WriteString(w, `{"code":"success","message":"","data":{"task_id":"task_x","action":"generate","status":"IN_PROGRESS","fail_reason":"","submit_time":1795219200,"start_time":1795219210,"finish_time":0,"progress":"30%","data":{"id":"f3f0c2b1-0000-4000-8000-000000000000","status":"in_progress","model":"beta-video-480p","output":[]}}}`)
	}))
	os.Exit(1)
}

func pollPeer(b *testing.B) string {
	b.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), pollPeerEnv+"=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		in.Close()
		_ = cmd.Wait()
	})
	var addr string
	if _, err := fmt.Fscanln(out, &addr); err != nil {
		b.Fatal(err)
	}
	return "http://" + addr
}

// timed is a gateway that counts polls.
type timed struct {
	*gatewayclient.Client
	polls atomic.Int64
}

func (g *timed) Task(ctx context.Context, key, id string) (reply.Task, error) {
	g.polls.Add(1)
	return g.Client.Task(ctx, key, id)
}

func cpu() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkTenThousandOpenTasks polls ten thousand tasks, each every 3 s, for
// 12 s: the cores that it takes and how late polls start.
func BenchmarkTenThousandOpenTasks(b *testing.B) {
	const tasks, every, long = 10_000, 3 * time.Second, 12 * time.Second
	base := pollPeer(b)
	for b.Loop() {
		dir := b.TempDir()
		db, err := store.Open(b.Context(), dir, store.Options{})
		if err != nil {
			b.Fatal(err)
		}
		owner := must(db.EnsureLocalUser(b.Context()))
		c, err := gatewayclient.New(base, gatewayclient.Options{})
		if err != nil {
			b.Fatal(err)
		}
		fill(b, db, owner, tasks)
		g := &timed{Client: c}
		late := &lateness{}
		s, err := video.New(video.Config{Store: db.Videos(), Gateway: g, Catalogue: gateway.SampleCatalogue, Dir: dir,
			// The wait of a task that was asked often is 30 to 36 s.
			Limits: video.Limits{Pace: 33 * float64(time.Second) / float64(every)}, Late: late.add})
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Start(b.Context()); err != nil {
			b.Fatal(err)
		}
		// A start takes the tasks up over half a minute, and stores that they
		// run. By then they have been asked for five times, on average.
		for g.polls.Load() < 5*tasks+tasks/2 {
			time.Sleep(50 * time.Millisecond)
		}
		late.reset()
		polls, used, began := g.polls.Load(), cpu(), time.Now()
		time.Sleep(long)
		took := time.Since(began)
		b.ReportMetric((cpu()-used).Seconds()/took.Seconds(), "cores")
		b.ReportMetric(float64(g.polls.Load()-polls)/took.Seconds(), "polls/s")
		b.ReportMetric(late.percentile(50), "late-p50-ms")
		b.ReportMetric(late.percentile(99), "late-p99-ms")
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		b.ReportMetric(float64(m.HeapAlloc)/tasks, "heap-B/task")
		if err := s.Close(b.Context()); err != nil {
			b.Fatal(err)
		}
		if err := db.Close(); err != nil {
			b.Fatal(err)
		}
		c.Close()
	}
}

// fill stores tasks that the gateway took four minutes ago.
func fill(b *testing.B, db *store.DB, owner string, tasks int) {
	b.Helper()
	var key int64
	at := time.Now().Add(-4 * time.Minute).UnixMilli()
	var all sync.WaitGroup
	room := make(chan struct{}, 64)
	for i := range tasks {
		t := wire.VideoTask{ID: uuid.NewString(), Model: "beta-video-480p", Mode: "text-to-video", Prompt: "x", Seconds: 6, Body: json.RawMessage(body("x")), CreatedMS: at, PriceNanoUSD: 1}
		if i == 0 {
			_, key, _, _ = db.Videos().Create(b.Context(), owner, 0, canary, t, nil)
			continue
		}
		room <- struct{}{}
		all.Go(func() {
			defer func() { <-room }()
			if _, _, _, err := db.Videos().Create(b.Context(), owner, key, canary, t, nil); err != nil {
				b.Error(err)
			}
			if _, _, err := db.Videos().Accepted(b.Context(), owner, t.ID, "task_"+t.ID, at); err != nil {
				b.Error(err)
			}
		})
	}
	all.Wait()
}

type lateness struct {
	mu  sync.Mutex
	all []time.Duration
}

func (l *lateness) add(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, d)
}

func (l *lateness) reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = nil
}

func (l *lateness) percentile(p int) (ms float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.all) == 0 {
		return 0
	}
	slices.Sort(l.all)
	return float64(l.all[min(len(l.all)-1, len(l.all)*p/100)]) / 1e6
}

// BenchmarkFromSuccessToNews is how long after a task is done its owner hears
// of it, as a part of the wait between two polls: half of it would be the mean
// if asking and storing took no time.
func BenchmarkFromSuccessToNews(b *testing.B) {
	const tasks = 40
	var mu sync.Mutex
	done := map[string]time.Time{} // when each task is done
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
		mu.Lock()
		ready := !time.Now().Before(done[id])
		mu.Unlock()
		status := "IN_PROGRESS"
		if ready {
			status = "SUCCESS"
		}
		fmt.Fprintf(w, `{"code":"success","data":{"task_id":%q,"status":%q,"result_url":"http://192.0.2.1/x.mp4"}}`, id, status)
	})}
	l := must(net.Listen("tcp", "127.0.0.1:0"))
	go func() { _ = srv.Serve(l) }()
	defer srv.Close()
	late := &lateness{}
	for b.Loop() {
		dir := b.TempDir()
		db := must(store.Open(b.Context(), dir, store.Options{}))
		owner := must(db.EnsureLocalUser(b.Context()))
		c := must(gatewayclient.New("http://"+l.Addr().String(), gatewayclient.Options{}))
		var all sync.WaitGroup
		all.Add(tasks - 1) // one is only the intent that brings the key
		s := must(video.New(video.Config{Store: db.Videos(), Gateway: c, Catalogue: gateway.SampleCatalogue, Dir: dir,
			Changed: func(_ string, t wire.VideoTask) {
				mu.Lock()
				defer mu.Unlock()
				if at, first := done[t.Remote]; t.State == wire.VideoDone && first && !at.IsZero() {
					late.add(time.Since(at))
					delete(done, t.Remote)
					all.Done()
				}
			},
			Limits: video.Limits{Pace: 33}})) // a poll a second
		fill(b, db, owner, tasks)
		page := must(db.Videos().Tasks(b.Context(), owner, wire.VideoQuery{Limit: tasks}))
		mu.Lock()
		for i, t := range page.Tasks {
			if t.Remote == "" {
				continue
			}
			done[t.Remote] = time.Now().Add(500*time.Millisecond + time.Duration(i)*37*time.Millisecond)
		}
		mu.Unlock()
		if err := s.Start(b.Context()); err != nil {
			b.Fatal(err)
		}
		all.Wait()
		_ = s.Close(b.Context())
		_ = db.Close()
		c.Close()
	}
	b.ReportMetric(late.percentile(50)/1000, "of-interval-p50")
	b.ReportMetric(late.percentile(99)/1000, "of-interval-p99")
}

// BenchmarkArchiveLargeFile copies a file of 100 MB: the memory that it takes
// beyond what is in use before, and its speed.
func BenchmarkArchiveLargeFile(b *testing.B) {
	const size = 100 << 20
	head := []byte("\x00\x00\x00\x14ftypisom\x00\x00\x00\x00isom")
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/file") {
			w.Header().Set("Content-Length", fmt.Sprint(size))
			_, _ = w.Write(head)
			chunk := make([]byte, 64<<10)
			for left := size - len(head); left > 0; left -= len(chunk) {
				_, _ = w.Write(chunk[:min(left, len(chunk))])
			}
			return
		}
		fmt.Fprintf(w, `{"code":"success","data":{"status":"SUCCESS","result_url":"http://%s/file.mp4"}}`, r.Host)
	})}
	l := must(net.Listen("tcp", "127.0.0.1:0"))
	go func() { _ = srv.Serve(l) }()
	defer srv.Close()
	b.SetBytes(size)
	var most uint64
	for b.Loop() {
		dir := b.TempDir()
		db := must(store.Open(b.Context(), dir, store.Options{}))
		owner := must(db.EnsureLocalUser(b.Context()))
		c := must(gatewayclient.New("http://"+l.Addr().String(), gatewayclient.Options{}))
		fill(b, db, owner, 2)
		saved := make(chan struct{})
		s := must(video.New(video.Config{Store: db.Videos(), Gateway: c, Catalogue: gateway.SampleCatalogue, Dir: dir,
			Changed: func(_ string, t wire.VideoTask) {
				if t.Archived {
					close(saved)
				}
			}}))
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		before := m.HeapInuse + m.StackInuse
		if err := s.Start(b.Context()); err != nil {
			b.Fatal(err)
		}
		tick := time.NewTicker(2 * time.Millisecond)
		for waiting := true; waiting; {
			select {
			case <-saved:
				waiting = false
			case <-tick.C:
				runtime.ReadMemStats(&m)
				most = max(most, m.HeapInuse+m.StackInuse-min(before, m.HeapInuse+m.StackInuse))
			}
		}
		tick.Stop()
		_ = s.Close(b.Context())
		_ = db.Close()
		c.Close()
	}
	b.ReportMetric(float64(most)/(1<<20), "peak-MiB")
}
