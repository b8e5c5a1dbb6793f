// Package video keeps video tasks, the records of their files, the gateway keys
// that they hold until they end, and uploads. The files themselves are somebody
// else's.
package video

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"screentest/server/seal"
	"screentest/server/store/engine"
	"screentest/server/store/ledger"
	"screentest/server/store/people"
	"screentest/server/store/search"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// Videos are the video tasks. As everywhere in the store, what belongs to
// somebody is asked for by owner first.
type Videos struct {
	db     *engine.DB
	books  *ledger.Books
	index  *search.Index
	people *people.Register
	box    *seal.Box
	log    *slog.Logger
}

// New is the video tasks in db. What they cost goes into the books, what can be
// found into the index; box seals the keys.
func New(db *engine.DB, books *ledger.Books, index *search.Index, people *people.Register, box *seal.Box, log *slog.Logger) *Videos {
	return &Videos{db, books, index, people, box, log}
}

// videoColumns are a task t as videoScan reads it; the body is that of its
// request q. Outputs come as one JSON array, so that a page is one query.
var videoColumns = `t.n, t.owner, coalesce(t.key, 0), t.id, t.version, t.gateway, coalesce(t.remote, ''), t.uuid, t.model, t.mode, t.prompt, t.title, t.tags,
	t.state, t.pause, t.problem, t.poll_problem, t.created_ms, t.accepted_ms, t.started_ms, t.finished_ms, t.deleted_ms,
	t.usual_least, t.usual_most, t.seconds, t.price, t.basis, t.sample,
	t.source, t.source_index, t.source_uuid, t.family, t.tier, t.resolution, t.root, t.finish_state, t.favourite, t.pinned,
	t.told_nano_usd IS NOT NULL OR EXISTS (SELECT 1 FROM ledger WHERE owner = t.owner AND subject = t.id AND kind = 'charge'),
	t.told_returned = 1 OR EXISTS (SELECT 1 FROM ledger WHERE owner = t.owner AND subject = t.id AND kind = 'return'),
	(SELECT id FROM teams WHERE n = t.team), t.paid_by, t.version_of,
	(SELECT json_group_array(json_object('index', idx, 'link', url, 'archive', archive, 'sha256', coalesce(lower(hex(sha256)), ''),
		'type', type, 'width', width, 'height', height, 'seconds', seconds, 'bytes', bytes,
		'problem', json(problem), 'poster', json(CASE WHEN poster IS NULL THEN 'false' ELSE 'true' END)) ORDER BY idx)
		FROM video_outputs WHERE task = t.n), ` + people.CopiedColumns("t")

// videoBody is the request with a task that is read alone, listedBody with
// others: there a body longer than 64 KiB is left out.
const (
	videoBody  = `, coalesce((SELECT body FROM video_requests WHERE task = t.n), '')`
	listedBody = `, coalesce((SELECT body FROM video_requests WHERE task = t.n AND length(body) <= 65536), '')`
)

// A videoScan takes the videoColumns.
type videoScan struct {
	n, owner, key, deletedMS int64
	id, source, team, again  []byte
	tags, outputs, body      string
	problem, pollProblem     []byte
	copied                   people.CopiedScan
	task                     wire.VideoTask
}

func (s *videoScan) dest() []any {
	t := &s.task
	all := []any{&s.n, &s.owner, &s.key, &s.id, &t.Version, &t.Gateway, &t.Remote, &t.UUID, &t.Model, &t.Mode, &t.Prompt, &t.Title, &s.tags,
		&t.State, &t.Pause, &s.problem, &s.pollProblem, &t.CreatedMS, &t.AcceptedMS, &t.StartedMS, &t.FinishedMS, &s.deletedMS,
		&t.UsualLeastMS, &t.UsualMostMS, &t.Seconds, &t.PriceNanoUSD, &t.Basis, &t.SamplePrice,
		&s.source, &t.SourceIndex, &t.SourceUUID, &t.Family, &t.Tier, &t.Resolution, &t.Root, &t.FinishState, &t.Favourite, &t.Pinned,
		&t.Charged, &t.Returned, &s.team, &t.PaidBy, &s.again, &s.outputs}
	return append(append(all, s.copied.Dest()...), &s.body)
}

func (s *videoScan) result() (wire.VideoTask, error) {
	t := s.task
	t.ID, t.Source, t.Progress = engine.FormatID(s.id), engine.FormatID(s.source), -1
	t.Team, t.VersionOf, t.Copied = engine.FormatID(s.team), engine.FormatID(s.again), s.copied.Result()
	t.Deleted, t.DeletedMS = s.deletedMS > 0, s.deletedMS
	t.Reserved = t.State == wire.VideoCreating || t.State == wire.VideoUnknown
	if s.body != "" {
		t.Body = json.RawMessage(s.body)
	}
	read := func(text []byte, to any, what string) error {
		if len(text) == 0 {
			return nil
		}
		if err := json.Unmarshal(text, to); err != nil {
			return fmt.Errorf("video task %s: its %s: %w", t.ID, what, err)
		}
		return nil
	}
	err := errors.Join(read([]byte(s.tags), &t.Tags, "tags"), read([]byte(s.outputs), &t.Outputs, "outputs"),
		read(s.problem, &t.Problem, "problem"), read(s.pollProblem, &t.PollProblem, "poll problem"))
	if len(t.Tags) == 0 {
		t.Tags = nil
	}
	if len(t.Outputs) == 0 {
		t.Outputs = nil
	}
	t.Archived = len(t.Outputs) > 0
	for i := range t.Outputs {
		if t.State == wire.VideoExpired {
			t.Outputs[i].Link = ""
		}
		t.Archived = t.Archived && t.Outputs[i].Archive == wire.ArchiveSaved
	}
	if t.State == wire.VideoDone && t.FinishedMS > 0 {
		t.ExpiresMS = t.FinishedMS + gateway.Retention.Milliseconds()
	}
	return t, err
}

// readVideo reads one task. fs.ErrNotExist: there is none.
func readVideo(q engine.Scanner, owner int64, id []byte) (s videoScan, t wire.VideoTask, err error) {
	err = q.Scan("SELECT "+videoColumns+videoBody+" FROM video_tasks t WHERE t.owner = ? AND t.id = ?", []any{owner, id}, s.dest()...)
	if errors.Is(err, sql.ErrNoRows) {
		return s, t, engine.NotFound("video task")
	}
	if err == nil {
		t, err = s.result()
	}
	return s, t, err
}

// Task returns a task, also one that is deleted and not yet gone.
func (v *Videos) Task(ctx context.Context, owner, id string) (wire.VideoTask, error) {
	b, _ := engine.ParseID(id)
	_, t, err := readVideo(v.db.At(ctx), engine.ParseOwner(owner), b)
	return t, err
}

// TaskByUUID returns the task whose clip the gateway knows by that internal
// id. fs.ErrNotExist: it was made elsewhere.
func (v *Videos) TaskByUUID(ctx context.Context, owner, uuid string) (wire.VideoTask, error) {
	var id []byte
	err := v.db.At(ctx).Scan("SELECT id FROM video_tasks WHERE owner = ? AND uuid = ? AND uuid <> '' ORDER BY n LIMIT 1",
		[]any{engine.ParseOwner(owner), strings.ToLower(uuid)}, &id)
	if errors.Is(err, sql.ErrNoRows) {
		return wire.VideoTask{}, engine.NotFound("video task")
	}
	if err != nil {
		return wire.VideoTask{}, err
	}
	return v.Task(ctx, owner, engine.FormatID(id))
}

// CountOpen counts the tasks of everybody that are not final, by their state.
func (v *Videos) CountOpen(ctx context.Context) (map[wire.VideoState]int64, error) {
	counts := map[wire.VideoState]int64{}
	err := v.db.At(ctx).Each("SELECT state, count(*) FROM video_tasks INDEXED BY video_tasks_open WHERE state IN ('creating', 'unknown', 'queued', 'running') GROUP BY state", nil, func(rows *sql.Rows) error {
		var state wire.VideoState
		var n int64
		err := rows.Scan(&state, &n)
		counts[state] = n
		return err
	})
	return counts, err
}

// EachOpen calls fn for every task of everybody that is not final and that this
// process holds, oldest first, with the number of the key it is asked with (0: none).
// fn may write.
func (v *Videos) EachOpen(ctx context.Context, fn func(owner string, key int64, t wire.VideoTask) error) error {
	return v.eachOpen(ctx, "video_tasks t INDEXED BY video_tasks_open", "t.holder = ?", v.db.Holder(), fn)
}

// EachOpenOf calls fn for every task of an owner's that is not final, whichever
// process holds it. fn may write.
func (v *Videos) EachOpenOf(ctx context.Context, owner string, fn func(t wire.VideoTask) error) error {
	return v.eachOpen(ctx, "video_tasks t", "t.owner = ?", engine.ParseOwner(owner), func(_ string, _ int64, t wire.VideoTask) error { return fn(t) })
}

func (v *Videos) eachOpen(ctx context.Context, from, which string, arg int64, fn func(owner string, key int64, t wire.VideoTask) error) error {
	type open struct {
		owner, key int64
		task       wire.VideoTask
	}
	var all []open
	err := v.db.At(ctx).Each("SELECT "+videoColumns+", '' FROM "+from+" WHERE t.state IN ('creating', 'unknown', 'queued', 'running') AND "+which+" ORDER BY t.n", []any{arg}, func(rows *sql.Rows) error {
		var s videoScan
		if err := rows.Scan(s.dest()...); err != nil {
			return err
		}
		t, err := s.result()
		all = append(all, open{s.owner, s.key, t})
		return err
	})
	if err != nil {
		return err
	}
	for _, o := range all {
		if err := fn(engine.FormatOwner(o.owner), o.key, o.task); err != nil {
			return err
		}
	}
	return nil
}

// Expiring lists up to limit done tasks of everybody that finished before that
// time, in Unix milliseconds: pairs of owner and id.
func (v *Videos) Expiring(ctx context.Context, finishedBefore int64, limit int) (pairs [][2]string, err error) {
	err = v.db.At(ctx).Each("SELECT owner, id FROM video_tasks WHERE state = 'done' AND finished_ms < ? ORDER BY finished_ms LIMIT ?",
		[]any{finishedBefore, limit}, func(rows *sql.Rows) error {
			var owner int64
			var id []byte
			err := rows.Scan(&owner, &id)
			pairs = append(pairs, [2]string{engine.FormatOwner(owner), engine.FormatID(id)})
			return err
		})
	return pairs, err
}

// videoProblem makes a TEXT value of p, NULL if it is nil.
func videoProblem(p *wire.Problem) (any, error) {
	if p == nil {
		return nil, nil
	}
	b, err := json.Marshal(p)
	return string(b), err
}
