package review

import (
	"database/sql"

	"screentest/server/sight"
	"screentest/server/store/engine"
	"screentest/shared/wire"
)

// clip is a version of a review.
type clip struct {
	version     int
	state       string // of the review
	task, owner int64
	id          []byte // the task's
	trashed     bool
}

// showing is a share that shows a version.
type showing struct {
	n    int64
	id   []byte
	team int64 // 0: it is for no team
	wide bool  // it is for everybody who is signed in
	seen sight.Seen
}

// access is what there is to be seen of a review, and by which shares.
type access struct {
	q       queries
	review  int64
	clips   []clip
	by      []showing
	now     int64
	members map[member]bool
}

type member struct{ share, person int64 }

// open reads a review's versions and shares. NotFound: there is no such review.
func (r *Reviews) open(q queries, review int64) (*access, error) {
	a := &access{q: q, review: review, now: r.now().UnixMilli(), members: map[member]bool{}}
	err := q.Each(`SELECT v.version, v.state, t.n, t.owner, t.id, t.deleted_ms > 0 FROM review_versions v CROSS JOIN video_tasks t ON t.n = v.task
		WHERE v.review = ? ORDER BY v.version`, []any{review}, func(rows *sql.Rows) error {
		var c clip
		err := rows.Scan(&c.version, &c.state, &c.task, &c.owner, &c.id, &c.trashed)
		a.clips = append(a.clips, c)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, c := range a.clips {
		if c.trashed {
			continue // nor does a share of it show what comes after it
		}
		err := q.Each("SELECT n, id, live, coalesce(to_team, 0), audience = 'everyone' FROM shares WHERE task = ? AND audience <> 'link'", []any{c.task}, func(rows *sql.Rows) error {
			s := showing{seen: sight.Seen{From: c.version}}
			err := rows.Scan(&s.n, &s.id, &s.seen.Live, &s.team, &s.wide)
			a.by = append(a.by, s)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return a, nil
}

// openID is open by the review's id.
func (r *Reviews) openID(q queries, id string) (*access, error) {
	b, _ := engine.ParseID(id)
	var n int64
	if err := q.Scan("SELECT n FROM reviews WHERE id = ?", []any{b}, &n); err != nil {
		return nil, missing(err, "review")
	}
	return r.open(q, n)
}

// owns says whether somebody made the clips.
func (a *access) owns(person int64) bool {
	for _, c := range a.clips {
		if c.owner == person {
			return true
		}
	}
	return false
}

// shown says whether somebody sees a share by name.
func (a *access) shown(s showing, person int64) (bool, error) {
	of := member{s.n, person}
	is, known := a.members[of]
	if known {
		return is, nil
	}
	err := a.q.Scan("SELECT EXISTS (SELECT 1 FROM sights WHERE share = ? AND person = ? AND (expires_ms = 0 OR expires_ms > ?))", []any{s.n, person, a.now}, &is)
	a.members[of] = is
	return is, err
}

// sees says whether somebody sees a version, and by which share; "" is their own.
func (a *access) sees(person int64, version int) (clip, string, bool, error) {
	for _, c := range a.clips {
		if c.version != version || c.trashed {
			continue
		}
		if c.owner == person {
			return c, "", true, nil
		}
		for _, s := range a.by {
			if !s.seen.Sees(c.version, c.state) {
				continue
			}
			is, err := a.shown(s, person)
			if err != nil || is {
				return c, engine.FormatID(s.id), is, err
			}
		}
	}
	return clip{}, "", false, nil
}

// seesAny says whether somebody sees any version.
func (a *access) seesAny(person int64) (bool, error) {
	for _, c := range a.clips {
		if _, _, is, err := a.sees(person, c.version); err != nil || is {
			return is, err
		}
	}
	return false, nil
}

// wantSeen is NotFound of what somebody doesn't see.
func (a *access) wantSeen(person int64, version int, what string) (clip, error) {
	c, _, is, err := a.sees(person, version)
	if err == nil && !is {
		err = engine.NotFound(what)
	}
	return c, err
}

// leads says whether somebody leads a team that is shown this version.
func (a *access) leads(person int64, on clip) (is bool, err error) {
	for _, s := range a.by {
		if s.team == 0 || is || !s.seen.Sees(on.version, on.state) {
			continue
		}
		if err := a.q.Scan(`SELECT EXISTS (SELECT 1 FROM team_people p CROSS JOIN users u ON u.n = p.person CROSS JOIN teams t ON t.n = p.team
			WHERE p.team = ? AND p.person = ? AND p.lead = 1 AND u.role <> 'guest' AND t.deleted_ms = 0)`, []any{s.team, person}, &is); err != nil {
			return false, err
		}
	}
	return is, nil
}

// clears says whether somebody may delete what others say of a version: who made it,
// and who leads a team that is shown it.
func (a *access) clears(person int64, on clip) (bool, error) {
	if on.owner == person {
		return true, nil
	}
	return a.leads(person, on)
}

// guest says whether somebody only reads.
func (a *access) guest(person int64) (is bool, err error) {
	err = a.q.Scan("SELECT role = ? FROM users WHERE n = ?", []any{wire.RoleGuest, person}, &is)
	return is, missing(err, "person")
}

// viewers are those who see a share by name, by number.
func (a *access) viewers(s showing) (people []int64, err error) {
	err = a.q.Each("SELECT person FROM sights WHERE share = ? AND (expires_ms = 0 OR expires_ms > ?)", []any{s.n, a.now}, func(rows *sql.Rows) error {
		var n int64
		err := rows.Scan(&n)
		people = append(people, n)
		return err
	})
	return people, err
}
