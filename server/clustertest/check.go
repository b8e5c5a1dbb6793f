package clustertest

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"screentest/shared/wire"
)

// Check holds all that a load did against what the gateway noted, to the byte and to
// the nano-dollar. Call it after End, with the replicas there.
func (l *Load) Check() {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	l.settle(ctx)
	account, total := l.c.Gateway.Account()
	books := map[*Person]map[string]booked{}
	for _, p := range l.played {
		if books[p.by] == nil {
			books[p.by] = l.books(ctx, p.by)
		}
		l.text(ctx, p.by, p.it)
		l.paid(ctx, p.by, p.it, books[p.by][p.it.Start.Run], account)
	}
	for _, c := range l.clips {
		if books[c.by] == nil {
			books[c.by] = l.books(ctx, c.by)
		}
		l.made(ctx, c.by, c.it, books[c.by][c.it], account)
	}
	for id, nano := range account {
		l.t.Errorf("the gateway was paid %d for %s, which is nothing of ours", nano, id)
	}
	var all wire.LedgerPage
	if err := l.admin.Call(ctx, wire.OpLedger, wire.LedgerQuery{Of: wire.Of{Everybody: true}, Limit: 1}, &all); err != nil {
		l.t.Fatal(err)
	}
	if all.Total == nil || all.Total.NanoUSD != total {
		l.t.Errorf("the ledger has %+v, the gateway's account %d", all.Total, total)
	}
	for what, query := range map[string]string{
		"answers under way": "SELECT count(*) FROM runs WHERE state = 'running'",
		"clips under way":   "SELECT count(*) FROM video_tasks WHERE state IN ('creating', 'unknown', 'queued', 'running')",
		"reservations":      "SELECT count(*) FROM reservations",
	} {
		rows := l.c.Postgres.Rows(l.t, query)
		for ; rows[0][0] != "0" && ctx.Err() == nil; rows = l.c.Postgres.Rows(l.t, query) {
			pause(ctx, 100*time.Millisecond) // what was refused is put back in its time
		}
		if rows[0][0] != "0" {
			l.t.Errorf("%s %s are left", rows[0][0], what)
		}
	}
}

// of are the requests that the gateway had for a run or a clip.
func (l *Load) of(id string, what func(*Asked) bool) (found []*Asked) {
	for _, a := range l.c.Gateway.Asked() {
		if what(a) && strings.Contains(a.Body, id) {
			found = append(found, a)
		}
	}
	return found
}

// text holds an answer to what the gateway sent.
func (l *Load) text(ctx context.Context, by *Person, p *Played) {
	run := p.Start.Run
	log, err := by.Log(ctx, run)
	if err != nil && p.Answer.Run.Bytes > 0 {
		l.t.Errorf("run %s: its log: %v", run, err)
		return
	}
	if !bytes.HasPrefix(log, p.Shown) {
		l.t.Errorf("run %s, %s: %d bytes were shown, of which only the first %d are what is stored, %d", run, p.Answer.Run.State, len(p.Shown), common(log, p.Shown), len(log))
	}
	asked := l.of(run, (*Asked).Text)
	if len(asked) > 1 {
		l.t.Errorf("run %s was sent %d times", run, len(asked))
	}
	if len(asked) == 0 {
		if p.Answer.Run.State == wire.Done || len(log) > 0 {
			l.t.Errorf("run %s, %s with %d bytes, was never sent", run, p.Answer.Run.State, len(log))
		}
		return
	}
	_, sent, whole := asked[0].Answer()
	if !bytes.HasPrefix(sent, log) {
		l.t.Errorf("run %s, %s: the log's %d bytes are the gateway's %d only up to %d", run, p.Answer.Run.State, len(log), len(sent), common(log, sent))
	}
	if p.Answer.Run.State != wire.Done {
		return
	}
	if !whole || len(log) != len(sent) {
		l.t.Errorf("run %s is done with %d bytes of the gateway's %d, whole: %v", run, len(log), len(sent), whole)
	}
	if want := textOf(sent); p.Answer.Text != want || want == "" {
		l.t.Errorf("run %s: the text is\n%q, want\n%q", run, p.Answer.Text, want)
	}
}

func common(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// textOf is the text of a stream, of either endpoint.
func textOf(stream []byte) string {
	var all strings.Builder
	for line := range strings.Lines(string(stream)) {
		data, ok := strings.CutPrefix(line, "data: ")
		var event struct {
			Type    string
			Delta   json.RawMessage
			Choices []struct{ Delta struct{ Content string } }
		}
		if !ok || json.Unmarshal([]byte(data), &event) != nil {
			continue
		}
		for _, c := range event.Choices {
			all.WriteString(c.Delta.Content)
		}
		var delta string
		if event.Type == "response.output_text.delta" && json.Unmarshal(event.Delta, &delta) == nil {
			all.WriteString(delta)
		}
	}
	return all.String()
}

// booked is what the ledger has of one run or clip.
type booked struct {
	nano      int64
	rows      int
	estimated bool
}

func (l *Load) books(ctx context.Context, by *Person) map[string]booked {
	l.t.Helper()
	all := map[string]booked{}
	q := wire.LedgerQuery{Limit: 500}
	for {
		var page wire.LedgerPage
		if err := by.Call(ctx, wire.OpLedger, q, &page); err != nil {
			l.t.Fatal(err)
		}
		for _, r := range page.Rows {
			b := all[r.Subject]
			b.nano += r.CostNanoUSD
			b.rows++
			b.estimated = b.estimated || r.Source == wire.SourceEstimated
			all[r.Subject] = b
		}
		if q.Before = page.Before; q.Before == "" {
			return all
		}
	}
}

var replyIDs = regexp.MustCompile(`"id":\s*"((?:chatcmpl-|resp_|task_)[^"]+)"`)

// idOf is the gateway's own id in an answer, or "".
func idOf(answer []byte) string {
	if m := replyIDs.FindSubmatch(answer); m != nil {
		return string(m[1])
	}
	return ""
}

// paid holds what an answer cost to what the gateway was paid; an estimate is corrected
// to that, as who runs the instance does by the gateway's own figures.
func (l *Load) paid(ctx context.Context, by *Person, p *Played, got booked, account map[string]int64) {
	run, state := p.Start.Run, p.Answer.Run.State
	var paid int64
	for _, a := range l.of(run, (*Asked).Text) {
		_, answer, _ := a.Answer()
		id := idOf(answer)
		paid += account[id]
		delete(account, id)
	}
	switch {
	case got.rows > 1:
		l.t.Errorf("run %s, %s: %d rows", run, state, got.rows)
	case got.rows == 1 && !got.estimated && got.nano != paid:
		l.t.Errorf("run %s, %s: the ledger has %d, the gateway's account %d", run, state, got.nano, paid)
	case state == wire.Done && (got.rows == 0 || got.estimated):
		l.t.Errorf("run %s is done, and the ledger has %+v", run, got)
	case got.nano != paid || got.estimated:
		if got.rows == 0 && p.Answer.Text != "" {
			l.t.Errorf("run %s, %s with %q: the ledger has nothing", run, state, p.Answer.Text)
		}
		correction := wire.Correction{Subject: run, CostNanoUSD: paid}
		if by != l.admin {
			correction.Person = by.ID
		}
		if err := l.admin.Call(ctx, wire.OpCorrect, correction, nil); err != nil {
			l.t.Errorf("run %s, %s: correct %+v to %d: %v", run, state, got, paid, err)
		}
	}
}

// settle tells of each clip of which nobody knows whether the gateway took it what the
// gateway's account says, and waits until nothing more becomes of any.
func (l *Load) settle(ctx context.Context) {
	l.t.Helper()
	for _, c := range l.clips {
		for {
			var o wire.VideoOpened
			err := c.by.Call(ctx, wire.OpVideoTask, wire.Target{ID: c.it}, &o)
			if err == nil && settled(o.Task) {
				break
			}
			if ctx.Err() != nil {
				l.t.Errorf("clip %s is still %s, archived %v, %v, %v: %v", c.it, o.Task.State, o.Task.Archived, o.Task.Problem, o.Task.PollProblem, err)
				return
			}
			if o.Task.State == wire.VideoUnknown {
				s := wire.VideoSettle{ID: c.it, Outcome: wire.DidNot}
				for _, a := range l.of(c.it, (*Asked).Creates) {
					_, answer, _ := a.Answer()
					if id := idOf(answer); id != "" {
						s.Outcome, s.Remote = wire.WentThrough, id
					}
				}
				if err := c.by.Call(ctx, wire.OpVideoSettle, s, nil); err != nil {
					l.t.Errorf("clip %s: settle %+v: %v", c.it, s, err)
				}
			}
			_ = c.by.Call(ctx, wire.OpVideoCheck, wire.Target{ID: c.it}, nil) // it may have ended meanwhile
			pause(ctx, 200*time.Millisecond)
		}
	}
}

// made holds a clip to what the gateway made, and was paid.
func (l *Load) made(ctx context.Context, by *Person, id string, got booked, account map[string]int64) {
	created := l.of(id, (*Asked).Creates)
	if len(created) > 1 {
		l.t.Errorf("clip %s was created %d times", id, len(created))
	}
	var o wire.VideoOpened
	if err := by.Call(ctx, wire.OpVideoTask, wire.Target{ID: id}, &o); err != nil {
		l.t.Errorf("clip %s: %v", id, err)
		return
	}
	if paid := account[o.Task.Remote]; got.nano != paid || got.estimated {
		l.t.Errorf("clip %s, %s: the ledger has %+v, the gateway's account %d", id, o.Task.State, got, paid)
	}
	delete(account, o.Task.Remote)
	if o.Task.State != wire.VideoDone {
		return
	}
	for i := range o.Task.Outputs {
		r, err := by.ask(ctx, http.MethodGet, wire.MediaPath+id+"/"+strconv.Itoa(i), nil)
		if err != nil || r.Status != http.StatusOK {
			l.t.Errorf("clip %s: its file: %d %.200s %v", id, r.Status, r.Body, err)
			continue
		}
		if !l.sent([]byte(r.Body)) {
			l.t.Errorf("clip %s: its file of %d bytes is not what the gateway sent", id, len(r.Body))
		}
	}
}

// sent says that the gateway has sent a file, to the byte.
func (l *Load) sent(file []byte) bool {
	for _, a := range l.c.Gateway.Asked() {
		if !a.File() {
			continue
		}
		if _, answer, whole := a.Answer(); whole && bytes.Equal(answer, file) {
			return true
		}
	}
	return false
}
