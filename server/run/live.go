package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"screentest/server/upstream"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// live is a run under way.
type live struct {
	m       *Manager
	key     key
	started wire.Run // as it was at its start
	began   time.Time
	log     *Log
	ctx     context.Context
	cancel  context.CancelCauseFunc
	done    chan struct{} // closed when its end is stored or waits for the disk, or it was not made
	turn    chan struct{} // closed when the turn is stored, or could not be
	turnErr error         // why it could not; to be read after that

	ready    chan struct{} // closed by resolve
	run      wire.Run      // of resolve: what Start returned
	startErr error

	release func() // what was reserved for its cost

	slot   int          // when within the interval its log is flushed
	flush  sync.Mutex   // held while a write of the log is under way
	failed time.Time    // when the last one did that failed; the lock is flush
	asked  atomic.Int64 // since when one is under way, in ms since the run's start, and 1; 0: none is

	// How it ended, while that can't be stored.
	ended  atomic.Pointer[wire.Run] // as it is told
	judged final                    // as it is, without its text; the lock is flush
}

func newLive(m *Manager, k key, r wire.Run) *live {
	l := &live{m: m, key: k, started: r, began: m.Now(), log: newLog(m.fetcher(k), &m.blocks),
		done: make(chan struct{}), turn: make(chan struct{}), ready: make(chan struct{})}
	l.ctx, l.cancel = context.WithCancelCause(context.Background())
	return l
}

// resolve says how Start went, to others that started the same run.
func (l *live) resolve(r wire.Run, err error) {
	l.run, l.startErr = r, err
	close(l.ready)
	if err != nil {
		l.cancel(err)
	}
}

// notMade ends a run before its call: Start refuses it, or it is there already.
func (l *live) notMade(r wire.Run, err error) {
	l.m.drop(l)
	l.resolve(r, err)
	close(l.done)
	l.m.calls.Done()
}

// over says that the end is stored, or waits for the disk.
func (l *live) over() bool {
	select {
	case <-l.done:
		return true
	default:
		return false
	}
}

// await waits for Start and returns what it returned.
func (l *live) await(ctx context.Context) (wire.Run, error) {
	select {
	case <-l.ready:
	default:
		select {
		case <-l.ready:
		case <-ctx.Done():
			return wire.Run{}, notKnown()
		}
	}
	if r := l.ended.Load(); r != nil {
		return *r, nil
	}
	return l.run, l.startErr
}

// ms is the time since the run's start.
func (l *live) ms() int64 { return l.m.Now().Sub(l.began).Milliseconds() }

// onTurnStored is told when the turn is durable, or why it could not be.
func (l *live) onTurnStored(err error) {
	defer close(l.turn)
	if err == nil {
		l.m.Stored(l.key.owner, l.started.Conversation)
		return
	}
	if l.turnErr = err; l.m.DurableStart {
		return // and so nothing is sent
	}
	l.m.Logger.Error("turn not stored", "run", l.key.run, "err", err)
	l.cancel(asProblem(err, notStored()))
}

func notStored() wire.Problem {
	return wire.Problem{Code: "storage_failed", Message: "The server could not write to its database, so the answer was ended.",
		Hint: "See whether the disk of the server is full; its log has the details."}
}

// call calls the gateway and has its reply followed. The goroutine ends with
// the call: following goes on in one of its own, whose stack is as small as
// reading needs, for there may be hundreds and they last.
func (l *live) call(apiKey string, req request) {
	body, sent, err := l.m.filled(l.ctx, l.key.owner, req.body)
	if err != nil {
		l.end(cmp.Or(context.Cause(l.ctx), err))
		return
	}
	if err := l.mayCall(); err != nil {
		sent()
		l.end(err)
		return
	}
	rep, err := req.to.Send(l.ctx, apiKey, gateway.Endpoint(req.run.Endpoint), body)
	sent()
	if err != nil {
		l.end(cmp.Or(context.Cause(l.ctx), err))
		return
	}
	l.log.start(clip(rep.ContentType, maxContentType))
	l.m.Store.RunReplied(l.key.owner, l.key.run, rep.Status, l.log.ContentType(), rep.RequestID, nil)
	go l.follow(rep)
}

// follow copies the gateway's reply into the log.
func (l *live) follow(rep *upstream.Reply) {
	err := l.copy(rep)
	rep.Body.Close()
	// Ending needs a large stack, this one has been small.
	go l.end(err)
}

// maxContentType bounds what is kept of a Content-Type, in bytes. It goes in
// front of the log wherever that is read.
const maxContentType = 128

func clip(s string, most int) string {
	if len(s) > most {
		return s[:most]
	}
	return s
}

// copy appends what comes to the log. The error says why it ended; nil is the
// end of the reply.
func (l *live) copy(rep *upstream.Reply) error {
	events := strings.HasPrefix(rep.ContentType, "text/event-stream")
	var end endScanner
	var over *time.Timer // ends a connection that goes on after the end
	late := 0            // bytes that came after it
	defer func() {
		if over != nil {
			over.Stop()
		}
	}()
	var size int64
	for {
		room := l.log.reserve(l.ms())
		n, err := rep.Body.Read(room)
		if n > 0 {
			size += int64(n)
			backlog := l.log.commit(n, l.ms())
			if size > l.m.MaxLog {
				return &wire.Problem{Code: "reply_too_large",
					Message: fmt.Sprintf("The reply is longer than %d MiB, so it was cut there.", l.m.MaxLog>>20)}
			}
			if err := l.relieve(backlog); err != nil {
				return err
			}
			if events {
				switch {
				case over != nil:
					if late += n; late > maxLate {
						return nil
					}
				case end.scan(room[:n]):
					over = time.AfterFunc(grace, func() { l.cancel(errEnded) })
				}
			}
		}
		if err != nil {
			return l.why(err)
		}
	}
}

// why says why reading ended: the cause of the run's context, if there is one,
// comes before what the read made of it.
func (l *live) why(err error) error {
	if cause := context.Cause(l.ctx); cause != nil {
		err = cause
	}
	if errors.Is(err, errEnded) || err == io.EOF {
		return nil
	}
	return err
}

// relieve has a backlog written soon, and waits while it is so long that the
// disk must catch up first.
func (l *live) relieve(backlog int64) error {
	if backlog < flushChunk {
		return nil
	}
	l.m.flusher.kick()
	for backlog > maxBacklog {
		select {
		case <-l.log.wake:
			l.m.flusher.kick()
		case <-l.ctx.Done():
			return l.why(l.ctx.Err())
		}
		backlog = l.log.backlog()
	}
	return nil
}
