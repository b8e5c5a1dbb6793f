package tails

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/coder/websocket"
)

const (
	// KeptFor is how long a tail is kept that its sender does not speak of any
	// more: it hands its tails to another replica, or it is gone and whoever takes
	// over has that time to ask.
	KeptFor = 15 * time.Minute
	// maxBatch bounds what comes in one message, in bytes.
	maxBatch = 16 << 20
	// statusGone closes the connection of a replica whose answers another one has
	// taken over.
	statusGone = websocket.StatusCode(4001)
)

// ErrGone says that another replica has taken over what this one sends: it was
// found gone, and must end.
var ErrGone = errors.New("another replica has taken over the answers of this one")

var errGap = errors.New("bytes of an answer are missing before those that came")

// A Run is an answer by its owner and id.
type Run struct {
	Owner string `json:"owner"`
	Run   string `json:"run"`
}

// Keeper holds what other replicas have received and not stored. It is ready as it
// is; Close it.
type Keeper struct {
	mu     sync.Mutex
	closed bool
	tails  map[Run]*kept
	conns  map[*websocket.Conn]struct{}
	open   sync.WaitGroup
	later  *time.Timer // sweeps, while something is kept
}

// kept is the tail of one answer.
type kept struct {
	Tail
	told  time.Time // when its sender spoke of it last
	taken bool      // somebody else goes on with it: nothing more is taken
}

// Serve takes the tails of one replica over a WebSocket until it ends.
func (k *Keeper) Serve(w http.ResponseWriter, r *http.Request) {
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{CompressionMode: websocket.CompressionDisabled})
	if err != nil {
		return // it was answered
	}
	defer ws.CloseNow()
	ws.SetReadLimit(maxBatch)
	if !k.add(ws) {
		return
	}
	defer k.remove(ws)
	for {
		_, p, err := ws.Read(context.Background())
		if err != nil {
			return
		}
		all, err := Parse(p)
		if err == nil {
			err = k.Keep(all)
		}
		switch {
		case errors.Is(err, ErrGone):
			_ = ws.Close(statusGone, "gone")
			return
		case err != nil:
			_ = ws.Close(websocket.StatusPolicyViolation, err.Error())
			return
		}
		if ws.Write(context.Background(), websocket.MessageBinary, nil) != nil {
			return
		}
	}
}

func (k *Keeper) add(ws *websocket.Conn) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed {
		return false
	}
	if k.conns == nil {
		k.conns = map[*websocket.Conn]struct{}{}
	}
	k.conns[ws] = struct{}{}
	k.open.Add(1)
	return true
}

func (k *Keeper) remove(ws *websocket.Conn) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.conns, ws)
	k.open.Done()
}

// Close ends all connections and forgets what is kept.
func (k *Keeper) Close() {
	k.mu.Lock()
	k.closed = true
	if k.later != nil {
		k.later.Stop()
	}
	for ws := range k.conns {
		go ws.CloseNow()
	}
	k.mu.Unlock()
	k.open.Wait()
	k.mu.Lock()
	defer k.mu.Unlock()
	clear(k.tails)
}

// Keep takes tails: their bytes are copied. ErrGone: somebody else goes on with one
// of the answers already.
func (k *Keeper) Keep(all []Tail) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.tails == nil {
		k.tails = map[Run]*kept{}
	}
	k.sweepLater()
	now := time.Now()
	for _, t := range all {
		key := Run{t.Owner, t.Run}
		have := k.tails[key]
		switch {
		case t.Ended:
			// Who may store an end is not gone, whatever was asked of it meanwhile.
			delete(k.tails, key)
			continue
		case have != nil && have.taken:
			return ErrGone
		case have == nil:
			have = &kept{Tail: Tail{Owner: t.Owner, Run: t.Run, From: t.From}}
			k.tails[key] = have
		}
		have.told = now
		if err := have.take(t); err != nil {
			return err
		}
	}
	return nil
}

// take puts what is new behind what is there.
func (t *kept) take(next Tail) error {
	if next.Type != "" {
		t.Type = next.Type
	}
	switch end := t.End(); {
	case next.From <= end:
	case next.From <= next.Stored: // what is between is in the database
		t.From, t.Data, t.Times = next.From, nil, nil
	default:
		return errGap
	}
	if seen := t.End() - next.From; seen < int64(len(next.Data)) {
		t.Data = append(t.Data, next.Data[seen:]...)
		t.Times = append(t.Times, after(next.Times, seen)...)
	}
	t.Stored = max(t.Stored, next.Stored)
	if n := min(t.Stored, t.End()) - t.From; n > 0 {
		// What is cut off goes when the rest moves, with the next append.
		t.From, t.Data, t.Times = t.From+n, t.Data[n:], after(t.Times, n)
	}
	return nil
}

// after are the times of what is behind the first n bytes.
func after(times []Time, n int64) []Time {
	for len(times) > 0 && n >= int64(times[0].Len) {
		n -= int64(times[0].Len)
		times = times[1:]
	}
	if n > 0 && len(times) > 0 {
		times = slices.Clone(times)
		times[0].Len -= uint32(n)
	}
	return times
}

// Take gives what is kept of answers that somebody goes on with. Nothing more is
// taken of them: a replica that was found gone and isn't hears so with the next
// that it sends. They stay, for who goes on may be gone before it is done.
func (k *Keeper) Take(runs []Run) (all []Tail) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.tails == nil {
		k.tails = map[Run]*kept{}
	}
	k.sweepLater()
	now := time.Now()
	for _, r := range runs {
		t := k.tails[r]
		if t == nil {
			t = &kept{Tail: Tail{Owner: r.Owner, Run: r.Run}}
			k.tails[r] = t
		}
		t.taken, t.told = true, now
		if len(t.Data) > 0 {
			one := t.Tail
			one.Data = slices.Clip(one.Data) // what is behind is never written to
			all = append(all, one)
		}
	}
	return all
}

// sweepLater has what nobody speaks of for long forgotten. The lock is held.
func (k *Keeper) sweepLater() {
	if k.later == nil && !k.closed {
		k.later = time.AfterFunc(KeptFor/10, k.sweep)
	}
}

func (k *Keeper) sweep() {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := time.Now()
	for r, t := range k.tails {
		if now.Sub(t.told) > KeptFor {
			delete(k.tails, r)
		}
	}
	if k.later = nil; len(k.tails) > 0 {
		k.sweepLater()
	}
}

// Held is how many answers something is kept of, and how many bytes.
func (k *Keeper) Held() (runs int, bytes int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, t := range k.tails {
		if !t.taken {
			runs++
		}
		bytes += int64(len(t.Data))
	}
	return runs, bytes
}
