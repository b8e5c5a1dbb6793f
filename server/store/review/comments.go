package review

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"

	"screentest/server/sight"
	"screentest/server/store/engine"
	"screentest/shared/wire"
)

// commentColumns are a comment c as commentScan reads it.
const commentColumns = `c.n, c.id, r.id, c.version, (SELECT id FROM comments WHERE n = c.answers), u.n, u.id, u.name, c.text, c.at_ms, c.x, c.y,
	c.created_ms, c.edited_ms, c.resolved_ms, coalesce((SELECT name FROM users WHERE n = c.resolver), ''), c.deleted_ms > 0
	FROM comments c CROSS JOIN reviews r ON r.n = c.review CROSS JOIN users u ON u.n = c.author`

type commentScan struct {
	n, author                   int64
	id, review, answers, person []byte
	comment                     wire.Comment
}

func (s *commentScan) dest() []any {
	c := &s.comment
	return []any{&s.n, &s.id, &s.review, &c.Version, &s.answers, &s.author, &s.person, &c.Name, &c.Text, &c.AtMS, &c.X, &c.Y,
		&c.CreatedMS, &c.EditedMS, &c.ResolvedMS, &c.Resolver, &c.Deleted}
}

func (s *commentScan) result() wire.Comment {
	c := s.comment
	c.ID, c.Review, c.Answers, c.Author = engine.FormatID(s.id), engine.FormatID(s.review), engine.FormatID(s.answers), engine.FormatID(s.person)
	return c
}

// comments are those on versions that are seen, in the order in which they came.
// One that was deleted is there only while it has answers.
func (a *access) comments(seen map[int]bool) ([]wire.Comment, error) {
	all, answered := []wire.Comment{}, map[string]bool{}
	err := a.q.Each("SELECT "+commentColumns+" WHERE c.review = ? ORDER BY c.n", []any{a.review}, func(rows *sql.Rows) error {
		var s commentScan
		if err := rows.Scan(s.dest()...); err != nil {
			return err
		}
		c := s.result()
		if seen[c.Version] {
			all = append(all, c)
			answered[c.Answers] = answered[c.Answers] || !c.Deleted
		}
		return nil
	})
	return slices.DeleteFunc(all, func(c wire.Comment) bool { return c.Deleted && !answered[c.ID] }), err
}

// comment reads one by its id; sql.ErrNoRows: there is none.
func comment(q queries, id []byte) (s commentScan, err error) {
	err = q.Scan("SELECT "+commentColumns+" WHERE c.id = ?", []any{id}, s.dest()...)
	return s, err
}

// maxAt bounds the time of a comment in its clip, in milliseconds.
const maxAt = 24 * 60 * 60 * 1000

// checked is a comment as it is stored, or what is wrong with it.
func checked(c wire.Comment) (wire.Comment, error) {
	var err error
	if c.Text, err = checkedText(c.Text); err != nil {
		return c, err
	}
	switch {
	case c.AtMS < 0 || c.AtMS > maxAt:
		return c, engine.BadField("bad_field", "at_ms", "A comment is at a time of its clip, from 0 to %d ms.", maxAt)
	case (c.X == nil) != (c.Y == nil):
		return c, engine.BadField("bad_field", "x", "A point of the frame has both x and y.")
	case c.X != nil && (*c.X < 0 || *c.X > wire.FramePoints):
		return c, engine.BadField("bad_field", "x", "A point of the frame is between 0 and %d.", wire.FramePoints)
	case c.Y != nil && (*c.Y < 0 || *c.Y > wire.FramePoints):
		return c, engine.BadField("bad_field", "y", "A point of the frame is between 0 and %d.", wire.FramePoints)
	case len(c.Mentions) > wire.MaxMentions:
		return c, engine.BadField("bad_field", "mentions", "A comment mentions up to %d people.", wire.MaxMentions)
	}
	return c, nil
}

func checkedText(text string) (string, error) {
	text = strings.TrimSpace(strings.ToValidUTF8(text, "\ufffd"))
	switch {
	case text == "":
		return "", engine.BadField("bad_field", "text", "The comment is empty. Write what is to be said.")
	case len(text) > wire.MaxComment:
		return "", engine.BadField("bad_field", "text", "A comment has up to %d bytes; this one has %d.", wire.MaxComment, len(text))
	}
	return text, nil
}

// Comment stores a comment of somebody's on a version that they see. One with an id
// that they have used for this review already is answered with what is stored.
// Who is mentioned and doesn't see it is told nothing.
func (r *Reviews) Comment(ctx context.Context, owner string, c wire.Comment) (said sight.Said, err error) {
	id, err := engine.WantID("id", c.ID)
	if err != nil {
		return said, err
	}
	if c, err = checked(c); err != nil {
		return said, err
	}
	person := engine.ParseOwner(owner)
	err = r.db.Write(ctx, len(c.Text), func(w *engine.Tx) error {
		said = sight.Said{}
		q := inTx{w}
		a, err := r.openID(q, c.Review)
		if err != nil {
			return err
		}
		c := c
		var answers int64
		if c.Answers != "" {
			if is, err := a.seesAny(person); err != nil || !is {
				return cmp.Or(err, engine.NotFound("review"))
			}
			to, err := a.answered(c.Answers)
			if err != nil {
				return err
			}
			// It stands where that stands which it answers.
			c.Version, c.AtMS, c.X, c.Y, answers = to.comment.Version, to.comment.AtMS, nil, nil, to.n
		}
		on, err := a.wantSeen(person, c.Version, "review")
		if err != nil {
			return err
		}
		was, err := comment(q, id)
		switch {
		case err == nil && (was.author != person || engine.FormatID(was.review) != c.Review):
			return engine.Conflict("This id belongs to another comment.")
		case err == nil:
			said.Comment = was.result()
			return nil
		case !errors.Is(err, sql.ErrNoRows):
			return err
		}
		var count int
		if err := w.Scan("SELECT count(*) FROM comments WHERE review = ?", []any{a.review}, &count); err != nil {
			return err
		}
		if count >= wire.MaxComments {
			return engine.BadField("too_many_comments", "", "There are %d comments here, which is the limit.", wire.MaxComments)
		}
		if _, err := w.Insert(`INSERT INTO comments (id, review, version, answers, author, text, at_ms, x, y, created_ms) VALUES (?, ?, ?, nullif(?, 0), ?, ?, ?, ?, ?, ?)`,
			id, a.review, c.Version, answers, person, c.Text, c.AtMS, c.X, c.Y, r.now().UnixMilli()); err != nil {
			return err
		}
		now, err := comment(q, id)
		if err != nil {
			return err
		}
		said.Comment, said.Changed = now.result(), true
		if said.About, err = a.about(on); err != nil {
			return err
		}
		for _, m := range c.Mentions {
			b, _ := engine.ParseID(m)
			var n int64
			err := w.Scan("SELECT n FROM users WHERE id = ? AND active = 1 AND email IS NOT NULL", []any{b}, &n)
			if errors.Is(err, sql.ErrNoRows) || n == person {
				continue
			}
			if err != nil {
				return err
			}
			_, share, is, err := a.sees(n, c.Version)
			if err != nil {
				return err
			}
			if o := engine.FormatOwner(n); is && !slices.Contains(said.Told, o) {
				said.Told, said.Shares[o] = append(said.Told, o), share
				said.Comment.Mentions = append(said.Comment.Mentions, m)
			}
		}
		return nil
	})
	return said, err
}

// answered is the comment that one answers.
func (a *access) answered(id string) (commentScan, error) {
	b, _ := engine.ParseID(id)
	to, err := comment(a.q, b)
	var review int64
	if err == nil {
		err = a.q.Scan("SELECT review FROM comments WHERE n = ?", []any{to.n}, &review)
	}
	switch {
	case errors.Is(err, sql.ErrNoRows) || err == nil && (review != a.review || to.comment.Deleted):
		return to, engine.NotFound("comment")
	case err == nil && to.answers != nil:
		return to, engine.BadField("bad_field", "answers", "An answer has no answers of its own. Answer the comment above it.")
	}
	return to, err
}

// about is what is said of a clip to who is told.
func (a *access) about(on clip) (sight.About, error) {
	v, err := version(a.q, on, on.owner)
	return sight.About{Owner: engine.FormatOwner(on.owner), Clip: v.Clip, Title: v.Title, Shares: map[string]string{}}, err
}

// Edit changes a comment on a version that somebody sees: their own text; whether
// it is resolved; or that it is there, which its author, the clip's owner and who
// leads a team that is shown it may. Of one that is deleted the text is gone.
func (r *Reviews) Edit(ctx context.Context, owner string, e wire.CommentEdit) (said sight.Said, err error) {
	text := ""
	if e.Text != nil {
		if text, err = checkedText(*e.Text); err != nil {
			return said, err
		}
	}
	b, _ := engine.ParseID(e.ID)
	person := engine.ParseOwner(owner)
	err = r.db.Write(ctx, len(text), func(w *engine.Tx) error {
		said = sight.Said{}
		q := inTx{w}
		was, err := comment(q, b)
		if err != nil {
			return missing(err, "comment")
		}
		var review int64
		if err := w.Scan("SELECT review FROM comments WHERE n = ?", []any{was.n}, &review); err != nil {
			return err
		}
		a, err := r.open(q, review)
		if err != nil {
			return err
		}
		on, err := a.wantSeen(person, was.comment.Version, "comment")
		if err != nil {
			return err
		}
		now := r.now().UnixMilli()
		exec := func(query string, args ...any) error {
			said.Changed = true
			_, err := w.Exec(query, args...)
			return err
		}
		gone := was.comment.Deleted
		switch {
		case e.Deleted && !gone:
			may := was.author == person
			if !may {
				if may, err = a.clears(person, on); err != nil {
					return err
				}
			}
			if !may {
				return notAllowed("This comment is somebody else's.", "Who wrote it, whose clip it is and who leads the team may delete it.")
			}
			if err := exec("UPDATE comments SET text = '', x = NULL, y = NULL, deleted_ms = ? WHERE n = ?", now, was.n); err != nil {
				return err
			}
			if err := w.Scrub(); err != nil {
				return err
			}
		case e.Deleted:
		case gone:
			return engine.Conflict("This comment was deleted.")
		}
		if e.Text != nil && !e.Deleted && text != was.comment.Text {
			if was.author != person {
				return notAllowed("This comment is somebody else's.", "Only who wrote it changes its words. Answer it.")
			}
			if err := exec("UPDATE comments SET text = ?, edited_ms = ? WHERE n = ?", text, now, was.n); err != nil {
				return err
			}
		}
		if e.Resolved != nil && !e.Deleted && *e.Resolved != (was.comment.ResolvedMS > 0) {
			if was.answers != nil {
				return engine.BadField("bad_field", "resolved", "An answer is resolved with the comment that it answers.")
			}
			by, at := person, now
			if !*e.Resolved {
				by, at = 0, 0
			}
			if err := exec("UPDATE comments SET resolver = nullif(?, 0), resolved_ms = ? WHERE n = ?", by, at, was.n); err != nil {
				return err
			}
		}
		is, err := comment(q, b)
		said.Comment = is.result()
		return err
	})
	return said, err
}

func notAllowed(message, hint string) error {
	return &engine.Error{Problem: wire.Problem{Code: wire.CodeNotAllowed, Message: message, Hint: hint}}
}
