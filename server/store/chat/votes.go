package chat

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"

	"screentest/server/store/engine"
	"screentest/shared/wire"
)

// SetVote keeps which answer to a message of the person's was the best, in
// place of an earlier vote. Whether it was blind is told by the lanes as they are
// stored, and which team it counts for by who paid for the answers.
func (c *Chat) SetVote(ctx context.Context, owner string, v wire.Vote) (wire.Vote, error) {
	v.VoteMS = c.now().UnixMilli()
	stored, err := CheckVote(v)
	if err != nil {
		return wire.Vote{}, err
	}
	var out wire.Vote
	err = c.db.Write(ctx, len(stored.models)+len(stored.tags), func(w *engine.Tx) error {
		n, _, err := readConversation(w, owner, v.Conversation)
		if err != nil {
			return err
		}
		out = v
		out.Tags, out.Answers, out.Blind, out.Team = stored.Tags, nil, false, ""
		if err := w.Scan("SELECT coalesce(max(blind), 0) FROM lanes WHERE conversation = ?", []any{n}, &out.Blind); err != nil {
			return err
		}
		message, err := wantVoted(w, engine.ParseOwner(owner), n, out)
		if err != nil {
			return err
		}
		if out.Blind, err = stillBlind(w, message, out); err != nil {
			return err
		}
		answers, err := readRanked(w, engine.ParseOwner(owner), n, message, v)
		if err != nil {
			return err
		}
		team := answers.team()
		if out.Team, err = teamID(w, team); err != nil {
			return err
		}
		if err := putVote(w, engine.ParseOwner(owner), n, message, out, stored, team); err != nil {
			return err
		}
		return answers.put(w, message)
	})
	if err != nil {
		return wire.Vote{}, err
	}
	return out, nil
}

// A checkedVote is what of a vote is stored as JSON, and its tags.
type checkedVote struct {
	models, tags string
	Tags         []string
}

// CheckVote looks at what a vote says, but not at what it names.
func CheckVote(v wire.Vote) (c checkedVote, err error) {
	if len(v.Models) < 2 || len(v.Models) > wire.MaxLanes {
		return c, engine.BadField("bad_vote", "models", "A vote compares 2 to %d models.", wire.MaxLanes)
	}
	for _, m := range v.Models {
		if m == "" || len(m) > MaxModel {
			return c, engine.BadField("bad_vote", "models", "The name of a model has 1 to %d bytes.", MaxModel)
		}
	}
	if n := len(v.Answers); n > 0 && n != len(v.Models) {
		return c, engine.BadField("bad_vote", "answers", "A vote compares one answer of each model.")
	}
	for i, id := range v.Answers {
		if slices.Contains(v.Answers[:i], id) {
			return c, engine.BadField("bad_vote", "answers", "A vote compares each answer once.")
		}
	}
	if v.Bad && v.Winner != "" {
		return c, engine.BadField("bad_vote", "bad", "Where no answer was good enough there is no winner.")
	}
	tags, p := wire.CleanTags(v.Tags)
	if p != nil {
		return c, &engine.Error{Problem: *p}
	}
	models, err := json.Marshal(v.Models)
	if err != nil {
		return c, err
	}
	list, err := json.Marshal(append([]string{}, tags...))
	return checkedVote{string(models), string(list), tags}, err
}

// wantVoted wants the message and the winner of a vote in the conversation n, and
// gives the message's row.
func wantVoted(w *engine.Tx, owner, n int64, v wire.Vote) (message int64, err error) {
	id, _ := engine.ParseID(v.Message)
	var role string
	err = w.Scan("SELECT n, role FROM messages WHERE owner = ? AND id = ? AND conversation = ?", []any{owner, id, n}, &message, &role)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, engine.NotFound("message")
	}
	if err != nil {
		return 0, err
	}
	if role == "assistant" {
		return 0, engine.BadField("bad_vote", "message", "A vote is on a message that was answered.")
	}
	if v.Winner == "" {
		return message, nil
	}
	winner, err := engine.WantID("winner", v.Winner)
	if err != nil {
		return 0, err
	}
	var answers int
	// In a round of functions the last answer stands below the first.
	err = w.Scan("SELECT count(*) FROM messages m WHERE owner = ? AND id = ? AND conversation = ? AND role = 'assistant' AND EXISTS (SELECT 1 FROM runs WHERE message = m.n)", []any{owner, winner, n}, &answers)
	if err == nil && answers == 0 {
		err = engine.NotFound("answer")
	}
	return message, err
}

// stillBlind says whether a vote is blind: with the first one on a message the names
// were told, so that another is not, unless it is the same sent once more.
func stillBlind(w *engine.Tx, message int64, v wire.Vote) (blind bool, err error) {
	var winner []byte
	var bad bool
	err = w.Scan("SELECT winner, bad, blind FROM votes WHERE message = ?", []any{message}, &winner, &bad, &blind)
	if errors.Is(err, sql.ErrNoRows) {
		return v.Blind, nil
	}
	return blind && bad == v.Bad && engine.FormatID(winner) == v.Winner, err
}

// putVote stores a vote in the conversation n, in place of another. team is a row,
// 0 for none.
func putVote(w *engine.Tx, owner, n, message int64, v wire.Vote, c checkedVote, team int64) error {
	var winner []byte // NULL where there is none
	if v.Winner != "" {
		winner, _ = engine.ParseID(v.Winner)
	}
	if _, err := w.Exec("DELETE FROM vote_answers WHERE vote = ?", message); err != nil {
		return err
	}
	_, err := w.Exec(`INSERT INTO votes (message, owner, conversation, winner, models, bad, tags, blind, team, vote_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, nullif(?, 0), ?)
		ON CONFLICT (message) DO UPDATE SET winner = excluded.winner, models = excluded.models, bad = excluded.bad, tags = excluded.tags,
			blind = excluded.blind, team = excluded.team, vote_ms = excluded.vote_ms`,
		message, owner, n, winner, c.models, v.Bad, c.tags, v.Blind, team, v.VoteMS)
	return err
}

// importVote stores a vote of a file. It is of no team: nobody here paid for what it
// compares.
func importVote(w *engine.Tx, owner, n int64, v wire.Vote, c checkedVote) error {
	message, err := wantVoted(w, owner, n, v)
	if err != nil {
		return err
	}
	return putVote(w, owner, n, message, v, c, 0)
}

// scanVote reads a row of id, winner, models, bad, tags, blind, team and vote_ms.
func scanVote(rows *sql.Rows, conversation string) (wire.Vote, error) {
	v := wire.Vote{Conversation: conversation}
	var message, winner, models, tags, team []byte
	if err := rows.Scan(&message, &winner, &models, &v.Bad, &tags, &v.Blind, &team, &v.VoteMS); err != nil {
		return v, err
	}
	v.Message, v.Winner, v.Team = engine.FormatID(message), engine.FormatID(winner), engine.FormatID(team)
	err := errors.Join(json.Unmarshal(models, &v.Models), json.Unmarshal(tags, &v.Tags))
	if len(v.Tags) == 0 {
		v.Tags = nil
	}
	return v, err
}

// ranked are the answers of a vote that take part in a ranking: of one team's, with
// the winner, and of two models at least.
type ranked []rankedAnswer

type rankedAnswer struct {
	model                                  string
	won                                    bool
	team                                   int64
	cost, firstToken, duration, tokensSent int64
}

// readRanked reads the answers that a vote names, with their newest runs. One that
// failed is left out: it says something of the way to the model. None take part where
// no answer is to the message itself, or one is to another text: answers that were
// paid for once are counted once, and not with each question that there is.
func readRanked(w *engine.Tx, owner, n, message int64, v wire.Vote) (all ranked, err error) {
	own, others := false, false
	for _, id := range v.Answers {
		b, _ := engine.ParseID(id)
		a := rankedAnswer{won: id == v.Winner}
		var state wire.RunState
		err := w.Scan(`SELECT r.model, r.state, coalesce(r.team, 0), coalesce((SELECT sum(cost_nano_usd) FROM ledger WHERE owner = r.owner AND subject = r.id), r.told_nano_usd, 0),
			r.first_token_ms, r.duration_ms, r.output_tokens
			FROM messages m JOIN runs r ON r.n = (SELECT max(n) FROM runs WHERE message = m.n) WHERE m.owner = ? AND m.id = ? AND m.conversation = ?`,
			[]any{owner, b, n}, &a.model, &state, &a.team, &a.cost, &a.firstToken, &a.duration, &a.tokensSent)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return nil, engine.NotFound("answer")
		case err != nil:
			return nil, err
		}
		to, same, err := questionOf(w, owner, b, message)
		if err != nil {
			return nil, err
		}
		own, others = own || to == message, others || !same
		switch {
		case state == wire.Running:
			return nil, engine.BadField("bad_vote", "answers", "A vote compares answers that have ended.")
		case state != wire.Failed && state != wire.Interrupted:
			all = append(all, a)
		}
	}
	won, several, together := v.Winner == "", false, true
	for _, a := range all {
		won = won || a.won
		several = several || a.model != all[0].model
		together = together && a.team == all[0].team && a.team != 0
	}
	if !won || !several || !together || !own || others {
		return nil, nil
	}
	return all, nil
}

// questionOf is the row of the message that an answer is to, past rounds of functions,
// and says whether the same is asked there as in another message, a row: a model that
// was asked without the images was asked something else.
func questionOf(w *engine.Tx, owner int64, answer []byte, as int64) (n int64, same bool, err error) {
	err = w.Scan(`WITH RECURSIVE up (n, parent, role) AS (
			SELECT n, parent, role FROM messages WHERE owner = ?1 AND id = ?2
			UNION SELECT m.n, m.parent, m.role FROM up CROSS JOIN messages m ON m.owner = ?1 AND m.id = up.parent WHERE up.role IN ('assistant', 'tool'))
		SELECT m.n, m.text = (SELECT text FROM messages WHERE n = ?3)
				AND (SELECT count(*) FROM message_images WHERE message = m.n) = (SELECT count(*) FROM message_images WHERE message = ?3) FROM up CROSS JOIN messages m ON m.n = up.n WHERE up.role NOT IN ('assistant', 'tool')`,
		[]any{owner, answer, as}, &n, &same)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, false, nil
	}
	return n, same, err
}

// team is the row of the team that paid, 0 for none.
func (r ranked) team() int64 {
	if len(r) == 0 {
		return 0
	}
	return r[0].team
}

func (r ranked) put(w *engine.Tx, vote int64) error {
	for i, a := range r {
		_, err := w.Exec("INSERT INTO vote_answers (vote, place, model, won, cost_nano_usd, first_token_ms, duration_ms, output_tokens) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
			vote, i, a.model, a.won, a.cost, a.firstToken, a.duration, a.tokensSent)
		if err != nil {
			return err
		}
	}
	return nil
}

// teamID is the id of the team in a row, "" for none.
func teamID(q engine.Scanner, n int64) (string, error) {
	if n == 0 {
		return "", nil
	}
	var id []byte
	err := q.Scan("SELECT id FROM teams WHERE n = ?", []any{n}, &id)
	return engine.FormatID(id), err
}
