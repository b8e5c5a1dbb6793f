package sandbox

import (
	"time"

	"screentest/shared/strictjson"
)

// maxAdvance is how far the clock can be moved in all.
const maxAdvance = 10 * 365 * 24 * time.Hour

// now is the sandbox's time: the configured clock, moved by what was asked for.
func (s *Server) now() time.Time { return s.cfg.Now().Add(time.Duration(s.advance.Load())) }

// handleClock answers POST /sandbox/clock {"advance":"336h"}. The clock goes
// forward only: tasks that finished stay finished (G32).
func (s *Server) handleClock(c *call) error {
	const want = `send {"advance":"336h"}, a duration of 0s to 87600h in all`
	doc, err := strictjson.Parse(c.body, strictjson.Limits{Bytes: 1000})
	if err != nil {
		return invalid("", "%v: %s", err, want)
	}
	v, ok := doc.Root.Get("advance")
	if !ok || v.Kind != strictjson.String {
		return invalid("advance", "advance is missing or not a string: %s", want)
	}
	d, err := time.ParseDuration(v.Text)
	if err != nil || d < 0 {
		return invalid("advance", "advance is not such a duration: %s", want)
	}
	s.bank.mu.Lock()
	defer s.bank.mu.Unlock()
	total := time.Duration(s.advance.Load())
	if d > maxAdvance-total {
		return invalid("advance", "the clock would be more than 87600h ahead: %s", want)
	}
	if err := s.journal.append(line{Clock: total + d}, true); err != nil {
		return err
	}
	s.advance.Store(int64(total + d))
	return c.reply(struct {
		Now      time.Time `json:"now"`
		Advanced string    `json:"advanced"` // in all
	}{s.now().UTC(), (total + d).String()})
}
