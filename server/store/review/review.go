// Package review keeps what people say of clips: reviews, their versions, comments
// and states, and the clips that a team shows itself.
//
// Who sees a version is said in one place, [sight.Seen.Sees]: its owner sees all;
// whom a share shows a clip sees it, and, if it is live, its next versions from
// the moment that they are no drafts. A clip in the trash is seen by nobody. Who
// sees a share by name is told by the view sights alone; who only has a link sees
// no review.
package review

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"screentest/server/store/engine"
)

// Reviews are everybody's.
type Reviews struct {
	db  *engine.DB
	now func() time.Time
}

// New is the reviews in db.
func New(db *engine.DB, now func() time.Time) *Reviews { return &Reviews{db: db, now: now} }

// maxChain is how far it is looked up what a clip was made of.
const maxChain = 500

// Join makes a clip that was just made the next version, a draft, where one that it
// was made of, or that had its settings, has a review: the nearest.
func Join(w *engine.Tx, task int64) error {
	var review int64
	err := w.Scan(`WITH RECURSIVE up (n, owner, source, version_of, depth) AS (
			SELECT n, owner, source, version_of, 0 FROM video_tasks WHERE n = ?1 AND (source IS NOT NULL OR version_of IS NOT NULL)
			UNION SELECT t.n, t.owner, t.source, t.version_of, depth + 1 FROM up CROSS JOIN video_tasks t ON t.owner = up.owner AND t.id IN (up.source, up.version_of) WHERE depth < ?2)
		SELECT v.review FROM up CROSS JOIN review_versions v ON v.task = up.n WHERE up.depth > 0 LIMIT 1`, []any{task, maxChain}, &review)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = w.Exec("INSERT INTO review_versions (review, version, task) SELECT n, versions + 1, ? FROM reviews WHERE n = ?", task, review)
	return err
}

// Of is the review of a clip. fs.ErrNotExist: it has none.
func (r *Reviews) Of(ctx context.Context, owner, clip string) (id string, err error) {
	b, _ := engine.ParseID(clip)
	var review []byte
	err = r.db.At(ctx).Scan(`SELECT r.id FROM video_tasks t CROSS JOIN review_versions v ON v.task = t.n CROSS JOIN reviews r ON r.n = v.review
		WHERE t.owner = ? AND t.id = ?`, []any{engine.ParseOwner(owner), b}, &review)
	return engine.FormatID(review), missing(err, "review")
}

// missing is NotFound where there was no row.
func missing(err error, what string) error {
	if errors.Is(err, sql.ErrNoRows) {
		return engine.NotFound(what)
	}
	return err
}

// queries is what both a reading and a transaction can do.
type queries interface {
	Scan(query string, args []any, dest ...any) error
	Each(query string, args []any, fn func(*sql.Rows) error) error
}

// inTx is a transaction as queries.
type inTx struct{ *engine.Tx }

func (t inTx) Each(query string, args []any, fn func(*sql.Rows) error) error {
	return t.Tx.Each(context.Background(), query, args, fn)
}
