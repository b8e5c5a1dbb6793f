package review

import (
	"context"
	"database/sql"
	"slices"
	"strings"

	"screentest/server/sight"
	"screentest/server/store/engine"
	"screentest/shared/wire"
)

// steps are the states that were given to versions that are seen, the oldest first.
func (a *access) steps(seen map[int]bool) ([]wire.ReviewStep, error) {
	all := []wire.ReviewStep{}
	err := a.q.Each(`SELECT r.id, s.version, s.state, s.note, u.name, s.at_ms FROM review_steps s CROSS JOIN reviews r ON r.n = s.review CROSS JOIN users u ON u.n = s.person
		WHERE s.review = ? ORDER BY s.n`, []any{a.review}, func(rows *sql.Rows) error {
		var s wire.ReviewStep
		var id []byte
		err := rows.Scan(&id, &s.Version, &s.State, &s.Note, &s.By, &s.AtMS)
		s.Review = engine.FormatID(id)
		if seen[s.Version] {
			all = append(all, s)
		}
		return err
	})
	return all, err
}

// presents and decides are who gives which state, from which.
var (
	presented = map[string][]string{
		wire.ReviewOpen:  {wire.ReviewDraft, wire.ReviewApproved, wire.ReviewChanges},
		wire.ReviewDraft: {wire.ReviewOpen},
	}
	decided = map[string][]string{
		wire.ReviewApproved: {wire.ReviewOpen},
		wire.ReviewChanges:  {wire.ReviewOpen},
	}
)

// stateWords are states in a sentence: "is …".
var stateWords = map[string]string{
	wire.ReviewDraft: "a draft", wire.ReviewOpen: "in review", wire.ReviewApproved: "approved", wire.ReviewChanges: "to be changed",
}

// decides says whether somebody who sees a clip approves it or asks for changes:
// who didn't make it, and who made it only where they lead a team that it is
// shared with. To run the instance gives no say.
func (a *access) decides(person int64, on clip) (bool, error) {
	if !a.owns(person) {
		return true, nil
	}
	return a.leads(person, on)
}

// Step gives a version a state. Its owner puts it in review and takes it back,
// others who see it approve it or ask for changes; see decides. The state that it
// has by the same person's own last step, with the same note, changes nothing.
func (r *Reviews) Step(ctx context.Context, owner string, s wire.ReviewStep) (stepped sight.Stepped, err error) {
	s.Note = strings.TrimSpace(strings.ToValidUTF8(s.Note, "\ufffd"))
	if len(s.Note) > wire.MaxReviewNote {
		return stepped, engine.BadField("bad_field", "note", "A note has up to %d bytes; this one has %d.", wire.MaxReviewNote, len(s.Note))
	}
	from, presents := presented[s.State]
	if !presents {
		if from = decided[s.State]; from == nil {
			return stepped, engine.BadField("bad_field", "state", "The state is one of %s, %s, %s and %s.", wire.ReviewDraft, wire.ReviewOpen, wire.ReviewApproved, wire.ReviewChanges)
		}
	}
	person := engine.ParseOwner(owner)
	err = r.db.Write(ctx, len(s.Note), func(w *engine.Tx) error {
		stepped = sight.Stepped{}
		q := inTx{w}
		a, err := r.openID(q, s.Review)
		if err != nil {
			return err
		}
		on, err := a.wantSeen(person, s.Version, "review")
		if err != nil {
			return err
		}
		if err := a.may(person, on, presents); err != nil {
			return err
		}
		last, by, err := a.last(on)
		if err != nil {
			return err
		}
		if last.State == s.State && last.Note == s.Note && by == person {
			stepped.Step, stepped.Was = last, s.State
			return nil
		}
		if !slices.Contains(from, on.state) {
			who := ""
			if last.By != "" {
				who = ", by " + last.By
			}
			return engine.Conflict("Version %d is %s%s. Look at it as it is now.", on.version, stateWords[on.state], who)
		}
		if s.State == wire.ReviewOpen {
			var made bool
			if err := w.Scan("SELECT state IN ('done', 'expired') FROM video_tasks WHERE n = ?", []any{on.task}, &made); err != nil {
				return err
			}
			if !made {
				return engine.Conflict("Version %d has no clip yet. Ask for a review when it is made.", on.version)
			}
		}
		if _, err := w.Exec("INSERT INTO review_steps (review, version, state, person, note, at_ms) VALUES (?, ?, ?, ?, ?, ?)", a.review, on.version, s.State, person, s.Note, r.now().UnixMilli()); err != nil {
			return err
		}
		if _, err := w.Exec("UPDATE review_versions SET state = ? WHERE review = ? AND version = ?", s.State, a.review, on.version); err != nil {
			return err
		}
		stepped.Was, stepped.Changed = on.state, true
		on.state = s.State
		if stepped.Step, _, err = a.last(on); err != nil {
			return err
		}
		if stepped.About, err = a.about(on); err != nil || s.State != wire.ReviewOpen {
			return err
		}
		return a.ask(&stepped, on)
	})
	return stepped, err
}

// may says why somebody may not give such a state; nil: they may.
func (a *access) may(person int64, on clip, presents bool) error {
	guest, err := a.guest(person)
	if err != nil {
		return err
	}
	if guest {
		return notAllowed("A guest reads a review and says nothing in it.", "Ask an admin of this instance to make you a member.")
	}
	if presents {
		if on.owner != person {
			return notAllowed("Only who made the clip puts it in review, or takes it back.", "Write a comment, or ask for changes.")
		}
		return nil
	}
	may, err := a.decides(person, on)
	if err == nil && !may {
		return notAllowed("Nobody approves a clip of their own, but who leads the team.", "Ask somebody whom it is shared with.")
	}
	return err
}

// last is a version's state, and who gave it: nobody, of one that has never had
// another than draft.
func (a *access) last(on clip) (s wire.ReviewStep, by int64, err error) {
	var id []byte
	if err := a.q.Scan("SELECT id FROM reviews WHERE n = ?", []any{a.review}, &id); err != nil {
		return s, 0, err
	}
	s = wire.ReviewStep{Review: engine.FormatID(id), Version: on.version, State: on.state}
	err = a.q.Each(`SELECT s.note, s.at_ms, u.name, s.person FROM review_steps s CROSS JOIN users u ON u.n = s.person
		WHERE s.review = ? AND s.version = ? ORDER BY s.n DESC LIMIT 1`, []any{a.review, on.version}, func(rows *sql.Rows) error {
		return rows.Scan(&s.Note, &s.AtMS, &s.By, &by)
	})
	return s, by, err
}

// maxAsked is how many people a notice asks for a review.
const maxAsked = 200

// ask notes who is asked for a review: those to whom, or to whose team, it is
// shown. All who are signed in are asked nothing.
func (a *access) ask(s *sight.Stepped, on clip) error {
	for _, by := range a.by {
		if by.wide || !by.seen.Sees(on.version, on.state) {
			continue
		}
		viewers, err := a.viewers(by)
		if err != nil {
			return err
		}
		for _, n := range viewers {
			guest, err := a.guest(n)
			if err != nil {
				return err
			}
			o := engine.FormatOwner(n)
			if _, told := s.Shares[o]; guest || told || len(s.Told) >= maxAsked {
				continue
			}
			s.Told, s.Shares[o] = append(s.Told, o), engine.FormatID(by.id)
		}
	}
	return nil
}
