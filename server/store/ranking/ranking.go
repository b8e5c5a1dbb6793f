// Package ranking reads the blind votes of a team, for the ranking of models that is
// made of them. Of who voted, and on what, it gives nothing.
package ranking

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"screentest/server/store/engine"
	"screentest/shared/wire"
)

// Rankings are the votes of teams. They are stored by the room of conversations.
type Rankings struct{ db *engine.DB }

// New is the votes in db.
func New(db *engine.DB) *Rankings { return &Rankings{db} }

// A Vote is given to who asks for a team's votes. won is the place of the winner
// among the models; -1 without one.
type Vote = func(models []string, won int, bad bool, answers []wire.Figures)

// Mark stands for a team's votes in a time as they are now: with equal marks they are
// equal. fs.ErrNotExist: there is no such team, or the person isn't in it.
func (r *Rankings) Mark(ctx context.Context, owner string, q wire.RankingQuery) (mark string, err error) {
	err = r.db.Snapshot(ctx, func(s engine.Reading) error {
		team, err := teamOf(s, owner, q.Team)
		if err != nil {
			return err
		}
		mark, err = markOf(s, team, q)
		return err
	})
	return mark, err
}

// A vote that is given anew has another time.
func markOf(s engine.Reading, team int64, q wire.RankingQuery) (string, error) {
	var n, sum, last int64
	err := s.Scan("SELECT count(*), coalesce(sum(vote_ms), 0), coalesce(max(vote_ms), 0) FROM votes WHERE team = ? AND vote_ms >= ? AND vote_ms < ?",
		[]any{team, q.From, until(q)}, &n, &sum, &last)
	return fmt.Sprintf("%d %d %d", n, sum, last), err
}

// Votes gives each blind vote of a team in a time, with a tag if one is asked for, the
// tags of all in that time, the commonest first, and their mark. Refused as Mark does.
// The slices that each is given are its own until it returns.
func (r *Rankings) Votes(ctx context.Context, owner string, q wire.RankingQuery, each Vote) (mark string, tags []string, err error) {
	err = r.db.Snapshot(ctx, func(s engine.Reading) error {
		team, err := teamOf(s, owner, q.Team)
		if err != nil {
			return err
		}
		if mark, err = markOf(s, team, q); err != nil {
			return err
		}
		tags, err = votesOf(s, team, q, each)
		return err
	})
	return mark, tags, err
}

func until(q wire.RankingQuery) int64 {
	if q.To == 0 {
		return 1<<63 - 1
	}
	return q.To
}

// teamOf is the row of a team that a person is in.
func teamOf(s engine.Reading, owner, id string) (n int64, err error) {
	b, _ := engine.ParseID(id)
	err = s.Scan("SELECT t.n FROM teams t JOIN team_people p ON p.team = t.n WHERE t.id = ? AND t.deleted_ms = 0 AND p.person = ?", []any{b, engine.ParseOwner(owner)}, &n)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, engine.NotFound("team")
	}
	return n, err
}

// votesOf reads the answers of all votes, which stand by vote and place.
func votesOf(s engine.Reading, team int64, q wire.RankingQuery, each Vote) (tags []string, err error) {
	var (
		last    int64
		models  []string
		answers []wire.Figures
		bad     bool
		won     = -1
		names   = map[string]string{} // each is kept once
		tagged  = tagging{known: map[string][]string{}, many: map[string]int{}}
	)
	tell := func() {
		if len(models) > 0 {
			each(models, won, bad, answers)
		}
		models, answers, won = models[:0], answers[:0], -1
	}
	wanted := false
	err = s.Each(`SELECT v.message, v.bad, v.tags, a.model, a.won, a.cost_nano_usd, a.first_token_ms, a.duration_ms, a.output_tokens
		FROM votes v CROSS JOIN vote_answers a ON a.vote = v.message WHERE v.team = ? AND v.vote_ms >= ? AND v.vote_ms < ? AND v.blind = 1`,
		[]any{team, q.From, until(q)}, func(rows *sql.Rows) error {
			var vote, tokens int64
			var isBad, isWinner bool
			var model, list sql.RawBytes
			var f wire.Figures
			if err := rows.Scan(&vote, &isBad, &list, &model, &isWinner, &f.CostNanoUSD, &f.FirstTokenMS, &f.DurationMS, &tokens); err != nil {
				return err
			}
			if vote != last {
				tell()
				tags, err := tagged.take(list)
				if err != nil {
					return err
				}
				last, bad, wanted = vote, isBad, q.Tag == "" || slices.Contains(tags, q.Tag)
			}
			if !wanted {
				return nil
			}
			if isWinner {
				won = len(models)
			}
			if span := f.DurationMS - f.FirstTokenMS; tokens > 0 && span > 0 && f.FirstTokenMS > 0 {
				f.TokensASec = tokens * 1000 / span
			}
			name, known := names[string(model)]
			if !known {
				name = string(model)
				names[name] = name
			}
			models, answers = append(models, name), append(answers, f)
			return nil
		})
	if err != nil {
		return nil, err
	}
	tell()
	return tagged.commonest(), nil
}

// tagging counts tags. Few lists of them are different: each is read once.
type tagging struct {
	known map[string][]string
	many  map[string]int
}

// take counts the tags of a vote, as they are stored, and gives them.
func (t tagging) take(list []byte) (tags []string, err error) {
	tags, is := t.known[string(list)]
	if !is {
		if err := json.Unmarshal(list, &tags); err != nil {
			return nil, fmt.Errorf("the tags of a vote: %w", err)
		}
		t.known[string(list)] = tags
	}
	for _, tag := range tags {
		t.many[tag]++
	}
	return tags, nil
}

func (t tagging) commonest() []string {
	all := slices.SortedFunc(maps.Keys(t.many), func(a, b string) int { return cmp.Or(t.many[b]-t.many[a], cmp.Compare(a, b)) })
	return all[:min(len(all), wire.MaxRankingTags)]
}
