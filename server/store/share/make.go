package share

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"screentest/server/store/engine"
	"screentest/server/store/people"
	"screentest/shared/wire"
)

// Make keeps a share of something of an owner's, whose bounds were looked at. token
// is a link's, of which only the hash is kept; snapshot is what is shown of a
// conversation as it is now. What isn't there, or isn't theirs, is fs.ErrNotExist,
// and the problem's field says which.
func (s *Shares) Make(ctx context.Context, owner string, n wire.NewShare, token string, snapshot []byte) (id string, err error) {
	who, now := engine.ParseOwner(owner), s.now()
	made := uuid.New()
	coding, packed := 0, []byte(nil)
	if snapshot != nil {
		coding, packed = s.packer.Pack(snapshot)
	}
	var hash []byte
	if n.Audience == wire.ShareByLink {
		h := sha256.Sum256([]byte(token))
		hash = h[:]
	}
	var expires int64
	if n.Hours > 0 {
		expires = now.Add(time.Duration(n.Hours) * time.Hour).UnixMilli()
	}
	err = s.db.Write(ctx, len(packed), func(w *engine.Tx) error {
		if err := people.WantUser(w, who); err != nil {
			return err
		}
		var many int
		if err := w.Scan("SELECT count(*) FROM shares WHERE owner = ?", []any{who}, &many); err != nil {
			return err
		}
		if many >= wire.MaxShares {
			return engine.Conflict("You share %d things, which is the most. Stop sharing some of them first.", wire.MaxShares)
		}
		conversation, task, title, err := subject(w, who, n.Kind, n.ID)
		if err != nil {
			return err
		}
		team := int64(0)
		if n.Audience == wire.ShareWithTeam {
			if team, err = teamOf(w, who, n.To[0]); err != nil {
				return err
			}
		}
		if n.Live {
			title = ""
		}
		share, err := w.Insert(`INSERT INTO shares (id, owner, conversation, task, audience, to_team, hash, live, wire, title, coding, snapshot, created_ms, expires_ms)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, made[:], who, engine.OrNull(conversation), engine.OrNull(task), n.Audience, engine.OrNull(team), hash,
			n.Live, n.Wire, title, coding, packed, now.UnixMilli(), expires)
		if err != nil || n.Audience != wire.ShareWithPeople {
			return err
		}
		return addPeople(w, share, who, n.To)
	})
	return made.String(), err
}

// subject is what is to be shown, and what it is called now.
func subject(q engine.Scanner, owner int64, kind, id string) (conversation, task int64, title string, err error) {
	b, _ := engine.ParseID(id)
	if kind == wire.ShareConversation {
		err = q.Scan("SELECT n, title FROM conversations WHERE owner = ? AND id = ?", []any{owner, b}, &conversation, &title)
		return conversation, 0, title, missing(err, "conversation", "id")
	}
	var state wire.VideoState
	err = q.Scan("SELECT n, coalesce(nullif(title, ''), substr(prompt, 1, 100)), state FROM video_tasks WHERE owner = ? AND id = ? AND deleted_ms = 0",
		[]any{owner, b}, &task, &title, &state)
	if err == nil && (state == wire.VideoRefused || state == wire.VideoFailed || state == wire.VideoLost) {
		return 0, 0, "", &engine.Error{Problem: wire.Problem{Code: "conflict", Field: "id", Message: "This clip came to nothing: there is nothing to show."}}
	}
	return 0, task, title, missing(err, "clip", "id")
}

// teamOf is the number of a team that somebody is in.
func teamOf(q engine.Scanner, owner int64, id string) (n int64, err error) {
	b, _ := engine.ParseID(id)
	err = q.Scan("SELECT t.n FROM teams t JOIN team_people p ON p.team = t.n WHERE t.id = ? AND t.deleted_ms = 0 AND p.person = ?", []any{b, owner}, &n)
	return n, missing(err, "team", "to")
}

// addPeople names whom a share is for.
func addPeople(w *engine.Tx, share, owner int64, ids []string) error {
	for i, id := range ids {
		b, _ := engine.ParseID(id)
		var n int64
		err := w.Scan("SELECT n FROM users WHERE id = ? AND active = 1 AND email IS NOT NULL", []any{b}, &n)
		if err := missing(err, "person", fmt.Sprintf("to[%d]", i)); err != nil {
			return err
		}
		if n == owner {
			return engine.BadField("invalid_request", fmt.Sprintf("to[%d]", i), "This is yours: you see it anyway.")
		}
		if _, err := w.Exec("INSERT INTO share_people (share, person) VALUES (?, ?) ON CONFLICT DO NOTHING", share, n); err != nil {
			return err
		}
	}
	return nil
}

// missing says of which field it is that what it names isn't there.
func missing(err error, what, field string) error {
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	none := engine.NotFound(what).(*engine.Error)
	none.Problem.Field = field
	return none
}
