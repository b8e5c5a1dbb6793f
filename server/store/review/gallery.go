package review

import (
	"context"
	"database/sql"
	"slices"

	"screentest/server/sight"
	"screentest/server/store/engine"
	"screentest/shared/wire"
)

// Bounds of a page of a team's gallery.
const (
	normalPage = 24
	mostPage   = 96
	// scanned is how many shares are looked at for a page, before it is cut off: of a
	// state that few have, a page may be shorter than was asked for.
	scanned = 2000
)

// shown is a card's share.
type shown struct {
	share, review       int64
	id                  []byte
	version             int
	live, trashed       bool
	sharedMS, expiresMS int64
}

// shownColumns are a share s, for what shown reads.
const shownColumns = `s.n, s.id, v.review, v.version, s.live, s.created_ms, s.expires_ms, t.deleted_ms > 0
	FROM shares s CROSS JOIN users o ON o.n = s.owner CROSS JOIN video_tasks t ON t.n = s.task CROSS JOIN review_versions v ON v.task = t.n`

// Clips is a page of the clips that a team is shown, its own people's and one's
// own among them, the newest share first. Each review is there once, by the newest
// share of it, in the newest version that the team sees. To the team that everybody
// is in is shown what everybody is. fs.ErrNotExist: one isn't in that team.
func (r *Reviews) Clips(ctx context.Context, owner string, ask wire.TeamClipQuery) (page wire.TeamClips, err error) {
	page.Clips = []wire.TeamClip{}
	if ask.State != "" && stateWords[ask.State] == "" {
		return page, engine.BadField("bad_field", "state", "The state is one of %s, %s, %s and %s.", wire.ReviewDraft, wire.ReviewOpen, wire.ReviewApproved, wire.ReviewChanges)
	}
	before, err := engine.ParseCursor(ask.Before, 1)
	if err != nil {
		return page, err
	}
	from := int64(1<<63 - 1)
	if before != nil {
		from = before[0]
	}
	b, _ := engine.ParseID(ask.Team)
	person, limit := engine.ParseOwner(owner), engine.PageLimit(ask.Limit, normalPage, mostPage)
	err = r.db.Snapshot(ctx, func(q engine.Reading) error {
		g := gallery{q: q, person: person, now: r.now().UnixMilli(), state: ask.State}
		if err := q.Scan("SELECT t.n, t.everyone FROM teams t CROSS JOIN team_people p ON p.team = t.n WHERE t.id = ? AND t.deleted_ms = 0 AND p.person = ?", []any{b, person}, &g.team, &g.everyone); err != nil {
			return missing(err, "team")
		}
		for looked := 0; ; {
			shares, err := g.next(from, limit+1)
			if err != nil || len(shares) == 0 {
				return err
			}
			for _, s := range shares {
				if len(page.Clips) == limit || looked == scanned {
					page.Before = engine.FormatCursor(from)
					return nil
				}
				from = s.share
				looked++
				c, is, err := g.card(s)
				if err != nil {
					return err
				}
				if is {
					page.Clips = append(page.Clips, c)
				}
			}
		}
	})
	return page, err
}

// gallery reads cards.
type gallery struct {
	q                 engine.Reading
	person, team, now int64
	everyone          bool
	state             string
}

// next are the shares before one, the newest first.
func (g *gallery) next(before int64, limit int) (all []shown, err error) {
	read := func(query string, args ...any) error {
		return g.q.Each(query, args, func(rows *sql.Rows) error {
			var s shown
			err := rows.Scan(&s.share, &s.id, &s.review, &s.version, &s.live, &s.sharedMS, &s.expiresMS, &s.trashed)
			all = append(all, s)
			return err
		})
	}
	// Most reviews are in another state than the one that is asked for: these are
	// passed over here.
	const inState = " AND o.active = 1 AND s.n < ? AND (? = '' OR EXISTS (SELECT 1 FROM review_versions x WHERE x.review = v.review AND x.state = ?)) ORDER BY s.n DESC LIMIT ?"
	err = read("SELECT "+shownColumns+" WHERE s.to_team = ?"+inState, g.team, before, g.state, g.state, limit)
	if err != nil || !g.everyone {
		return all, err
	}
	err = read("SELECT "+shownColumns+" WHERE s.audience = 'everyone'"+inState, before, g.state, g.state, limit)
	slices.SortFunc(all, func(a, b shown) int { return int(b.share - a.share) })
	return all[:min(len(all), limit)], err
}

// card is what a share shows; is false where it has expired, or shows a review that
// a newer one does too, or nothing in the state that was asked for.
func (g *gallery) card(s shown) (c wire.TeamClip, is bool, err error) {
	if s.trashed || s.expiresMS > 0 && s.expiresMS <= g.now {
		return c, false, nil
	}
	var newest bool
	if err := g.q.Scan(`SELECT NOT EXISTS (SELECT 1 FROM review_versions v CROSS JOIN shares s ON s.task = v.task CROSS JOIN video_tasks t ON t.n = s.task
		WHERE v.review = ? AND s.n > ? AND (s.to_team = ? OR ? AND s.audience = 'everyone') AND (s.expires_ms = 0 OR s.expires_ms > ?) AND t.deleted_ms = 0)`,
		[]any{s.review, s.share, g.team, g.everyone, g.now}, &newest); err != nil || !newest {
		return c, false, err
	}
	by := sight.Seen{From: s.version, Live: s.live}
	var at clip
	seen := map[int]bool{}
	err = g.q.Each(`SELECT v.version, v.state, t.n, t.owner, t.id FROM review_versions v CROSS JOIN video_tasks t ON t.n = v.task
		WHERE v.review = ? AND v.version >= ? AND t.deleted_ms = 0 ORDER BY v.version`, []any{s.review, s.version}, func(rows *sql.Rows) error {
		var v clip
		err := rows.Scan(&v.version, &v.state, &v.task, &v.owner, &v.id)
		if by.Sees(v.version, v.state) {
			at, seen[v.version] = v, true
		}
		return err
	})
	if err != nil || at.version == 0 || g.state != "" && at.state != g.state {
		return c, false, err
	}
	if c.ReviewVersion, err = version(g.q, at, g.person); err != nil {
		return c, false, err
	}
	c.Share, c.SharedMS = engine.FormatID(s.id), s.sharedMS
	of(&c.ReviewVersion, c.Share)
	err = g.q.Each("SELECT version, resolved_ms > 0 OR answers IS NOT NULL FROM comments WHERE review = ? AND deleted_ms = 0", []any{s.review}, func(rows *sql.Rows) error {
		var version int
		var done bool
		err := rows.Scan(&version, &done)
		if seen[version] {
			c.Comments++
			if !done {
				c.Open++
			}
		}
		return err
	})
	return c, err == nil, err
}
