package clustertest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// A Load is people who send one thing after another, whatever happens meanwhile.
type Load struct {
	t       testing.TB
	c       *Cluster
	admin   *Person
	again   func(*wire.Problem) bool
	seed    uint64
	quit    chan struct{}
	stopped sync.Once
	work    sync.WaitGroup
	clipped atomic.Int64

	mu      sync.Mutex
	played  []ofPerson[*Played]
	clips   []ofPerson[string]
	refused []ofPerson[error]
}

type ofPerson[T any] struct {
	by *Person
	it T
}

// patience is how long one answer may take, with all that happens to it.
const patience = 3 * time.Minute

// NewLoad is one of people that the admin knows; a start that is refused with what
// again says is to be repeated is repeated.
func (c *Cluster) NewLoad(admin *Person, seed uint64, again func(*wire.Problem) bool) *Load {
	l := &Load{t: c.t, c: c, admin: admin, seed: seed, again: again, quit: make(chan struct{})}
	c.t.Cleanup(l.stop)
	return l
}

func (l *Load) stop() {
	l.stopped.Do(func() { close(l.quit) })
	l.work.Wait()
}

// Sides has n sides of a person send texts of which prompt says what they are.
func (l *Load) Sides(by *Person, n int, prompt func(*rand.Rand) string) {
	for side := range n {
		l.work.Go(func() {
			r := rand.New(rand.NewPCG(l.seed, uint64(side)))
			for !l.over() {
				ep := gateway.Chat
				if r.IntN(3) == 0 {
					ep = gateway.Responses
				}
				l.Play(by, Turn(ep, prompt(r)))
			}
		})
	}
}

// Play plays one.
func (l *Load) Play(by *Person, s wire.Start) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	played, err := by.Play(ctx, s, l.again)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		l.refused = append(l.refused, ofPerson[error]{by, err})
		return
	}
	l.played = append(l.played, ofPerson[*Played]{by, played})
}

// Clips has n sides of a person ask for clips, each for the next one when the gateway
// has answered for the one before.
func (l *Load) Clips(by *Person, n int) {
	for range n {
		l.work.Go(func() {
			for !l.over() {
				l.clip(by)
			}
		})
	}
}

func (l *Load) clip(by *Person) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	id := uuid.NewString()
	prompt := "clip " + id
	if l.clipped.Add(1)%5 == 0 {
		prompt = "[[fail: by design]] " + prompt
	}
	v := wire.VideoCreate{ID: id, Body: gateway.VideoRequest{Model: "beta-video-480p", Prompt: prompt, Seconds: "6"}.Body()}
	err := by.Call(ctx, wire.OpVideoCreate, v, nil)
	for isProblem(err) && l.again != nil && ctx.Err() == nil && !l.over() {
		pause(ctx, 200*time.Millisecond)
		err = by.Call(ctx, wire.OpVideoCreate, v, nil)
	}
	l.mu.Lock()
	if err == nil {
		l.clips = append(l.clips, ofPerson[string]{by, id})
	} else {
		l.refused = append(l.refused, ofPerson[error]{by, fmt.Errorf("clip %s: %w", id, err)})
	}
	l.mu.Unlock()
	for err == nil && ctx.Err() == nil && !l.over() {
		var o wire.VideoOpened
		if by.Call(ctx, wire.OpVideoTask, wire.Target{ID: id}, &o) == nil && (settled(o.Task) || o.Task.State == wire.VideoUnknown) {
			return
		}
		_ = by.Call(ctx, wire.OpVideoCheck, wire.Target{ID: id}, nil) // it may have ended meanwhile
		pause(ctx, 300*time.Millisecond)
	}
}

// settled says that nothing more becomes of a clip.
func settled(t wire.VideoTask) bool {
	return t.State.Final() && (t.State != wire.VideoDone || t.Archived)
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

func (l *Load) over() bool {
	select {
	case <-l.quit:
		return true
	default:
		return false
	}
}

// End has everybody finish what they are at. It fails the test for what was refused.
func (l *Load) End() {
	l.t.Helper()
	l.stop()
	for _, r := range l.refused {
		l.t.Errorf("refused: %v", r.it)
	}
	sockets, states := 0, map[wire.RunState]int{}
	for _, p := range l.played {
		sockets += p.it.Socket
		states[p.it.Answer.Run.State]++
	}
	l.t.Logf("%d answers over %d sockets: %v; %d clips", len(l.played), sockets, states, len(l.clips))
}

// States are how the answers have ended.
func (l *Load) States() map[wire.RunState]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	states := map[wire.RunState]int{}
	for _, p := range l.played {
		states[p.it.Answer.Run.State]++
	}
	return states
}
