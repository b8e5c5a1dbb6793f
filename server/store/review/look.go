package review

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"
	"strconv"
	"strings"

	"screentest/server/sight"
	"screentest/server/store/engine"
	"screentest/shared/wire"
)

// Look is a review as somebody sees it: that of a clip of their own, which is made
// where there is none, or that of a share that they see by name.
func (r *Reviews) Look(ctx context.Context, owner string, at wire.Look) (s sight.Seen, err error) {
	if at.Clip != "" {
		if err := r.ensure(ctx, owner, at.Clip); err != nil {
			return s, err
		}
	}
	err = r.db.Snapshot(ctx, func(q engine.Reading) error {
		s, err = r.look(q, engine.ParseOwner(owner), at)
		return err
	})
	return s, err
}

// Read is a review as somebody sees it, by its own id or that of a share. Of one
// that several shares show they see what any of them does.
func (r *Reviews) Read(ctx context.Context, owner, id string) (s sight.Seen, err error) {
	err = r.db.Snapshot(ctx, func(q engine.Reading) error {
		person := engine.ParseOwner(owner)
		if s, err = r.look(q, person, wire.Look{Share: id}); !isMissing(err) {
			return err
		}
		a, err := r.openID(q, id)
		if err != nil {
			return err
		}
		s, err = a.read(person, func(c clip) (bool, error) {
			_, _, is, err := a.sees(person, c.version)
			return is, err
		})
		if err == nil && len(s.Review.Versions) == 0 {
			err = engine.NotFound("review")
		}
		return err
	})
	return s, err
}

func isMissing(err error) bool {
	var e *engine.Error
	return errors.As(err, &e) && e.Problem.Code == "not_found"
}

// ensure makes the review of a clip that has none.
func (r *Reviews) ensure(ctx context.Context, owner, id string) error {
	if _, err := r.Of(ctx, owner, id); !isMissing(err) {
		return err
	}
	b, _ := engine.ParseID(id)
	return r.db.Write(ctx, 0, func(w *engine.Tx) error {
		var task int64
		var there bool
		err := w.Scan("SELECT n, EXISTS (SELECT 1 FROM review_versions WHERE task = n) FROM video_tasks WHERE owner = ? AND id = ? AND deleted_ms = 0",
			[]any{engine.ParseOwner(owner), b}, &task, &there)
		if err != nil || there {
			return missing(err, "clip")
		}
		n, err := w.Insert("INSERT INTO reviews (id) VALUES (randomblob(16))")
		if err != nil {
			return err
		}
		_, err = w.Exec("INSERT INTO review_versions (review, version, task) VALUES (?, 1, ?)", n, task)
		return err
	})
}

func (r *Reviews) look(q engine.Reading, person int64, at wire.Look) (s sight.Seen, err error) {
	var task, share int64
	if at.Clip != "" {
		b, _ := engine.ParseID(at.Clip)
		err = q.Scan("SELECT n FROM video_tasks WHERE owner = ? AND id = ? AND deleted_ms = 0", []any{person, b}, &task)
	} else {
		b, _ := engine.ParseID(at.Share)
		err = q.Scan("SELECT s.task, s.n FROM shares s CROSS JOIN video_tasks t ON t.n = s.task WHERE s.id = ? AND t.deleted_ms = 0", []any{b}, &task, &share)
	}
	if err != nil {
		return s, missing(err, "clip")
	}
	var review int64
	if err := q.Scan("SELECT review FROM review_versions WHERE task = ?", []any{task}, &review); err != nil {
		return s, missing(err, "clip")
	}
	a, err := r.open(q, review)
	if err != nil {
		return s, err
	}
	if a.owns(person) {
		return a.read(person, func(clip) (bool, error) { return true, nil })
	}
	for _, by := range a.by {
		if by.n != share {
			continue
		}
		is, err := a.shown(by, person)
		if err != nil {
			return s, err
		}
		if !is {
			break
		}
		id := engine.FormatID(by.id)
		s, err = a.read(person, func(c clip) (bool, error) { return by.seen.Sees(c.version, c.state), nil })
		s.From, s.Live = by.seen.From, by.seen.Live
		for i := range s.Review.Versions {
			of(&s.Review.Versions[i], id)
		}
		return s, err
	}
	return s, engine.NotFound("clip")
}

// read is all that is said of the versions that are seen. Those that aren't one's
// own are played by a share that shows them.
func (a *access) read(person int64, sees func(clip) (bool, error)) (s sight.Seen, err error) {
	var id []byte
	if err := a.q.Scan("SELECT id FROM reviews WHERE n = ?", []any{a.review}, &id); err != nil {
		return s, missing(err, "review")
	}
	s.Own = a.owns(person)
	s.Review = wire.Review{ID: engine.FormatID(id), Versions: []wire.ReviewVersion{}, Comments: []wire.Comment{}, Steps: []wire.ReviewStep{}, People: []wire.Mate{}}
	guest, err := a.guest(person)
	if err != nil {
		return s, err
	}
	seen := map[int]bool{}
	for _, c := range a.clips {
		s.Tasks = append(s.Tasks, [2]string{engine.FormatOwner(c.owner), engine.FormatID(c.id)})
		is, err := sees(c)
		if err != nil {
			return s, err
		}
		if !is || c.trashed {
			continue
		}
		seen[c.version] = true
		v, err := version(a.q, c, person)
		if err != nil {
			return s, err
		}
		if !guest {
			if v.Clears, err = a.clears(person, c); err != nil {
				return s, err
			}
		}
		if v.Clip == "" {
			if _, share, is, err := a.sees(person, c.version); err != nil {
				return s, err
			} else if is {
				of(&v, share)
			}
		}
		s.Review.Versions = append(s.Review.Versions, v)
	}
	if s.Review.Comments, err = a.comments(seen); err != nil {
		return s, err
	}
	if s.Review.Steps, err = a.steps(seen); err != nil {
		return s, err
	}
	if guest {
		return s, nil // who mentions nobody, and learns of nobody
	}
	if s.Review.People, err = a.people(seen); err != nil {
		return s, err
	}
	s.Review.Presents = s.Own
	newest := a.clips[len(a.clips)-1]
	newest.state = wire.ReviewOpen // as it is when somebody decides
	s.Review.Decides, err = a.decides(person, newest)
	return s, err
}

// version is a clip as it is seen by a person. The paths of its files are still
// without the share that shows another's.
func version(q queries, c clip, person int64) (v wire.ReviewVersion, err error) {
	var prompt string
	var seconds float64
	err = q.Scan(`SELECT t.title, t.prompt, u.name, t.model, t.state, t.seconds, t.created_ms FROM video_tasks t CROSS JOIN users u ON u.n = t.owner WHERE t.n = ?`,
		[]any{c.task}, &v.Title, &prompt, &v.Owner, &v.Model, &v.Task, &seconds, &v.CreatedMS)
	if err != nil {
		return v, missing(err, "clip")
	}
	v.Version, v.State, v.Seconds = c.version, c.state, seconds
	v.Title = wire.Cut(strings.Join(strings.Fields(cmp.Or(v.Title, prompt, v.Model)), " "), wire.MaxTaskTitle)
	id := ""
	if c.owner == person {
		id = engine.FormatID(c.id)
		v.Clip = id
	}
	err = q.Each("SELECT idx, archive = 'saved' OR ? = 'done' AND url <> '', poster IS NOT NULL, seconds FROM video_outputs WHERE task = ? ORDER BY idx", []any{v.Task, c.task}, func(rows *sql.Rows) error {
		var idx int
		var plays, poster bool
		var measured float64
		if err := rows.Scan(&idx, &plays, &poster, &measured); err != nil {
			return err
		}
		if measured > 0 && idx == 0 {
			v.Seconds = measured
		}
		media, image := wire.MediaPathOf(id, idx), wire.PosterPathOf(id, idx)
		if id == "" {
			at := strconv.Itoa(c.version) + "/" + strconv.Itoa(idx)
			media, image = "/media/"+at, "/poster/"+at
		}
		put(&v.Media, idx, media, plays)
		put(&v.Posters, idx, image, poster)
		return nil
	})
	return v, err
}

// put puts a path at its index, where there is a file.
func put(list *[]string, idx int, path string, there bool) {
	if !there {
		return
	}
	for len(*list) <= idx {
		*list = append(*list, "")
	}
	(*list)[idx] = path
}

// of has a version that isn't one's own played by a share.
func of(v *wire.ReviewVersion, share string) {
	for _, list := range [][]string{v.Media, v.Posters} {
		for i, path := range list {
			if path == "" || v.Clip != "" {
				continue
			}
			if _, rest, is := strings.Cut(path, "/media/"); is {
				list[i] = wire.SharePath + share + "/media/" + rest
			} else if _, rest, is := strings.Cut(path, "/poster/"); is {
				list[i] = wire.SharePath + share + "/poster/" + rest
			}
		}
	}
}

// people are those who can be mentioned: the clips' owner, and whom a share shows by
// name one of the versions that are seen, by name.
func (a *access) people(seen map[int]bool) ([]wire.Mate, error) {
	numbers := map[int64]bool{}
	for _, c := range a.clips {
		numbers[c.owner] = true
	}
	for _, s := range a.by {
		if !slices.ContainsFunc(a.clips, func(c clip) bool { return seen[c.version] && s.seen.Sees(c.version, c.state) }) {
			continue
		}
		viewers, err := a.viewers(s)
		if err != nil {
			return nil, err
		}
		for _, n := range viewers {
			numbers[n] = true
		}
	}
	people := []wire.Mate{}
	for n := range numbers {
		var id []byte
		var m wire.Mate
		err := a.q.Scan("SELECT id, name FROM users WHERE n = ? AND active = 1 AND email IS NOT NULL", []any{n}, &id, &m.Name)
		if errors.Is(err, sql.ErrNoRows) {
			continue
		}
		if err != nil {
			return nil, err
		}
		m.ID = engine.FormatID(id)
		people = append(people, m)
	}
	slices.SortFunc(people, func(a, b wire.Mate) int {
		return cmp.Or(strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), strings.Compare(a.ID, b.ID))
	})
	return people, nil
}

// Version is the clip of a version that a share shows, and whose it is.
// fs.ErrNotExist: it shows none of that number.
func (r *Reviews) Version(ctx context.Context, by sight.Sight, version int) (owner, task string, err error) {
	b, _ := engine.ParseID(by.Subject)
	err = r.db.Snapshot(ctx, func(q engine.Reading) error {
		var review, from int64
		if err := q.Scan("SELECT v.review, v.version FROM video_tasks t CROSS JOIN review_versions v ON v.task = t.n WHERE t.owner = ? AND t.id = ?",
			[]any{engine.ParseOwner(by.Owner), b}, &review, &from); err != nil {
			return missing(err, "clip")
		}
		var state string
		var n int64
		var id []byte
		if err := q.Scan("SELECT v.state, t.owner, t.id FROM review_versions v CROSS JOIN video_tasks t ON t.n = v.task WHERE v.review = ? AND v.version = ? AND t.deleted_ms = 0",
			[]any{review, version}, &state, &n, &id); err != nil {
			return missing(err, "clip")
		}
		if by.Kind != wire.ShareClip || !(sight.Seen{From: int(from), Live: by.Live}).Sees(version, state) {
			return engine.NotFound("clip")
		}
		owner, task = engine.FormatOwner(n), engine.FormatID(id)
		return nil
	})
	return owner, task, err
}
