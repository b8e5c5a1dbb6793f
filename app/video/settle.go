package video

import (
	"encoding/json"
	"strings"

	"screentest/shared/reply"
	"screentest/shared/wire"
)

// Settle says how an unknown creation ended (G35). remote is the gateway's id
// of one that went through. done gets what is wrong with it, or nil.
func (g *Tasks) Settle(id string, wentThrough bool, remote string, done func(*wire.Problem)) {
	s := wire.VideoSettle{ID: id, Outcome: wire.DidNot}
	if wentThrough {
		s.Outcome, s.Remote = wire.WentThrough, strings.TrimSpace(remote)
		if problem := checkRemote(s.Remote); problem != nil {
			done(problem)
			return
		}
	}
	g.ask(id, wire.OpVideoSettle, s, done)
}

// checkRemote spots at once what can't be a task's id (F91, F118).
func checkRemote(id string) *wire.Problem {
	if reply.IsTaskID(id) {
		return nil
	}
	p := &wire.Problem{
		Code: "invalid_request", Field: "remote", Message: "This isn’t a task id: those begin with task_.",
		Hint: "Find it in your gateway’s dashboard, in the list of tasks.",
	}
	if id == "" {
		p.Message = "The task's id is missing."
	}
	return p
}

// Check asks the gateway about a task now, out of turn.
func (g *Tasks) Check(id string) {
	g.o.Call(wire.OpVideoCheck, wire.Target{ID: id}, func(_ json.RawMessage, problem *wire.Problem) {
		if problem != nil {
			g.Notices.refused(id, problem)
		}
	})
}
