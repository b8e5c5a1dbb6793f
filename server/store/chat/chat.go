// Package chat keeps conversations: their messages, the runs that answer those
// with what was sent and received, what they are shown in, votes, and the library
// of prompts and settings.
package chat

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"strings"
	"time"
	"unicode/utf8"

	"screentest/server/store/engine"
	"screentest/server/store/ledger"
	"screentest/server/store/pack"
	"screentest/server/store/people"
	"screentest/server/store/search"
	"screentest/server/store/text"
	"screentest/shared/wire"
)

// Chat is the conversations: their messages, the runs that fill those, the runs'
// logs, lanes, votes, and the library.
type Chat struct {
	db     *engine.DB
	books  *ledger.Books
	index  *search.Index
	packer *pack.Packer
	log    *slog.Logger
	now    func() time.Time
	// staging holds one while an import is stored.
	staging chan struct{}
}

// New is the conversations in db. What a run cost goes into the books, what can be
// found into the index.
func New(db *engine.DB, books *ledger.Books, index *search.Index, log *slog.Logger, now func() time.Time) (*Chat, error) {
	packer, err := pack.New()
	return &Chat{db: db, books: books, index: index, packer: packer, log: log, now: now, staging: make(chan struct{}, 1)}, err
}

// Sizes of a page.
const (
	defaultConversations = 50
	maxConversations     = 200
	defaultMessages      = 100
	MaxMessages          = 500
	// maxPageText bounds the text in a page of messages, in bytes; a page has
	// one message at least.
	maxPageText = 4 << 20
	// MaxTitle is the longest title, in characters.
	MaxTitle = 200
)

// summaryColumns are a conversation c as summaryScan reads it. The sums read
// the index ledger_conversation alone. What it had cost when it was handed over
// is in the ledger of somebody else, and told.
var summaryColumns = `c.n, c.id, c.title, c.models, c.pinned, c.created_ms, c.updated_ms,
	coalesce((SELECT sum(cost_nano_usd) FROM ledger WHERE owner = c.owner AND conversation = c.id), 0) + c.told_nano_usd,
	c.told_estimated = 1 OR EXISTS (SELECT 1 FROM ledger WHERE owner = c.owner AND conversation = c.id AND source = 'estimated'),
	(SELECT count(*) FROM runs WHERE conversation = c.n AND state = 'running'),
	EXISTS (SELECT 1 FROM lanes WHERE conversation = c.n AND blind = 1), ` + people.CopiedColumns("c")

type summaryScan struct {
	n       int64
	id      []byte
	summary wire.Summary
	copied  people.CopiedScan
}

func (s *summaryScan) dest() []any {
	v := &s.summary
	return append([]any{&s.n, &s.id, &v.Title, &v.Models, &v.Pinned, &v.CreatedMS, &v.UpdatedMS, &v.CostNanoUSD, &v.Estimated, &v.Running, &v.Blind}, s.copied.Dest()...)
}

func (s *summaryScan) result() wire.Summary {
	v := s.summary
	v.ID, v.Copied = engine.FormatID(s.id), s.copied.Result()
	return v
}

// Conversations lists the owner's conversations, the last changed first: 50,
// or p.Limit up to 200. A conversation that changes while pages are turned
// moves to the front and may be met twice.
func (c *Chat) Conversations(ctx context.Context, owner string, p wire.Page) (wire.ConversationPage, error) {
	limit := engine.PageLimit(p.Limit, defaultConversations, maxConversations)
	before, err := engine.ParseCursor(p.Before, 2)
	if err != nil {
		return wire.ConversationPage{}, err
	}
	query, args := "SELECT "+summaryColumns+" FROM conversations c WHERE c.owner = ? ORDER BY c.updated_ms DESC, c.n DESC LIMIT ?",
		[]any{engine.ParseOwner(owner), limit + 1}
	if before != nil {
		query, args = "SELECT "+summaryColumns+" FROM conversations c WHERE c.owner = ? AND (c.updated_ms, c.n) < (?, ?) ORDER BY c.updated_ms DESC, c.n DESC LIMIT ?",
			[]any{engine.ParseOwner(owner), before[0], before[1], limit + 1}
	}
	page := wire.ConversationPage{Conversations: []wire.Summary{}}
	var last summaryScan
	err = c.db.At(ctx).Each(query, args, func(rows *sql.Rows) error {
		if len(page.Conversations) == limit {
			page.Before = engine.FormatCursor(last.summary.UpdatedMS, last.n)
			return nil
		}
		last = summaryScan{}
		if err := rows.Scan(last.dest()...); err != nil {
			return err
		}
		page.Conversations = append(page.Conversations, last.result())
		return nil
	})
	if err == nil && before == nil {
		page.Pinned, err = c.pinned(ctx, owner)
	}
	return page, err
}

// pinned lists the owner's pinned conversations, the last changed first.
func (c *Chat) pinned(ctx context.Context, owner string) (list []wire.Summary, err error) {
	err = c.db.At(ctx).Each("SELECT "+summaryColumns+" FROM conversations c WHERE c.owner = ? AND c.pinned = 1 ORDER BY c.updated_ms DESC, c.n DESC",
		[]any{engine.ParseOwner(owner)}, func(rows *sql.Rows) error {
			var s summaryScan
			if err := rows.Scan(s.dest()...); err != nil {
				return err
			}
			list = append(list, s.result())
			return nil
		})
	return list, err
}

// Conversation returns one conversation as the list shows it.
func (c *Chat) Conversation(ctx context.Context, owner, id string) (wire.Summary, error) {
	_, s, err := readConversation(c.db.At(ctx), owner, id)
	return s, err
}

func readConversation(q engine.Scanner, owner, id string) (n int64, v wire.Summary, err error) {
	b, _ := engine.ParseID(id)
	var s summaryScan
	err = q.Scan("SELECT "+summaryColumns+" FROM conversations c WHERE c.owner = ? AND c.id = ?", []any{engine.ParseOwner(owner), b}, s.dest()...)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, v, engine.NotFound("conversation")
	}
	return s.n, s.result(), err
}

// RenameConversation gives a conversation a title of 1 to 200 characters. It
// stays where it is in the list.
func (c *Chat) RenameConversation(ctx context.Context, owner string, r wire.Rename) (wire.Summary, error) {
	title := text.OneLine(r.Title)
	if n := utf8.RuneCountInString(title); n == 0 || n > MaxTitle || !utf8.ValidString(title) {
		return wire.Summary{}, engine.BadField("bad_title", "title", "A title has 1 to %d characters.", MaxTitle)
	}
	var v wire.Summary
	err := c.db.Write(ctx, len(title), func(w *engine.Tx) error {
		n, s, err := readConversation(w, owner, r.ID)
		if err != nil {
			return err
		}
		v = s
		v.Title = title
		if _, err := w.Exec("UPDATE conversations SET title = ? WHERE n = ?", title, n); err != nil {
			return err
		}
		return c.index.NoteTitle(w, engine.ParseOwner(owner), n)
	})
	if err != nil {
		return wire.Summary{}, err
	}
	return v, nil
}

// DeleteConversation deletes a conversation with its messages, runs, requests
// and logs, and overwrites them in the file; the write-ahead log is emptied
// soon after, when the search index has been rewritten without its words. The
// ledger stays. Stop its runs first: what they still write finds nothing.
func (c *Chat) DeleteConversation(ctx context.Context, owner, id string) error {
	b, _ := engine.ParseID(id)
	return c.db.Write(ctx, 0, func(w *engine.Tx) error {
		// Messages take their runs with them, and runs the rest.
		res, err := w.Exec("DELETE FROM conversations WHERE owner = ? AND id = ?", engine.ParseOwner(owner), b)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return errors.Join(err, engine.NotFound("conversation"))
		}
		return w.Scrub()
	})
}

// CleanTitle makes a title of a message's first line: what is not shown
// becomes a space, and it is cut at 200 characters.
func CleanTitle(s string) string {
	if len(s) > 4*utf8.UTFMax*MaxTitle {
		s = s[:4*utf8.UTFMax*MaxTitle]
	}
	s = text.OneLine(strings.ToValidUTF8(s, ""))
	if utf8.RuneCountInString(s) > MaxTitle {
		s = strings.TrimSpace(string([]rune(s)[:MaxTitle-1])) + "…"
	}
	if s == "" {
		return "New conversation"
	}
	return s
}
